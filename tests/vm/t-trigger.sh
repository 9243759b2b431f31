# SPDX-License-Identifier: LGPL-2.1-or-later
# filter and trigger on a kernel with all features: known counts, snapshots, histograms, messages of Lustre.
# build-modules: libcfs
# kernel: 6.1
# shellcheck shell=sh disable=SC2154,SC2016

load_built libcfs
events=$instance/events

# A program of that name ends.
end_of()
{
	cp /bin/busybox "$1"
	"./$1" 2>/dev/null
}

# Prints all triggers and limits of the instance.
limits()
{
	grep -v '^#' "$events"/*/*/trigger | sed 's/count=[0-9]*/count/'
	cat "$events"/*/*/filter | sort | uniq -c
	cat "$instance/set_event_pid" "$instance/options/event-fork" "$instance/tracing_cpumask"
	sort "$instance/set_event"
}

# The opens of these files. Kernels before 5.18 compare no strings of programs; nothing else opens files to append.
counted='filename.ustring ~ "*counted-*"'
echo "$counted" >$tracing/events/syscalls/sys_enter_openat/filter || counted='flags == 0x441'
echo 0 >$tracing/events/syscalls/sys_enter_openat/filter

# N opens by one process are N records, whatever else happens.
set_param debug_sources=lustre+kernel debug=0 debug=+vfstrace
run dktrace filter set syscalls:sys_enter_openat "$counted"
status_is 0 "a filter on one event"
has_line '^1 event is recorded with the filter$' "$out" "which says so"
lctl clear
for i in 1 2 3 4 5 6 7; do : >>"counted-$i"; done
cat /etc/passwd >/dev/null
run lctl dk
same 7 "$(count 'sys_enter_openat\(\)\)')" "7 opens are 7 records"
run dktrace filter set syscalls:sys_enter_openat --pid $$ "$counted"
lctl clear
for i in 1 2 3; do : >>"counted-$i"; done
sh -c ': >>counted-4'
run lctl dk
same 3 "$(count 'sys_enter_openat\(\)\)')" "3 opens of this process are 3"
run dktrace filter set syscalls:sys_enter_openat --cpu 0-1 "$counted"
status_is 0 "CPUs in a filter, without CPUS{}"
dktrace filter clear

# The kernel's own lists: this process, then its children too.
run dktrace filter set --pid $$
lctl clear
: >>counted-1
sh -c ': >>counted-2; exec cat /dev/null'
run lctl dk
same "$$" "$(grep -E "$legacy" "$out" | cut -d : -f 6 | sort -u)" "records of one process only"
run dktrace filter set --pid $$ --children
lctl clear
sh -c ': >>counted-2; sh -c ": >>counted-3"; :'
run lctl dk
at_least 3 "$(grep -E "$legacy" "$out" | cut -d : -f 6 | sort -u | wc -l)" "and of its children and theirs"
dktrace filter clear
same "" "$(cat "$instance/set_event_pid")" "no list is left"

# If the kernel refuses an unknown action, its message is printed, and nothing changes.
limits >before
if ! grep -q 'CPUS{' "$tracing/README" 2>/dev/null; then
	run dktrace filter set sched:sched_switch 'CPU & CPUS{0}'
	run dktrace filter set syscalls:sys_enter_close 'CPU & CPUS{0}'
	if [ "$rc" -ne 0 ]; then
		has_line 'write "CPU & CPUS\{0\}" to .*: Invalid argument' "$err" "CPUS{} is refused where it is not known"
		limits | diff before - || fail "nothing changed"
	fi
	dktrace filter clear
fi

# Triggers: a snapshot at a moment, a histogram that is paused and goes on.
run dktrace trigger add sched:sched_process_exit traceoff:1 --filter 'comm == "vmstop"'
status_is 0 "traceoff at the end of a program"
end_of vmstop
# Kernels before 5.18 stop the top instance, whatever instance the trigger is in.
own_stop=$(cat "$tracing/tracing_on")
echo 1 >"$tracing/tracing_on"
if [ "$own_stop" = 1 ]; then
	same 0 "$(cat "$instance/tracing_on")" "recording has stopped"
	run dktrace trigger rearm
	same 1 "$(cat "$instance/tracing_on")" "rearmed"
	end_of vmstop
	same 0 "$(cat "$instance/tracing_on")" "it stops again"
else
	echo "traceoff stops the top instance on this kernel"
fi
run dktrace trigger del all
same 1 "$(cat "$instance/tracing_on")" "deleted: recording is on"
if grep -qw snapshot "$tracing/events/sched/sched_process_exit/trigger"; then
	run dktrace trigger add sched:sched_process_exit snapshot:1 --filter 'comm == "vmstop"'
	status_is 0 "snapshot at the end of a program"
	lctl clear
	: >>counted-9
	end_of vmstop
	has_line 'sys_enter_openat|sys_openat' "$instance/snapshot" "the snapshot has what came before"
	run dktrace trigger del sched
	status_is 0 "and is deleted"
fi
if grep -qw hist "$tracing/events/sched/sched_process_exit/trigger"; then
	run dktrace trigger add syscalls:sys_enter_openat hist:keys=common_pid --filter "$counted"
	status_is 0 "a histogram in the kernel's words"
	run dktrace trigger add sched:sched_process_exit disable_hist:syscalls:sys_enter_openat --filter 'comm == "vmstop"'
	status_is 0 "and what pauses it"
	set_param debug=+ioctl
	set_param debug=-ioctl
	for i in 1 2 3 4 5; do : >>"counted-$i"; done
	has_line "common_pid: +$$ +\} hitcount: +5\$" "$events/syscalls/sys_enter_openat/hist" "5 opens are 5 hits"
	end_of vmstop
	for i in 1 2 3; do : >>"counted-$i"; done
	has_line "common_pid: +$$ +\} hitcount: +5\$" "$events/syscalls/sys_enter_openat/hist" "none while it is paused"
	run dktrace trigger add sched:sched_process_exit enable_hist:syscalls:sys_enter_openat
	status_is 1 "the other one is refused"
	has_line 'the kernel keeps one of enable_hist and disable_hist for syscalls:sys_enter_openat' "$err" "in words"
	run dktrace trigger list
	has_line 'disable_hist:syscalls:sys_enter_openat' "$out" "the list has it"
	run dktrace trigger del all
	status_is 0 "all are deleted"
	run dktrace trigger add syscalls:sys_enter_openat hist:keys=nosuch
	status_is 1 "a key that is not there is refused"
	has_line "Couldn't find field" "$err" "with the kernel's words"
fi
limits >after
diff before after || fail "all is as before"

# Messages of Lustre: a class is a part of the records of one event.
set_param debug=0 debug=+net+info+rpctrace+dlmtrace
message=$(cd "$events" && ls -d lustre_debug/lustre_debug_msg dktrace/cdebug 2>/dev/null | head -n 1)
own=$(cat "$events/$message/filter")
run dktrace filter set info 'msg_fn == "emit_flood"'
status_is 0 "a filter on a class of messages"
same "($own) && (!(msg_mask & 0x40) || (msg_fn == \"emit_flood\"))" "$(cat "$events/$message/filter")" \
	"which leaves the other classes' messages alone"
emit catalogue "flood 10"
traced
grep -F '(emit.c:' got.raw >emitted
same 10 "$(count '^[0-9a-f]*:00000040:.*emit_flood' emitted)" "these of the class"
same 0 "$(grep '^[0-9a-f]*:00000040:' emitted | grep -vc emit_flood)" "no other of it"
at_least 8 "$(count '^[0-9a-f]*:00000200:' emitted)" "all of another"
dktrace filter clear
run dktrace trigger add net traceoff --filter 'msg_fn == "emit_pointers"'
status_is 0 "stop at a message"
# Lustre's messages come from one event, or from three if the calls of nested messages are probed.
has_line '^1 trigger on 1 event$|^3 triggers on 3 events$' "$out" "of the events of its class only messages have the field"
same 'traceoff:unlimited if (msg_mask & 0x200) && (msg_fn == "emit_pointers")' \
	"$(cat "$events/$message/trigger")" "at messages of the class only"
emit "flood 10"
same 1 "$(cat "$instance/tracing_on")" "others do not stop it"
emit catalogue
if [ "$own_stop" = 1 ]; then
	same 0 "$(cat "$instance/tracing_on")" "this one does"
	traced
	has_line 'emit_strings' got.raw "what came before it is there"
	no_line 'emit_console|cannot be masked' got.raw "what came after it is not"
fi
echo 1 >"$tracing/tracing_on"
dktrace trigger del all

# Killed in the middle, then reset: nothing is left.
dktrace reset
knobs >machine
set_param debug_sources=lustre+kernel debug=0 debug=+vfstrace
how_long dktrace trigger add vfstrace enable_event:sched:sched_switch
longest_trigger=$longest
how_long dktrace filter set all 'common_pid > 5'
longest_filter=$longest
dktrace trigger del all
dktrace filter clear
for i in 1 2 3 4; do
	[ $i -eq 1 ] || set_param debug_sources=lustre+kernel debug=0 debug=+vfstrace
	longest=$longest_trigger
	kill_change 'dktrace trigger del all' dktrace trigger add vfstrace enable_event:sched:sched_switch
	longest_trigger=$longest
	longest=$longest_filter
	kill_change 'dktrace filter clear' dktrace filter set all 'common_pid > 5'
	longest_filter=$longest
	run dktrace reset
	status_is 0 "reset after kill -9"
	knobs | diff machine - || fail "something is left"
done
