#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# latency: wrong arguments, and the tables of a saved tree.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

fsync=(syscalls:sys_enter_fsync syscalls:sys_exit_fsync --match common_pid)

@test "latency of a saved tree prints a table, a distribution and the slowest pairs" {
	run -0 dktrace latency "${fsync[@]}" --input "$capture"
	golden latency
	run -0 dktrace latency "${fsync[@]}" --input "$capture" --csv
	same 'group,count,min,p50,p90,p99,p99.9,max,total
,1,473486,473486,473486,473486,473486,473486,473486' "$output" csv
	run -0 dktrace latency "${fsync[@]}" --input "$capture" --json --keys common_pid.execname
	same '1 sync[21739] 473486 0' "$(jq -r '"\(.all.count) \(.groups[0].group) \(.slowest[0].ns) \(.lost)"' <<<"$output")" JSON
	same 'syscalls:sys_exit_fsync' "$(jq -r '.slowest[0].end.event' <<<"$output")" "the end's record"
	run -0 --separate-stderr dktrace latency syscall --input "$capture" --json --keys common_pid
	same '[21739]' "$(jq -c '[.groups[].group] | map(select(. == 21739))' <<<"$output")" "a group that is a number"
}

@test "hist counts the records that match a filter" {
	expect 0 'no pair' 'dktrace: 1 ended without a recorded beginning' \
		dktrace latency "${fsync[@]}" --input "$capture" --filter 'fd == 77'
	run -0 --separate-stderr dktrace latency "${fsync[@]}" --input "$capture" --filter 'fd == 3' --csv
	same 2 "${#lines[@]}" lines
}

@test "--sort and --top apply to the table, CSV and JSON" {
	local it=(dktrace latency syscall --input "$capture")

	# Without --sort the most time comes first.
	run -0 --separate-stderr "${it[@]}" --csv
	same 'openat mmap fsync' "$(sed -n '2,4s/,.*//p' <<<"$output" | paste -sd ' ')" "by total"
	local -A column=([name]=1 [count]=2 [min]=3 [p50]=4 [p90]=5 [p99]=6 [p99.9]=7 [max]=8 [total]=9)
	local by how got
	for by in "${!column[@]}"; do
		how=n
		[ "$by" != name ] || how=
		run -0 --separate-stderr "${it[@]}" --csv --sort "$by"
		got=$(tail -n +2 <<<"$output" | cut -d, -f"${column[$by]}")
		same 15 "$(wc -l <<<"$got")" "groups by $by"
		same "$(sort -s -k1"$how" <<<"$got")" "$got" "by $by"
		run -0 --separate-stderr "${it[@]}" --csv --sort "$by.descending"
		got=$(tail -n +2 <<<"$output" | cut -d, -f"${column[$by]}")
		same "$(sort -s -k1"${how}r" <<<"$got")" "$got" "by $by, descending"
	done
	run -0 --separate-stderr "${it[@]}" --json --sort max.descending --top 2
	same 'fsync unlinkat' "$(jq -r '[.groups[].group] | join(" ")' <<<"$output")" JSON
	same 851 "$(jq .all.count <<<"$output")" "all of them"
	run -0 --separate-stderr "${it[@]}" --csv --top 2
	same 3 "${#lines[@]}" "lines of CSV"
	run -0 --separate-stderr "${it[@]}" --sort name --top 2 --slowest 0
	same 'access close (all)' "$(sed -n '2,4s/ .*//p' <<<"$output" | paste -sd ' ')" rows
	same '(13 more rows)' "${lines[4]}" "what is left out"
	run -0 --separate-stderr "${it[@]}" --top 15
	lacks "$output" 'more rows'
}

@test "latency refuses invalid --sort, --top and --watch" {
	local columns='name, count, min, p50, p90, p99, p99.9, max, total'

	expect 2 '' "dktrace: --sort: 'totla' is not a column; the columns are $columns; did you mean total?" \
		dktrace latency syscall --input "$capture" --sort totla.descending
	expect 2 '' "dktrace: --sort: the value is empty; write --sort COLUMN" \
		dktrace latency syscall --input "$capture" --sort ''
	expect 2 '' "dktrace: --top: 'x' is not a number" dktrace latency syscall --input "$capture" --top x
	expect 2 '' "dktrace: --watch: '0' is not a number of seconds above 0; units are ns, us, ms, s, m, h and d" dktrace latency syscall -w0
	expect 2 '' 'dktrace: --watch: no space before the seconds: -w2' dktrace latency syscall -w 2
	expect 2 '' 'dktrace: latency: cannot combine a file with --watch: a file does not grow' \
		dktrace latency syscall --input "$capture" --watch
	for option in watch sort=max top=3; do
		expect 2 '' "dktrace: latency: cannot combine --kernel with --${option%=*}: the kernel's table is printed once, complete, in order of groups and times" \
			dktrace latency syscall --kernel "--$option"
	done
}

@test "invalid arguments change nothing, and the message shows the place" {
	expect 2 '' "dktrace: latency: 'foo' is not a ready-made pair; give BEGIN and END events, or run 'dktrace latency' to list the pairs" \
		dktrace latency foo --input "$capture"
	expect 2 '' "dktrace: latency: give the fields that pair the records, such as --match common_pid" \
		dktrace latency a:b c:d --input "$capture"
	expect 1 '' "dktrace: there is no event b" \
		dktrace latency b c --match d --input "$capture"
	expect 1 '' "dktrace: there is no event syscalls:sys_enter_fsink; did you mean syscalls:sys_enter_fsync?" \
		dktrace latency syscalls:sys_enter_fsink c:d --match d --input "$capture"
	expect 1 '' "dktrace: syscalls:sys_exit_fsync has no field 'fd'" \
		dktrace latency "${fsync[@]}" --match fd --input "$capture"
	expect 1 '' "dktrace: key: a field's name is expected here
  common_pid,
             ^" dktrace latency "${fsync[@]}" --match common_pid, --input "$capture"
	expect 1 '' "dktrace: by: unknown modifier; the modifiers are hex, dec, sym, sym-offset, syscall, execname, log2, buckets=N, usecs, stacktrace, and of values percent and graph
  fd.hax
     ^" dktrace latency "${fsync[@]}" --keys fd.hax --input "$capture"
	expect 1 '' "dktrace: filter: syscalls:sys_exit_fsync has no field 'fdd'
  fdd == 3
  ^" dktrace latency "${fsync[@]}" --filter 'fdd == 3' --input "$capture"
	expect 2 '' "dktrace: --slowest: '-1' is not a number" dktrace latency syscall --slowest=-1 --input "$capture"
	expect 2 '' "dktrace: --duration: '0' is not a number of seconds above 0; units are ns, us, ms, s, m, h and d" dktrace latency "${fsync[@]}" --duration 0 --input "$capture"
	expect 2 '' 'dktrace: latency: cannot combine a file with a command; give one of them' \
		dktrace latency "${fsync[@]}" --input "$capture" -- true
	run -1 --separate-stderr dktrace latency syscall --input /nonexistent
	has "$stderr" 'dktrace: open /nonexistent: No such file or directory'
}

@test "latency lists the ready-made pairs and marks those that this kernel lacks" {
	run -0 dktrace latency --input "$capture"
	has "$output" '  wakeup       from wakeup until a process runs (the file does not have the events)'
	same 1 "$(grep -c ' rpc ' <<<"$output")" 'rows of one name'
	same 1 "$(grep -c ' syscall ' <<<"$output")" 'rows of one name'
}

@test "a ready-made pair measures the events that a file has, and names those that it lacks" {
	cd "$BATS_TEST_TMPDIR"
	dktrace convert -e 'syscalls:sys_*_fsync' "$capture" fsync.dat
	run -0 --separate-stderr dktrace latency fsync --input fsync.dat --csv
	same 2 "${#lines[@]}" "lines"
	has "${lines[1]}" fsync
	same "dktrace: fsync.dat has no event syscalls:sys_enter_fdatasync, syscalls:sys_exit_fdatasync: it is not measured" \
		"$stderr" words
	whole=$output
	# System calls are measured by their own events if the raw ones are missing.
	run -0 --separate-stderr dktrace latency syscall --input fsync.dat --csv
	same "$whole" "$output" "of system calls"
	same "" "$stderr" words
	run -0 dktrace latency --input fsync.dat
	has "$output" '  syscall      system calls
'
	has "$output" '  block        requests to block devices, from issue to completion (the file does not have the events)'
	echo '00000080:00200000:1.0:1795361145.9:0:7:0:(syscalls:0:sys_enter_fsync()) fd: 0x00000003' >log.txt
	expect 1 "" "dktrace: pair 'fsync': lines of a debug log have no fields to pair by; 'dktrace dk --format trace.dat FILE' saves records that have" \
		dktrace latency fsync --input log.txt
	expect 1 "" "dktrace: pair 'jbd2': the file has no event jbd2:jbd2_start_commit, jbd2:jbd2_end_commit; to record it: dktrace record -e 'jbd2:jbd2_start_commit,jbd2:jbd2_end_commit'" \
		dktrace latency jbd2 --input fsync.dat
}

@test "a file that has only one side of a pair says how to record the other" {
	cd "$BATS_TEST_TMPDIR"
	dktrace convert -e 'syscalls:sys_enter_fsync' "$capture" enter.dat
	expect 1 "" "dktrace: pair 'syscall': the file has no event syscalls:sys_exit_*; to record it: dktrace record -e 'syscalls:sys_enter_*,syscalls:sys_exit_*'" \
		dktrace latency syscall --input enter.dat
	# Other events have a format but no record.
	cp -r "$capture" tree
	echo syscalls:sys_enter_fdatasync >>tree/available_events
	mkdir tree/events/syscalls/sys_enter_fdatasync
	sed 's/fsync/fdatasync/; s/^ID: .*/ID: 60001/' tree/events/syscalls/sys_enter_fsync/format \
		>tree/events/syscalls/sys_enter_fdatasync/format
	expect 0 "no pair" "dktrace: tree has no record of syscalls:sys_enter_fdatasync; to record them: dktrace record -e 'syscalls:sys_enter_fdatasync,syscalls:sys_exit_fsync'
dktrace: 1 ended without a recorded beginning" \
		dktrace latency syscalls:sys_enter_fdatasync syscalls:sys_exit_fsync --match common_pid --input tree
}

@test "the slowest system calls have names if their records have only numbers" {
	printf '%s\n' '   dd-7 [000] 1.000001: sys_enter: NR 61 (ffffffff, 7ffe, 0, 0, 0, 0)' \
		'   dd-7 [000] 1.500001: sys_exit: NR 61 = 5' >"$BATS_TEST_TMPDIR/raw.txt"
	run -0 --separate-stderr dktrace latency syscall --input "$BATS_TEST_TMPDIR/raw.txt" --slowest 1
	has "$output" "500 ms wait4
"
	run -0 --separate-stderr dktrace latency syscall --input "$BATS_TEST_TMPDIR/raw.txt" --slowest 1 --json
	same '["wait4","wait4"]' "$(jq -c '[.slowest[0].begin.call, .slowest[0].end.call]' <<<"$output")" calls
}

@test "disks are 254,0 for people and numbers for scripts, with the name behind all others" {
	local text=$top/tests/fixture/text/trace-6.18.txt

	run -3 --separate-stderr dktrace latency block --input "$text" --slowest 0
	has "${lines[1]}" "254,0 "
	run -3 --separate-stderr dktrace latency block --input "$text" --slowest 0 --csv
	has "${lines[1]}" "266338304,"
	same 'group,count,min,p50,p90,p99,p99.9,max,total,group_disk' "${lines[0]}" "the heading"
	run -3 --separate-stderr dktrace latency block --input "$text" --slowest 0 --csv --keys rwbs
	same 'group,count,min,p50,p90,p99,p99.9,max,total' "${lines[0]}" "the heading without disks"
}

# Requests of which the times, in ms, are 8 (a read), 9 (a write of the same sector), 5 (in two parts), 1 (a flush).
requests()
{
	cat <<-'END'
		# tracer: nop
		#
		            a-1     [000] d..2.   100.000000: block_rq_insert: 8,0 FWS 4096 () 8 + 8 none,0,0 [a]
		            a-1     [000] d..2.   100.001000: block_rq_issue: 8,0 WS 4096 () 8 + 8 none,0,0 [a]
		            a-1     [000] d..2.   100.002000: block_rq_issue: 8,0 R 4096 () 8 + 8 none,0,0 [a]
		            a-1     [000] d..2.   100.010000: block_rq_complete: 8,0 R () 8 + 8 none,0,0 [0]
		            a-1     [000] d..2.   100.010000: block_rq_complete: 8,0 FWS () 8 + 8 none,0,0 [0]
		            a-1     [000] d..2.   100.020000: block_rq_issue: 8,0 R 131072 () 1000 + 256 none,0,0 [a]
		            a-1     [000] d..2.   100.021000: block_rq_complete: 8,0 R () 1000 + 128 none,0,0 [0]
		            a-1     [000] d..2.   100.025000: block_rq_complete: 8,0 R () 1128 + 128 none,0,0 [0]
		            a-1     [000] d..2.   100.030000: block_rq_issue: 8,0 FF 0 () 0 + 0 none,0,0 [a]
		            a-1     [000] d..2.   100.031000: block_rq_complete: 8,0 FF () 18446744073709551615 + 0 none,0,0 [0]
		            a-1     [000] d..2.   100.031000: block_rq_complete: 8,0 WS () 0 + 0 none,0,0 [0]
	END
}

# The count, the minimum, the maximum, the sum.
block_times()
{
	run -0 --separate-stderr dktrace latency "$@" --slowest 0 --json
	same '' "$stderr" "what is not paired"
	jq -r .all.count,.all.min,.all.max,.all.total <<<"$output" | xargs
}

# The name, the count, the minimum, the maximum and the sum of a period.
period_times()
{
	dktrace analyze periodstats "$1" --period "$2" --csv 2>/dev/null | awk -F, -v OFS=, '/^all,/ { getline; print $1, $2, $3, $(NF - 1), $NF }'
}

@test "requests to disks are paired by device, sector and operation, and end with their last part" {
	local file=$BATS_TEST_TMPDIR/trace.txt

	requests >"$file"
	same "4 1000000 9000000 23000000" "$(block_times block "$file")" "block"
	same "4 1000000 9000000 23000000" \
		"$(block_times block:block_rq_issue block:block_rq_complete --match block_request "$file")" "--match block_request"
	grep -v 'issue.*\(R\|FF\)' "$file" >"$file.2"
	same "1 1000000 1000000 1000000" "$(block_times block-queue "$file.2")" "block-queue"
	run -0 --separate-stderr dktrace analyze blockstats --json "$file"
	same 4 "$(jq -r '.disks[0] | .reads + .writes' <<<"$output")" "requests of blockstats"
	same "block,4,1000000,9000000,23000000" "$(period_times "$file" block)" "the period block"
	same "block_queue,1,1000000,1000000,1000000" "$(period_times "$file.2" block-queue)" "the period block-queue"
	# A filter decides in addition; another request that begins where the rest of one does ends it.
	same "x,1,5000000,5000000,5000000" "$(period_times "$file" "x: begin block:block_rq_issue[nr_sector == 256];
		end block:block_rq_complete[nr_sector <= \$begin.nr_sector]; match block_request")" "a filter"
	sed '/1000 + 256/{p; s/100.020000/100.020500/; s/1000 + 256/1128 + 128/}' "$file" >"$file.3"
	same "block,4,1000000,9000000,23000000" "$(period_times "$file.3" block)" "one in the place of the rest"
}

@test "block_request takes no other field, and events that have its fields" {
	local file=$BATS_TEST_TMPDIR/trace.txt

	requests >"$file"
	expect 1 '' "dktrace: key: block_request is a whole key, which takes no other field
  dev,block_request
  ^" dktrace latency block "$file" --match dev,block_request
	printf '%s\n' '   dd-7 [000] 1.000001: sys_enter: NR 61 (ffffffff, 7ffe, 0, 0, 0, 0)' \
		'   dd-7 [000] 1.500001: sys_exit: NR 61 = 5' >"$file"
	expect 1 '' "dktrace: raw_syscalls:sys_enter has no field 'dev', which a block_request needs" \
		dktrace latency raw_syscalls:sys_enter raw_syscalls:sys_exit "$file" --match block_request
}

@test "wakeup is measured from sched_waking, of files without it from sched_wakeup" {
	local file=$BATS_TEST_TMPDIR/trace.txt

	cat >"$file" <<-'END'
		# tracer: nop
		#
		            a-1     [000] d..2.   100.000000: sched_waking: comm=b pid=2 prio=120 target_cpu=001
		       <idle>-0     [001] d..2.   100.000300: sched_wakeup: comm=b pid=2 prio=120 target_cpu=001
		       <idle>-0     [001] d..2.   100.001000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=120
		            b-2     [001] d..2.   100.002000: sched_wakeup_new: comm=c pid=3 prio=120 target_cpu=001
		            b-2     [001] d..2.   100.002500: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=c next_pid=3 next_prio=120
	END
	run -0 --separate-stderr dktrace latency wakeup "$file" --json
	same "2 1500000" "$(jq -r .all.count,.all.total <<<"$output" | xargs)" "with both"
	grep -v sched_waking "$file" >"$file.2"
	run -0 --separate-stderr dktrace latency wakeup "$file.2" --json
	same "2 1200000" "$(jq -r .all.count,.all.total <<<"$output" | xargs)" "without sched_waking"
}

@test "fsync of a file that has all system calls is measured by their numbers" {
	local file=$BATS_TEST_TMPDIR/trace.txt

	cat >"$file" <<-'END'
		# tracer: nop
		#
		            a-1     [000] .....   100.000000: sys_enter: NR 0 (3, 7ff0, 10, 0, 0, 0)
		            a-1     [000] .....   100.000500: sys_exit: NR 0 = 16
		            a-1     [000] .....   100.001000: sys_enter: NR 74 (3, 0, 0, 0, 0, 0)
		            a-1     [000] .....   100.003000: sys_exit: NR 74 = 0
		            b-2     [000] .....   100.004000: sys_enter: NR 75 (3, 0, 0, 0, 0, 0)
		            b-2     [000] .....   100.005000: sys_exit: NR 75 = 0
	END
	run -0 --separate-stderr dktrace latency fsync "$file" --csv
	same "fdatasync,1,1000000 fsync,1,2000000" "$(tail -n +2 <<<"$output" | cut -d, -f1-3 | sort | xargs)" "groups"
	run -0 --separate-stderr dktrace latency fsync "$file" --csv --filter 'COMM == a'
	same "fsync,1,2000000" "$(tail -n +2 <<<"$output" | cut -d, -f1-3 | sort | xargs)" "of one program"
}
