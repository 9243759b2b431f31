#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# collect: recordings of several far sides, connections that break, and one clock for all files.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/live
load ../helper/fleet
load ../helper/clickhouse

@test "an output that breaks off is continued where it was" {
	make_ssh
	cd "$tmp"
	start dktrace collect --ssh "$ssh" -w a,b -o whole record -e 'sched:*' --duration 4 >table 2>err
	# The host can be found again once its command runs.
	until_true test -s whole/a.dat
	break_connection a
	wait "$pid"
	has_line '^a +complete .* 1 ' table
	has_line '^b +complete .* 0 ' table
	has "$(cat err)" "dktrace: a: connection broken; trying again"
	dktrace info whole/a.dat >info
	has_line '^lost +0 ' info
	# Other far sides on this machine may come and go.
	until_true test ! -e /run/dktrace-remote
}

@test "the next remote removes what a killed one left, and keeps what is alive or new" {
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
	touch -d '2 minutes ago' "${own[0]}" "${own[2]}"
	dktrace remote </dev/null >out3 || true
	gone "${own[0]}"
	[ -S "${own[1]}" ]
	[ -S "${own[2]}" ]
	exec 6>&-
	rm "${own[1]}"
}

# Starts an sshd on the loopback, and sets $ssh. Its only key is restricted as dktrace-remote(1) shows.
start_sshd()
{
	local port

	need_namespace
	ssh-keygen -q -t ed25519 -N '' -f key
	dropbearkey -t ed25519 -f host >/dev/null 2>&1
	echo "restrict,command=\"$build/dktrace remote --allow 'status,get_param,flight status'\" $(cat key.pub)" >authorized_keys
	for _ in 1 2 3 4 5; do
		port=$((20000 + RANDOM % 40000))
		# shellcheck disable=SC2016 # for the shell in there
		start apart sh -c 'mount -t tmpfs -o mode=700 none /root && mkdir -m 700 /root/.ssh && cp "$1" /root/.ssh &&
			exec dropbear -F -E -e -s -r "$2" -P "$2.pid" -p "127.0.0.1:$3"' sh "$PWD/authorized_keys" "$PWD/host" "$port" 2>sshd
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
	run -1 dktrace collect --ssh "$ssh" -w a status -o /etc/passwd
	has "$output" "status: '-o' is not allowed by --allow"
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
	write_config "$tmp/server" "$http1" "$tcp1"
	begin_server
	dktrace collect --ssh "$direct" -w a,b -o all --load "http://127.0.0.1:$http1/default" record -e 'sched:*' >table 2>err &
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
	dktrace collect --ssh "$direct" -w a,b -o killed --load "http://127.0.0.1:$http1/default" record -e sched:sched_switch >table 2>err &
	pids+=($!)
	until_true loads_are 2
	kill -9 "$(pgrep -P "${pids[-1]}" -f "dktrace collect")"
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
	write_config "$tmp/server" "$http1" "$tcp1"
	begin_server
	dktrace collect --ssh "$ssh" -w a,b -o all --load "http://127.0.0.1:$http1/default" record -e 'sched:*' >table 2>err &
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
