#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each command that writes a recording gives it the names of this machine's disks.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live
load ../helper/fleet

# The disks of this machine, "NUMBER NAME".
disks()
{
	awk '$1 ~ /^[0-9]+$/ { print $1 * 1048576 + $2, $4 }' /proc/partitions | sort
}

# Fails unless the file has the names. usage: has_disks FILE...
has_disks()
{
	local file

	for file; do
		same "$(disks)" "$(dktrace sql "$file" 'SELECT dev, name FROM disks' | sed 1d | xargs -n 2 | sort)" "disks of $file"
	done
}

# True if the file has names; the first bytes of a recording come before its options.
has_names()
{
	[ -n "$(dktrace sql "$1" 'SELECT name FROM disks' 2>/dev/null | sed 1d)" ]
}

@test "record, show, dk, flight recorders and daemons record the names of disks" {
	[ -n "$(disks)" ] || skip "no disks"
	dktrace record -e sys_enter_ioctl -o "$tmp/record.dat" -- stty </dev/null 2>"$tmp/words" || true
	dktrace record -e sys_enter_ioctl -o - -- true 2>"$tmp/words" >"$tmp/pipe.dat"
	dktrace convert - "$tmp/piped.dat" <"$tmp/pipe.dat" 2>"$tmp/words"
	only ioctl
	stty </dev/null 2>"$tmp/words" || true
	dktrace show "$tmp/show.dat" --format trace.dat
	dktrace dk "$tmp/dk.dat" --format trace.dat
	dktrace flight start -e sys_enter_ioctl --size 1M --dir "$tmp/flight" 3>&- 2>"$tmp/words"
	stty </dev/null 2>"$tmp/words" || true
	dktrace flight dump 2>"$tmp/words"
	dktrace flight stop 2>"$tmp/words"
	dktrace daemon start -e sys_enter_ioctl --dir "$tmp/daemon" 3>&- 2>"$tmp/words"
	stty </dev/null 2>"$tmp/words" || true
	dktrace daemon stop 2>"$tmp/words"
	has_disks "$tmp/record.dat" "$tmp/pipe.dat" "$tmp/piped.dat" "$tmp/show.dat" "$tmp/dk.dat" \
		"$tmp"/flight/*.dat "$tmp/daemon"
}

@test "each host of a collection records the names of its disks" {
	[ -n "$(disks)" ] || skip "no disks"
	cd "$tmp" || return
	make_direct
	dktrace collect --ssh "$direct" -w a,b -o hosts record -e sys_enter_ioctl --duration 0.1 2>words
	has_disks hosts/a.dat hosts/b.dat
}

@test "a recording whose recorder was killed has the names, and keeps them when it is completed" {
	[ -n "$(disks)" ] || skip "no disks"
	start dktrace record -e sys_enter_ioctl -o "$tmp/killed.dat"
	until_true has_names "$tmp/killed.dat"
	kill -KILL "$pid"
	wait "$pid" || true
	has_disks "$tmp/killed.dat"
	dktrace recover "$tmp/killed.dat" 2>"$tmp/words"
	has_disks "$tmp/killed.dat"
}
