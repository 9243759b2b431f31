#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# dk merges Lustre's own buffer and the log by time.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

# Marks before and after the time of Lustre's records.
mark_around()
{
	lctl clear && lctl mark before || return
	second=$(($(date +%s) + 1))
	"$tools/gen-records" one 2 1 "$second" >"$tmp/lustre/buffer"
	until_true eval '[ "$(date +%s)" -gt "$second" ]' && lctl mark after
}

@test "dk merges Lustre's records and the kernel's by time" {
	need_namespace
	export FAKE_LUSTRE=$tmp/lustre
	mkdir "$FAKE_LUSTRE"
	lctl set_param debug=+ioctl
	only_ours
	while_clock_runs mark_around
	run -0 --separate-stderr lustre lctl dk
	printf '%s\n' "$output" | sed -n 's/.*MARKER: //p; s/.*([a-z_]*\.c:.*/lustre/p' | uniq >"$tmp/order"
	same "before
lustre
after" "$(cat "$tmp/order")" "order"
	has "$output" "Debug log: "
}

@test "dk reports messages missing in the kernel's records and prints Lustre's" {
	need_namespace
	export FAKE_LUSTRE=$tmp/lustre
	mkdir "$FAKE_LUSTRE"
	lctl set_param debug=+ioctl
	"$tools/gen-records" one 5 >"$tmp/lustre/buffer"
	# Another process reads the log.
	start dktrace follow >/dev/null 2>&1
	follow=$pid
	until_true test -s "/run/dktrace/$DKTRACE_INSTANCE/spool/lock"
	run -0 --separate-stderr lustre lctl dk
	kill -TERM $follow
	wait $follow || true
	has "$output" "Debug log: 5 lines, 5 kept, 0 dropped, 0 bad."
	has "$stderr" "only Lustre's own buffer is shown: process $follow is reading these buffers"
}

# Makes a wall clock that is so many seconds ahead, or behind. usage: make_clock SECONDS
make_clock()
{
	cat >"$tmp/clock.c" <<-END
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		int clock_gettime(clockid_t clock, struct timespec *ts)
		{
			long ret = syscall(SYS_clock_gettime, clock, ts);

			ts->tv_sec += clock == CLOCK_REALTIME ? $1 : 0;
			return (int)ret;
		}
	END
	"${CC:-cc}" -shared -fPIC -o "$tmp/clock.so" "$tmp/clock.c" || skip "no compiler"
}

# Runs a command with that clock, and with Lustre. usage: with_clock COMMAND...
with_clock()
{
	lustre env LD_PRELOAD="$tools/fake-lustre.so $tmp/clock.so" "$@"
}

# Marks before and after the clock is set; Lustre's record comes before that, behind the first mark.
mark_around_step()
{
	mark_around && lctl set_param debug=+ioctl && with_clock lctl set_param debug=+ioctl && with_clock lctl mark 'much later'
}

@test "dk keeps the order and the times of what came before the clock was set, and says that it was" {
	need_namespace
	export FAKE_LUSTRE=$tmp/lustre
	mkdir "$FAKE_LUSTRE"
	make_clock 300000000 # more than the time since boot
	lctl set_param debug=+ioctl
	only_ours
	while_clock_runs mark_around_step
	run -0 --separate-stderr with_clock lctl dk
	printf '%s\n' "$output" | sed -n 's/.*MARKER: //p; s/.*([a-z_]*\.c:.*/lustre/p' | uniq >"$tmp/order"
	same "before
lustre
after
much later" "$(cat "$tmp/order")" "order"
	sed -n 's/^[^.]*\.[^:]*:\([0-9]*\)\..*MARKER: .*/\1/p' <<<"$output" >"$tmp/seconds"
	within "$((second - 600))" "$(head -n 1 "$tmp/seconds")" "$second" "seconds of the first mark"
	at_least "$((second + 300000000))" "$(tail -n 1 "$tmp/seconds")" "seconds of the last mark"
	has_line '^lctl: the clock was set forward by (299|300)[0-9]{6}\.[0-9]{3} s, or the machine slept: lines from ' <(echo "$stderr")
	# These are gone, and nothing is to be said of the step any more.
	with_clock lctl mark new
	run -0 --separate-stderr with_clock lctl dk
	lacks "$stderr" "the clock was set"
}
