#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# load, with servers of ClickHouse; unit/test_clickhouse.c has the rows, layouts and errors.
# shellcheck disable=SC2154,SC2016 # set by bats and helpers; dollars are jq's

load ../helper/common
load ../helper/clickhouse

setup_file()
{
	need_clickhouse
	export server1=$BATS_FILE_TMPDIR/one server2=$BATS_FILE_TMPDIR/two
	mkdir "$server2"
	make_certificate "$BATS_FILE_TMPDIR/ca" ca
	make_certificate "$server2/https" localhost "$BATS_FILE_TMPDIR/ca"
	start_servers
	"$top/tests/tools/gen-sched" 4 4000 >"$BATS_FILE_TMPDIR/sched.txt"
	DKTRACE_ROOT=$top/tests/fixture/analyze dktrace convert "$BATS_FILE_TMPDIR/sched.txt" "$BATS_FILE_TMPDIR/sched.dat"
	dktrace convert "$BATS_FILE_TMPDIR/sched.dat" "$BATS_FILE_TMPDIR/sched.sqlite"
	# A free port can be taken before the server has it.
	until await_server "$server1" "$tcp1" && await_server "$server2" "$tcp2"; do
		port_was_taken "$server1" || port_was_taken "$server2" || return
		end_server "$server1" KILL
		end_server "$server2" KILL
		start_servers
	done
}

start_servers()
{
	choose_ports
	write_config "$server1" "$http1" "$tcp1"
	write_config "$server2" "$http2" "$tcp2" "$https2"
	rm -f "$server1"/{log,errors,out} "$server2"/{log,errors,out}
	start_server "$server1"
	start_server "$server2"
}

teardown_file()
{
	end_server "$server1" KILL
	end_server "$server2" KILL
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	[ -z "${DKT_CHDB:-}" ] || use_layout "$BATS_FILE_TMPDIR/bin" recent
	sched=$BATS_FILE_TMPDIR/sched.dat
	new_database
}

# Waits until one of the files exists, or the process has ended. usage: await GLOB PID
await()
{
	until compgen -G "$1" >/dev/null || ! kill -0 "$2" 2>/dev/null; do
		sleep 0.01
	done
}

@test "all rows and answers are those of sql" {
	run -0 dktrace load --clickhouse "$url" "$capture"
	has "$output" '1 file, 0 loaded before: '
	run -0 dktrace convert "$capture" capture.sqlite
	same_rows capture.sqlite
	same "$(dktrace sql capture.sqlite --csv 'SELECT name, system, event, records FROM events ORDER BY name' | tail -n +2)" \
		"$(ask "SELECT name, system, event, records FROM $db.events ORDER BY name FORMAT CSV" | tr -d '"')" "events"
	same "$(dktrace sql capture.sqlite --csv 'SELECT records, lost, bad FROM files' | tail -n +2)" \
		"$(ask "SELECT records, lost, bad FROM $db.files FORMAT CSV")" "files"
	same "$(ask "SELECT sum(records) FROM $db.events")" "$(ask "SELECT sum(records) FROM $db.rates")" "by minute"
	same "$(ask "SELECT count() FROM $db.iolog")" \
		"$(ask "SELECT sum(count) FROM $db.latencies_by_minute WHERE log = 'iolog'")" "intervals by minute"
}

@test "a file counts once, also as a copy and beside others" {
	run -0 dktrace load --clickhouse "$url" "$sched"
	run -0 dktrace load --clickhouse "$url" "$sched"
	same '1 file, loaded before.' "$output" "again"
	cp "$sched" copy.dat
	run -0 dktrace load --clickhouse "$url" "$capture" copy.dat --offset copy.dat=0
	has "$output" '2 files, 1 loaded before: '
	same 2 "$(ask "SELECT count() FROM $db.files")" "files"
	run -1 dktrace load --clickhouse "$url" copy.dat "$sched" --offset "$sched=0"
	has "$output" 'have the same contents'
	same_rows "$BATS_FILE_TMPDIR/sched.sqlite"
}

@test "a load that is killed continues, and no row is missing or doubled" {
	for point in 'sched_switch' 'sched_wakeup/1*_*' 'sched_switch/1*_*' 'cpulog/1*_*' 'files'; do
		dktrace load --clickhouse "$url" "$sched" >words 2>&1 &
		pid=$!
		await "$server1/data/$db/$point" $pid
		kill -9 $pid 2>/dev/null || true
		wait $pid || true
	done
	run -0 dktrace load --clickhouse "$url" "$sched"
	same_rows "$BATS_FILE_TMPDIR/sched.sqlite"
	same 1 "$(ask "SELECT count() FROM $db.files")" "files"
}

@test "a server that is killed and starts again gets every row once" {
	while :; do
		dktrace load --clickhouse "$url" "$sched" >words 2>&1 &
		pid=$!
		await "$server1/data/$db/sched_switch" $pid
		kill -STOP $pid
		compgen -G "$server1/data/$db/files/1*_*" || break
		# It was stopped too late: again, from the beginning.
		kill -CONT $pid
		wait $pid
		ask "DROP DATABASE $db; CREATE DATABASE $db"
	done
	end_server "$server1" KILL
	kill -CONT $pid
	start_server "$server1"
	await_server "$server1" "$tcp1"
	wait $pid
	has "$(cat words)" '1 file, 0 loaded before: '
	same_rows "$BATS_FILE_TMPDIR/sched.sqlite"
}

@test "compressed rows are the same" {
	run -0 dktrace load --clickhouse "$url" --compression zlib "$sched"
	same_rows "$BATS_FILE_TMPDIR/sched.sqlite"
	run -2 dktrace load --clickhouse "$url" --compression lz4 "$sched"
	has "$output" '--compression is zlib or none'
}

@test "https: the server's certificate is checked" {
	need_server HTTPS
	secure=https://localhost:$https2/$db
	tcp=$tcp2 ask "CREATE DATABASE $db"
	run -0 dktrace load --clickhouse "$secure" --ca "$BATS_FILE_TMPDIR/ca.pem" "$sched"
	same 1 "$(tcp=$tcp2 ask "SELECT count() FROM $db.files")" "files"
	make_certificate other other
	for refused in "$secure --ca other.pem" "$secure" "https://127.0.0.1:$https2/$db --ca $BATS_FILE_TMPDIR/ca.pem"; do
		# shellcheck disable=SC2086 # an address and options
		run -1 --separate-stderr dktrace load --clickhouse $refused "$sched"
		has "$stderr" "dktrace: ${refused%"/$db"*}/: SSL"
	done
	run -1 --separate-stderr dktrace load --clickhouse "$secure" --ca none.pem "$sched"
	has "$stderr" 'none.pem'
}

@test "a table's name is of the event that was loaded first, also if files are loaded apart" {
	# No kernel prints such a text, so that its events are of the system "text".
	head -n 500 "$BATS_FILE_TMPDIR/sched.txt" | sed 's/ ==> / to /' >some.txt
	run -1 dktrace convert some.txt other.dat
	run -0 dktrace load --clickhouse "$url" "$sched"
	run -0 dktrace load --clickhouse "$url" other.dat
	run -0 dktrace merge -o both.sqlite "$sched" other.dat --offset other.dat=0
	same_rows both.sqlite
	same 'sched_switch sched,text_sched_switch text' \
		"$(ask "SELECT concat(name, ' ', system) FROM $db.events WHERE event = 'sched_switch' ORDER BY name" | paste -sd,)"
}

@test "what the server refuses is said, exit 1" {
	refuse()
	{
		run -1 --separate-stderr dktrace load --clickhouse "$1" "$capture"
		same '' "$output" "stdout of $1"
		same "dktrace: http://127.0.0.1:$http1/: $2" "$stderr" "$1"
	}
	missing="Database nothing doesn't exist" wrong='Wrong password for user keeper'
	if [ -n "${DKT_CHDB:-}" ]; then
		missing='Database nothing does not exist. (UNKNOWN_DATABASE)'
		wrong='keeper: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)'
	fi
	refuse "http://127.0.0.1:$http1/nothing" "$missing"
	refuse "http://keeper:wrong@127.0.0.1:$http1/$db" "$wrong"
	CLICKHOUSE_USER=keeper CLICKHOUSE_PASSWORD=wrong refuse "$url" "$wrong"
	CLICKHOUSE_USER=keeper CLICKHOUSE_PASSWORD=secret run -0 dktrace load --clickhouse "$url" "$capture"
	run -1 dktrace load --clickhouse http://127.0.0.1:1/x "$capture"
	has "$output" 'http://127.0.0.1:1/: Failed to connect to 127.0.0.1 port 1'
	for address in ftp://127.0.0.1/ "http://127.0.0.1/?database=x" :::; do
		run -2 dktrace load --clickhouse "$address" "$capture"
		has "$output" 'the address of ClickHouse is http[s]://[USER@]HOST[:PORT][/DATABASE]'
	done
	expect 2 '' 'dktrace: load: give the server: --clickhouse http://HOST:8123/DATABASE' dktrace load "$capture"
	mkfifo pipe
	# It does not wait for a writer.
	run -1 timeout 600 dktrace load --clickhouse "$url" pipe
	same 'dktrace: pipe: only files can be loaded, since they are read twice' "$output"
}

@test "a user who may only read is told what load needs" {
	need_server "a user who may only read"
	CLICKHOUSE_USER=reader run -1 --separate-stderr dktrace load --clickhouse "$url" "$capture"
	has "$stderr" "dktrace: http://127.0.0.1:$http1/: this user may only read; give one who may create tables and insert rows ("
}

# Prints the statements of the manuals, one on each line.
statements()
{
	"$top/tests/tools/examples" list "$top"/man/dktrace-{load,sql}.1 |
		sed -n "s/^[^\t]*\t.*[\"']\(\\\\n *\)*\(SELECT .*\)[\"']$/\2/p" | sed 's/\\n */ /g'
}

# Prints rows of JSON without the names of columns and of the host, which a database has as a number.
plain_rows()
{
	jq -c 'del(.host) | map(tostring)'
}

@test "each statement of the manuals gives the same rows in SQLite and ClickHouse" {
	local statement file n=0

	"$top/tests/tools/gen-lustre-log" server 2.15 20 >lustre.dk
	for n in 1 2 3; do
		echo "sh-$n [000] $n.100000: block_rq_insert: 8,0 W 4096 () 64 + 8 none,0,0 [sh]"
		echo "sh-$n [000] $n.200000: block_rq_issue: 8,0 W 4096 () 64 + 8 none,0,0 [sh]"
		echo "sh-$n [000] $n.300000: block_rq_complete: 8,0 W () 64 + 8 none,0,0 [0]"
	done >disk.txt
	DKTRACE_ROOT=$top/tests/fixture/analyze dktrace convert disk.txt disk.dat
	cp -r "$capture" tree
	for file in lustre.dk disk.dat tree; do
		dktrace convert "$file" "$file.sqlite"
		ask "CREATE DATABASE $db$n"
		run -0 dktrace load --clickhouse "http://127.0.0.1:$http1/$db$n" "$file"
		while read -r statement; do
			dktrace sql "$file.sqlite" --json "$statement" 2>/dev/null | plain_rows >wanted || continue
			[ -s wanted ] || continue
			ask "USE $db$n; $statement FORMAT JSONEachRow" | plain_rows >have
			diff wanted have
			echo "$statement" >>compared
		done < <(statements)
		n=$((n + 1))
	done
	at_least 4 "$(statements | wc -l)" statements
	same "$(statements | sort)" "$(sort compared)" "statements with rows"
}

@test "the examples of the manual run as printed" {
	need_server "ports that are given"
	need_namespace
	[ -d /sys/kernel/tracing/instances ] || skip "needs tracefs"
	export ROOM=$PWD/room DKTRACE_INSTANCE=dkt-load-$$ CLICKHOUSE_PASSWORD='' server_user=trace
	mkdir -p room/work/slow room/var/log/dktrace
	cp "$sched" room/var/log/dktrace/a.dat
	dktrace convert "$capture" room/work/slow/a.dat
	jq -nc '{collection: 1, command: ["record"], began: 0, ended: 0, wall: 0, hosts: [{name: "a", file: "a.dat",
		state: "complete", status: 0, bytes: 1, breaks: 0, boot: "a", load: "00000000000000ab", trips: []}]}' \
		>room/work/slow/collection.json
	make_certificate ca ca
	mkdir server
	make_certificate server/https db ca
	echo '127.0.0.1 localhost db' >hosts
	tcp1=9000 write_config "$PWD/server" 8123 9000 8443
	# In a network of its own the server has the ports of the manual.
	run --separate-stderr apart unshare -n bash -c '
		. "$1/tests/helper/clickhouse.bash"
		ip link set lo up && mount --bind hosts /etc/hosts && mount --bind ca.pem /etc/ssl/certs/ca-certificates.crt || exit
		start_server server
		await_server server 9000 && tcp=9000 ask "CREATE DATABASE traces" &&
			"$1/tests/tools/apart" "$1/tests/tools/examples" run-as cli/load.bats "$1/tests/live/examples.cases" "$1/man/dktrace-load.1" &&
			tcp=9000 ask "SELECT count() FROM traces.files"
		status=$?
		end_server server KILL
		exit $status
	' bash "$top"
	same 2 "$output" "files"
}

@test "an old table gets the columns that it lacks; one of another type is refused" {
	run -0 dktrace load --clickhouse "$url" --dry-run "$capture"
	ask "USE $db; $(sed 's/, `ret` Int64//' <<<"$output")"
	run -0 dktrace load --clickhouse "$url" "$capture"
	run -0 dktrace convert "$capture" capture.sqlite
	same_rows capture.sqlite
	ask "DROP TABLE $db.sched_switch; CREATE TABLE $db.sched_switch (common_load UInt64, seq String) ENGINE = Log" || true
	ask "CREATE TABLE IF NOT EXISTS $db.sched_switch (common_load UInt64, seq String) ENGINE = Log"
	run -1 dktrace load --clickhouse "$url" "$sched"
	has "$output" 'the column seq of the table sched_switch has the type String, not UInt64'
}

@test "the number of lost records of a file is marked if it is a least one" {
	local gap

	for gap in 'CPU:0 [LOST EVENTS]' 'CPU:0 [LOST 3 EVENTS]'; do
		printf 'sh-1 [000] 1.000000: odd_event: fd=3\n%s\n' 'CPU:0 [LOST 5 EVENTS]' \
			'sh-1 [000] 2.000000: odd_event: fd=3' "$gap" 'sh-1 [000] 3.000000: odd_event: fd=3' >"${gap//[^A-Z0-9]/}.txt"
		run -3 dktrace load --clickhouse "$url" "${gap//[^A-Z0-9]/}.txt"
	done
	same '5,1 8,0' "$(ask "SELECT lost, lost_is_least FROM $db.files ORDER BY lost FORMAT CSV" | paste -sd' ')" "files"
}

@test "comm, pid and cpu are columns in any case, and those of the record unless the event has the field" {
	local sql nr all=()

	dktrace convert "$capture" capture.sqlite
	run -0 dktrace load --clickhouse "$url" "$capture"
	for sql in "SELECT comm, pid, cpu FROM sys_enter_fsync" "SELECT f.COMM, PID, Cpu FROM sys_enter_fsync f WHERE Comm = 'sync' AND CPU < 9" \
		"SELECT Pid, count(*) FROM sys_enter_read GROUP BY Pid ORDER BY Pid" "SELECT COMM, max(CPU) FROM print GROUP BY COMM ORDER BY COMM"; do
		dktrace sql capture.sqlite --csv "$sql" | tail -n +2 >wanted
		[ -s wanted ]
		same "$(<wanted)" "$(ask "USE $db; $sql FORMAT CSV" | tr -d '"')" "$sql"
	done
	# Fields are known from such a text alone, and the second file has one that the others lack.
	for nr in 1:fd=3 2:pid=42 3:fd=4; do
		echo "sh-${nr%:*} [001] ${nr%:*}.000000: odd_event: ${nr#*:}" >"${nr%:*}.txt"
		run -0 dktrace load --clickhouse "$url" "${nr%:*}.txt"
		all+=("$(ask "SELECT pid, Pid, PID, COMM FROM $db.odd_event ORDER BY ts FORMAT CSV" | tr -d '"' | paste -sd' ')")
	done
	same "1,1,1,sh|0,0,0,sh 42,42,42,sh|0,0,0,sh 42,42,42,sh 0,0,0,sh" "$(IFS='|' && echo "${all[*]}")" "one after the other"
	ask "CREATE DATABASE ${db}all"
	run -0 dktrace load --clickhouse "${url}all" 1.txt 2.txt 3.txt --offset 2.txt=0,3.txt=0
	same "0,0,0 42,42,42 0,0,0" "$(ask "SELECT pid, Pid, PID FROM ${db}all.odd_event ORDER BY ts FORMAT CSV" | paste -sd' ')" "all at once"
}

@test "two shards: each file is on one, and the answers are of both" {
	need_server "another one"
	run -0 dktrace load --dry-run --layout distributed "$capture" "$sched" --offset "$sched=0"
	statements=$output
	ask "USE $db; $statements"
	tcp=$tcp2 ask "CREATE DATABASE $db; USE $db; $statements"
	run -0 dktrace load --clickhouse "$url" --layout distributed "$capture" "$sched" --offset "$sched=0"
	run -0 dktrace load --clickhouse "$url" --layout distributed "$capture" "$sched" --offset "$sched=0"
	same '2 files, loaded before.' "$output" "again"
	same_rows "$BATS_FILE_TMPDIR/sched.sqlite"
	same 2 "$(ask "SELECT count() FROM $db.files")" "files"
}

@test "a file of a collection counts once, whether it or its directory is loaded" {
	mkdir all
	cp "$sched" all/a.dat
	jq -nc '{collection: 1, command: ["record"], began: 0, ended: 0, wall: 0, hosts: [{name: "a", file: "a.dat",
		state: "complete", status: 0, bytes: 1, breaks: 0, boot: "a", load: "00000000000000ab", trips: []}]}' >all/collection.json
	run -0 dktrace load --clickhouse "$url" all/a.dat
	same 171 "$(ask "SELECT common_load FROM $db.files")" "its number"
	for again in all all/a.dat "$PWD/all/a.dat" all/collection.json; do
		run -0 --separate-stderr dktrace load --clickhouse "$url" "$again"
		same '1 file, loaded before.' "$output" "$again"
	done
	cd all
	run -0 dktrace load --clickhouse "$url" a.dat
	same '1 file, loaded before.' "$output"
	same_rows "$BATS_FILE_TMPDIR/sched.sqlite"
	# Without a description that can be read, the contents tell.
	echo '{' >collection.json
	run -0 dktrace load --clickhouse "$url" a.dat
	has "$output" '1 file, 0 loaded before: '
}

@test "hosts of a collection that sent nothing are in the table of files" {
	mkdir both
	cp "$sched" both/a.dat
	jq -nc '{collection: 1, command: ["record"], began: 0, ended: 1, wall: 0, hosts: [
		{name: "a", state: "complete", bytes: 1, load: "00000000000000ab"},
		{name: "b", state: "failed", message: "no answer", bytes: 0, load: "00000000000000ac"}] |
		map(. + {file: (.name + ".dat"), status: 0, breaks: 0, trips: []})}' >both/collection.json
	for said in '1 file, 0 loaded before: ' '1 file, loaded before.'; do
		run -3 --separate-stderr dktrace load --clickhouse "$url" both
		has "$stderr" "dktrace: both: b: failed: no answer"
		has "$output" "$said"
		same "both/a.dat	1	\\N
both/b.dat	0	failed: no answer" "$(ask "SELECT path, records > 0, damage FROM $db.files ORDER BY path")" "files"
		same "1" "$(ask "SELECT count() FROM $db.hosts WHERE host = 'b'")" "host"
	done
}

@test "a merged file has the largest error of its clocks" {
	mkdir both
	dktrace convert "$capture" both/a.dat
	cp both/a.dat both/b.dat
	jq -nc '3495400000000 as $far | {collection: 1, command: ["record"], began: 0, ended: 0, wall: 0, hosts: [
		("a", "b") | {name: ., file: (. + ".dat"), state: "complete", status: 0, bytes: 1, breaks: 0, boot: .,
		trips: [[$far, $far + 100000, $far, $far, 0]]}]}' >both/collection.json
	dktrace merge -o merged.dat both 2>/dev/null
	dktrace load --clickhouse "$url" merged.dat
	at_least 100000 "$(ask "SELECT clock_error FROM $db.files")"
	same "$(dktrace sql merged.dat --csv 'SELECT clock_error FROM files' | tail -n 1)" \
		"$(ask "SELECT clock_error FROM $db.files")"
}

@test "only load needs libcurl, and says so" {
	need_namespace
	library=$(ldconfig -p | awk '/libcurl.so.4 / { print $NF; exit }')
	# shellcheck disable=SC2016 # for the shell in there
	run -1 --separate-stderr apart sh -c 'mount --bind /dev/null "$(realpath "$1")" || exit 9
		dktrace --version >/dev/null && dktrace load --clickhouse http://127.0.0.1:1 "$2"' sh \
		"$library" "$BATS_FILE_TMPDIR/sched.dat"
	has "$stderr" "a server is reached with libcurl, which cannot be loaded; install it ("
}
