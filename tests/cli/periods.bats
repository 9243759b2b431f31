#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# analyze period*: periods of a small trace whose times are known. unit/test_periods.c has the grammar.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/common.bash; $begin is not the shell's

load ../helper/common

# Three calls of fsync by two threads that wait twice each, and a fourth without an end.
setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return
	local n=0 pid
	for pid in 11 12 11; do
		n=$((n + 1))
		printf '%16s-%-6d [000] d..2. 1.%02d0000: sys_enter: NR 74 (%d, 0, 0, 0, 0, 0)\n' "p$pid" "$pid" "$n" "$n"
		printf '%16s-%-6d [000] d..2. 1.%02d1000: sched_switch: prev_comm=p%d prev_pid=%d prev_prio=120 prev_state=D ==> next_comm=x next_pid=0 next_prio=120\n' "p$pid" "$pid" "$n" "$pid" "$pid"
		printf '%16s-%-6d [000] d..2. 1.%02d4000: sched_switch: prev_comm=x prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=p%d next_pid=%d next_prio=120\n' x 0 "$n" "$pid" "$pid"
		printf '%16s-%-6d [000] d..2. 1.%02d5000: sched_switch: prev_comm=p%d prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=x next_pid=0 next_prio=120\n' "p$pid" "$pid" "$n" "$pid" "$pid"
		printf '%16s-%-6d [000] d..2. 1.%02d5500: sched_switch: prev_comm=x prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=p%d next_pid=%d next_prio=120\n' x 0 "$n" "$pid" "$pid"
		printf '%16s-%-6d [000] d..2. 1.%02d8%d00: sys_exit: NR 74 = %d\n' "p$pid" "$pid" "$n" "$n" "-$n"
	done >trace.txt
	printf '%16s-%-6d [000] d..2. 1.090000: sys_enter: NR 74 (9, 0, 0, 0, 0, 0)\n' p11 11 >>trace.txt
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return
	uname -m | grep -q x86_64 || skip "the numbers of system calls are those of x86_64"
}

fsync='fsync: begin raw_syscalls:sys_enter[id == fsync]; end raw_syscalls:sys_exit[PID == $begin.PID];
	show $begin.COMM, id.syscall, error=ret'
wait='wait(fsync): begin sched:sched_switch[prev_pid == $parent.begin.PID];
	end sched:sched_switch[next_pid == $parent.begin.PID]; show state=$begin.prev_state, $parent.begin.COMM'

# usage: period NAME ARGUMENTS
period()
{
	dktrace --root "$top/tests/fixture/analyze" analyze "period$1" trace.txt --period "$fsync" "${@:2}"
}

@test "periodlog has each period with its fields, and the times of its parent" {
	run -0 --separate-stderr period log --csv
	same 'begin,end,duration,COMM,id,error
1010000000,1018100000,8100000,p11,fsync,-1
1020000000,1028200000,8200000,p12,fsync,-2
1030000000,1038300000,8300000,p11,fsync,-3' "$output" "the log"
	same 'dktrace: intervals left out: 1 that had not ended at the last record' "$stderr" "the note"
	run -0 --separate-stderr period top --period "$wait" --top 1 --json
	same '[{"begin":1030000000,"error":-3}]' "$(jq -c '[.fsync[] | { begin, error }]' <<<"$output")" "the longest"
	same '[{"begin":1011000000,"end":1014000000,"duration":3000000,"parent_begin":1010000000,"state":2,"COMM":"p11"}]' \
		"$(jq -c .wait <<<"$output")" "the longest child"
	same '1 0' "$(jq -r '"\(.open) \(.cut_by_parent)"' <<<"$output")" "what is left out"
}

@test "periodstats has groups, children with their share, and the times of latency" {
	run -0 --separate-stderr period stats --period "$wait" --keys COMM --csv
	same 'parent,period,parents,with,count,mean,most,total,share,min_share,max_share' "${lines[0]}" "the children"
	same 'fsync,wait,3,3,6,2.0,2,10500000' "$(cut -d, -f1-8 <<<"${lines[1]}")" "a child"
	same '0.42683 0.42169 0.43210' "$(cut -d, -f9- <<<"${lines[1]}" | awk -F, '{ printf "%.5f %.5f %.5f", $1, $2, $3 }')" "shares"
	has "$output" $'\np11,2,8100000,8200000,'
	has "$output" $'\np12,2,500000,1750000,'
	has "$output" $'\nfsync,3,8100000,8200000,'
	same "$(dktrace --root "$top/tests/fixture/analyze" latency syscall -i trace.txt --csv 2>latency.note | awk -F, '/^fsync/ { print $2, $3, $8, $9 }')" \
		"$(awk -F, '/^fsync,3/ { print $2, $3, $9, $10 }' <<<"$output")" "count, minimum, maximum and total of latency"
}

@test "periodstats has the numbers of lttng-periodstats" {
	command -v lttng-periodstats-mi >/dev/null || skip "needs python3-lttnganalyses"
	mkdir ctf
	dktrace --root "$top/tests/fixture/analyze" convert trace.txt ctf/kernel --format ctf-lttng
	run -0 --separate-stderr lttng-periodstats-mi --no-intersection --skip-validation \
		--period 'f : $evt.$name == "syscall_entry_fsync" : $evt.$name == "syscall_exit_fsync" && $evt.tid == $begin.$evt.tid' ctf
	same '3 8100000 8200000 8300000 24600000' \
		"$(jq -r '.results[0].data[0] | [.[1, 2, 3, 4, 6].value] | join(" ")' <<<"$output")" "count, times"
}

@test "lami has periods, and errors of a definition" {
	run -0 dktrace lami periodtop --period "$fsync" --metadata
	echo "$output" >metadata
	dktrace --root "$top/tests/fixture/analyze" lami periodtop --period "$fsync" trace.txt >results 2>note
	run -0 "$top/tests/tools/check-lami" metadata results
	expect 2 '' "dktrace: periodstats: which periods? --period 'NAME: begin EVENTS; end EVENTS', or --period syscall" \
		dktrace analyze periodstats trace.txt
	expect 1 '' "dktrace: --period: a: match: 'dev' is not block_request; fields are compared in the filter of the end" \
		dktrace analyze periodstats trace.txt --period 'a: begin sys_enter; end sys_exit; match dev'
	expect 1 '' "dktrace: --period: a: no event after 'begin' has a field 'dev'" dktrace analyze periodstats \
		"$top/tests/fixture/tracedat/v6.dat" --period 'a: begin hrtimer_start; end hrtimer_start; match block_request'
	expect 1 '' "dktrace: --period: fsync: no period 'call' is defined before it" \
		dktrace analyze periodstats trace.txt --period 'fsync(call): begin sys_enter; end sys_exit'
}

@test "a ready-made interval is measured within another one, and shows more fields" {
	local expected

	mkdir -p "$BATS_TEST_TMPDIR/intervals.d"
	cat >"$BATS_TEST_TMPDIR/intervals.d/50-site.yaml" <<-'END'
		intervals:
		  fsync:
		    about: fsync
		    entries:
		      - begin: raw_syscalls:sys_enter
		        end: raw_syscalls:sys_exit
		        match: common_pid
		        keys: id.syscall
		        calls: fsync
		        show: [ "end=ret", "seq=$begin.id", $begin.COMM ]
		  fsync-wait:
		    about: waits
		    entries:
		      - begin: sched:sched_switch
		        end: sched:sched_switch
		        match: prev_pid=next_pid
		        within: { interval: fsync, match: common_pid=prev_pid }
	END
	export DKTRACE_INTERVALS=$BATS_TEST_TMPDIR/intervals.d DKTRACE_ROOT=$top/tests/fixture/analyze
	run -0 --separate-stderr dktrace analyze periodstats trace.txt --period fsync-wait --csv
	same 'fsync,fsync_wait,3,3,6,2.0,2,10500000' "$(cut -d, -f1-8 <<<"${lines[1]}")" "the waits"
	# The outer interval can be given, too.
	same "$output" "$(dktrace analyze periodstats trace.txt --period fsync --period fsync-wait --csv 2>notes)" "both"
	run -0 --separate-stderr dktrace analyze periodlog trace.txt --period fsync-wait --csv
	expected=$(sed -nE 's/^(table|fsync_wait),//p' <<<"$output")
	same "$expected" "$(dktrace sql trace.txt --csv 'SELECT begin, end, duration, parent_begin FROM fsync_wait')" "the table"
	same 6 "$(($(wc -l <<<"$expected") - 1))" "rows"
	# No column hides another one.
	run -0 --separate-stderr dktrace sql trace.txt --csv 'SELECT * FROM fsync LIMIT 1'
	same $'seq,host,begin,end,duration,id,end_2,seq_2,COMM\n1,1,1010000000,1018100000,8100000,fsync,-1,74,p11' "$output" "columns"
	run -0 --separate-stderr dktrace sql trace.txt --csv 'SELECT id, count FROM fsyncstats'
	same $'id,count\nfsync,3' "$output" "groups"
}
