#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Speed of df: two million records (290 MB) of four CPUs to /dev/null.
# usage: tests/bench/df.sh BUILD [RECORDS]; beside it the lctl that LCTL_REAL names, and trace-cmd report
# on the file that TRACE_DAT names.
set -eu

build=$1 records=${2:-2000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$build/tests/gen-records" cpus "$records" | dd of="$dir/log" bs=1M iflag=fullblock 2>/dev/null
bytes=$(stat -c %s "$dir/log")

# The best of five by user and system time. usage: measure NAME RECORDS BYTES COMMAND...
measure()
{
	name=$1 n=$2 size=$3
	shift 3
	for i in 1 2 3 4 5; do
		/usr/bin/time -o "$dir/time$i" -f '%U %S %M' "$@" >/dev/null 2>&1
	done
	sort -n "$dir"/time? | awk -v name="$name" -v n="$n" -v size="$size" '
		{ t = $1 + $2; if (!best || t < best) { best = t; kb = $3 } }
		END { if (best < 0.01) best = 0.01
			printf "%-24s %7.2f M lines/s %7.0f MB/s %7.0f MB at most\n", name, n / best / 1e6, size / best / 1e6, kb / 1024 }'
}

measure 'df' "$records" "$bytes" "$build/lctl" df "$dir/log"
"$build/tests/gen-records" random "$records" >"$dir/random"
measure 'df, no order' "$records" "$(stat -c %s "$dir/random")" "$build/lctl" df "$dir/random"
if [ -n "${LCTL_REAL:-}" ]; then
	measure 'the real lctl df' "$records" "$bytes" "$LCTL_REAL" df "$dir/log"
fi
if [ -n "${TRACE_DAT:-}" ] && command -v trace-cmd >/dev/null; then
	events=$(trace-cmd report -i "$TRACE_DAT" 2>/dev/null | wc -l)
	measure 'trace-cmd report' "$events" "$(stat -c %s "$TRACE_DAT")" trace-cmd report -i "$TRACE_DAT"
fi
