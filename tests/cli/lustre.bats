#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# lustre: answers from debug logs, compared with what awk finds in the same text.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

setup_file()
{
	local side version

	export logs=$BATS_FILE_TMPDIR
	for version in 2.12 2.15; do
		for side in client server; do
			"$BATS_TEST_DIRNAME/../tools/gen-lustre-log" "$side" "$version" 2000 \
				"$([ $side = server ] || echo 3.5)" >"$logs/$side-$version.dk"
		done
	done
}

# The count and the sum in us of a number before WORD in the "Handled" lines of an opcode.
# usage: awk_times OPCODE service|total
awk_times()
{
	awk -v opcode="$1" -v want="$2" '/Handled RPC/ {
		match($0, /@tcp:[0-9]+/)
		if (substr($0, RSTART + 5, RLENGTH - 5) != opcode)
			next
		match($0, /processed in [0-9]+us/)
		service = substr($0, RSTART + 13, RLENGTH - 15)
		match($0, /\([0-9]+us total/)
		total = substr($0, RSTART + 1, RLENGTH - 9)
		n++
		sum += want == "service" ? service : total - service
	}
	END { print n, sum * 1000 }' "$logs/server-2.15.dk"
}

@test "lustre rpc counts what awk counts in a server's log" {
	local opcode name

	run -0 --separate-stderr dktrace lustre rpc --json "$logs/server-2.15.dk"
	for opcode in 3:OST_READ 4:OST_WRITE 36:MDS_REINT 101:LDLM_ENQUEUE 400:OBD_PING; do
		name=${opcode#*:}
		same "$(awk_times "${opcode%:*}" service)" \
			"$(jq -r --arg name "$name" '.groups[] | select(.group == $name and .phase == "service") | "\(.count) \(.total)"' <<<"$output")" "$name: service"
		same "$(awk_times "${opcode%:*}" queue)" \
			"$(jq -r --arg name "$name" '.groups[] | select(.group == $name and .phase == "queue") | "\(.count) \(.total)"' <<<"$output")" "$name: queue"
	done
	same 40 "$(jq .not_ended <<<"$output")" "requests without an end"
	same "$(grep -c 'rc -2/-2' "$logs/server-2.15.dk")" \
		"$(jq '[.trouble[].errors] | add' <<<"$output")" "replies with an error"
}

@test "lustre rpc says the same of the messages of 2.12 and 2.15" {
	run -0 --separate-stderr dktrace lustre rpc --csv "$logs/server-2.12.dk"
	local old=$output
	run -0 --separate-stderr dktrace lustre rpc --csv "$logs/server-2.15.dk"
	# 2.12 does not tell the job.
	same "$(sed 's/,dd[.][0-3],/,,/' <<<"$output")" "$old"
}

@test "lustre rpc groups by NID, job, thread and client" {
	run -0 --separate-stderr dktrace lustre rpc --group-by job --csv "$logs/server-2.15.dk"
	local job
	for job in 0 1 2 3; do
		has "$output" "dd.$job,service,$(grep -c "Handled.*:dd.$job Req" "$logs/server-2.15.dk"),"
	done
	run -0 --separate-stderr dktrace lustre rpc --group-by nid --csv "$logs/server-2.15.dk"
	has "$output" "10.0.0.3@tcp,service,$(grep -c 'Handled.*-10.0.0.3@tcp' "$logs/server-2.15.dk"),"
	run -0 --separate-stderr dktrace lustre rpc --group-by thread --csv "$logs/server-2.15.dk"
	has "$output" "ll_ost00_005,service,$(grep -c 'Handled.* ll_ost00_005:' "$logs/server-2.15.dk"),"
	run -2 dktrace lustre rpc --group-by colour "$logs/server-2.15.dk"
	has "$output" "lustre: 'colour' is not one of opcode, nid, job, thread, client, none"
}

@test "lustre rpc aligns the clocks of two hosts by their requests, and finds the network's time" {
	run -0 --separate-stderr dktrace lustre rpc --json "$logs/client-2.15.dk" "$logs/server-2.15.dk"
	# The server's clock is 3.5 s behind. The error covers the difference.
	has "$stderr" "server-2.15.dk: +3.5000"
	has "$stderr" "by 2000 requests with both sides"
	same 1960 "$(jq .joined <<<"$output")" joined
	# The network takes 2 * (50 + i % 20) us; Lustre's clock has whole microseconds.
	within 97000 "$(jq '[.groups[] | select(.phase == "network") | .min] | min' <<<"$output")" 101000 least
	within 137000 "$(jq '[.groups[] | select(.phase == "network") | .max] | max' <<<"$output")" 140000 most
	# Each request that awk finds in both logs.
	same 1960 "$(cat "$logs"/{client,server}-2.15.dk | awk '/Completed|Handled/ {
		match($0, /:x?17800[0-9]+:/); x = substr($0, RSTART + 1, RLENGTH - 2); sub("x", "", x)
		if (/Completed/) c[x]; else s[x] } END { for (x in c) n += x in s; print n }')" "joined by awk"
}

@test "lustre tells when requests contradict each other about the clocks" {
	# The clock of the client is set back by 5 s in the middle.
	awk -F: -v OFS=: 'NR > 2000 { $4 = sprintf("%.6f", $4 - 5) } { print }' "$logs/client-2.15.dk" >"$BATS_TEST_TMPDIR/step.dk"
	run -0 --separate-stderr dktrace lustre rpc "$BATS_TEST_TMPDIR/step.dk" "$logs/server-2.15.dk"
	has "$stderr" "contradict each other by 2.50 s, so a clock was set or drifted"
}

@test "lustre rpc shows requests without an end, and those that are sent again" {
	run -0 --separate-stderr dktrace lustre rpc --slowest 1 "$logs/client-2.15.dk"
	has "$output" "1780000000003136 OBD_PING sent"
	has "$stderr" "dktrace: 40 requests did not end"
	run -0 --separate-stderr dktrace lustre rpc --json "$logs/client-2.15.dk"
	same 40 "$(jq '[.trouble[].resends] | add' <<<"$output")" resends
}

@test "lustre rpc --xid prints the story of one request over all files" {
	run -0 --separate-stderr dktrace lustre rpc --xid x1780000000000640 "$logs/client-2.15.dk" "$logs/server-2.15.dk"
	same 'Sending got Handling Handled Completed' \
		"$(sed 's/.*()) \([A-Za-z]*\) .*/\1/' <<<"$output" | paste -sd ' ')" steps
	run -2 dktrace lustre rpc --xid no "$logs/client-2.15.dk"
	has "$output" "--xid: 'no' is not a number"
}

@test "lustre rpc does not pair across a loss, and exits with 3" {
	# dk's line about lost records, in the middle of the fifth request.
	awk '/Handled/ && ++n == 5 { split($1, head, ":")
		print "02000000:02000400:0.0:" head[4] ":0:0:0:(ring_buffer:0:lost_events()) 7 records were lost on CPU 0" }
		{ print }' "$logs/server-2.12.dk" | sed 's/ Request processed.*//' >"$BATS_TEST_TMPDIR/lost.dk"
	run -3 --separate-stderr dktrace lustre rpc --json "$BATS_TEST_TMPDIR/lost.dk"
	has "$stderr" "1 requests were not counted, because records were lost while they were under way"
	same 1959 "$(jq '[.groups[] | select(.phase == "service") | .count] | add' <<<"$output")" pairs
}

@test "lustre rpc reads binary logs, pipes and selections" {
	run -0 --separate-stderr dktrace lustre rpc --csv "$logs/server-2.15.dk"
	local want=$output
	dktrace convert "$logs/server-2.15.dk" "$BATS_TEST_TMPDIR/it.dat"
	run -0 --separate-stderr dktrace lustre rpc --csv "$BATS_TEST_TMPDIR/it.dat"
	same "$want" "$output" trace.dat
	run -0 --separate-stderr bash -c "dktrace lustre rpc --csv - <'$logs/server-2.15.dk'"
	same "$want" "$output" "standard input"
	run -0 --separate-stderr dktrace lustre rpc --json --until @1700000000.7 "$logs/server-2.15.dk"
	within 980 "$(jq '[.groups[] | select(.phase == "service") | .count] | add' <<<"$output")" 1000 "half of the time"
}

@test "lustre rpc gives the same numbers among messages of other kinds, of one line or several" {
	awk '{ print }
		NR % 3 == 0 { split($1, h, ":")
			print "00002000:00000002:0.0:" h[4] ":0:1:0:(ofd.c:1:f()) object [0x1:0x2:0x0]"
			print "Handled RPC pname: this line continues the one before"
			print "00000100:00100000:0.0:" h[4] ":0:1:0:(a.c:2:g()) Handling nothing" }' \
		"$logs/server-2.15.dk" >"$BATS_TEST_TMPDIR/noise.dk"
	run -0 --separate-stderr dktrace lustre rpc --json "$logs/server-2.15.dk"
	local want=$output
	run -0 --separate-stderr dktrace lustre rpc --json "$BATS_TEST_TMPDIR/noise.dk"
	same "$want" "$output" "only RPCs are read"
	# With --rate all messages are read.
	run -0 --separate-stderr dktrace lustre rpc --json --rate malloc=1 "$BATS_TEST_TMPDIR/noise.dk"
	same "$want" "$output" "all are read"
}

@test "lustre rpc survives a line that is cut, invalid UTF-8 and numbers that wrap" {
	{
		head -c 150000 "$logs/server-2.15.dk"
		printf '\n00000100:00100000:0.0:1700000001.000000:0:1:0:(a.c:1:b()) Sending RPC pname:cluuid:pid:xid:nid:opc d\xff\x1b[31m:u:1:18446744073709551615:n@tcp:4\n'
		printf '00000100:00100000:0.0:1700000001.000001:0:1:0:(a.c:1:b()) Completed RPC pname:cluuid:pid:xid:nid:opc d\xff:u:1:18446744073709551615:n@tcp:4\n'
		printf '00000100:00100000:0.0:1700000001.000002:0:1:0:(a.c:1:b()) Sending RPC pname:cluuid:pid:xid:nid:opc d:u:1:99999999999999999999:n@tcp:4\n'
	} >"$BATS_TEST_TMPDIR/odd.dk"
	# The line that was cut could not be read.
	run -1 --separate-stderr dktrace lustre rpc --group-by thread "$BATS_TEST_TMPDIR/odd.dk"
	has "$output" 'd\xff\x1b[31m'
	lacks "$output" $'\e'
}

@test "lustre locks finds who waits for whom, and how long" {
	local version

	for version in 2.12 2.17; do
		"$top/tests/tools/gen-lustre-locks" $version 20 >"$logs/locks-$version.dk"
		run -0 --separate-stderr dktrace lustre locks --top 100 --json "$logs/locks-$version.dk"
		# Lock i of 19 waits i + 1 ms.
		same '19 190' "$(jq -r '[.conflicts[] | .wait] | "\(length) \(add / 1000000)"' <<<"$output")" conflicts
		same '19000 10.0.0.2@tcp 10.0.0.1@tcp PR' \
			"$(jq -r '.longest[0] | "\(.longest_wait / 1000) \(.waiter) \(.for_holder) \(.mode)"' <<<"$output")" "the longest"
		same 'waits called back' "$(jq -r '.unfinished[].still' <<<"$output" | paste -sd ' ')" unfinished
		# The time from each callback to its cancel, by awk.
		same "$(awk '{ split($1, h, ":"); t = substr(h[4], 8); match($0, /\/0x[0-9a-f]+ lrc/); lock = substr($0, RSTART, RLENGTH) }
			/preparing blocking/ { from[lock] = t }
			/cancels blocked/ { sum += t - from[lock]; n++ }
			END { printf "%d %.0f", n, sum * 1e6 }' "$logs/locks-$version.dk")" \
			"$(jq -r '.phases[] | select(.phase == "callback") | "\(.count) \(.total / 1000)"' <<<"$output")" callbacks
	done
	# The only difference between the versions is the text.
	run -0 --separate-stderr dktrace lustre locks "$logs/locks-2.12.dk"
	local old=$output
	run -0 --separate-stderr dktrace lustre locks "$logs/locks-2.17.dk"
	same "$old" "$output" versions
	has "$stderr" '1 callbacks were not answered in time: see lustre evictions'
	run -0 --separate-stderr dktrace lustre locks "$logs/server-2.15.dk"
	has "$stderr" 'no messages about locks: set debug=+dlmtrace before the log is made'
}

@test "lustre evictions tells the lock, who waits for it, and when the client was last heard of" {
	"$top/tests/tools/gen-lustre-locks" 2.15 5 >"$BATS_TEST_TMPDIR/it.dk"
	run -0 dktrace lustre evictions --json "$BATS_TEST_TMPDIR/it.dk"
	same 'evicts evicts reconnects' "$(jq -r '.incidents[].event' <<<"$output" | paste -sd ' ')" events
	same '1700000005.100005 10.0.0.2@tcp 1700000045' \
		"$(jq -r '.incidents[0] | "\(.called_back) \(.waiter) \(.last_heard)"' <<<"$output")" story
	run -0 dktrace lustre evictions "$BATS_TEST_TMPDIR/it.dk"
	has "$output" '[0x100000400:0x14:0x0].0x0, called back 100 s before, which 10.0.0.2@tcp asked for 100 s before; last heard of 60.1 s before: OBD_PING x1780000000000123'
	has "$output" 'lost or evicted 1.90 s before'
	local log="$BATS_TEST_TMPDIR/client.dk"
	{
		printf '00000100:00000400:0.0:1700000010.000000:0:9:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1/real 1]  req@000000001 x1780000000000064/t0(0) o400->scratch-OST0001-osc-ffff@10.0.0.9@tcp:28/4 lens 224/224 e 0 to 1 dl 7 ref 1 fl Rpc:XN/0/ffffffff rc 0/-1\n'
		printf '00000100:02000400:0.0:1700000011.000000:0:9:0:(import.c:180:ptlrpc_set_import_discon()) scratch-OST0001-osc-ffff: Connection to scratch-OST0001 (at 10.0.0.9@tcp) was lost; in progress\n'
		printf '00000100:02000000:0.0:1700000014.500000:0:9:0:(import.c:1740:ptlrpc_import_recovery_state_machine()) scratch-OST0001-osc-ffff: Connection restored to scratch-OST0001 (at 10.0.0.9@tcp)\n'
	} >"$log"
	run -0 dktrace lustre evictions "$log"
	has "$output" 'OBD_PING x1780000000000064: Request sent has timed out'
	has "$output" 'lost or evicted 3.50 s before'
	expect 0 '' 'dktrace: no client was evicted, no connection was lost, and no request timed out' \
		dktrace lustre evictions "$logs/server-2.15.dk"
}

@test "lustre and report read the lines of Lustre in files of syslog" {
	local log=$BATS_TEST_TMPDIR/messages

	cat >"$log" <<-'END'
		Nov 25 03:12:50 oss1 systemd[1]: Started Session 4 of user root.
		Nov  5 03:12:51 oss1 kernel: [12345.678901] LustreError: 4711:0:(ldlm_lockd.c:257:expired_lock_main()) ### lock callback timer expired after 100s: evicting client at 10.0.0.1@tcp  ns: filter-x_UUID lock: 0000000012345678/0x5d3c lrc: 3/0,0 mode: PW/PW res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT
		Nov 25 03:12:56 oss1 kernel: LustreError: 138-a: scratch-OST0001: A client on nid 10.0.0.1@tcp was evicted due to a lock blocking callback time out: rc -107
		2025-11-25T04:13:01.123456+01:00 oss1 kernel: Lustre: scratch-OST0001: Client u-1 (at 10.0.0.1@tcp) reconnecting
		[Tue Nov 25 03:13:02 2025] LNet: 99:0:(a.c:1:b()) text
	END
	touch -d '2025-11-26 12:00' "$log"
	run -0 dktrace lustre evictions --csv "$log"
	has "$output" "$(date -d '2025-11-05 03:12:51' +%s).000000,messages,evicts,filter-x_UUID,10.0.0.1@tcp,"
	has "$output" "$(date -d '2025-11-25 03:12:56' +%s).000000,messages,evicts,scratch-OST0001,"
	has "$output" "$(date -d '2025-11-25 03:13:01' +%s).123456,messages,reconnects,"
	run -0 dktrace report --style legacy "$log"
	same "00000000:00000400:0.0:$(date -d '2025-11-25 03:13:02' +%s).000000:0:99:0:(a.c:1:b()) text" "${lines[3]}" "dmesg -T"
	# In the spring, a date in November is of last year.
	touch -d '2026-03-01 12:00' "$log"
	run -0 dktrace report --style legacy --until '2025-11-06 00:00' "$log"
	has "$output" 'evicting client at 10.0.0.1@tcp'
	# A file of syslog without Lustre's lines is not a log.
	head -n 1 "$log" >"$log.other"
	run -1 dktrace lustre evictions "$log.other"
}

@test "lustre leaks finds what is not freed, double frees, and frees of other memory" {
	local at=00000100:00000010:0.0:1700000000.00000

	cat >"$BATS_TEST_TMPDIR/leak.dk" <<-END
		${at}1:0:1:0:(a.c:10:f()) kmalloced 'a': 100 at 00000000000000a1.
		${at}2:0:1:0:(a.c:10:f()) kmalloced 'a': 100 at 00000000000000a2.
		${at}3:0:1:0:(b.c:20:g()) slab-alloced 'lock': 576 at 00000000000000b1.
		${at}4:0:1:0:(a.c:30:h()) kfreed 'a': 100 at 00000000000000a1.
		${at}5:0:1:0:(a.c:30:h()) kfreed 'a': 100 at 00000000000000a1.
		${at}6:0:1:0:(c.c:40:i()) vfreed 'old': 4096 at 00000000000000c1.
		${at}7:0:1:0:(b.c:50:j()) slab-freed 'lock': 500 at 00000000000000b1.
	END
	run -0 dktrace lustre leaks --csv "$BATS_TEST_TMPDIR/leak.dk"
	has "$output" '100,1,2,0,0,0,0,a.c:10,a,f'
	has "$output" '0,0,0,1,0,0,0,a.c:30,a,h'
	has "$output" '0,0,0,0,1,0,0,c.c:40,old,i'
	has "$output" '0,0,0,0,0,1,0,b.c:50,lock,j'
	run -0 dktrace lustre leaks "$BATS_TEST_TMPDIR/leak.dk"
	has "$output" '100 bytes leaked, at most 776 in use; 3 allocations, 4 frees; 1 double frees'
	run -0 --separate-stderr dktrace lustre leaks "$logs/server-2.15.dk"
	has "$stderr" 'no messages about memory: set debug=+malloc before the log is made'
}

@test "lustre messages counts what awk counts, and masks tells what is missing" {
	run -0 dktrace lustre messages --csv "$logs/server-2.15.dk"
	local line
	for line in 2140 2299 2339; do
		has "$output" "$(grep -c "(service.c:$line:" "$logs/server-2.15.dk"),"
	done
	has "$output" 'rpctrace,rpc,service.c:2299:ptlrpc_server_handle_request()'
	run -0 dktrace lustre messages --top 1 --sort count "$logs/server-2.15.dk"
	has "$output" '(2 more rows)'
	run -0 dktrace lustre masks "$logs/server-2.15.dk"
	has "$output" 'to add      lctl set_param debug=+ha+net+dlmtrace'
	lacks "$output" '+rpctrace'
}

@test "lustre timeline prints all lines of a NID, a thread, a PID or an XID" {
	local log=$logs/server-2.15.dk word want

	for word in 10.0.0.3@tcp 12345-10.0.0.3@tcp0; do
		run -0 dktrace lustre timeline "$word" "$log"
		same "$(grep -- '-10[.]0[.]0[.]3@tcp:' "$log")" "$output" "$word"
	done
	# The thread has PID 1005; its first line does not have its name.
	want=$(grep ':0:1005:0:' "$log")
	for word in 1005 ll_ost00_005; do
		run -0 dktrace lustre timeline "$word" "$log"
		same "$want" "$output" "$word"
	done
	run -0 bash -c "cat '$log' | dktrace lustre timeline ll_ost00_005 -"
	same "$want" "$output" "a pipe"
	run -0 dktrace lustre timeline --json 1780000000000640 "$log"
	same 3 "$(jq -s length <<<"$output")" JSON
	expect 0 '' 'dktrace: no message is about 10.9.9.9@tcp' dktrace lustre timeline 10.9.9.9@tcp "$log"
}

@test "lustre refuses wrong arguments, and lists its analyses" {
	run -0 dktrace lustre
	has "$output" 'rpc       rpctrace'
	run -2 dktrace lustre rpc
	has "$output" 'lustre rpc: give the files to read'
	run -2 dktrace lustre timeline x1
	has "$output" 'lustre timeline: give the word and the files to read'
	run -2 dktrace lustre rcp "$logs/server-2.15.dk"
	has "$output" 'did you mean rpc?'
	run -2 dktrace lustre rpc --sort colour "$logs/server-2.15.dk"
	has "$output" "--sort: 'colour' is not a column; the columns are group, phase, count"
	run -1 dktrace lustre rpc "$logs/none.dk"
	has "$output" 'none.dk'
}

@test "the commands about Lustre that help prints read a log as lctl writes it" {
	cd "$BATS_TEST_TMPDIR"
	"$top/tests/tools/gen-lustre-log" server 2.15 20 >dk.log
	dktrace help tasks | grep Lustre | while read -r question; do
		dktrace help "$question" | sed -n 's/^  later: *//p'
	done | sort -u >commands
	at_least 5 "$(grep -c '^dktrace lustre .* dk\.log$' commands)" "commands"
	while read -r command; do
		bash -c "$command" >out 2>err || same 0 $? "$command: $(cat err)"
	done <commands
}
