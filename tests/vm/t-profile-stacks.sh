# SPDX-License-Identifier: LGPL-2.1-or-later
# profile of the stacks of the kernel's tracer, whose records differ between kernels.
# shellcheck shell=sh disable=SC2154,SC2086

need dktrace

# In a trace.dat.
run dktrace record -e sched:sched_switch --stack sched_switch -o trace.dat -- sh -c 'ls / | cat | wc -l'
status_is 0 "record"
run dktrace profile trace.dat
status_is 0 "profile"
has_line '^ *[0-9.]+ +100[.]00 +[0-9]+ __schedule +kernel$' "$out" "the scheduler is in each stack"
no_line 'trace_event_raw_event' "$out" "not the tracer"
dktrace profile --style folded trace.dat >lines
run dktrace profile --csv --style text --keys none --top 0 trace.dat
same "$(sed -n 's/^1[.]0,1[.]0,\([0-9]*\),.*,__schedule,.*/\1/p' "$out")" \
	"$(awk '{ n += $NF } END { print n }' lines)" "all samples are in the folded text"
no_line ';$|;;' lines "no function without a name"

# In the text of a trace.
mkdir $tracing/instances/text
cd $tracing/instances/text || exit
echo 1 >options/stacktrace
echo 1 >events/sched/sched_switch/enable
sh -c 'ls / | cat | wc -l' >/dev/null
echo 0 >tracing_on
cat trace >/tmp/trace.txt
cd / || exit
rmdir $tracing/instances/text
run dktrace profile /tmp/trace.txt
status_is 0 "profile of a text"
has_line '^ *[0-9.]+ +100[.]00 +[0-9]+ __schedule +kernel$' "$out" "the scheduler is in each stack of a text"
