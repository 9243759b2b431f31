#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# report beside trace-cmd report, on the same files, all in one run: medians of interleaved runs, and
# ratios. Of one thread it is CPU seconds, so that other work on the machine counts for neither; where
# time that passes is asked for, the runs go before other work if they may (SCHED_FIFO).
# usage: tests/bench/report.sh BUILD
set -eu

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$build:$PATH" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d" DKTRACE_INTERVALS="$here/../../share/intervals.d"
export DKTRACE_INSTANCE="dkt-bench-$$"
mine=/sys/kernel/tracing/instances/$DKTRACE_INSTANCE
rounds=${ROUNDS:-5}
cpus=$(getconf _NPROCESSORS_ONLN)
tmp=$(mktemp -d)
trap 'dktrace reset 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

first=
chrt -f 1 true 2>/dev/null && first='chrt -f 1'

# Seconds of a command, as the format of bash's time says, into a file of such numbers.
# usage: seconds FORMAT FILE COMMAND...
seconds()
{
	format=$1
	file=$2
	shift 2
	# shellcheck disable=SC2016
	TIMEFORMAT=$format bash -c '{ time "$@" >/dev/null 2>&1; } 2>>"$0"' "$tmp/$file" "$@" || :
}

cpu()
{
	seconds '%3U %3S' "$@"
}

# Ours takes so much less time that one run in each round would be a sample of the machine's moods.
ours()
{
	for _ in 1 2 3; do
		cpu "$@"
	done
}

wall()
{
	file=$1
	shift
	# shellcheck disable=SC2086 # words or nothing
	seconds '%3R 0' "$file" $first "$@"
}

median()
{
	awk '/^[0-9.]+ [0-9.]+$/ { print $1 + $2 }' "$tmp/$1" | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# usage: row WHAT OTHER OURS ASKED
row()
{
	awk -v what="$1" -v a="$(median "$2")" -v b="$(median "$3")" -v asked="$4" \
		'BEGIN { printf "%-44s %7.3f s  %7.3f s  %6.2fx (asked: %s)\n", what, a, b, a / b, asked }'
}

# Records system calls and the scheduler, or with a second argument every event of some systems.
record()
{
	out=$1
	shift
	dktrace clear 2>/dev/null || :
	for system; do echo 1 >"$mine/events/$system/enable"; done
	for cpu in $(seq 0 $((cpus - 1))); do
		taskset -c "$cpu" dd if=/dev/zero of=/dev/null bs=1 count=$((count / cpus)) 2>/dev/null &
	done
	find /usr/share /proc -maxdepth 3 -type f -exec head -c 10 {} + >/dev/null 2>&1 || :
	wait
	for system; do echo 0 >"$mine/events/$system/enable"; done
	dktrace convert --compression none log "$out"
}

dktrace set_param debug_mb=$((200 * cpus)) debug=trace >/dev/null
dktrace set_param debug=0 >/dev/null

count=750000
record "$tmp/plain.dat" raw_syscalls sched
dktrace convert --compression zstd "$tmp/plain.dat" "$tmp/zstd.dat"
count=4000
record "$tmp/mixed.dat" irq timer workqueue kmem syscalls signal task block ext4 net sock skb rcu filemap
lines=$(dktrace report "$tmp/plain.dat" | wc -l)
kinds=$(dktrace report --style json --fields event "$tmp/mixed.dat" 2>/dev/null |
	grep -o '"event":"[^"]*"' | sort -u | wc -l)

# A system call that is made in about one of 1000 records.
call=$(dktrace hist raw_syscalls:sys_enter --keys id --csv --input "$tmp/plain.dat" 2>/dev/null |
	awk -F, -v want=$((lines / 2000)) '/^[0-9]/ { off = $2 > want ? $2 / want : want / $2
		if (!best || off < best) { best = off; id = $1 } } END { print id }')
keep="id == $call"
kept=$(dktrace report -f "$keep" "$tmp/plain.dat" | wc -l)

for _ in $(seq "$rounds"); do
	cpu theirs trace-cmd report "$tmp/plain.dat"
	ours trace dktrace report "$tmp/plain.dat"
	ours bound "$build/tests/bench/decoder" "$tmp/plain.dat"
	ours legacy dktrace report --style legacy "$tmp/plain.dat"
	ours json dktrace report --style json "$tmp/plain.dat"
	cpu theirs-zstd trace-cmd report "$tmp/zstd.dat"
	ours zstd dktrace report "$tmp/zstd.dat"
	cpu theirs-filter trace-cmd report -F "sys_enter,sys_exit: $keep" "$tmp/plain.dat"
	ours filter dktrace report -f "$keep" "$tmp/plain.dat"
	cpu theirs-mixed trace-cmd report "$tmp/mixed.dat"
	ours mixed dktrace report "$tmp/mixed.dat"
done
for _ in $(seq $((3 * rounds))); do
	for style in trace legacy json; do
		wall "$style-1" dktrace report --style $style "$tmp/plain.dat"
		wall "$style-2" dktrace report -j2 --style $style "$tmp/plain.dat"
	done
done

echo "$lines records of system calls and the scheduler; other tool, report, times as fast:"
row "trace style; trace-cmd report" theirs trace 30x
row "trace style; a decoder of two events by hand" bound trace 0.5x
row "legacy style; trace-cmd report" theirs legacy 25x
row "json; trace-cmd report" theirs json 20x
row "of a zstd file; trace-cmd report of it" theirs-zstd zstd 30x
row "--filter keeping 1 in $((lines / kept)); trace-cmd report -F" theirs-filter filter 10x
row "$kinds kinds of events mixed; trace-cmd report" theirs-mixed mixed 15x
for style in trace legacy json; do
	row "seconds passed, $style style: one thread; -j2" "$style-1" "$style-2" 1.7x
done

n=$("$build/tests/bench/formats" "$tmp/formats.dat")
for _ in $(seq 21); do
	wall formats dktrace report "$tmp/formats.dat"
done
echo "start-up on a file of $n formats: $(median formats) s (asked: under 0.050)"

# Memory: all that is resident, of a file as often in one as makes 2 GB.
size=$(stat -c %s "$tmp/plain.dat")
times=$((2147483648 / size + 1))
if [ "$(df --output=avail -B1 "$tmp" | tail -n 1)" -lt $((3 * size * times / 2)) ]; then
	echo "peak memory: skipped, $tmp has no room for a file of 2 GB"
	exit
fi
files=
for _ in $(seq $times); do files="$files $tmp/plain.dat"; done
# shellcheck disable=SC2086 # words
dktrace merge --compression none -o "$tmp/big.dat" $files 2>/dev/null
for jobs in 1 2; do
	command time -o "$tmp/peak" -f %M dktrace report -j$jobs "$tmp/big.dat" >/dev/null
	echo "peak memory of report -j$jobs on a file of $(($(stat -c %s "$tmp/big.dat") / 1000000)) MB:" \
		"$(tail -n 1 "$tmp/peak") kB (asked: under 100000 besides the mapped file)"
done
