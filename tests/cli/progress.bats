#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# On a terminal, a command shows its progress in a large file, while it opens and while it reads the file.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

# A clock that advances by two seconds at each reading, so that every file takes long.
setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	command -v script >/dev/null || skip "no script"
	cat >clock.c <<-'END'
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		int clock_gettime(clockid_t clock, struct timespec *ts)
		{
			static int looks;
			long ret = syscall(SYS_clock_gettime, clock, ts);

			ts->tv_sec += 2 * looks++;
			return (int)ret;
		}
	END
	"${CC:-cc}" -shared -fPIC -o clock.so clock.c || skip "no compiler"
}

# Prints a command's output on a terminal. usage: seen COMMAND
seen()
{
	script -qec "LD_PRELOAD=./clock.so $1" /dev/null </dev/null >screen
	tr '\r' '\n' <screen
}

# Checks the progress while the file is opened and while its records are read. usage: both_times COMMAND
both_times()
{
	run -0 seen "$1"
	grep -E '^ *[0-9]+ % of the file' <<<"$output"
	grep -E '^ *[0-9]+ %, [0-9.]+ MB/s, [0-9]+ s left' <<<"$output"
}

@test "info and convert show the progress of a text of the tracer" {
	seq -f '            dd-7       [000] d..2.  %.0f.000001: nobody_knows: a=1 b' 10000 >trace.txt
	both_times 'dktrace info trace.txt'
	both_times 'dktrace hist --input trace.txt text:nobody_knows --keys msg'
	both_times 'dktrace convert trace.txt out.dat --format trace.dat'
	both_times 'dktrace report --output out.txt trace.txt'
}

@test "info and convert show the progress of a saved log" {
	seq -f '00000001:02000400:0.0:%.0f.000001:0:1:0:(f.c:1:f()) a message of Lustre, and more' \
		1495061256 1495081256 >log.txt
	both_times 'dktrace info log.txt'
	both_times 'dktrace convert log.txt out.dat'
}

@test "no progress is shown if standard error is not a terminal" {
	seq -f '            dd-7       [000] d..2.  %.0f.000001: nobody_knows: a=1 b' 10000 >trace.txt
	LD_PRELOAD=./clock.so run -0 dktrace info trace.txt
	lacks "$output" ' % '
}
