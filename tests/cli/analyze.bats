#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# analyze and lami: their options, messages and forms; unit/test_analyze.c has their answers.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# Reads a text with the formats of the fixture.
analyze()
{
	dktrace --root "$top/tests/fixture/analyze" analyze "$@"
}

lami()
{
	dktrace --root "$top/tests/fixture/analyze" lami "$@"
}

# Prints a record of a switch on CPU 0 or another one.
# usage: switch TIME PREV STATE NEXT [CPU]
switch()
{
	printf '%16s-%-6d [%03d] d..2. %s: sched_switch: prev_comm=p%d prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=p%d next_pid=%d next_prio=120\n' \
		"p$2" "$2" "${5:-0}" "$1" "$2" "$2" "$3" "$4" "$4"
}

# usage: wakeup TIME WAKER PID [CPU]
wakeup()
{
	printf '%16s-%-6d [%03d] d..2. %s: sched_wakeup: comm=p%d pid=%d prio=120 target_cpu=000\n' \
		"p$2" "$2" "${4:-0}" "$1" "$3" "$3"
}

# usage: event TIME CPU NAME TEXT
event()
{
	printf '%16s-%-6d [%03d] d..2. %s: %s: %s\n' p7 7 "$2" "$1" "$3" "$4"
}

@test "cputop and schedstats of a generated trace have the times that the generator knows" {
	"$top/tests/tools/gen-sched" 4 3000 >trace.txt
	"$top/tests/tools/gen-sched" 4 3000 facts | sort >facts
	{
		analyze cputop trace.txt --csv | awk -F, '/^$/ { exit } NR > 1 { print $2, $4 }'
		analyze schedstats trace.txt --csv 2>notes |
			awk -F, '/^$/ { exit } NR > 1 { print "wait", $2, $3, $11 }'
	} | sort >have
	at_least 30 "$(wc -l <facts)" facts
	run -0 diff facts have
	# The waits of the log are those of the statistics; those of the histogram, too.
	analyze schedlog trace.txt --csv 2>notes | awk -F, 'NR > 1 { n[$5]++; sum[$5] += $3 } END { for (pid in n) print "wait", pid, n[pid], sum[pid] }' | sort >have
	run -0 diff <(grep wait facts) have
	same "$(awk '/wait/ { n += $3 } END { print n }' facts)" \
		"$(analyze schedfreq trace.txt --csv 2>notes | awk -F, 'NR > 1 { n += $3 } END { print n }')" "waits"
}

@test "no interval crosses a loss, and standard error counts what is left out" {
	{
		wakeup 1.000000 7 1
		switch 1.000010 0 R 1
		wakeup 1.000100 1 2
		switch 1.000150 1 S 3
		echo 'CPU:1 [LOST 2 EVENTS]'
		switch 1.000400 0 R 4 1
		switch 1.000500 3 S 2
		wakeup 1.000600 2 5
		switch 1.000700 2 S 5
	} >trace.txt
	run -3 --separate-stderr analyze schedlog trace.txt --csv
	same 2 "${#lines[@]}" "the heading and one wait"
	same 'p5,5' "$(cut -d, -f4,5 <<<"${lines[1]}")" "after the loss"
	has "$stderr" 'dktrace: intervals left out: 2 because records were lost'
	run -3 --separate-stderr analyze schedlog trace.txt --json
	same '{"begin":1000600000,"end":1000700000,"duration":100000,"process":"p5","pid":5,"cpu":0,"prio":120,"waker":"p2","waker_pid":2}' \
		"$output" "a line of JSON"
}

@test "cputop and schedstats have the numbers of lttng-analyses" {
	command -v lttng-cputop-mi >/dev/null || skip "needs python3-lttnganalyses"
	"$top/tests/tools/gen-sched" 3 400 >trace.txt
	mkdir ctf
	dktrace --root "$top/tests/fixture/analyze" convert trace.txt ctf/kernel --format ctf-lttng
	lttng-cputop-mi --no-intersection --skip-validation --limit 100 ctf |
		jq -r '.results[] | select(.class == "per-process").data[] | select(.[0].tid != 0) |
			"\(.[0].tid) \(.[3].value)"' | sort >theirs
	analyze cputop trace.txt --csv | awk -F, '/^$/ { exit } NR > 1 { print $2, $3 }' | sort >ours
	at_least 10 "$(wc -l <theirs)" processes
	same '' "$(join -a 1 -a 2 theirs ours | awk 'NF != 3 || ($2 - $3) ^ 2 > 1e-20')" differences
	lttng-schedstats-mi --no-intersection --skip-validation ctf |
		jq -r '.results[] | select(.class == "per_tid_stats").data[] |
			"\(.[0].tid) \(.[1].value) \(.[2].value) \(.[4].value)"' | sort >theirs
	analyze schedstats trace.txt --csv 2>notes |
		awk -F, '/^$/ { exit } NR > 1 { print $2, $3, $4, $10 }' | sort >ours
	run -0 diff theirs ours
}

@test "--top, --sort and --keys choose rows" {
	"$top/tests/tools/gen-sched" 2 500 >trace.txt
	run -0 analyze cputop trace.txt --top 2
	has "$output" '(8 more rows)'
	run -0 analyze cputop trace.txt --csv --sort runs.descending --top 1
	same "$(analyze cputop trace.txt --csv | awk -F, '/^$/ { exit } NR > 1 && $5 > max { max = $5 } END { print max }')" \
		"$(cut -d, -f5 <<<"${lines[1]}")" "most runs"
	run -0 analyze schedstats trace.txt --csv --keys cpu,prio
	same 'cpu,prio,count' "$(cut -d, -f1-3 <<<"${lines[0]}")" groups
	run -0 analyze schedtop trace.txt --csv --top 3
	same 4 "${#lines[@]}" lines
	# It counts as the rows of the log that are within the limits.
	analyze schedlog trace.txt --csv 2>/dev/null >log
	run -0 analyze schedlog trace.txt --csv --took '>=0.02,<200us'
	same "$(awk -F, 'NR > 1 && $3 >= 20000 && $3 < 200000' log)" "$(tail -n +2 <<<"$output")" durations
	within 1 "$((${#lines[@]} - 1))" "$(($(wc -l <log) - 2))" "chosen intervals"
	expect 2 '' "dktrace: --took: cputop has no intervals" analyze cputop trace.txt --took 1ms
	expect 2 '' "dktrace: --keys: 'cpux' is not a column; the columns are process, cpu, prio, waker; did you mean cpu?" \
		analyze schedstats trace.txt --keys cpux
	expect 2 '' "dktrace: --keys: give one or two columns" analyze schedstats trace.txt --keys cpu,prio,process
	expect 2 '' "dktrace: --sort: 'x' is not a column; the columns are process, count, min, mean, p50, p90, p99, p99.9, max, total, all" \
		analyze schedstats trace.txt --sort x
}

# Prints the headings of the first table, and the width of the widest line. usage: on_terminal COLUMNS
on_terminal()
{
	script -qec "stty cols $1; dktrace analyze syscallstats --top 2 '$capture' 2>/dev/null" /dev/null </dev/null |
		tr -d '\r' | awk 'NR == 2 { print } length > n { n = length } END { print n }'
}

@test "a table fits a terminal of 80 columns without some percentiles" {
	command -v script >/dev/null || skip "no script(1) to make a terminal"
	run -0 on_terminal 80
	lacks "${lines[0]}" 'P99.9'
	within 70 "${lines[1]}" 80 columns
	run -0 on_terminal 100
	has "${lines[0]}" 'P90    P99  P99.9    MAX'
	within 81 "${lines[1]}" 100 columns
}

@test "a text whose times begin again is told to be of several boots" {
	{
		switch 500.000000 1 S 2
		switch 500.000400 2 S 1
		switch 1.000000 1 S 2
	} >a.txt
	run -0 --separate-stderr analyze cputop a.txt
	has "$stderr" 'a.txt: times begin again, as after a boot; its records are sorted by time all the same, so split the file there'
}

@test "files of different machines have rows of their own, and processes can be chosen" {
	{
		switch 1.000000 1 S 2
		switch 1.000400 2 S 1
	} >a.txt
	{
		switch 1.000000 1 S 2
		switch 1.000100 2 S 1
		switch 1.000200 1 S 2
	} >b.txt
	run -0 --separate-stderr analyze cputop a.txt b.txt --offset b.txt=1ms --csv --pid 2 --comm 'p[12]'
	same $'a.txt,p2,2,1.0,400000,1,,120\nb.txt,p2,2,0.5,100000,2,,120' "$(grep p2 <<<"$output")" "processes"
	same '' "$(grep p1 <<<"$output")" "the other one"
	same $'a.txt,0,1.0,400000,0,0,2\nb.txt,0,1.0,200000,0,0,3' "$(grep '^[ab].txt,0' <<<"$output")" "CPUs"
	run -0 --separate-stderr analyze offcpulog a.txt b.txt --offset b.txt=1ms --csv
	same $'a.txt,1000000000,1000400000,400000,p1,1,sleeping,\nb.txt,1001000000,1001100000,100000,p1,1,sleeping,\nb.txt,1001100000,1001200000,100000,p2,2,sleeping,' \
		"$(tail -n +2 <<<"$output")" "a log"
	event 1.000000 0 irq_handler_entry 'irq=9 name=eth0' >c.txt
	expect 2 '' 'dktrace: --pid: irqstats has no rows of processes' analyze irqstats c.txt --pid 2
}

@test "analyze says what is missing" {
	switch 1.000000 0 R 1 >trace.txt
	expect 1 '' "dktrace: schedlog: trace.txt has no event sched:sched_waking or sched:sched_wakeup; to record what it needs: dktrace record -e sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new" \
		analyze schedlog trace.txt
	expect 1 '' "dktrace: memtop: $top/tests/fixture/tracedat/v6.dat has no event kmem:mm_page_alloc; to record what it needs: dktrace record -e kmem:mm_page_alloc,kmem:mm_page_free" \
		dktrace analyze memtop "$top/tests/fixture/tracedat/v6.dat"
	expect 2 '' "dktrace: analyze: unknown analysis 'cputpo'; 'dktrace analyze' lists them; did you mean cputop?" \
		analyze cputpo trace.txt
	expect 2 '' "dktrace: analyze: cannot combine a file with a command; give one of them" analyze cputop trace.txt -- true
	local v6=$top/tests/fixture/tracedat/v6.dat
	run -1 --separate-stderr dktrace analyze memtop "$v6" "$v6"
	has "$stderr" 'dktrace: memtop: the files have no event kmem:mm_page_alloc; to record'
	expect 2 '' "dktrace: --pid: 'x' is not a list of processes such as 1234,1235" analyze cputop trace.txt --pid x
}

@test "analyze lists the analyses, and the manual describes each" {
	run -0 analyze --csv
	at_least 20 "${#lines[@]}" analyses
	local name manual
	manual=$(cat "$top/man/dktrace-analyze.1")
	for name in $(tail -n +2 <<<"$output" | cut -d, -f1); do
		has "$manual" "$name"
	done
}

@test "names from a trace cannot drive a terminal" {
	switch 1.000000 0 R 1 | sed 's/p1 /\x1b[2J /' >trace.txt
	switch 1.000100 1 S 0 | sed 's/p1 /\x1b[2J /' >>trace.txt
	run -0 analyze cputop trace.txt
	has "$output" '\x1b[2J'
	lacks "$output" $'\x1b'
	run -0 analyze cpulog trace.txt --json
	lacks "$output" $'\x1b'
}

@test "lami follows its specification in all phases, for every analysis" {
	local name
	"$top/tests/tools/gen-sched" 2 200 >trace.txt
	{
		event 1.000000 0 irq_handler_entry 'irq=9 name=eth0'
		event 1.000005 0 irq_handler_exit 'irq=9 ret=handled'
		event 1.000010 0 softirq_entry 'vec=3 [action=NET_RX]'
		event 1.000030 0 softirq_exit 'vec=3 [action=NET_RX]'
		event 1.000031 0 block_rq_issue '8,0 R 4096 () 100 + 8 none,0,0 [p7]'
		event 1.000032 1 block_rq_complete '8,0 R () 100 + 8 none,0,0 [0]'
	} >>trace.txt
	expect 0 1.0 '' lami cputop --mi-version
	expect 0 '' '' lami blockstats --test-compatibility trace.txt
	# One analysis of each view; the only table of schedlog prints while the file is read.
	for name in cputop schedlog schedtop offcpufreq irqlog blockstats; do
		lami "$name" --metadata >metadata
		lami "$name" --limit=5 --output-progress trace.txt 2>/dev/null >output
		same '0 reading trace.txt' "$(head -n 1 output)" "progress of $name"
		tail -n 1 output >results
		run -0 "$top/tests/tools/check-lami" metadata results
		within 1 "$(jq '[.results[].data | length] | max' results)" 5 "rows of $name"
	done
	run -0 --separate-stderr lami schedlog --begin=1001000000 --end=1002000000 trace.txt
	same 'true' "$(jq '[.results[].data[][0].value] | min >= 1001000000 and max <= 1002000000' <<<"$output")" "the window"
}

@test "lami prints an error object, and the checker finds faults" {
	switch 1.000000 0 R 1 >trace.txt
	run -1 --separate-stderr lami schedlog trace.txt
	has "$(jq -r '.["error-message"]' <<<"$output")" 'trace.txt has no event'
	run -2 --separate-stderr lami cputop trace.txt --begin=x
	has "$stderr" "--begin: 'x' is not a number of nanoseconds"
	lami cputop --metadata >metadata
	lami cputop trace.txt 2>/dev/null | jq '.results[0].data[0][0].class = "cpu"' >results
	run -1 "$top/tests/tools/check-lami" metadata results
	has "$output" 'cpu for process'
}
