#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Several dktrace processes at once, and signals at any point.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

# Writes numbered marks until it is stopped; the last number is in $tmp/last. The buffers have room for those of
# minutes.
start_numbers()
{
	set_param debug_mb=32
	# shellcheck disable=SC2016
	start perl -e 'open(M, ">", $ARGV[0]) or die; select(M); $| = 1; $SIG{TERM} = sub { $end = 1 };
		until ($end) { print "number ", ++$n, "\n"; select(undef, undef, undef, 0.0002) }
		open(L, ">", $ARGV[1]); print L "$n\n"' "$instance/trace_marker" "$tmp/last"
	writer=$pid
	until_true grep -q number "$instance/trace"
}

# Every number up to the last is in the files. usage: all_numbers FILE...
all_numbers()
{
	cat "$@" | sed -n 's/.*) number \([0-9]*\)$/\1/p' | sort -un >"$tmp/have"
	seq "$(cat "$tmp/last")" >"$tmp/wanted"
	comm -13 <(sort "$tmp/have") <(sort "$tmp/wanted") >"$tmp/missing"
	if [ -s "$tmp/missing" ]; then
		echo "of $(cat "$tmp/last") missing: $(sort -n "$tmp/missing" | head -n 20 | paste -sd' ')"
		return 1
	fi
}

stop_numbers()
{
	kill "$writer"
	wait "$writer" || true
}

# dk does not wait for another one for ever, and the machine may be slow. usage: dk_in_turn FILE
dk_in_turn()
{
	until dktrace dk "$1" 2>"$1.err"; do
		grep -q "is reading these buffers" "$1.err" || return
	done
	rm "$1.err"
}

@test "two dk at once print each record once" {
	set_param debug=0
	start_numbers
	for i in 1 2 3 4 5; do
		start dk_in_turn "$tmp/a$i"
		one=$pid
		start dk_in_turn "$tmp/b$i"
		wait "$one" "$pid"
	done >/dev/null
	stop_numbers
	dktrace dk "$tmp/rest" >/dev/null
	all_numbers "$tmp"/a* "$tmp"/b* "$tmp/rest"
	same "" "$(cat "$tmp"/a* "$tmp"/b* "$tmp/rest" | sed -n 's/.*) number \([0-9]*\)$/\1/p' | sort | uniq -d | head -n 3)" "twice"
}

# Fills the log with so many lines; a pipe holds less than a thousand. usage: fill_log LINES
fill_log()
{
	local i

	set_param debug=0 debug_mb=32
	for ((i = 0; i < $1; i++)); do
		echo "number $i"
	done >"$instance/trace_marker"
}

@test "dk waits for another one as long as that gets on" {
	fill_log 20000
	mkfifo "$tmp/pipe"
	exec 5<>"$tmp/pipe"
	dktrace dk --style trace >"$tmp/pipe" 2>/dev/null 3>&- 5>&- &
	first=$!
	pids+=("$first")
	until_true grep -qx "$first" "$state/spool/lock"
	start dktrace dk 2>"$tmp/err" >"$tmp/second" 5>&-
	# It is read slowly until the second one says that it waits.
	until grep -q "process $first is reading these buffers: waiting for its end" "$tmp/err"; do
		dd bs=512 count=1 status=none <&5 >/dev/null
		kill -0 "$first" && kill -0 "$pid"
	done
	cat "$tmp/pipe" >/dev/null 3>&- 5>&- &
	pids+=("$!")
	wait "$first"
	exec 5>&-
	wait "${pids[1]}"
	has_line '^Debug log: 0 lines' "$tmp/second"
}

@test "dk says that another one stands still" {
	fill_log 3000
	mkfifo "$tmp/pipe"
	exec 5<>"$tmp/pipe"
	dktrace dk >"$tmp/pipe" 2>/dev/null 3>&- 5>&- &
	pids+=("$!")
	until_true grep -qx "$!" "$state/spool/lock"
	run -1 --separate-stderr dktrace dk
	same "dktrace: process ${pids[0]} is reading these buffers and stands still: perhaps nobody reads its output" \
		"${stderr_lines[-1]}" "message"
	exec 5>&-
}

@test "dk and clear name the process while follow reads the buffers" {
	set_param debug=0
	start dktrace follow -o "$tmp/log" 2>/dev/null
	follow=$pid
	lctl mark hello
	until_true grep -q hello "$tmp/log"
	expect 1 "" "dktrace: process $follow is reading these buffers, and does so until it is ended" dktrace dk
	expect 1 "" "lctl: process $follow is reading these buffers, and does so until it is ended" lctl clear
	# So does reset, and leaves it all as it is.
	run -1 --separate-stderr dktrace reset
	has "$stderr" "dktrace: another process reads the buffers of '$DKTRACE_INSTANCE': "
	has "$stderr" "Device or resource busy"
	[ -d "$instance" ]
	exists "$state/settings"
	# Settings are free.
	set_param debug=+ioctl
	kill -INT "$follow"
	wait "$follow"
	run -0 dktrace dk
}

@test "follow prints events while it runs, and a summary at Ctrl-C" {
	only vfstrace
	only_ours
	held dd if=/dev/zero of=/dev/null bs=7 count=3 status=none
	worker=$pid
	start dktrace follow --pid "$worker" -o "$tmp/log" 2>"$tmp/err"
	follow=$pid
	until_true handles INT "$follow"
	pid=$worker go
	until_true grep -q 'sys_enter_write.*count: 0x00000007' "$tmp/log"
	kill -INT "$follow"
	wait "$follow"
	same 3 "$(grep -c 'sys_enter_write.*count: 0x00000007' "$tmp/log")" "writes"
	grep -q '^Debug log: .* 0 bad\.$' "$tmp/err"
	no_line '^Debug log:' "$tmp/log"
	start dktrace follow -o "$tmp/log" 2>"$tmp/err"
	follow=$pid
	until_true handles TERM "$follow"
	kill -TERM "$follow"
	wait "$follow"
	has_line '^Debug log: ' "$tmp/err"
}

@test "follow does not print the records that it causes itself" {
	only vfstrace+ioctl
	only_ours
	start dktrace follow -o "$tmp/log" 2>"$tmp/err"
	follow=$pid
	# Its reading of the first marks is in the log before the last one.
	for n in 1 2 3 4; do
		lctl mark "number $n"
		until_true grep -q "number $n" "$tmp/log"
	done
	kill -INT "$follow"
	wait "$follow" || same 3 "$?" "status"
	same 0 "$(grep -c ":0:$follow:0:" "$tmp/log" || true)" "own records"
	has_line '^dktrace: [0-9]* records of dktrace itself skipped$' "$tmp/err"
	# Into a pipe: follow also prints the reader's own records, but the log does not grow by itself: there are
	# so many a second, however fast the machine is.
	read -r from _ </proc/uptime
	# shellcheck disable=SC2016
	run -0 bash -c 'timeout -s INT 2 dktrace follow --style trace 2>/dev/null |
		sh -c '\''echo $$ >"$0.pid" && exec cat >"$0"'\'' "$0"' "$tmp/log"
	read -r to _ </proc/uptime
	within 0 "$(grep -c "^ *cat-$(cat "$tmp/log.pid") " "$tmp/log" || true)" $((2500 * (${to%.*} - ${from%.*} + 1))) \
		"records of the reader"
}

@test "eight set_param at once all take effect, one after the other" {
	local bit jobs=()

	set_param debug=0
	for bit in ioctl vfstrace iotrace malloc super inode cache info; do
		start lctl set_param debug=+$bit
		jobs+=("$pid")
	done >"$tmp/out"
	for bit in "${jobs[@]}"; do
		wait "$bit"
	done
	same 8 "$(wc -l <"$tmp/out")" "answers"
	same "ioctl vfstrace iotrace malloc super inode cache info" "$(for bit in ioctl vfstrace iotrace malloc super inode cache info; do
		lctl get_param -n debug | tr ' ' '\n' | grep -x "$bit"; done | paste -sd' ')" "debug"
	# The kernel agrees: setting the same again changes nothing.
	knobs >"$tmp/before"
	set_param debug="$(lctl get_param -n debug | sed 's/\([^ ]*\)/+\1/g')"
	knobs | diff "$tmp/before" -
}

@test "changes that wait during reset see the state before or after it" {
	set_param debug=0
	for i in 1 2 3 4 5 6; do
		start lctl set_param debug=+ioctl
		start dktrace reset
	done >/dev/null
	for i in "${pids[@]}"; do
		wait "$i"
	done
	pids=()
	dktrace reset
	gone "$state"
}

@test "dk | head ends without a message and loses no record" {
	set_param debug=0
	# More than a pipe holds.
	stdbuf -oL seq -f 'number %.0f' 6000 >"$instance/trace_marker"
	echo 6000 >"$tmp/last"
	lctl mark the end
	# shellcheck disable=SC2016
	run -0 --separate-stderr bash -c 'dktrace dk | head -n 1 >"$0/one"; echo "${PIPESTATUS[0]}"' "$tmp"
	same "" "$stderr" "stderr"
	same 141 "$output" "status"
	dktrace dk "$tmp/rest" >/dev/null
	all_numbers "$tmp/rest"
}

@test "SIGINT and SIGTERM during dk remove the printed records and keep the rest" {
	set_param debug=0
	start_numbers
	for i in 1 2 3 4 5 6 7 8 9 10; do
		start dktrace dk -o "$tmp/$i"
		at_random 30
		kill -s "$([ $((i % 2)) = 0 ] && echo INT || echo TERM)" "$pid" || true
		wait "$pid" || true
	done >/dev/null
	stop_numbers
	dktrace dk "$tmp/rest" >/dev/null
	all_numbers "$tmp"/[0-9]* "$tmp/rest"
	same "" "$(cat "$tmp"/[0-9]* "$tmp/rest" | sed -n 's/.*) number \([0-9]*\)$/\1/p' | sort | uniq -d | head -n 3)" "twice"
}

@test "Ctrl-C while the reader of the output rests loses no record" {
	set_param debug=0
	start_numbers
	# More than a pipe holds.
	until_true eval '[ "$(generated)" -ge 3000 ]'
	mkfifo "$tmp/fifo"
	exec 8<>"$tmp/fifo"
	start dktrace dk -o "$tmp/fifo" 2>"$tmp/err"
	# It waits in write(), and the pipe is full.
	until_true grep -q '^1 0x' "/proc/$pid/syscall"
	kill -INT "$pid"
	wait "$pid" || status=$?
	stop_numbers
	exec 8<&-
	same 1 "$status" "status"
	same "dktrace: interrupted; records not written are kept" "$(cat "$tmp/err")" "stderr"
	dktrace dk "$tmp/rest" >/dev/null
	all_numbers "$tmp/rest"
}

@test "kill -9 of dk and show at 40 points loses no record" {
	set_param debug=0
	start_numbers
	for ((i = 0; i < 40; i++)); do
		if [ $((i % 4)) = 0 ]; then
			start dktrace show
		else
			start dktrace dk -o "$tmp/$i"
		fi >/dev/null
		at_random 40
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	stop_numbers
	run -0 --separate-stderr dktrace dk -o "$tmp/rest"
	same "" "$stderr" "stderr"
	all_numbers "$tmp"/[0-9]* "$tmp/rest"
}
