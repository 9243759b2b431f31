#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Where output and records go: full disks, missing directories, read-only places.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper.bash

load helper

# Marks from 1 to N.
marks()
{
	perl -e 'open(M, ">", $ARGV[0]) or die; select(M); $| = 1; print "number $_\n" for 1 .. $ARGV[1]' \
		"$instance/trace_marker" "$1"
}

# All marks from 1 to N are in the text, once.
all_marks()
{
	diff <(seq "$1") <(sed -n 's/.*) number \([0-9]*\)$/\1/p' "$2" | sort -n)
}

@test "dk FILE in a missing directory: nothing is taken" {
	set_param debug=0
	marks 100
	expect 1 "" "dktrace: open $tmp/no/file: No such file or directory" dktrace dk "$tmp/no/file"
	expect 1 "" "fopen($tmp/no/file) failed: No such file or directory" lctl dk "$tmp/no/file"
	run -1 dktrace dk "$tmp"
	dktrace dk "$tmp/log" >/dev/null
	all_marks 100 "$tmp/log"
}

@test "dk FILE on a full disk: an error, the next dk has all of it" {
	set_param debug=0
	marks 20000
	mkdir "$tmp/small"
	# shellcheck disable=SC2016
	run -0 --separate-stderr unshare -m sh -c 'mount -t tmpfs -o size=64k none "$0" && { dktrace dk "$0/log"; echo "$?"; lctl dk "$0/log"; echo "$?"; }' \
		"$tmp/small"
	same "1
1" "$output" "status"
	same "dktrace: write output: No space left on device
lctl: write output: No space left on device" "$stderr" "stderr"
	run -1 --separate-stderr dktrace dk -o /dev/full
	run -1 --separate-stderr bash -c 'dktrace dk >/dev/full'
	dktrace dk "$tmp/log" >/dev/null
	all_marks 20000 "$tmp/log"
}

@test "no room where records are kept: an error, nothing is taken" {
	set_param debug=0
	marks 20000
	# shellcheck disable=SC2016
	run -0 --separate-stderr unshare -m sh -c 'mkdir -p "$0/spool" && mount -t tmpfs -o size=32k none "$0/spool" && { dktrace show >/dev/null; echo "$?"; dktrace dk >/dev/null; echo "$?"; }' "$state"
	same "1
1" "$output" "status"
	has "$stderr" "No space left on device"
	dktrace dk "$tmp/log" >/dev/null
	all_marks 20000 "$tmp/log"
}

@test "no room for settings: an error, nothing changed" {
	only ioctl
	knobs >"$tmp/before"
	# shellcheck disable=SC2016
	run -0 --separate-stderr unshare -m sh -c 'cp -r "$0" "$1" && mount -t tmpfs -o size=16k none "$0" && cp -r "$1/." "$0" && { cat /dev/zero >"$0/fill" 2>/dev/null; lctl set_param debug=+vfstrace; echo "$?"; ls "$0"; }' \
		"$state" "$tmp/copy"
	same "28" "${lines[0]}" "status"
	has "$stderr" "No space left on device"
	printf '%s\n' "$output" | grep -q 'settings.before' && false
	knobs | diff "$tmp/before" -
}

@test "/run is read-only: said, nothing changed" {
	only ioctl
	knobs >"$tmp/before"
	for command in "set_param debug=+vfstrace" "dk" "clear" "mark x"; do
		# shellcheck disable=SC2016,SC2086
		run --separate-stderr unshare -m sh -c 'mount --bind /run /run && mount -o remount,ro,bind /run && exec lctl "$@"' _ $command
		[ "$status" -ne 0 ]
		has "$stderr" "Read-only file system"
	done
	# shellcheck disable=SC2016
	run -0 unshare -m sh -c 'mount --bind /run /run && mount -o remount,ro,bind /run && exec lctl get_param debug'
	same "debug=ioctl" "$output" "get_param"
	# Nothing there yet: it cannot be made.
	# shellcheck disable=SC2016
	DKTRACE_INSTANCE=$DKTRACE_INSTANCE-b run --separate-stderr unshare -m sh -c 'mount --bind /run /run && mount -o remount,ro,bind /run && exec lctl set_param debug=+vfstrace'
	[ "$status" -ne 0 ]
	has "$stderr" "Read-only file system"
	[ ! -e "$instance-b" ]
	knobs | diff "$tmp/before" -
}

@test "text from a trace is escaped on a terminal, and there only" {
	set_param debug=0
	printf 'red \033[31m bell \a end\n' >"$instance/trace_marker"
	run -0 script -qec 'dktrace show' /dev/null
	has "$output" 'red \x1b[31m bell \x07 end'
	run -0 dktrace dk
	has "$output" $'red \033[31m bell \a end'
}
