#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# load beside clickhouse-client, which inserts the same rows as CSV into the same tables, with the server on
# the same machine: records a second, and CPU seconds of the loader and of the server; medians of
# interleaved runs. Other work on the machine changes the seconds, but hardly their ratio.
# usage: load.sh BUILD [RECORDS [ROUNDS]]
# shellcheck disable=SC1091,SC2154 # the helpers set the ports
set -eu

# shellcheck source=tests/helper/bench.sh
. "$(dirname "$0")/../helper/bench.sh"
. "$here/../helper/clickhouse.bash"
records=${2:-2000000}
rounds=${3:-3}
export DKTRACE_INSTANCE="dkt-bench-$$"
server1=$tmp/server
trap 'end_server "$server1"; rm -rf "$tmp"' EXIT

choose_ports
write_config "$server1" "$http1" "$tcp1"
start_server "$server1"
# Each read and write is two system calls of two records each.
dktrace record -e 'raw_syscalls:*' --comm dd -o "$tmp/one.dat" -- \
	dd if=/dev/zero of=/dev/null bs=1 count=$((records / 4)) status=none 2>/dev/null
records=$(dktrace info "$tmp/one.dat" --json | jq .records)
await_server "$server1" "$tcp1"

# Jiffies that the server has used.
server_cpu()
{
	awk '{ print $14 + $15 }' "/proc/$(cat "$server1/pid")/stat"
}

# Runs a command with an empty database. usage: run NAME COMMAND...
run()
{
	name=$1
	shift
	ask "CREATE DATABASE bench"
	if [ "$name" = client ]; then
		ask "USE bench; $ddl"
	fi
	before=$(server_cpu)
	from=$(date +%s%N)
	cpu "$name" "$@"
	echo "$(($(date +%s%N) - from)) 0" >>"$tmp/$name-wall"
	echo "$(($(server_cpu) - before)) 0" >>"$tmp/$name-server"
	ask "DROP DATABASE bench"
}

# The rows that load makes are those that the client inserts.
ask "CREATE DATABASE first"
dktrace load --clickhouse "http://127.0.0.1:$http1/first" "$tmp/one.dat" >/dev/null
ddl=$(dktrace load --dry-run "$tmp/one.dat")
tables=$(ask "SELECT name FROM system.tables WHERE database = 'first' AND engine = 'MergeTree'")
for table in $tables; do
	ask "SELECT * FROM first.$table FORMAT CSV" >"$tmp/$table.csv"
done
ask "DROP DATABASE first"
for table in $tables; do
	cat <<-END
		clickhouse-client --host 127.0.0.1 --port $tcp1 --database bench \\
			--allow_experimental_low_cardinality_type 1 \\
			--query 'INSERT INTO $table FORMAT CSV' <$tmp/$table.csv
	END
done >"$tmp/insert"
for _ in $(seq "$rounds"); do
	run load dktrace load --clickhouse "http://127.0.0.1:$http1/bench" "$tmp/one.dat"
	run client sh "$tmp/insert"
done

row()
{
	awk -v name="$1" -v n="$records" -v wall="$(median "$1-wall")" -v own="$(median "$1")" -v server="$(median "$1-server")" 'BEGIN {
		printf "%-18s %4.2f M records/s; CPU: %.2f s, the server %.2f s\n", name, n / wall * 1000, own, server / 100 }'
}
printf 'load, %d records\n' "$records"
row load
row client
awk -v a="$(median load-wall)" -v b="$(median client-wall)" 'BEGIN {
	printf "load is %.2f times as fast as clickhouse-client (asked: 1, and 0.5 M records/s)\n", b / a }'
