#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The examples that read the kernel, built from the installed tree as a user would.

# shellcheck disable=SC2154 # set by bats and helper/live.bash
load ../helper/live
load ../helper/example

setup_file()
{
	install_library
}

# No test checks the kernel's name of a process: it can be the name before its exec.

@test "follow prints an event as it happens and leaves nothing behind" {
	build_example follow
	start "$example" syscalls sys_enter_mkdir 'mode == 0700' >"$tmp/out" 2>"$tmp/err"
	instance=$tracing/instances/follow-$pid
	until_true grep -qsx 1 "$instance/events/syscalls/sys_enter_mkdir/enable"
	mkdir -m 755 "$tmp/b"
	mkdir -m 700 "$tmp/a"
	until_true test -s "$tmp/out"
	kill -TERM "$pid"
	wait "$pid"
	cat "$tmp/out" "$tmp/err"
	has_line ' sys_enter_mkdir: .*mode: 0x000001c0' "$tmp/out"
	no_line 'mode: 0x000001[ef]' "$tmp/out"
	has_line '^cpu 0: [0-9]* seen, 0 lost$' "$tmp/err"
	gone "$instance"
}

@test "follow reports errors" {
	build_example follow
	run -2 "$example"
	expect 1 "" "follow: this kernel has no event no:such" "$example" no such
	# shellcheck disable=SC2016 # for the shell in there
	run -1 sh -c 'echo $$ >"$0" && exec "$@"' "$tmp/pid" "$example" syscalls sys_enter_mkdir 'nofield == 1'
	has "$output" "Field not found"
	gone "$tracing/instances/follow-$(cat "$tmp/pid")"
}

@test "epoll prints an event as JSON and leaves nothing behind" {
	build_example epoll
	start "$example" syscalls sys_enter_mkdir >"$tmp/out" 2>"$tmp/err"
	until_true eval 'grep -qsx 1 $tracing/instances/epoll-$pid-*/events/syscalls/sys_enter_mkdir/enable'
	mkdir -m 713 "$tmp/a"
	until_true grep -qs '"mode":459' "$tmp/out"
	kill -TERM "$pid"
	wait "$pid"
	same '' "$(cat "$tmp/err")"
	same sys_enter_mkdir "$(jq -r 'select(.fields.mode == 459) | .event' "$tmp/out")"
	same '' "$(find "$tracing/instances" -maxdepth 1 -name "epoll-$pid-*")"
}

@test "epoll reports errors" {
	build_example epoll
	run -2 "$example"
	expect 1 "" "epoll: there is no event no:such" "$example" no such
}

@test "selfprobe records the arguments of its own function" {
	[ -e $tracing/uprobe_events ] || skip "this kernel has no probes on programs"
	build_example selfprobe
	start "$example" >"$tmp/out"
	wait "$pid"
	cat "$tmp/out"
	same 2 "$(wc -l <"$tmp/out")"
	has_line ' work: .* number=1 name="one"$' "$tmp/out"
	has_line ' work: .* number=2 name="two"$' "$tmp/out"
	no_line "selfprobe_${pid}_" $tracing/uprobe_events
}
