#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# function and graph on a kernel that refuses them report it and change nothing. The VM tests do the rest.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

@test "if the kernel has no tracer, function prints one line, exit 1, and changes nothing" {
	[ ! -r "$tracing/available_filter_functions" ] || ! head -c 1 "$tracing/available_filter_functions" >/dev/null 2>&1 ||
		skip "this kernel lets functions be traced: tests/vm/t-function.sh"
	only ioctl
	knobs >"$tmp/before"
	for command in "dktrace graph 'vfs_*'" "dktrace function 'vfs_*'" "dktrace graph --under vfs_read --depth 2 '*'" \
		"dktrace graph :mod:xfs -- true"; do
		eval "run --separate-stderr $command"
		same 1 "$status" "status of $command"
		same "" "$output" "stdout of $command"
		has "$stderr" "functions cannot be traced on this kernel: open $tracing/available_filter_functions: "
		knobs | diff "$tmp/before" -
	done
	run -0 dktrace status
	same "" "$(grep '^functions' <<<"$output" || true)" "status"
	expect 0 "" "dktrace: no function tracer is set" dktrace graph
	expect 1 "" "dktrace: no function tracer is set" dktrace function off
}

@test "wrong function options are reported before the kernel is changed" {
	while IFS='|' read -r want rc args; do
		eval "run --separate-stderr dktrace $args"
		same "$rc" "$status" "status of $args"
		same "" "$output" "stdout of $args"
		has "$stderr" "$want"
	done <<-'END'
		graph: needs functions; '*' selects all functions of the kernel|2|graph --depth 3
		function: needs functions|2|function -x vfs_read
		--children needs --pid|2|graph --children 'vfs_*'
		--pid selects running processes|2|graph --pid 1 'vfs_*' -- true
		unrecognized option|2|function --depth 3 'vfs_*'
		--depth: 'x' is not a number from 1 to 200|2|graph --depth x 'vfs_*'
		--depth: '0' is not a number|2|graph --depth 0 'vfs_*'
		--depth: '-1' is not a number|2|graph --depth=-1 'vfs_*'
		'5x' is not a time such as 100us or 5ms; units are ns, us, ms, s, m, h and d|2|graph --threshold 5x 'vfs_*'
		'9999999s' is not a time|2|graph --threshold 9999999s 'vfs_*'
		there is no process 99999999|1|graph --pid 99999999 'vfs_*'
		'a b' cannot be the name of a function|1|graph 'a b'
		graph: an argument is empty|2|graph ''
		cannot be the name of a function|1|graph $'vfs_read\nvfs_write'
	END
	gone "$instance"
}
