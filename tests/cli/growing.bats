#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A recording that is being written while it is read, and one that a power failure has left.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
	"$tools/gen-journal" >whole.dat
	# The second page of the first CPU begins with this time.
	page=$(LC_ALL=C grep -obUaP '\xeb\x03\0\0\0\0\0\0' whole.dat 2>/dev/null | tr -d "\0" | head -n 1)
	page=${page%%:*}
}

# Runs the command while another process holds the file's lock, as one that records. usage: while_written COMMAND...
while_written()
{
	flock cut.dat "$@"
}

@test "a section that is being written is not damage" {
	for less in 1 100 4100 5000; do
		head -c $((page + less)) whole.dat >cut.dat
		run -1 --separate-stderr dktrace report cut.dat
		wanted=$output
		has "$stderr" "dktrace: cut.dat: the recording has not ended"
		run -0 --separate-stderr while_written dktrace report cut.dat
		same "$wanted" "$output" "records"
		same "dktrace: cut.dat: the recording has not ended" "$stderr" "words"
		run -0 --separate-stderr while_written dktrace report - <cut.dat
		same "$wanted" "$output" "records"
	done
	mkdir dir
	cp cut.dat dir/dktrace-20261120T110000Z-000001.dat
	run -1 dktrace report dir
	run -0 --separate-stderr flock dir/dktrace-20261120T110000Z-000001.dat dktrace report dir
	same "dktrace: dir: the recording has not ended" "$stderr" "words"
	run -0 --separate-stderr flock dir/dktrace-20261120T110000Z-000001.dat dktrace info dir
	has "$output" "growing"
	# Damage before the end is damage.
	printf '\0' | dd of=cut.dat bs=1 seek=$((page - 4096 - 24)) conv=notrunc status=none
	run -1 while_written dktrace report cut.dat
}

@test "zeros in place of a page are told" {
	cp whole.dat zeros.dat
	dd if=/dev/zero of=zeros.dat bs=1 seek="$page" count=4096 conv=notrunc status=none
	run -1 --separate-stderr dktrace report zeros.dat
	has "$stderr" "1 place has invalid data"
	same "$(dktrace report whole.dat 2>/dev/null | grep -v 'up: *100[345]')" "$output" "the other records"
	# A finished file has them, too.
	run -3 dktrace recover zeros.dat
	run -1 --separate-stderr dktrace report zeros.dat
	has "$stderr" "1 place has invalid data"
}
