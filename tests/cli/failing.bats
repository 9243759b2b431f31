#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Memory that runs out and system calls that fail, once a run.
# bats file_tags=plain
# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	! sanitized || skip "the sanitizers have an allocator of their own"
	cd "$BATS_TEST_TMPDIR" || return
}

# Runs a command whose uses of a system call on a file fail from the Nth one on, and compares its exit status and its last message.
# usage: failing CALL:ERROR:N FILE STATUS WORDS COMMAND...
failing()
{
	local call error nth file=$2 wanted=$3 words=$4

	IFS=: read -r call error nth <<<"$1"
	shift 4
	strace -qq -o /dev/null true || skip "this system lets no process be traced"
	run "-$wanted" --separate-stderr strace -f -qq -o trace -P "$file" -e "inject=$call:error=$error:when=$nth+" "$@"
	has_line INJECTED trace
	same "$words" "${stderr##*$'\n'}" "words of $*"
}

@test "a call that fails ends the command with a message, or changes nothing" {
	run -0 "$top/tests/failures" "$build" --sample 41
	at_least 27 "$(grep -c '[1-9][0-9]* runs, 0 wrong' <<<"$output")" "commands whose calls failed"
}

@test "records are printed as always, or the command fails, whatever allocation fails" {
	mkdir room
	cd room || return
	run -0 "$top/tests/tools/fail-each" -k alloc "$tools/fail-calls.so" dktrace report "$top/tests/fixture/tracedat/v6.dat"
	has "$output" " runs, 0 wrong"
}

@test "a recording that cannot be read to its end is not taken for a shorter one" {
	"$tools/gen-records" cpus 200 >log.bin
	failing pread64:EIO:5 log.bin 1 "dktrace: log.bin: it cannot be read from offset 0 on: Input/output error" \
		dktrace convert log.bin out.dat
	failing pread64:EIO:1 log.bin 1 "dktrace: read log.bin: Input/output error" dktrace convert log.bin out.dat
	cp "$top/tests/fixture/perfdata/plain.data" perf.data
	failing pread64:EIO:10 perf.data 1 "dktrace: perf.data: byte 0 of its records cannot be read: Input/output error" \
		dktrace report perf.data
}

@test "recover leaves a recording that it cannot read as it is" {
	"$tools/gen-journal" | head -c -16 >killed.dat
	cp killed.dat before.dat
	failing pread64:EIO:36 killed.dat 1 \
		"dktrace: read the recording from byte 514 on: Input/output error" dktrace recover killed.dat
	cmp killed.dat before.dat
}

@test "names of processes that cannot be read are an error" {
	failing read:EIO:1 "$capture/saved_cmdlines" 1 \
		"dktrace: read $capture/saved_cmdlines: Input/output error" dktrace report "$capture"
}

@test "an earlier file that cannot be looked at is not overwritten" {
	printf earlier >out
	failing newfstatat:EIO:1 out 1 "dktrace: open out: Input/output error" \
		dktrace report -o out "$top/tests/fixture/tracedat/v6.dat"
	same earlier "$(cat out)" "the earlier file"
}
