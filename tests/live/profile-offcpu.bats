#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# profile --off-cpu: what it records, that it is what programs measure themselves, and who ends the waits.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

target=$build/tests/tools/wall-target
# A command that runs the program elsewhere.
on=

teardown()
{
	end_test
}

# Records the program, whose output goes to $tmp/clocks. usage: record_target SECONDS OPTION...
record_target()
{
	local seconds=$1

	shift
	run -0 --separate-stderr dktrace profile --off-cpu "$@" -o "$tmp/off.data" -- \
		sh -c 'exec $3 "$0" "$1" "$2/file" >"$2/clocks"' "$target" "$seconds" "$tmp" "$on"
	lacks "$stderr" lost
}

# On an idle machine the shares differ by less than 2 points. The program's clocks and ours do not see a preemption at the
# same time, and a busy machine makes many.
points=6

# Compares the shares within the time that the program measures. usage: compare FILE POINTS
compare()
{
	dktrace profile --off-cpu --comm wall-target --since "$(awk '$1 == "since" { print $2 }' "$tmp/clocks")" \
		--until "$(awk '$1 == "until" { print $2 }' "$tmp/clocks")" --style folded "$1" >"$tmp/folded"
	"$BATS_TEST_DIRNAME/../tools/compare-wall" "$tmp/clocks" "$tmp/folded" "$2"
}

@test "the shares of running and of each wait are those that the program measures" {
	record_target 4 -F 999
	compare "$tmp/off.data" $points
}

@test "the same of the whole machine" {
	start dktrace profile --off-cpu -F 999 -o "$tmp/machine.data"
	until_true test -s "$tmp/machine.data"
	"$target" 4 "$tmp/file" >"$tmp/clocks"
	kill -INT "$pid"
	wait "$pid"
	compare "$tmp/machine.data" $points
}

@test "who ends the wait for a lock is shown, in the table and in the stacks" {
	# The timer that wakes the holder interrupts an idle CPU, and some virtual machines record that of the first CPU alone.
	on='taskset -c 0' record_target 1
	has "$output" 'wall_c'
	has "$output" 'woken by wall-holder: '
	run -0 dktrace profile --off-cpu --wakers 2 --style folded "$tmp/off.data"
	has "$output" ';wall_c;'
	[[ $output =~ ^.*wall-target\;lock\;[^$'\n']*\;wall_c\;[^$'\n']*\;--\;[^$'\n']*\;wall-holder\;--\;.* ]]
}

@test "perf reads the file" {
	perf --version >/dev/null 2>&1 || skip "needs perf"
	record_target 1
	perf script -i "$tmp/off.data" >"$tmp/script" 2>"$tmp/err"
	same '' "$(cat "$tmp/err")" 'complaints of perf script'
	at_least 10 "$(grep -c 'sched:sched_switch: .*prev_comm=wall-target' "$tmp/script")" switches
	at_least 10 "$(grep -c 'sched:sched_waking: .*comm=wall-target' "$tmp/script")" wakeups
	perf report -i "$tmp/off.data" --stdio -g none >/dev/null 2>"$tmp/err"
	same '' "$(cat "$tmp/err")" 'complaints of perf report'
}

@test "a recording of perf shows the waits, too" {
	perf --version >/dev/null 2>&1 || skip "needs perf"
	perf record -q -a -g -m 1024 -o "$tmp/perf.data" -e cpu-clock -e sched:sched_switch -e sched:sched_waking \
		-- "$target" 1 "$tmp/file" >"$tmp/clocks"
	run dktrace profile --off-cpu --comm wall-target --style folded "$tmp/perf.data"
	has "$output" 'wall-target;lock;'
	has "$output" 'wall-target;running;'
}

@test "classes of threads are names of threads" {
	# They may have nothing to do.
	run dktrace profile --off-cpu -c kworker --duration 0.2 -o "$tmp/off.data"
	lacks "$output" "is no class"
	run -2 --separate-stderr dktrace profile -c iotrace --duration 0.2
	has "$stderr" "'iotrace' is no class of threads; the classes are ost, mds"
}

@test "the time of slow calls is shown alone" {
	# Other tests sleep meanwhile, too.
	cp "$(command -v sleep)" "$tmp/slow-call"
	dktrace record --all --stack sched_switch -e 'sched:*,raw_syscalls:*' -o "$tmp/calls.dat" -- "$tmp/slow-call" 0.1
	run -0 --separate-stderr dktrace profile --off-cpu --comm slow-call --interval syscall --took '>90ms' --json "$tmp/calls.dat"
	jq -e '.intervals == 1 and .threads == 1 and .weight > 90e6 and .groups[0].sleeping > 0' <<<"$output"
	run -0 dktrace profile --off-cpu --comm slow-call --interval syscall "$tmp/calls.dat"
	has "$output" "'syscall' of 1 thread, together "
	has "$output" nanosleep
	run -1 dktrace profile --off-cpu --interval syscall --took '>1000s' "$tmp/calls.dat"
	same "dktrace: $tmp/calls.dat has no 'syscall' that takes such a time" "$output"
	run -1 dktrace profile --off-cpu --interval nfsd "$tmp/calls.dat"
	same "dktrace: $tmp/calls.dat has no records of 'nfsd'; record its events, too: -e sunrpc:svc_process -e sunrpc:svc_send" "$output"
}
