#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# profile beside perf record: CPU seconds of the recorder, and the time of two busy threads, in interleaved runs.
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
