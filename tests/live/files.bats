#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Output and records on full disks, in missing directories and in read-only places.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

# Marks from 1 to N.
marks()
{
	perl -e 'open(M, ">", $ARGV[0]) or die; select(M); $| = 1; print "number $_\n" for 1 .. $ARGV[1]' \
		"$instance/trace_marker" "$1"
}

# Checks that each mark from 1 to N is in the text once.
all_marks()
{
	diff <(seq "$1") <(sed -n 's/.*) number \([0-9]*\)$/\1/p' "$2" | sort -n)
}

@test "dk FILE in a missing directory removes no record" {
	set_param debug=0
	marks 100
	expect 1 "" "dktrace: open $tmp/no/file: No such file or directory" dktrace dk "$tmp/no/file"
	expect 1 "" "fopen($tmp/no/file) failed: No such file or directory" lctl dk "$tmp/no/file"
	run -1 dktrace dk "$tmp"
	dktrace dk "$tmp/log" >/dev/null
	all_marks 100 "$tmp/log"
}

@test "dk FILE on a full disk fails, and the next dk prints everything" {
	need_namespace
	set_param debug=0
	marks 20000
	mkdir "$tmp/small"
	# shellcheck disable=SC2016
	run -0 --separate-stderr apart sh -c 'mount -t tmpfs -o size=64k none "$0" && { dktrace dk "$0/log"; echo "$?"; lctl dk "$0/log"; echo "$?"; }' \
		"$tmp/small"
	same "1
1" "$output" "status"
	same "dktrace: write $tmp/small/log: No space left on device; free space on its file system, or write to another file system
lctl: write output: No space left on device" "$stderr" "stderr"
	run -1 --separate-stderr dktrace dk -o /dev/full
	run -1 --separate-stderr bash -c 'dktrace dk >/dev/full'
	dktrace dk "$tmp/log" >/dev/null
	all_marks 20000 "$tmp/log"
}

@test "dk fails and removes no record if the disk of the spool is full" {
	need_namespace
	set_param debug=0
	marks 20000
	# shellcheck disable=SC2016
	run -0 --separate-stderr apart sh -c 'mkdir -p "$0/spool" && mount -t tmpfs -o size=32k none "$0/spool" && { dktrace show >/dev/null; echo "$?"; dktrace dk >/dev/null; echo "$?"; }' "$state"
	same "1
1" "$output" "status"
	has "$stderr" "No space left on device"
	dktrace dk "$tmp/log" >/dev/null
	all_marks 20000 "$tmp/log"
}

@test "set_param fails and changes nothing if the disk of the settings is full" {
	need_namespace
	only ioctl
	knobs >"$tmp/before"
	# shellcheck disable=SC2016
	run -0 --separate-stderr apart sh -c 'cp -r "$0" "$1" && mount -t tmpfs -o size=16k,mode=700 none "$0" && cp -r "$1/." "$0" && { cat /dev/zero >"$0/fill" 2>/dev/null; lctl set_param debug=+vfstrace; echo "$?"; ls "$0"; }' \
		"$state" "$tmp/copy"
	same "28" "${lines[0]}" "status"
	has "$stderr" "No space left on device"
	no_line 'settings.before' <(printf '%s\n' "$output")
	knobs | diff "$tmp/before" -
}

@test "a read-only /run is reported and nothing changes" {
	need_namespace
	only ioctl
	knobs >"$tmp/before"
	for command in "set_param debug=+vfstrace" "dk" "clear" "mark x"; do
		# shellcheck disable=SC2016,SC2086
		run --separate-stderr apart sh -c 'mount --bind /run /run && mount -o remount,ro,bind /run && exec lctl "$@"' _ $command
		[ "$status" -ne 0 ]
		has "$stderr" "Read-only file system"
	done
	# shellcheck disable=SC2016
	run -0 apart sh -c 'mount --bind /run /run && mount -o remount,ro,bind /run && exec lctl get_param debug'
	same "debug=ioctl" "$output" "get_param"
	# The file does not exist yet and cannot be created.
	# shellcheck disable=SC2016
	DKTRACE_INSTANCE=$DKTRACE_INSTANCE-b run --separate-stderr apart sh -c 'mount --bind /run /run && mount -o remount,ro,bind /run && exec lctl set_param debug=+vfstrace'
	[ "$status" -ne 0 ]
	has "$stderr" "Read-only file system"
	gone "$instance-b"
	knobs | diff "$tmp/before" -
}

@test "text from a trace is escaped, except with --raw-text and in lctl's file" {
	set_param debug=0
	printf 'red \033[31m bell \a end\n' >"$instance/trace_marker"
	run -0 script -qec 'dktrace show' /dev/null
	has "$output" 'red \x1b[31m bell \x07 end'
	run -0 dktrace show
	has "$output" 'red \x1b[31m bell \x07 end'
	run -0 dktrace show --raw-text
	has "$output" $'red \033[31m bell \a end'
	lctl dk "$tmp/dk.log" >/dev/null
	has "$(cat "$tmp/dk.log")" $'red \033[31m bell \a end'
}

# All marks from 1 to N are in the trace.dat, once.
all_marks_dat()
{
	diff <(seq "$1") <(dktrace report -S json "$2" | jq -r '.fields.buf // empty' |
		sed -n 's/^number \([0-9]*\)$/\1/p' | sort -n)
}

@test "dk --format trace.dat counts all records, and trace-cmd reads the file" {
	set_param debug=iotrace debug_mb=2
	lctl clear
	start dd if=/dev/zero of=/dev/null bs=1 status=none
	until_true overwrites 0
	kill "$pid"
	wait "$pid" || true
	set_param debug=0
	run -3 --separate-stderr dktrace dk -F trace.dat "$tmp/out.dat"
	kept=$(summary kept "$output") gone=$(lost "$stderr")
	same "$(generated)" "$((kept + gone))" "kept $kept + lost $gone"
	at_least 1 "$gone"
	same 600 "$(stat -c %a "$tmp/out.dat")" "mode"
	dktrace info -J "$tmp/out.dat" >"$tmp/info.json" || [ $? -eq 3 ]
	same "$kept $gone" "$(jq -r '"\(.records) \(.lost)"' "$tmp/info.json")" "what the file says"
	if command -v trace-cmd >/dev/null; then
		same "$kept" "$(trace-cmd report "$tmp/out.dat" 2>/dev/null | grep -c '\[00[0-9]\].*[0-9]: ')" "trace-cmd"
	fi
	# It is empty now.
	run -0 dktrace dk -F trace.dat-6 -o "$tmp/out.dat"
	same 0 "$(dktrace report "$tmp/out.dat" | wc -l)" "records of the next one"
}

@test "show --format trace.dat leaves the log as it is" {
	set_param debug=0
	marks 1000
	dktrace show -F trace.dat-6 -o "$tmp/one.dat" >/dev/null
	dktrace show -F trace.dat -f 'buf == "number 7\n"' -o "$tmp/two.dat" >/dev/null || true
	dktrace dk -F trace.dat "$tmp/three.dat" >/dev/null
	all_marks_dat 1000 "$tmp/one.dat"
	all_marks_dat 1000 "$tmp/three.dat"
}

@test "kill -9 of dk --format trace.dat leaves no file, and the next dk writes everything" {
	local i

	set_param debug=0
	marks 40000
	for i in 2 5 10 20 30 40 60 80 120; do
		start dktrace dk -F trace.dat "$tmp/out.dat" >/dev/null
		sleep "0.$(printf %03d "$i")"
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		[ ! -e "$tmp/out.dat" ] || break
	done
	if [ ! -e "$tmp/out.dat" ]; then
		dktrace dk -F trace.dat "$tmp/out.dat" >/dev/null
	fi
	at_least 3 "$i"
	all_marks_dat 40000 "$tmp/out.dat"
	same "" "$(find "$tmp" -name '.dktrace*')" "leftovers"
}

@test "dk --format trace.dat on a full disk leaves no file, and the next dk writes everything" {
	need_namespace
	set_param debug=0
	marks 20000
	mkdir "$tmp/small"
	# shellcheck disable=SC2016
	run -1 --separate-stderr apart sh -c 'mount -t tmpfs -o size=64k none "$0" && dktrace dk -F trace.dat --compression none "$0/out.dat"' \
		"$tmp/small"
	has "$stderr" "No space left on device"
	expect 1 "" "dktrace: open $tmp/no/out.dat: No such file or directory" \
		dktrace dk -F trace.dat "$tmp/no/out.dat"
	dktrace dk -F trace.dat "$tmp/out.dat" >/dev/null
	all_marks_dat 20000 "$tmp/out.dat"
}
