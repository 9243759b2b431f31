#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The cost of a daemon at about 100,000 events a second, beside trace-cmd record of the same: CPU seconds of
# the processes and their children, and the daemon's memory. Medians of interleaved runs.
# usage: daemon.sh BUILD [SECONDS [ROUNDS]]
set -eu

# shellcheck source=tests/bench/recorders.sh
. "$(dirname "$0")/recorders.sh"
seconds=${2:-20}
rounds=${3:-3}

# Five bursts of 20,000 events in a second.
work()
{
	for _ in $(seq $((seconds * 5))); do
		dd if=/dev/zero of=/dev/null bs=1 count=5000 status=none
		sleep 0.19
	done
}

in_dktrace()
{
	dktrace daemon start -e 'raw_syscalls:*' --dir "$tmp/dir" --segment-time 5 2>/dev/null
	pid=$(status_of daemon pid)
	work
	# The last segment that the work filled has been completed by then.
	sleep 6
	cpu_of "$pid" >>"$tmp/ours"
	awk '/VmHWM/ { print $2 / 1024 }' "/proc/$pid/status" >>"$tmp/memory"
	status_of daemon all_records >>"$tmp/records"
	status_of daemon all_lost >>"$tmp/lost"
	dktrace daemon stop
	rm -rf "$tmp/dir"
}

# Adds the CPU seconds of trace-cmd and of its processes, one for each CPU, to theirs.
measure_trace_cmd()
{
	work
	sleep 6
	tr ' ' '\n' <"/proc/$pid/task/$pid/children" | while read -r child; do cpu_of "$child"; done >"$tmp/children"
	cpu_of "$pid" >>"$tmp/children"
	awk '{ n += $1 } END { print n }' "$tmp/children" >>"$tmp/theirs"
}

for _ in $(seq "$rounds"); do
	in_dktrace
	in_trace_cmd measure_trace_cmd || :
done
awk -v ours="$(median ours)" -v theirs="$(median theirs 2>/dev/null || echo 0)" -v memory="$(median memory)" \
	-v records="$(median records)" -v lost="$(median lost)" -v s="$seconds" 'BEGIN {
	printf "daemon, %d events in %d s: %.2f s of CPU, %.1f MB, %d lost\n", records, s, ours, memory, lost
	if (theirs) printf "  trace-cmd record %.2f s of CPU: the daemon takes %.2f times\n", theirs, ours / theirs
}'
