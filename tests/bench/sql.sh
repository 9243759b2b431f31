#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# convert to a database beside sqlite3, which imports the rows of the same tables as CSV, and sql with a
# question: records a second of CPU on one core; medians of interleaved runs.
# usage: sql.sh BUILD [RECORDS [ROUNDS]]
set -eu

# shellcheck source=tests/helper/bench.sh
. "$(dirname "$0")/../helper/bench.sh"
records=${2:-2000000}
rounds=${3:-3}
export DKTRACE_INSTANCE="dkt-bench-$$" TMPDIR="$tmp"

# Each read and write is two system calls of two records each.
dktrace record -e 'raw_syscalls:*' --comm dd -o "$tmp/one.dat" -- \
	dd if=/dev/zero of=/dev/null bs=1 count=$((records / 4)) status=none 2>/dev/null
records=$(dktrace info "$tmp/one.dat" --json | jq .records)
dktrace convert "$tmp/one.dat" "$tmp/first.sqlite"
tables=$(sqlite3 "$tmp/first.sqlite" "SELECT name FROM sqlite_schema WHERE type = 'table'")
for table in $tables; do
	sqlite3 -csv "$tmp/first.sqlite" "SELECT * FROM \"$table\"" >"$tmp/$table.csv"
done

# The same tables, and what makes an import fast.
{
	echo "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=16384;"
	sqlite3 "$tmp/first.sqlite" \
		"SELECT sql || ';' FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL"
	for table in $tables; do
		echo ".import --csv '$tmp/$table.csv' '$table'"
	done
} >"$tmp/import"

# usage: run NAME COMMAND...
run()
{
	name=$1
	shift
	rm -f "$tmp/out.sqlite"
	cpu "$name" taskset -c 0 "$@"
}

for _ in $(seq "$rounds"); do
	run convert dktrace convert "$tmp/one.dat" "$tmp/out.sqlite"
	run import sqlite3 "$tmp/out.sqlite" ".read $tmp/import"
	run count dktrace sql "$tmp/one.dat" 'SELECT count(*) FROM sys_enter'
	run columns dktrace sql "$tmp/one.dat" 'SELECT * FROM sys_enter ORDER BY ts DESC LIMIT 5'
	run longest dktrace sql "$tmp/one.dat" 'SELECT * FROM syscalltop'
	run stats dktrace sql "$tmp/one.dat" 'SELECT * FROM syscallstats'
done

row()
{
	awk -v name="$2" -v n="$records" -v cpu="$(median "$1")" 'BEGIN {
		printf "%-32s %5.2f s  %4.2f M records/s\n", name, cpu, n / cpu / 1e6 }'
}
printf 'sql, %d records (asked: 1 M records/s)\n' "$records"
row convert 'convert'
row import 'sqlite3 .import of its rows'
row count 'sql, number of calls'
row columns 'sql, last calls, all columns'
row longest 'sql, longest calls'
row stats 'sql, statistics of calls'
