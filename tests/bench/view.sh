#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# view beside perf script | stackcollapse-perf.pl | flamegraph.pl, which make one of its pictures, in CPU
# seconds of interleaved runs. The scripts are of https://github.com/brendangregg/FlameGraph: in PATH, or
# in the directory $FLAMEGRAPH.
# usage: tests/bench/view.sh BUILD
set -eu

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$build:$PATH${FLAMEGRAPH:+:$FLAMEGRAPH}" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# CPU seconds of a command with all its processes, into a file of such numbers.
# usage: cpu FILE COMMAND...
cpu()
{
	file=$1
	shift
	# shellcheck disable=SC2016
	TIMEFORMAT='%3U %3S' bash -c '{ time "$@" >/dev/null 2>&1; } 2>>"$0"' "$tmp/$file" "$@" || :
}

median()
{
	awk '{ print $1 + $2 }' "$tmp/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

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
