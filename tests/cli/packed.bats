#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# perf.data of any size is read in little memory, compressed records without a temporary file if possible.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

# bats file_tags=plain

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
}

# usage: packed ROUNDS SAMPLES [plain]: see gen-perfdata.
packed()
{
	"$tools/gen-perfdata" "$@" <"$top/tests/fixture/perfdata/pipe.data" >packed.data
}

# The address sanitizer maps terabytes and has its own limit.
limit()
{
	sanitized || ulimit -v "$1"
}

@test "compressed records in order by CPU are read in little memory, without a temporary file" {
	# 116 MB that unpack from 5.
	packed 1000 200
	limit 80000
	export TMPDIR=/nonexistent ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}hard_rss_limit_mb=2000
	dktrace report -S csv --fields ts packed.data | tr -d '\r' | sed 1d >have
	seq 1000 1000 400000000 | cmp - have
	run -0 --separate-stderr dktrace info packed.data
	same "" "$stderr" "words"
	has "$output" "records   400000,"
	# A window in time is unpacked up to its end.
	dktrace report -S csv --fields ts,cpu --since 0.3 --until 0.300004 packed.data | tr -d '\r' | sed 1d |
		diff <(printf '%s\n' 300000000,1 300001000,0 300002000,1 300003000,0 300004000,1) -
	dktrace hist -i packed.data sched:sched_switch -k CPU --csv | grep -c ',200000' | grep -qx 2
}

# Prints report's times, and its memory before the last time, where it waits,
# because the reader of its output stops.
# usage: times_of SAMPLES
times_of()
{
	mkfifo out
	dktrace report -S csv --fields ts packed.data >out &
	exec 8<out
	head -n "$(($1 - 20000))" <&8 >/dev/null
	peak=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$!/status")
	cat <&8 >/dev/null
	exec 8<&-
	wait "$!"
	rm out
	sanitized || [ "$peak" -lt 32000 ]
}

@test "uncompressed records in any order are read in little memory" {
	# 116 MB each: two CPUs alternating, and all records of one CPU before those of the other.
	for turns in "1000 200" "1 200000"; do
		# shellcheck disable=SC2086 # two words
		packed $turns plain
		at_least 100000001 "$(stat -c %s packed.data)"
		dktrace report -S csv --fields ts packed.data | tr -d '\r' | sed 1d | cmp - <(seq 1000 1000 400000000)
		times_of 400000
	done
}

@test "records far out of order wait in a temporary file" {
	# 232 MB, the halves of which are of the same times.
	packed 1 400000
	dktrace report -S csv --fields ts packed.data | tr -d '\r' | sed 1d | cmp - <(seq 1000 1000 800000000)
	run -1 --separate-stderr env TMPDIR=/nonexistent dktrace info packed.data
	has "$stderr" "dktrace: create a file in /nonexistent: No such file or directory"
	mkdir space
	mount -t tmpfs -o size=1m none space 2>/dev/null || skip "no permission to mount"
	run -1 --separate-stderr env TMPDIR="$PWD/space" dktrace info packed.data
	umount space
	has "$stderr" "it takes more than half of the free space in $PWD/space; set TMPDIR to a directory with more"
}

@test "truncated or damaged compressed records are read up to the damage" {
	packed 20 200
	dktrace report -S csv --fields ts packed.data >wanted
	size=$(stat -c %s packed.data)
	head -c "$((size / 2))" packed.data >cut.data
	run --separate-stderr dktrace report -S csv --fields ts cut.data
	has "$stderr" "dktrace: cut.data: "
	at_least 1001 "${#lines[@]}"
	run ! grep -vxFf wanted <<<"$output"
	head -c 4096 /dev/zero | dd of=packed.data bs=1 seek="$((size / 2))" conv=notrunc status=none
	run --separate-stderr dktrace info packed.data
	has "$stderr" "packed.data: "
	has "$output" "records "
}
