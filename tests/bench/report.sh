#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# report beside trace-cmd report, on the same files, all in one run: medians of CPU seconds of
# interleaved runs (so that other work on the machine counts for neither), and ratios.
# usage: tests/bench/report.sh BUILD
set -eu

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$build:$PATH" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d"
export DKTRACE_INSTANCE="dkt-bench-$$"
mine=/sys/kernel/tracing/instances/$DKTRACE_INSTANCE
rounds=${ROUNDS:-5}
cpus=$(getconf _NPROCESSORS_ONLN)
tmp=$(mktemp -d)
trap 'dktrace reset 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# CPU seconds of a command, into a file of such numbers.
cpu()
{
	file=$1
	shift
	command time -a -o "$tmp/$file" -f '%U %S' "$@" >/dev/null 2>&1 || :
}

# Seconds that pass, likewise.
wall()
{
	file=$1
	shift
	command time -a -o "$tmp/$file" -f '%e 0' "$@" >/dev/null 2>&1 || :
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
		'BEGIN { printf "%-44s %7.3f s  %7.3f s  %5.1fx (asked: %s)\n", what, a, b, a / b, asked }'
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
keep='prev_pid > 0'
kept=$(dktrace report -f "$keep" "$tmp/plain.dat" | wc -l)

for _ in $(seq "$rounds"); do
	cpu theirs trace-cmd report "$tmp/plain.dat"
	cpu trace dktrace report "$tmp/plain.dat"
	cpu bound "$build/tests/bench/decoder" "$tmp/plain.dat"
	cpu legacy dktrace report --style legacy "$tmp/plain.dat"
	cpu json dktrace report --style json "$tmp/plain.dat"
	cpu theirs-zstd trace-cmd report "$tmp/zstd.dat"
	cpu zstd dktrace report "$tmp/zstd.dat"
	cpu theirs-filter trace-cmd report -F "sched_switch: $keep" "$tmp/plain.dat"
	cpu filter dktrace report -f "$keep" "$tmp/plain.dat"
	cpu theirs-mixed trace-cmd report "$tmp/mixed.dat"
	cpu mixed dktrace report "$tmp/mixed.dat"
	wall one dktrace report "$tmp/plain.dat"
	wall two dktrace report -j2 "$tmp/plain.dat"
done

echo "$lines records of system calls and the scheduler; other tool, report, times as fast:"
row "trace style; trace-cmd report" theirs trace 30x
row "trace style; a decoder of two events by hand" bound trace 0.5x
row "legacy style; trace-cmd report" theirs legacy 25x
row "json; trace-cmd report" theirs json 20x
row "of a zstd file; trace-cmd report of it" theirs-zstd zstd 30x
row "--filter keeping $kept; trace-cmd report -F" theirs-filter filter 10x
row "$kinds kinds of events mixed; trace-cmd report" theirs-mixed mixed 15x
row "seconds passed: one thread; -j2" one two 1.7x

n=$("$build/tests/bench/formats" "$tmp/formats.dat")
for _ in $(seq 21); do
	wall formats dktrace report "$tmp/formats.dat"
done
echo "start-up on a file of $n formats: $(median formats) s (asked: under 0.050)"

# Memory beside the mapped file, by the kernel's count at its highest.
dktrace report "$tmp/plain.dat" >/dev/null &
pid=$!
most=0
while [ -e "/proc/$pid/status" ]; do
	now=$(awk '/^RssAnon:/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
	[ "${now:-0}" -le "$most" ] || most=$now
done
echo "memory beside the mapped $(($(stat -c %s "$tmp/plain.dat") >> 20)) MB: $((most / 1024)) MB (asked: under 100 for 2 GB)"
