#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files that cannot grow: a full file system, a quota, a limit of the process.
# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # for the shell in there; set by bats and helper/common.bash
load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	dktrace convert "$capture" all.dat
	mkdir small
}

# Runs the command with a file small/out that is there before, on a file system of 64 KB. Checks that the
# command names NAME, says why, and leaves all files as they were. usage: no_room NAME COMMAND...
no_room()
{
	local name=$1

	shift
	run -1 --separate-stderr apart sh -c '
		mount -t tmpfs -o size=64k none small && printf earlier >small/out || exit 77
		"$@" >/dev/null; rc=$?; ls -A small; cat small/out; exit $rc' - "$@"
	same "out
earlier" "$output" "files after $*"
	same "dktrace: write $name: No space left on device; free space on its file system, or write to another file system" \
		"$stderr" "words of $*"
}

@test "on a full file system, the earlier file stays, and the message names the file and what to do" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, for a file system of its own"
	need_namespace
	for format in trace.dat-6 sqlite legacy trace raw json csv perfetto; do
		no_room small/out dktrace convert --format "$format" all.dat small/out
	done
	no_room small/new dktrace convert --format ctf all.dat small/new
	no_room small/out dktrace merge --format trace.dat --compression none all.dat -o small/out
	no_room small/part-001.dat dktrace split --count 10000 --compression none all.dat small/part.dat
	no_room small/out dktrace view all.dat -o small/out
	no_room small/out dktrace report all.dat -o small/out
	no_room small/out dktrace strace all.dat -o small/out
	no_room small/out dktrace show -i "$capture" small/out
	no_room small/out dktrace dk -i "$capture" small/out
}

@test "an incomplete file does not stay under a new name either" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, for a file system of its own"
	need_namespace
	for command in "report all.dat -o" "strace all.dat -o" "show -i $capture"; do
		no_room small/new sh -c 'exec dktrace $1 small/new' - "$command"
	done
}

@test "a file that reaches the limit of ulimit -f is an error that names the limit" {
	for command in "convert -F sqlite all.dat" "convert -F trace all.dat" "view all.dat -o" "report all.dat -o"; do
		printf earlier >out
		run -1 --separate-stderr bash -c 'ulimit -f 20; exec dktrace $1 out' - "$command"
		same "dktrace: write out: File too large; raise the limit of 'ulimit -f'; without one, write to another file system" \
			"$stderr" "words of $command"
		same earlier "$(cat out)" "file after $command"
	done
}

# Runs a writer of "out" as on a disk with a quota that is used up. usage: over_quota CALL COMMAND...
over_quota()
{
	local call=$1

	shift
	rm -rf out out.old
	printf earlier >out
	run -1 --separate-stderr env LD_PRELOAD="$tools/fail-writes.so" FAIL_AT="$call" \
		ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" dktrace "$@" out
	same "dktrace: write out: Disk quota exceeded; free space within the quota, or write to another file system" \
		"$stderr" "words of $*"
	same earlier "$(cat out)" "file after $*"
	gone out.old
}

@test "a quota that is used up is an error at the write and at the close, and the earlier file stays" {
	local call format

	for call in write close; do
		for format in trace.dat sqlite json; do
			over_quota $call convert --format $format all.dat
		done
		over_quota $call report all.dat -o
		over_quota $call show -i "$capture"
	done
}
