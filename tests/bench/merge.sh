#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# report and merge of 64 files beside the same of one file with all their records: CPU seconds, medians of
# interleaved runs, and the memory at its peak. The files are of 64 processes that recorded at the same time.
# usage: merge.sh BUILD [RECORDS [ROUNDS]]
set -eu

# shellcheck source=tests/helper/bench.sh
. "$(dirname "$0")/../helper/bench.sh"
records=${2:-10000000}
rounds=${3:-3}
files=64
export DKTRACE_INSTANCE="dkt-bench-$$"

# Each read and write is two system calls of two records each.
cat >"$tmp/work" <<-END
	for _ in \$(seq $files); do
		dd if=/dev/zero of=/dev/null bs=1 count=$((records / files / 4)) status=none &
		echo \$! >>"$tmp/pids"
	done
	wait
END
# Both sides are compressed, as convert writes them.
dktrace record -e 'raw_syscalls:*' --comm dd --buffer-size 512M -o "$tmp/plain.dat" -- sh "$tmp/work" 2>/dev/null
dktrace convert "$tmp/plain.dat" "$tmp/one.dat" 2>/dev/null
while read -r pid; do
	dktrace convert -p "$pid" "$tmp/plain.dat" "$tmp/part-$pid.dat" 2>/dev/null
done <"$tmp/pids"
rm "$tmp/plain.dat"

# usage: row WHAT ASKED
row()
{
	awk -v what="$1" -v one="$(median one)" -v all="$(median all)" -v largest="$(awk '{ print $2 }' "$tmp/life")" 'BEGIN {
		printf "%-8s one file %.2f s, '$files' files %.2f s, %.2fx (asked: 1.3); %.0f MB (asked: less than 64)\n",
			what, one, all, all / one, largest }'
	rm -f "$tmp/one" "$tmp/all"
}

printf 'merge, %d records\n' "$(dktrace info "$tmp/one.dat" --json | jq .records)"
for _ in $(seq "$rounds"); do
	cpu one dktrace report -o "$tmp/out" "$tmp/one.dat"
	cpu all dktrace report -o "$tmp/out" "$tmp"/part-*.dat
done
"$build/tests/tools/cost" "$tmp/life" dktrace report -o "$tmp/out" "$tmp"/part-*.dat 2>/dev/null
row report
for _ in $(seq "$rounds"); do
	cpu one dktrace merge -o "$tmp/out.dat" "$tmp/one.dat"
	cpu all dktrace merge -o "$tmp/out.dat" "$tmp"/part-*.dat
done
"$build/tests/tools/cost" "$tmp/life" dktrace merge -o "$tmp/out.dat" "$tmp"/part-*.dat 2>/dev/null
row merge
