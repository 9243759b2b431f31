#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The cost of a daemon at about 100,000 events a second, beside trace-cmd record of the same: CPU seconds of
# the processes and their children, and the daemon's memory. Medians of interleaved runs.
# usage: daemon.sh BUILD [SECONDS [ROUNDS]]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
export PATH="$build:$PATH" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d"
seconds=${2:-20}
rounds=${3:-3}
tracing=/sys/kernel/tracing
export DKTRACE_INSTANCE="dkt-bench-$$"
tmp=$(mktemp -d)

clean()
{
	dktrace reset 2>/dev/null || :
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 130' INT TERM

# Five bursts of 20,000 events in a second.
work()
{
	for _ in $(seq $((seconds * 5))); do
		dd if=/dev/zero of=/dev/null bs=1 count=5000 status=none
		sleep 0.19
	done
}

# Prints the CPU seconds of a process and of its children that have exited. usage: cpu_of PID
cpu_of()
{
	sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{ print ($12 + $13 + $14 + $15) / hz }'
}

median()
{
	sort -n "$tmp/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

in_dktrace()
{
	dktrace daemon start -e 'raw_syscalls:*' --dir "$tmp/dir" --segment-time 5 2>/dev/null
	pid=$(dktrace daemon status --json | sed -n 's/.*"pid": *\([0-9]*\).*/\1/p')
	work
	# The last segment that the work filled has been completed by then.
	sleep 6
	cpu_of "$pid" >>"$tmp/ours"
	awk '/VmHWM/ { print $2 / 1024 }' "/proc/$pid/status" >>"$tmp/memory"
	dktrace daemon status --json | sed -n 's/.*"all_records": *\([0-9]*\).*/\1/p' >>"$tmp/records"
	dktrace daemon status --json | sed -n 's/.*"all_lost": *\([0-9]*\).*/\1/p' >>"$tmp/lost"
	dktrace daemon stop
	rm -rf "$tmp/dir"
}

# As in record.sh: files that take everything are laid over those of the function tracer.
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
	work
	sleep 6
	tr ' ' '\n' <"/proc/$pid/task/$pid/children" | while read -r child; do cpu_of "$child"; done >"$tmp/children"
	cpu_of "$pid" >>"$tmp/children"
	awk '{ n += $1 } END { print n }' "$tmp/children" >>"$tmp/theirs"
	kill -INT $pid
	wait $pid || :
	rm -f "$tmp"/theirs.dat*
}

for _ in $(seq "$rounds"); do
	in_dktrace
	in_trace_cmd
done
awk -v ours="$(median ours)" -v theirs="$(median theirs 2>/dev/null || echo 0)" -v memory="$(median memory)" \
	-v records="$(median records)" -v lost="$(median lost)" -v s="$seconds" 'BEGIN {
	printf "daemon, %d events in %d s: %.2f s of CPU, %.1f MB, %d lost\n", records, s, ours, memory, lost
	if (theirs) printf "  trace-cmd record %.2f s of CPU: the daemon takes %.2f times\n", theirs, ours / theirs
}'
