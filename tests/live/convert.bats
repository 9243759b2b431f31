#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The live log as a file for other programs.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

@test "convert writes the log as a trace.dat that trace-cmd prints as show does, and keeps the log" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	dktrace set_param debug=ioctl+vfstrace >/dev/null
	only_ours
	ls / >/dev/null
	dktrace set_param debug=0 >/dev/null
	for format in trace.dat trace.dat-6; do
		dktrace convert --format "$format" log "$tmp/log.dat"
		# Processes that have ended since are known by one of the two, at times.
		trace-cmd report --nodate "$tmp/log.dat" | sed 1d | cut -d: -f2- >"$tmp/have"
		dktrace show --style trace | sed '$d' | cut -d: -f2- >"$tmp/wanted"
		cmp "$tmp/wanted" "$tmp/have"
		at_least 11 "$(wc -l <"$tmp/wanted")"
	done
}

@test "convert of a missing log creates no file" {
	run -1 --separate-stderr dktrace convert log "$tmp/log.dat"
	has "$stderr" "dktrace: nothing is recorded yet"
	gone "$tmp/log.dat"
}
