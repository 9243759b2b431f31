#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# daemon: segments without a gap, a killed process, other settings, a disk that is full or gone.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

# Its own name, because another run of these tests has the same events.
comm=seq-$BATS_ROOT_PID
sequence=$BATS_RUN_TMPDIR/$comm
numbers='syscalls:sys_enter_close[fd >= 1000000]'

setup_file()
{
	ln -s "$tools/gen-sequence" "$sequence"
}

daemon()
{
	timeout 600 dktrace daemon "$@" 3>&-
}

# Its buffers have room for all numbers of a test, also if they are all of one CPU and nothing is read for a while.
start_daemon()
{
	daemon start --dir "$tmp/dir" -e "$numbers" --comm "$comm" --buffer-size 16M "$@"
}

# The number of a field of the status.
number()
{
	dktrace daemon status --json | jq ".$1"
}

# Lists the segments by their numbers. A daemon begins another one if the clock is set, so there may be more than the
# limits make, and their names may have earlier times.
segments()
{
	find "$tmp/dir/" -name '*.dat' -printf '%f\n' | sort -t - -k 3 | sed "s|^|$tmp/dir/|"
}

# Checks that all events of the sequence are in the segments or counted as lost. usage: adds_up THREADS COUNT
adds_up()
{
	local seen lost=0 file

	for file in $(segments); do
		dktrace report "$file" --style csv --fields pid,fd 2>/dev/null || true
		lost=$((lost + $(dktrace info "$file" --json | jq .lost)))
		echo "$lost" >"$tmp/lost"
	done >"$tmp/all"
	read -r seen missing < <("$sequence" check "$1" "$2" <"$tmp/all")
	same "$missing" "$(cat "$tmp/lost")" "lost, beside $seen seen"
	same "$(($1 * $2))" "$((seen + missing))" "seen and lost"
}

# The index has a line for each segment.
indexed()
{
	same "$(segments | xargs -n 1 basename)" "$(cut -d ' ' -f 1 "$tmp/dir/index")" "the index"
}

teardown()
{
	umount -l "$tmp/disk" "$tmp/dir" "$tmp/same" 2>/dev/null || true
	[ -z "${watch:-}" ] || rmdir "$watch" 2>/dev/null || true
	end_test
}

# The owner of a directory knows the names of what the daemon writes there.
@test "daemon: pipes with the names of its files do not stop it" {
	mkdir "$tmp/dir"
	mkfifo "$tmp/dir/index.tmp" "$tmp/dktrace-$DKTRACE_INSTANCE.prom.tmp"
	start_daemon --segment-time 1 --metrics "$tmp"
	until_true test -s "$tmp/dir/index"
	until_true test -s "$tmp/dktrace-$DKTRACE_INSTANCE.prom"
	"$sequence" 1 1000
	daemon stop
	adds_up 1 1000
	same "" "$(find "$tmp/dir" -name '*.tmp' ! -name index.tmp)" "new files"
}

@test "daemon: reset refuses while it runs, and ends it with --all" {
	start_daemon
	daemon_pid=$(number pid)
	expect 1 "" "dktrace: a daemon is running, process $daemon_pid; 'dktrace daemon stop' ends it
dktrace: reset: nothing was removed; --all ends what runs" dktrace reset
	same "$daemon_pid" "$(number pid)" "the daemon"
	expect 0 "" "dktrace: ended a daemon, process $daemon_pid" dktrace reset --all
	same "" "$(own)" "instances"
}

old()
{
	dktrace daemon status | grep -q 'attention.* the daemon has written no state for [0-9]* s'
}

@test "daemon status says that its numbers are old if the daemon stands still" {
	start_daemon
	run ! old
	kill -STOP "$(number pid)"
	until_true old
	at_least 10000000000 "$(number age_ns)" "age"
	kill -CONT "$(number pid)"
	until_true not_old
	daemon stop
}

not_old()
{
	! old
}

@test "daemon: no record is lost between segments, and all are finished files" {
	start_daemon --segment-size 4M --segment-time 1
	"$sequence" 2 200000
	until_true eval '[ "$(segments | wc -l)" -ge 3 ]'
	run -0 --separate-stderr dktrace daemon status
	has "$output" "segment     dktrace-"
	at_least "$(grep -v '^dir' <<<"$output" | wc -L)" 80 "columns"
	daemon stop
	adds_up 2 200000
	same 0 "$missing" "lost"
	indexed
	for file in $(segments); do
		run -0 --separate-stderr trace-cmd report -i "$file"
		run -0 dktrace info "$file"
		[[ "$output" == *'trace.dat version 7'* ]]
	done
	same "" "$(own)" "left behind"
	[ ! -e "/run/dktrace/.daemon-$DKTRACE_INSTANCE" ]
	run -1 daemon stop
	[[ "$output" == *'no daemon is running'* ]]
}

@test "daemon: after kill -9 at random the next one goes on, and nothing is missing" {
	local i n=${DKT_TEST_KILLS:-3}

	for ((i = 0; i < n; i++)); do
		start_daemon --segment-size 4M --segment-time 1 2>>"$tmp/err"
		start "$sequence" 1 150000
		at_random 400
		kill -9 "$(number pid)"
		wait "$pid"
		until_true eval '[ "$(number pid)" = null ]'
	done
	run -1 --separate-stderr dktrace daemon status
	has "$output" "the process does not run"
	has "$output" "'dktrace daemon start' goes on"
	at_least "$(grep -A 1 attention <<<"$output" | wc -L)" 80 "columns"
	same "$tmp/dir" "$(number dir | tr -d '"')" "the directory in JSON"
	start_daemon 2>>"$tmp/err"
	same "$n" "$(grep -c 'an earlier daemon was killed' "$tmp/err")" "messages"
	daemon stop
	lost=0 seen=0
	for file in $(segments); do
		lost=$((lost + $(dktrace info "$file" --json | jq .lost)))
		seen=$((seen + $(dktrace info "$file" --json | jq .records)))
	done
	same $((n * 150000)) "$((seen + lost))" "seen and lost"
	dktrace report "$tmp/dir" --style csv --fields pid,fd 2>/dev/null | grep '^[0-9]' >"$tmp/all"
	same "$seen" "$(wc -l <"$tmp/all")" "records in the directory"
	same "" "$(sort "$tmp/all" | uniq -d | head -n 3)" "records that are there twice"
	echo "# $n kills: $seen records, $lost lost" >&3
	indexed
}

@test "daemon: the next one goes on after one that was killed before it wrote to its segment" {
	start_daemon
	kill -9 "$(number pid)"
	until_true eval '[ "$(number pid)" = null ]'
	"$sequence" 1 1000
	: >"$(segments | tail -n 1)"
	start_daemon 2>"$tmp/err"
	has "$(cat "$tmp/err")" "an earlier daemon was killed between two segments"
	daemon stop
	adds_up 1 1000
	same 0 "$missing" "lost"
	indexed
}

@test "daemon: the next one waits for one that was killed and has not ended yet" {
	chrt -f 1 true || skip "real-time priority is not permitted"
	start_daemon
	killed=$(number pid)
	# It cannot end while its CPU has something more urgent to do.
	choose_cpus
	taskset -pc "$cpu_a" "$killed"
	# shellcheck disable=SC2016
	start taskset -c "$cpu_a" chrt -f 1 bash -c ': >"$0"; ulimit -t 2; while :; do :; done' "$tmp/spins"
	until_true [ -e "$tmp/spins" ]
	kill -9 "$killed"
	start_daemon
	# Another process has the segment for a moment.
	kill -9 "$(number pid)"
	until_true eval '[ "$(number pid)" = null ]'
	last=$(segments | tail -n 1)
	start flock "$last" sh -c ': >"$0"; sleep 0.3' "$tmp/locked"
	until_true [ -e "$tmp/locked" ]
	start_daemon
	daemon stop
	indexed
}

# A worker that has just been forked still has the daemon's files.
has_let_go()
{
	[ -e "/proc/$worker/fd/2" ] &&
		[ -z "$(find "/proc/$worker/fd" -lname '*trace_pipe_raw' -o -lname "*/$(segments | tail -n 1 | xargs basename)")" ]
}

# True once the worker has stopped or ended.
halted()
{
	! grep -q '^State:[[:space:]]*[RSD]' "/proc/$worker/status"
}

@test "daemon: its worker keeps nothing from the next one after kill -9" {
	start_daemon --segment-time 1
	pid=$(number pid)
	# A worker is at work after each segment; stopped, it is still there when the next daemon begins.
	worker=
	for _ in $(seq 3000); do
		"$sequence" 1 20000
		read -r worker <"/proc/$pid/task/$pid/children" || true
		[ -n "$worker" ] && kill -STOP "$worker" && until_true halted && has_let_go && break
		[ -z "$worker" ] || kill -CONT "$worker" || true
		worker=
	done
	[ -n "$worker" ]
	kill -9 "$pid"
	until_true eval '[ "$(number pid)" = null ]'
	start_daemon
	daemon stop
	kill -CONT "$worker"
	until_true eval '[ ! -e "/proc/$worker" ] || grep -q ") Z" "/proc/$worker/stat"'
	start_daemon
	daemon stop
	indexed
}

@test "daemon: a start that fails leaves what a killed one has left" {
	start_daemon
	kill -9 "$(number pid)"
	until_true eval '[ "$(number pid)" = null ]'
	"$sequence" 1 1000
	run -1 daemon start --dir "$tmp/dir" -e no:such_event
	[[ "$output" == *no:such_event* ]]
	mkdir "$tmp/disk"
	mount -t tmpfs -o size=1M,ro none "$tmp/disk"
	run -1 daemon start --dir "$tmp/disk" -e "$numbers"
	[[ "$output" == *'Read-only file system'* ]]
	"$sequence" 1 1000
	start_daemon
	daemon stop
	for file in $(segments); do dktrace info "$file" --json | jq .records; done >"$tmp/counts"
	same 2000 "$(awk '{ n += $1 } END { print n }' "$tmp/counts")" "records"
}

@test "daemon: a stop that cannot write says so, and the next start goes on" {
	mkdir "$tmp/disk"
	mount -t tmpfs -o size=60M none "$tmp/disk"
	ln -s disk "$tmp/dir"
	start_daemon --max-size 50M --compression none
	dd if=/dev/zero of="$tmp/disk/filler" bs=1M 2>/dev/null || true
	"$sequence" 1 200000
	run -1 daemon stop
	[[ "$output" == *'No space left on device: the kernel holds records that are not written'* ]]
	[[ "$(dktrace daemon status)" == *'No space left on device'* ]]
	rm "$tmp/disk/filler"
	start_daemon --max-size 50M --compression none
	daemon stop
	adds_up 1 200000
	# The second stop discards.
	start_daemon --max-size 50M --compression none
	dd if=/dev/zero of="$tmp/disk/filler" bs=1M 2>/dev/null || true
	"$sequence" 1 200000
	run -1 daemon stop
	daemon stop
	same "" "$(own)" "left behind"
}

@test "daemon: probes stay over a reload, and those of a killed one are removed" {
	# Other tests run the same program.
	target=$tmp/probe-target
	cp "$tools/probe-target" "$target"
	probe="target --exec $target"
	daemon start --dir "$tmp/dir" --probe "$probe"
	"$target" 5 >"$tmp/out"
	daemon reload --segment-time 1h
	daemon reload --probe "$probe" -e "$numbers" --comm "$comm,probe-target"
	"$target" 5 >"$tmp/out"
	kill -9 "$(number pid)"
	until_true eval '[ "$(number pid)" = null ]'
	daemon start --dir "$tmp/dir" --probe "$probe"
	"$target" 5 >"$tmp/out"
	"$sequence" 2 1000
	daemon reload --probe "$probe" -e "$numbers" --comm "$comm"
	"$sequence" 2 1000
	daemon reload -e "$numbers" --comm "$comm"
	"$sequence" 2 1000
	daemon reload --probe "$probe" -e "$numbers" --comm "$comm,probe-target"
	"$target" 5 >"$tmp/out"
	daemon stop
	run ! grep "$target" /sys/kernel/tracing/uprobe_events
	for file in $(segments); do dktrace report "$file"; done >"$tmp/all"
	same 20 "$(grep -c ' target: ' "$tmp/all")" "hits of the probe"
	same 4000 "$(grep -c ' sys_enter_close: ' "$tmp/all")" "other events"
}

@test "daemon: reload changes the events without a gap, or not at all" {
	start_daemon --buffer-size 32M
	start "$sequence" 1 300000
	for events in "$numbers,sched:sched_switch" "$numbers" "$numbers,syscalls:sys_exit_close"; do
		daemon reload -e "$events" --comm "$comm"
		# Its end is a switch, and its beginning closes files.
		"$sequence" 1 0
	done
	run -1 daemon reload -e no:such_event
	[[ "$output" == *no:such_event* ]]
	[[ "$(dktrace daemon status)" == *sys_exit_close* ]]
	run -1 daemon reload
	[[ "$output" == *'started without --settings'* ]]
	wait "$pid"
	daemon stop
	adds_up 1 300000
	same 0 "$missing" "lost"
	dktrace report "$tmp/dir" >"$tmp/out"
	grep -q sys_exit_close "$tmp/out"
	grep -q sched_switch "$tmp/out"
}

# Prints how the kernel restricts an event.
restrictions()
{
	local at

	at=$(own)

	cat "$at/events/sched/sched_process_exec/filter" "$at/set_event_pid" "$at/tracing_cpumask"
	grep -v '^#' "$at/events/sched/sched_process_exec/trigger" "$at/events/sched/sched_process_fork/trigger"
}

@test "daemon: nothing of the earlier settings stays" {
	daemon start --dir "$tmp/dir" -e sched:sched_process_exec
	plain=$(restrictions || true)
	for _ in reload killed; do
		daemon reload -e sched:sched_process_exec,sched:sched_process_fork --comm nosuch --pid $$ --cpu 0 \
			--stack sched:sched_process_exec,sched:sched_process_fork
		[ "$(restrictions | grep -c stacktrace)" = 2 ]
		[ "$(restrictions | grep -c nosuch)" = 3 ]
		daemon reload -e sched:sched_process_exec --stack sched:sched_process_exec
		same "$plain" "$(restrictions | grep -v stacktrace)" "beside the stack"
		[ "$(restrictions | grep -c nosuch)" = 0 ]
		[ "$(restrictions | grep -c stacktrace)" = 1 ]
		daemon reload -e sched:sched_process_exec --comm other --pid $$ --cpu 0
		[ "$(restrictions | grep -c stacktrace)" = 0 ]
		kill -9 "$(number pid)"
		until_true eval '[ "$(number pid)" = null ]'
		daemon start --dir "$tmp/dir" -e sched:sched_process_exec
		same "$plain" "$(restrictions || true)" "restrictions"
	done
	daemon stop
}

@test "daemon: settings from a file, read again by reload and SIGHUP" {
	printf '# events\nevent %s\nsegment-size 5M\ndir %s\n' "$numbers" "$tmp/dir" >"$tmp/conf"
	daemon start --settings "$tmp/conf"
	run -1 daemon start --settings "$tmp/conf"
	[[ "$output" == *'a daemon is running already'* ]]
	printf 'event %s,syscalls:sys_enter_ioctl\n' "$numbers" >"$tmp/conf"
	daemon reload
	[[ "$(dktrace daemon status)" == *sys_enter_ioctl* ]]
	echo 'evnt x' >"$tmp/conf"
	run -1 daemon reload
	[[ "$output" == *"line 1: 'evnt' is not a setting of the daemon"* ]]
	[[ "$(dktrace daemon status)" == *sys_enter_ioctl* ]]
	printf 'event %s\n' "$numbers" >"$tmp/conf"
	kill -HUP "$(number pid)"
	until_true eval '[[ "$(dktrace daemon status)" != *sys_enter_ioctl* ]]'
	daemon stop
}

@test "daemon: a full disk stops writing, and it goes on with all that the kernel held" {
	mkdir "$tmp/disk"
	mount -t tmpfs -o size=100M none "$tmp/disk"
	ln -s disk "$tmp/dir"
	start_daemon --segment-size 4M --max-size 80M --compression none
	dd if=/dev/zero of="$tmp/disk/filler" bs=1M 2>/dev/null || true
	"$sequence" 1 200000
	until_true eval '[ "$(number error)" != null ]'
	# If the disk is full just when a segment ends, it is the next one that cannot be created.
	[[ "$(number error)" =~ 'no room for more records'|'No space left on device' ]]
	rm "$tmp/disk/filler"
	until_true eval '[ "$(number error)" = null ]'
	daemon stop
	adds_up 1 200000
	same 0 "$missing" "lost"
}

@test "daemon --segment-size holds on a small file system too" {
	mkdir "$tmp/disk"
	mount -t tmpfs -o size=24M none "$tmp/disk"
	ln -s disk "$tmp/dir"
	start_daemon --segment-size 4M --max-size 16M
	"$sequence" 2 200000
	until_true eval '[ "$(segments | wc -l)" -ge 2 ]'
	daemon stop
	adds_up 2 200000
	same 0 "$missing" "lost"
}

@test "daemon status counts what the kernel loses while the disk is full" {
	mkdir "$tmp/disk"
	mount -t tmpfs -o size=40M none "$tmp/disk"
	ln -s disk "$tmp/dir"
	start_daemon --buffer-size 64K --compression none
	dd if=/dev/zero of="$tmp/disk/filler" bs=1M 2>/dev/null || true
	"$sequence" 1 20000
	until_true eval '[ "$(number error)" != null ]'
	"$sequence" 1 20000
	until_true eval '[ "$(number all_lost)" -gt 0 ]'
	rm "$tmp/disk/filler"
	daemon stop
}

# Watches, in an instance of its own, how the daemon tries to create segments: each time it first creates their
# directory.
watch_attempts()
{
	watch=$tracing/instances/$DKTRACE_INSTANCE-watch
	mkdir "$watch"
	echo "common_pid == $(number pid)" >"$watch/events/syscalls/sys_enter_mkdir/filter"
	echo 1 >"$watch/events/syscalls/sys_enter_mkdir/enable"
}

# True if it tried so many times. usage: attempts N
attempts()
{
	[ "$(grep -c 'sys_mkdir(' "$watch/trace")" -ge "$1" ]
}

@test "daemon: a segment that cannot be created is reported once, and recording goes on later" {
	start daemon start --foreground --dir "$tmp/dir" -e "$numbers" --comm "$comm" --buffer-size 16M \
		--segment-time 1 2>"$tmp/log"
	until_true grep -q 'recording; segments' "$tmp/log"
	mount --bind "$tmp/dir" "$tmp/dir"
	mount -o remount,ro,bind "$tmp/dir"
	until_true eval '[ "$(number error)" != null ]'
	"$sequence" 2 1000
	watch_attempts
	until_true attempts 3
	rmdir "$watch"
	same "create a segment in $tmp/dir: Read-only file system" "$(number error | tr -d '"')" "the error"
	umount "$tmp/dir"
	same 1 "$(grep -c "create a segment" "$tmp/log")" "messages"
	until_true eval '[ "$(number error)" = null ]'
	daemon stop
	adds_up 2 1000
	same 0 "$missing" "lost"
}

@test "daemon: its directory stays its own while no segment can be created" {
	start_daemon --segment-time 1
	mkdir "$tmp/same"
	mount --bind "$tmp/dir" "$tmp/same"
	mount --bind "$tmp/dir" "$tmp/dir"
	mount -o remount,ro,bind "$tmp/dir"
	until_true eval '[ "$(number error)" != null ]'
	run env DKTRACE_INSTANCE="$DKTRACE_INSTANCE-other" timeout 600 dktrace daemon start --dir "$tmp/same" \
		-e "$numbers" 3>&-
	DKTRACE_INSTANCE=$DKTRACE_INSTANCE-other dktrace daemon stop || true
	umount "$tmp/dir"
	same "dktrace: another daemon records into $tmp/same; each needs a directory of its own" "$output" "message"
	until_true eval '[ "$(number error)" = null ]'
	daemon stop
}

@test "daemon: what is in the place of its lock does not stop one that runs, and is refused at a start" {
	mkdir "$tmp/dir"
	mkfifo "$tmp/dir/lock"
	run -1 start_daemon
	same "dktrace: lock $tmp/dir/lock: it is not a regular file" "$output" "a pipe"
	rm "$tmp/dir/lock"
	ln -s "$tmp/elsewhere" "$tmp/dir/lock"
	run -1 start_daemon
	same "dktrace: lock $tmp/dir/lock: Too many levels of symbolic links" "$output" "a link"
	gone "$tmp/elsewhere"
	rm "$tmp/dir/lock"
	mkdir "$tmp/dir/lock"
	run -1 start_daemon
	same "dktrace: lock $tmp/dir/lock: Is a directory" "$output" "a directory"
	rmdir "$tmp/dir/lock"
	start_daemon
	daemon stop
}

@test "daemon: a directory that is removed is made again" {
	start_daemon
	rm -r "$tmp/dir"
	until_true eval '[ -n "$(segments 2>/dev/null)" ]'
	"$sequence" 1 1000
	daemon stop
	adds_up 1 1000
	same 0 "$missing" "lost"
}

@test "daemon: stop --keep-recording leaves the kernel recording for the next one" {
	start_daemon
	daemon stop --keep-recording
	"$sequence" 2 5000
	run -1 daemon status
	has "$output" "attention   it was stopped with --keep-recording: the kernel records on"
	start_daemon 2>"$tmp/err"
	has "$(cat "$tmp/err")" "the kernel has recorded on since the last daemon was stopped: the next segment has that"
	lacks "$(cat "$tmp/err")" "killed"
	run -0 daemon status
	lacks "$output" "attention"
	daemon stop
	adds_up 2 5000
	same 0 "$missing" "lost"
	same "" "$(own)" "left behind"
}

@test "daemon: status says how long the space lasts" {
	start_daemon --max-size 9000T
	run -0 daemon status
	has "$output" "until the disk is full"
	daemon reload --max-size 2M
	run -0 daemon status
	has "$output" "until the oldest segment is deleted"
	run -0 daemon status --json
	jq -e '.space <= 2000000 and (.space_s == null or .space_s >= 0)' <<<"$output"
	daemon stop
}

@test "daemon: the oldest segments are deleted" {
	start_daemon --segment-size 4M --segment-time 1 --max-size 2500k
	until_true eval '[ "$(number segment | tr -dc 0-9 | tail -c 6)" -ge 5 ]'
	daemon stop
	[ "$(segments | wc -l)" -lt 5 ]
	indexed
}

@test "daemon: two of them cannot record into one directory" {
	# Also if it begins another segment meanwhile.
	start_daemon --segment-time 1
	for _ in 1 2 3; do
		run -1 env DKTRACE_INSTANCE="$DKTRACE_INSTANCE-other" timeout 600 dktrace daemon start --dir "$tmp/dir" \
			-e "$numbers" 3>&-
		same "dktrace: another daemon records into $tmp/dir; each needs a directory of its own" "$output" "message"
	done
	same "$tracing/instances/$DKTRACE_INSTANCE-daemon" "$(own)" "instances"
	"$sequence" 1 1000
	daemon stop
	adds_up 1 1000
	same 0 "$missing" "lost"
}

@test "daemon: settings that cannot be stored are not taken" {
	start_daemon
	in_run=/run/dktrace/.daemon-$DKTRACE_INSTANCE
	mkdir "$in_run/settings.next"
	run -1 daemon reload -e "$numbers,syscalls:sys_enter_ioctl"
	has "$output" "write $in_run/settings.next: Is a directory"
	has "$(dktrace daemon status)" "the last reload failed: write $in_run/settings.next"
	same 0 "$(cat "$tracing/instances/$DKTRACE_INSTANCE-daemon/events/syscalls/sys_enter_ioctl/enable")" "the event"
	lacks "$(dktrace daemon status | grep ^events)" sys_enter_ioctl
	rmdir "$in_run/settings.next"
	daemon reload -e "$numbers,syscalls:sys_enter_ioctl"
	has "$(dktrace daemon status | grep ^events)" sys_enter_ioctl
	lacks "$(dktrace daemon status)" "the last reload failed"
	gone "$in_run/settings.next"
	daemon stop
}

@test "daemon: its instance cannot be removed" {
	start_daemon
	run -1 rmdir "$tracing/instances/$DKTRACE_INSTANCE-daemon"
	"$sequence" 1 1000
	daemon stop
	adds_up 1 1000
	same 0 "$missing" "lost"
}

@test "daemon: a service manager is told" {
	python3 - "$tmp/notify" >"$tmp/told" 3>&- <<'END' &
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
while True:
    text = s.recv(4096).decode()
    print(text, flush=True)
    if "STOPPING" in text:
        break
END
	listener=$!
	until_true test -S "$tmp/notify"
	NOTIFY_SOCKET=$tmp/notify start_daemon
	until_true grep -q WATCHDOG=1 "$tmp/told"
	daemon reload -e "$numbers,syscalls:sys_enter_ioctl"
	daemon stop
	wait "$listener"
	same "READY=1" "$(head -n 1 "$tmp/told")" "the first message"
	has_line RELOADING=1 "$tmp/told"
	has_line STOPPING=1 "$tmp/told"
}

@test "daemon: report tells when it did not record, but not after kill -9 or --keep-recording" {
	start_daemon
	"$sequence" 1 100
	daemon stop --keep-recording
	"$sequence" 1 100
	start_daemon
	kill -9 "$(number pid)"
	until_true eval '[ "$(number pid)" = null ]'
	start_daemon 2>"$tmp/err"
	"$sequence" 1 100
	run -0 --separate-stderr dktrace report "$tmp/dir"
	lacks "$output" "NOT RECORDED"
	daemon stop
	start_daemon
	"$sequence" 1 100
	run -3 --separate-stderr dktrace report "$tmp/dir"
	has "$output" "CPU:0 [EVENTS NOT RECORDED]"
	# If the clock was set back meanwhile, only one of the two times is told.
	same 1 "$(grep -c "nothing was recorded" <<<"$stderr")" "messages"
	daemon stop
	# The same without the index.
	rm "$tmp/dir/index"
	run -3 --separate-stderr dktrace report "$tmp/dir"
	has "$output" "CPU:0 [EVENTS NOT RECORDED]"
	same 1 "$(grep -c "nothing was recorded" <<<"$stderr")" "messages"
}

# The value of a metric, summed over its lines. usage: metric FILE NAME [LABEL]
metric()
{
	grep "^$2{.*${3:-}.*}" "$1" | awk '{ n += $NF } END { print n + 0 }'
}

@test "daemon --metrics: counts by class, losses and the disk, for Prometheus, until it ends" {
	local file=dktrace-$DKTRACE_INSTANCE.prom

	mkdir "$tmp/a" "$tmp/b"
	start_daemon --metrics "$tmp/a"
	same 644 "$(stat -c %a "$tmp/a/$file")" "the mode"
	same 0 "$(metric "$tmp/a/$file" dktrace_class_records_total)" "records at the start"
	"$sequence" 2 5000
	until_true eval '[ "$(number all_records)" -eq 10000 ]'
	# The file is replaced soon after a change of the settings.
	daemon reload --metrics "$tmp/b"
	until_true test -e "$tmp/b/$file"
	gone "$tmp/a/$file"
	same 10000 "$(metric "$tmp/b/$file" dktrace_records_total)" "records"
	same 10000 "$(metric "$tmp/b/$file" dktrace_class_records_total 'class="vfstrace"')" "records of vfstrace"
	same 0 "$(metric "$tmp/b/$file" dktrace_lost_records_total)" "lost"
	same 1 "$(metric "$tmp/b/$file" dktrace_reloads_total)" "reloads"
	until_true eval '[ "$(metric "$tmp/b/$file" dktrace_segments)" -eq "$(segments | wc -l)" ]'
	same "$(getconf _NPROCESSORS_CONF)" "$(grep -c '^dktrace_class_bytes_total{.*class="vfstrace"' "$tmp/b/$file")" "CPUs"
	command -v promtool >/dev/null && expect 0 "" "" promtool check metrics <"$tmp/b/$file"
	expect 1 "" "dktrace: write metrics to $tmp/c: No such file or directory" daemon reload --metrics "$tmp/c"
	daemon reload --metrics ''
	gone "$tmp/b/$file"
	daemon reload --metrics "$tmp/a"
	until_true test -e "$tmp/a/$file"
	daemon stop
	gone "$tmp/a/$file"
}

# A number of a latency in the metrics. usage: latency METRIC NAME CLASS
latency()
{
	metric "$tmp/a/dktrace-$DKTRACE_INSTANCE.prom" "dktrace_latency_seconds_$1" "latency=\"$2\",class=\"$3\""
}

# The processes beside the daemon.
helper()
{
	pgrep -P "$(number pid)" || true
}

@test "daemon --metrics: latencies by class, as latency has them, also of events after a reload" {
	local file=dktrace-$DKTRACE_INSTANCE.prom

	mkdir "$tmp/a"
	daemon start --dir "$tmp/dir" -e "$numbers,syscalls:sys_exit_close" --comm "$comm" --metrics "$tmp/a"
	"$sequence" 2 5000
	until_true eval '[ "$(latency count syscall vfstrace)" -eq 10000 ]'
	same "" "$(latency count fsync vfstrace | grep -v '^0$')" "latencies that are not measured"
	run -0 --separate-stderr dktrace latency -i "$tmp/dir" --csv syscall
	same "$(cut -d , -f 9 <<<"${lines[1]}" | awk '{ print $1 / 1e9 }')" "$(latency sum syscall vfstrace)" "their sum, s"
	command -v promtool >/dev/null && expect 0 "" "" promtool check metrics <"$tmp/a/$file"

	# If the process is killed, the counters go on with the next segment.
	# Another one completes a segment, if there was a reason to begin the next one.
	until_true eval '[ "$(helper | wc -l)" = 1 ]'
	kill -9 "$(helper)"
	daemon reload -e 'syscalls:sys_enter_fsync,syscalls:sys_exit_fsync' --comm bash --segment-time 1
	until_true has_line 'latency="fsync",class="vfstrace"' "$tmp/a/$file"
	same 10000 "$(latency count syscall vfstrace)" "the earlier ones"
	daemon stop
	same "" "$(own)" "left behind"
}

@test "daemon --metrics: the process that measures ends with a daemon that is killed" {
	local id

	mkdir "$tmp/a"
	daemon start --dir "$tmp/dir" -e "$numbers,syscalls:sys_exit_close" --comm "$comm" --metrics "$tmp/a"
	until_true eval '[ "$(helper | wc -l)" -eq 1 ]'
	id=$(helper)
	kill -9 "$(number pid)"
	until_true eval "! kill -0 $id 2>/dev/null"
	daemon start --dir "$tmp/dir" -e "$numbers" --comm "$comm" --metrics "$tmp/a" 2>"$tmp/err"
	until_true eval '[ -z "$(helper)" ]'
	daemon stop
}

@test "daemon --metrics: they tell of a disk that is full, and the settings' file can name the directory" {
	local file=dktrace-$DKTRACE_INSTANCE.prom

	mkdir "$tmp/disk" "$tmp/a"
	mount -t tmpfs -o size=40m tmpfs "$tmp/disk" || skip "cannot mount"
	printf 'metrics %s\ncompression none\n' "$tmp/a" >"$tmp/conf"
	start_daemon --settings "$tmp/conf" --dir "$tmp/disk/dir"
	same 0 "$(metric "$tmp/a/$file" dktrace_write_failing)" "failing at the start"
	dd if=/dev/zero of="$tmp/disk/fill" bs=1M status=none 2>/dev/null || true
	"$sequence" 2 50000
	until_true has_line 'dktrace_write_failing.* 1$' "$tmp/a/$file"
	at_least 1 "$(metric "$tmp/a/$file" dktrace_write_failures_total)" "failures"
	rm "$tmp/disk/fill"
	until_true has_line 'dktrace_write_failing.* 0$' "$tmp/a/$file"
	daemon stop
}
