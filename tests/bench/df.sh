#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Speed of df: two million records (290 MB), of four CPUs and in no order, to /dev/null and to a file.
# usage: tests/bench/df.sh BUILD [RECORDS [ROUNDS]]; beside it, in the same rounds, the lctl that
# LCTL_REAL names, and trace-cmd report on the file that TRACE_DAT names.
set -eu

build=$1 records=${2:-2000000} rounds=${3:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$build/tests/tools/gen-records" cpus "$records" >"$dir/cpus"
"$build/tests/tools/gen-records" random "$records" >"$dir/random"

# One round of a row: its time, CPU time and memory. usage: measure ROW COMMAND...
measure()
{
	row=$1
	shift
	/usr/bin/time -a -o "$dir/$row.times" -f '%e %U %S %M' "$@" >/dev/null 2>&1
	rm -f "$dir/out"
}

# The three rows of one lctl. usage: measure_df NAME LCTL
measure_df()
{
	measure "$1-null" "$2" df "$dir/cpus"
	measure "$1-file" "$2" df "$dir/cpus" "$dir/out"
	measure "$1-random" "$2" df "$dir/random"
}

events=
if [ -n "${TRACE_DAT:-}" ] && command -v trace-cmd >/dev/null; then
	events=$(trace-cmd report -i "$TRACE_DAT" 2>/dev/null | wc -l)
fi
round=0
while [ "$round" -lt "$rounds" ]; do
	measure_df ours "$build/lctl"
	[ -z "${LCTL_REAL:-}" ] || measure_df real "$LCTL_REAL"
	[ -z "$events" ] || measure trace-cmd trace-cmd report -i "$TRACE_DAT"
	round=$((round + 1))
done

# The median of a column. usage: median ROW COLUMN
median()
{
	awk -v column="$2" '{ print $column }' "$dir/$1.times" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# usage: tell ROW NAME RECORDS [ROW TO COMPARE WITH]
tell()
{
	other=
	[ -z "${4:-}" ] || [ ! -e "$dir/$4.times" ] || other=$(median "$4" 1)
	awk '{ print $2 + $3 }' "$dir/$1.times" | sort -n | head -n 1 >"$dir/cpu"
	awk -v name="$2" -v n="$3" -v wall="$(median "$1" 1)" -v cpu="$(cat "$dir/cpu")" -v kb="$(median "$1" 4)" -v other="$other" 'BEGIN {
		if (wall < 0.01) wall = 0.01
		printf "%-28s %6.2f s %6.2f s of CPU %7.2f M lines/s %5.0f MB", name, wall, cpu, n / wall / 1e6, kb / 1024
		if (other) printf "  %.1f times as fast as the real lctl", other / wall
		print ""
	}'
}

tell ours-null 'df to /dev/null' "$records" real-null
tell ours-file 'df to a file' "$records" real-file
tell ours-random 'df, no order' "$records" real-random
if [ -n "${LCTL_REAL:-}" ]; then
	tell real-null 'the real one to /dev/null' "$records"
	tell real-file 'the real one to a file' "$records"
	tell real-random 'the real one, no order' "$records"
fi
[ -z "$events" ] || tell trace-cmd 'trace-cmd report' "$events"
