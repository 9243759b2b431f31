#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Texts of trace, trace_pipe and trace-cmd report as recordings.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

file=$top/tests/fixture/text/trace-6.18.txt

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
}

# Formats of the capture, not of the kernel that runs.
text()
{
	command dktrace "$1" -R "$capture" "${@:2}"
}

@test "records of a text have the fields of their events" {
	run -3 --separate-stderr text report --style json -e block:block_rq_issue "$file"
	same 12 "$(grep -c '"fields"' <<<"$output")" lines
	same '{"dev":266338304,"sector":40412672,"nr_sector":376,"bytes":192512,"ioprio":16388,"ioprio_str":"be","rwbs":"W","comm":"cc1","cmd":""}' \
		"$(jq -c .fields <<<"${lines[0]}")" fields
	same '[4459564464000,0,27925,"cc1"]' "$(jq -c '[.ts,.cpu,.pid,.comm]' <<<"${lines[0]}")" head
	run -3 --separate-stderr text report --style json -e syscalls:sys_exit_openat "$file"
	same '[257,3]' "$(jq -c '[.fields.__syscall_nr,.fields.ret]' <<<"${lines[0]}" | sed 's/\[[0-9]*,/[257,/')" "of a system call"
	run -3 --separate-stderr text latency syscall --input "$file" --csv
	has "$output" "openat,6,"
	run -3 --separate-stderr text hist --input "$file" block:block_rq_issue --keys comm --csv
	has "$output" "cc1,"
	run -3 --separate-stderr text report --filter 'bytes > 100000' "$file"
	same 1 "$(grep -c block_rq_issue <<<"$output")" "records of a filter"
}

@test "system calls of kernel 7.3 have their numbers, which it prints as words, in decimal and with 0x" {
	local calls=$top/tests/fixture/text/calls-7.3.txt

	run -0 --separate-stderr dktrace report -e 'syscalls:sys_enter_*' "$calls"
	same "" "$stderr" "every line has its fields"
	has "${lines[0]}" "dfd: 0xffffff9c, filename: 0x005ef658"
	has "${lines[1]}" "fd: 0x0000000a, buf: 0x005fbef0, count: 0x00000002"
	run -0 --separate-stderr dktrace latency syscall --input "$calls" --csv
	has "$output" "openat,2,"
}

# As trace-cmd report prints it.
record_of()
{
	printf '              dd-7     [000]     1.000001: %s\n' "$1"
}

@test "fields of common events come from the texts of all kernels and of trace-cmd" {
	local line

	while IFS= read -r line; do
		record_of "$line" >one.txt
		run -0 --separate-stderr dktrace report --style json one.txt
		lacks "$output" '"msg"'
		lacks "$output" '"fields":{}'
		same "" "$stderr" "words about: $line"
	done <"$top/tests/fixture/text/known.txt"
}

@test "the states of a text are those of the kernel whose letters it has" {
	state()
	{
		record_of "$1" >state.txt
		run -0 --separate-stderr dktrace report --style json state.txt
		same "$2" "$(jq .fields.prev_state <<<"$output")" "state of $1"
	}
	state 'sched_switch: prev_comm=dd prev_pid=7 prev_prio=120 prev_state=X|I ==> next_comm=a next_pid=1 next_prio=120' 144
	state 'sched_switch: prev_comm=dd prev_pid=7 prev_prio=120 prev_state=X|K ==> next_comm=a next_pid=1 next_prio=120' 160
	state 'sched_switch: prev_comm=dd prev_pid=7 prev_prio=120 prev_state=x|P ==> next_comm=a next_pid=1 next_prio=120' 576
	state 'sched_switch: dd:7 [120] X|I ==> a:1 [120]' 144
	state 'sched_switch: dd:7 [120] X|x ==> a:1 [120]' 96
}

@test "the texts of all options of trace-cmd report give the same answers" {
	local options

	command -v trace-cmd >/dev/null || skip "no trace-cmd"
	dktrace hist --input "$top/tests/fixture/tracedat/v7-zstd.dat" sched:sched_switch --keys next_pid --csv >wanted
	for options in "" -l -t -N --ts-diff "-l --ts-diff"; do
		{
			printf 'version = 6\n'
			printf 'CPU %d is empty\n' {2..63}
			# shellcheck disable=SC2086 # words
			trace-cmd report $options "$top/tests/fixture/tracedat/v7-zstd.dat" 2>/dev/null
		} >report.txt
		run -0 --separate-stderr dktrace hist --input report.txt sched:sched_switch --keys next_pid --csv
		diff wanted - <<<"$output"
	done
}

@test "records of a known event whose text is unknown are counted and change the exit status" {
	{
		record_of 'sched_switch: dd:7 [120] S ==> a:1 [120]'
		record_of 'sched_switch: dd:7 [120] Q ==> a:1 [120]'
		record_of 'irq_handler_exit: irq=11 ret=perhaps'
	} >odd.txt
	run -1 --separate-stderr dktrace hist --input odd.txt sched:sched_switch --keys next_pid --csv
	has "$output" "1,1"
	has "$stderr" "odd.txt: 2 records have no fields, because their text is unknown: sched_switch 1, irq_handler_exit 1"
	run -1 --separate-stderr dktrace analyze cputop odd.txt
	has "$stderr" "odd.txt: 2 records have no fields"
}

@test "losses and invalid lines of a text are counted" {
	run -3 --separate-stderr text report "$file"
	has "$output" "CPU:1 [17 EVENTS DROPPED]"
	has "$stderr" "17 of 94 records were lost (cpu 1: 17)"
	{
		cat "$file"
		echo 'this is no line of a trace'
	} >more.txt
	run -1 --separate-stderr text report more.txt
	has "$stderr" "dktrace: more.txt: 1 place has"
	{
		echo '# entries-in-buffer/entries-written: 1/26   #P:2'
		echo '            dd-7       [000] .....     1.000001: nobody_knows: a=1'
	} >over.txt
	run -3 --separate-stderr text report over.txt
	has "$stderr" "25 of 26 records were lost"
}

@test "a line of an unknown event is a record with its text" {
	echo '            dd-7       [000] d..2.     1.000001: nobody_knows: a-1 b' >one.txt
	expect 0 '              dd-7     [000]     1.000001: nobody_knows:         a-1 b' "" text report one.txt
	run -0 text report --style json one.txt
	same '["text","nobody_knows",{"msg":"a-1 b"},"d..2"]' \
		"$(jq -c '[.system,.event,.fields,.flags]' <<<"$output")" record
	run -0 text info one.txt
	has "$output" "unused    1 records have no fields, because their text names none: nobody_knows 1"
}

# usage: fields_are FIELDS LINE...
fields_are()
{
	local wanted=$1

	shift
	for line; do
		record_of "$line"
	done >derived.txt
	run -0 --separate-stderr dktrace report --style json derived.txt
	# jq rounds large numbers.
	same "$wanted" "$(sed -E 's/.*"fields":\{"msg":"([^"\\]|\\.)*",?/{/; s/\}\}$/}/' <<<"${lines[0]}")" "fields of $1"
	same "" "$stderr" "words about $1"
	# The text stays what it is.
	for line; do
		has "$(dktrace report derived.txt)" " ${line#*: }"
	done
}

@test "an unknown event has the fields that its text names" {
	fields_are '{"dev":"254,0","ino":10954021,"ret":-5}' 'ext4_sync_file_exit: dev 254,0 ino 10954021 ret -5'
	fields_are '{"timer":18446683600570547704,"function":"process_timeout","expires":4298133564,"timeout":1,"cpu":0,"flags":""}' \
		'timer_start: timer=0xffffc9000007fdf8 function=process_timeout expires=4298133564 [timeout=1] cpu=0 flags='
	fields_are '{"skbaddr":18446612686463887104,"len":60}' 'net_dev: skbaddr=ffff888105e4e700, len=60;'
	fields_are '{"count":4000,"name":"a b","call":"f(x)","mode":"0644"}' \
		'vfs_read: (ffffffffafc45484) count=4000 name="a b" {call=f(x)} mode=0644'
	fields_are '{"comm":"tmux: server","pid":3}' 'woken: comm=tmux: server pid=3'
	fields_are '{"xid":4660,"opcnt":3}' 'nfsd_compound: xid=0x00001234 opcnt=3'
	fields_are '{}' 'odd: a==1 b != 2 =3 c <= d'
}

@test "the values of all lines of an unknown event give the type of a field" {
	# A number is one in all lines, and only what all lines have is a number.
	fields_are '{"a":"1","b":2,"c":"3"}' 'odd: a=1 b=2 c=3' 'odd: a=x b=-2'
	fields_are '{"a":"-1"}' 'odd: a=-1' 'odd: a=18446744073709551615'
	fields_are '{"a":18446744073709551615}' 'odd: a=18446744073709551615' 'odd: a=1'
}

@test "the fields of unknown events can be asked for" {
	{
		record_of 'ext4_sync_file_exit: dev 254,0 ino 10954021 ret 0'
		record_of 'ext4_sync_file_exit: dev 254,0 ino 10954021 ret -5'
		record_of 'ext4_sync_file_exit: dev 254,0 ino 12 ret 0'
		record_of 'odd: nothing'
	} >asked.txt
	run -0 --separate-stderr dktrace sql --csv asked.txt 'SELECT sum(ino), min(ret) FROM ext4_sync_file_exit'
	same "21908054,-5" "${lines[1]}" answer
	run -0 --separate-stderr dktrace hist --input asked.txt text:ext4_sync_file_exit --keys ino --csv
	has "$output" "10954021,2"
	run -0 --separate-stderr dktrace report --filter 'ret < 0' asked.txt
	same 1 "${#lines[@]}" "records with an error"
	dktrace convert asked.txt asked.dat
	dktrace report --style json asked.dat | jq -c .fields | diff <(dktrace report --style json asked.txt | jq -c .fields) -
}

@test "a text may lack columns, and its times may have any number of digits" {
	cat >odd.txt <<-'END'
		cpus=2
		          a b-c-7     [001]  1.000000002: print: tracing_mark_write: ns
		          dd-4321    (   4321) [000] .....  1.000001: tracing_mark_write: tgid
		          <idle>-0    (-------) [000]  1000003: tracing_mark_write: counter
	END
	expect 0 '          <idle>-0     [000]     0.001000: print:                tracing_mark_write: counter
           a b-c-7     [001]     1.000000: print:                tracing_mark_write: ns
              dd-4321  [000]     1.000001: print:                tracing_mark_write: tgid' "" text report odd.txt
}

@test "stacks and functions keep the names in the text" {
	run -3 --separate-stderr text report --style folded "$file"
	has "$output" "asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;"
	cat >function.txt <<-'END'
		# tracer: function
		          dd-7       [000] .....     1.000001: vfs_read <-ksys_read
		          dd-7       [000] .....     1.000002: vfs_write <-ksys_write
		          dd-7       [000] .....     1.000003: vfs_read <-ksys_read
	END
	run -0 text report -e ftrace:function function.txt
	same '              dd-7     [000]     1.000001: function:             vfs_read <-ksys_read' "${lines[0]}" line
	same 3 "${#lines[@]}" lines
}

@test "a text converts to a trace.dat that reads the same" {
	run -3 --separate-stderr text convert "$file" out.dat
	text report "$file" 2>/dev/null | grep -v EVENTS >wanted || :
	dktrace report out.dat 2>/dev/null | grep -v EVENTS >have || :
	diff wanted have
}

@test "the report of a file is read back as its records" {
	dktrace report -e 'syscalls:*,ext4:*' "$capture" >saved.txt 2>/dev/null || :
	[ -s saved.txt ]
	run -0 --separate-stderr text report saved.txt
	same "$(cat saved.txt)" "$output" report
	run -0 text info saved.txt
	no_line '^text:|^unused' <(printf '%s\n' "$output")
}

@test "callers on the lines after a record are its stack" {
	{
		echo '  cat-1     [000]     1.000000: nosuch_event: text of it'
		printf ' => %s\n' schedule do_syscall_64 libc.so.6+0x1234 main+0x5 0x401000 '[dash]+0x7af2' '[a]b+0x1]+0x10'
		echo '  cat-1     [000]     1.000001: nosuch_event: without any'
	} >calls.txt
	run -0 --separate-stderr dktrace report -S json calls.txt
	same "" "$stderr" "words"
	jq -c '[.kernel_stack, .user_stack]' <<<"$output" |
		diff <(printf '%s\n' '[["schedule","do_syscall_64"],["libc.so.6+0x1234","main+0x5","0x401000","[dash]+0x7af2","[a]b+0x1]+0x10"]]' '[null,null]') -
	dktrace report calls.txt | grep '^ => ' | diff <(grep '^ => ' calls.txt) -
}

@test "a text of function_graph gives entries and exits of functions" {
	local name

	for name in graph-6.1 graph-abstime-proc-6.1 graph-latency-6.1 graph-nodur-6.1 graph-pipe-6.1 graph-odd; do
		run -0 --separate-stderr text report "$top/tests/fixture/text/$name.txt"
		same "" "$stderr" "$name"
		golden "text-$name"
	done
	# Newer kernels print the return value of a function.
	run -0 text report --style json -e ftrace:funcgraph_exit "$top/tests/fixture/text/graph-odd.txt"
	has "${lines[1]}" '"depth":1,'
	has "${lines[1]}" '"retval":18446744073709551594}'
}

@test "a text of function_graph reads back as printed, by dktrace and by trace-cmd" {
	local file=$top/tests/fixture/text/graph-abstime-proc-6.1.txt

	text report "$file" >wanted
	text report wanted | diff wanted -
	text convert "$file" graph.dat
	dktrace report graph.dat | diff wanted -
	command -v trace-cmd >/dev/null || skip "no trace-cmd"
	trace-cmd report graph.dat 2>/dev/null >theirs
	text report -e 'ftrace:funcgraph*' theirs >have
	# trace-cmd prints entry and exit of a leaf function as one line.
	grep funcgraph wanted | diff - have
}

@test "the latency format is read, with times since the beginning of the trace" {
	local name

	for name in latency-6.1 latency-verbose-6.1; do
		run -0 --separate-stderr text report "$top/tests/fixture/text/$name.txt"
		same "" "$stderr" "$name"
		golden "text-$name"
	done
}

@test "lines of function_graph in another text are invalid" {
	{
		echo '            dd-7       [000] d..2.     1.000001: nobody_knows: a=1 b'
		echo ' 1) first();'
		echo '| nothing |'
	} >notes.txt
	run -1 --separate-stderr text report notes.txt
	same 1 "${#lines[@]}" lines
	has "$stderr" "2 places have invalid data"
	printf '%s\n' ' 1) first();' ' 2) then() {' >list.txt
	run -1 --separate-stderr text report list.txt
	has "$stderr" "unknown file format"
}

@test "gaps without a number are known to be least ones also if several threads read the file" {
	# Each slice that a thread takes has gaps of both kinds.
	awk 'BEGIN { for (i = 100; i < 60000; i++) {
		printf "dd-100 [000] d..2. %d.000001: sched_switch: prev_comm=dd prev_pid=100 prev_prio=120 prev_state=R ==>" \
			" next_comm=x next_pid=5 next_prio=120\n", i
		if (i % 1000 == 500) print "CPU:0 [LOST 5 EVENTS]"
		if (i % 1000 == 700) print "CPU:0 [LOST EVENTS]" } }' >gaps.txt
	run -3 dktrace convert gaps.txt gaps.dat
	for jobs in 1 4; do
		dktrace report --jobs $jobs gaps.dat 2>words >/dev/null || same 3 $? "exit status"
		same "dktrace: gaps.dat: at least 300 of at least 60200 records were lost (cpu 0: 300)" "$(<words)" "$jobs threads"
	done
}

@test "a gap without a number makes the number of lost records a least one, in each form" {
	local line='prev_comm=dd prev_pid=100 prev_prio=120 prev_state=R ==> next_comm=x next_pid=5 next_prio=120'
	local words="dktrace: gaps.txt: at least 5 of at least 8 records were lost (cpu 0: 5)"

	{
		echo '# tracer: nop'
		echo "dd-100 [000] d..2. 100.000001: sched_switch: $line"
		echo 'CPU:0 [LOST 5 EVENTS]'
		echo "dd-100 [000] d..2. 101.000001: sched_switch: $line"
		echo 'CPU:0 [LOST EVENTS]'
		echo "dd-100 [000] d..2. 102.000001: sched_switch: $line"
	} >gaps.txt
	for command in "report gaps.txt" "info gaps.txt --json" "analyze cputop gaps.txt --json" \
		"latency --input gaps.txt sched:sched_switch sched:sched_switch --key prev_pid --json" \
		"latency --input gaps.txt sched:sched_switch sched:sched_switch --key prev_pid --style svg"; do
		# shellcheck disable=SC2086 # words
		run -3 --separate-stderr dktrace $command
		[ -n "${command##*json}" ] || same true "$(jq .lost_is_least <<<"$output")" "$command"
		has "$stderr" "$words"
		[ -n "${command##*svg}" ] || has "$output" "; at least 5 records were lost"
	done
	run -3 --separate-stderr dktrace info gaps.txt
	has "$output" "at least 5 in 2 places"
	run -3 --separate-stderr dktrace view gaps.txt -o gaps.html
	has_line '"lost_is_least":true' gaps.html
	run -3 --separate-stderr dktrace sql gaps.txt --csv 'SELECT lost, lost_is_least FROM files'
	same 5,1 "${lines[1]}" "of a statement"
	run -3 dktrace convert gaps.txt gaps.sqlite
	same 5,1 "$(dktrace sql gaps.sqlite --csv 'SELECT lost, lost_is_least FROM files' | tail -n 1)" "of a database"
	# Without that gap the number is the whole.
	sed -i '/LOST EVENTS/d' gaps.txt
	run -3 --separate-stderr dktrace info --json gaps.txt
	same false "$(jq .lost_is_least <<<"$output")" "all gaps have numbers"
	run -3 --separate-stderr dktrace sql gaps.txt --csv 'SELECT lost, lost_is_least FROM files'
	same 5,0 "${lines[1]}" "all gaps have numbers"
	run -3 --separate-stderr dktrace info --json gaps.txt
	same "dktrace: gaps.txt: 5 of 8 records were lost (cpu 0: 5)" "$stderr" "stderr"
}

@test "requests to reschedule are those of the kernel's text" {
	cat >lazy.txt <<-'END'
	# tracer: nop
	#
	             cat-100     [000] .....    10.000001: tracing_mark_write: none
	             cat-100     [000] dNs1.    10.000002: tracing_mark_write: soon
	             cat-100     [000] .l.1.    10.000003: tracing_mark_write: lazily
	             cat-100     [000] .Bs2.    10.000004: tracing_mark_write: both
	END
	dktrace report --style json lazy.txt | jq -r .flags >have
	printf '%s\n' .... dNs1 .l.1 .Bs2 | diff - have
	dktrace convert lazy.txt lazy.dat
	dktrace report --style json lazy.dat | jq -r .flags | diff have -
	# RHEL 9's kernel has columns of their own for it and for its count.
	cat >rhel.txt <<-'END'
	# tracer: nop
	#
	             cat-100     [000] .......    10.000001: tracing_mark_write: none
	             cat-100     [000] d..h2..    10.000002: tracing_mark_write: interrupt
	             cat-100     [000] dN.h2..    10.000002: tracing_mark_write: soon
	             cat-100     [000] .nLs1.1    10.000003: tracing_mark_write: both
	END
	dktrace report --style json rhel.txt | jq -r .flags >have
	printf '%s\n' .... d.h2 dNh2 .Bs1 | diff - have
}
