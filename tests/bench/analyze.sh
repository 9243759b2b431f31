#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# analyze beside perf and lttng-analyses, in CPU seconds of interleaved runs, so that other work on the
# machine counts for neither: records per second, and the ratio to the others on the same work.
# usage: tests/bench/analyze.sh BUILD
# shellcheck disable=SC1091,SC2154,SC2016 # of helper/bench.sh; $begin is dktrace's
set -eu

. "$(dirname "$0")/../helper/bench.sh"
rounds=${ROUNDS:-5}

# usage: rate WHAT TIMES FILE [ASKED]
rate()
{
	awk -v what="$1" -v s="$(median "$2")" -v n="$(dktrace info --json "$tmp/$3" | jq .records)" -v asked="${4:-}" \
		'BEGIN { printf "%-44s %7.3f s  %5.1f M records/s%s\n", what, s, n / s / 1e6, asked ? " (asked: " asked ")" : "" }'
}

# usage: row WHAT OTHER OURS ASKED
row()
{
	awk -v what="$1" -v a="$(median "$2")" -v b="$(median "$3")" -v asked="$4" \
		'BEGIN { printf "%-44s %7.3f s  %7.3f s  %6.1fx (asked: %s)\n", what, a, b, a / b, asked }'
}

# 1.5 M system calls of one process, which perf records as well, and their switches.
perf record -q -m 64M -o "$tmp/calls.data" -e raw_syscalls:sys_enter,raw_syscalls:sys_exit \
	dd if=/dev/zero of=/dev/null bs=1 count=750000 2>/dev/null
perf record -q -m 64M -o "$tmp/sched.data" -a -e sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new \
	perf bench sched pipe -l 300000 >/dev/null 2>&1
for name in calls sched; do
	dktrace convert "$tmp/$name.data" "$tmp/$name.dat" --compression none 2>/dev/null || :
done
for _ in $(seq "$rounds"); do
	cpu cputop dktrace analyze cputop "$tmp/sched.dat"
	cpu perf-sched perf sched -i "$tmp/sched.data" latency
	cpu schedstats dktrace analyze schedstats "$tmp/sched.data"
	cpu syscallstats dktrace analyze syscallstats "$tmp/calls.dat"
	cpu perf-trace perf trace -s -i "$tmp/calls.data"
	cpu syscallstats-perf dktrace analyze syscallstats "$tmp/calls.data"
	cpu iousagetop dktrace analyze iousagetop "$tmp/calls.dat"
	cpu periodstats dktrace analyze periodstats "$tmp/calls.dat" --period \
		'call: begin sys_enter; end sys_exit[PID == $begin.PID && id == $begin.id]'
done
rate 'cputop' cputop sched.dat 10
rate 'syscallstats' syscallstats calls.dat 10
rate 'iousagetop' iousagetop calls.dat 10
rate 'periodstats' periodstats calls.dat
row 'perf sched latency, cputop of trace.dat' perf-sched cputop 5
row 'perf sched latency, schedstats of perf.data' perf-sched schedstats 5
row 'perf trace -s, syscallstats of trace.dat' perf-trace syscallstats 5
row 'perf trace -s, syscallstats of perf.data' perf-trace syscallstats-perf 5
command -v lttng-cputop-mi >/dev/null || exit 0
mkdir "$tmp/lttng"
dktrace convert "$tmp/sched.dat" "$tmp/lttng/kernel" --format ctf-lttng || :
cpu lttng-cputop lttng-cputop-mi --skip-validation "$tmp/lttng"
row 'lttng-cputop, cputop' lttng-cputop cputop 100
