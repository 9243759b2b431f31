#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# CPUs that are offline when the log begins, come online, and go offline.
# No other test may run meanwhile: it could need the CPU.
# bats file_tags=alone
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

setup_file()
{
	local cpu

	cpu=$(sed 's/.*[-,]//' /sys/devices/system/cpu/online)
	export CPU=$cpu ONLINE=/sys/devices/system/cpu/cpu$cpu/online
}

# Keep this short: other processes need the CPU.
offline()
{
	[ "$CPU" != 0 ] || skip "this machine has one CPU"
	[ -w "$ONLINE" ] || skip "$ONLINE cannot be written"
	(echo 0 >"$ONLINE") 2>"$tmp/refused" || skip "the kernel keeps CPU $CPU online"
}

online()
{
	[ ! -w "$ONLINE" ] || echo 1 >"$ONLINE"
}

teardown()
{
	online
	end_test
}

writes()
{
	taskset -c "$CPU" dd if=/dev/zero of=/dev/null bs="$2" count="$1" status=none
}

count_writes()
{
	grep -c "sys_enter_write()) .*count: 0x0*$(printf %x "$2")\$" "$1" || true
}

@test "a CPU that is offline when the log begins is empty until it comes online" {
	offline
	set_param debug=+vfstrace
	only_ours
	run --separate-stderr dktrace show
	dktrace status --json >"$tmp/status"
	lctl debug_daemon start "$tmp/bin" 10 3>&-
	online
	same 0 "$status" "status of show"
	same "" "$(grep -v '^Debug log' <<<"$stderr")" "stderr of show"
	same false "$(jq ".cpus[$CPU].online" "$tmp/status")" "online"
	writes 300 5111
	lctl debug_daemon stop
	lctl df "$tmp/bin" "$tmp/text"
	same 300 "$(count_writes "$tmp/text" 5111)" "writes of a CPU that came"
}

@test "a CPU that went offline leaves its records" {
	only vfstrace
	only_ours
	writes 300 5222
	offline
	run --separate-stderr dktrace dk "$tmp/text"
	online
	same 0 "$status" "status of dk"
	same 300 "$(count_writes "$tmp/text" 5222)" writes
}
