#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A recording in progress is read like a finished file, and recover makes it one.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
	"$tools/gen-journal" >whole.dat
	# The end is a section of 16 bytes.
	head -c -16 whole.dat >killed.dat
	head -c -1000 whole.dat >cut.dat
}

@test "a recording that has not ended is read, and that is said" {
	run -3 --separate-stderr dktrace report killed.dat
	same "dktrace: killed.dat: 9 of 30 records were lost (cpu 1: 9)
dktrace: killed.dat: the recording has not ended" "$stderr" "messages"
	same 21 "${#lines[@]}" "records"
	run -3 --separate-stderr dktrace info killed.dat
	has "$output" "recording has not ended"
	run -3 dktrace info --json killed.dat
	same true "$(jq .growing <<<"$output")" "growing"
	run -3 dktrace info --json whole.dat
	same null "$(jq .growing <<<"$output")" "growing, of one that ended"
}

@test "the other commands read it" {
	run -3 --separate-stderr dktrace report killed.dat
	records=$output
	run -0 --separate-stderr dktrace report --since 0.000001009 killed.dat
	same "$(tail -n +10 <<<"$records")" "$output" "records since a time"
	run -3 --separate-stderr dktrace report -C 1 killed.dat
	same "$(grep '\[001\]' <<<"$records")" "$output" "records of a CPU"
	run -3 dktrace convert killed.dat converted.dat
	same "$records" "$(dktrace report converted.dat 2>/dev/null)" "converted"
	run -3 dktrace split --count 7 killed.dat part.dat
	same 21 "$(dktrace report part-00[123].dat 2>/dev/null | wc -l)" "parts"
	run -3 dktrace merge killed.dat --output merged.dat
	same 21 "$(dktrace report merged.dat 2>/dev/null | wc -l)" "merged"
	run -3 --separate-stderr dktrace hist made:up --keys common_pid --csv -i killed.dat
	has "$output" "42,21"
}

@test "recover completes a recording in its place" {
	wanted=$(dktrace report killed.dat 2>/dev/null || true)
	for how in "" "--compression zstd" "--compression none"; do
		cp killed.dat one.dat
		chmod 640 one.dat
		# shellcheck disable=SC2086 # several words
		run -3 --separate-stderr dktrace recover one.dat $how
		same "dktrace: one.dat: 0.0 MB of records are complete
dktrace: one.dat: 9 records were lost during the recording" "$stderr" "messages"
		run -3 --separate-stderr dktrace report one.dat
		same "$wanted" "$output" "records"
		lacks "$stderr" "not ended"
		same 640 "$(stat -c %a one.dat)" "mode"
		same one.dat "$(find . -name '*one*' -printf '%f\n' -o -name '.dktrace*' -printf '%f\n')" "files"
	done
	before=$(sha256sum one.dat)
	run -0 --separate-stderr dktrace recover one.dat
	same "dktrace: one.dat is not an incomplete recording: there is nothing to recover" "$stderr" "message"
	same "$before" "$(sha256sum one.dat)" "a finished file"
}

@test "recover writes another file, and says what cannot be read" {
	before=$(sha256sum cut.dat)
	echo earlier >out.dat
	run -3 --separate-stderr dktrace recover cut.dat -o out.dat
	has "$stderr" "dktrace: the earlier out.dat is now out.dat.old"
	same earlier "$(cat out.dat.old)" "the earlier file"
	has "$stderr" "dktrace: out.dat: the last "
	has "$stderr" " bytes cannot be read"
	same "$before" "$(sha256sum cut.dat)" "the recording"
	same "$(dktrace report cut.dat 2>/dev/null)" "$(dktrace report out.dat 2>/dev/null)" "records"
	run -1 dktrace report cut.dat
}

@test "trace-cmd reads a recovered file" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	for how in "" "--compression none"; do
		# shellcheck disable=SC2086 # several words
		run -3 dktrace recover killed.dat -o out.dat $how
		same "$(dktrace report out.dat 2>/dev/null | grep -o 'up: .*')" \
			"$(trace-cmd report out.dat 2>/dev/null | grep -o 'up: .*')" "records"
		same 3 "$(trace-cmd report out.dat 2>/dev/null | grep -c '^other: ')" "records of the other buffer"
	done
}

@test "recover refuses what it should not touch" {
	run -1 dktrace recover missing.dat
	has "$output" "open missing.dat: No such file"
	printf 'no recording' >text
	run -1 dktrace recover text
	same "no recording" "$(cat text)" "text"
	before=$(sha256sum killed.dat)
	exec 9<killed.dat
	flock -x 9
	run -1 dktrace recover killed.dat
	has "$output" "it is being written"
	exec 9<&-
	run -2 dktrace recover killed.dat --compression nosuch
	has "$output" "--compression: 'nosuch' is not zstd, zlib or none"
	same "$before" "$(sha256sum killed.dat)" "the recording"
	run -2 dktrace recover
	run -2 dktrace recover killed.dat more.dat
}

# number VALUE BYTES: little-endian
number()
{
	local i value=$1

	for ((i = 0; i < $2; i++)); do
		printf '%b' "\\0$(printf %o $((value & 255)))"
		value=$((value >> 8))
	done
}

# missed PROBE N: a section of options with the statistics of a probe
missed()
{
	local text="Missed by probe $1: $2"$'\n'
	local size=$((${#text} + 1))

	number 0 8
	number $((6 + size + 14)) 8
	number 2 2
	number "$size" 4
	printf '%s\0' "$text"
	number 0 2
	number 8 4
	number 0 8
}

@test "what busy probes missed is told of a recording, of what it becomes, and of several" {
	local told="messages of Lustre that were not recorded because the probe was busy"
	local others="records that probes did not make because they were busy"

	# The numbers are of all the time since the beginning.
	{
		cat killed.dat
		missed dktrace:cdebug 2
		missed dktrace:made 4
		missed dktrace:cdebug 5
		missed dktrace:cdebug_strings 5
		missed dktrace:cdebug_nested 1
		missed dktrace:cdebug_nested_third 1
	} >missed.dat
	for command in report info; do
		run -3 --separate-stderr dktrace "$command" missed.dat
		has "$stderr" "dktrace: missed.dat: $told: 5
dktrace: missed.dat: $others: 4
dktrace: missed.dat: the recording has not ended"
	done
	number 17412 2 >end
	number 0 14 >>end
	cat missed.dat end >ended.dat
	run -3 --separate-stderr dktrace report ended.dat
	has "$stderr" "ended.dat: $told: 5"
	cp ended.dat done.dat
	run -3 --separate-stderr dktrace recover done.dat
	has "$stderr" "done.dat: $told: 5"
	run -3 --separate-stderr dktrace report done.dat
	has "$stderr" "done.dat: $told: 5
dktrace: done.dat: $others: 4"
	same 1 "$(grep -ac 'Missed by probe dktrace:cdebug: 5' done.dat)" "lines in the file"
	run -3 dktrace convert --compression none done.dat one.dat
	run -3 dktrace merge --offset done.dat=0 one.dat done.dat --output both.dat
	run -3 --separate-stderr dktrace report both.dat
	has "$stderr" "both.dat: $told: 10
dktrace: both.dat: $others: 8"
	run -3 dktrace split --count 7 done.dat part.dat
	run -3 --separate-stderr dktrace report part-002.dat
	has "$stderr" "part-002.dat: $told: 5"
	run -3 --separate-stderr dktrace sql done.dat "SELECT count(*) FROM up"
	has "$stderr" "done.dat: $told: 5"
}
