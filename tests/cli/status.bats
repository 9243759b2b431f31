#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The exit status and the words of one cause are the same in all commands: 2 for words that no machine takes, 1 for
# what this machine or file lacks.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

recording=$top/tests/fixture/perfdata/plain.data
switches=$top/tests/fixture/tracedat/v7-zstd.dat

# Runs each command of a row "COMMAND|COMMAND..." with the words. usage: all STATUS MESSAGE COMMANDS WORDS...
all()
{
	local wanted=$1 message=$2 commands command

	IFS='|' read -r -a commands <<<"$3"
	for command in "${commands[@]}"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr timeout 600 dktrace $command "${@:4}" </dev/null
		same "$wanted" "$status" "status of dktrace $command ${*:4}"
		has "$stderr" "$message"
	done
}

setup()
{
	# A tree in place of tracefs: no command may get as far as to record.
	cd "$BATS_TEST_TMPDIR" || return
	export DKTRACE_ROOT=$capture
}

@test "a column that does not exist is a wrong word" {
	all 2 "'nosuch' is not a column; the columns are " \
		"analyze cputop $switches|hist -i $switches|latency syscall -i $capture|lustre rpc $switches" --sort nosuch
	all 2 "--sort: 'nosuch' is not a column" "top --batch -n 1" --sort nosuch
	all 2 "--keys: 'nosuch' is not a column; the columns are " "analyze schedstats $switches" --keys nosuch
	all 2 "--keys: cputop has no intervals" "analyze cputop $switches" --keys nosuch
	all 2 "'nosuch' is not one of " "lustre rpc $switches" --keys nosuch
}

@test "an empty value is a wrong word in each option of each command, but for the two that name something by it" {
	local command option checked=0

	for command in $(dktrace help | awk '/^  [a-z]/ { print $1 }'); do
		for option in $(dktrace "$command" --help | grep -oE -- '^ +(-[A-Za-z], +)?--[a-z-]+ [A-Z]' | grep -oE -- '--[a-z-]+'); do
			[[ $option != --instance && $option != --metrics ]] || continue
			case $command in
			# Their options are written before them.
			clear | get_param | mark | set_param) set -- "$option" '' "$command" ;;
			*) set -- "$command" "$option" '' ;;
			esac
			run --separate-stderr timeout 600 dktrace "$@" </dev/null
			same "2 dktrace: $option: the value is empty; write $option" "$status ${stderr%% [A-Z]*}" "dktrace $*"
			checked=$((checked + 1))
		done
	done
	at_least 300 "$checked" "options"
}

@test "an empty argument is a wrong word in each command that takes words or files" {
	local command

	for command in "report" "info" "convert x" "split x" "merge -o x" "sql" "view -o x" "lustre rpc" "strace" "recover" \
		"dk" "show" "last-boot" "snapshot show" "apply" "save" "hist" "latency" "analyze cputop" "lami cputop" \
		"load --clickhouse http://x:1/x" "trigger add" "filter set" "probe add" "list events" "graph"; do
		all 2 "dktrace: ${command%% *}: an argument is empty; usage: dktrace ${command%% *} " "$command" ''
	done
	all 0 "" "mark" ''
}

@test "a name that no instance can have is a wrong word" {
	all 2 "'a/b' cannot be the name of an instance" \
		"show|dk|follow|status|start|stop|reset|save|apply x|flight start -e x|flight status|daemon status|record -e x|boot-config|function|hist|hist sched:sched_switch|latency syscall|top|list classes|doctor|last-boot|snapshot take|convert log x.dat" \
		-B a/b
	all 1 "it has no buffer 'a/b'" "report $switches|info $switches" -B a/b
	expect 2 "" "dktrace: 'a/b' cannot be the name of an instance" dktrace -B a/b mark x
}

@test "a statement or condition that has no meaning on any machine is a wrong word" {
	[ "$EUID" -eq 0 ] || skip "needs root"
	all 2 "syntax error" "sql $switches" 'SELEC 1'
	all 2 "sql: a statement can read the tables, and nothing else" "sql $switches" 'BEGIN TRANSACTION'
	all 1 "no such table: nosuch" "sql $switches" 'SELECT * FROM nosuch'
	all 2 "expected" "hist --sql|probe add --name x --sql" 'SELECT x FROM'
	all 2 "--when: read: give a time with its unit, such as read > 100ms" "flight start -e x" --when 'read > abc'
	all 2 "--when: '> 5ms' names no latency" "flight start -e x" --when '> 5ms'
}

@test "a class that does not exist is a wrong word" {
	all 2 "unknown name 'nosuch'; see 'dktrace list classes'" \
		"report $switches|convert $switches out.dat|record|flight start|daemon start|show|dk|follow" -c nosuch
	all 2 "--group: unknown name 'nosuch'; see 'dktrace list classes'" "flight start" --group a=nosuch
	all 2 "--group: 'a' is not NAME=CLASSES or NAME=EVENTS" "flight start" --group a
}

@test "a text that cannot be the name of an event is a wrong word" {
	local word

	for word in 'sched:' ':x' 'sched:[' 'x[' ''  "," 'sched_switch[prev_pid ==]' '[a==1]' 'a:b:c'; do
		all 2 "--event: " "report $switches|convert $switches out.dat|record|flight start|daemon start|show|dk|follow" \
			-e "$word"
	done
	all 2 "--group: " "flight start" --group 'a=sched:['
	all 2 "--stack: " "record -e x|flight start -e x|daemon start -e x" --stack 'sched:['
	all 2 "--when: " "flight start -e x" --when 'sched:['
}

@test "a glob that cannot match is a wrong word in each argument that selects events" {
	local command

	for command in "hist X" "hist -i $switches X" "trigger add X traceoff" "trigger list X" "trigger del X" \
		"trigger add x enable_event:X" "trigger add x disable_event:X:5" "filter set X a==1" "filter list X" \
		"filter clear X" "list events X" "list fields X" "list classes X" "list subsystems X" "list counts X" \
		"latency X sched:b -k a" "latency sched:a X -k a" "latency -i $switches sched:a X -k a"; do
		all 2 "dktrace: ${command%% *}: 'sched:[': '[' without ']'" "${command/X/sched:[}"
		all 2 "dktrace: ${command%% *}: 'a:b:c': a character that cannot be in an event name" \
			"${command/X/a:b:c}"
	done
	for command in list del enable disable; do
		all 2 "dktrace: probe: 'a:b[': '[' without ']'" "probe $command" 'a:b['
	done
	all 2 "--calls: 'rea[': '[' without ']'" "strace -e rea[" -- true
	all 2 "'sched:[': '[' without ']'" "record|show|report $switches|flight start" -e 'sched:['
}

@test "an event that this machine or file does not have is a failure" {
	all 1 "no event matches 'nosuch'" "report $switches|convert $switches out.dat" -e nosuch
	all 1 "'nosuch' is not a class, subsystem or event (SYSTEM:EVENT)" "hist -i $switches" nosuch
	all 1 "has no system call 'nosuch'" "strace" -e nosuch -- true
	all 2 "--calls: ', ' names no system call" "strace" -e ', ' -- true
}

@test "a value that no machine takes is a wrong word" {
	all 2 "--persistent: 'abc' is not a size; write 64M" "boot-config" --persistent abc
	all 2 "the address of ClickHouse is http[s]://" "load $switches --clickhouse" nosuch
	all 2 "the address of ClickHouse is http[s]://" "collect --load nosuch -w a -o new record -e" x
	all 2 "'nosuch' is not a trigger: traceon, traceoff, " "trigger add sched:sched_switch" nosuch
	all 2 "--until: '11:00' is before --since '12:00'" "report $switches|show|hist -i $switches|strace $switches" \
		--since 12:00 --until 11:00
	all 2 "--until: '1.5' is before --since '2'" "convert $switches out.dat" --since 2 --until 1.5
}

@test "a list of processes or CPUs that is none is a wrong word" {
	all 2 "--pid: 'abc' is not a list of processes" "record|flight start|daemon start|filter set|strace" -p abc
	all 2 "--pid: 'abc' is not a list of processes" \
		"hist sched:sched_switch|latency syscall|analyze cputop|hist -i $switches|analyze cputop $switches|report $switches" -p abc
	all 2 "--pid: '0' is not a list of processes" "record|hist sched:sched_switch|latency syscall|strace" -p 0
	all 2 "--comm: '' cannot be the name of a program" \
		"record|flight start|daemon start|filter set|hist sched:sched_switch|latency syscall|strace|analyze cputop|report $switches|convert $switches out.dat" \
		--comm ,
	all 2 "--cpu: 'abc' is not a list of numbers such as 0-3,5" "record|flight start|report $switches|strace $switches" -C abc
}

@test "a process or CPU that this machine does not have is a failure" {
	[ "$EUID" -eq 0 ] && [ -d /sys/kernel/tracing/instances ] || skip "needs root and tracefs"
	unset DKTRACE_ROOT
	all 1 "there is no process 2147483647" "record -e sched:sched_switch|hist sched:sched_switch|latency syscall|strace|top --batch -n 1" \
		-p 2147483647
	all 1 "CPU 8000 does not exist; the last one is " \
		"record -C 8000 -e sched:sched_switch|latency syscall -C 8000|strace -C 8000" -- true
	[ -e "$(find /sys/kernel/tracing/events/sched/sched_switch -name hist)" ] ||
		all 1 "CPU 8000 does not exist; the last one is " "hist sched:sched_switch -C 8000" -- true
}

@test "a unit that does not exist is answered with those that do" {
	all 2 "units are ns, us, ms, s, m, h and d" \
		"split $switches out.dat --every|record --duration|flight start -e x --keep|daemon start -e x --keep" 7x
	all 2 "units are ns, us, ms, s, m, h and d" \
		"latency --time|graph --threshold" 7x
	all 2 "units are ns, us, ms, s, m, h and d" "collect -w x --timeout|collect -w x --reconnect" 7x status
	all 2 "units are k, M, G and T" "record --max-size|flight start -e x --size|split $switches out.dat --size" 7x
}

@test "a file without system calls fails in each command that needs them" {
	all 1 "$recording has no " "strace -i $recording|analyze syscallstats $recording"
	all 1 "the file has no event" "latency syscall -i $recording"
}

@test "a CPU of which a file has no record is named" {
	all 0 "--cpu: $switches has no record of CPU 999" \
		"report $switches|convert $switches out.dat|hist -i $switches|sql $switches|view $switches -o x.html" -C 0,999
	all 1 "--cpu: $switches has no record of CPU 999" "strace $switches" -C 0,999
	all 0 "has no record of CPU 999" "report $switches $recording" -C 999
	run -0 --separate-stderr dktrace report "$switches" -C 0,1
	same "" "$stderr"
}

@test "a CPU that the machine does not have is a failure of each command that reads its records" {
	# The tree has the CPUs 0 and 1.
	all 1 "dktrace: CPU 999 does not exist; the last one is 1" \
		"show|dk|follow|hist syscalls:sys_enter_write|latency fsync|strace" -C 0,999
}
