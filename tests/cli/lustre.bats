#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# lustre: answers from debug logs, compared with what awk finds in the same text. What the analyses make of
# single messages is in unit/test_lustre_*.c.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

setup_file()
{
	export logs=$BATS_FILE_TMPDIR

	"$BATS_TEST_DIRNAME/../tools/gen-lustre-log" client 2.15 200 3.5 >"$logs/client.dk"
	"$BATS_TEST_DIRNAME/../tools/gen-lustre-log" server 2.15 200 >"$logs/server.dk"
	"$BATS_TEST_DIRNAME/../tools/gen-lustre-log" server 2.12 200 >"$logs/old.dk"
}

# Per opcode, the count and the sums in ns of the service and the time in the queue in the "Handled" lines.
awk_times()
{
	awk '/Handled RPC/ {
		match($0, /@tcp:[0-9]+/)
		opcode = substr($0, RSTART + 5, RLENGTH - 5)
		match($0, /processed in [0-9]+us/)
		time = substr($0, RSTART + 13, RLENGTH - 15)
		match($0, /\([0-9]+us total/)
		n[opcode]++
		service[opcode] += time
		queue[opcode] += substr($0, RSTART + 1, RLENGTH - 9) - time
	}
	END {
		split("3 OST_READ 4 OST_WRITE 36 MDS_REINT 101 LDLM_ENQUEUE 400 OBD_PING", name, " ")
		for (i = 1; i < 10; i += 2)
			print name[i + 1], n[name[i]], service[name[i]] * 1000, queue[name[i]] * 1000
	}' "$logs/server.dk" | sort
}

@test "lustre rpc counts what awk counts, in the messages of 2.12 and 2.15, text and binary" {
	local json

	run -0 --separate-stderr dktrace lustre rpc --json "$logs/server.dk"
	json=$output
	same "$(awk_times)" "$(jq -r '[.groups[] | {(.phase): .}] | group_by(.[].group) | .[] | add |
		"\(.service.group) \(.service.count) \(.service.total) \(.queue.total)"' <<<"$json" | sort)" times
	same "4 $(grep -c 'rc -2/-2' "$logs/server.dk")" \
		"$(jq -r '"\(.not_ended) \([.trouble[].errors] | add)"' <<<"$json")" "without an end, and errors"
	same "MDS_REINT ENOENT -2 $(grep -c 'rc -2/-2' "$logs/server.dk")" \
		"$(jq -r '.failures[] | "\(.group) \(.error) \(.rc) \(.count)"' <<<"$json")" "by name"
	# 2.12 does not tell the job.
	run -0 --separate-stderr dktrace lustre rpc --json "$logs/old.dk"
	same "$(jq 'del(.. | .job?)' <<<"$json")" "$(jq 'del(.. | .job?)' <<<"$output")" 2.12
	dktrace convert "$logs/server.dk" "$BATS_TEST_TMPDIR/it.dat"
	run -0 --separate-stderr dktrace lustre rpc --json "$BATS_TEST_TMPDIR/it.dat"
	same "$json" "$output" trace.dat
	# Messages of other kinds, of one line or several. With --rate all messages are read.
	awk '{ print }
		NR % 3 == 0 { split($1, h, ":")
			print "00002000:00000002:0.0:" h[4] ":0:1:0:(ofd.c:1:f()) object [0x1:0x2:0x0]"
			print "Handled RPC pname: this line continues the one before"
			print "00000100:00100000:0.0:" h[4] ":0:1:0:(a.c:2:g()) Handling nothing" }' \
		"$logs/server.dk" >"$BATS_TEST_TMPDIR/noise.dk"
	run -0 --separate-stderr bash -c "dktrace lustre rpc --json - <'$BATS_TEST_TMPDIR/noise.dk'"
	same "$json" "$output" "a pipe, where only messages about requests are read"
	run -0 --separate-stderr dktrace lustre rpc --json --rate malloc=1 "$BATS_TEST_TMPDIR/noise.dk"
	same "$json" "$output" "all messages are read"
}

@test "lustre rpc groups by job, with rows for the slowest, and for those that did not end" {
	local job

	run -0 --separate-stderr dktrace lustre rpc --keys job --slowest 1 "$logs/server.dk"
	for job in 0 1 2 3; do
		has_line "^dd[.]$job +service +$(grep -c "Handled.*:dd.$job Req" "$logs/server.dk") " <(echo "$output")
	done
	has "$output" "1780000000003136 OBD_PING in service"
	has "$stderr" "dktrace: 4 requests did not end"
}

@test "lustre rpc aligns the clocks of two hosts by their requests, and finds the network's time" {
	run -0 --separate-stderr dktrace lustre rpc --json "$logs/client.dk" "$logs/server.dk"
	# The server's clock is 3.5 s behind. The error covers the difference.
	has "$stderr" "server.dk: +3.5000"
	has "$stderr" "by 200 requests with both sides"
	# Each request that awk finds in both logs; 5 were sent twice.
	same "$(cat "$logs"/{client,server}.dk | awk '/Completed|Handled/ {
		match($0, /:x?17800[0-9]+:/); x = substr($0, RSTART + 1, RLENGTH - 2); sub("x", "", x)
		if (/Completed/) c[x]; else s[x] } END { for (x in c) n += x in s; print n }') 5" \
		"$(jq -r '"\(.joined) \([.trouble[].resends] | add)"' <<<"$output")" "joined, and sent again"
	# The network takes 2 * (50 + i % 20) us; Lustre's clock has whole microseconds.
	within 97000 "$(jq '[.groups[] | select(.phase == "network") | .min] | min' <<<"$output")" 101000 least
	within 137000 "$(jq '[.groups[] | select(.phase == "network") | .max] | max' <<<"$output")" 140000 most
	run -0 --separate-stderr dktrace lustre rpc --xid x1780000000000640 "$logs/client.dk" "$logs/server.dk"
	# shellcheck disable=SC2001 # of several lines
	same 'Sending got Handling Handled Completed' \
		"$(sed 's/.*()) \([A-Za-z]*\) .*/\1/' <<<"$output" | paste -sd ' ')" steps
	# The clock of the client is set back by 5 s in the middle.
	awk -F: -v OFS=: 'NR > 200 { $4 = sprintf("%.6f", $4 - 5) } { print }' "$logs/client.dk" >"$BATS_TEST_TMPDIR/step.dk"
	run -0 --separate-stderr dktrace lustre rpc "$BATS_TEST_TMPDIR/step.dk" "$logs/server.dk"
	has "$stderr" "contradict each other by 2.50 s, so a clock was set or drifted"
}

@test "lustre rpc counts each callback of a server once, as awk does, and all of them end" {
	awk -v server="$BATS_TEST_TMPDIR/server.dk" -v client="$BATS_TEST_TMPDIR/client.dk" '
		function line(file, t, text) { printf "00000100:00100000:0.0:%.6f:0:77:0:(a.c:1:f()) %s\n", t, text >file }
		BEGIN { for (i = 0; i < 40; i++) {
			t = 1700000000 + i / 100
			opcode = 104 + i % 3
			names = "RPC req@00000000000000%02x pname:cluuid%s:pid:xid:nid:opc:job "
			sent = sprintf(names "mdt00_001:x-MDT0000_UUID:%d:%d:10.0.0.1@tcp:%d:", i, "", 90 + i % 4, 5000 + i * 64, opcode)
			got = sprintf(names "ldlm_cb00_000:LOV_OSC_UUID+9:%d:x%d:12345-10.0.0.9@tcp:%d:", i, "+ref", 90 + i % 4, 5000 + i * 64, opcode)
			line(server, t, "Sending " sent)
			line(client, t + 0.0001, sprintf("got req x%d", 5000 + i * 64))
			line(client, t + 0.0002, "Handling " got)
			line(client, t + 0.0004, "Handled " got " Request processed in 200us (300us total) trans 0 rc 0/0")
			line(server, t + 0.0005, "Completed " sent)
		} }'
	run -0 --separate-stderr dktrace lustre rpc --json "$BATS_TEST_TMPDIR/client.dk" "$BATS_TEST_TMPDIR/server.dk"
	same "$(cat "$BATS_TEST_TMPDIR"/{client,server}.dk | awk '{ match($0, /:x?[0-9]+:10|:x[0-9]+:12345/); split(substr($0, RSTART), x, ":"); sub("x", "", x[2]) }
		/Sending|Handling/ { begun[x[2]] } /Completed|Handled/ { if (++ends[x[2]] == 2) both++ } END { print length(begun), both, 0, 0 }')" \
		"$(jq -r '"\([.groups[] | select(.phase == "client") | .count] | add) \(.joined) \(.not_ended) \(.not_begun)"' <<<"$output")" counts
	same 100000 "$(jq -r '[.groups[] | select(.phase == "queue") | .min, .max] | unique | join(" ")' <<<"$output")" queue
}

@test "lustre rpc does not pair across a loss, and exits with 3" {
	# dk's line about lost records, in the middle of the fifth request.
	awk '/Handled/ && ++n == 5 { split($1, head, ":")
		print "02000000:02000400:0.0:" head[4] ":0:0:0:(ring_buffer:0:lost_events()) 7 records were lost on CPU 0" }
		{ print }' "$logs/old.dk" | sed 's/ Request processed.*//' >"$BATS_TEST_TMPDIR/lost.dk"
	run -3 --separate-stderr dktrace lustre rpc --json "$BATS_TEST_TMPDIR/lost.dk"
	has "$stderr" "1 request left out, because records were lost while under way"
	same 195 "$(jq '[.groups[] | select(.phase == "service") | .count] | add' <<<"$output")" pairs
}

@test "lustre rpc survives a line that is cut, invalid UTF-8 and numbers that wrap" {
	{
		head -n 100 "$logs/server.dk"
		printf '00000100:00100000:0.0:1700000000.900000:0:1:0:(service.c:23\n'
		printf '00000100:00100000:0.0:1700000001.000000:0:1:0:(a.c:1:b()) Sending RPC pname:cluuid:pid:xid:nid:opc d\xff\x1b[31m:u:1:18446744073709551615:n@tcp:4\n'
		printf '00000100:00100000:0.0:1700000001.000001:0:1:0:(a.c:1:b()) Completed RPC pname:cluuid:pid:xid:nid:opc d\xff:u:1:18446744073709551615:n@tcp:4\n'
		printf '00000100:00100000:0.0:1700000001.000002:0:1:0:(a.c:1:b()) Sending RPC pname:cluuid:pid:xid:nid:opc d:u:1:99999999999999999999:n@tcp:4\n'
	} >"$BATS_TEST_TMPDIR/odd.dk"
	# The line that was cut could not be read.
	run -1 --separate-stderr dktrace lustre rpc --keys thread "$BATS_TEST_TMPDIR/odd.dk"
	has "$output" 'd\xff\x1b[31m'
	lacks "$output" $'\e'
}

@test "lustre locks finds who waits for whom, and how long" {
	local version old=

	for version in 2.12 2.17 master; do
		"$top/tests/tools/gen-lustre-locks" $version 20 >"$BATS_TEST_TMPDIR/it.dk"
		run -0 --separate-stderr dktrace lustre locks --top 100 --json "$BATS_TEST_TMPDIR/it.dk"
		has "$stderr" '1 callback not answered in time: see lustre evictions'
		same "${old:=$output}" "$output" "the only difference between the versions is the text"
	done
	# Lock i of 19 waits i + 1 ms. Then the longest, and the time from each callback to its cancel, by awk.
	same "19 190
19000 10.0.0.2@tcp 10.0.0.1@tcp PR
waits called back
$(awk '{ split($1, h, ":"); t = substr(h[4], 8); match($0, /\/0x[0-9a-f]+ lrc/); lock = substr($0, RSTART, RLENGTH) }
		/preparing blocking/ { from[lock] = t }
		/cancels blocked/ { sum += t - from[lock]; n++ }
		END { printf "%d %.0f", n, sum * 1e6 }' "$BATS_TEST_TMPDIR/it.dk")" \
		"$(jq -r '([.conflicts[] | .wait] | "\(length) \(add / 1000000)"),
			(.longest[0] | "\(.longest_wait / 1000) \(.waiter) \(.for_holder) \(.mode)"),
			([.unfinished[].still] | join(" ")),
			(.phases[] | select(.phase == "callback") | "\(.count) \(.total / 1000)")' <<<"$output")" locks
}

# Writes a dump of namespaces as lctl prints it: lines "ns NAME", "res N", "granted", "waiting", "cut", and
# "MODES NID PID RANGE" of a lock, read from standard input. usage: dump_of SECONDS
dump_of()
{
	awk -v t="$1" 'function put(text) { printf "00010000:00010000:0.0:%.6f:0:77:0:(ldlm_resource.c:1:x()) %s\n", t, text; t += 0.000001 }
		$1 == "ns" { ns = $2; put("--- Namespace: " ns " (rc: 5, side: server)"); next }
		$1 == "res" { res = "[0x200000401:" $2 ":0x0].0x0"; put("--- Resource: " res " (00000000ab) refcount = 3"); next }
		$1 == "granted" { put("Granted locks (in reverse order):"); next }
		$1 == "waiting" { put("Waiting locks:"); next }
		$1 == "cut" { put("only dump 257 granted locks to avoid DDOS."); next }
		{ bits = $4 ~ /^0x/
		put("### ### ns: " ns " lock: 00000000ab/0x" $3 " lrc: 2/0,0 mode: " $1 " res: " res (bits ? " bits " $4 "/0x0" : "") \
			" rrc: 3 type: " (bits ? "IBT" : "EXT [" $4 "] (req 0->9)") " flags: 0x0 nid: " $2 " remote: 0x1 expref: 9 pid: " $3 \
			" timeout: 0 lvb_type: 0") }'
}

@test "lustre locks reads a dump of namespaces: which lock blocks whom" {
	cd "$BATS_TEST_TMPDIR"
	# The lock that waits in the first dump has been granted in the second.
	dump_of 1700000000 >dump.dk <<-'END'
		ns mdt-scratch-MDT0000_UUID
		res 0x9
		granted
		EX/EX 10.0.0.8@tcp 1 0x1
		waiting
		--/EX 10.0.0.9@tcp 2 0x1
	END
	dump_of 1700000020 >>dump.dk <<-'END'
		ns mdt-scratch-MDT0000_UUID
		res 0x9
		granted
		EX/EX 10.0.0.9@tcp 2 0x1
		res 0x1
		granted
		PR/PR 10.0.0.1@tcp 11 0x13
		CR/CR 10.0.0.2@tcp 12 0x2
		PR/PR 10.0.0.3@tcp 13 0x4
		waiting
		--/EX 10.0.0.4@tcp 14 0x2
		--/PR 10.0.0.5@tcp 15 0x2
		ns filter-scratch-OST0001_UUID
		res 0x2
		granted
		PW/PW 10.0.0.1@tcp 21 0->4095
		PW/PW 10.0.0.2@tcp 22 4096->18446744073709551615
		cut
		waiting
		--/PR 10.0.0.3@tcp 23 0->9
		--/PR 10.0.0.4@tcp 24 0->9
		--/PR 10.0.0.5@tcp 25 0->9
		--/PR 10.0.0.6@tcp 26 0->9
		--/PW 10.0.0.7@tcp 27 5000->5001
		--/NL 10.0.0.7@tcp 28 0->9
	END
	expect 0 'BLOCKS BLOCKER      MODE PID STATE   WAITERS                                             RESOURCE
     4 10.0.0.1@tcp PW    21 granted 10.0.0.3@tcp, 10.0.0.4@tcp, 10.0.0.5@tcp and 1 more [0x200000401:0x2:0x0].0x0
     1 10.0.0.1@tcp PR    11 granted 10.0.0.4@tcp                                        [0x200000401:0x1:0x0].0x0
     1 10.0.0.2@tcp CR    12 granted 10.0.0.4@tcp                                        [0x200000401:0x1:0x0].0x0
     1 10.0.0.4@tcp EX    14 waits   10.0.0.5@tcp                                        [0x200000401:0x1:0x0].0x0
     1 10.0.0.2@tcp PW    22 granted 10.0.0.7@tcp                                        [0x200000401:0x2:0x0].0x0
     1 -            -      - -       10.0.0.7@tcp                                        [0x200000401:0x2:0x0].0x0' \
		'dktrace: 1 resource dumped without all its granted locks; ldlm.dump_granted_max sets how many' \
		dktrace lustre locks dump.dk
	run -0 --separate-stderr dktrace lustre locks --json dump.dk
	same '4 33 filter-scratch-OST0001_UUID 1700000020.000013' \
		"$(jq -r '.blocks[0] | "\(.blocks) \(.handle) \(.namespace) \(.dumped)"' <<<"$output")" "the first row"
	head -n 4 dump.dk >quiet.dk
	expect 0 '' 'dktrace: in the last dump of each resource no lock waits' dktrace lustre locks quiet.dk
}

@test "lustre timeline finds a number as a PID and as a word" {
	cat >"$BATS_TEST_TMPDIR/job.dk" <<-'END'
		00000100:00100000:0.0:1700000000.000001:0:2003:0:(service.c:1:f()) Handled RPC of job 471003
		00000100:00100000:0.0:1700000000.000002:0:471003:0:(service.c:1:f()) of the thread
		00000100:00100000:0.0:1700000000.000003:0:2003:0:(service.c:1:f()) 4710030 is another number
	END
	run -0 dktrace lustre timeline 471003 "$BATS_TEST_TMPDIR/job.dk"
	same 2 "${#lines[@]}" messages
	has "${lines[0]}" "of job 471003"
	has "${lines[1]}" "of the thread"
}

@test "lustre evictions tells the lock, who waits for it, and when the client was last heard of" {
	"$top/tests/tools/gen-lustre-locks" 2.15 5 >"$BATS_TEST_TMPDIR/it.dk"
	run -0 --separate-stderr dktrace lustre evictions --json "$BATS_TEST_TMPDIR/it.dk"
	same 'evicts evicts reconnects
1700000005.100005 10.0.0.2@tcp 1700000045' \
		"$(jq -r '([.incidents[].event] | join(" ")), (.incidents[0] | "\(.called_back) \(.waiter) \(.last_heard)")' <<<"$output")" story
	has "$output" '[0x100000400:0x14:0x0].0x0, called back 100 s before; 10.0.0.2@tcp asked for it 100 s before; last heard of 60.1 s before: OBD_PING x1780000000000123'
	has "$output" 'lost or evicted 1.90 s before'
	expect 0 '' 'dktrace: no client was evicted, no connection was lost, no request timed out, and no thread hung' \
		dktrace lustre evictions "$logs/server.dk"
}

# The logs are of a server and a client of Lustre 2.17.57, which dropped all callbacks (fail_loc=0x305).
# Writes what a version says of a thread that hung, and of a service that cannot keep up.
overload_of()
{
	local thread='02000000:02000400:1.0:1700001000.000000:0:9:0:(service.c:2:f()) ' at='02000000:02000400:1.0:1700001001.000000:0:9:0:(service.c:3:f()) '

	case $1 in
	2.12) echo "${thread}Service thread pid 9 was inactive for 200.09s. The thread might be hung" ;;
	*) echo "${thread}mdt00_001: service thread pid 9 was inactive for 200.090 seconds. The thread might be hung" ;;
	esac
	case $1 in
	2.12 | 2.14 | 2.15) echo "${at}mdt: This server is not able to keep up with request traffic (cpu-bound)." ;;
	*) echo "${at}'mdt' is processing requests too slowly, client may timeout. Late by 3s, missed 1 early replies" ;;
	esac
}

@test "the logs of Lustre 2.12 to master, text and binary, give the same answers" {
	local version side first='' got records stack=1200

	cd "$BATS_TEST_TMPDIR" || return
	for version in 2.12 2.14 2.15 2.16 2.17 master; do
		for side in client server; do
			# 2.16 and later do not tell how full the stack was.
			[ $version != 2.16 ] || stack=0
			"$top/tests/tools/gen-lustre-log" $side $version 100 |
				awk -F: -v OFS=: -v stack=$stack '{ $5 = stack } 1' >$side.dk
		done
		{
			"$top/tests/tools/gen-lustre-locks" $version 5
			overload_of $version
		} >locks.dk
		got=$(
			dktrace lustre rpc --json client.dk server.dk 2>&1 | jq 'del(.. | .job?)'
			dktrace lustre locks --json locks.dk 2>&1
			dktrace lustre evictions --json locks.dk 2>&1 | jq '[.incidents[] | {time, event}]'
			dktrace lustre masks server.dk 2>&1
		)
		same "${first:=$got}" "$got" "$version"
		# The binary log has the same text, and the same answers.
		for side in client server; do
			records=$(wc -l <$side.dk)
			"$tools/gen-records" lines 1000 <$side.dk >$side.bin
			run -0 lctl df $side.bin $side.text
			same "Debug log: $records lines, $records kept, 0 dropped, 0 bad." "$output" "$version df"
			sort -t: -k4,4 -s $side.dk | cmp - $side.text
		done
		same "$(dktrace lustre rpc --json client.dk server.dk 2>/dev/null)" \
			"$(dktrace lustre rpc --json client.bin server.bin 2>/dev/null)" "$version binary"
	done
	has "$first" '"event": "overloaded"'
	has "$first" '"event": "inactive"'
}

@test "lustre evictions tells the story of a real eviction from the logs of both sides" {
	local pair="$BATS_TEST_DIRNAME/../fixture/lustre/eviction"

	run -0 --separate-stderr dktrace lustre evictions --json "$pair-server.dk.xz" "$pair-client.dk.xz"
	same '["completed 1","evicts 3","inactive 1","lost 4","reconnects 3","restored 4","timeout 10","was evicted 1"]' \
		"$(jq -c '[.incidents | group_by(.event)[] | "\(.[0].event) \(length)"]' <<<"$output")" "events"
	has "$output" 'held for process 5827 of eviction-client.dk.xz, which has not received the callback'
	run -0 --separate-stderr dktrace lustre rpc --json "$pair-server.dk.xz" "$pair-client.dk.xz"
	same "$(xzcat "$pair-client.dk.xz" | grep -c 'Handled RPC.*:104:')" "$(jq '.groups[]
		| select(.group == "LDLM_BL_CALLBACK" and .phase == "service").count' <<<"$output")" "callbacks"
	same 0 "$(jq .not_ended <<<"$output")" "requests that did not end"
}

# The network of a client dropped everything for 60 s, both ways. Requests that were given up had no reply.
@test "lustre evictions does not take a request that was given up for a sign of life" {
	run -0 --separate-stderr dktrace lustre evictions --json "$BATS_TEST_DIRNAME/../fixture/lustre/network-client.dk.xz"
	same 'OST_WRITE x1883172093586560' "$(jq -r '.incidents[] | select(.event == "timeout").story' <<<"$output" |
		sed 's/.*before: //' | sort -u)" "last heard of, while the network is down"
	has "$output" 'last heard of 76.7 s before: OST_WRITE'
	# Each target's connection has its own time.
	same '41.0 s,59.5 s,60.5 s' "$(jq -r '.incidents[] | select(.event == "restored").story' <<<"$output" |
		sed 's/.*lost or evicted \(.*\) before/\1/' | sort -u | paste -sd,)" "times without a connection"
	same 0 "$(jq '.peers[0].still_lost' <<<"$output")" "still lost"
	run -0 --separate-stderr dktrace lustre evictions --json --until 1795933190 "$BATS_TEST_DIRNAME/../fixture/lustre/network-client.dk.xz"
	same 5 "$(jq '.peers[0].still_lost' <<<"$output")" "still lost, before it was back"
	run -0 --separate-stderr dktrace lustre evictions --json "$BATS_TEST_DIRNAME/../fixture/lustre/network-client.dk.xz"
	same '3 1 58' "$(jq -r '.peers[] | "\(.lost) \(.renewed) \(.timeouts)"' <<<"$output")" "the peer"
	run -0 --separate-stderr dktrace lustre rpc --json "$BATS_TEST_DIRNAME/../fixture/lustre/network-client.dk.xz"
	same 4 "$(jq '.trouble[] | select(.group == "OBD_PING").aborted' <<<"$output")" "aborted"
}

@test "lustre evictions counts what happened to each peer, and tells a storm" {
	local pair="$BATS_TEST_DIRNAME/../fixture/lustre/eviction" log=$BATS_TEST_TMPDIR/dmesg i

	run -0 --separate-stderr dktrace lustre evictions --json "$pair-server.dk.xz" "$pair-client.dk.xz"
	same '10.9.0.1@tcp 4 4 3,10.9.0.2@tcp 1 3 7' "$(jq -r '[.peers[] | "\(.peer) \(.lost) \(.renewed) \(.timeouts)"] | join(",")' <<<"$output")" "peers"
	lacks "$stderr" 'within one minute'
	# Four clients come within 30 s, and one of them comes again and again.
	for i in 0 10 20 30 75 77 79; do
		printf '[ %d.500000] Lustre: x-OST0000: Client u-%d (at 10.0.0.%d@tcp) reconnecting\n' $((1000 + i)) $((i < 40 ? i : 30)) $((i < 40 ? i : 30))
		printf '[ %d.600000] Lustre: x-OST0001: Client u-%d (at 10.0.0.%d@tcp) reconnecting\n' $((1000 + i)) $((i < 40 ? i : 30)) $((i < 40 ? i : 30))
	done >"$log"
	run -0 --separate-stderr dktrace lustre evictions --json "$log"
	same 4 "$(jq '.peers[] | select(.peer == "10.0.0.30@tcp").in_a_minute' <<<"$output")" "of one"
	same 4 "$(jq '.peers[] | select(.peer == "10.0.0.30@tcp").renewed' <<<"$output")" "renewed"
	has "$stderr" 'dmesg: 4 peers lost or renewed their connections within one minute'
}

@test "lustre and report read the lines of Lustre in files of syslog" {
	local log=$BATS_TEST_TMPDIR/messages

	cat >"$log" <<-'END'
		Nov 25 03:12:50 oss1 systemd[1]: Started Session 4 of user root.
		Nov  5 03:12:51 oss1 kernel: [12345.678901] LustreError: 4711:0:(ldlm_lockd.c:257:expired_lock_main()) ### lock callback timer expired after 100s: evicting client at 10.0.0.1@tcp  ns: filter-x_UUID lock: 0000000012345678/0x5d3c lrc: 3/0,0 mode: PW/PW res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT
		Nov 25 03:12:56 oss1 kernel: LustreError: 138-a: scratch-OST0001: A client on nid 10.0.0.1@tcp was evicted due to a lock blocking callback time out: rc -107
		2025-11-25T04:13:01.123456+01:00 oss1 kernel: Lustre: scratch-OST0001: Client u-1 (at 10.0.0.1@tcp) reconnecting
		[Tue Nov 25 03:13:02 2025] LNet: 99:0:(a.c:1:b()) text
		[Tue Nov 25 03:13:02 2025] Lustre: 99:0:(client.c:2141:ptlrpc_expire_one_request()) Skipped 24 previous similar messages
	END
	touch -d '2025-11-26 12:00' "$log"
	run -0 dktrace lustre evictions --csv "$log"
	has "$output" 'Lustre left out 24 messages that were like those before them'
	has "$output" "$(date -d '2025-11-05 03:12:51' +%s).000000,oss1,evicts,filter-x_UUID,10.0.0.1@tcp,"
	has "$output" "$(date -d '2025-11-25 03:12:56' +%s).000000,oss1,evicts,scratch-OST0001,"
	has "$output" "$(date -d '2025-11-25 03:13:01' +%s).123456,oss1,reconnects,"
	# In the spring, a date in November is of last year.
	touch -d '2026-03-01 12:00' "$log"
	run -0 dktrace report --style legacy "$log"
	has "${lines[0]}" 'evicting client at 10.0.0.1@tcp'
	same "00000000:00000400:0.0:$(date -d '2025-11-25 03:13:02' +%s).000000:0:99:0:(a.c:1:b()) text" "${lines[3]}" "dmesg -T"
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
}

@test "lustre messages counts what awk counts, and masks tells what is missing" {
	local line

	run -0 dktrace lustre messages --csv "$logs/server.dk"
	for line in 2140 2299 2339; do
		has "$output" "$(grep -c "(service.c:$line:" "$logs/server.dk"),"
	done
	has "$output" 'rpctrace,rpc,service.c:2299:ptlrpc_server_handle_request()'
	run -0 dktrace lustre masks "$logs/server.dk"
	has "$output" 'to add      lctl set_param debug=+ha+net+dlmtrace'
	lacks "$output" '+rpctrace'
}

@test "lustre params tells what fills grants and caches, of hosts whose lines pdsh has mixed" {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'oss1: obdfilter.fs-OST0000.kbytestotal=1000' 'oss2: obdfilter.fs-OST0001.kbytestotal=1000' \
		'oss1: obdfilter.fs-OST0000.kbytesavail=40' 'oss1: obdfilter.fs-OST0000.tot_granted=20480' \
		'oss1: obdfilter.fs-OST0000.exports.10.9.0.2@tcp.export=' \
		'oss2: obdfilter.fs-OST0001.exports.10.9.0.3@tcp.grant_cur=7' 'oss1: 5a5c-uuid:' \
		'oss1:     name: fs-OST0000' 'oss1:     grant:' 'oss1:        granted: 4096' \
		'oss1:        dirty: 2048' >oss.params
	run -0 --separate-stderr dktrace lustre params oss.params --json
	same 50 "$(jq '.findings[0].finding | match("[0-9]+").string | tonumber' <<<"$output")" "share that is granted"
	has "$output" '4.0 % of the space is available'
	same '["oss1","fs-OST0000","10.9.0.2@tcp",4096,2048,null]' "$(jq -c '.grants[0] | [.[]]' <<<"$output")" "a client"
	same '["oss2","fs-OST0001","10.9.0.3@tcp",7,null,null]' "$(jq -c '.grants[1] | [.[]]' <<<"$output")" "the other"
	same 1024000 "$(jq '.targets[] | select(.host == "oss2").size' <<<"$output")" "bytes of KB"
}

@test "lustre params reads a saved tree, and finds limits, states and timeouts" {
	local osc=tree/sys/fs/lustre/osc/fs-OST0000-osc-ff77

	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p $osc tree/sys/kernel/debug/lustre/llite/fs-ff77
	echo 3000000 >$osc/cur_grant_bytes
	echo 2000000 >$osc/cur_dirty_bytes
	echo 2 >$osc/max_dirty_mb
	printf 'import:\n    state: DISCONN\n    rpcs:\n       inflight: 7\n       timeouts: 2\n' >$osc/import
	printf 'users: 4\nmax_cached_mb: 100\nused_mb: 99\n' >tree/sys/kernel/debug/lustre/llite/fs-ff77/max_cached_mb
	head -c 4096 /dev/zero >tree/core
	ln -s / tree/loop
	run -0 --separate-stderr dktrace lustre params tree
	same "" "$stderr" "complaints"
	has "$output" '95 % of the dirty pages that are allowed: programs that write wait for the server'
	has "$output" 'not connected: the state of its import is DISCONN'
	has "$output" '2 requests timed out'
	has "$output" '99 % of the page cache is used'
	lacks "$output" 'HOST'
	run -1 --separate-stderr dktrace lustre params missing
	same "dktrace: read missing: No such file or directory" "$stderr" "a directory that is not there"
	run -0 --separate-stderr dktrace lustre params "$logs/server.dk"
	has "$stderr" "no parameters: give the output of 'lctl get_param', or a saved tree"
}

@test "lustre timeline prints all lines of a NID or a thread" {
	local log=$logs/server.dk

	run -0 dktrace lustre timeline 12345-10.0.0.3@tcp0 "$log"
	same "$(grep -- '-10[.]0[.]0[.]3@tcp:' "$log")" "$output" "a NID"
	# The thread has PID 1005; its first line does not have its name.
	run -0 bash -c "cat '$log' | dktrace lustre timeline ll_ost00_005 -"
	same "$(grep ':0:1005:0:' "$log")" "$output" "a thread, from a pipe"
	expect 0 '' 'dktrace: no message is about 10.9.9.9@tcp' dktrace lustre timeline 10.9.9.9@tcp "$log"
}

@test "lustre refuses wrong arguments, and tells what the log lacks" {
	local log=$logs/server.dk

	run -2 dktrace lustre rcp "$log"
	has "$output" 'did you mean rpc?'
	run -2 dktrace lustre rpc --sort colour "$log"
	has "$output" "--sort: 'colour' is not a column; the columns are group, phase, count"
	run -2 dktrace lustre rpc --keys colour "$log"
	has "$output" "lustre: 'colour' is not one of opcode, nid, job, thread, client, user, target, none"
	run -2 dktrace lustre rpc --xid no "$log"
	has "$output" "--xid: 'no' is not a number"
	run -0 --separate-stderr dktrace lustre leaks "$log"
	has "$stderr" 'no messages about memory: set debug=+malloc before the log is made'
}

@test "the commands about Lustre that help prints read a log as lctl writes it" {
	local analysis

	cd "$BATS_TEST_TMPDIR"
	cp "$logs/old.dk" dk.log
	# The table of questions makes its commands of these words. The tests above run those without options.
	sed -n 's/^[\t ]*LUSTRE(".*", "\(.*\)").*/\1/p' "$top/ctl/help/cmd.c" >analyses
	at_least 5 "$(grep -c . analyses)" "analyses"
	run -0 dktrace lustre
	while read -r analysis; do
		has_line "^${analysis%% *} " <(echo "$output")
	done <analyses
	grep -e -- analyses | while read -r analysis; do
		# shellcheck disable=SC2086 # words of a command
		dktrace lustre $analysis dk.log >out 2>err || same 0 $? "$analysis: $(cat err)"
	done
}

@test "times since the epoch have the clock time beside them" {
	local line='00000100:00100000:2.0:1495061256.496695:0:14615:0:(client.c:1498:ptlrpc_send_new_req())'

	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'Nov 25 03:12:55 oss7 kernel: Lustre: ll_ost00_001: service thread pid 4711 was inactive for 200.1 seconds. x' >messages
	touch -d 2026-11-26 messages
	TZ=UTC run -0 --separate-stderr dktrace lustre evictions messages
	has "${lines[1]}" "1795576375.000000 2026-11-25 03:12:55 inactive"
	run -0 --separate-stderr dktrace lustre evictions messages --csv
	lacks "${lines[0]}" "clock"
	echo "$line Sending RPC req@ffff8800 pname:cluuid:pid:xid:nid:opc:job ll:a:14615:1590000000000320:10.0.0.1@tcp:4:" >begun.log
	TZ=UTC run -0 --separate-stderr dktrace lustre rpc begun.log
	has "$output" "1495061256.496695 2017-05-17 22:47:36"
	# dmesg has only times since the boot.
	printf '%s\n' '[ 1234.500000] Lustre: ll_ost00_001: service thread pid 4711 was inactive for 200.1 seconds. x' >dmesg
	run -0 --separate-stderr dktrace lustre evictions dmesg
	lacks "${lines[1]}" "1970"
}

@test "rpc groups by two fields" {
	local log=$logs/server.dk

	run -0 --separate-stderr dktrace lustre rpc --keys nid,opcode --csv "$log"
	has "$(dktrace lustre rpc --keys nid,opcode "$log" 2>/dev/null)" "NID OPCODE"
	# Each pair of names adds up to what one of them alone has.
	same "$(dktrace lustre rpc --keys none --json "$log" 2>/dev/null | jq '[.groups[].count] | add')" \
		"$(dktrace lustre rpc --keys nid,opcode --json "$log" 2>/dev/null | jq '[.groups[].count] | add')" "all"
	same "$(dktrace lustre rpc --keys opcode --json "$log" 2>/dev/null | jq -c '[.groups[] | {group, phase, count}] | sort')" \
		"$(dktrace lustre rpc --keys nid,opcode --json "$log" 2>/dev/null | jq -c '[.groups[] | .group |= (split(" ")[1:] | join(" "))]
			| group_by([.group, .phase]) | map({group: .[0].group, phase: .[0].phase, count: map(.count) | add}) | sort')" "by opcode"
	run -2 dktrace lustre rpc --keys nid,opcode,job "$log"
	has "$output" "--keys: give one or two of these, or none alone"
}
