#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# collect: recordings of several far sides, connections that break, and one clock for all files.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/live
load ../helper/fleet
load ../helper/clickhouse

# Lists the processes of this test that run a far side.
far_sides()
{
	local pid

	for pid in $(pgrep -x dktrace); do
		tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q ' remote ' &&
			tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx "DKTRACE_INSTANCE=$DKTRACE_INSTANCE" && echo "$pid"
	done
}

# Lists the sockets by which they are found again.
sockets()
{
	local pid inode

	for pid in $(far_sides); do
		readlink "/proc/$pid/fd/"* 2>/dev/null
	done | sed -n 's/^socket:\[\(.*\)\]$/\1/p' | sort -u | while read -r inode; do
		awk -v inode="$inode" '$7 == inode && $8 ~ "^/run/dktrace-remote/" { print $8 }' /proc/net/unix
	done
}

# True if both hosts record.
both_record()
{
	[ "$(cat "$tracing/instances/$DKTRACE_INSTANCE"-*/events/syscalls/sys_enter_close/enable | grep -c '^1')" = 2 ] &&
		[ "$(cat "$tracing/instances/$DKTRACE_INSTANCE"-*/tracing_on | grep -cx 1)" = 2 ]
}

# True if no far side of this test is left, nor one of the sockets in the file "sockets".
all_gone()
{
	local socket

	[ -z "$(far_sides)" ] || return
	while read -r socket; do
		[ ! -e "$socket" ] || return
	done <sockets
}

# True if a host's file has the numbers of so many runs of the generator. usage: has_runs HOST N
has_runs()
{
	[ "$(dktrace report "whole/$1.dat" --style csv --fields fd 2>/dev/null | grep -c '^1[0-9]\{6\}')" = $(($2 * 20000)) ]
}

@test "an output that breaks off is continued where it was" {
	local name=seq-$$

	make_ssh
	cd "$tmp"
	ln -s "$tools/gen-sequence" "$name"
	start dktrace collect --ssh "$ssh" -w a,b -o whole record -e 'syscalls:sys_enter_close[fd >= 1000000]' --comm "$name" \
		--buffer-size 8M >table 2>err
	collector=$pid
	# The host can be found again once its command runs.
	until_true both_record
	sockets >sockets
	same 2 "$(wc -l <sockets)" "sockets"
	"./$name" 1 20000
	until_true has_runs a 1
	break_connection a
	"./$name" 1 20000
	until_true grep -q "a: connection broken; trying again" err
	"./$name" 1 20000
	until_true has_runs a 3
	kill -INT "$collector"
	wait "$collector"
	has_line '^a +complete .* 1 ' table
	has_line '^b +complete .* 0 ' table
	has_runs a 3
	has_runs b 3
	dktrace info whole/a.dat >info
	has_line '^lost +0 ' info
	until_true all_gone
}

# True if the description has both hosts running, and measurements of their clocks.
both_described()
{
	[ "$(jq '[.hosts[] | select(.state == "running" and (.trips | length) > 0)] | length' whole/collection.json)" = 2 ]
}

@test "a collection is complete after a hangup, and readable after a kill" {
	local name=seq-$$ end

	make_ssh
	cd "$tmp"
	ln -s "$tools/gen-sequence" "$name"
	for end in HUP KILL; do
		start dktrace collect --ssh "$ssh" --reconnect 1h -w a,b -o whole record -e 'syscalls:sys_enter_close[fd >= 1000000]' \
			--comm "$name" --buffer-size 8M >table 2>err
		collector=$pid
		until_true both_record
		until_true both_described
		"./$name" 1 20000
		until_true has_runs a 1
		until_true has_runs b 1
		kill -"$end" "$collector"
		wait "$collector" 2>/dev/null || true
		if [ "$end" = HUP ]; then
			has_line '^a +complete ' table
			run -0 --separate-stderr dktrace report whole
		else
			run -3 --separate-stderr dktrace report whole
			has "$stderr" "whole: collect was killed or still runs; this is what had come"
		fi
		same 40000 "$(grep -c 'sys_close\|sys_enter_close' <<<"$output")" "records after SIG$end"
		rm -r whole
		# Nobody will connect again: the hosts do not wait for it.
		sockets >sockets
		until_true all_gone
		until_true recorder_ended
	done
}

# Prints the processes of host a.
of_a()
{
	local pid

	for pid in $(pgrep -x dktrace); do
		tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qx "DKTRACE_INSTANCE=$DKTRACE_INSTANCE-a" && echo "$pid"
	done
}

# Prints the one of host a whose parent is another one of its far side: the aide.
aide_of_a()
{
	local pid own

	own=$(of_a)
	for pid in $own; do
		tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q ' remote ' &&
			grep -qx "$(sed -n 's/^PPid:\t//p' "/proc/$pid/status")" <<<"$own" && echo "$pid"
	done
}

command_of_a()
{
	local pid

	for pid in $(of_a); do
		tr '\0' ' ' <"/proc/$pid/cmdline" | grep -q ' remote ' || echo "$pid"
	done | head -n 1
}

@test "a host whose helper or command is killed says so, and the others go on" {
	local killed words

	make_ssh
	sed -i "2a export DKTRACE_INSTANCE=$DKTRACE_INSTANCE-\$1" "$ssh"
	cd "$tmp"
	for killed in aide command dialer; do
		start dktrace collect --ssh "$ssh" -w a,b -o whole record -e 'syscalls:sys_enter_close' --buffer-size 8M >table 2>err
		collector=$pid
		until_true both_described
		if [ "$killed" = aide ]; then
			words="the process that starts and ends the command was killed"
			kill -9 "$(aide_of_a)"
		elif [ "$killed" = command ]; then
			words="its command was killed by signal 9"
			kill -9 "$(command_of_a)"
		else
			words="run $ssh: the process that starts it was killed"
			kill -9 "$(pgrep -P "$collector" | head -n 1)"
			break_connection a
		fi
		until_true grep -q "a: $words" err
		kill -0 "$collector"
		kill -INT "$collector"
		status=0
		wait "$collector" || status=$?
		same 1 "$status" "status"
		has_line "^a +failed .*$words" table
		has_line '^b +complete ' table
		# Without its helper collect cannot tell the host, which waits for it.
		# shellcheck disable=SC2046
		[ "$killed" != dialer ] || kill $(of_a)
		# The instance of a recorder that was killed goes with the next one, or with reset.
		[ "$killed" != command ] || DKTRACE_INSTANCE=$DKTRACE_INSTANCE-a dktrace reset
		until_true recorder_ended
		rm -r whole
	done
}

@test "the next remote removes what a killed one left, whatever the clock says, and keeps what is alive" {
	local place=/run/dktrace-remote nr own=()

	cd "$tmp"
	mkfifo in
	exec 6<>in
	for nr in 0 1 2; do
		start sh -c 'exec dktrace remote <in' >"out$nr"
		until_true grep -qa '^wall_error' "out$nr"
		own[nr]=$place/$(sed -n 's/^id=//p' "out$nr")
		[ -S "${own[nr]}" ]
		# The last one lives.
		[ "$nr" = 2 ] || kill -KILL "$pid"
	done
	touch -d '1 day ago' "${own[0]}" "${own[2]}"
	touch -d '1 day' "${own[1]}"
	dktrace remote </dev/null >out3 || true
	gone "${own[0]}"
	gone "${own[1]}"
	[ -S "${own[2]}" ]
	exec 6>&-
}

# Starts an sshd on the loopback, and sets $ssh. Its only key is restricted as dktrace-remote(1) shows.
start_sshd()
{
	local port

	need_namespace
	ssh-keygen -q -t ed25519 -N '' -f key
	dropbearkey -t ed25519 -f host >/dev/null 2>&1
	echo "restrict,command=\"$build/dktrace remote --allow 'status,get_param,flight status'\" $(cat key.pub)" >authorized_keys
	# There root has another home.
	mkdir -p home/.ssh
	chmod 700 home home/.ssh
	mv authorized_keys home/.ssh
	awk -F: -v home="$PWD/home" 'BEGIN { OFS = FS } $1 == "root" { $6 = home } { print }' /etc/passwd >passwd
	for _ in 1 2 3 4 5; do
		port=$((20000 + RANDOM % 40000))
		# shellcheck disable=SC2016 # for the shell in there
		start apart sh -c 'mount --bind passwd /etc/passwd && exec dropbear -F -E -e -s -r "$1" -P "$1.pid" -p "127.0.0.1:$2"' sh "$PWD/host" "$port" 2>sshd
		until grep -q 'Not backgrounding' sshd || ! kill -0 "$pid" 2>/dev/null; do
			sleep 0.05
		done
		grep -q 'Failed listening' sshd || break
	done
	cat >config <<-END
		Host *
			HostName 127.0.0.1
			Port $port
			User root
			IdentityFile $PWD/key
			IdentitiesOnly yes
			UserKnownHostsFile $PWD/known
			StrictHostKeyChecking no
			LogLevel ERROR
	END
	ssh="ssh -F $PWD/config"
}

@test "a key with command= runs what it allows, through a real sshd" {
	for program in dropbear dropbearkey ssh ssh-keygen; do
		command -v "$program" >/dev/null || skip "needs $program"
	done
	[ "$(id -u)" = 0 ] || skip "needs root"
	cd "$tmp"
	start_sshd
	run -0 dktrace collect --ssh "$ssh" -w a,b get_param debug_mb
	has "$output" "debug_mb="
	run -0 dktrace collect --ssh "$ssh" -w a --far-program 'sh -c "id; exec cat /etc/passwd"' status
	has "$output" "subsystem_debug"
	lacks "$output" "root:"
	run -1 dktrace collect --ssh "$ssh" -w a mark 'a word'
	has "$output" "a: this key may not run 'mark', only status,get_param,flight status"
	# collect refuses what its command does not take; here the far side does.
	run -1 dktrace collect --ssh "$ssh" -w a get_param -n debug
	has "$output" "get_param: '-n' is not allowed by --allow"
	run ssh -F config a id </dev/null
	lacks "$output" "uid="
}

# The buffers of record are its own, and go with it.
recorder_ended()
{
	[ -z "$(own)" ]
}

@test "a full disk, here or there, is told, and the command on the host ends" {
	need_namespace
	make_direct
	cd "$tmp"
	mkdir small dumps
	# shellcheck disable=SC2016 # for the shell in there
	run -1 --separate-stderr apart sh -c 'mount -t tmpfs -o size=256k none small &&
		exec dktrace collect --ssh "$1" -w a -o small/all record -e "raw_syscalls:*" --buffer-size 8M --duration 600' sh "$direct"
	has "$stderr" "dktrace: a: write its output: No space left on device"
	has "$stderr" "dktrace: write small/all/collection.json: No space left on device; free space on its file system"
	has "$output" "failed"
	until_true recorder_ended
	# shellcheck disable=SC2016 # for the shell in there
	run -1 --separate-stderr apart sh -c 'mount -t tmpfs -o size=64k none dumps && head -c 60000 /dev/zero >dumps/other &&
		dktrace flight start -e "raw_syscalls:*" --size 1M --dir "$PWD/dumps" &&
		dktrace collect --ssh "$1" -w a,b -o there flight dump; status=$?; dktrace flight stop; exit $status' sh "$direct"
	has "$stderr" "0.0 MB are free, and it can take"
}

# True if the server has records of so many files.
loads_are()
{
	[ "$(ask 'SELECT uniqExact(common_load) FROM sched_switch' 2>/dev/null)" = "$1" ]
}

# A loop that the scheduler switches to and from, a few hundred times a second: events of a known process, so that a
# busy machine loses none.
start_ticker()
{
	ticker=tick-$$
	start perl -e '$0 = $ARGV[0]; select(undef, undef, undef, 0.005) while 1' "$ticker"
	switches="sched:sched_switch[prev_comm == \"$ticker\" || next_comm == \"$ticker\"]"
}

# Starts a ClickHouse in the directory of the test.
begin_server()
{
	start_server "$tmp/server"
	pids+=("$(cat "$tmp/server/pid")")
	await_server "$tmp/server" "$tcp1"
}

# True if the server answers as the files do. usage: same_answers DIR
same_answers()
{
	local question

	for question in 'count(*), sum(prev_pid), sum(common_cpu)' 'min(common_pid), max(common_pid), sum(prev_prio)'; do
		dktrace sql --csv "$1" "SELECT $question FROM sched_switch" | tail -n +2 >wanted
		[ -s wanted ]
		ask "SELECT $question FROM sched_switch FORMAT CSV" | diff wanted -
	done
}

# True if the server has more records of each file than then. usage: more_than RECORDS
more_than()
{
	[ "$(ask 'SELECT min(n) FROM (SELECT count() AS n FROM sched_switch GROUP BY common_load)')" -gt "$1" ]
}

@test "--load brings the recordings into ClickHouse" {
	need_clickhouse
	make_direct
	cd "$tmp"
	choose_ports
	start_ticker
	write_config "$tmp/server" "$http1" "$tcp1"
	begin_server
	dktrace collect --ssh "$direct" -w a,b -o all --load "http://127.0.0.1:$http1/default" record -e "$switches" >table 2>err &
	pids+=($!)
	# Both hosts' records come while they record; a file is complete only at its end.
	until_true loads_are 2
	[ "$(ask 'SELECT count() FROM files')" = 0 ]
	kill -INT "${pids[-1]}"
	wait "${pids[-1]}"
	has_line '^[0-9]+ rows were loaded while they were recorded\.$' table
	[ "$(ask 'SELECT count() FROM files')" = 2 ]
	same_answers all
	# They count once.
	dktrace load --clickhouse "http://127.0.0.1:$http1/default" all >table
	has_line '^2 files, loaded before\.$' table

	# The rest is loaded at the end if the process that loads is killed.
	ask 'DROP TABLE files; DROP TABLE sched_switch'
	dktrace collect --ssh "$direct" -w a,b -o killed --load "http://127.0.0.1:$http1/default" record -e "$switches" >table 2>err &
	pids+=($!)
	until_true loads_are 2
	# It is the last one of its processes.
	kill -9 "$(pgrep -P "${pids[-1]}" -f "dktrace collect" | tail -n 1)"
	kill -INT "${pids[-1]}"
	wait "${pids[-1]}"
	has_line '^2 files, 0 loaded before: [0-9]+ rows loaded, [1-9][0-9]* were there\.$' table
	same_answers killed
	run -2 dktrace collect --ssh "$direct" -w a -o other --load http://127.0.0.1:1 status
	has "$output" "collect: --load takes recordings, not what 'status' writes"
	run -1 dktrace collect --ssh "$direct" -w a -o other --load http://127.0.0.1:1 --reconnect 0 record -e 'sched:*' --duration 1
	has "$output" "onnect"
	exists other/a.dat
}

@test "--load has each row once if connections break and ClickHouse is killed meanwhile" {
	need_clickhouse
	make_ssh
	cd "$tmp"
	choose_ports
	start_ticker
	write_config "$tmp/server" "$http1" "$tcp1"
	begin_server
	dktrace collect --ssh "$ssh" -w a,b -o all --load "http://127.0.0.1:$http1/default" record -e "$switches" >table 2>err &
	collector=$!
	pids+=("$collector")
	until_true loads_are 2
	break_connection a
	most=$(ask 'SELECT max(n) FROM (SELECT count() AS n FROM sched_switch GROUP BY common_load)')
	until_true more_than "$most"
	end_server "$tmp/server" KILL
	break_connection b
	begin_server
	most=$(ask 'SELECT max(n) FROM (SELECT count() AS n FROM sched_switch GROUP BY common_load)')
	until_true more_than "$most"
	[ "$(ask 'SELECT count() FROM files')" = 0 ]
	kill -INT "$collector"
	wait "$collector"
	has_line '^a +complete .* 1 ' table
	has_line '^b +complete .* 1 ' table
	has_line '^[0-9]+ rows were loaded while they were recorded\.$' table
	[ "$(ask 'SELECT count() FROM files')" = 2 ]
	same_answers all
	run -0 dktrace load --clickhouse "http://127.0.0.1:$http1/default" all
	has "$output" '2 files, loaded before.'
}
