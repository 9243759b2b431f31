#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# stat: counts of known workloads on the running kernel, and those of perf.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

# 1,000 writes, and as many reads beside those that start the program.
copy=(dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none)

# Prints the count of an event. usage: count EVENT <JSON
count()
{
	jq --arg event "$1" '[.events[] | select(.event == $event).count] | add'
}

@test "stat counts each system call of a command, as perf does" {
	local events='raw_syscalls:*,syscalls:sys_enter_read,syscalls:sys_enter_write' perf

	run -0 --separate-stderr dktrace stat --json -e "$events" -- "${copy[@]}"
	same 1000 "$(count syscalls:sys_enter_write <<<"$output")" writes
	perf=$(perf stat -x, -e "$events" -- "${copy[@]}" 2>&1)
	for event in raw_syscalls:sys_enter raw_syscalls:sys_exit syscalls:sys_enter_read syscalls:sys_enter_write; do
		same "$(sed -n "s/^\([0-9]*\),,$event,.*/\1/p" <<<"$perf")" "$(count "$event" <<<"$output")" "$event"
	done
	same raw_syscalls:sys_enter "$(jq -r '.events[] | select(.event == "syscalls:sys_enter_write").ratio_to' <<<"$output")" \
		"ratio to"
}

@test "a command takes at least as long as it uses a CPU" {
	for _ in 1 2 3 4 5; do
		run -0 --separate-stderr dktrace stat --json -e task-clock -- true
		at_least "$(jq '.events[0].count' <<<"$output")" "$(jq .elapsed <<<"$output")" "elapsed, in ns"
	done
}

@test "stat counts what a command starts, too" {
	run -0 --separate-stderr dktrace stat --json -e syscalls:sys_enter_write -- \
		sh -c '"$@"; "$@" & wait; (exec "$@")' sh "${copy[@]}"
	same 3000 "$(count syscalls:sys_enter_write <<<"$output")" writes
}

@test "filters, exclusions and modifiers choose what is counted" {
	run -0 --separate-stderr dktrace stat --json \
		-e 'syscalls:sys_enter_write[count == 1],syscalls:sys_enter_write[count == 2],sys_enter_write:k' -- "${copy[@]}"
	same '[1000,0,1000]' "$(jq -c '[.events[].count]' <<<"$output")" counts
	run -0 --separate-stderr dktrace stat --json -e 'syscalls:sys_*_write,-sys_exit_write' -- "${copy[@]}"
	same '["syscalls:sys_enter_write"]' "$(jq -c '[.events[].event]' <<<"$output")" events
}

@test "a class counts the sum of its events" {
	run -0 --separate-stderr dktrace stat --json -e trace,raw_syscalls:sys_enter,raw_syscalls:sys_exit -- "${copy[@]}"
	same "$(jq '[.events[1:][].count] | add' <<<"$output")" "$(count trace <<<"$output")" "class trace"
	run -0 --separate-stderr dktrace stat --json --per-class -e 'raw_syscalls:*,dummy' -- "${copy[@]}"
	same '["dummy","trace"]' "$(jq -c '[.events[].event]' <<<"$output")" rows
	at_least 4000 "$(count trace <<<"$output")" "system calls"
	run -0 --separate-stderr dktrace stat --json -c hsm+trace -- true
	same '["not supported","counted"]' "$(jq -c '[.events | sort_by(.event)[].state]' <<<"$output")" states
}

@test "the rows of all CPUs are the whole count" {
	run -0 --separate-stderr dktrace stat --json --per-cpu -e syscalls:sys_enter_write -- \
		sh -c '"$@" & "$@" & "$@"; wait' sh "${copy[@]}"
	same 3000 "$(count syscalls:sys_enter_write <<<"$output")" writes
	same "$(getconf _NPROCESSORS_ONLN)" "$(jq '.events | length' <<<"$output")" CPUs
}

@test "the rows of all intervals are the whole count" {
	local long=("${copy[@]/count=1000/count=100000}")

	run -0 --separate-stderr dktrace stat --json --interval 10ms -e syscalls:sys_enter_write -- \
		sh -c '"$@"; "$@"; "$@"; "$@"; "$@"' sh "${long[@]}"
	same 500000 "$(jq -s '[.[].events[].count] | add' <<<"$output")" writes
	at_least 2 "$(jq -s length <<<"$output")" intervals
	same true "$(jq -s '[.[].time] | . == sort' <<<"$output")" "times in order"
	run -0 --separate-stderr dktrace stat --csv --interval 10ms -e syscalls:sys_enter_write -- \
		sh -c '"$@"; "$@"' sh "${long[@]}"
	same time,count,unit,per_second,ratio,ratio_to,ran,event,state "${lines[0]}" keys
	same 200000 "$(awk -F , '{ n += $2 } END { print n }' <<<"$output")" writes
}

@test "each run of --repeat counts the same" {
	run -0 --separate-stderr dktrace stat --json -r 3 -e syscalls:sys_enter_write -- "${copy[@]}"
	same '1000 0 3' "$(jq -r '"\(.events[0].count | round) \(.events[0].error | round) \(.runs)"' <<<"$output")" 'count, error, runs'
}

# Starts a process with two threads more that each write when the pipe go is opened. usage: start_writers
start_writers()
{
	mkfifo go end
	start python3 -c '
import threading
gate = threading.Event()
def work():
    gate.wait()
    with open("/dev/null", "wb", buffering=0) as null:
        for i in range(500):
            null.write(b"x")
threads = [threading.Thread(target=work) for i in range(2)]
for thread in threads:
    thread.start()
open("ready", "w").close()
open("go").close()
gate.set()
for thread in threads:
    thread.join()
open("written", "w").close()
open("end").close()
'
}

@test "stat counts in all threads of a process, with rows for each" {
	local writers threads counter

	cd "$tmp" || return
	start_writers
	writers=$pid
	until_true [ -e ready ]
	threads=$(ls "/proc/$writers/task" | sort)
	start dktrace stat --json --per-thread -p "$writers" -e 'syscalls:sys_enter_write[count == 1]' >out 2>err
	counter=$pid
	until_true grep -q Ctrl-C err
	: >go
	until_true [ -e written ]
	kill -INT "$counter"
	wait "$counter"
	: >end
	same 3 "$(jq '.events | length' out)" threads
	same 1000 "$(jq '[.events[].count] | add' out)" writes
	same 2 "$(jq '[.events[] | select(.count == 500)] | length' out)" "threads that wrote"
	same "$threads" "$(jq '.events[].tid' out | sort)" "their numbers"
	same true "$(jq '[.events[].comm | startswith("python3")] | all' out)" names
}

@test "stat --comm counts in the threads of that name" {
	local counter writers

	cd "$tmp" || return
	cp "$(readlink -f "$(command -v dd)")" dkt-stat-writer
	mkfifo gate
	start sh -c 'exec ./dkt-stat-writer if=gate of=/dev/null bs=1 status=none'
	writers=$pid
	until_true grep -q dkt-stat-writer "/proc/$writers/comm"
	start dktrace stat --json --comm 'dkt-stat-w*' -e syscalls:sys_enter_write >out 2>err
	counter=$pid
	until_true grep -q Ctrl-C err
	head -c 777 /dev/zero >gate
	wait "$writers"
	# It ends with the last of the threads.
	wait "$counter"
	same 777 "$(jq '.events[0].count' out)" writes
}

@test "stat of the machine counts on all CPUs until Ctrl-C" {
	start dktrace stat --json -e 'cpu-clock,syscalls:sys_enter_write' >"$tmp/out" 2>"$tmp/err"
	until_true grep -q 'counting until Ctrl-C' "$tmp/err"
	"${copy[@]}"
	kill -INT "$pid"
	wait "$pid"
	at_least 1000 "$(jq '.events[1].count' "$tmp/out")" writes
	same cpu-clock "$(jq -r .per_second_of "$tmp/out")" "rates are of"
	at_least "$(($(jq .elapsed "$tmp/out") / 2))" "$(jq '.events[0].count' "$tmp/out")" "the CPUs' time"
}

@test "a PMU of sysfs is counted by the names in its directory" {
	[ -e /sys/bus/event_source/devices/msr/events/tsc ] || skip "no PMU msr"
	run -0 --separate-stderr dktrace stat --json -e msr/tsc/,msr/event=0/ -- "${copy[@]}"
	same '["counted","counted"]' "$(jq -c '[.events[].state]' <<<"$output")" states
	at_least 1 "$(jq '[.events[].count] | min' <<<"$output")" ticks
}

@test "stat leaves no instance, and its reader may go away" {
	run bash -c 'dktrace stat --interval 0.01 --duration 0.5 -e cs | head -n 1'
	run -0 dktrace stat -- true
	same '' "$(own)" 'left behind'
}
