#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# view beside perf script | stackcollapse-perf.pl | flamegraph.pl, which make one of its pictures, in CPU
# seconds of interleaved runs. The scripts are of https://github.com/brendangregg/FlameGraph: in PATH, or
# in the directory $FLAMEGRAPH.
# usage: tests/bench/view.sh BUILD
# shellcheck disable=SC1091,SC2154 # of helper/bench.sh
set -eu

. "$(dirname "$0")/../helper/bench.sh"
export PATH="$PATH${FLAMEGRAPH:+:$FLAMEGRAPH}"

# Switches of processes, each with its stack.
perf record -q -g -m 64M -o "$tmp/stacks.data" -a -e sched:sched_switch \
	perf bench sched pipe -l "${LOOPS:-100000}" >/dev/null 2>&1
records=$(dktrace info --json "$tmp/stacks.data" | jq '[.events[].records] | add')
for _ in $(seq "${ROUNDS:-3}"); do
	cpu view dktrace view "$tmp/stacks.data" -o "$tmp/page.html"
	if command -v stackcollapse-perf.pl flamegraph.pl >/dev/null; then
		# shellcheck disable=SC2016
		cpu perl sh -c 'perf script -i "$0" | stackcollapse-perf.pl | flamegraph.pl' "$tmp/stacks.data"
	fi
done
awk -v n="$records" -v s="$(median view)" -v size="$(stat -c %s "$tmp/page.html")" \
	'BEGIN { printf "view: %d records with stacks, %.3f s, %.2f M records/s, a page of %.1f MB\n", n, s, n / s / 1e6, size / 1e6 }'
if [ -e "$tmp/perl" ]; then
	awk -v a="$(median perl)" -v b="$(median view)" \
		'BEGIN { printf "perf script | stackcollapse | flamegraph: %.3f s, %.1fx (asked: 10)\n", a, a / b }'
else
	echo "view: FlameGraph's scripts are not there, not compared"
fi
