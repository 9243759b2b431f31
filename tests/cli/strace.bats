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
$gap" "$lost" dktrace strace --input calls.txt --took '>10ms'
	expect 3 "$read
$gap" "$lost" dktrace strace --input calls.txt --filter 'ret == 8192'
	expect 3 "$gap
613.638860 (      ? ms) dd/4711 futex(0x7f0, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 2, NULL <unfinished ...>" \
		"$lost" dktrace strace --input calls.txt -e 'fut*'
	run -3 --separate-stderr dktrace strace --input calls.txt -e '!futex,read,clock*'
	same 2 "${#lines[@]}" 'lines of openat and the loss'
	run -3 --separate-stderr dktrace strace --input calls.txt --errors --took '<1ms'
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

# A record of a thread. usage: by NAME TID TIME EVENT TEXT
by()
{
	printf '%16s-%d  [000] ..... %s: %s: %s\n' "$@"
}

# Processes that end in each way. Of 1 the thread 2 ends by itself, and 3 with the process.
ends()
{
	echo '# tracer: nop'
	by a 1 1.000001 task_newtask 'pid=2 comm=a clone_flags=3d0f00 oom_score_adj=0'
	by a 1 1.000002 task_newtask 'pid=3 comm=a clone_flags=3d0f00 oom_score_adj=0'
	by a 2 1.000003 sys_enter 'NR 60 (105, 0, 0, 0, 0, 0)'
	by a 2 1.000004 sched_process_exit 'comm=a pid=2 prio=120 group_dead=false'
	by a 1 1.000005 sys_enter 'NR 231 (3, 0, 0, 0, 0, 0)'
	by a 1 1.000006 sched_process_exit 'comm=a pid=1 prio=120 group_dead=false'
	by a 3 1.000007 signal_deliver 'sig=9 errno=0 code=0 sa_handler=0 sa_flags=0'
	by a 3 1.000008 sched_process_exit 'comm=a pid=3 prio=120 group_dead=true'
	# A signal with a handler, then one that ends the process; SIGCHLD is ignored.
	by sh 9 1.000010 signal_generate 'sig=10 errno=0 code=0 comm=b pid=4 grp=1 res=0'
	by b 4 1.000011 signal_deliver 'sig=10 errno=0 code=0 sa_handler=55d2b5ac5dc0 sa_flags=4000000'
	by sh 9 1.000012 signal_generate 'sig=15 errno=0 code=0 comm=b pid=4 grp=1 res=0'
	by x 8 1.000013 signal_generate 'sig=17 errno=0 code=1 comm=b pid=4 grp=1 res=1'
	by b 4 1.000014 signal_deliver 'sig=9 errno=0 code=0 sa_handler=0 sa_flags=0'
	by b 4 1.000015 sched_process_exit 'comm=b pid=4 prio=120 group_dead=true'
	by c 5 1.000020 signal_deliver 'sig=11 errno=0 code=1 sa_handler=0 sa_flags=0'
	by c 5 1.000021 sched_process_exit 'comm=c pid=5 prio=120 group_dead=true'
	# Nobody recorded who sent what.
	by d 6 1.000030 signal_deliver 'sig=9 errno=0 code=0 sa_handler=0 sa_flags=0'
	by d 6 1.000031 sched_process_exit 'comm=d pid=6 prio=120 group_dead=true'
	by e 7 1.000040 sched_process_exit 'comm=e pid=7 prio=120 group_dead=true'
	# In the gap another thread can have got the number.
	by f 10 1.000050 sys_enter 'NR 231 (1, 0, 0, 0, 0, 0)'
	echo 'CPU:0 [LOST 3 EVENTS]'
	by f 10 1.000052 sched_process_exit 'comm=f pid=10 prio=120 group_dead=true'
}

@test "strace prints how threads end, as far as the trace tells" {
	ends >ends.txt
	run -3 --separate-stderr dktrace strace ends.txt
	same '1.000004 a/2 +++ exited with 5 +++
1.000006 a/1 +++ exited with 3 +++
1.000008 a/3 +++ exited with 3 +++
1.000015 b/4 +++ killed by SIGTERM +++
1.000021 c/5 +++ killed by SIGSEGV +++
1.000031 d/6 +++ killed +++
1.000040 e/7 +++ ended +++
1.000052 f/10 +++ ended +++' "$(grep -F +++ <<<"$output")" "ends"
	has "$output" '1.000005 (      ? ms) a/1 exit_group(3) = ?'
	run -3 --separate-stderr dktrace strace --json ends.txt
	same '[[2,5,null],[1,3,null],[3,3,null],[4,null,"SIGTERM"],[5,null,"SIGSEGV"],[6,null,null],[7,null,null],[10,null,null]]' \
		"$(jq -sc 'map(select(has("exit_status")) | [.tid, .exit_status, .exit_signal])' <<<"$output")" objects
}

@test "strace prints ends with --calls, and not where single calls are chosen by what ends lack" {
	ends >ends.txt
	run -3 --separate-stderr dktrace strace ends.txt -e openat
	same 8 "$(grep -cF +++ <<<"$output")" "ends"
	for option in '--took >1ms' --errors '--filter ret==1' '--cpu 0'; do
		# shellcheck disable=SC2086 # an option and its value
		run -3 --separate-stderr dktrace strace ends.txt $option
		lacks "$output" +++
	done
}

# A wait of 100 ms in fsync, with stacks.
stacks()
{
	echo '# tracer: nop'
	line 1.000000 sys_enter 'NR 74 (3, 0, 0, 0, 0, 0)'
	printf '%16s-4711  [000] ..... 1.000001: <user stack trace>\n => <00007ff25f157ce7>\n' dd
	line 1.000100 sched_switch 'prev_comm=dd prev_pid=4711 prev_prio=120 prev_state=D ==> next_comm=swapper/0 next_pid=0 next_prio=120'
	printf '%16s-4711  [000] ..... 1.000101: <stack trace>\n' dd
	printf ' => %s\n' trace_event_raw_event_sched_switch __schedule io_schedule
	line 1.100200 sys_exit NR 74 = 0
}

@test "strace prints where a call waited, or says how to record it" {
	stacks >stacks.txt
	expect 0 '1.000000 (100.200 ms) dd/4711 fsync(3) = 0
    waited 100 ms in:
        __schedule
        io_schedule
    called from:
        0x7ff25f157ce7' '' dktrace strace --stack stacks.txt
	run -0 --separate-stderr dktrace strace --stack --json stacks.txt
	same '[100100000,["__schedule","io_schedule"],["0x7ff25f157ce7"]]' \
		"$(jq -c '[.waited_ns, .kernel_stack, .user_stack]' <<<"$output")" object
	run -0 --separate-stderr dktrace strace --stack --csv stacks.txt
	has "${lines[1]}" ',0,,100100000,io_schedule;__schedule,0x7ff25f157ce7'
	run -3 --separate-stderr dktrace strace --stack calls.txt
	has "$stderr" "calls.txt has no stacks; to record them: dktrace record -e 'raw_syscalls:*,sched_switch' --stack sched_switch"
}

@test "the summary has the stacks of a file, with the calls and times of each" {
	stacks >stacks.txt
	run -0 --separate-stderr dktrace strace --summary --stack --json stacks.txt
	same '[["fsync",1,1,["[unknown]"]]]' "$(jq -c '[.stacks[] | [.call, .share, .count, .functions]]' <<<"$output")" stacks
	same "$(jq '.calls[0].total' <<<"$output")" "$(jq '.stacks[0].total' <<<"$output")" 'their time'
	same null "$(jq .stack_samples <<<"$output")" samples
	run -0 --separate-stderr dktrace strace --summary --stack stacks.txt
	same 'CALL  SHARE(%) COUNT  TOTAL STACK' "$(grep '^CALL' <<<"$output")" heading
}

@test "strace and syscallstats read a file of a machine of the other byte order" {
	local order=big

	[ "$(printf '\1\0' | od -An -td2)" -eq 1 ] || order=little
	"$top/tests/tools/gen-calls" "$order" >other.dat
	# The file does not say which machine it is from, so calls have no names.
	expect 0 '1.000000 ( 25.000 ms) worker/42 syscall_0x0(3, 0x7ff0, 0x2000) = 8192
1.025001 (  0.002 ms) worker/42 syscall_0x101(0xffffffffffffff9c, 0x7ff0, 0x80000) = -1 ENOENT (No such file or directory)
1.025004 (      ? ms) worker/42 syscall_0x0(4, 0x7ff0, 0x200000000 <unfinished ...>' '' dktrace strace other.dat
	run -0 dktrace strace --summary --csv other.dat
	same 'worker,42,syscall_0x0,1,0,1,0,25000000,25000000,25000000,25000000,25000000,25000000,' "${lines[1]}" read
	same 'worker,42,syscall_0x101,1,1,0,0,2000,2000,2000,2000,2000,2000,ENOENT 1' "${lines[2]}" openat
	run -0 --separate-stderr dktrace analyze syscallstats --csv other.dat
	same 'worker,42,0,1,25000000,25000000' "${lines[1]%,25000000,25000000,25000000,25000000,25000000,25000000}" read
}

@test "paths of a file come from the kernel's events and from probes of functions, and from no others" {
	"$top/tests/tools/gen-calls" little paths >paths.dat
	expect 0 '1.000001 (  0.001 ms) worker/42 openat(AT_FDCWD, "/etc/kernel", O_RDONLY) = 3</etc/kernel>
1.000003 (  0.002 ms) worker/42 openat(AT_FDCWD, "/etc/kprobe", O_RDONLY) = 4</etc/kprobe>
1.000006 (  0.002 ms) worker/42 read(4</etc/kprobe>, 10) = 10
1.000010 (  0.001 ms) worker/42 newfstatat(AT_FDCWD, "/etc/uprobe", 0) = 0
1.000013 (  0.001 ms) worker/42 openat(AT_FDCWD, 0x7ff0, O_RDONLY) = 5' '' dktrace strace paths.dat
}

@test "strace merges files by time, and keeps threads of the same ID apart" {
	stacks >b.txt
	run -3 --separate-stderr dktrace strace --offset b.txt=612s calls.txt b.txt
	same '613.000000 (100.200 ms) b.txt dd/4711 fsync(3) = 0' "${lines[1]}" 'the call of the second file'
	same '612.817260 (821.400 ms) calls.txt dd/4711 read(3, 8192) = 8192' "${lines[2]}" 'a call around it'
	same 7 "${#lines[@]}" lines
	run -3 --separate-stderr dktrace strace --offset b.txt=612s calls.txt b.txt --summary
	same 'FROM      THREAD' "${lines[0]:0:16}" heading
	has "$output" 'b.txt     dd/4711 fsync               1'
	run -3 --separate-stderr dktrace strace --offset b.txt=612s --input calls.txt b.txt -e fsync --json
	same '"b.txt"' "$(sed -n 1p <<<"$output" | jq -c .from)" 'the file of an object'
	expect 2 '' "dktrace: strace: there is no file 'dd'; a command is written after --" dktrace strace dd
}

@test "strace reports a call, a duration or a file that it cannot take" {
	expect 1 '' "dktrace: --calls: this machine has no system call 'raed'; did you mean read?" \
		dktrace strace --input calls.txt -e raed
	expect 2 '' "dktrace: --calls: '!' names no system call" dktrace strace --input calls.txt -e '!'
	for bad in x '>' '1ms,=3' '>>1ms' '1parsec'; do
		expect 2 '' "dktrace: --took: '$bad' is not a time; write '>10ms', '<1ms', '10ms' or '>10ms,<1s'" \
			dktrace strace --input calls.txt --took "$bad"
	done
	expect 2 '' "dktrace: strace: cannot combine a file with a command; give one of them" \
		dktrace strace --input calls.txt -- true
	expect 2 '' "dktrace: strace: --top is for --summary" dktrace strace --input calls.txt --top 3
	expect 2 '' "dktrace: strace: --children is for --pid of running processes" dktrace strace --children
	line 1.000000 sched_waking 'comm=a pid=1 prio=1 target_cpu=000' >other.txt
	expect 1 '' "dktrace: other.txt has no record of a system call; to record them: dktrace record -e 'raw_syscalls:*'" \
		dktrace strace --input other.txt
}

@test "an execve of a thread, which takes the ID of its process, is one call" {
	cat >exec.txt <<-'END'
		# tracer: nop
		#
		            a-11    [000] .....   100.000000: sys_enter: NR 202 (7f0, 80, 2, 0, c00, 0)
		            a-12    [001] .....   100.001000: sys_enter: NR 59 (7ff0, 0, 0, 0, 0, 0)
		            b-11    [001] .....   100.002000: sched_process_exec: filename=/bin/b pid=11 old_pid=12
		            b-11    [001] .....   100.003000: sys_exit: NR 59 = 0
	END
	run -0 --separate-stderr dktrace strace exec.txt
	has "$output" "100.001000 (  2.000 ms) b/11 execve(0x7ff0, NULL, NULL) = 0"
	has "$output" "futex(0x7f0"
	same 2 "${#lines[@]}" "calls"
}

@test "options of strace(1) are answered with those of dktrace" {
	local option here

	while IFS='|' read -r option here; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr dktrace strace $option -- true
		has "$stderr" "$here"
	done <<-'END'
		-f|dktrace: -f of strace(1): the processes that a command starts are shown without it; with --pid use --children
		-ff|dktrace: -f of strace(1): the processes
		-f -e open|dktrace: -f of strace(1): the processes
		-c|dktrace: -c of strace(1): --summary counts and measures the calls
		-C|dktrace: -C of strace(1): --summary
		-T|dktrace: -T of strace(1): each line has the duration
		-tt|dktrace: -t of strace(1): each line begins with its time
		-k|dktrace: -k of strace(1): --stack prints where calls waited, and who called them
		-y|dktrace: -y of strace(1): descriptors are shown with their files
		-e trace=file|dktrace: --calls: 'file' is a set of strace(1): name its calls, such as open*,*stat*,read*
		-e %network|dktrace: --calls: '%network' is a set of strace(1): name its calls
	END
}
