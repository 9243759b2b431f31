#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# load with the layout replicated, which "make check" does not run: it takes a minute. There are two replicas of ClickHouse, and ZooKeeper.
# shellcheck disable=SC2154 # set by bats and helpers

load ../helper/common
load ../helper/clickhouse

setup_file()
{
	need_clickhouse
	need_server ZooKeeper
	need_keeper
	choose_ports
	export server1=$BATS_FILE_TMPDIR/one server2=$BATS_FILE_TMPDIR/two zookeeper=$BATS_FILE_TMPDIR/keeper
	write_config "$server1" "$http1" "$tcp1"
	write_config "$server2" "$http2" "$tcp2"
	write_replica "$server1" "$inter1" a
	write_replica "$server2" "$inter2" b
	start_keeper "$zookeeper"
	"$top/tests/tools/gen-sched" 4 4000 >"$BATS_FILE_TMPDIR/sched.txt"
	DKTRACE_ROOT=$top/tests/fixture/analyze dktrace convert "$BATS_FILE_TMPDIR/sched.txt" "$BATS_FILE_TMPDIR/sched.dat"
	dktrace convert "$BATS_FILE_TMPDIR/sched.dat" "$BATS_FILE_TMPDIR/sched.sqlite"
	await_keeper "$zookeeper"
	start_server "$server1"
	start_server "$server2"
	await_server "$server1" "$tcp1"
	await_server "$server2" "$tcp2"
}

teardown_file()
{
	end_server "$server1" KILL
	end_server "$server2" KILL
	end_server "$zookeeper" KILL
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	sched=$BATS_FILE_TMPDIR/sched.dat
	new_database
	tcp=$tcp2 ask "CREATE DATABASE $db"
	url2=http://127.0.0.1:$http2/$db
}

# usage: load_into URL FILE...
load_into()
{
	dktrace load --layout replicated --clickhouse "$@"
}

# The replica that has fetched the others' rows answers as they do. usage: same_on_both DATABASE
same_on_both()
{
	tcp=$tcp1 same_rows "$1"
	until fetched; do
		sleep 0.05
	done
	tcp=$tcp2 same_rows "$1"
}

fetched()
{
	[ "$(tcp=$tcp2 ask "SELECT sum(records) FROM $db.rates")" = "$(ask "SELECT sum(records) FROM $db.rates")" ] &&
		[ "$(tcp=$tcp2 ask "SELECT count() FROM $db.files")" = "$(ask "SELECT count() FROM $db.files")" ]
}

@test "both replicas have all rows, and a file counts once whichever replica gets it" {
	run -0 load_into "$url" "$sched"
	has "$output" '1 file, 0 loaded before: '
	same_on_both "$BATS_FILE_TMPDIR/sched.sqlite"
	same "$(ask "SELECT sum(records) FROM $db.events")" "$(tcp=$tcp2 ask "SELECT sum(records) FROM $db.rates")" "by minute"
	for at in "$url" "$url2"; do
		run -0 load_into "$at" "$sched"
		same '1 file, loaded before.' "$output" "$at"
	done

	# A replica that cannot fetch has not the rows of the other one.
	head -n 500 "$BATS_FILE_TMPDIR/sched.txt" >some.txt
	DKTRACE_ROOT=$top/tests/fixture/analyze dktrace convert some.txt some.dat
	tcp=$tcp2 ask 'SYSTEM STOP FETCHES'
	run -0 load_into "$url" some.dat
	run -1 load_into "$url2" --reconnect 1 some.dat
	same "dktrace: http://127.0.0.1:$http2/: this replica lacks rows that others have; load into another replica, or when all run" \
		"$output"
	tcp=$tcp2 ask 'SYSTEM START FETCHES'
	run -0 load_into "$url2" some.dat
	same '1 file, loaded before.' "$output" "after it could fetch"
	same 2 "$(tcp=$tcp2 ask "SELECT count() FROM $db.files")" "files"
}

@test "a replica that comes back has all rows once, also if ZooKeeper was killed meanwhile" {
	head -n 50 "$BATS_FILE_TMPDIR/sched.txt" >few.txt
	DKTRACE_ROOT=$top/tests/fixture/analyze dktrace convert few.txt few.dat
	# Tables are created on all replicas; one that does not run would be waited for.
	run -0 load_into "$url" few.dat
	end_server "$server2"
	load_into "$url" "$sched" >words 2>&1 &
	pid=$!
	until compgen -G "$server1/data/$db/sched_switch_local/1*_1_1_0" >/dev/null || ! kill -0 $pid 2>/dev/null; do
		sleep 0.01
	done
	kill -STOP $pid
	end_server "$zookeeper" KILL
	kill -CONT $pid
	start_keeper "$zookeeper"
	await_keeper "$zookeeper"
	wait $pid || cat words
	has "$(cat words)" '1 file, 0 loaded before: '
	start_server "$server2"
	await_server "$server2" "$tcp2"
	dktrace merge -o both.sqlite "$sched" few.dat --offset few.dat=0
	same_on_both both.sqlite
}
