#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# stat: options, messages, forms of output, and what a user may count. live/stat.bats has counts.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

# usage: wrong MESSAGE OPTION...
wrong()
{
	expect 2 "" "dktrace: $1" dktrace stat "${@:2}"
}

needs_events()
{
	dktrace stat -e dummy:u -- true >/dev/null 2>&1 || skip "perf_event_open(2) is refused here"
}

needs_root()
{
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

@test "stat refuses options that exclude each other" {
	wrong "stat: cannot combine --pid, --comm and a command; give one of them" -p 1 -- true
	wrong "stat: cannot combine --pid, --comm and a command; give one of them" --comm dd -- true
	wrong "stat: cannot combine --pid, --comm and a command; give one of them" -p 1 --comm dd
	wrong "stat: cannot combine --per-cpu and --per-thread" --per-cpu --per-thread
	wrong "stat: --per-thread is for threads that exist already: those of --pid, of --comm, or all" \
		--per-thread -- true
	wrong "stat: --per-class needs --event or --class" --per-class
	wrong "stat: --repeat needs a command" -r 3
	wrong "stat: cannot combine --repeat and --interval" -r 3 --interval 1 -- true
	wrong "--repeat: 0 is not a number of runs" -r 0 -- true
	wrong "stat: 'ls' is not an option; a command comes after --: dktrace stat -- COMMAND" ls -- true
	wrong "--interval: '0' is not a number of seconds above 0; units are ns, us, ms, s, m, h and d" --interval 0
}

@test "stat names the word that is no event, and a similar one" {
	wrong "'cpu/cycles' has no second slash; write PMU/EVENT/" -e cpu/cycles -- true
	wrong "context-switches:u: it happens in the kernel, so that there is nothing to count without the kernel; write it without modifiers" \
		-e context-switches:u -- true
	expect 1 "" "dktrace: nopmu/x/: this machine has no PMU 'nopmu'" dktrace stat -e nopmu/x/ -- true
	needs_root
	[ -d /sys/kernel/tracing/events/sched ] || skip "needs tracefs"
	expect 1 "" "dktrace: there is no event or class 'cycels'; did you mean cycles?" dktrace stat -e cycels -- true
	expect 1 "" "dktrace: there is no event or class 'iotrce'; did you mean iotrace?" dktrace stat -e iotrce -- true
	expect 1 "" "dktrace: no event matches 'sched:sched_swich'; did you mean sched:sched_switch?" \
		dktrace stat -e sched:sched_swich -- true
}

@test "stat passes on the command's exit status" {
	needs_events
	run -0 dktrace stat -e task-clock:u -- true
	run -7 dktrace stat -e task-clock:u -- sh -c 'exit 7'
	run -143 dktrace stat -e task-clock:u -- sh -c 'kill $$'
	run -127 dktrace stat -e task-clock:u -- /nonexistent
	# Several runs have the status of the first that failed.
	echo 0 >"$BATS_TEST_TMPDIR/n"
	# shellcheck disable=SC2016 # for another shell
	run -2 dktrace stat -r 4 -e task-clock:u -- sh -c 'n=$(cat "$0"); echo $((n + 1)) >"$0"; [ $n != 2 ] || exit 2; [ $n != 3 ] || exit 3' \
		"$BATS_TEST_TMPDIR/n"
	same 4 "$(cat "$BATS_TEST_TMPDIR/n")" runs
}

@test "stat --json has an object with times, and a row for each event" {
	needs_events
	run -0 --separate-stderr dktrace stat --json -e task-clock:u,page-faults:u,dummy:u -- true
	same '["elapsed","user","system","runs","per_second_of","events"]' "$(jq -c 'keys_unsorted' <<<"$output")" members
	same '["event","count","unit","per_second","ratio","ratio_to","ran","state"]' \
		"$(jq -c '.events[0] | keys_unsorted' <<<"$output")" columns
	same '["task-clock:u","page-faults:u","dummy:u"]' "$(jq -c '[.events[].event]' <<<"$output")" events
	same '["ns",null,null]' "$(jq -c '[.events[].unit]' <<<"$output")" units
	same '[true,true,true]' "$(jq -c '[.events[].state == "counted"]' <<<"$output")" states
	same 'task-clock:u elapsed 1' "$(jq -r '"\(.per_second_of) \(.events[0].ratio_to) \(.runs)"' <<<"$output")" words
	same 0 "$(jq '.events[2].count' <<<"$output")" "count of dummy"
	same true "$(jq '.events[0].count > 0 and .events[1].count > 0 and .elapsed >= .events[0].count' <<<"$output")" counts
}

@test "stat --csv is one table" {
	needs_events
	run -0 --separate-stderr dktrace stat --csv -e page-faults:u,dummy:u -- true
	same 'event,count,unit,per_second,ratio,ratio_to,ran,state' "${lines[0]}" keys
	has "${lines[1]}" page-faults:u,
	has "${lines[2]}" dummy:u,0,,0.0,,,1.0,counted
	same 3 "${#lines[@]}" lines
}

@test "stat --repeat prints means and the error of the mean" {
	needs_events
	run -0 --separate-stderr dktrace stat -r 3 -e page-faults:u,dummy:u -- true
	has_words='^EVENT +COUNT \+-\(%\) PER SECOND$'
	grep -qE "$has_words" <<<"$output"
	grep -qE '^dummy:u +0 +0\.00 +0\.0$' <<<"$output"
	grep -qE '^elapsed .* \+- [0-9.]+ %$' <<<"$output"
	run -0 --separate-stderr dktrace stat -r 3 --json -e page-faults:u -- true
	same '3 true' "$(jq -r '"\(.runs) \(.events[0].error >= 0)"' <<<"$output")" 'runs and error'
}

@test "an event that this machine does not have is a row without a count" {
	needs_events
	run -0 --separate-stderr dktrace stat --json -e r1ff:u,dummy:u -- true
	[ "$(jq -r '.events[0].state' <<<"$output")" != counted ] || skip "this machine has hardware counters"
	same '[null,0]' "$(jq -c '[.events[].count]' <<<"$output")" counts
	same '["not supported","counted"]' "$(jq -c '[.events[].state]' <<<"$output")" states
	run -0 --separate-stderr dktrace stat -e r1ff:u -- true
	grep -qE '^r1ff:u +not supported' <<<"$output"
}

@test "stat prints rows for each CPU, the command's output first" {
	needs_events
	run -0 --separate-stderr dktrace stat --per-cpu --csv -e dummy:u -- echo out
	same out "${lines[0]}" "the command's output"
	same cpu,event,count,unit,per_second,ratio,ratio_to,ran,state "${lines[1]}" keys
	same "$(getconf _NPROCESSORS_ONLN)" "$((${#lines[@]} - 2))" CPUs
}

@test "without privileges, stat counts what it may, and says what it leaves out" {
	needs_root
	needs_events
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2"
	run -0 --separate-stderr nobody dktrace stat --json -- true
	same '["task-clock:u","context-switches","cpu-migrations","page-faults:u"]' \
		"$(jq -c '[.events[:4][].event]' <<<"$output")" events
	same '["counted","not permitted","not permitted","counted"]' "$(jq -c '[.events[:4][].state]' <<<"$output")" states
	same "dktrace: what happens in the kernel is not counted: kernel.perf_event_paranoid is above 1; run as root, or with cap_perfmon" \
		"$stderr" message
	run -0 --separate-stderr nobody dktrace stat -e task-clock:u,page-faults:u -- true
	same "" "$stderr" "message for what is allowed"
}

@test "without privileges, stat says which setting or capability would do" {
	needs_root
	needs_events
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] || skip "kernel.perf_event_paranoid is not 2"
	run -1 --separate-stderr nobody dktrace stat -e task-clock -- true
	has "$stderr" "open task-clock: Permission denied: kernel.perf_event_paranoid is 2, and the kernel can be measured without privileges up to 1"
	has "$stderr" "cap_perfmon"
	has "$stderr" "; or count your own programs only: task-clock:u"
	run -1 --separate-stderr nobody dktrace stat
	has "$stderr" "all processes can be measured without privileges up to 0"
	lacks "$stderr" "your own programs only"
	run -1 --separate-stderr nobody dktrace stat -p 1
	has "$stderr" "process 1 belongs to another user"
	run -1 --separate-stderr nobody dktrace stat -e sched:sched_switch -- true
	has "$stderr" "/sys/kernel/tracing (owner root, mode 0700)"
	run -1 --separate-stderr nobody dktrace stat -e task-clok -- true
	has "$stderr" "'task-clok' is neither a hardware nor a software event; did you mean task-clock?"
}

@test "stat names processes and threads that do not exist" {
	expect 1 "" "dktrace: there is no process 2147483647" dktrace stat -p 2147483647
	expect 1 "" "dktrace: no thread is named 'no-such-name' now" dktrace stat --comm no-such-name
}
