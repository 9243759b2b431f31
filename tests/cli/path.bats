#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# lustre path: the way of a call, in logs of three hosts whose times are made, so that each part is known.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

# Writes a line of a log. usage: line FILE MS PID FUNCTION TEXT
line()
{
	printf '00000100:00100000:0.0:%d.%03d%03d:0:%d:0:(a.c:1:%s()) %s\n' $((1700000000 + $2 / 1000000)) \
		$(($2 / 1000 % 1000)) $(($2 % 1000)) "$3" "$4" "$5" >>"$logs/$1.dk"
}

# usage: client WORD US PID THREAD SENDER XID OPCODE JOB
client()
{
	line client "$2" "$3" f "$1 RPC req@0000000000001000 pname:cluuid:pid:xid:nid:opc:job $4:u-1:$5:$6:10.0.0.9@tcp:$7:$8"
}

# usage: server WORD US PID THREAD SENDER XID OPCODE JOB [TIMES]
server()
{
	line server "$2" "$3" f "$1 RPC req@0000000000002000 pname:cluuid+ref:pid:xid:nid:opc:job $4:u-1+9:$5:x$6:12345-10.0.0.1@tcp:$7:$8${9:+ Request processed in $9 trans 0 rc 0/0}"
}

# usage: lock FILE US PID WORDS HANDLE MODES NID REMOTE OWNER
lock()
{
	line "$1" "$2" "$3" f "### $4 ns: mdt-x-MDT0000_UUID lock: 00000000ab/0x$5 lrc: 2/0,0 mode: $6 res: [0x200000401:0x5:0x0].0x0 bits 0x2/0x0 rrc: 3 type: IBT flags: 0x0 nid: $7 remote: 0x$8 expref: 9 pid: $9 timeout: 0 lvb_type: 0"
}

setup_file()
{
	export logs=$BATS_FILE_TMPDIR

	# unlink: 1 ms on the client, 0.5 on the network, 0.5 in the queue, then 7 in service, of which 4 wait for a
	# lock that the process 4711 of another client has; 1 on the network, 0.5 on the client.
	line client 0 700 ll_unlink 'VFS Op:name=foo, dir=[0x200000401:0x1:0x0](0000000000001234)'
	client Sending 1000 700 rm 700 5000 36 rm.0
	line server 1500 900 f 'got req x5000'
	server Handling 2000 900 mdt00_001 700 5000 36 rm.0
	lock server 2400 900 'server-side enqueue handler, new lock created' 77 PR/PR 10.0.0.2@tcp 78 4711
	lock holder 2400 4711 'client-side enqueue END' 78 PR/PR local 77 4711
	lock server 2500 900 'client-side local enqueue handler, new lock created' 99 --/PW local 0 900
	lock server 2600 900 'server preparing blocking AST' 77 PR/PR 10.0.0.2@tcp 78 4711
	lock holder 3000 33 'client blocking AST callback handler' 78 PR/PR local 77 4711
	lock holder 6000 33 'client-side cancel' 78 PR/PR local 77 4711
	lock server 6400 901 'server cancels blocked lock after 0s' 77 PR/PR 10.0.0.2@tcp 78 4711
	lock server 6500 900 'client-side enqueue: granted after 0s' 99 PW/PW local 0 900
	server Handled 9000 900 mdt00_001 700 5000 36 rm.0 '7000us (7500us total)'
	client Completed 10000 700 rm 700 5000 36 rm.0
	line client 10500 700 ll_unlink 'unlinked'

	# read: a lock whose request takes 1.5 ms, and which is granted 7.5 ms after; then a request of 4 ms of whose
	# server there is no log. A daemon sends both.
	line client 1000000 701 ll_file_read_iter 'START file bar:[0x200000401:0x7:0x0], ppos: 0, count: 4096'
	lock client 1000500 701 'client-side enqueue START, flags 0x0' aa --/PR local 0 701
	client Sending 1001000 50 ptlrpcd_00_01 50 6000 101 cat.0
	line server 1001500 902 f 'got req x6000'
	server Handling 1001500 902 ll_ost00_001 50 6000 101 cat.0
	server Handled 1002000 902 ll_ost00_001 50 6000 101 cat.0 '500us (500us total)'
	client Completed 1002500 50 ptlrpcd_00_01 50 6000 101 cat.0
	lock client 1010000 60 'completion AST, new lock' aa PR/PR local bb 701
	client Sending 1011000 50 ptlrpcd_00_01 50 7000 3 cat.0
	client Completed 1015000 50 ptlrpcd_00_01 50 7000 3 cat.0
	line client 1016000 701 ll_file_read_iter 'COMPLETED: file bar:[0x200000401:0x7:0x0], ppos: 0, count: 4096, rc = 4096'
	# A request without a call that ends after its daemon's work is a way of its own.
	client Sending 2000000 50 ptlrpcd_00_01 50 8000 4 cat.0
	client Completed 2003000 50 ptlrpcd_00_01 50 8000 4 cat.0
}

path()
{
	cd "$logs" || return 1
	run -0 --separate-stderr dktrace lustre path --offset server.dk=0s,holder.dk=0s "$@" client.dk server.dk holder.dk
}

# The parts of a group, in us. usage: parts GROUP
parts()
{
	jq -r --arg group "$1" '[.groups[] | select(.group == $group) | "\(.part)=\(.total / 1000)"] | join(" ")' <<<"$output"
}

@test "lustre path finds each delay of a call in its part, and the parts are the whole" {
	path --keys call --json
	same 'whole=10500 client before=1000 request on net=500 queue=500 lock on server=4000 work=3000 reply on net=1000 client after=500' \
		"$(parts unlink)" unlink
	same 'whole=16000 client before=2000 request on net=500 work=500 reply on net=500 sent to reply=4000 lock on client=7500 client after=1000' \
		"$(parts read)" read
	same true "$(jq '[.slowest[] | .slowest == ([.spans[].time] | add)] | all' <<<"$output")" "the spans add up"
	same '2 1' "$(jq -r '"\(.calls) \(.requests_alone)"' <<<"$output")" calls
	same 'bar [0x200000401:0x7:0x0] OST_READ 7000 2 cat.0 10.0.0.9@tcp' \
		"$(jq -r '.slowest[0] | "\(.file) \(.fid) \(.opcode) \(.xid) \(.requests) \(.job) \(.target)"' <<<"$output")" "the slowest"
}

@test "lustre path tells who has the lock that the server waits for, and since when" {
	path --json --opcode mds_reint
	same '10.0.0.2@tcp holder.dk 4711 1700000000.0026 1700000000.003 1700000000.006' \
		"$(jq -r '.slowest[].spans[] | select(.held) | .held | "\(.holder) \(.host) \(.pid) \(.sent) \(.received) \(.returned)"' <<<"$output")" held
	path --opcode 36
	has "$output" 'held by 10.0.0.2@tcp, process 4711 of holder.dk'
	has_line '^    holder keeps it +3[.]00 ms' <(echo "$output")
	has "$output" '10.5 ms: unlink foo [0x200000401:0x1:0x0], MDS_REINT x5000, job rm.0, to 10.0.0.9@tcp, from 1700000000.000000'
	# A span begins where the one before it ends.
	same 1 "$(awk '/^  (queue|lock on server) / { match($0, /s +[^ ]+$/); n = substr($0, RSTART); at[++i] = match(substr(n, 2), /[^ ]/) }
		END { print at[1] < at[2] }' <<<"$output")" "the places of the bars"
}

@test "lustre path selects calls by job, file and opcode, and groups them" {
	path --job rm.0 --json --keys job
	same rm.0 "$(jq -r '[.groups[].group] | unique | join(" ")' <<<"$output")" "one job"
	path --file '[0x200000401:0x7:0x0]' --json --keys target
	same '16000000' "$(jq -r '.groups[0].total' <<<"$output")" "by FID"
	path --file foo --csv --keys client
	has "$output" 'u-1,whole,1,10500000,'
	path --keys none --json
	same 3 "$(jq '.groups[0].count' <<<"$output")" all
	run -2 dktrace lustre path --opcode nothing "$logs/client.dk"
	has "$output" "--opcode: 'nothing' is not an opcode, such as OST_READ or 3"
	run -2 dktrace lustre path --keys nid "$logs/client.dk"
	has "$output" "lustre: 'nid' is not one of opcode, call, job, client, target, none"
}

@test "lustre path tells what is missing for more" {
	run -0 --separate-stderr dktrace lustre path --json --keys call "$logs/client.dk"
	same 'whole=10500 client before=1000 sent to reply=9000 client after=500' "$(parts unlink)" "the client alone"
	has "$stderr" 'to see more, add the log of the server'
	has "$stderr" '1 call ended with the last message of the thread: no message tells the end'
	run -0 --separate-stderr dktrace lustre path --json "$logs/server.dk"
	same 'whole=7500 queue=500 lock on server=4000 work=3000' "$(parts MDS_REINT)" "the server alone"
	has "$stderr" 'to see more, add the log of the client'
	grep -v VFS "$logs/client.dk" >"$BATS_TEST_TMPDIR/plain.dk"
	run -0 --separate-stderr dktrace lustre path --json "$BATS_TEST_TMPDIR/plain.dk"
	same 'whole=9000 sent to reply=9000' "$(parts MDS_REINT)" "without messages about calls"
	printf '00000100:00100000:0.0:1700000000.900000:0:1:0:(a.c:1:b()) nothing\n' >"$BATS_TEST_TMPDIR/none.dk"
	run -0 --separate-stderr dktrace lustre path "$BATS_TEST_TMPDIR/none.dk"
	has "$stderr" 'no messages about requests: set debug=+rpctrace'
}

@test "lustre path leaves the time unknown where records were lost" {
	awk '/Completed.*:5000:/ { split($0, h, ":")
		print "02000000:02000400:0.0:" h[4] ":0:0:0:(ring_buffer:0:lost_events()) 7 records were lost on CPU 0" }
		{ print }' "$logs/client.dk" >"$BATS_TEST_TMPDIR/lost.dk"
	run -3 --separate-stderr dktrace lustre path --keys call --json "$BATS_TEST_TMPDIR/lost.dk"
	same '' "$(parts unlink)" "no request of it is whole"
	same 'whole=16000 client before=2000 sent to reply=5500 lock on client=7500 client after=1000' "$(parts read)" read
}

@test "lustre path ends a call where its function returns, not where the next one begins" {
	awk '{ print } /unlinked/ { sub(/[0-9]+:0:700:.*/, ""); head = "00000100:00000001:0.0:1700000000."
		print head "010700:0:700:0:(a.c:1:ll_read_inode2()) VFS Op:inode=[0x1:0x1:0x0](00000000fb25aa51)"
		print head "011000:0:700:0:(a.c:2:ll_unlink()) Process leaving (rc=0 : 0 : 0)"
		print head "900000:0:700:0:(a.c:2:ll_inode_permission()) Process entered" }' "$logs/client.dk" >"$BATS_TEST_TMPDIR/leave.dk"
	run -0 --separate-stderr dktrace lustre path --keys call --json "$BATS_TEST_TMPDIR/leave.dk"
	same 'whole=11000 client before=1000 sent to reply=9000 client after=1000' "$(parts unlink)" "1 ms after the reply"
	lacks "$stderr" 'ended with the last message'
}

@test "lustre path ends a call that has no end where its thread falls silent" {
	local logs=$BATS_TEST_TMPDIR

	line client 1000 900 ll_readlink "VFS Op:name=a, dir=[0x1:0x1:0x0](00000000fb25aa51)"
	client Sending 2000 900 ls 900 5001 101 ls.0
	client Completed 3000 900 ls 900 5001 101 ls.0
	client Sending 5002000 900 ls 900 5002 101 ls.0
	client Completed 5004000 900 ls 900 5002 101 ls.0
	run -0 --separate-stderr dktrace lustre path --json "$logs/client.dk"
	same '[["readlink",2000000],[null,2000000]]' "$(jq -c '[.slowest[] | [.call, .slowest]]' <<<"$output")" "calls"
}

# usage: longest_parts FROM TO OPCODES LEAST: counts calls by the part that took longest, of those that began
# between two times, had one of the opcodes, and took at least so many ns.
longest_parts()
{
	jq -r --argjson from "$1" --argjson to "$2" --arg opcodes "$3" --argjson least "$4" '
		[.slowest[] | select(.began >= $from and .began < $to and .slowest >= $least
				     and (.opcode | inside($opcodes)))
		| [.spans | group_by(.part)[] | { part: .[0].part, time: map(.time) | add }] | max_by(.time).part]
		| group_by(.) | map("\(.[0]) \(length)") | join(", ")' paths.json
}

# The logs are of a server and a client of Lustre 2.17.57 with debug=rpctrace+dlmtrace+vfstrace+ha. Each kind of delay
# was put in while the client made 15 or 20 calls: 150 ms by tc on the client, then on the server; 1 s in the
# transfer by fail_loc 0x214, then the same with 3 threads for 20 writes; 1 s before the client gives a lock back.
@test "lustre path finds the delays that were put into a real server in their parts" {
	local delays="$BATS_TEST_DIRNAME/../fixture/lustre/delays"

	cd "$BATS_TEST_TMPDIR" || return
	run -0 bash -c "dktrace lustre path -J --slowest 400 '$delays-client.dk.xz' '$delays-server.dk.xz' >paths.json"
	same "request on net 20" "$(longest_parts 1795913453 1795913473 MDS_REINT 100000000)" "a delay to the server"
	same "reply on net 20" "$(longest_parts 1795913473 1795913493 MDS_REINT 100000000)" "a delay to the client"
	same "work 15" "$(longest_parts 1795913493 1795913517.4 OST_WRITE 900000000)" "a slow transfer"
	# As many as there are threads did not wait.
	same "queue 17, work 3" "$(longest_parts 1795913517.4 1795913548 OST_WRITE 900000000)" "few threads"
	# The first one had to connect again: no message tells when its request was sent.
	same "lock on client 14" \
		"$(longest_parts 1795913548 1795913600 'LDLM_ENQUEUE MDS_CLOSE' 900000000)" "a lock"
	# The messages about the ends of calls need debug=+iotrace; none lasts longer than the longest queue.
	same 0 "$(jq '[.slowest[] | select(.slowest > 10000000000)] | length' paths.json)" "calls without an end"
	same "10.9.0.2@tcp" "$(jq -r '[.slowest[] | select(.began > 1795913548).spans[].held.holder // empty]
		| unique | join(" ")' paths.json)" "the holder"
}

@test "reads of Lustre 2.15 are calls, which begin without START" {
	path --json
	local new=$output

	sed 's/ START file \(bar:.*ppos\)/ file \1/' "$logs/client.dk" >"$BATS_TEST_TMPDIR/client.dk"
	run -0 --separate-stderr dktrace lustre path --offset server.dk=0s,holder.dk=0s --json \
		"$BATS_TEST_TMPDIR/client.dk" server.dk holder.dk
	same "$new" "$output" 2.15
}

@test "lustre path knows the locks that a server of Lustre 2.16 has for itself, without a NID" {
	path --json
	local new=$output file

	for file in client server holder; do
		sed 's/ nid: local remote: 0x0 expref: 9 pid: \([0-9]*\) .*/ pid: \1 initiator: MDT0/' \
			"$logs/$file.dk" >"$BATS_TEST_TMPDIR/$file.dk"
	done
	cd "$BATS_TEST_TMPDIR"
	has "$(cat server.dk)" "initiator: MDT0"
	run -0 --separate-stderr dktrace lustre path --offset server.dk=0s,holder.dk=0s --json client.dk server.dk holder.dk
	same "$new" "$output" 2.16
}

@test "lustre path has the disk, the journal and the CPU of the server's recording, and view the same" {
	local thread='ll_ost00_001-900 [000] .....' idle='<idle>-0 [000] .....' commit='jbd2/vda1-8-80 [001] .....'
	local to_idle='prev_pid=900 prev_prio=120 prev_state=D ==> next_comm=swapper/0 next_pid=0 next_prio=120'
	local from_idle='prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=ll_ost00_001 next_pid=900 next_prio=120'

	cd "$BATS_TEST_TMPDIR" || return
	logs=$PWD
	server 'Handling' 300 900 ll_ost00_001 700 1780 4 dd.0
	server 'Handled' 10000 900 ll_ost00_001 700 1780 4 dd.0 '9700us (9700us total)'
	# 0.7 ms on the CPU, 2 for a disk of which a part was asked, 0.1 until there is a CPU; then 0.9 on the CPU, 3 for
	# a commit that began before, 0.5 until it is told; 0.5 on the CPU, 0.6 without one, and 1.4 on it.
	cat >events.txt <<-END
	    $thread 1700000000.000100: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120
	    $thread 1700000000.001000: block_bio_queue: 8,1 WS 2048 + 8 [ll_ost00_001]
	    $thread 1700000000.001100: sched_switch: prev_comm=ll_ost00_001 $to_idle
	    $idle 1700000000.003000: block_rq_complete: 8,0 WS () 2048 + 8 [0]
	    $idle 1700000000.003100: sched_switch: $from_idle
	    $commit 1700000000.003500: jbd2_start_commit: dev 8,1 transaction 7 sync 0
	    $thread 1700000000.004000: sched_switch: prev_comm=ll_ost00_001 $to_idle
	    $commit 1700000000.007000: jbd2_end_commit: dev 8,1 transaction 7 sync 0 head 6
	    $idle 1700000000.007500: sched_switch: $from_idle
	    $thread 1700000000.008000: sched_switch: prev_comm=ll_ost00_001 prev_pid=900 prev_prio=120 prev_state=R ==> next_comm=other next_pid=7 next_prio=120
	    other-7 [000] ..... 1700000000.008600: sched_switch: prev_comm=other prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=ll_ost00_001 next_pid=900 next_prio=120
	END
	dktrace merge --offset events.txt=0 server.dk events.txt -o server.dat
	run -0 --separate-stderr dktrace lustre path --json server.dat
	same 'whole=9700 disk=2000 journal=3000 cpu=3500 unknown=1200' "$(parts OST_WRITE)" "the parts"
	same true "$(jq '.slowest[0] | .slowest == ([.spans[].time] | add)' <<<"$output")" "the spans add up"
	dktrace view server.dat -o page.html
	same "$(jq -c '[.slowest[0].spans[] | [.part, .time]]' <<<"$output")" \
		"$(sed -n 's|.*<script type="application/json" id="data">||p' page.html | jq -c '[.paths[0].spans[] | [.[0], .[3] - .[2]]]')" "the page"
}
