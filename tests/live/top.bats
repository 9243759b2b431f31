#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# top: frames for programs, the screen, signals, losses.
# shellcheck disable=SC2016,SC2154 # expanded by sh; set by bats and helper/live.bash

load ../helper/live

# Starts top in the background, whose frames go to $tmp/frames, and waits for the first one.
frames()
{
	start dktrace top --json -d 0.2 --rows 0 --panel processes,calls,events "$@" >"$tmp/frames" 2>"$tmp/err"
	top=$pid
	until_true test -s "$tmp/frames"
}

# Makes room for what a busy machine does while top does not read.
larger_buffers()
{
	local buffer

	for buffer in $(own); do
		echo 32768 >"$buffer/buffer_size_kb"
	done
}

# The number of whole frames so far: the last one may be written just now.
n_frames()
{
	grep -c '^}' "$tmp/frames" || true
}

frames_after()
{
	[ "$(n_frames)" -gt "$1" ]
}

# Waits until a frame is complete that began after now, and ends top; its exit status is in $ended.
end_top()
{
	until_true frames_after $(($(n_frames) + 2))
	kill "$top"
	ended=0
	wait "$top" || ended=$?
}

# Prints the sum over all frames of a column for a process. usage: sum COLUMN PID
sum()
{
	jq -n --arg column "$1" --argjson pid "$2" \
		'[inputs | .seconds as $s | .processes[] | select(.pid == $pid) | .[$column] * $s] | add | round' "$tmp/frames"
}

# Counts the calls and bytes of dd. usage: in_dd COUNT
in_dd()
{
	held dd if=/dev/zero of="$tmp/copy" bs=1 count="$1" status=none
	dd=$pid
	frames
	larger_buffers
	echo >"$tmp/gate"
	wait "$dd"
	end_top
}

# tmux would keep bats waiting.
teardown()
{
	[ -z "${server:-}" ] || tmux -L "$server" kill-server 2>/dev/null || true
	end_test
}

# Starts top on a terminal. usage: on_terminal COLUMNS LINES [OPTION...]
on_terminal()
{
	command -v tmux >/dev/null || skip "no tmux"
	server=dkt-top-$$-$BATS_TEST_NUMBER
	tmux -L "$server" -f /dev/null new-session -d -x "$1" -y "$2" \
		"stty -g >'$tmp/before'; dktrace top ${*:3} 2>'$tmp/err'; echo \$? >'$tmp/status'; stty -g >'$tmp/after'; echo ended; exec cat" 3>&-
	until_true pane_has "processes,"
}

off_terminal()
{
	until_true pane_has "^ended"
	same "$1" "$(cat "$tmp/status")" "exit status"
	same "$(cat "$tmp/before")" "$(cat "$tmp/after")" "the terminal's settings"
	lacks "$(pane)" "processes,"
	tmux -L "$server" kill-server
	same "" "$(own)" "instances"
}

keys()
{
	tmux -L "$server" send-keys "$@"
}

@test "top counts each system call and each byte of a process, and lists it with its name" {
	in_dd 5000
	same 0 "$ended" "exit status"
	same 5000 "$(sum written "$dd")" "bytes written"
	# The program itself is read, too.
	many=$(sum calls "$dd")
	many_read=$(sum read "$dd")
	in_dd 0
	same 10000 $((many - $(sum calls "$dd"))) "system calls"
	same 5000 $((many_read - $(sum read "$dd"))) "bytes read"
	has "$(jq -r '.processes[].command' "$tmp/frames" | sort -u)" "dd"
	same "" "$(own)" "instances"
}

@test "top counts the CPU time that the kernel counts" {
	start sh -c 'while :; do :; done'
	busy=$pid
	frames
	larger_buffers
	from=$(awk '{ print $14 + $15 }' "/proc/$busy/stat")
	until_true frames_after 5
	to=$(awk '{ print $14 + $15 }' "/proc/$busy/stat")
	end_top
	# In ticks, of which the kernel misses two at most; interrupts are counted elsewhere.
	at_least $(((to - from) * 9 / 10 - 2)) "$(jq -n --argjson pid "$busy" \
		'[inputs | .seconds as $s | .processes[] | select(.pid == $pid) | .cpu * $s] | add | round' "$tmp/frames")" "ticks"
}

@test "top lists a system call that has not returned, until it does" {
	mkfifo "$tmp/pipe"
	start sh -c 'read -r go <"$0"; exec sleep 100000' "$tmp/pipe"
	reader=$pid
	frames
	exec 9<>"$tmp/pipe"
	# Opening has ended; now the shell reads.
	waits() { jq -e --argjson pid "$reader" 'select(.calls[] | .pid == $pid and .call == "read")' "$tmp/frames" >/dev/null 2>&1; }
	until_true waits
	echo >&9
	exec 9>&-
	end_top
	same 0 "$(jq -n --argjson pid "$reader" '[inputs][-1].calls | map(select(.pid == $pid and .call == "read")) | length' "$tmp/frames")" "reads"
}

@test "top -n prints so many frames, however long its end takes" {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		run -0 --separate-stderr dktrace top --json -n 2 -d 0.001 --panel calls
		same 2 "$(grep -c '^{' <<<"$output")" "frames"
	done
}

@test "top lists a system call that began before top, with the file of another user's process" {
	mkfifo "$tmp/pipe"
	exec 9<>"$tmp/pipe"
	start sh -c 'exec setpriv --reuid=65534 --clear-groups cat <"$0" 9>&-' "$tmp/pipe"
	in_read() { grep -q '^0 0x0 ' "/proc/$pid/syscall"; }
	until_true in_read
	run -0 --separate-stderr dktrace top --json -n 1 -d 0.1 --panel calls --rows 0
	same "+ 0<$tmp/pipe>" "$(jq -r --argjson pid "$pid" '.calls[] | select(.pid == $pid) | "\(.note) \(.argument)"' <<<"$output")" "note and file"
	exec 9>&-
}

@test "top says in the frame and at the end that records were lost" {
	only vfstrace
	frames --log --panel classes
	until_true has_class vfstrace
	kill -STOP "$top"
	for buffer in $(own); do
		echo 8 >"$buffer/buffer_size_kb"
	done
	dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none
	kill -CONT "$top"
	end_top
	same 3 "$ended" "exit status"
	at_least 1 "$(jq -n '[inputs | .lost] | add' "$tmp/frames")" "lost records"
	at_least 1 "$(jq -n '[inputs | .log_uncounted] | add' "$tmp/frames")" "uncounted records"
	has "$(cat "$tmp/err")" "records were lost"
	has "$(cat "$tmp/err")" "of the log's records were not counted"
}

# True if a frame has enabled events of the class.
has_class()
{
	jq -e --arg class "$1" 'select(.classes[] | .class == $class and .events > 0)' "$tmp/frames" >/dev/null 2>&1
}

@test "top counts each record that the log gets, by class and event, and follows its settings" {
	held dd if=/dev/zero of=/dev/null bs=1 count=500 status=none
	dd=$pid
	set_param debug=0 debug=+ioctl debug_filter="common_pid == $dd"
	frames --log --panel classes,events,buffers
	larger_buffers
	same ioctl "$(jq -nr 'input | .classes[].class' "$tmp/frames")" "classes of the first frame"
	set_param debug=0 debug=+vfstrace
	until_true has_class vfstrace
	lctl clear
	echo >"$tmp/gate"
	wait "$dd"
	end_top
	same 0 "$ended" "exit status"
	count() { jq -n "[inputs | .seconds as \$s | $1 * \$s] | add | round" "$tmp/frames"; }
	same "$(generated)" "$(count '(.events[] | .log // 0)')" "records of the log"
	same "$(generated)" "$(count '(.classes[] | select(.class == "vfstrace") | .log)')" "records of vfstrace"
	at_least 500 "$(count '(.events[] | select(.event == "syscalls:sys_enter_write") | .log)')" "writes"
	at_least 500 "$(count '(.buffers[] | select(.buffer | endswith("(log)")) | .rate // 0)')" "records in the buffer"
	same "" "$(own)" "instances"
}

@test "top without a terminal says what to do" {
	expect 2 "" "dktrace: top: standard output is not a terminal; use --batch to print frames as text, or --json" \
		dktrace top
	run -1 env TERM=dumb script -qec "dktrace top" /dev/null
	has "$output" "top: the terminal type 'dumb' cannot move the cursor; set TERM, or use --batch"
}

@test "top on 80x24: panels, filter, help, one process, resize, quit" {
	on_terminal 80 24
	# Only the begin of its call tells that it sleeps.
	start sleep 100000
	until_true pane_has "1 Processes"
	lacks "$(pane)" "6 Buffers"
	keys 5
	until_true pane_has "raw_syscalls:sys_enter"
	keys '?'
	until_true pane_has "reverse the order"
	keys x
	keys 1 / "$pid" Enter
	until_true pane_has "only rows with '$pid'"
	until_true pane_has "^ *$pid .* sleep"
	keys Enter
	until_true pane_has "1 Threads of process $pid (1)"
	until_true pane_has "nanosleep"
	keys Escape
	until_true pane_has "1 Processes"
	keys Escape p
	until_true pane_has "PAUSED"
	tmux -L "$server" resize-window -x 200 -y 50
	until_true pane_has "6 Buffers"
	keys q
	off_terminal 0
}

@test "top on 200x50 shows all panels; SIGTERM restores the terminal" {
	on_terminal 200 50 --delay 0.2
	for title in "1 Processes" "2 System calls" "3 Disks" "4 Classes" "5 Events" "6 Buffers"; do
		until_true pane_has "$title"
	done
	pkill -TERM -P "$(tmux -L "$server" display -p '#{pane_pid}')" dktrace
	off_terminal 0
}

@test "top --interval measures ready-made pairs in each interval, and without it has no such panel" {
	start dktrace top --json -d 0.2 --panel intervals,events --rows 0 --interval fsync,ext4-fsync,fsync >"$tmp/frames" 2>"$tmp/err"
	top=$pid
	until_true test -s "$tmp/frames"
	larger_buffers
	for _ in 1 2 3 4 5; do
		dd if=/dev/zero of="$tmp/copy" bs=4096 count=1 conv=fsync status=none
	done
	end_top
	at_least 5 "$(jq -n '[inputs | .intervals[] | select(.interval == "fsync") | .count] | add' "$tmp/frames")" "calls of fsync"
	same '"ext4-fsync" "fsync"' "$(jq -s -r '.[0].intervals | map(.interval | tojson) | sort | join(" ")' "$tmp/frames")" "names"
	same true "$(jq -n '[inputs | .intervals[] | select(.count > 0) | .p50 <= .p90 and .p90 <= .p99 and .max > 0 and .share > 0 and .rate > 0] | all' "$tmp/frames")" "times"
	same true "$(jq -n '[inputs | .intervals[] | select(.count == 0) | .max == null and .share == 0] | all' "$tmp/frames")" "none"
	has "$(jq -r '.events[].event' "$tmp/frames")" "syscalls:sys_enter_fsync"
	same "" "$(own)" "instances"
	run -0 --separate-stderr dktrace top --json -n 1 -d 0.1
	same null "$(jq .intervals <<<"$output")" "without names"
}

@test "top has a panel of ready-made intervals on the screen" {
	on_terminal 80 24 --delay 0.2 --interval run,fsync
	keys 7
	until_true pane_has "^7 Ready-made intervals (2), by share"
	until_true pane_has "^run "
	until_true pane_has "^INTERVAL       COUNT       /S      P50      P90      P99      MAX   %TIME"
	keys h
	until_true pane_has "q  *quit"
	until_true pane_has "7            ready-made intervals, which --interval names"
	keys x q
	off_terminal 0
}

@test "a top that was killed leaves an instance, which the next one removes" {
	frames
	kill -9 "$top"
	wait "$top" || true
	[ -n "$(own)" ]
	run -0 --separate-stderr dktrace top --batch -n 1 -d 0.1
	has "$stderr" "removed what commands that were killed left"
	same "" "$(own)" "instances"
}

@test "top and follow stop after the time of --duration" {
	# 3: a busy machine may make more records than top can read.
	run dktrace top --batch --duration 0.1
	[[ $status == [03] ]]
	dktrace set_param debug=ioctl
	run -0 --separate-stderr dktrace follow -t 100ms
	has "$stderr" "Debug log: "
}

# A frame in which the function of the busy program is the first one, and no sample was lost: while the first names are
# read, a busy machine may fill the buffer.
hot='.functions[0].function == "profile_leaf" and .samples_lost == 0'

# True if there is one.
hot()
{
	jq -e -s "any(.[]; $hot)" "$tmp/frames" >/dev/null 2>&1
}

@test "top --panel functions shows the hot functions with their stacks, of all or one process" {
	start "$build/tests/tools/profile-target"
	target=$pid
	start dktrace top --json -d 0.5 --rows 0 --panel functions --pid "$target" >"$tmp/frames" 2>"$tmp/err"
	top=$pid
	if ! until_true hot; then
		jq -e '.samples_missing' "$tmp/frames" >/dev/null && skip "samples are not allowed"
		return 1
	fi
	kill "$top"
	wait "$top"
	jq -s "[.[] | select($hot)][0]" "$tmp/frames" >"$tmp/frame"
	jq -e '.functions[0] | .where == "profile-target" and (.command | . == "profile-target" or . == "target-other")' \
		"$tmp/frame"
	jq -e '.functions[0].stacks[0].functions | index("profile_caller") < index("profile_leaf")' "$tmp/frame"
	jq -e '[.functions[].share] | add | . > 99.9 and . < 100.1' "$tmp/frame"
	same "$(jq '[.functions[].samples] | add' "$tmp/frame")" "$(jq .samples "$tmp/frame")" "samples of all functions"
	# All are of that process.
	jq -e '[.functions[].command] | unique - ["profile-target", "target-other"] == []' "$tmp/frame"
	run -0 --separate-stderr dktrace top --json -d 1 -n 5 --rows 0 --panel functions
	jq -e -s "[.[].functions[] | select(.function == \"profile_leaf\")] | length > 0" <<<"$output"
	run -0 --separate-stderr dktrace top --batch -d 0.5 -n 5 --panel functions --pid "$target"
	has "$output" 'profile_caller > profile_leaf'
	# Without its name nothing is sampled.
	run -0 --separate-stderr dktrace top --json -n 1 -d 0.1
	same 'null null' "$(jq -r '"\(.functions) \(.samples)"' <<<"$output")" 'without the name'
	same '' "$(own)" 'left behind'
}

@test "top on a terminal samples while the panel of functions is shown, with the stacks of the row" {
	perf --version >/dev/null 2>&1 || skip "needs perf"
	start "$build/tests/tools/profile-target"
	on_terminal 80 24 --delay 0.5 --pid "$pid"
	until_true pane_has "1 Threads"
	keys 8
	until_true pane_has "profile_leaf"
	until_true pane_has "8 Functions, of [0-9]* samples"
	until_true pane_has "^SHARE(%) STACK"
	until_true pane_has "profile_caller > profile_leaf"
	keys 1
	until_true pane_has "1 Threads"
	keys 8
	until_true pane_has "profile_leaf"
	keys q
	off_terminal 0
}

@test "without the right to sample, top says why there are no functions" {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] || skip "needs kernel.perf_event_paranoid of 1 or more"
	run -0 --separate-stderr setpriv --bounding-set=-perfmon,-sys_admin "$build/dktrace" top --json -n 1 -d 0.2 --panel functions,processes
	has "$(jq -r .samples_missing <<<"$output")" 'kernel.perf_event_paranoid'
	same '0 true' "$(jq -r '"\(.functions | length) \(.processes | length > 0)"' <<<"$output")" 'panels'
	run -0 --separate-stderr setpriv --bounding-set=-perfmon,-sys_admin "$build/dktrace" top --batch -n 1 -d 0.2 --panel functions
	has "$output" 'Functions: open '
	has "$output" 'kernel.perf_event_paranoid is'
}
