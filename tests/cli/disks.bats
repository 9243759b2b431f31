#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The names of disks in recordings: what prints them, what keeps them, and disks of several hosts.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

# Writes FILE, a recording of requests to the disk 254,16; DISK... are disks of its host: 254,16=vdb.
# usage: requests FILE DISK...
requests()
{
	local i

	for i in 1 2 3; do
		printf '   dd-7 [000] %d.000001: block_rq_issue: 254,16 W 4096 () 8 + 8 none,0,0 [dd]\n' "$i"
		printf '   dd-7 [000] %d.000101: block_rq_complete: 254,16 W () 8 + 8 none,0,0 [0]\n' "$i"
	done >text
	dktrace convert text unnamed.dat --format trace.dat >words 2>&1
	"$tools/gen-disks" unnamed.dat "$@"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	requests named.dat 254,16=vdb 254,0=vda
}

# Prints the value of a column in the first row of CSV. usage: csv_of COLUMN
csv_of()
{
	python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))[sys.argv[1]])' "$1"
}

# Fails unless the commands that print a disk of FILE print WANTED. usage: print_disk WANTED FILE
print_disk()
{
	same "$1" "$(dktrace latency block "$2" 2>words | awk 'NR == 2 { print $1 }')" "latency of $2"
	same "$1" "$(dktrace analyze blockstats "$2" | awk '/^DISK/ { getline; print $1; exit }')" "blockstats of $2"
	same "$1" "$(dktrace hist disk-requests "$2" | awk 'NR == 2 { print $1 }')" "hist of $2"
	same "$1" "$(dktrace sql "$2" 'SELECT disk FROM blockstats_disks' | sed -n 2p)" "sql of $2"
	# Scripts read the number, and the name beside it.
	same "266338320 $1" "$(dktrace latency block "$2" --json 2>words | jq -r '.groups[0] | "\(.group) \(.group_disk)"')" "latency of $2 as JSON"
	same "266338320 $1" "$(dktrace hist disk-requests "$2" --json | jq -r '.rows[0] | "\(.dev) \(.dev_disk)"')" "hist of $2 as JSON"
	same "$1" "$(dktrace latency block "$2" --csv 2>words | csv_of group_disk)" "latency of $2 as CSV"
	same "$1" "$(dktrace hist disk-requests "$2" --csv | csv_of dev_disk)" "hist of $2 as CSV"
	same "266338320 $1" "$(dktrace analyze periodlog "$2" --period block --json | jq -r '"\(.dev) \(.dev_disk)"' | sed -n 1p)" "a period of $2"
	same "$1" "$(dktrace analyze periodstats "$2" --period block --keys dev_disk --csv | csv_of dev_disk)" "periods by disk of $2"
	dktrace hist disk-requests "$2" --style svg >picture
	has "$(<picture)" ">$1 "
	dktrace convert "$2" out.pf --format perfetto 2>words
	has "$(strings out.pf)" "block $1"
	rm out.pf
	dktrace view "$2" -o page.html 2>words
	same "$1" "$(sed -n 's|.*<script type="application/json" id="data">||p' page.html |
		jq -r '[.. | objects | select(.name? == "block") | .numbers.groups[0].group] | first')" "page of $2"
	rm page.html
}

@test "a disk has the name that it had on the host that recorded" {
	print_disk vdb named.dat
	print_disk 254,16 unnamed.dat
	same "$(dktrace report unnamed.dat)" "$(dktrace report named.dat)" "the text of report"
	same "254,0 vda 254,16 vdb" "$(dktrace sql named.dat "SELECT (dev >> 20) || ',' || (dev & 1048575), name FROM disks" |
		sed 1d | xargs)" "the table disks"
}

@test "trace-cmd skips the names of disks" {
	command -v trace-cmd >/dev/null || skip "no trace-cmd"
	same "$(trace-cmd report unnamed.dat)" "$(trace-cmd report named.dat)" "its report"
}

@test "files that are written from a recording keep the names of its disks" {
	dktrace convert named.dat a.dat
	dktrace convert named.dat v6.dat --format trace.dat-6
	dktrace merge named.dat unnamed.dat --offset unnamed.dat=0 -o merged.dat 2>words
	dktrace split named.dat part.dat --every 10s 2>words
	for file in a.dat v6.dat merged.dat part*.dat; do
		same "vdb" "$(dktrace sql "$file" 'SELECT name FROM disks WHERE dev = (254 << 20) + 16' | sed 1d)" "disks of $file"
	done
}

@test "disks of several hosts that have one number keep their names, or the number" {
	"$tools/gen-disks" unnamed.dat other.dat 254,16=vdc
	dktrace merge named.dat other.dat --offset other.dat=0 -o both.dat 2>words
	# A row is of one name, or the number stands for both.
	same "vdb vdc" "$(dktrace analyze blockstats both.dat 2>words | awk '/^vd/ { print $1 }' | sort -u | xargs)" blockstats
	same "254,16" "$(dktrace latency block both.dat 2>words | awk 'NR == 2 { print $1 }')" latency
	same "" "$(dktrace sql both.dat 'SELECT name FROM disks WHERE dev = (254 << 20) + 16' | sed 1d)" "the table disks"
}

@test "a name of a disk that no kernel gives is left out" {
	requests hostile.dat $'254,16=v\e[31m' '254,0=<script>' 254,1="$(printf 'x%.0s' {1..40})"
	print_disk 254,16 hostile.dat
	same "" "$(dktrace sql hostile.dat 'SELECT name FROM disks' | sed 1d)" "the table disks"
}
