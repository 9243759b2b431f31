#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# collect: recordings of several far sides, connections that break, and one clock for all files.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/live
load ../helper/fleet

@test "an output that breaks off is continued where it was" {
	make_ssh
	cd "$tmp"
	start dktrace collect --ssh "$ssh" -w a,b -o whole record -e 'sched:*' --duration 4 >table 2>err
	# The host can be found again once its command runs.
	until_true 600 test -s whole/a.dat
	break_connection a
	wait "$pid"
	has_line '^a +complete .* 1 ' table
	has_line '^b +complete .* 0 ' table
	has "$(cat err)" "dktrace: a: connection broken; trying again"
	dktrace info whole/a.dat >info
	has_line '^lost +0 ' info
	gone /run/dktrace-remote
}
