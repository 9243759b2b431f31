#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The example of libdktrace(3), as a reader would run it.
bats_require_minimum_version 1.5.0

setup()
{
	build=${DKT_BUILD:-$BATS_TEST_DIRNAME/../../build}
}

@test "follow prints an event as it happens and leaves nothing behind" {
	"$build/examples/follow" syscalls sys_enter_mkdir 'mode == 0700' \
		>"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
	pid=$!
	for _ in $(seq 50); do
		[ "$(cat "/sys/kernel/tracing/instances/follow-$pid/events/syscalls/sys_enter_mkdir/enable" 2>/dev/null)" = 1 ] && break
		sleep 0.1
	done
	mkdir -m 700 "$BATS_TEST_TMPDIR/a"
	mkdir -m 755 "$BATS_TEST_TMPDIR/b"
	for _ in $(seq 50); do
		[ -s "$BATS_TEST_TMPDIR/out" ] && break
		sleep 0.1
	done
	kill -TERM "$pid"
	wait "$pid"
	cat "$BATS_TEST_TMPDIR"/out "$BATS_TEST_TMPDIR"/err
	grep -q ' mkdir-.*sys_enter_mkdir: .*mode: 0x000001c0' "$BATS_TEST_TMPDIR/out"
	run ! grep -q ' mkdir-.*mode: 0x000001[ef]' "$BATS_TEST_TMPDIR/out"
	grep -q '^cpu 0: [0-9]* seen, 0 lost$' "$BATS_TEST_TMPDIR/err"
	[ ! -e "/sys/kernel/tracing/instances/follow-$pid" ]
}

@test "follow says what is wrong" {
	run -2 "$build/examples/follow"
	run -1 "$build/examples/follow" no such
	[ "$output" = "follow: this kernel has no event no:such" ]
	run -1 "$build/examples/follow" syscalls sys_enter_mkdir 'nofield == 1'
	[[ $output == *"Field not found"* ]]
	[ -z "$(find /sys/kernel/tracing/instances -maxdepth 1 -name 'follow-*')" ]
}
