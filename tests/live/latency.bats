#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# latency of known workloads on the running kernel.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

@test "latency measures every call of a command and leaves its output alone" {
	run -0 --separate-stderr dktrace latency syscall --json -- \
		sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=4321 status=none; echo out >&2'
	has "$stderr" out
	count=$(jq '.groups[] | select(.group == "write").count' <<<"$output")
	# dd's, and the shell's one.
	same 4322 "$count" writes
	same 0 "$(jq .lost <<<"$output")" lost
	same 0 "$(jq .nested <<<"$output")" nested
	same '' "$(own)" 'left behind'
}

@test "latency measures a sleep of known length" {
	local begin end ns whole

	read -r begin _ </proc/uptime
	run -0 --separate-stderr dktrace latency syscall --json --filter 'id == clock_nanosleep' -- sleep 0.2
	# A machine that stands still for a while makes the sleep longer, and the whole command too.
	read -r end _ </proc/uptime
	whole=$(((${end/./} - ${begin/./} + 1) * 10000000))
	ns=$(jq '.all.max' <<<"$output")
	within 200000000 "$ns" "$whole" 'the sleep, in ns'
	same 1 "$(jq '.all.count' <<<"$output")" count
	has "$(jq -r '.slowest[0].begin.text' <<<"$output")" 'NR 230'
}

@test "latency pairs two events by fields with different names" {
	run -0 --separate-stderr dktrace latency sched:sched_wakeup sched:sched_switch --match pid=next_pid \
		--csv -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.01; done'
	at_least 1 "$(sed -n 2p <<<"$output" | cut -d , -f 2)"
}

@test "the command's exit status is passed on" {
	run -7 dktrace latency syscall -- sh -c 'exit 7'
	run -127 dktrace latency syscall -- /nonexistent
	run -143 dktrace latency syscall -- sh -c 'kill $$'
	same '' "$(own)" 'left behind'
}

@test "Ctrl-C ends latency, which prints its table" {
	start dktrace latency syscall --csv >"$tmp/out" 2>"$tmp/err"
	until_true grep -q Ctrl-C "$tmp/err"
	dd if=/dev/zero of=/dev/null bs=1 count=10 status=none
	kill -INT "$pid"
	# Status 3: a busy machine's other processes filled the buffers.
	wait "$pid" || same 3 "$?" "status"
	has_line '^read,' "$tmp/out"
	same '' "$(own)" 'left behind'
}

@test "latency leaves nothing if its reader goes away" {
	run bash -c 'dktrace latency syscall --duration 0.2 | true'
	same '' "$(own)" 'left behind by latency'
	run -0 timeout 600 bash -c 'dktrace hist syscalls:sys_enter_close --keys common_pid --watch=0.1 2>/dev/null | head -n 1'
	[ -n "$output" ]
	same '' "$(own)" 'left behind by hist'
	# The command that is watched goes on.
	run bash -c 'dktrace latency syscall -- sh -c "sleep 0.3; echo >\"\$0\"" "$0" 2>/dev/null | true' "$tmp/done"
	exists "$tmp/done"
	same '' "$(own)" 'left behind with a command'
}

@test "the next latency, or reset, removes the instance of a killed one" {
	start dktrace latency syscall >/dev/null 2>"$tmp/err"
	until_true grep -q Ctrl-C "$tmp/err"
	kill -9 "$pid"
	wait "$pid" || true
	[ -n "$(own)" ]
	run -0 dktrace latency syscall -- true
	same '' "$(own)" 'left behind'
	start dktrace latency syscall >/dev/null 2>"$tmp/err"
	until_true grep -q Ctrl-C "$tmp/err"
	# It runs: it stays.
	dktrace reset
	[ -n "$(own)" ]
	kill -9 "$pid"
	wait "$pid" || true
	dktrace reset
	same '' "$(own)" 'left behind'
}

@test "a refused filter leaves nothing behind" {
	run -1 dktrace latency syscall --filter 'args == 3' -- true
	same '' "$(own)" 'left behind'
}

@test "--watch prints the table so far, and everything at the end" {
	# The command makes calls until it sees two tables; the last one is printed when it has ended.
	dktrace latency syscall -w0.2 -n 2 --sort count.descending -- \
		sh -c 'until [ "$(grep -c "^syscall  *COUNT" "$0")" -ge 2 ]; do sleep 0.1; done' "$tmp/tables" \
		>"$tmp/tables"
	at_least 3 "$(grep -c '^syscall *COUNT' "$tmp/tables")"
	# Picture and slowest are of the last one.
	same 5 "$(grep -c 'sys_enter: ' "$tmp/tables")" "the slowest"
	same '' "$(own)" 'left behind'
}

@test "--watch fits on the terminal, and q ends it" {
	command -v tmux >/dev/null || skip "no tmux"
	watch_in_terminal 8 "COUNT" "(all)" "dktrace latency syscall -w0.3 --slowest 0"
	# The picture is printed at the end only.
	lacks "$watched" '###'
	has "$ended" "###"
	until_true nothing_left
}

nothing_left()
{
	[ -z "$(own)" ]
}
