# SPDX-License-Identifier: LGPL-2.1-or-later
# report reads the output of cat trace and cat trace_pipe: events, functions and stacks, also in
# the latency format and by function_graph.
# shellcheck shell=sh disable=SC2154

need dktrace

mkdir $tracing/instances/text
in=$tracing/instances/text
for event in sched/sched_switch sched/sched_wakeup syscalls/sys_enter_openat syscalls/sys_exit_openat; do
	echo 1 >$in/events/$event/enable
done
echo stacktrace:2 >$in/events/sched/sched_wakeup/trigger
for i in 1 2 3 4 5; do
	cat /proc/uptime >/dev/null
	sleep 0.01
done
echo 'a mark' >$in/trace_marker
echo 0 >$in/tracing_on
cat $in/trace >trace.txt
# It ends when all is read, because recording is off.
timeout 600 cat $in/trace_pipe >pipe.txt

for file in trace.txt pipe.txt; do
	run dktrace info $file
	status_is 0 "$file is read"
	same "$(grep -c 'sched_switch: ' $file)" \
		"$(sed -n 's/^sched:sched_switch *\([0-9]*\) .*/\1/p' "$out")" \
		"$file: every sched_switch has its fields"
	run dktrace report -e 'sched:sched_switch' $file
	same "$(sed -n 's/.*sched_switch: *//p' $file)" "$(sed -n 's/.*sched_switch: *//p' "$out")" \
		"$file: the same text"
	run dktrace hist -i $file sched:sched_switch -k next_comm
	has_line '^sleep ' "$out" "$file: hist has keys by field"
	run dktrace latency syscall -i $file --csv
	has_line '^openat,' "$out" "$file: system calls are paired"
	run dktrace report -S folded $file
	has_line '^sched_wakeup;[^;]*;[a-z]' "$out" "$file: stacks are folded"
	run dktrace report -e ftrace:print $file
	has_line 'tracing_mark_write: a mark' "$out" "$file: marks"
	run dktrace convert $file text.dat
	status_is 0 "$file becomes a trace.dat"
	run dktrace report -e sched:sched_switch text.dat
	same "$(sed -n 's/.*sched_switch: *//p' $file)" "$(sed -n 's/.*sched_switch: *//p' "$out")" \
		"$file: the same text from there"
done

echo 'vfs_*' >$in/set_ftrace_filter
echo function >$in/current_tracer
echo 1 >$in/tracing_on
cat /proc/uptime >/dev/null
echo 0 >$in/tracing_on
cat $in/trace >function.txt
echo nop >$in/current_tracer
run dktrace report -e ftrace:function function.txt
at_least 5 "$(wc -l <"$out")" "lines of functions"
same "$(sed -n 's/^.*: \([^ ]* <-[^ ]*\)$/\1/p' function.txt | head -n 100)" \
	"$(sed 's/.*function: *//' "$out" | sed -n '/ <-/p' | head -n 100)" "the same functions"

# The latency format, of the same records.
echo 1 >$in/options/latency-format
cat $in/trace >latency.txt
echo 0 >$in/options/latency-format
run dktrace report latency.txt
status_is 0 "the latency format is read"
same "$(grep -vc '^#' latency.txt)" "$(wc -l <"$out")" "every line of it"

# function_graph, which an older kernel has only in the top instance; with every option that adds a column.
in=$tracing
echo 'vfs_* ksys_* filp_*' >$in/set_ftrace_filter
echo function_graph >$in/current_tracer
echo 1 >$in/tracing_on
for _ in 1 2 3 4 5; do
	cat /proc/uptime >/dev/null
done
echo 'a mark' >$in/trace_marker
echo 0 >$in/tracing_on
for option in none funcgraph-abstime funcgraph-proc funcgraph-tail funcgraph-overrun latency-format; do
	[ $option = none ] || echo 1 >$in/options/$option
	cat $in/trace >graph.txt
	run dktrace report graph.txt
	status_is 0 "function_graph is read, $option"
	grep -c 'funcgraph_entry' "$out" >entries
	same "$(grep -v '^#' graph.txt | grep -cE '\(\) \{$|\(\);$')" "$(cat entries)" "every entry, $option"
	same "$(grep -v '^#' graph.txt | grep -cE '\(\);$|\|  *\}')" "$(grep -c funcgraph_exit "$out")" \
		"every exit, $option"
	has_line 'print: *a mark' "$out" "and the mark, $option"
	at_least 10 "$(cat entries)" "functions, $option"
done
# Instances that other tests create begin with the options of the top one.
for option in funcgraph-abstime funcgraph-proc funcgraph-tail funcgraph-overrun latency-format; do
	echo 0 >$in/options/$option
done
echo nop >$in/current_tracer
