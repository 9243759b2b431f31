#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# lustre threads: for which lock, reply, disk or journal each thread waits when the files end.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

# Lustre 2.17.57 wrote these.
logs=$BATS_TEST_DIRNAME/../fixture/lustre
pair=$logs/eviction

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# Prints "THREAD WAITS-FOR" of each row of the answer in $output.
waits()
{
	jq -r '.threads[] | "\(.thread // "-") \(.waits_for // "-")"' <<<"$output"
}

# The kernel told of a task as versions 4.18 and 6.1 do, and Lustre of a service thread as 2.12 does.
dmesg_of_server()
{
	cat <<-'END'
		[ 1000.000000] Lustre: Lustre: Build Version: 2.15.5
		[ 1200.000000] INFO: task ll_ost00_001:4711 blocked for more than 120 seconds.
		[ 1200.000010]       Tainted: G           OE    --------- -  - 4.18.0-477.27.1.el8.x86_64 #1
		[ 1200.000020] "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.
		[ 1200.000030] ll_ost00_001    D    0  4711      2 0x80004080
		[ 1200.000040] Call Trace:
		[ 1200.000050]  __schedule+0x2d1/0x870
		[ 1200.000060]  ? finish_wait+0x80/0x80
		[ 1200.000070]  wait_transaction_locked+0x89/0xd0 [jbd2]
		[ 1200.000080]  start_this_handle+0x10a/0x520 [jbd2]
		[ 1200.000090]  osd_trans_start+0x13b/0x4f0 [osd_ldiskfs]
		[ 1210.000000] usb 1-1: wait_for_nothing+0x1/0x2
		[ 1220.000000] INFO: task txg_sync:600 blocked for more than 120 seconds.
		[ 1220.000010]       Not tainted 6.1.0-1-amd64 #1
		[ 1220.000020] "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.
		[ 1220.000030] task:txg_sync        state:D stack:0     pid:600   ppid:2      flags:0x00004000
		[ 1220.000040] Call Trace:
		[ 1220.000050]  <TASK>
		[ 1220.000060]  __schedule+0x34d/0x9e0
		[ 1220.000070]  io_schedule_timeout+0x46/0x70
		[ 1220.000080]  __cv_timedwait_common+0x12c/0x170 [spl]
		[ 1220.000090]  zio_wait+0x124/0x240 [zfs]
		[ 1220.000100]  </TASK>
		[ 1300.000000] Lustre: ll_ost01_002: service thread pid 4800 was inactive for 200.123 seconds. The thread might be hung, or it might only be slow and will resume later. Dumping the stack trace for debugging purposes:
		[ 1300.000010] Pid: 4800, comm: ll_ost01_002 4.18.0 #1 SMP
		[ 1300.000020] Call Trace TBD:
		[ 1300.000030] [<0>] ptlrpc_set_wait+0x6fc/0x8b0 [ptlrpc]
		[ 1300.000040] [<0>] ldlm_run_ast_work+0xd5/0x3c0 [ptlrpc]
		[ 1310.000000] Lustre: x-OST0000: Client u-1 (at 10.0.0.7@tcp) reconnecting
	END
}

@test "call traces in dmesg and syslog tell what threads wait for" {
	dmesg_of_server >dmesg
	sed -E 's/^\[ ([0-9.]+)\] /Nov 25 03:12:55 oss7 kernel: [ \1] /' dmesg >messages
	sed 's/^/oss7: /' dmesg >pdsh
	for file in dmesg messages pdsh; do
		run -0 --separate-stderr dktrace lustre threads --json "$file"
		same "$(printf '%s\n' 'll_ost00_001 journal' 'll_ost01_002 reply' 'txg_sync disk')" "$(waits | sort)" "$file"
		has "$output" 'in wait_transaction_locked < start_this_handle < osd_trans_start'
		lacks "$output" finish_wait
	done
	# The kernel has told of a wait that had lasted 120 s, 110 s before the end.
	run -0 --separate-stderr dktrace lustre threads --json dmesg
	same 230000000000 "$(jq '.threads[] | select(.pid == 4711).age' <<<"$output")" "the age"
	# Without its host's name a line is of the same host; a trace of another host is not mixed in.
	sed -E '/Call Trace:/s/oss7/oss8/' messages >mixed
	run -0 --separate-stderr dktrace lustre threads --json mixed
	same 3 "$(waits | grep -c .)" "threads"
	run -0 --separate-stderr dktrace lustre evictions --csv dmesg
	has "$output" 'blocked for more than 120 seconds; in wait_transaction_locked'
}

@test "a thread that has gone on is not listed" {
	dmesg_of_server >dmesg
	echo '[ 1320.000000] Lustre: ll_ost01_002: service thread pid 4800 completed after 220.1 seconds. This indicates the system was overloaded' >>dmesg
	run -0 --separate-stderr dktrace lustre threads --json dmesg
	lacks "$output" ll_ost01_002
}

@test "both sides of a real wait are told: the client, the server's thread, and the holder of the lock" {
	# All callbacks were dropped; a moment before the client was evicted for that.
	run -0 --separate-stderr dktrace lustre threads --until 1795914706 --json "$pair-server.dk.xz" "$pair-client.dk.xz"
	same "$(printf '%s\n' 'dd lock' 'll_ost00_000 lock')" "$(waits | sort)" "threads"
	has "$output" LDLM_ENQUEUE
	has "$output" 'll_ost00_000:437 of eviction-server.dk.xz works on it'
	has "$output" 'which 10.9.0.2@tcp has'
	has "$output" 'held for process 5827 of eviction-client.dk.xz, which has not received the callback'
	# Later the client was evicted, and both went on.
	run -0 --separate-stderr dktrace lustre threads "$pair-server.dk.xz" "$pair-client.dk.xz"
	has "$stderr" 'no thread works on a request or waits'
}

# The client's machine was stopped while it held a lock that another client wanted.
@test "a client that is frozen is the one that all wait for" {
	run -0 --separate-stderr dktrace lustre threads --until 1795933000 --json "$logs/frozen-server.dk.xz"
	same "$(printf '%s\n' 'dd lock' 'll_ost00_002 lock')" "$(waits | sort)" "threads"
	same 2 "$(grep -c 'which 10.9.0.2@tcp has, called back 79.6 s before' <<<"$output")" "holders"
	run -0 --separate-stderr dktrace lustre evictions --json "$logs/frozen-server.dk.xz"
	has "$output" "haven't heard from client 92b25b8d-0a43-4ff5-a08d-eb3011bc05c2 (at 10.9.0.2@tcp) in 104 seconds"
}

# Nobody is called back for a lock of flock(2), so only the list of the locks tells who has it.
@test "the process that holds a lock of flock is named" {
	run -0 --separate-stderr dktrace lustre threads --json "$logs/flock-client.dk.xz" "$logs/flock-server.dk.xz"
	same "flock lock" "$(waits)" "threads"
	has "$output" 'which 10.9.0.2@tcp has, held for process 1710 of flock-client.dk.xz'
	# The client alone knows the same of its own processes.
	run -0 --separate-stderr dktrace lustre threads --json "$logs/flock-client.dk.xz"
	has "$output" 'which this host has, held for process 1710 of flock-client.dk.xz'
}

@test "a request that waits for the connection is told as such" {
	cat >client.dk <<-'END'
		00000100:00100000:0.0:1795933100.000000:0:497:0:(client.c:1913:ptlrpc_send_new_req()) Sending RPC req@00000000228d9c44 pname:cluuid:pid:xid:nid:opc:job ptlrpcd_00_00:u-1:497:1883172093582100:10.9.0.1@tcp:400:
		00000100:00080000:1.0:1795933109.000000:0:1124:0:(client.c:1843:ptlrpc_send_new_req()) @@@ req waiting for recovery: (FULL != CONNECTING)  req@0000000024f1da26 x1883172093582208/t0(0) o101->x-OST0001-osc-ff328ade05f8a000@10.9.0.1@tcp:28/4 lens 328/400 e 0 to 0 dl 0 ref 2 fl Rpc:WQU/600/ffffffff rc 0/-1 job:'' uid:0 gid:0
		00000100:00080000:1.0:1795933110.000000:0:497:0:(client.c:1843:ptlrpc_send_new_req()) @@@ req waiting for recovery: (FULL != CONNECTING)  req@0000000024f1da27 x1883172093582209/t0(0) o103->x-OST0001-osc-ff328ade05f8a000@10.9.0.1@tcp:17/18 lens 328/400 e 0 to 0 dl 0 ref 2 fl Rpc:WQU/600/ffffffff rc 0/-1 job:'' uid:0 gid:0
		00000100:00080000:1.0:1795933121.000000:0:500:0:(import.c:1:f()) text
	END
	run -0 --separate-stderr dktrace lustre threads --json client.dk
	# The daemon that sends for others does not wait.
	same '- connection' "$(waits)" "threads"
	has "$output" 'LDLM_ENQUEUE x1883172093582208 to 10.9.0.1@tcp, which waits for the connection, begun 12.0 s before'
	echo "00000100:00100000:1.0:1795933122.000000:0:1124:0:(client.c:2406:ptlrpc_check_set()) Completed RPC req@0000000024f1da26 pname:cluuid:pid:xid:nid:opc:job dd:u-1:1124:1883172093582208:10.9.0.1@tcp:101:" >>client.dk
	run -0 --separate-stderr dktrace lustre threads --json client.dk
	same "" "$(waits)" "after the end"
}

@test "the server's log alone names no process of the client" {
	run -0 --separate-stderr dktrace lustre threads --until 1795914706 --json "$pair-server.dk.xz"
	has "$output" 'which 10.9.0.2@tcp has, called back'
	lacks "$output" 'held for process'
	run -0 --separate-stderr dktrace lustre evictions --json "$pair-server.dk.xz"
	lacks "$output" 'held for process'
}

@test "a recording of the scheduler tells which threads cannot be interrupted" {
	cat >switches.txt <<-'END'
		# tracer: nop
		            bash-1     [000] d..2.     1.000000: sched_switch: prev_comm=jbd2/sda1-8 prev_pid=4711 prev_prio=120 prev_state=D ==> next_comm=bash next_pid=1 next_prio=120
		            bash-1     [000] d..2.     1.500000: sched_switch: prev_comm=bash prev_pid=1 prev_prio=120 prev_state=D ==> next_comm=sleep next_pid=12 next_prio=120
		           sleep-12    [000] d..2.     2.500000: sched_switch: prev_comm=sleep prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=bash next_pid=1 next_prio=120
		            bash-1     [000] d..2.     3.000000: sched_switch: prev_comm=bash prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
	END
	run -0 --separate-stderr dktrace lustre threads --json switches.txt
	same "jbd2/sda1-8 I/O or mutex" "$(waits)" "threads"
	same 2000000000 "$(jq '.threads[0].age' <<<"$output")" "the age"
	has "$output" 'cannot be interrupted'
	has "$stderr" 'set debug=+dlmtrace'
}
