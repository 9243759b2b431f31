#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# After kill -9 at any moment, the next command undoes the incomplete change, and nothing is left behind.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

# The instances that commands have created for themselves.
left()
{
	find "$tracing/instances" -maxdepth 1 -name "$DKTRACE_INSTANCE-*" -printf '%f\n' | sort
}

has_left()
{
	[ -n "$(left)" ]
}

# dktrace trigger sets the triggers in the kernel.
in_kernel()
{
	cat "$instance"/events/{raw_syscalls/sys_exit,sched/sched_switch}/trigger | grep -v '^#' || true
}

# Writes the file that a killed change leaves, with these lines added.
half_done()
{
	{
		sed '/^end$/d; /^recording/d' "$state/settings"
		printf '%s\n' "$@" end
	} >"$state/settings.before"
}

# A change that added a trigger on every system call was killed. usage: taken_back TRIGGER RECORDING
taken_back()
{
	half_done "placed raw_syscalls:sys_exit $1" "recording $2"
	echo "$1" >"$instance/events/raw_syscalls/sys_exit/trigger"
	cat /etc/passwd >/dev/null
	same "$((1 - $2))" "$(cat "$instance/tracing_on")" "recording, after the trigger acted"
	set_param debug=+ioctl
	same "" "$(in_kernel)" "triggers"
	same "$2" "$(cat "$instance/tracing_on")" "recording, as before"
}

@test "a killed change that added traceoff or traceon is undone" {
	only vfstrace
	taken_back traceoff 1
	dktrace stop
	taken_back traceon 0
}

@test "undoing another killed change keeps the recording stopped by an older trigger" {
	only vfstrace
	# A name that no other process has.
	dktrace trigger add sched:sched_process_exit traceoff --filter "comm == \"stop-$$\"" >/dev/null
	half_done 'recording 1'
	ln -s "$(command -v cat)" "$tmp/stop-$$"
	"$tmp/stop-$$" /dev/null
	same 0 "$(cat "$instance/tracing_on")" "stopped"
	set_param debug=+ioctl
	same 0 "$(cat "$instance/tracing_on")" "recording"
}

@test "undoing a killed change that added enable_event disables the event again" {
	only vfstrace
	dktrace trigger add syscalls:sys_enter_reboot enable_event:sched:sched_switch >/dev/null
	half_done 'placed raw_syscalls:sys_exit enable_event:sched:sched_switch' 'recording 1'
	echo enable_event:sched:sched_switch >"$instance/events/raw_syscalls/sys_exit/trigger"
	cat /etc/passwd >/dev/null
	same 1 "$(cut -c 1 "$instance/events/sched/sched_switch/enable")" "switched on by the trigger"
	set_param debug=+ioctl
	same "" "$(in_kernel)" "triggers"
	same 0 "$(cut -c 1 "$instance/events/sched/sched_switch/enable")" "the event"
}

@test "a command that was killed while recording was stopped: the next one starts recording" {
	only vfstrace
	mkdir -p "$state/spool"
	echo 0 >"$instance/tracing_on"
	printf own >"$state/spool/rest"
	set_param debug=+ioctl
	same 1 "$(cat "$instance/tracing_on")" "recording"
	gone "$state/spool/rest"
}

@test "the next change removes the instance of a killed latency" {
	only vfstrace
	start dktrace latency syscall -t 100000
	until_true has_left
	kill -9 "$pid"
	wait "$pid" || true
	name=$(left)
	run -0 dktrace status
	has "$output" "commands that were killed left $name ("
	same "$name" "$(dktrace status --json | jq -r .left_over | sed 's/ (.*//')" "as JSON"
	same "$name" "$(left)" "a look removes nothing"
	set_param debug=+ioctl
	same "" "$(left)" "left"
	same null "$(dktrace status --json | jq .left_over)" "left, as status says"
}

@test "after kill -9 at random, the next change leaves nothing behind and recording runs" {
	local i n=${DKT_TEST_KILLS:-40} hits=0

	for ((i = 0; i < n; i++)); do
		only vfstrace
		case $((i % 4)) in
		0) start dktrace latency syscall -t 100000 ;;
		1) start dktrace hist raw_syscalls:sys_exit --keys id -t 100000 ;;
		2) start lctl set_param -n debug=+ioctl+iotrace ;;
		3) start dktrace trigger add raw_syscalls:sys_exit traceoff ;;
		esac >/dev/null 2>&1
		at_random 200
		kill -9 "$pid" 2>/dev/null && hits=$((hits + 1))
		wait "$pid" 2>/dev/null || true
		# shellcheck disable=SC2034 # teardown ends what is in it
		pids=()
		set_param debug=+ha
		same "" "$(left)" "instances left by kill $i"
		gone "$state/settings.before"
		if [ "$(dktrace status --json | jq '.triggers | length')" = 0 ]; then
			same "" "$(in_kernel)" "triggers after kill $i"
		else
			dktrace trigger del all >/dev/null
		fi
		same 1 "$(cat "$instance/tracing_on")" "recording after kill $i"
	done
	echo "# $hits of $n were killed while they ran" >&3
}

@test "two resets at once remove what killed commands left, and both succeed" {
	local dead first

	sh -c : &
	dead=$!
	wait "$dead"
	for ((i = 1; i <= 30; i++)); do
		mkdir "$tracing/instances/$DKTRACE_INSTANCE-record-$dead-$i"
	done
	dktrace reset 2>/dev/null &
	first=$!
	dktrace reset
	wait "$first"
	[ -z "$(left)" ]
}
