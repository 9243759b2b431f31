#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# --sql of hist and probe: the results of statements on recordings and trees, and the errors of wrong ones.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/common.bash; dollars are the kernel's

load ../helper/common

reads='SELECT ret, CAST(common_pid AS comm) FROM sys_exit_read WHERE ret > 100 && ret < 5000'
wakeup='SELECT start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat
	FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid'

# Makes a tree with the two events of the statement above; $1: synthetic_events, to support those.
wakeup_tree()
{
	DKTRACE_ROOT=$BATS_TEST_TMPDIR/tree
	export DKTRACE_ROOT DKTRACE_INSTANCE=dkt-test-cli-$$
	mkdir -p "$DKTRACE_ROOT"/events/sched/{sched_waking,sched_switch}
	printf 'sched:sched_waking\nsched:sched_switch\n' >"$DKTRACE_ROOT/available_events"
	: >"$DKTRACE_ROOT/dynamic_events"
	for event in waking:31:pid switch:32:next_pid; do
		IFS=: read -r name id field <<<"$event"
		printf 'name: sched_%s\nID: %s\nformat:\n' "$name" "$id"
		printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
		printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
		printf '\tfield:pid_t %s;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: "%%d", REC->%s\n' "$field" "$field"
	done | while IFS= read -r line; do
		[[ $line = name:* ]] && name=${line#name: }
		printf '%s\n' "$line" >>"$DKTRACE_ROOT/events/sched/$name/format"
	done
}

@test "--sql gives the same table as --keys, --vals and --filter" {
	run -0 dktrace hist -i "$capture" --csv --sql "$reads"
	sql=$output
	run -0 dktrace hist -i "$capture" --csv syscalls:sys_exit_read -k ret,common_pid.execname --filter 'ret > 100 && ret < 5000'
	same "$output" "$sql" 'the same table'
	run -0 dktrace hist -i "$capture" --csv --sql 'select cast(common_pid as comm), cast(ret as _COUNTER_) from syscalls.sys_exit_read where ret > 0'
	sql=$output
	run -0 dktrace hist -i "$capture" --csv syscalls:sys_exit_read -k common_pid.execname --vals ret --filter 'ret > 0'
	same "$output" "$sql" 'the same sums'
	for option in --json --csv '--top 2' '--sort hitcount'; do
		# shellcheck disable=SC2086
		run -0 dktrace hist -i "$capture" $option --sql "$reads"
	done
}

@test "--sql works on files of trace-cmd and perf" {
	for file in tracedat/v6.dat:timer:hrtimer_start:softexpires perfdata/plain.data:sched:sched_switch:prev_comm; do
		IFS=: read -r file system event field <<<"$file"
		run -0 dktrace hist -i "$top/tests/fixture/$file" --csv --sql "SELECT $field FROM $event"
		sql=$output
		run -0 dktrace hist -i "$top/tests/fixture/$file" --csv "$system:$event" -k "$field"
		same "$output" "$sql" "$file"
	done
}

@test "a wrong statement is refused with the place, with 2, or 1 for an event of other machines" {
	refuse()
	{
		run -"$1" --separate-stderr dktrace hist -i "$capture" --sql "$2"
		same '' "$output" "standard output of: $2"
		same "dktrace: sql: $3" "$(head -n 1 <<<"$stderr")" "$2"
		has "$stderr" '^'
	}
	refuse 1 'SELECT ret FROM sys_exit_raed' "there is no event 'sys_exit_raed'; did you mean sys_exit_read?"
	refuse 1 'SELECT rte FROM sys_exit_read' "event syscalls:sys_exit_read has no field 'rte'; did you mean ret?"
	refuse 2 'SELECT ret FROM' 'expected an event before the end'
	refuse 2 'SELECT ret FROM sys_exit_read FROM sys_exit_write' "expected JOIN, WHERE or the end before 'FROM'"
	refuse 2 'SELECT ret FROM sys_exit_read WHERE ret' 'syntax error'
	refuse 2 'SELECT ret FROM sys_exit_read WHERE ret > > 3' 'syntax error'
	refuse 2 'INSERT' "expected SELECT before 'INSERT'"
	refuse 2 $'SELECT ret\e[31m FROM sys_exit_read' 'only printable ASCII is allowed'
	refuse 2 $'SELECT ret FROM sys_exit_read WHERE ret = "\xff\xfe"' 'only printable ASCII is allowed'
	refuse 2 'SELECT s.ret FROM sys_enter_read AS b JOIN sys_exit_read AS s ON b.common_pid = s.common_pid' \
		'a statement with JOIN is an event, not a histogram'
	run -2 --separate-stderr dktrace hist -i "$capture" --sql "SELECT $(printf 'ret,%.0s' {1..16384})ret FROM sys_exit_read"
	same 'dktrace: sql: the statement has 65565 bytes; the limit is 4095' "$stderr" '64 KB'
}

@test "options that --sql excludes are a usage error" {
	expect 2 '' 'dktrace: hist: cannot combine --sql with --keys, --vals or --filter' \
		dktrace hist --sql "$reads" -k ret
	expect 2 '' 'dktrace: hist: cannot combine --sql with --keys, --vals or --filter' \
		dktrace hist --sql "$reads" --filter 'ret > 3'
	expect 2 '' 'dktrace: probe add --sql: needs --name, the name of the event' dktrace probe add --sql "$wakeup"
	expect 2 '' "dktrace: probe add --sql: put the statement in quotes: 'FROM' is left over" \
		dktrace probe add --name x --sql 'SELECT a' FROM
	expect 2 '' 'dktrace: probe add --sql: takes --name, --enable and --dry-run only' \
		dktrace probe add --name x --sql "$wakeup" -x /bin/sh
	expect 2 '' 'dktrace: probe add: usage: dktrace probe add PLACE [ARGUMENT...]' dktrace probe add
}

@test "probe add --sql --dry-run prints the definition and creates nothing" {
	wakeup_tree
	expect 0 's:synthetic/wakeup pid_t pid; u64 lat
sched:sched_waking hist:keys=pid:__from_wakeup_0=common_pid:__arg_wakeup_2=pid,__arg_wakeup_3=common_timestamp.usecs
sched:sched_switch hist:keys=next_pid:__join_wakeup_0=common_pid-$__from_wakeup_0:__pid_wakeup_1=$__arg_wakeup_2,__lat_wakeup_4=common_timestamp.usecs-$__arg_wakeup_3:onmatch(sched.sched_waking).wakeup($__pid_wakeup_1,$__lat_wakeup_4)' \
		'' dktrace probe add --dry-run --name wakeup --sql "$wakeup"
	same '' "$(cat "$DKTRACE_ROOT/dynamic_events")" made
}

@test "probe add --sql reports that the kernel lacks synthetic events" {
	wakeup_tree
	expect 1 '' "dktrace: this kernel has no synthetic events: there is no $DKTRACE_ROOT/synthetic_events" \
		dktrace probe add --name wakeup --sql "$wakeup"
	same '' "$(cat "$DKTRACE_ROOT/dynamic_events")" made
	gone "/run/dktrace/$DKTRACE_INSTANCE"
	expect 2 '' "dktrace: sql: 'a-b' cannot be the name of an event" dktrace probe add --name a-b --sql "$wakeup"
	run -2 --separate-stderr dktrace probe add --name x --sql 'SELECT pid FROM sched_waking'
	has "$stderr" 'sql: a statement without JOIN is a histogram, not an event'
	run -2 --separate-stderr dktrace probe add --name x --sql "${wakeup% ON*}"
	has "$stderr" 'sql: expected ON before the end'
}
