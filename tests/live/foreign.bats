#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Control characters in arguments and settings are escaped wherever they are printed.

# shellcheck disable=SC2154 # set by bats and helper/live.bash
load ../helper/live
load ../helper/foreign

@test "no command repeats a word that would forge a line or drive a terminal" {
	cd "$tmp"
	cp "$top/tests/fixture/tracedat/v6.dat" in.dat
	foreign_words in.dat
	foreign_lctl
	gone "/run/dktrace/$foreign"
}

@test "a filter with control characters is set unchanged and printed escaped" {
	local name=$'a\xc2\x9b\xe2\x80\xaeb' raw=0 words

	cd "$tmp"
	escaped dktrace set_param debug=ioctl "debug_filter=comm == \"$name\""
	escaped dktrace filter set sched:sched_switch "prev_comm == \"$name\""
	escaped dktrace trigger add sched:sched_switch traceoff --filter "prev_comm == \"$name\""
	for words in status 'status --json' 'filter list' 'filter list sched:sched_switch' 'filter list --json' \
		'trigger list' 'trigger list --json' boot-config 'get_param debug_filter' \
		'get_param -n debug_filter' 'get_param -y debug_filter'; do
		# shellcheck disable=SC2086 # words
		escaped dktrace $words
	done
	run -0 dktrace get_param -n debug_filter
	same 'comm == "a\u009b\u202eb"' "$output" "debug_filter"
	run -0 dktrace boot-config
	has "$output" "its filter is not all printable: recorded without it"
	# A file of settings has the bytes.
	dktrace save site.conf
	grep -aF "$name" site.conf
	dktrace reset
	escaped dktrace apply site.conf
	grep -aF "$name" "$instance/events/syscalls/sys_enter_ioctl/filter"
	[ $raw = 0 ]
}
