#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# collect follow: lines of several hosts in one order while they come; unit/test_lines.c has clocks and delays.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/live
load ../helper/fleet

# Each host of the stand-in for ssh has a log of its own, which holds only what is written with "mark".
setup_hosts()
{
	make_ssh
	sed -i "2a export DKTRACE_INSTANCE=$DKTRACE_INSTANCE-\$1" "$ssh"
	cd "$tmp" || return
	on a set_param debug=0 >/dev/null
	on b set_param debug=0 >/dev/null
}

teardown()
{
	on a reset
	on b reset
	end_test
}

# Runs dktrace as on a host. usage: on HOST COMMAND...
on()
{
	DKTRACE_INSTANCE=$DKTRACE_INSTANCE-$1 dktrace "${@:2}"
}

# Follows both hosts, and waits until they are reached. usage: follow OPTION...
follow()
{
	start dktrace collect --ssh "$ssh" -w a,b follow "$@" >lines 2>err
	for host in a b; do
		on "$host" mark here
		until_true grep -q "$host.*here" lines
	done
}

# True if no far side of this test is left.
all_gone()
{
	local pid

	for pid in $(pgrep -x dktrace); do
		! tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -q "^DKTRACE_INSTANCE=$DKTRACE_INSTANCE" || return
	done
}

# Ends it as Ctrl-C does.
end_follow()
{
	kill -INT "$pid"
	wait "$pid"
}

@test "lines of all hosts come in the order of their times" {
	setup_hosts
	follow
	for n in 1 2 3 4 5 6; do
		on a mark "mark $n a"
		on b mark "mark $n b"
	done
	until_true grep -q 'mark 6 b' lines
	end_follow
	same "1 a 1 b 2 a 2 b 3 a 3 b 4 a 4 b 5 a 5 b 6 a 6 b" "$(sed -n 's/.*mark \([0-9] .\)$/\1/p' lines | xargs)"
	same 6 "$(grep -c '^a: [0-9a-f]*:.*mark . a$' lines)"
	has_line 'dktrace: a: Debug log: [0-9]+ lines' err
}

@test "in JSON the host is a key" {
	setup_hosts
	follow -S json
	end_follow
	same "a b" "$(grep here lines | jq -r .from | sort -u | xargs)"
}

@test "after a broken connection the lines go on" {
	setup_hosts
	follow
	break_connection a
	on a mark 'one meanwhile'
	until_true grep -q 'meanwhile' lines
	end_follow
	has "$(cat err)" "dktrace: a: connection broken; trying again"
	same 1 "$(grep -c meanwhile lines)"
	until_true all_gone
}

@test "it ends when nobody reads, and refuses what has no lines" {
	setup_hosts
	start sh -c 'dktrace collect --ssh "$1" -w a,b --delay 10ms follow; echo $? >status' sh "$ssh" > >(head -n 1 >first)
	until [ -e status ]; do
		on a mark there
	done
	same 141 "$(cat status)"
	has_line 'there$' first
	run -2 dktrace collect --ssh "$ssh" -w a follow -S csv
	has "$output" "a: --stamp takes the styles legacy, trace, raw and json"
	run -2 dktrace collect --ssh "$ssh" -w a -o dir follow
	has "$output" "collect: follow prints the lines of all hosts, without -o"
	run -2 dktrace collect --ssh "$ssh" -w a --delay none follow
	has "$output" "--delay: 'none' is not a number of seconds above 0"
}
