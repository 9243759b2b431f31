#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# flight: dumps by command, by signal and by an event, nothing twice, a killed process, limits.
# shellcheck disable=SC2154

load ../helper/live

# Programs by names that no other process has: their events are recorded, or make dumps.
stty=stty-$$
shell=sh-$$
ioctls="syscalls:sys_enter_ioctl[COMM == \"$stty\"]"
chdir="syscalls:sys_enter_chdir[COMM == \"$shell\"]"
# The kernel notes no name while another CPU notes one: then it is <...>, or that of an earlier process.
by_shell="syscalls:sys_enter_chdir by [^ ]+-[0-9]+"

flight()
{
	dktrace flight "$@"
}

# An event that makes a dump.
incident()
{
	ln -sf "$(command -v sh)" "$tmp/$shell"
	"$tmp/$shell" -c 'cd /'
}

# The events that an ioctl of stty makes. usage: cause [COUNT]
cause()
{
	local i

	ln -sf "$(command -v stty)" "$tmp/$stty"
	for ((i = 0; i < ${1:-1}; i++)); do
		"$tmp/$stty" </dev/null 2>/dev/null || true
	done
}

start_ioctl()
{
	flight start -e "$ioctls" --size 1M --dir "$tmp" "$@" 3>&-
}

recorder()
{
	flight status --json | jq -r .pid
}

# Waits until there are N dumps, and a last reason.
has_dumps()
{
	[ "$(flight status --json | jq '.dumps | length')" -ge "$1" ]
}

# True if there is a dump whose reason matches. usage: has_reason ERE
has_reason()
{
	flight status --json | jq -r '.dumps[].reason' | grep -qE "$1"
}

count()
{
	dktrace report "$1" --event sys_enter_ioctl 2>/dev/null | wc -l
}

@test "flight: a dump has the reason, and no record is dumped twice" {
	start_ioctl
	cause
	run -0 --separate-stderr flight dump 'a test'
	[[ "$output" == "$tmp"/flight-*.dat ]]
	first=$output
	[ "$(count "$first")" -gt 0 ]
	run -0 --separate-stderr dktrace report "$first"
	[[ "$output" == *'flight dump: a test'* ]]
	run -0 --separate-stderr trace-cmd report -i "$first"
	[[ "$output" == *sys_enter_ioctl* && "$output" == *'flight dump: a test'* ]]
	cause 3
	second=$(flight dump 2>/dev/null)
	[ "$second" != "$first" ]
	one=$(count "$first")
	[ "$(count "$second")" -eq $((3 * one)) ]
	flight stop
	[ -z "$(own)" ]
	run -1 flight status
	[[ "$output" == *'no flight recorder was started'* ]]
}

@test "flight: groups have buffers of their own, and files have all of them" {
	flight start --group calls="$ioctls" --group all=raw_syscalls:sys_enter \
		--size 64K --dir "$tmp" 3>&-
	cause
	dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none
	run -0 flight status
	[[ "$output" == *calls* && "$output" == *raw_syscalls:sys_enter* ]]
	run -0 --separate-stderr flight dump
	[ "$(count "$output")" -gt 0 ]
	# A machine in use can overwrite so small a buffer while it is read, which is a loss.
	run --separate-stderr dktrace report "$output" --event raw_syscalls:sys_enter
	[[ "$status" == [03] && -n "$output" ]]
}

@test "flight: a second one is refused; a signal makes a dump" {
	start_ioctl
	run -1 start_ioctl
	[[ "$output" == *'running already, process '"$(recorder)"* ]]
	cause
	kill -USR1 "$(recorder)"
	until_true has_dumps 1
	[ "$(flight status --json | jq -r '.dumps[0].reason')" = SIGUSR1 ]
	kill "$(recorder)"
	until_true gone
}

@test "flight: an event makes a dump, at most so many an hour" {
	# shellcheck disable=SC2016
	start_ioctl --when "$chdir" --max-dumps 1 \
		--exec 'cd "${DKTRACE_FLIGHT_FILE%/*}"; (yes; echo $? >yes) | head -n 1; echo "$DKTRACE_FLIGHT_REASON" >done'
	cause
	incident
	until_true has_dumps 1
	until_true test -s "$tmp/done"
	grep -qE "$by_shell" "$tmp/done"
	# The command's signals are as ever: SIGPIPE ends it.
	[ "$(cat "$tmp/yes")" = 141 ]
	file=$tmp/$(flight status --json | jq -r '.dumps[0].file')
	[ "$(count "$file")" -gt 0 ]
	incident
	suppressed()
	{
		[ "$(flight status --json | jq .suppressed)" -gt 0 ]
	}
	until_true suppressed
	[ "$(flight status --json | jq '.dumps | length')" -eq 1 ]
}

@test "flight: a latency makes a dump" {
	start_ioctl --when 'fsync > 1h' --when 'fsync > 1ns' --when "$chdir" --max-dumps 1000
	cause
	# Other processes may call fsync, too, and one dump is for all that happens until it is made.
	tried=none
	slow()
	{
		start dd if=/dev/zero of="$tmp/file" bs=1 count=1 conv=fsync status=none
		wait "$pid"
		# The kernel may not know its name any more.
		tried+="|$pid"
		has_reason "^fsync took .* ms: .*-($tried)\$"
	}
	until_true slow
	moved()
	{
		incident
		has_reason sys_enter_chdir
	}
	until_true moved
}

@test "flight: a condition on system calls is for the programs of --comm, and its reason names the call" {
	flight start -e sys_enter_ioctl --comm "$shell" --when 'chdir,write > 1ns' --max-dumps 1000 --size 1M --dir "$tmp" 3>&-
	called()
	{
		# shellcheck disable=SC2016
		"$tmp/$shell" -c 'cd /; echo $$' >>"$tmp/pids"
		has_reason "^$1 took [0-9.]+ ms: "
	}
	# The reasons of other processes: a name may be that of an earlier process of the same number.
	others()
	{
		sed 's/.*/^(chdir|write) took [0-9.]+ ms: .*-&$/' "$tmp/pids" >"$tmp/ours"
		flight status --json | jq -r '.dumps[].reason' | grep ' took ' | grep -vEf "$tmp/ours"
	}
	ln -sf "$(command -v sh)" "$tmp/$shell"
	until_true called chdir
	# Other programs write all the time.
	"$BASH" -c 'echo line' >/dev/null
	run -1 others
	kill "$(recorder)"
	until_true gone
}

@test "flight: after kill -9 the instances record on, and can be dumped" {
	start_ioctl
	kill -9 "$(recorder)"
	until_true killed
	cause
	run -1 flight status
	[[ "$output" == *'the process was killed'* ]]
	run -1 start_ioctl
	[[ "$output" == *"'dktrace flight dump'"* ]]
	run -0 --separate-stderr flight dump
	[ "$(count "$output")" -gt 0 ]
	dktrace reset
	[ -z "$(own)" ]
}

@test "flight: reset refuses while a recorder runs, and ends it with --all" {
	start_ioctl
	pid=$(recorder)
	expect 1 "" "dktrace: a flight recorder is running, process $pid; 'dktrace flight stop' ends it
dktrace: reset: nothing was removed; --all ends what runs" dktrace reset
	same "$pid" "$(recorder)" "the recorder"
	expect 0 "" "dktrace: ended a flight recorder, process $pid" dktrace reset --all
	[ -z "$(own)" ]
}

gone()
{
	[ -z "$(own)" ]
}

killed()
{
	[ "$(recorder)" = null ]
}

@test "flight: a directory that vanishes costs no records" {
	mkdir "$tmp/d"
	flight start -e "$ioctls" --size 1M --dir "$tmp/d" 3>&-
	cause
	rmdir "$tmp/d"
	run -1 flight dump
	[[ "$output" == *"$tmp/d: No such file or directory"* ]]
	run -0 flight status
	[[ "$output" == *'the last dump failed'* ]]
	mkdir "$tmp/d"
	run -0 --separate-stderr flight dump
	[ "$(count "$output")" -gt 0 ]
	[ "$(flight status --json | jq .error)" = null ]
}

@test "flight: the oldest dumps are deleted, other files stay" {
	touch "$tmp/flight-mine.dat" "$tmp/other"
	start_ioctl --max-size 1
	first=$(flight dump 2>/dev/null)
	second=$(flight dump 2>/dev/null)
	[ ! -e "$first" ]
	[ -e "$second" ]
	[ -e "$tmp/flight-mine.dat" ]
	[ -e "$tmp/other" ]
}

@test "flight: conditions that can never hold are refused" {
	for when in 'nosuch:event' 'syscalls:sys_enter_chdir[nofield == 1]' 'nopair > 1s' \
		'fsync > 5' 'fsync > soon' '> 5ms' 'message evict'; do
		case $when in
		'fsync >'* | '>'*) run -2 start_ioctl --when "$when" ;;
		*) run -1 start_ioctl --when "$when" ;;
		esac
		[[ "$output" == *--when* ]]
		[ -z "$(own)" ]
	done
}

@test "flight: stop makes a last dump" {
	start_ioctl
	cause
	run -0 --separate-stderr flight stop --dump
	[ "$(count "$output")" -gt 0 ]
	[ -z "$(own)" ]
}

@test "flight: stop makes the dump of an incident that waits for it" {
	start_ioctl --when "$chdir" --after 1h
	cause
	# The first one waits for its dump, and others join it.
	merged()
	{
		incident
		[ "$(flight status --json | jq .merged)" -gt 0 ]
	}
	until_true merged
	has "$(flight status)" ' into the dump of an earlier incident'
	flight stop
	run -0 --separate-stderr dktrace report "$tmp"/flight-*.dat
	grep -qE "flight dump: $by_shell" <<<"$output"
	[ "$(count "$tmp"/flight-*.dat)" -gt 0 ]
}

@test "flight: stops and starts at once take turns, and none ends another's command" {
	start_ioctl
	for i in 1 2 3 4 5; do
		start dktrace flight stop
		start dktrace flight start -e "$ioctls" --size 1M --dir "$tmp"
	done 2>"$tmp/err" 3>&-
	for i in "${pids[@]}"; do
		status=0
		wait "$i" || status=$?
		# 1: none was running, or one was running already.
		[ "$status" -le 1 ]
	done
	pids=()
	flight stop || true
	[ ! -e "/run/dktrace/.flight-$DKTRACE_INSTANCE" ]
}

@test "flight: probes and stacks beside conditions" {
	[ -e $tracing/uprobe_events ] || skip "this kernel has no probes on programs"
	# Other tests run the same program.
	cp "$tools/probe-target" "$tmp/probe-target"
	start_ioctl --probe "target --exec $tmp/probe-target" --stack syscalls:sys_enter_ioctl \
		--when "$chdir" --when 'fsync > 1h'
	cause
	"$tmp/probe-target" 2 >/dev/null
	incident
	until_true has_dumps 1
	run -0 --separate-stderr dktrace report "$tmp/$(flight status --json | jq -r '.dumps[0].file')"
	[[ "$output" == *sys_enter_ioctl*stack* && "$output" == *target:* ]]
	flight stop
	[ -z "$(own)" ]
	! grep -q "${DKTRACE_INSTANCE//-/_}" "$tracing/uprobe_events"
}
