#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# record on the running kernel: every event is in the file or counted as lost.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

# By another name, as other tests can generate numbers at the same time.
name=gen-$$
sequence=$BATS_RUN_TMPDIR/$name
numbers='syscalls:sys_enter_close[fd >= 1000000]'
[ -e "$sequence" ] || ln -s "$tools/gen-sequence" "$sequence"

# Prints "SEEN MISSING" of the sequence in a file. usage: account FILE THREADS COUNT
account()
{
	dktrace report "$1" --style csv --fields pid,fd 2>"$tmp/report.err" |
		"$sequence" check "$2" "$3"
}

# Checks that all events of the sequence are in the file or counted as lost, and sets missing.
# usage: adds_up FILE THREADS COUNT
adds_up()
{
	local seen

	read -r seen missing <<<"$(account "$@")"
	same "$missing" "$(dktrace info "$1" --json | jq .lost)" "lost, beside $seen seen"
	same "$(($2 * $3))" "$((seen + missing))" "seen and lost"
}

# Starts a recorder in the background, and waits until it records. usage: recording OPTION...
recording()
{
	start dktrace record -e "$numbers" "$@" 2>"$tmp/record.err"
	until_true grep -q 'recording until' "$tmp/record.err"
}

@test "record -- COMMAND records each of its events and leaves nothing behind" {
	run -0 --separate-stderr dktrace record -e "$numbers" -o "$tmp/a.dat" -- "$sequence" 2 100000
	same "dktrace: $tmp/a.dat: 200000 events" "${stderr%,*}" "the summary"
	adds_up "$tmp/a.dat" 2 100000
	same 0 "$missing" "lost"
	same "" "$(own)" "left behind"
	run -0 dktrace record -e "$numbers" -o "$tmp/z.dat" --compression zstd -- "$sequence" 2 100000
	adds_up "$tmp/z.dat" 2 100000
	same 0 "$missing" "lost of the compressed file"
	at_least "$(stat -c %s "$tmp/z.dat")" "$(($(stat -c %s "$tmp/a.dat") / 2))" "half of the size"
}

@test "trace-cmd reads the same records from a recording" {
	command -v trace-cmd >/dev/null || skip "trace-cmd is not installed"
	dktrace record -e "$numbers" -o "$tmp/a.dat" -- "$sequence" 2 20000
	trace-cmd report -i "$tmp/a.dat" >"$tmp/theirs" 2>"$tmp/err"
	same 40000 "$(grep -c sys_enter_close "$tmp/theirs")" "records"
	dktrace report "$tmp/a.dat" >"$tmp/ours"
	same "$(awk '/sys_enter_close/ { print $3 }' "$tmp/theirs" | md5sum)" \
		"$(awk '/sys_enter_close/ { print $3 }' "$tmp/ours" | md5sum)" "times, in their order"
}

@test "what a stopped reader loses is counted exactly" {
	recording --comm "$name" --buffer-size 64K -o "$tmp/a.dat"
	"$sequence" 2 100
	kill -STOP "$pid"
	"$sequence" 2 100000
	kill -CONT "$pid"
	kill -INT "$pid"
	wait "$pid" || same 3 $? "the exit status"
	# The numbers of the first run come again in the second.
	run -3 dktrace report "$tmp/a.dat" --style csv --fields pid,fd
	seen=$(grep -c ',1[0-9]\{6\}' <<<"$output")
	lost=$(dktrace info "$tmp/a.dat" --json | jq .lost)
	at_least 1 "$lost" "lost"
	same 200200 "$((seen + lost))" "seen and lost"
}

@test "the recorder's own records are left out, at no cost for system calls" {
	start dktrace record -e 'raw_syscalls:*' --buffer-size 32M -o "$tmp/a.dat" 2>"$tmp/record.err"
	recorder=$pid
	until_true grep -q 'recording until' "$tmp/record.err"
	same "" "$(cat "$(own)/set_event_notrace_pid")" "threads that the kernel tests each event for"
	"$sequence" 1 1000
	kill -INT "$recorder"
	# Status 3: a busy machine's other processes filled the buffers.
	wait "$recorder" || same 3 "$?" "status"
	dktrace report "$tmp/a.dat" >"$tmp/ours" || same 3 "$?" "status of report"
	# Its numbers begin with 1000000, which is 0xf4240.
	at_least 1000 "$(grep -c 'NR 3 (f4[2-6]' "$tmp/ours")" "records of the workload"
	same 0 "$(grep -c -- "-$recorder " "$tmp/ours" || true)" "records of the recorder"
	# They are in the file, and programs that do not know of the recorder show them.
	run -0 --separate-stderr trace-cmd report -i "$tmp/a.dat"
	same "" "$stderr" "messages of trace-cmd"
	has "$output" "-$recorder "
	start dktrace record -e 'sched:*' -o "$tmp/b.dat" 2>"$tmp/record.err"
	until_true grep -q 'recording until' "$tmp/record.err"
	same "$pid" "$(cat "$(own)/set_event_notrace_pid")" "threads that the kernel leaves out"
	kill -INT "$pid"
	wait "$pid" || same 3 "$?" "status"
}

@test "a pipe carries the recording" {
	dktrace record -e "$numbers" -o - -- "$sequence" 1 1000 2>"$tmp/record.err" >"$tmp/stream"
	dktrace report - --style csv --fields pid,fd <"$tmp/stream" >"$tmp/out"
	same "1000 0" "$("$sequence" check 1 1000 <"$tmp/out")" "seen and missing"
	dktrace record -e "$numbers" -o - -- "$sequence" 1 1000 2>"$tmp/record.err" |
		dktrace convert - "$tmp/a.dat"
	same "1000 0" "$(account "$tmp/a.dat" 1 1000)" "seen and missing in the converted file"
}

# Starts report of a recording that goes through a pipe, and waits until both run.
streaming()
{
	mkfifo "$tmp/pipe"
	dktrace report - --style csv --fields pid,fd <"$tmp/pipe" >"$tmp/out" 2>"$tmp/report.err" 3>&- &
	reader=$!
	pids+=("$reader")
	recording --comm "$name" -o - >"$tmp/pipe"
	recorder=$pid
}

printed() { same "$1" "$("$sequence" check 1 1000 <"$tmp/out")" "seen and missing"; }

@test "a recording is printed while it comes through a pipe" {
	streaming
	"$sequence" 1 1000
	until_true printed "1000 0"
	# Ctrl-C in a terminal is for both, and the report goes on to the end of the recording.
	kill -INT "$reader" "$recorder"
	wait "$recorder"
	wait "$reader"
	printed "1000 0"
	same "" "$(cat "$tmp/report.err")" "the messages"
}

@test "what a killed recorder wrote to a pipe is printed to the end" {
	streaming
	"$sequence" 1 1000
	until_true printed "1000 0"
	kill -9 "$recorder"
	wait "$recorder" || true
	wait "$reader"
	printed "1000 0"
	has "$(cat "$tmp/report.err")" "standard input: the recording has not ended"
}

@test "SIGTERM ends a report of a recording that goes on" {
	streaming
	"$sequence" 1 1000
	until_true printed "1000 0"
	kill -TERM "$reader"
	wait "$reader"
	printed "1000 0"
	# The recorder finds out at its next mark.
	wait "$recorder" || status=$?
	same 141 "$status" "the exit status"
	same "" "$(own)" "left behind"
}

@test "after kill -9 the file has all but the last moments, and recover completes it" {
	recording --comm "$name" -o "$tmp/a.dat"
	"$sequence" 2 50000
	reached() { same "100000 0" "$(account "$tmp/a.dat" 2 50000)" "seen and missing"; }
	until_true reached
	kill -9 "$pid"
	wait "$pid" || true
	reached
	run -0 dktrace recover "$tmp/a.dat"
	has "$output" "a.dat: 0 records were still in the kernel"
	reached
	adds_up "$tmp/a.dat" 2 50000
	same "" "$(own)" "left behind"
}

@test "recover -o adds what the kernel holds to the recording, and completes it as another file" {
	mkdir "$tmp/other"
	recording --comm "$name" -o "$tmp/a.dat"
	kill -STOP "$pid"
	"$sequence" 1 1000
	kill -9 "$pid"
	wait "$pid" || true
	run -0 dktrace recover "$tmp/a.dat" -o "$tmp/other/b.dat"
	has "$output" "a.dat: 1000 records were still in the kernel"
	same "1000 0" "$(account "$tmp/other/b.dat" 1 1000)" "seen and missing"
	same "" "$(own)" "left behind"
}

@test "recover adds what the kernel holds after kill -9 at random, and counts the rest" {
	local i n=${DKT_TEST_KILLS:-6} missed=0 sum=0

	for ((i = 0; i < n; i++)); do
		# Some of them overwrite records after the kill, some compress.
		case $((i % 4)) in
		1) recording --comm "$name" --buffer-size 256K -o "$tmp/a.dat" ;;
		2) recording --comm "$name" --compression zstd -o "$tmp/a.dat" ;;
		*) recording --comm "$name" -o "$tmp/a.dat" ;;
		esac
		"$sequence" 2 300000 &
		load=$!
		at_random 400
		kill -9 "$pid"
		wait "$pid" || true
		wait "$load"
		run dktrace recover "$tmp/a.dat"
		[ "$status" = 0 ] || [ "$status" = 3 ]
		has "$output" "records were still in the kernel"
		sum=$((sum + $(sed -n 's/.*: \([0-9]*\) records were still.*/\1/p' <<<"$output")))
		adds_up "$tmp/a.dat" 2 300000
		missed=$((missed + missing))
		same "" "$(own)" "left behind"
		rm "$tmp/a.dat"
	done
	at_least 1 "$sum" "records of all rounds from the kernel"
	echo "# $n kills: $sum records were in the kernel, $missed lost" >&3
}

@test "the next record, or reset, says that it removes the instance of a killed one" {
	recording --comm "$name" -o "$tmp/a.dat"
	kill -9 "$pid"
	wait "$pid" || true
	name=$(own)
	[ -n "$name" ]
	recording --comm "$name" -o "$tmp/b.dat"
	has "$(cat "$tmp/record.err")" "dktrace: removed what commands that were killed left: ${name##*/} ("
	living=$(own)
	run -0 dktrace recover "$tmp/a.dat"
	has "$output" "the records of its last moment are missing: there is no instance '${name##*/}'"
	run -0 dktrace reset
	lacks "$output" "removed"
	same "$living" "$(own)" "an instance in use"
	kill -9 "$pid"
	wait "$pid" || true
	run -0 dktrace reset
	has "$output" "dktrace: removed what commands that were killed left: ${living##*/} ("
	same "" "$(own)" "left behind"
}

@test "record keeps an earlier file, and two cannot write one file" {
	dktrace record -e "$numbers" -o "$tmp/a.dat" -- "$sequence" 1 10
	sum=$(md5sum <"$tmp/a.dat")
	recording -o "$tmp/a.dat"
	run -1 dktrace record -e "$numbers" -o "$tmp/a.dat" -- true
	has "$output" "another process records into it"
	kill -INT "$pid"
	wait "$pid"
	same "$sum" "$(md5sum <"$tmp/a.dat.old")" "the earlier file"
}

@test "record leaves no file if it cannot begin" {
	run -1 dktrace record -e "$numbers" --buffer-size 900G -o "$tmp/a.dat" -- true
	has "$output" "Cannot allocate memory"
	gone "$tmp/a.dat"
	dktrace record -e "$numbers" -o "$tmp/a.dat" -- "$sequence" 1 10
	sum=$(md5sum <"$tmp/a.dat")
	run -1 dktrace record -e "$numbers" --buffer-size 900G -o "$tmp/a.dat" -- true
	lacks "$output" "a.dat.old"
	same "$sum" "$(md5sum <"$tmp/a.dat")" "the earlier file, under its name"
	gone "$tmp/a.dat.old"
	run -1 dktrace record -e "$numbers" --max-size 100K -o "$tmp/a.dat" -- true
	has "$output" "--max-size: 100K leaves no room for records: the file begins with"
	lacks "$output" "busy"
	same "$sum" "$(md5sum <"$tmp/a.dat")" "the earlier file, under its name"
	# A file that was there before stays.
	: >"$tmp/b.dat"
	run -1 dktrace record -e "$numbers" --buffer-size 900G -o "$tmp/b.dat" -- true
	exists "$tmp/b.dat"
	same "" "$(own)" "left behind"
}

# Checks that a recording that ended at a limit has what it says, and nothing twice. usage: ended FILE COUNT
ended()
{
	local missing seen

	read -r seen missing <<<"$(account "$1" 2 "$2")"
	has "$output" ": $seen events, "
	lost=$(dktrace info "$1" --json | jq .lost)
	at_least 1 "$lost" "lost"
	at_least "$lost" "$missing" "missing"
	has "$output" ": $lost events were lost"
}

@test "record leaves room on the disk, and counts what does not fit" {
	mkdir "$tmp/small"
	mount -t tmpfs -o size=24m none "$tmp/small"
	run dktrace record -e "$numbers" -o "$tmp/small/a.dat" -- "$sequence" 2 700000
	free=$(stat -f -c '%a*%S' "$tmp/small")
	cp "$tmp/small/a.dat" "$tmp/a.dat"
	umount "$tmp/small"
	same 3 "$status" "the exit status"
	has "$output" "the disk is full up to the part that stays free"
	at_least $((1 << 20)) "$((free))" "bytes free"
	ended "$tmp/a.dat" 700000
	run -3 dktrace record -e "$numbers" --max-size 8M -o "$tmp/b.dat" -- "$sequence" 2 500000
	has "$output" "--max-size"
	at_least "$(stat -c %s "$tmp/b.dat")" $((8 << 20)) "bytes allowed"
	at_least $((7 << 20)) "$(stat -c %s "$tmp/b.dat")" "bytes used"
	ended "$tmp/b.dat" 500000
	# The limit of the process is one for the file, but not for the command.
	limited=$(ulimit -f 4000 && run dktrace record -e "$numbers" -o "$tmp/c.dat" -- "$sequence" 2 500000 &&
		echo "$status $output")
	output=$limited
	has "$output" "3 dktrace: recording ended: the file has reached the limit of 'ulimit -f'"
	ended "$tmp/c.dat" 500000
	limited=$(ulimit -f 1 && run dktrace record -e "$numbers" -o "$tmp/d.dat" -- true && echo "$status $output")
	same "1 dktrace: $tmp/d.dat: write the recording: File too large; raise the limit of 'ulimit -f'; without one, write to another file system" "$limited" "no room for its beginning"
	gone "$tmp/d.dat"
	run -153 dktrace record -e "$numbers" -o "$tmp/e.dat" -- sh -c "ulimit -f 1; exec head -c 9000 /dev/zero >'$tmp/zeros'"
}

@test "record takes classes, stacks, children and the status of the command" {
	run -7 dktrace record -c ioctl -o "$tmp/a.dat" -- sh -c 'stty </dev/null; exit 7'
	at_least 1 "$(dktrace report "$tmp/a.dat" | grep -c sys_enter_ioctl)" "calls of a child"
	dktrace record -e "sched:sched_process_exec,$numbers" --stack sched_process_exec -o "$tmp/b.dat" \
		-- "$sequence" 1 10
	run -0 dktrace report "$tmp/b.dat"
	same 1 "$(grep -c kernel_stack <<<"$output")" "stacks"
}

@test "record reports what it cannot do before it starts" {
	expect 2 "" "dktrace: record: name what to record: classes with -c, such as -c iotrace, or events with -e, such as -e 'sched:*'" \
		dktrace record -o "$tmp/a.dat"
	run -1 dktrace record -e nosuch -o "$tmp/a.dat"
	has "$output" "no event matches 'nosuch'"
	run -1 dktrace record -e "$numbers" -o "$tmp/none/a.dat"
	has "$output" "No such file"
	run -127 dktrace record -e "$numbers" -o "$tmp/a.dat" -- /nonexistent
	run -1 dktrace record -e "$numbers" --duration 1 -o /dev/full
	[ ! -e "$tmp/a.dat" ]
	# A product of bytes and CPUs that has more than 64 bits is not a small buffer.
	run -1 dktrace record -e "$numbers" --buffer-size 9223372036854775808 -o "$tmp/b.dat" -- true
	has "$output" "Cannot allocate memory"
	same "" "$(own)" "left behind"
}

@test "record fails if its file is removed or overwritten, and finds one that is renamed" {
	mkdir "$tmp/dir"
	recording -o "$tmp/dir/a.dat"
	rm -r "$tmp/dir"
	# It looks by itself, without a signal.
	wait "$pid" && rc=0 || rc=$?
	same 1 "$rc" "the exit status"
	has "$(cat "$tmp/record.err")" "/dir/a.dat has been removed while it was recorded, and its records with it"
	recording -o "$tmp/b.dat"
	: >"$tmp/b.dat"
	kill -INT "$pid"
	wait "$pid" && rc=0 || rc=$?
	same 1 "$rc" "the exit status"
	has "$(cat "$tmp/record.err")" "another process has overwritten $tmp/b.dat while it was recorded"
	recording -o "$tmp/c.dat"
	mv "$tmp/c.dat" "$tmp/d.dat"
	kill -INT "$pid"
	wait "$pid"
	has "$(cat "$tmp/record.err")" "complete $tmp/c.dat: the recording does not have this name any more"
	has "$(cat "$tmp/record.err")" "'dktrace recover $tmp/d.dat' completes it for trace-cmd"
	run -0 dktrace recover "$tmp/d.dat"
	same "" "$(own)" "left behind"
}

@test "record names the file that it cannot write" {
	# A limit that comes while it records stands for a disk that fails.
	# shellcheck disable=SC2016
	run -1 dktrace record -e "$numbers" -o "$tmp/a.dat" \
		-- sh -c 'prlimit --pid "$PPID" --fsize=2097152 && exec "$0" 2 200000' "$sequence"
	has "$output" "dktrace: $tmp/a.dat: write the recording: File too large; raise the limit of 'ulimit -f'; without one, write to another file system"
	same "" "$(own)" "left behind"
}

@test "record completes nothing on a file system that is detached" {
	mkdir "$tmp/disk"
	mount -t tmpfs none "$tmp/disk"
	recording -o "$tmp/disk/a.dat"
	umount -l "$tmp/disk"
	kill -INT "$pid"
	wait "$pid"
	has "$(cat "$tmp/record.err")" "complete $tmp/disk/a.dat: the recording does not have this name any more"
	same "" "$(own)" "left behind"
}

@test "the reader of a pipe can go away" {
	run bash -c 'dktrace record -e "$1" --duration 600 -o - | head -c 100 >/dev/null; exit "${PIPESTATUS[0]}"' \
		sh 'raw_syscalls:*'
	same 141 "$status" "the exit status"
	same "" "$(own)" "left behind"
}

@test "record to a pipe with a name ends at a signal before it has a reader, and with its reader" {
	mkfifo "$tmp/pipe"
	start dktrace record -e syscalls:sys_enter_ioctl -o "$tmp/pipe" -- true
	until_true eval '! kill "$pid" 2>/dev/null'
	start head -c 1 "$tmp/pipe" >/dev/null
	# The reader ends while it is written.
	run -141 dktrace record -e syscalls:sys_enter_ioctl -o "$tmp/pipe" -- true
}

@test "record keeps the earlier file behind a link as FILE.old, too" {
	echo precious >"$tmp/target"
	ln -s target "$tmp/link"
	run -0 --separate-stderr dktrace record -e syscalls:sys_enter_ioctl -o "$tmp/link" -- true
	same precious "$(cat "$tmp/target.old")" "the earlier file"
	has "$stderr" "is now $tmp/target.old"
	[ -L "$tmp/link" ]
	dktrace info "$tmp/target"
	# A command that cannot start leaves all as it was.
	run -1 dktrace record -e syscalls:sys_enter_ioctl -o "$tmp/target.old" -e nosuch:event -- true
	same precious "$(cat "$tmp/target.old")" "the earlier file"
}
