#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# profile beside perf record: CPU seconds of the recorder, and the time of two busy threads, in interleaved runs.
# Then folded stacks beside perf script | stackcollapse-perf.pl, in CPU seconds: of samples with frame pointers,
# and of samples with saved stacks beside perf script alone. The script is of
# https://github.com/brendangregg/FlameGraph: in PATH, or in the directory $FLAMEGRAPH.
# usage: tests/bench/profile.sh BUILD
# shellcheck disable=SC1091,SC2154 # of helper/bench.sh
set -eu

. "$(dirname "$0")/../helper/bench.sh"
rounds=${ROUNDS:-5}
target=$build/tests/tools/profile-target

# The seconds that the target takes while a recorder samples the machine. usage: beside NAME COMMAND...
beside()
{
	name=$1
	shift
	cpu "$name" "$@" &
	recorder=$!
	from=$(date +%s%N)
	"$target" 1500
	awk -v ns=$(($(date +%s%N) - from)) 'BEGIN { printf "%.3f 0.000\n", ns / 1e9 }' >>"$tmp/$name.work"
	wait $recorder
}

for _ in $(seq "$rounds"); do
	beside plain sleep 5
	beside perf perf record -q -F 999 -a -g -o "$tmp/perf.data" -- sleep 5
	beside dktrace dktrace profile -F 999 -o "$tmp/dktrace.data" --duration 5
done
for name in plain perf dktrace; do
	printf '%-8s recorder %6.3f s, workload %6.3f s\n' $name "$(median $name)" "$(median $name.work)"
done

export PATH="$PATH${FLAMEGRAPH:+:$FLAMEGRAPH}"

# usage: folded NAME ASKED COMMAND... with the file as its last word; compares the file NAME.data
folded()
{
	name=$1
	asked=$2
	shift 2
	for _ in $(seq "$rounds"); do
		cpu "$name.ours" dktrace profile -S folded "$tmp/$name.data"
		cpu "$name.theirs" "$@" "$tmp/$name.data"
	done
	/usr/bin/time -f %M -o "$tmp/memory" dktrace profile -S folded "$tmp/$name.data" >/dev/null
	awk -v name="$name" -v asked="$asked" -v a="$(median "$name.theirs")" -v b="$(median "$name.ours")" \
		-v mb="$(($(cat "$tmp/memory") / 1024))" \
		'BEGIN { printf "folded, %s: %.3f s and %d MB, perf %.3f s, %.1fx (asked: %s)\n", name, b, mb, a, a / b, asked }'
}

perf record -q -e cpu-clock -c 20000 -a -g -m 64M -o "$tmp/fp.data" -- "$target" "${FOLDED:-4000}" 2>/dev/null
perf record -q -e cpu-clock -F 10000 --call-graph dwarf,8192 -m 64M -o "$tmp/dwarf.data" -- \
	"$target" "${DWARF:-1500}" 2>/dev/null
if command -v stackcollapse-perf.pl >/dev/null; then
	# shellcheck disable=SC2016
	folded fp 40 sh -c 'perf script -i "$0" | stackcollapse-perf.pl'
else
	echo "folded: FlameGraph's scripts are not there, not compared"
fi
folded dwarf 5 perf script -i
