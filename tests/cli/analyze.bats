#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# analyze and lami: the tables of small traces whose answers are known.
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

# A line of CSV that begins so, of the first table or another one.
# usage: row BEGINNING
row()
{
	grep "^$1" <<<"$output" || echo "no row $1"
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

@test "cputop counts the time before the first and after the last switch" {
	{
		switch 1.000000 1 S 2
		switch 1.000000 0 R 9 1
		switch 1.000300 2 S 0
		switch 1.000400 0 R 1
		wakeup 1.001000 1 2
	} >trace.txt
	run -0 analyze cputop trace.txt --csv
	same 'p9,9,1.0,1000000,1,,120' "$(row p9)" "on CPU 1"
	same 'p1,1,0.59999999999999998,600000,1,,120' "$(row p1)" "until the last record"
	same 'p2,2,0.29999999999999999,300000,1,,120' "$(row p2)" "between two switches"
	same '0,0.90000000000000002,900000,100000,0,3' "$(row 0,)" "CPU 0"
	same '0.94999999999999996,2,1000000' "${lines[-1]}" total
}

@test "cputop counts no time in which records are lost" {
	{
		switch 1.000000 0 R 2
		wakeup 1.000100 2 9
		echo 'CPU:0 [LOST 5 EVENTS]'
		switch 1.000500 3 S 2
		switch 1.000900 2 S 0
		switch 1.001000 0 R 3
	} >trace.txt
	run -3 --separate-stderr analyze cputop trace.txt --csv
	same 'p2,2,0.5,500000,2,,120' "$(row p2)" "what is known"
	same '0,0.5,500000,100000,400000,4' "$(row 0,)" "what is not"
	has "$stderr" 'lost'
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
}

@test "schedlog takes the first wakeup, and none of a process that runs" {
	{
		switch 1.000000 0 R 1
		wakeup 1.000050 2 1 1
		wakeup 1.000100 1 2
		wakeup 1.000200 1 2
		switch 1.000300 1 S 2
		switch 1.000400 2 S 1
	} >trace.txt
	run -0 --separate-stderr analyze schedlog trace.txt --csv
	same 2 "${#lines[@]}" lines
	same '1000100000,1000300000,200000,p2,2,0,120,p1,1' "${lines[1]}" "the wait"
	run -0 analyze schedlog trace.txt --json
	same '{"begin":1000100000,"end":1000300000,"duration":200000,"process":"p2","pid":2,"cpu":0,"prio":120,"waker":"p1","waker_pid":1}' \
		"$output" "a line of JSON"
}

@test "offcpustats divides the time until the wakeup from that until the process runs" {
	{
		switch 1.000000 1 S 2
		wakeup 1.000100 2 1
		switch 1.000300 2 R 1
		switch 1.000350 1 D 2
		switch 1.000400 2 S 0
		switch 1.001000 0 R 1
	} >trace.txt
	run -0 --separate-stderr analyze offcpustats trace.txt --csv
	same 'p1,1,sleeping,1,100000' "$(row p1,1,sl | cut -d, -f1-5)" "until the wakeup"
	same 'p1,1,waiting for a CPU,1,200000' "$(row p1,1,wa | cut -d, -f1-5)" "until it runs"
	same 'p1,1,uninterruptible,1,650000' "$(row p1,1,un | cut -d, -f1-5)" "no wakeup"
	same 'p2,2,preempted,1,50000' "$(row p2 | cut -d, -f1-5)" preempted
}

@test "a PID that is used again is another process" {
	{
		switch 1.000000 0 R 5
		switch 1.000100 5 Z 0
		switch 1.000200 0 R 5
		switch 1.000500 5 S 0
	} >trace.txt
	run -0 analyze cputop trace.txt --csv
	same $'p5,5,0.59999999999999998,300000,1,,120\np5,5,0.20000000000000001,100000,1,,120' "$(row p5)" "two processes"
	# It was never off the CPU: it is another process.
	run -0 --separate-stderr analyze offcpulog trace.txt
	has "$stderr" 'nothing to show'
}

@test "irqstats pairs handlers on their CPU, and softirqs with the raise before" {
	{
		event 1.000000 0 irq_handler_entry 'irq=9 name=eth0'
		event 1.000001 1 irq_handler_entry 'irq=9 name=eth0'
		event 1.000002 0 softirq_raise 'vec=3 [action=NET_RX]'
		event 1.000003 0 softirq_raise 'vec=3 [action=NET_RX]'
		event 1.000005 0 irq_handler_exit 'irq=9 ret=handled'
		event 1.000010 0 softirq_entry 'vec=3 [action=NET_RX]'
		event 1.000011 1 irq_handler_exit 'irq=9 ret=handled'
		event 1.000015 0 softirq_raise 'vec=3 [action=NET_RX]'
		event 1.000030 0 softirq_exit 'vec=3 [action=NET_RX]'
		event 1.000031 0 softirq_entry 'vec=3 [action=NET_RX]'
		event 1.000032 0 softirq_exit 'vec=3 [action=NET_RX]'
	} >trace.txt
	run -0 analyze irqstats trace.txt --csv
	same 'eth0,9,2,5000,7500' "$(row eth0 | cut -d, -f1-5)" "interrupts"
	same $'NET_RX,3,2,1000,10500\nNET_RX,3,2,8000,12000' "$(row NET | cut -d, -f1-5)" "softirqs and raises"
	run -0 analyze irqstats trace.txt --csv --group-by cpu
	same '1,1,10000' "$(row 1, | head -n 1 | cut -d, -f1-3)" "by CPU"
}

@test "blockstats has the queue, the device, its depth and its errors" {
	{
		event 1.000000 0 block_rq_insert '8,0 R 4096 () 100 + 8 none,0,0 [p7]'
		event 1.000010 0 block_rq_issue '8,0 R 4096 () 100 + 8 none,0,0 [p7]'
		event 1.000020 1 block_rq_issue '8,0 W 8192 () 200 + 16 none,0,0 [p7]'
		event 1.000110 1 block_rq_complete '8,0 R () 100 + 8 none,0,0 [0]'
		event 1.000220 1 block_rq_complete '8,0 W () 200 + 16 none,0,0 [-5]'
		event 1.000230 1 block_rq_complete '8,0 W () 300 + 16 none,0,0 [0]'
	} >trace.txt
	run -0 --separate-stderr analyze blockstats trace.txt --json
	same '{"disk":"8,0","reads":1,"writes":1,"errors":1,"bytes":12288,"max_depth":2}' \
		"$(jq -c '.disks[0] | del(.busy, .mean_depth)' <<<"$output")" "the disk"
	same '1.4285714285714286 0.9130434782608695' "$(jq -r '.disks[0] | "\(.mean_depth) \(.busy)"' <<<"$output")" "depth and use"
	same '10000' "$(jq -r '.queue[0].total' <<<"$output")" "in the queue"
	same '100000 200000' "$(jq -r '[.device[] | .total] | sort | join(" ")' <<<"$output")" "in the device"
	same 1 "$(jq -r .unmatched_ends <<<"$output")" "a request without an issue"
	has "$stderr" ''
}

# A system call of PID from TIME to TIME.
# usage: call PID BEGIN END NUMBER RESULT ARGUMENTS
call()
{
	printf '%16s-%-6d [000] d..2. %s: sys_enter: NR %d (%s)\n' "p$1" "$1" "$2" "$4" "$6"
	printf '%16s-%-6d [000] d..2. %s: sys_exit: NR %d = %d\n' "p$1" "$1" "$3" "$4" "$5"
}

@test "iousagetop and iolatencystats know what a descriptor is" {
	uname -m | grep -q x86_64 || skip "the numbers of system calls are those of x86_64"
	{
		call 1 1.000000 1.000010 257 3 'ffffff9c, 7ffe, 0, 0, 0, 0'
		call 1 1.000020 1.000050 0 100 '3, 7ffe, 1000, 0, 0, 0'
		call 1 1.000060 1.000070 41 4 '2, 1, 0, 0, 0, 0'
		call 1 1.000080 1.000090 1 7 '4, 7ffe, 7, 0, 0, 0'
		call 1 1.000100 1.000110 1 5 '1, 7ffe, 5, 0, 0, 0'
		call 1 1.000120 1.000130 3 0 '3, 0, 0, 0, 0, 0'
		call 1 1.000140 1.000150 0 9 '3, 7ffe, 9, 0, 0, 0'
		call 1 1.000160 1.000170 0 -9 '8, 7ffe, 9, 0, 0, 0'
		call 1 1.000200 1.000300 74 0 '3, 0, 0, 0, 0, 0'
	} >trace.txt
	run -0 analyze iousagetop trace.txt --csv
	same 'p1,1,109,12,100,0,0,7,9,5' "$(row p1)" "bytes"
	run -0 analyze iolatencystats trace.txt --csv
	same 'open,2,10000,10000 read,3,10000,16666 sync,1,100000,100000 write,2,10000,10000' \
		"$(head -n 5 <<<"$output" | tail -n +2 | cut -d, -f1-4 | sort | paste -sd ' ')" "latencies"
	run -0 analyze iolog trace.txt --csv
	same 8 $((${#lines[@]} - 1)) "calls, without close"
	same '1000020000,1000050000,30000,read,p1,1,read,3,100' "${lines[2]}" "a call"
	run -0 analyze syscallstats trace.txt --csv --group-by syscall
	same 'read,3' "$(row read | cut -d, -f1,2)" "system calls"
}

@test "pagecache counts pages by process" {
	{
		event 1.000000 0 mm_filemap_add_to_page_cache 'dev 8:0 ino 5 pfn=0x10 ofs=0 order=2'
		event 1.000010 0 mm_filemap_delete_from_page_cache 'dev 8:0 ino 5 pfn=0x10 ofs=0 order=1'
		event 1.000020 0 writeback_dirty_folio 'bdi 8:0: ino=5 index=1'
		event 1.000030 0 mm_page_free 'page=00000000f4a5d3c1 pfn=0x1 order=3'
	} >trace.txt
	run -0 analyze pagecache trace.txt --csv
	same 'p7,7,4,2,1' "$(row p7)" "pages"
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

@test "--top, --sort and --group-by choose rows" {
	"$top/tests/tools/gen-sched" 2 500 >trace.txt
	run -0 analyze cputop trace.txt --top 2
	has "$output" '(8 more rows)'
	run -0 analyze cputop trace.txt --csv --sort runs.descending --top 1
	same "$(analyze cputop trace.txt --csv | awk -F, '/^$/ { exit } NR > 1 && $5 > max { max = $5 } END { print max }')" \
		"$(cut -d, -f5 <<<"${lines[1]}")" "most runs"
	run -0 analyze schedstats trace.txt --csv --group-by cpu,prio
	same 'cpu,prio,count' "$(cut -d, -f1-3 <<<"${lines[0]}")" groups
	run -0 analyze schedtop trace.txt --csv --top 3
	same 4 "${#lines[@]}" lines
	expect 1 '' "dktrace: --group-by: 'cpux' is not a column; the columns are process, cpu, prio, waker; did you mean cpu?" \
		analyze schedstats trace.txt --group-by cpux
	expect 1 '' "dktrace: --group-by: give one or two columns" analyze schedstats trace.txt --group-by cpu,prio,process
	expect 1 '' "dktrace: --sort: 'x' is not a column" analyze schedstats trace.txt --sort x
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
	same $'a.txt,1000000000,1000400000,400000,p1,1,sleeping\nb.txt,1001000000,1001100000,100000,p1,1,sleeping\nb.txt,1001100000,1001200000,100000,p2,2,sleeping' \
		"$(tail -n +2 <<<"$output")" "a log"
	event 1.000000 0 irq_handler_entry 'irq=9 name=eth0' >c.txt
	expect 1 '' 'dktrace: --pid: irqstats has no rows of processes' analyze irqstats c.txt --pid 2
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
	expect 2 '' "dktrace: --pid: 'x' is not a list of numbers such as 0-3,5" analyze cputop trace.txt --pid x
}

@test "analyze lists the analyses, and the manual describes each" {
	run -0 analyze --csv
	at_least 20 "${#lines[@]}" analyses
	local name
	for name in $(tail -n +2 <<<"$output" | cut -d, -f1); do
		has "$(man -l "$top/man/dktrace-analyze.1" 2>/dev/null || cat "$top/man/dktrace-analyze.1")" "$name"
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
	for name in cputop schedtop offcpufreq irqlog blockstats; do
		expect 0 1.0 '' lami "$name" --mi-version
		run -0 lami "$name" --metadata
		echo "$output" >metadata
		expect 0 '' '' lami "$name" --test-compatibility trace.txt
		run -0 --separate-stderr lami "$name" --limit=5 --output-progress trace.txt
		same '0 reading trace.txt' "${lines[0]}" "progress of $name"
		tail -n 1 <<<"$output" >results
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
