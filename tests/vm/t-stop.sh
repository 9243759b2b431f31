# SPDX-License-Identifier: LGPL-2.1-or-later
# stop, start and traceoff while functions are recorded in the instance or in the borrowed top instance.
# modules: null_blk
# shellcheck shell=sh disable=SC2154

# A program of that name ends.
end_of()
{
	cp /bin/busybox "$1"
	"./$1" 2>/dev/null
}

# Prints tracing_on of the log's instance and of the instance with the tracer.
both()
{
	echo "$(cat "$instance/tracing_on") $(cat "$where/tracing_on")"
}

# Prints the number of records of functions, read or not.
functions()
{
	cat "$where"/per_cpu/cpu*/stats | awk '/^(entries|overrun|read events):/ { n += $NF } END { print n }'
}

# stopped WHY: checks that both have stopped, that status shows it, and that the records stay.
stopped()
{
	same "0 0" "$(both)" "$1 stops both"
	run dktrace status
	has_line '^instance .* \(stopped: tracing_on is 0; dktrace start sets it\)' "$out" "which status says"
	n=$(functions)
	use_disk
	same "$n" "$(functions)" "nothing is recorded any more"
}

triggers()
{
	cat $tracing/events/*/*/trigger | grep -v '^#'
}

global()
{
	(cd "$tracing" && cat current_tracer trace_clock buffer_size_kb tracing_on set_ftrace_filter set_event)
	triggers
}

echo 1408 >$tracing/buffer_size_kb
global >before
set_param debug=+trace subsystem_debug=echo debug_mb=20
where=$instance
grep -qw function_graph "$instance/available_tracers" || where=$tracing
echo "function_graph in $where"
same function_graph "$(cat "$where/current_tracer")" "the tracer is on" || exit
use_disk

run dktrace stop
status_is 0 "stop"
stopped stop
run dktrace start
same "1 1" "$(both)" "start starts both"
n=$(functions)
use_disk
at_least "$((n + 20))" "$(functions)" "functions are recorded again"

# Stop one of the two by hand.
if [ "$where" = "$tracing" ]; then
	echo 0 >"$instance/tracing_on"
	run dktrace status
	has_line '\(stopped, but the top instance still records entry and exit of functions; dktrace stop' "$out" \
		"status says what goes on"
	run dktrace status --json
	same "false true" "$(json .recording .recording_top <"$out" | xargs)" "as JSON too"
	run dktrace stop
	same "0 0" "$(both)" "which stop stops"
	echo 1 >"$instance/tracing_on"
	run dktrace status
	has_line '\(recording, but no entry and exit of functions: tracing_on of the top instance is 0' "$out" \
		"and what does not"
	# Any change makes them alike again.
	set_param debug=+vfstrace
	same "1 1" "$(both)" "a change makes them alike"
fi
run dktrace start

# A trigger that comes after the tracer, and again.
run dktrace trigger add sched:sched_process_exit traceoff --filter 'comm == "vmstop"'
status_is 0 "traceoff"
use_disk
end_of vmstop
stopped traceoff
run sh -c 'dktrace show >show.txt'
at_least 20 "$(grep -Fc '(null_blk:0:null_' show.txt)" "show has the functions up to it"
run dktrace trigger rearm
same "1 1" "$(both)" "rearm starts both"
use_disk
end_of vmstop
stopped "the trigger, rearmed,"
# A change of something else leaves it stopped.
set_param debug_mb=24
same "0 0" "$(both)" "a change of the size starts neither"
set_param debug=+ioctl
same "0 0" "$(both)" "a change of debug starts neither"
run dktrace start

# The tracer goes and comes, and the trigger with it; a log that is stopped stays so.
set_param debug=-trace
triggers >left
same '' "$(cat left)" "the top instance has no trigger of ours"
run dktrace stop
set_param debug=+trace
same "0 0" "$(both)" "a tracer that comes back records nothing while the log is stopped"
run dktrace start
same "1 1" "$(both)" "until it is started"
use_disk
end_of vmstop
stopped "a trigger that came before the tracer"
run dktrace trigger del all
same "1 1" "$(both)" "deleted: both record"
triggers >left
[ "$where" = "$instance" ] || same '' "$(cat left)" "the top instance has no trigger any more"

# A trigger with a count acts exactly that often.
run dktrace trigger add sched:sched_process_exit traceoff:1 --filter 'comm == "vmstop"'
end_of vmstop
stopped "a trigger with a count"
run dktrace start
set_param debug=-trace
set_param debug=+trace
end_of vmstop
same "1 1" "$(both)" "a trigger that has acted does not act again"

# Killed, then reset: nothing is left of it.
run dktrace trigger rearm
run dktrace trigger add raw_syscalls:sys_exit traceoff --filter 'id == 99999'
how_long dktrace trigger rearm
longest_rearm=$longest
how_long lctl set_param debug=-trace
longest_change=$longest
lctl set_param debug=+trace >/dev/null 2>&1
for _ in 1 2 3 4; do
	longest=$longest_rearm
	kill_change true dktrace trigger rearm
	longest_rearm=$longest
	longest=$longest_change
	kill_change 'lctl set_param debug=+trace' lctl set_param debug=-trace
	longest_change=$longest
	run lctl set_param debug=+trace
	same "1 1" "$(both)" "both record after kill -9"
done
run dktrace reset
status_is 0 "reset"
global | diff before - || fail "the top instance is as it was, without a trigger"
