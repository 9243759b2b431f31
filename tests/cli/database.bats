#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# sql, and databases that convert and merge write; unit/test_database.c has names and values.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/common.bash; dollars are jq's

load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

sched()
{
	"$top/tests/tools/gen-sched" 4 1000 >trace.txt
	export DKTRACE_ROOT=$top/tests/fixture/analyze
}

# Prints the rows of a table of an analysis, sorted, with its quantiles in a line of their own each.
# usage: rows_of FILE TABLE
rows_of()
{
	jq -S -c ".$2[]" "$1" | sort
}

# Compares the tables of analyses with those of a database. A quantile of an analysis is up to 0.4 % off.
# usage: answers FILE DATABASE NAME...
answers()
{
	local file=$1 database=$2 name key table keys

	shift 2
	for name; do
		dktrace analyze "$name" "$file" --json >have.json 2>notes
		keys=$(jq -r 'to_entries[] | select(.value | type == "array") | .key' have.json)
		for key in $keys; do
			case $name:$key in
			*stats:total) continue ;;
			esac
			table=$name
			sqlite3 "$database" "SELECT 1 FROM \"$table\"" >/dev/null 2>&1 || table=${name}_$key
			dktrace sql --json "$database" "SELECT * FROM \"$table\"" | jq -s '{ rows: . }' >sql.json
			jq -e -n --arg key "$key" --slurpfile have have.json --slurpfile sql sql.json '
				def wide: to_entries | map(select(.key | startswith("p5") or startswith("p9")));
				def exact: with_entries(select(.key | (startswith("p5") or startswith("p9") or
					. == "host" or . == "seq" or endswith("_nr")) | not));
				def near: . as [$a, $b] | ($a - $b) | fabs <= 1 + $b * 0.004;
				($have[0][$key] | sort_by(exact)) as $h | ($sql[0].rows | sort_by(exact)) as $s |
				($h | map(exact)) == ($s | map(exact)) and
				([$h, ($s | map(del(.host, .seq)))] | transpose |
					all(.[0] as $x | .[1] as $y | $x | wide | all([.value, $y[.key]] | near)))' >/dev/null || {
				echo "$name: $key differs from $table"
				jq -c ".${key}[]" have.json | head -n 3
				jq -c '.rows[]' sql.json | head -n 3
				return 1
			}
		done
	done
}

@test "the named questions have the answers of analyze: system calls" {
	run -0 dktrace convert "$capture" calls.sqlite
	answers "$capture" calls.sqlite syscallstats syscalltop iolatencystats iolatencytop iousagetop iolatencyfreq
	run -0 dktrace sql calls.sqlite 'SELECT begin, end, duration, op, process, pid, syscall, fd, result FROM iolog' --csv
	same "$(dktrace analyze iolog "$capture" --csv 2>notes)" "$output" "the log"
}

@test "the named questions have the answers of analyze: the scheduler" {
	sched
	run -0 dktrace convert trace.txt sched.dat
	run -0 dktrace convert sched.dat sched.db
	answers sched.dat sched.db cputop cpustats schedstats schedtop schedfreq offcpustats offcpufreq
	# A text tells its events with its records.
	run -0 dktrace sql trace.txt 'SELECT count(*) AS n FROM schedlog' --csv
	same "$(dktrace sql sched.db 'SELECT count(*) AS n FROM schedlog' --csv)" "$output" "of the text"
}

@test "a table has the records that report prints" {
	run -0 dktrace convert "$capture" c.sqlite
	for event in sys_exit_read sys_enter_openat ext4_sync_file_enter; do
		dktrace report "$capture" --style json -e "$event" | jq -c '[.ts, .cpu, .pid, .comm] + [.fields | to_entries[] | select(.key | endswith("_str") | not) | .value | select(type == "number")]' >report
		columns=$(dktrace report "$capture" --style json -e "$event" | head -n 1 |
			jq -r '.fields | to_entries[] | select(.value | type == "number") | "," + .key' | tr -d '\n')
		for file in "$capture" c.sqlite; do
			dktrace sql "$file" "SELECT ts, common_cpu, common_pid, common_comm$columns FROM $event ORDER BY seq" --json |
				jq -c '[.[]]' >sql
			run -0 diff report sql
		done
	done
	same "$(wc -l <report)" "$(sqlite3 c.sqlite "SELECT records FROM events WHERE name = '$event'")" "counted"
}

# Every table and view has the same rows from the recordings as from the database, which has all of them.
# The seq of a record counts those that a statement reads.
# Events are only counted, all in one statement.
# usage: same_tables DATABASE FILE...
same_tables()
{
	local database=$1 name kind want counts=

	shift
	while IFS='|' read -r name kind; do
		want="SELECT * FROM \"$name\""
		case $kind:$name in
		event:*)
			counts="${counts:+$counts UNION ALL }SELECT '$name' AS name, count(*) AS n FROM \"$name\""
			continue
			;;
		*:losses) want='SELECT ts, host, file, cpu, lost, paused FROM losses' ;;
		*:sqlite*) want="SELECT type, name, tbl_name, sql FROM $name ORDER BY name" ;;
		esac
		same_answer "$want" "$database" "$@"
	done < <(sqlite3 "$database" "SELECT name, coalesce((SELECT 'event' FROM events WHERE name = s.name), type)
		FROM sqlite_schema AS s WHERE name NOT LIKE 'sqlite%'" "VALUES('sqlite_schema', ''), ('sqlite_master', '')")
	[ -n "$counts" ]
	same_answer "$counts" "$database" "$@"
}

# usage: same_answer STATEMENT DATABASE FILE...
same_answer()
{
	local want=$1 database=$2

	shift 2
	dktrace sql "$database" "$want" --csv >wanted 2>notes
	dktrace sql "$@" "$want" --csv >have 2>notes || [ $? = 3 ]
	diff wanted have >differences || {
		echo "$want of $*"
		head -n 5 differences
		return 1
	}
}

@test "every table and view has all rows, from a recording as from a database" {
	run -0 dktrace convert "$capture" capture.sqlite
	same_tables capture.sqlite "$capture"
	at_least 30 "$(dktrace sql "$capture" 'SELECT count(*) FROM events' --csv | tail -n 1)" "events"
	sched
	sed '500a CPU:1 [LOST 2 EVENTS]' trace.txt >lost.txt
	run -3 dktrace convert lost.txt lost.dat
	run -3 dktrace convert lost.dat lost.sqlite
	same_tables lost.sqlite lost.dat
	unset DKTRACE_ROOT
	cp "$top/tests/fixture/perfdata/plain.data" a.data
	run -0 dktrace merge "$capture" a.data --offset a.data=5ms -o both.sqlite
	same_tables both.sqlite "$capture" a.data --offset a.data=5ms
}

@test "files of several hosts are hosts with offsets; files of one boot are one host" {
	cp "$top/tests/fixture/perfdata/plain.data" a.data
	cp a.data b.data
	statement='SELECT f.file, f.host, f.offset, f.accuracy, h.name IS NULL AS unnamed FROM files AS f JOIN hosts AS h USING (host)'
	run -0 --separate-stderr dktrace sql a.data b.data "$statement" --csv
	same 'file,host,offset,accuracy,unnamed
1,1,0,,0
2,1,0,which is its own,0' "$output" "one host"
	run -0 --separate-stderr dktrace merge "$capture" a.data --offset a.data=5ms -o both.sqlite
	run -0 dktrace sql both.sqlite "$statement" --csv
	same 'file,host,offset,accuracy,unnamed
1,1,0,,1
2,2,5000000,as given,0' "$output" "two hosts"
	same "$(dktrace info --json a.data | jq .records)" \
		"$(sqlite3 both.sqlite 'SELECT records FROM files WHERE host = 2')" "records"
}

@test "what is wrong with one file is not told of another" {
	dktrace convert "$capture" whole.dat --compression none
	head -c -3000 whole.dat >cut.dat
	run -1 --separate-stderr dktrace sql cut.dat whole.dat --offset whole.dat=0 --csv 'SELECT path, damage LIKE "%truncated%" AS cut FROM files'
	same 'path,cut
cut.dat,1
whole.dat,' "$output" "files"
}

@test "a loss is a row" {
	sched
	{
		head -n 500 trace.txt
		echo 'CPU:1 [LOST 2 EVENTS]'
		tail -n +501 trace.txt
	} >lost.txt
	run -3 --separate-stderr dktrace sql lost.txt 'SELECT cpu, lost, paused, (SELECT lost FROM files) AS sum FROM losses' --csv
	same $'cpu,lost,paused,sum\n1,2,0,2' "$output" "losses"
}

@test "the result prints as table, CSV and JSON" {
	statement="SELECT 'a' AS text, 1.5 AS real, 2 AS number, NULL AS none, 3 AS number, x'610062ff' AS bytes"
	expect 0 'text real number none number_2 bytes
a     1.5      2             3 a\x00b\xff' '' dktrace sql "$capture" "$statement"
	expect 0 'text,real,number,none,number_2,bytes
a,1.5,2,,3,"a\x00b\xff"' '' dktrace sql "$capture" "$statement" --csv
	same 610062ff "$(dktrace sql "$capture" "$statement" --csv --raw-text | tail -n 1 | cut -d, -f6 | tr -d '\n' | od -An -tx1 | tr -d ' \n')" "raw CSV"
	expect 0 'bytes
a\x00b\xff' '' dktrace sql "$capture" "SELECT x'610062ff' AS bytes" --raw-text
	run -0 dktrace sql "$capture" "$statement" --json
	same '["a",1.5,2,null,3]' "$(jq -c '[.text, .real, .number, .none, .number_2]' <<<"$output")" "JSON"
	has "$output" '"bytes":"a\u0000b\\xff"'
	expect 0 'ts' '' dktrace sql "$capture" 'SELECT ts FROM print WHERE ts < 0' --csv
	# More rows than a table has at once.
	for form in --csv --json --raw-text; do
		run -0 dktrace sql "$capture" 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2500) SELECT i FROM n' $form
		at_least 2500 "${#lines[@]}" "$form"
		has "${lines[-1]}" 2500
	done
	unread 141 dktrace sql "$capture" 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 250000) SELECT i FROM n'
}

@test "a wrong statement is refused with the place: exit 2, or 1 if other files can have the name" {
	refuse()
	{
		expect "$1" '' "dktrace: sql: $3" dktrace sql "$capture" "$2"
	}
	run -0 dktrace convert "$capture" c.sqlite
	for capture in "$capture" c.sqlite; do
		refuse 1 'SELECT rte FROM sys_exit_read' 'no such column: rte
  SELECT rte FROM sys_exit_read
         ^'
		refuse 2 $'SELECT ret\nFROM sys_exit_read WHRE ret' 'near "ret": syntax error
  FROM sys_exit_read WHRE ret
                          ^'
		refuse 1 'SELECT 1 FROM sys_exit_raed' 'no such table: sys_exit_raed'
		refuse 2 ';' 'the statement is empty'
		refuse 2 'SELECT 1; SELECT 2' 'give one statement; this is after the first:  SELECT 2'
		refuse 2 'SELECT ?' 'a statement cannot have parameters (?, :NAME)'
	done
}

@test "a statement can only read" {
	run -0 dktrace convert "$capture" c.sqlite
	before=$(md5sum c.sqlite)
	for file in "$capture" c.sqlite; do
		for statement in 'DELETE FROM sys_exit_read' 'DROP TABLE sys_exit_read' 'CREATE TABLE x(y)' \
			"ATTACH 'new.db' AS new" "VACUUM INTO 'new.db'" 'PRAGMA user_version = 5' 'BEGIN' \
			"UPDATE sqlite_schema SET sql = ''" "SELECT load_extension('x')" \
			"SELECT fts3_tokenizer('simple', x'4141414141414141')" "SELECT * FROM dbstat" \
			"SELECT * FROM fts3tokenize('simple')" "SELECT * FROM pragma_database_list"; do
			run --separate-stderr dktrace sql "$file" "$statement"
			# The last two are tables that SQLite lacks here.
			within 1 "$status" 2 "status of $statement"
			same '' "$output" "$statement"
		done
	done
	same "$before" "$(md5sum c.sqlite)" "unchanged"
	gone new.db
	run -1 dktrace sql c.sqlite 'SELECT length(zeroblob(100000000))'
	# An address of code is not shown.
	expect 0 $'x\n0' '' dktrace sql c.sqlite "SELECT fts3_tokenizer('simple') IS NOT NULL AS x"
}

@test "json_each and json_tree can be read, but not another module by their name" {
	run -0 dktrace convert "$capture" c.sqlite
	for file in "$capture" c.sqlite; do
		expect 0 $'x\n3' '' dktrace sql "$file" "SELECT sum(value) AS x FROM json_each('[1,2]')"
		expect 0 $'x\n2' '' dktrace sql "$file" "SELECT count(*) AS x FROM json_tree('{\"a\":1}')"
	done
	command -v sqlite3 >/dev/null || skip "needs sqlite3"
	sqlite3 foreign.sqlite "CREATE VIRTUAL TABLE json_each USING fts3(value)"
	run -2 --separate-stderr dktrace sql foreign.sqlite "SELECT * FROM json_each"
	same '' "$output" "output"
}

@test "without a statement sql lists tables and views with their columns" {
	run -0 dktrace sql "$capture" --csv
	has "$output" 'sys_exit_read,table,"seq, ts, host, common_cpu, common_pid, common_comm, common_flags, __syscall_nr, ret"'
	has "$output" 'syscallstats,view,"host, process, pid, syscall, count, min, mean, p50, p90, p99, p99.9, max, total"'
	lacks "$output" schedlog
	listed=$output
	run -0 dktrace convert "$capture" c.sqlite
	run -0 dktrace sql c.sqlite --csv
	same "$listed" "$output" "the database's"
}

@test "a question without its events says so, and has no rows" {
	expect 0 '' 'dktrace: blocklog_device: no record of the events that it needs, such as block:block_rq_insert' \
		dktrace sql "$capture" 'SELECT * FROM blocktop_device'
}

# Prints a file with intervals of these names. usage: intervals NAME...
intervals()
{
	echo 'intervals:'
	printf '  %s: { about: fsync, entries: [ { begin: "ext4:ext4_sync_file_enter", end: "ext4:ext4_sync_file_exit", match: common_pid } ] }\n' "$@"
}

@test "a ready-made interval is a table with views, as its periods are analyzed" {
	run -0 dktrace convert "$capture" c.sqlite
	for file in "$capture" c.sqlite; do
		expect 0 "$(dktrace analyze periodlog "$capture" --period ext4-fsync --csv)" '' \
			dktrace sql "$file" 'SELECT begin, end, duration, dev, dev_disk, ino, ret FROM ext4_fsync' --csv
		expect 0 "$(dktrace analyze periodtop "$capture" --period ext4-fsync --csv)" '' \
			dktrace sql "$file" 'SELECT begin, end, duration, dev, dev_disk, ino, ret FROM ext4_fsynctop' --csv
		expect 0 "$(dktrace analyze periodfreq "$capture" --period ext4-fsync --csv)" '' \
			dktrace sql "$file" 'SELECT "from", below, count FROM ext4_fsyncfreq' --csv
		# One interval has no quantiles that differ.
		expect 0 "$(dktrace analyze periodstats "$capture" --period ext4-fsync --keys dev,dev_disk --json |
			jq -r '.ext4_fsync[0] | [.[]] | @csv' | tr -d '"')" '' eval \
			"dktrace sql '$file' 'SELECT * FROM ext4_fsyncstats' --csv | tail -n 1 | cut -d, -f2- | tr -d '\"'"
	done
	# The columns are those of each way to measure.
	expect 0 $'__syscall_nr,id\nfsync,' '' dktrace sql "$capture" 'SELECT __syscall_nr, id FROM fsync' --csv
	expect 0 $'count\n0' 'dktrace: jbd2: no record of the events that it needs, such as jbd2:jbd2_start_commit' \
		dktrace sql "$capture" 'SELECT count(*) AS count FROM jbd2' --csv
	expect 1 '' 'dktrace: sql: no such table: block; these intervals are those of the analysis blocklog' \
		dktrace sql "$capture" 'SELECT * FROM block'
}

@test "an interval whose name or view another table has is no table" {
	mkdir intervals.d
	intervals iolog iolatency hosts rates sqlite_x a-b a_b c ctop sys_exit_read >intervals.d/50-site.yaml
	export DKTRACE_INTERVALS=$PWD/intervals.d
	run -0 dktrace sql "$capture" --csv
	same $'a_b,table\na_bfreq,view\na_bstats,view\na_btop,view\nc,table\ncfreq,view\ncstats,view\nctop,view' \
		"$(cut -d, -f1,2 <<<"$output" | grep -E '^(a|c|iolatency|rates|sqlite)(_.*|top|stats|freq)?,' | grep -v '^iolatency.*,view' | sort)" "tables"
	has "$output" 'iolog,table,"seq, host, begin, end, duration, op,'
	has "$output" 'hosts,table,"host, name,'
	# A record is of the kernel, and its table gives way.
	has "$output" 'sys_exit_read,table,"seq, host, begin, end, duration"'
	has "$output" 'syscalls_sys_exit_read,table,"seq, ts,'
	same 1 "$(dktrace sql "$capture" 'SELECT count(*) FROM a_b' --csv | tail -n 1)" "intervals"
	# More tables than a word has bits.
	# shellcheck disable=SC2046 # words
	intervals $(seq -f site%g 100) >intervals.d/50-site.yaml
	same 100 "$(dktrace sql "$capture" --csv | grep -c '^site[0-9]*,table')" "tables"
	same $'count\n1' "$(dktrace sql "$capture" 'SELECT count(*) AS count FROM site100' --csv)" "the last one"
}

@test "a wrong file of intervals is named; without any directory of them the other tables are there" {
	mkdir intervals.d
	echo 'intervals: 1' >intervals.d/50-site.yaml
	DKTRACE_INTERVALS=$PWD/intervals.d expect 1 '' "dktrace: $PWD/intervals.d/50-site.yaml:1:12: expected lines of 'interval: ...'" \
		dktrace sql "$capture" 'SELECT count(*) AS n FROM iolog'
	rm -r intervals.d
	DKTRACE_INTERVALS=$PWD/intervals.d run -0 --separate-stderr dktrace sql "$capture" 'SELECT count(*) > 0 AS any FROM iolog' --csv
	same $'any\n1' "$output" "another table"
	has "$stderr" "$PWD/intervals.d: No such file or directory: there are no tables of ready-made intervals"
}

# The ticks of CPU time that a process has used.
ticks()
{
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# True once a process has used ten ticks more. usage: works_on PID TICKS
works_on()
{
	[ "$(ticks "$1")" -ge $(($2 + 10)) ]
}

@test "a signal ends a statement, also one whose step does not end" {
	run -0 dktrace convert "$capture" c.sqlite
	for statement in 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n' \
		"SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || '1')"; do
		dktrace sql c.sqlite "$statement" 2>words &
		pid=$!
		until_true handles TERM "$pid"
		# From then on it computes the statement.
		until_true works_on "$pid" "$(ticks "$pid")"
		kill -TERM "$pid"
		status=0
		wait "$pid" || status=$?
		same 1 "$status" "status"
		same 'dktrace: sql: interrupted' "$(cat words)" "$statement"
	done
}

@test "a database is whole or absent, and refused where it cannot be written" {
	run -1 --separate-stderr dktrace convert "$capture" --format sqlite -
	has "$stderr" 'cannot be written in any order'
	run -1 dktrace convert "$capture" no-directory/c.sqlite
	expect 2 '' 'dktrace: --format sqlite: only convert and merge write it' dktrace split "$capture" c.sqlite --count 5
	echo old >c.sqlite
	run -1 dktrace convert missing.dat c.sqlite
	same old "$(cat c.sqlite)" "kept"
	run -0 dktrace convert "$capture" c.sqlite
	same ok "$(sqlite3 c.sqlite 'PRAGMA integrity_check')" "integrity"
	same 0 "$(find . -name '.dktrace*' | wc -l)" "temporary files"
	truncate -s 20000 c.sqlite
	run -1 dktrace sql c.sqlite 'SELECT * FROM syscallstats'
}

@test "a convert whose processes are killed leaves no file, and a journal of another database is kept" {
	"$top/tests/tools/gen-sched" 4 8000 >trace.txt
	echo other >c.sqlite-journal
	# The worst moment: all is written, and has no name yet.
	cat >kill.c <<-'END'
		#include <signal.h>
		#include <stdlib.h>
		#include <unistd.h>
		int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
		{
			if (getenv("KILL_BOTH"))
				kill(getppid(), SIGKILL);
			return kill(getpid(), SIGKILL);
		}
	END
	"${CC:-cc}" -shared -fPIC -o kill.so kill.c || skip "no compiler"
	export DKTRACE_ROOT=$top/tests/fixture/analyze
	KILL_BOTH=1 LD_PRELOAD=$PWD/kill.so run -137 dktrace convert trace.txt c.sqlite
	same $'c.sqlite-journal\nkill.c\nkill.so\ntrace.txt' "$(ls -A)" "files"
	LD_PRELOAD=$PWD/kill.so run -1 dktrace convert trace.txt c.sqlite
	has "$output" "dktrace: write c.sqlite: the process that names it was killed"
	same $'c.sqlite-journal\nkill.c\nkill.so\ntrace.txt' "$(ls -A)" "files"
	unset DKTRACE_ROOT
	run -0 dktrace convert "$capture" c.sqlite
	same other "$(cat c.sqlite-journal)" "the journal"
}

@test "sql takes a last word that is no statement for a file" {
	cd "$BATS_TEST_TMPDIR" || return
	expect 1 "" "dktrace: open missing.dat: No such file or directory" dktrace sql missing.dat 'SELECT 1'
	run -1 --separate-stderr dktrace sql "$top/tests/fixture/tracedat/v6.dat" missing.dat
	same "dktrace: open missing.dat: No such file or directory" "$stderr" "the second file"
	run -0 --separate-stderr dktrace sql "$top/tests/fixture/tracedat/v6.dat" 'VALUES(1)'
}
