#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The cost of a daemon at about 100,000 events a second, beside trace-cmd record of the same: CPU seconds of all
# their processes from start to end, when both have written compressed files, and the memory at its peak.
# Medians of interleaved runs.
# usage: daemon.sh BUILD [SECONDS [ROUNDS [OPTION-OF-DAEMON...]]]
set -eu

# shellcheck source=tests/bench/recorders.sh
. "$(dirname "$0")/recorders.sh"
# The start and the end, mostly reading the kernel's symbols, would be half of a short run.
seconds=${2:-60}
rounds=${3:-3}
shift $(($# < 3 ? $# : 3))
tool=$build/tests/tools/cost
# A name that no other process on the machine has: only its events are recorded.
generator=dkt-$$
cp "$(command -v dd)" "$tmp/$generator"

# Five bursts of 20,000 events in a second, and time for the daemon to count the last.
work()
{
	for _ in $(seq $((seconds * 5))); do
		"$tmp/$generator" if=/dev/zero of=/dev/null bs=1 count=5000 status=none
		sleep 0.19
	done
	sleep 2
}

# Adds what a recorder has cost so far to NAME.recording, and of that to NAME.children the part of processes
# that have ended. usage: so_far COST-PID NAME
so_far()
{
	"$tool" so-far "$1" >"$tmp/now"
	awk '{ print $1 + $2 }' "$tmp/now" >>"$tmp/$2.recording"
	awk '{ print $2 }' "$tmp/now" >>"$tmp/$2.children"
}

# Adds what a recorder has cost in its whole life to NAME.cpu, .largest and .sum. usage: whole_of NAME FILE...
whole_of()
{
	name=$1
	shift
	awk '{ n += $1 } END { printf "%.3f\n", n }' "$@" >>"$tmp/$name.cpu"
	awk '{ print $2 }' "$1" >>"$tmp/$name.largest"
	awk '{ print $3 }' "$1" >>"$tmp/$name.sum"
}

# usage: in_dktrace [OPTION...]
in_dktrace()
{
	"$tool" "$tmp/life" dktrace daemon start -e 'raw_syscalls:*' --filter "COMM == $generator" --dir "$tmp/dir" "$@" 2>/dev/null &
	cost=$!
	until [ -n "$(status_of daemon pid 2>/dev/null)" ]; do sleep 0.05; done
	work
	so_far "$cost" ours
	status_of daemon all_records >>"$tmp/ours.records"
	status_of daemon all_lost >>"$tmp/ours.lost"
	"$tool" "$tmp/stop" dktrace daemon stop
	wait "$cost"
	whole_of ours "$tmp/life" "$tmp/stop"
	cat "$tmp"/dir/*.dat | wc -c >>"$tmp/ours.bytes"
	rm -rf "$tmp/dir"
}

measure_trace_cmd()
{
	work
	so_far "$cost" theirs
}

in_trace_cmd_whole()
{
	whole=$tmp/life only=$generator in_trace_cmd measure_trace_cmd || return 0
	whole_of theirs "$tmp/life"
	sed -n 's/^ *\([0-9]*\) bytes in size.*/\1/p' "$tmp/theirs.err" | awk '{ n += $1 } END { print n }' >>"$tmp/theirs.bytes"
	awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n + 0 }' "$tmp/theirs.err" >>"$tmp/theirs.lost"
}

# usage: row NAME TEXT
row()
{
	awk -v what="$2" -v cpu="$(median "$1.cpu")" -v now="$(median "$1.recording")" -v children="$(median "$1.children")" \
		-v largest="$(median "$1.largest")" -v sum="$(median "$1.sum")" -v lost="$(median "$1.lost")" \
		-v bytes="$(median "$1.bytes")" 'BEGIN {
		printf "  %s %.2f s of CPU: %.2f s while recording", what, cpu, now
		if (children) printf ", of it %.2f s to compress", children
		printf ", %.2f s at its end;", cpu - now
		printf " %.1f MB, %.1f MB with all processes; %.1f MB written, %d lost\n", largest, sum, bytes / 1e6, lost
	}'
}

for _ in $(seq "$rounds"); do
	in_dktrace "$@"
	in_trace_cmd_whole
done
printf 'daemon, %d events in %d s\n' "$(median ours.records)" "$seconds"
row ours "dktrace daemon  "
[ ! -e "$tmp/theirs.cpu" ] || {
	row theirs "trace-cmd record"
	awk -v ours="$(median ours.cpu)" -v theirs="$(median theirs.cpu)" 'BEGIN {
		printf "  the daemon takes %.2f times the CPU of trace-cmd (asked: less than 0.5)\n", ours / theirs }'
}
