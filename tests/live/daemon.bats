#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# debug_daemon: the trace log into a file, in the background.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

daemon_pid()
{
	lctl debug_daemon status | sed -n 's/^debug daemon: process \([0-9]*\) writes.*/\1/p'
}

stop_daemon()
{
	lctl debug_daemon stop
}

# Makes that many calls of write, known by their size. usage: writes COUNT SIZE
writes()
{
	dd if=/dev/zero of=/dev/null bs="$2" count="$1" status=none
}

# Counts them in a text.
count_writes()
{
	grep -c "sys_enter_write()) fd: 0x00000001.*count: 0x0*$(printf %x "$2")\$" "$1" || true
}

# Records the writes of this test, and nothing that others could fill the buffers with.
record_writes()
{
	set_param debug=+vfstrace "$@"
	only_ours
}

# True if the daemon does not run, or not any more.
daemon_ended()
{
	[ -z "$(daemon_pid)" ]
}

@test "the daemon writes every record, complete, in Lustre's format" {
	record_writes
	expect 0 '' '' lctl debug_daemon start "$tmp/log" 500 3>&-
	pid=$(daemon_pid)
	[ "$(ps -o ppid= -p "$pid" | tr -d ' ')" != $$ ]
	# The daemon has its own session, no terminal, / as its directory, and none of our files open.
	same '?' "$(ps -o tty= -p "$pid" | tr -d ' ')"
	[ "$(readlink "/proc/$pid/cwd")" = / ]
	writes 700 33317
	expect 0 '' '' lctl debug_daemon stop
	# The process has ended, or is a zombie.
	run ! grep -s '^State:[[:space:]]*[RSDT]' "/proc/$pid/status"
	same 600 "$(stat -c %a "$tmp/log")"
	run -0 --separate-stderr lctl df "$tmp/log" "$tmp/text"
	same '' "$stderr" "df's stderr"
	has "$output" ' 0 dropped, 0 bad.'
	same 700 "$(count_writes "$tmp/text" 33317)" writes
	# The lines are dk's.
	run -0 grep -vE '^[0-9a-f]{8}:[0-9a-f]{8}:[0-9]+\.[012]F?:[0-9]+\.[0-9]{6}:0:[0-9]+:0:\([^:]+:0:[^:]+\(\)\) ' "$tmp/text" ||
		same 1 "$status"
	same '' "$output" "other lines"
	run -0 lctl debug_daemon status
	has "$output" 'debug daemon: does not run'
	has "$output" 'lost: 0 records'
	n=$(sed -n 's/^written: \([0-9]*\) records.*/\1/p' <<<"$output")
	same "$n" "$(wc -l <"$tmp/text")" "records that status tells"
}

@test "a full daemon file keeps complete records, the newest among them" {
	record_writes debug_mb=64
	lctl debug_daemon start "$tmp/log" 10 3>&-
	for i in 1 2 3 4 5 6; do
		writes 8000 "$((10100 + i))"
	done
	stop_daemon
	run -0 lctl debug_daemon status
	rounds=$(sed -n 's/^written: .* \([0-9]*\) times around/\1/p' <<<"$output")
	at_least 1 "$rounds"
	[ "$(stat -c %s "$tmp/log")" -le $((10 << 20)) ]
	run -0 --separate-stderr lctl df "$tmp/log" "$tmp/text"
	same '' "$stderr" "df's stderr"
	has "$output" ' 0 dropped, 0 bad.'
	same 8000 "$(count_writes "$tmp/text" 10106)" "the newest writes"
	same 0 "$(count_writes "$tmp/text" 10101)" "the oldest writes"
	# Going on with the same file leaves it whole as well.
	lctl debug_daemon start "$tmp/log" 10 3>&-
	writes 100 10107
	stop_daemon
	run -0 --separate-stderr lctl df "$tmp/log" "$tmp/text"
	has "$output" ' 0 dropped, 0 bad.'
	same '' "$stderr" "df's stderr"
	same 100 "$(count_writes "$tmp/text" 10107)" "the newest writes"
}

@test "--rotate keeps older files" {
	record_writes debug_mb=64
	lctl debug_daemon start "$tmp/log" 10 --rotate 2 3>&-
	for i in 1 2 3 4 5 6 7 8; do
		writes 20000 "$((10100 + i))"
	done
	stop_daemon
	exists "$tmp/log.1"
	gone "$tmp/log.3"
	for file in "$tmp"/log*; do
		run -0 --separate-stderr lctl df "$file" "$tmp/text"
		has "$output" ' 0 dropped, 0 bad.'
		same '' "$stderr" "df's stderr"
	done
}

@test "kill -9 of the daemon loses nothing" {
	record_writes debug_mb=64
	lctl debug_daemon start "$tmp/log" 200 3>&-
	writes 3000 50211
	kill -9 "$(daemon_pid)"
	until_true daemon_ended
	writes 3000 50212
	run -0 lctl debug_daemon status
	has "$output" 'debug daemon: does not run'
	lctl debug_daemon start "$tmp/log" 200 3>&-
	writes 3000 50213
	stop_daemon
	lctl df "$tmp/log" "$tmp/text" >"$tmp/sum"
	has "$(cat "$tmp/sum")" ' 0 bad.'
	# Some records may be in the log twice.
	for size in 50211 50212 50213; do
		at_least 3000 "$(count_writes "$tmp/text" $size)"
	done
}

@test "start while the daemon runs continues in the new file" {
	record_writes
	lctl debug_daemon start "$tmp/one" 3>&-
	writes 50 7717
	lctl debug_daemon START "$tmp/two" 3>&-
	writes 60 7819
	lctl debug_daemon STOP
	lctl df "$tmp/one" "$tmp/one.text"
	lctl df "$tmp/two" "$tmp/two.text"
	same 50 "$(count_writes "$tmp/one.text" 7717)" "first file"
	same 60 "$(count_writes "$tmp/two.text" 7819)" "second file"
	# Stopping a daemon that does not run is not an error.
	expect 0 '' '' lctl debug_daemon stop
}

@test "dk names the daemon that reads the log" {
	set_param debug=+vfstrace
	lctl debug_daemon start "$tmp/log" 3>&-
	run -1 --separate-stderr lctl dk
	same "lctl: process $(daemon_pid) is reading these buffers, and does so until it is ended
lctl: the debug daemon writes the trace log to $tmp/log: stop it, or use df" "$stderr" stderr
	stop_daemon
	lctl dk >/dev/null
}

@test "reset names what runs and removes nothing; with --all it ends that" {
	set_param debug=+vfstrace
	only_ours
	lctl debug_daemon start "$tmp/log" 3>&-
	pid=$(daemon_pid)
	writes 10 5521
	expect 1 "" "dktrace: the debug daemon is running, process $pid; 'lctl-dktrace debug_daemon stop' ends it
dktrace: reset: nothing was removed; --all ends what runs" dktrace reset
	exists "$instance"
	expect 0 "" "dktrace: ended the debug daemon, process $pid" dktrace reset --all
	gone "$instance"
	run ! grep -s '^State:[[:space:]]*[RSDT]' "/proc/$pid/status"
	lctl df "$tmp/log" "$tmp/text"
	same 10 "$(count_writes "$tmp/text" 5521)" writes
}

@test "classes in printk are copied to the kernel log, at a limited rate" {
	dmesg >"$tmp/before" 2>/dev/null || skip "no permission to read the kernel log"
	only ioctl
	set_param printk=+ioctl
	start perl -e 'while (1) { ioctl(STDIN, 21523, $b = "x" x 256) for 1 .. 300; select undef, undef, undef, 0.05 }'
	dktrace filter set --pid "$pid"
	read -r from _ </proc/uptime
	lctl debug_daemon start "$tmp/log" 3>&-
	copied() { dmesg | grep -q "dktrace: $pid:0:(syscalls:0:sys_enter_ioctl()) "; }
	until_true copied
	# The daemon reads every second.
	logged() { dktrace status --json | jq -e '.cpus | map(.read) | add >= 600' >"$tmp/read"; }
	until_true logged
	kill "$pid"
	stop_daemon
	read -r to _ </proc/uptime
	# The copies are 8 lines in 5 seconds. The kernel forgets the oldest lines if others write many.
	n=$(dmesg | grep -c "dktrace: $pid:0:(syscalls:0:sys_[a-z]*_ioctl()) " || true)
	within 1 "$n" $((8 + (${to%.*} - ${from%.*} + 5) / 5 * 8)) "lines"
	lctl df "$tmp/log" "$tmp/text"
	at_least 300 "$(grep -c ":0:$pid:0:.*sys_enter_ioctl" "$tmp/text")" "records in the file"
	set_param printk=0
}

@test "the daemon reports errors of its start before it detaches" {
	set_param debug=+vfstrace
	expect 2 '' "lctl debug_daemon: cannot resolve path '/nodir/log': No such file or directory" \
		lctl debug_daemon start /nodir/log
	expect 1 '' "start debug_daemon on $tmp failed: open $tmp: Is a directory" lctl debug_daemon start "$tmp"
	expect 1 '' "start debug_daemon on /dev/full failed: /dev/full is not a regular file" lctl debug_daemon start /dev/full
	expect 1 '' 'usage: debug_daemon {start file [MB]|stop}' lctl debug_daemon
	expect 1 '' 'usage: debug_daemon {start file [MB]|stop}' lctl debug_daemon start
	expect 1 '' 'usage: debug_daemon {start file [MB]|stop}' lctl debug_daemon start "$tmp/log" 000010
	expect 1 '' 'usage: debug_daemon {start file [MB]|stop}' lctl debug_daemon go
	for size in 9 20481 10x -1 ''; do
		expect 1 '' "size $size invalid, must be in the range 10-20480 MB" lctl debug_daemon start "$tmp/log" "$size"
	done
	expect 1 '' '--rotate x invalid, must be in the range 1-999 files' lctl debug_daemon start "$tmp/log" --rotate x
	gone "$tmp/log"
}

@test "a full disk ends the daemon, and the records stay in the log" {
	record_writes debug_mb=64
	mkdir "$tmp/small"
	mount -t tmpfs -o size=1m none "$tmp/small"
	lctl debug_daemon start "$tmp/small/log" 3>&-
	writes 10000 99
	until_true daemon_ended
	run -0 lctl debug_daemon status
	umount "$tmp/small"
	has "$output" "debug daemon: failed: write $tmp/small/log: No space left on device"
	lctl dk "$tmp/text"
	at_least 1 "$(count_writes "$tmp/text" 99)"
}

@test "with Lustre, debug_daemon passes the file to Lustre's daemon" {
	need_namespace
	set_param debug=+vfstrace
	run -0 --separate-stderr apart sh -c '
		mount -t tmpfs none /sys/fs && mkdir /sys/fs/lustre &&
		: >/sys/fs/lustre/daemon_file && cd "$0" &&
		lctl debug_daemon start log 0x20 3>&- && cat /sys/fs/lustre/daemon_file && echo &&
		lctl debug_daemon status && lctl debug_daemon stop && cat /sys/fs/lustre/daemon_file' "$tmp"
	has "$output" "size=32$tmp/log
Lustre's debug daemon: writes to size=32$tmp/log
debug daemon: process "
	has "$output" " writes to $tmp/log.dktrace
"
	has "$output" "
stop"
	run -0 lctl df "$tmp/log.dktrace"
}

@test "debug_daemon fails without a log and without Lustre" {
	expect 1 '' "invalid parameter 'daemon_file'" lctl debug_daemon start "$tmp/log"
	expect 1 '' "invalid parameter 'daemon_file'" lctl debug_daemon stop
}
