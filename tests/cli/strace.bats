#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# strace of recordings: lines, states, losses, choice of calls, tables.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

# A line of a saved trace. usage: line TIME EVENT TEXT...
line()
{
	printf '%16s-4711  [000] ..... %s: %s: %s\n' dd "$1" "$2" "${*:3}"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	{
		echo '# tracer: nop'
		line 612.817160 sys_exit NR 0 = 12
		line 612.817260 sys_enter 'NR 0 (3, 7ff0, 2000, 1000, c00, 0)'
		line 613.638660 sys_exit NR 0 = 8192
		line 613.638700 sys_enter 'NR 257 (ffffff9c, 7ff0, 80000, 0, c00, 0)'
		line 613.638720 sys_exit NR 257 = -2
		line 613.638760 sys_enter 'NR 230 (0, 0, 7ff0, 0, c00, 0)'
		echo 'CPU:0 [LOST 3 EVENTS]'
		line 613.638820 sys_exit NR 230 = -516
		line 613.638860 sys_enter 'NR 202 (7f0, 80, 2, 0, c00, 0)'
	} >calls.txt
	lost='dktrace: calls.txt: 3 of 11 records were lost (cpu 0: 3)'
}

@test "strace prints a line for each call, and losses where they happened" {
	expect 3 "612.817160 (      ? ms) dd/4711 <... read resumed> = 12
612.817260 (821.400 ms) dd/4711 read(3, 8192) = 8192
613.638700 (  0.020 ms) dd/4711 openat(AT_FDCWD, 0x7ff0, O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)
613.638820 CPU 0: 3 records are lost
613.638760 (      ? ms) dd/4711 clock_nanosleep(CLOCK_REALTIME, 0, 0x7ff0, NULL) = ? ERESTART_RESTARTBLOCK (Interrupted by signal) <records between begin and end are lost>
613.638860 (      ? ms) dd/4711 futex(0x7f0, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 2, NULL <unfinished ...>" \
		"$lost" dktrace strace --input calls.txt
}

@test "strace prints only the calls that its options choose" {
	local gap='613.638820 CPU 0: 3 records are lost'
	local read='612.817260 (821.400 ms) dd/4711 read(3, 8192) = 8192'

	expect 3 "$read
$gap" "$lost" dktrace strace --input calls.txt --duration '>10ms'
	expect 3 "$read
$gap" "$lost" dktrace strace --input calls.txt --filter 'ret == 8192'
	expect 3 "$gap
613.638860 (      ? ms) dd/4711 futex(0x7f0, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 2, NULL <unfinished ...>" \
		"$lost" dktrace strace --input calls.txt -e 'fut*'
	run -3 --separate-stderr dktrace strace --input calls.txt -e '!futex,read,clock*'
	same 2 "${#lines[@]}" 'lines of openat and the loss'
	run -3 --separate-stderr dktrace strace --input calls.txt --errors --duration '<1ms'
	has "${lines[0]}" openat
	same 2 "${#lines[@]}" 'lines of a short failure and the loss'
	run -3 --separate-stderr dktrace strace --input calls.txt --cpu 1
	same "$gap" "$output" 'lines of another CPU'
}

@test "strace counts calls that are complete, and those that are not beside them" {
	run -3 --separate-stderr dktrace strace --input calls.txt --summary --json
	same '[["clock_nanosleep",0,0,0,1,null,{}],["futex",0,0,1,0,null,{}],["openat",1,1,0,0,20000,{"ENOENT":1}],["read",1,0,0,1,821400000,{}]]' \
		"$(jq -c '[.calls[] | [.call, .count, .failed, .unfinished, .incomplete, .max, .errors]] | sort' <<<"$output")" summary
	run -3 --separate-stderr dktrace strace --input calls.txt --summary --top 1
	same 'THREAD  CALL COUNT UNFINISHED INCOMPLETE    MIN   MEAN    P50    P99    MAX  TOTAL ERRORS' "${lines[0]}" heading
	has "${lines[1]}" 'dd/4711 read     1          0          1 821 ms'
	same '(3 more rows)' "${lines[2]}" 'the rest'
}

@test "strace writes objects and rows for programs" {
	run -3 --separate-stderr dktrace strace --input calls.txt --json
	same '["openat",["AT_FDCWD","0x7ff0","O_RDONLY|O_CLOEXEC"],"ended",20000,-2,"ENOENT"]' \
		"$(sed -n 3p <<<"$output" | jq -c '[.call, .args, .state, .duration_ns, .ret, .error]')" object
	same 3 "$(sed -n 4p <<<"$output" | jq .lost)" lost
	run -3 --separate-stderr dktrace strace --input calls.txt --csv
	same '612817260000,dd,4711,0,read,"read(3, 8192) = 8192",ended,821400000,8192,' "${lines[2]}" row
}

@test "strace reports a call, a duration or a file that it cannot take" {
	expect 1 '' "dktrace: --calls: this machine has no system call 'raed'; did you mean read?" \
		dktrace strace --input calls.txt -e raed
	expect 1 '' "dktrace: --calls: '!' names no system call" dktrace strace --input calls.txt -e '!'
	for bad in x '>' '=3' '>>1ms' '1parsec'; do
		expect 2 '' "dktrace: --duration: '$bad' is not a time; write '>10ms', '<1ms' or '10ms'" \
			dktrace strace --input calls.txt --duration "$bad"
	done
	expect 2 '' "dktrace: strace: cannot combine --input with a command; give one of them" \
		dktrace strace --input calls.txt -- true
	expect 2 '' "dktrace: strace: --top is for --summary" dktrace strace --input calls.txt --top 3
	line 1.000000 sched_waking 'comm=a pid=1 prio=1 target_cpu=000' >other.txt
	expect 0 '' "dktrace: other.txt has no record of a system call; to record them: dktrace record -e 'raw_syscalls:*'" \
		dktrace strace --input other.txt
}
