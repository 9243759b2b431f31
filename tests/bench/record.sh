#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The cost of recording for the workload: record beside the bare ring buffer, which nobody reads, and beside
# trace-cmd record. Medians of interleaved runs of dd, in dd's own seconds.
# usage: record.sh BUILD [COUNT [ROUNDS]]
set -eu

# shellcheck source=tests/bench/recorders.sh
. "$(dirname "$0")/recorders.sh"
count=${2:-3000000}
rounds=${3:-5}

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

# usage: count_lost N
count_lost()
{
	awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { if (n) print n }' "$tmp/theirs.err" >>"$tmp/theirs.lost.$1"
}

# Prints the losses in a file that has a number for each run with some. usage: lost FILE
lost()
{
	awk -v all="$rounds" '{ n += $1; runs++ } END { printf "%d lost in %d of %d runs", n, runs, all }' "$tmp/$1" 2>/dev/null
}

for n in 1 2; do
	for _ in $(seq "$rounds"); do
		work "$n" "none.$n"
		in_bare 65536 work "$n" "bare.$n"
		in_dktrace "$n"
		! in_trace_cmd work_beside "$n" "theirs.$n" || count_lost "$n"
	done
	awk -v n="$n" -v none="$(median "none.$n")" -v bare="$(median "bare.$n")" -v ours="$(median "ours.$n")" \
		-v theirs="$(median "theirs.$n" 2>/dev/null || echo 0)" \
		-v ol="$(lost "ours.lost.$n")" -v tl="$(lost "theirs.lost.$n")" 'BEGIN {
		printf "%d dd bs=1: alone %.2f s, bare ring buffer %.2f s\n", n, none, bare
		printf "  dktrace record %.2f s: %.2f times the bare ring buffer, %s\n", ours, ours / bare, ol
		if (theirs) printf "  trace-cmd record %.2f s: %.2f times, %s\n", theirs, theirs / bare, tl
	}'
done
