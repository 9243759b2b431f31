#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The cost of recording for the workload: record beside the bare ring buffer, which nobody reads, and beside
# trace-cmd record. Medians of interleaved runs of dd, in dd's own seconds.
# usage: record.sh BUILD [COUNT [ROUNDS]]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
export PATH="$build:$PATH" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d"
count=${2:-3000000}
rounds=${3:-5}
tracing=/sys/kernel/tracing
bare=$tracing/instances/dkt-bench-bare-$$
export DKTRACE_INSTANCE="dkt-bench-$$"
tmp=$(mktemp -d)

clean()
{
	rmdir "$bare" 2>/dev/null || :
	dktrace reset 2>/dev/null || :
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 130' INT TERM

# Runs N dd at once and appends the seconds of the slowest to a file. usage: work N FILE
work()
{
	for i in $(seq "$1"); do
		dd if=/dev/zero of=/dev/null bs=1 count=$((count / $1)) 2>"$tmp/dd.$i" &
	done
	wait
	sed -n 's/.*copied, \([0-9.]*\) s.*/\1/p' "$tmp"/dd.* | sort -n | tail -n 1 >>"$tmp/$2"
	rm -f "$tmp"/dd.*
}

median()
{
	sort -n "$tmp/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# The bare ring buffer, in overwrite mode, with buffers of 64 MB.
in_bare()
{
	mkdir "$bare"
	echo 65536 >"$bare/buffer_size_kb"
	echo mono >"$bare/trace_clock"
	echo 1 >"$bare/events/raw_syscalls/enable"
	work "$1" "bare.$1"
	echo 0 >"$bare/events/raw_syscalls/enable"
	rmdir "$bare"
}

# usage: in_dktrace N
in_dktrace()
{
	rm -f "$tmp/ours.err"
	dktrace record -e 'raw_syscalls:*' -o "$tmp/ours.dat" 2>"$tmp/ours.err" &
	pid=$!
	until grep -qs Ctrl-C "$tmp/ours.err"; do sleep 0.05; done
	work_beside "$1" "ours.$1"
	kill -INT $pid
	wait $pid || :
	sed -n 's/.*: \([0-9]*\) events were lost.*/\1/p' "$tmp/ours.err" >>"$tmp/ours.lost.$1"
	rm -f "$tmp"/ours.dat*
}

# As work, but leaves other children alone.
work_beside()
{
	(work "$1" "$2")
}

# trace-cmd stops on a machine that refuses the function tracer's files, so files that take everything
# are laid over them where only it sees them.
in_trace_cmd()
{
	command -v trace-cmd >/dev/null || return 0
	# shellcheck disable=SC2016 # for the other shell
	unshare -m sh -c 'for f in current_tracer set_ftrace_filter set_ftrace_notrace set_ftrace_pid; do
			cp "$1/$f" "$2/$f" 2>/dev/null || : >"$2/$f"; mount --bind "$2/$f" "$1/$f" 2>/dev/null || :
		done
		echo 1 >"$2/enabled"; mount --bind "$2/enabled" /proc/sys/kernel/ftrace_enabled 2>/dev/null || :
		exec trace-cmd record -e raw_syscalls -o "$2/theirs.dat"' sh "$tracing" "$tmp" >"$tmp/theirs.err" 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		grep -q "Hit Ctrl" "$tmp/theirs.err" && break
		kill -0 $pid 2>/dev/null || return 0
		sleep 0.05
	done
	work_beside "$1" "theirs.$1"
	kill -INT $pid
	wait $pid || :
	awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { if (n) print n }' "$tmp/theirs.err" >>"$tmp/theirs.lost.$1"
	rm -f "$tmp"/theirs.dat*
}

lost()
{
	awk '{ n += $1; runs++ } END { printf "%d lost in %d runs", n, runs }' "$tmp/$1" 2>/dev/null || echo "0 lost"
}

for n in 1 2; do
	for _ in $(seq "$rounds"); do
		work "$n" "none.$n"
		in_bare "$n"
		in_dktrace "$n"
		in_trace_cmd "$n"
	done
	awk -v n="$n" -v none="$(median "none.$n")" -v bare="$(median "bare.$n")" -v ours="$(median "ours.$n")" \
		-v theirs="$(median "theirs.$n" 2>/dev/null || echo 0)" \
		-v ol="$(lost "ours.lost.$n")" -v tl="$(lost "theirs.lost.$n")" 'BEGIN {
		printf "%d dd bs=1: alone %.2f s, bare ring buffer %.2f s\n", n, none, bare
		printf "  dktrace record %.2f s: %.2f times the bare ring buffer, %s\n", ours, ours / bare, ol
		if (theirs) printf "  trace-cmd record %.2f s: %.2f times, %s\n", theirs, theirs / bare, tl
	}'
done
