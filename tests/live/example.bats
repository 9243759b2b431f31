#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The example of libdktrace(3), as a reader would run it.

# shellcheck disable=SC2154 # set by bats and helper/live.bash
load ../helper/live

@test "follow prints an event as it happens and leaves nothing behind" {
	start "$build/examples/follow" syscalls sys_enter_mkdir 'mode == 0700' >"$tmp/out" 2>"$tmp/err"
	instance=$tracing/instances/follow-$pid
	until_true 300 grep -qsx 1 "$instance/events/syscalls/sys_enter_mkdir/enable"
	mkdir -m 755 "$tmp/b"
	mkdir -m 700 "$tmp/a"
	until_true 300 test -s "$tmp/out"
	kill -TERM "$pid"
	wait "$pid"
	cat "$tmp/out" "$tmp/err"
	has_line ' mkdir-.*sys_enter_mkdir: .*mode: 0x000001c0' "$tmp/out"
	no_line ' mkdir-.*mode: 0x000001[ef]' "$tmp/out"
	has_line '^cpu 0: [0-9]* seen, 0 lost$' "$tmp/err"
	gone "$instance"
}

@test "follow says what is wrong" {
	run -2 "$build/examples/follow"
	expect 1 "" "follow: this kernel has no event no:such" "$build/examples/follow" no such
	run -1 "$build/examples/follow" syscalls sys_enter_mkdir 'nofield == 1'
	has "$output" "Field not found"
	same '' "$(find "$tracing/instances" -maxdepth 1 -name 'follow-*')"
}
