#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files that gzip, xz, bzip2 or zstd has compressed, as input of every kind.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

programs='gzip xz bzip2 zstd'
recorded=$top/tests/fixture/tracedat

setup()
{
	local console='LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed out'

	cd "$BATS_TEST_TMPDIR" || return
	cp "$recorded/v6.dat" v6.dat
	for i in {1..9}; do
		echo "00000100:00100000:2.0:149506125$i.496695:0:14615:0:(client.c:1498:ptlrpc_send_new_req()) number $i"
	done >dk.log
	printf '%s\n' "2024-11-25T03:12:55+00:00 oss7 kernel: $console" >syslog
	printf '%s\n' "Nov 25 03:12:55 oss7 kernel: $console" >yearless
	touch -d 2024-11-26 yearless
}

@test "recordings, logs and texts are read compressed" {
	local program file

	for file in v6.dat dk.log syslog; do
		dktrace report "$file" >wanted 2>messages
		for program in $programs; do
			"$program" -c "$file" >packed
			run -0 --separate-stderr dktrace report packed
			diff wanted - <<<"$output"
			sed "s/^dktrace: $file:/dktrace: packed:/" messages | diff - <(printf '%s' "${stderr:+$stderr$'\n'}")
			run -0 --separate-stderr dktrace report - <packed
			diff wanted - <<<"$output"
			run -0 --separate-stderr dktrace report - < <(cat packed)
			diff wanted - <<<"$output"
			run -0 --separate-stderr dktrace report <(cat packed)
			diff wanted - <<<"$output"
		done
	done
}

@test "the year of a date without one is that of the compressed file" {
	gzip yearless
	run -0 --separate-stderr dktrace report yearless.gz
	has "$output" "$(date -d '2024-11-25 03:12:55' +%s)."
}

@test "every command that reads a file reads a compressed one" {
	local events='timer:hrtimer_start timer:hrtimer_expire_entry'

	gzip -k v6.dat dk.log
	for command in "info --json FILE" "hist -i FILE timer:hrtimer_start --keys common_cpu" "latency -i FILE $events" \
		"sql FILE 'SELECT count(*) FROM hrtimer_start'" "convert FILE -" "analyze cputop FILE" "strace FILE" \
		"lustre messages FILE" "report --jobs 2 FILE"; do
		for file in v6.dat dk.log; do
			eval "dktrace ${command/FILE/$file}" >wanted 2>wanted.err || echo "status $?" >>wanted
			eval "dktrace ${command/FILE/$file.gz}" >have 2>have.err || echo "status $?" >>have
			sed -i "s/$file.gz/$file/g" have have.err
			diff wanted have
			diff wanted.err have.err
		done
	done
	dktrace merge v6.dat.gz -o merged.dat
	dktrace merge v6.dat -o wanted.dat
	dktrace report merged.dat | diff <(dktrace report wanted.dat) -
	dktrace view v6.dat.gz -o page.html
	exists page.html
}

@test "joined compressed files are one" {
	local program

	for program in $programs; do
		head -n 4 dk.log | "$program" -c >packed
		tail -n +5 dk.log | "$program" -c >>packed
		run -0 --separate-stderr dktrace report packed
		same 9 "${#lines[@]}" "lines of $program"
	done
}

@test "what comes before the damage of a compressed file is read" {
	local program

	for i in {1..20000}; do
		echo "00000100:00100000:2.0:1495061256.$((100000 + i)):0:$RANDOM:0:(client.c:$RANDOM:f()) number $RANDOM$RANDOM"
	done >long.log
	for program in $programs; do
		"$program" -c long.log >packed
		head -c "$(($(stat -c %s packed) * 95 / 100))" packed >ended
		run -1 --separate-stderr dktrace report ended
		at_least 100 "${#lines[@]}" "lines of $program"
		has "$stderr" "dktrace: ended: what $program compressed ends early; the records before that are read"
		run -1 --separate-stderr dktrace info ended
		has "$stderr" "dktrace: ended: what $program compressed ends early"
		{ cat packed && echo "which is no archive, and no text"; } >longer
		run -1 --separate-stderr dktrace report longer
		same 20000 "${#lines[@]}" "lines of $program"
		same "dktrace: longer: what $program compressed is damaged; the records before that are read" "$stderr" "words"
		printf '%s' "$(head -c 6 packed | tr '\0' ' ')no archive" >none
		run -1 --separate-stderr dktrace report none
		has "$stderr" "dktrace: decompress none: "
	done
	run -1 --separate-stderr dktrace sql ended "SELECT damage FROM files"
	has "$output" "what zstd compressed ends early"
}

@test "a command that changes a compressed file names the program that decompresses it" {
	gzip -k v6.dat
	expect 1 "" "dktrace: open v6.dat.gz: the file is compressed by gzip; decompress it first" dktrace recover v6.dat.gz
}

@test "show refuses to replace a compressed log" {
	gzip -k dk.log
	cp dk.log.gz before
	run -2 --separate-stderr dktrace show dk.log.gz
	has "$stderr" "dk.log.gz has records: 'dktrace report dk.log.gz' prints them"
	cmp before dk.log.gz
}

@test "a small file that comes to any size leaves a part of the file system of TMPDIR to others" {
	local program

	mkdir space
	for program in $programs; do
		head -c 64M /dev/zero | "$program" -c >bomb
		run --separate-stderr apart sh -c 'mount -t tmpfs -o size=4m none space || exit 99
			TMPDIR=$PWD/space exec "$@"' sh dktrace report bomb
		[ "$status" -ne 99 ] || skip "no permission to mount"
		same 1 "$status" "exit status for $program"
		same "dktrace: decompress bomb: less than 1/20 of the file system of $PWD/space would be left free; set TMPDIR\
 to a directory with more space" "$stderr" "message for $program"
	done
	# One that fits is read, and nothing stays.
	gzip -k v6.dat
	dktrace report v6.dat >wanted
	apart sh -c 'mount -t tmpfs -o size=4m none space && TMPDIR=$PWD/space "$0" report v6.dat.gz && ls -A space' \
		"$(command -v dktrace)" | cmp - wanted
}
