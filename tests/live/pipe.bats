#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every command ends with the same exit status if the reader of its output closes the pipe.

# shellcheck disable=SC2154 # set by bats and helper/live.bash
load ../helper/live

@test "commands end if the reader of their output has closed the pipe" {
	local words

	set_param debug=ioctl debug_filter='cmd == 0x5401'
	lctl mark 'a line of the log'
	for words in status doctor boot-config 'get_param debug' 'set_param debug=+ioctl' 'filter list' show \
		'list events' 'list fields sched:sched_switch'; do
		# shellcheck disable=SC2086 # words
		unread 141 dktrace $words
	done
	unread 141 lctl get_param debug
	unread 141 lctl list_param debug
	for words in 'lctl dk' 'dktrace dk'; do
		# shellcheck disable=SC2086 # words
		unread 141 sh -c 'lctl mark "what is printed" && exec "$@"' sh $words
	done
}

@test "follow ends when the reader closes the pipe, though no record comes" {
	set_param debug=0
	mkfifo "$tmp/pipe"
	# shellcheck disable=SC2016 # for the other shell, which waits for a reader
	start sh -c 'exec dktrace follow >"$0"' "$tmp/pipe"
	exec 6<"$tmp/pipe"
	until_true grep -qx "$pid follows" "$state/spool/lock"
	exec 6<&-
	status=0
	wait "$pid" || status=$?
	same 141 "$status" "status"
}

@test "follow, hist and latency end when the reader closes the pipe" {
	local words

	set_param debug=0
	# Marks come until follow has one to print.
	start sh -c 'while lctl mark "$$"; do :; done'
	unread 141 timeout 600 dktrace follow
	kill -9 "$pid"
	wait "$pid" || true
	for words in 'latency syscall --duration 0.1' 'latency syscall --csv --duration 0.1' 'latency syscall -w0.1' \
		'latency syscall -- true' 'hist syscalls:sys_enter_close --duration 0.1' \
		'hist syscalls:sys_enter_close --watch=0.1' 'hist syscalls:sys_enter_close -- true'; do
		# shellcheck disable=SC2086 # words
		unread 141 timeout 600 dktrace $words
	done
	unread 141 dktrace latency
}
