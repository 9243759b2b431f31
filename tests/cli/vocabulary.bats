#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The same thing has the same name in all commands, and names of before are understood.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

# Prints the long options of a command.
options()
{
	dktrace help "$1" | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p'
}

# Both ways give the same output, and the old one the hint. usage: renamed HINT NOW BEFORE COMMAND...
renamed()
{
	local hint=$1 now=$2 before=$3 wanted

	shift 3
	# shellcheck disable=SC2086 # several words
	wanted=$("$@" $now 2>/dev/null)
	# shellcheck disable=SC2086
	run -0 --separate-stderr "$@" $before
	same "$wanted" "$output" "output of $* $before"
	has "$stderr" "dktrace: $hint"
}

@test "no command has another name for stopping after a time, for groups or for how long it took" {
	local command n=0

	for command in $(dktrace help | sed -n 's/^  \([a-z_-]*\) .*/\1/p'); do
		n=$((n + 1))
		run -1 grep -xE 'time|by|group-by|key' <(options "$command")
	done
	at_least 40 "$n" "commands"
	for command in record hist latency analyze strace top follow; do
		has "$(dktrace help "$command")" "-t, --duration TIME    stop after TIME: 30, 5m, 1h"
	done
	for command in hist latency analyze lustre; do
		has "$(dktrace help "$command")" "-k, --keys "
	done
	for command in strace analyze lami; do
		has "$(options "$command")" took
	done
}

@test "earlier names of options are understood, with a hint to the name of now" {
	local fsync=(dktrace latency syscalls:sys_enter_fsync syscalls:sys_exit_fsync --input "$capture" --csv)
	local log=$BATS_TEST_TMPDIR/server.dk

	renamed "--key is --match now" "--match common_pid" "--key common_pid" "${fsync[@]}"
	renamed "--by is --keys now" "--keys COMM" "--by COMM" "${fsync[@]}" --match common_pid
	renamed "--group-by is --keys now" "--keys COMM" "--group-by=COMM" "${fsync[@]}" --match common_pid
	renamed "--by is --keys now" "--keys COMM" "--by COMM" dktrace hist --input "$capture" iotrace --csv
	"$BATS_TEST_DIRNAME/../tools/gen-lustre-log" server 2.15 200 >"$log"
	renamed "--group-by is --keys now" "--keys nid" "--group-by nid" dktrace lustre rpc "$log"
	expect 2 '' "dktrace: --time is --duration now
dktrace: --duration: '0' is not a number of seconds above 0; units are ns, us, ms, s, m, h and d" dktrace hist --input "$capture" iotrace --time 0
}

@test "--duration with a sign is --took" {
	local calls=(dktrace strace "$capture")

	renamed "--duration with a sign is --took now; without one it stops after a time" \
		"--took >0.1" "--duration >0.1" "${calls[@]}"
	at_least 1 "${#lines[@]}" "calls that took longer"
	at_least "$((${#lines[@]} + 1))" "$("${calls[@]}" --duration 1 2>/dev/null | wc -l)" "all calls"
}

@test "the value of an old name is completed as that of the new one" {
	same "$(DKTRACE_ROOT=$capture dktrace __complete dktrace latency syscalls:sys_enter_read syscalls:sys_exit_read --keys CO)" \
		"$(DKTRACE_ROOT=$capture dktrace __complete dktrace latency syscalls:sys_enter_read syscalls:sys_exit_read --by CO)" \
		"completion"
}

@test "comm, pid and cpu are the same in any case, unless the event has a field of the name" {
	local cell key filters

	for key in COMM,PID,CPU comm,pid,cpu Comm,Pid,Cpu common_comm,common_pid,common_cpu; do
		run -0 dktrace hist --input "$capture" syscalls:sys_enter_fsync --keys "$key" --csv
		same "sync,21739,0,1" "$(tail -n 1 <<<"$output")" "key $key"
	done
	for key in COMM comm Comm; do
		run -0 dktrace latency syscalls:sys_enter_fsync syscalls:sys_exit_fsync --match "${key/?omm/pid}" \
			--keys "$key" --input "$capture" --csv
		same sync "${lines[1]%%,*}" "group $key"
	done
	for filters in 'PID == 21739 && COMM == sync && CPU == 0' 'pid == 21739 && comm == sync && cpu == 0' \
		'Pid == 21739 && Comm == sync && Cpu == 0'; do
		diff <(dktrace show --input "$capture" --filter "$filters") \
			<(dktrace show --input "$capture" --filter 'common_pid == 21739 && COMM == sync && CPU == 0')
	done
	for key in COMM,PID,CPU comm,pid,cpu Comm,Pid,Cpu; do
		run -0 dktrace report "$capture" -e sys_enter_fsync --style csv --fields "$key"
		same "sync,21739,0" "${lines[1]%$'\r'}" "fields $key"
	done
	# The process that wakes, and the one that is woken.
	cell=$(dktrace hist -i "$top/tests/fixture/tracedat/v7-zstd.dat" sched:sched_waking --keys PID --csv | tail -n +2)
	[ "$cell" != "$(dktrace hist -i "$top/tests/fixture/tracedat/v7-zstd.dat" sched:sched_waking --keys pid --csv | tail -n +2)" ]
}

@test "comm, pid and cpu are columns of SQL in any case" {
	local sql

	for sql in "SELECT pid, comm, Cpu FROM sys_enter_fsync" "SELECT f.PID, f.Comm, cpu FROM sys_enter_fsync f WHERE COMM = 'sync'" \
		"SELECT common_pid, common_comm, common_cpu FROM sys_enter_fsync"; do
		run -0 dktrace sql "$capture" "$sql" --csv
		same "21739,sync,0" "${lines[1]}" "$sql"
	done
	dktrace convert "$capture" "$BATS_TEST_TMPDIR/it.sqlite"
	run -0 dktrace sql "$BATS_TEST_TMPDIR/it.sqlite" "SELECT pid, comm FROM sys_enter_fsync" --csv
	same "21739,sync" "${lines[1]}" "of a database"
	run -1 dktrace sql "$capture" "SELECT pid FROM hosts"
	has "$output" "no such column"
	for sql in pid PID common_pid; do
		run -0 dktrace hist --input "$capture" --csv --sql "SELECT $sql FROM sys_enter_fsync WHERE $sql == 21739 && Comm == \"sync\""
		same "21739,1" "$(tail -n 1 <<<"$output")" "SELECT $sql"
	done
}

@test "one event is named without its system, too" {
	local command

	for command in "hist --input $capture % --csv" "hist --input $capture %,sys_enter_fsync --keys event --csv" \
		"latency % sys_exit_fsync,sys_exit_read --match pid --csv --input $capture" "latency %,sys_enter_fsync syscalls:sys_exit_read --match pid --csv --input $capture" \
		"list events %" "list fields %" "report -e % $capture" "sql $capture \"SELECT fd FROM sys_enter_read\"" \
		"analyze periodstats --period 'it: begin %; end sys_exit_read' $capture" \
		"hist --input $capture --csv --sql \"SELECT fd FROM sys_enter_read\""; do
		export DKTRACE_ROOT=$capture
		same "$(eval "dktrace ${command//%/syscalls:sys_enter_read}")" "$(eval "dktrace ${command//%/sys_enter_read}")" "$command"
		[ -n "$(eval "dktrace ${command//%/sys_enter_read}")" ]
		unset DKTRACE_ROOT
	done
	run -1 dktrace hist --input "$capture" sys_enter_raed
	has "$output" "'sys_enter_raed' is not a class, subsystem or event (SYSTEM:EVENT); did you mean"
	run -1 dktrace latency sys_enter_raed sys_exit_read --match pid --input "$capture"
	has "$output" "there is no event sys_enter_raed; did you mean"
}

@test "a name that two systems have needs its system" {
	local tree=$BATS_TEST_TMPDIR/tree command

	cp -r "$capture" "$tree"
	mkdir -p "$tree/events/other/sys_enter_read"
	sed 's/^ID: .*/ID: 60001/' "$capture/events/syscalls/sys_enter_read/format" >"$tree/events/other/sys_enter_read/format"
	echo other:sys_enter_read >>"$tree/available_events"
	for command in "hist --input $tree sys_enter_read" "latency sys_enter_read sys_exit_read --match pid --input $tree"; do
		# shellcheck disable=SC2086
		run -1 dktrace $command
		has "$output" "several systems have an event 'sys_enter_read'; write "
	done
}

@test "every command that reads a file takes it as an argument, as by --input" {
	local command tree=$BATS_TEST_TMPDIR/tree

	cp -r "$capture" "$tree"
	dktrace convert "$capture" "$BATS_TEST_TMPDIR/it.dat"
	cd "$BATS_TEST_TMPDIR"
	for command in "hist iotrace %" "hist sys_enter_read % -k fd" "hist %" "hist --csv --sql \"SELECT fd FROM sys_enter_read\" %" \
		"hist failed-calls %" "latency syscall %" "latency sys_enter_read sys_exit_read % --match pid" "latency %" "strace %"; do
		for file in it.dat tree - <(cat it.dat); do
			[ -n "$(eval "dktrace ${command/\%/"$file"}" <it.dat)" ]
			[[ $file == /* ]] && continue
			diff <(eval "dktrace ${command/\%/--input "$file"}" <it.dat 2>&1) <(eval "dktrace ${command/\%/"$file"}" <it.dat 2>&1)
		done
	done
	for command in show dk; do
		diff <(dktrace $command -i tree 2>&1) <(dktrace $command tree 2>&1)
	done
	# It goes on until nobody reads any more.
	diff <(dktrace follow -t 60 -i tree | head -n 1) <(dktrace follow -t 60 tree | head -n 1)
	# A word that can be run is run.
	printf '#!/bin/sh\nexit 9\n' >script
	chmod +x script
	expect 2 '' "dktrace: hist: cannot combine a file with a command; give one of them" dktrace hist iotrace it.dat -- ./script
}

# The entry of --pid: in a manual, and in help.
pid_of_manual()
{
	sed -n '/^\.It Fl p , Fl -pid/,/^\.\(It Fl [^p]\|El\)/p' "$top/man/dktrace-$1.1" | sed '1d;$d' | tr '\n' ' '
}

pid_of_help()
{
	dktrace help "$1" | sed -n '/^  -p, --pid /,/^ *-/p' | sed '2,$ { /^ *-/d }' | tr -s ' \n' ' '
}

@test "--pid is processes where the kernel chooses, and threads where records are read, as help and manuals say" {
	local command help n=0 manual text=$BATS_TEST_TMPDIR/threads.txt

	for command in $(dktrace help | sed -n 's/^  \([a-z_-]*\) .*/\1/p'); do
		help=$(pid_of_help "$command")
		[[ $help == *LIST* ]] || continue
		n=$((n + 1))
		manual=$(pid_of_manual "$command")
		case $command in
		record | daemon | flight | filter | function | graph | stat)
			has "$help" "processes, with all their threads"
			has "$manual" "processes, with all "
			lacks "$help$manual" "threads with these IDs"
			;;
		hist | latency | profile | strace)
			has "$help" "live: "
			has "$help" " these processes, with "
			has "$help" "of a file: "
			has "$manual" "Live, "
			has "$manual" " these processes, with "
			has "${manual,,}" "of a file, "
			;;&
		*)
			has "$help" "of the threads with these IDs: 1,42"
			has "$manual" " of the threads with these IDs"
			;;
		esac
	done
	at_least 20 "$n" "commands with --pid"
	# Process 10 has the threads 10 and 11.
	printf '%16s-%d [000] 1.00000%d: %s\n' \
		a 10 1 'task_newtask: pid=11 comm=a clone_flags=3d0f00 oom_score_adj=0' \
		a 10 2 'sys_enter: NR 0 (3, 0, 0, 0, 0, 0)' a 10 3 'sys_exit: NR 0 = 0' \
		a 11 4 'sys_enter: NR 1 (3, 0, 0, 0, 0, 0)' a 11 5 'sys_exit: NR 1 = 0' >"$text"
	same 3 "$(dktrace report -p 10 "$text" | grep -c a-10)" "records of thread 10"
	same 0 "$(dktrace report -p 10 "$text" | grep -c a-11)" "records of thread 11"
	same "a[10],1" "$(dktrace hist raw_syscalls:sys_enter "$text" -p 10 --keys common_pid.execname --csv | sed 1d)" "hist"
	same "read" "$(dktrace latency syscall "$text" -p 10 --csv 2>/dev/null | sed 1d | cut -d , -f 1)" "latency"
	same "write" "$(dktrace strace "$text" -p 11 --json | jq -r .call)" "strace"
	same "a,10" "$(dktrace analyze syscallstats "$text" -p 10 --csv 2>/dev/null | grep ^a, | cut -d , -f 1,2)" "analyze"
}
