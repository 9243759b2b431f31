#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Saved logs as sources: the text of dk, and binary records.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

gen=$tools/gen-records

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
}

# The record of an event lacks two numbers of a binary record: stack and external PID.
df_lines()
{
	lctl df "$1" 2>/dev/null | grep -av '^Debug log: ' |
		sed -E 's/^(.{18}[0-9]+\.[0-9]F?:[0-9]+\.[0-9]+):[0-9]+:([0-9]+):[0-9]+:/\1:0:\2:0:/'
}

@test "a binary log prints the lines of df, in order of time" {
	for kind in cpus one random equal big; do
		"$gen" "$kind" 2000 >log.bin
		df_lines log.bin >wanted
		dktrace convert log.bin out.log
		cmp wanted out.log
		same 2000 "$(wc -l <wanted)"
	done
}

@test "damage in a binary log is reported" {
	"$gen" odd 2000 >log.bin
	run -1 --separate-stderr dktrace convert --format legacy log.bin out.log
	same "dktrace: log.bin: the record at offset 1279 is incomplete; 3 places have invalid data" "$stderr" "words"
	df_lines log.bin | cmp out.log -
}

# Checks the message and exit status of each command that reads a file. usage: each_tells STATUS FILE WORDS
each_tells()
{
	pair='libcfs:libcfs_debug_msg libcfs:libcfs_debug_msg --match common_pid'
	for command in "report $2" "report -S json $2 -o x" "convert $2 x.json" "merge $2 -o x.dat" \
		"split $2 x.dat --count 9999" "info $2" "info --json $2" "hist -i $2" "latency $pair -i $2"; do
		# shellcheck disable=SC2086 # several words
		run "-$1" --separate-stderr dktrace $command
		has "$stderr" "dktrace: $2: $3" "$command"
	done
}

@test "every command reports losses and damage in the same words" {
	"$gen" odd 2000 >log.bin
	each_tells 1 log.bin "the record at offset 1279 is incomplete; 3 places have invalid data"
	cat >saved.log <<-END
		00000100:00100000:2.0:1495061256.496695:0:14615:0:(client.c:1498:ptlrpc_send_new_req()) first
		00000001:02000400:1.0:1495061256.496700:0:0:0:(ring_buffer:0:lost_events()) 7 records lost before this on CPU 1
		00000100:00100000:1.1F:1495061257.000001:0:14616:0:(client.c:1:f()) last
	END
	each_tells 3 saved.log "7 of 9 records were lost (cpu 1: 7)"
}

@test "a text without a valid line is damaged" {
	printf 'Debug log: 2 lines, 2 kept, 0 dropped, 0 bad.\njunk\nmore\n' >log.txt
	for command in "report log.txt" "info log.txt" "convert log.txt out.json" "lustre messages log.txt"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr dktrace $command
		has "$stderr" "dktrace: log.txt: 2 places have invalid data"
	done
	# An empty log is not.
	head -n 1 log.txt >empty.txt
	expect 0 '' '' dktrace report empty.txt
}

@test "the text of dk is read back unchanged" {
	dktrace show --input "$capture" >saved.log
	sed '$d' saved.log >wanted
	dktrace convert saved.log out.log
	cmp wanted out.log
	# Whatever order it is in.
	sort -R saved.log >mixed.log
	sort <wanted >sorted
	dktrace convert mixed.log out.log
	sort <out.log | cmp sorted -
	cut -d: -f4 out.log | sort -c
}

@test "a saved text is filtered by the fields of messages" {
	dktrace dk --input "$capture" --style legacy 2>/dev/null | grep -v '^Debug log' >saved
	run -0 dktrace report saved --style legacy --filter 'msg_fn ~ "*ioctl*" && msg_mask & 0x80'
	grep 'ioctl()) ' saved | sed 's/F:/:/' | diff - <(printf '%s\n' "$output")
	at_least 2 "${#lines[@]}"
}

@test "the lines of a message stay together, and lines about losses are gaps" {
	cat >saved.log <<-END
		00000100:00100000:2.0:1495061256.496695:0:14615:0:(client.c:1498:ptlrpc_send_new_req()) first
		    and more of it
		00000001:02000400:1.0:1495061256.496700:0:0:0:(ring_buffer:0:lost_events()) 7 records lost before this on CPU 1
		00000100:00100000:1.1F:1495061257.000001:0:14616:0:(client.c:1:f()) last
		Debug log: 3 lines, 3 kept, 0 dropped, 0 bad.
	END
	run -3 --separate-stderr dktrace convert --format json saved.log -
	same '"first\n    and more of it" null "last"' \
		"$(jq -c .fields.msg <<<"$output" | paste -sd ' ')" "messages"
	same 7 "$(jq 'select(.lost) | .lost' <<<"$output")" "lost"
	same "dktrace: saved.log: 7 of 9 records were lost (cpu 1: 7)" "$stderr" "words"
	# Each CPU has its own losses.
	run -3 --separate-stderr dktrace report --cpu 1 saved.log
	same "dktrace: saved.log: 7 of 8 records were lost (cpu 1: 7)" "$stderr" "words of cpu 1"
	run -0 --separate-stderr dktrace report --cpu 2 saved.log
	same '' "$stderr" "words of cpu 2"
	run -3 --separate-stderr dktrace convert --format legacy --raw-text saved.log -
	same "$(sed '$d' saved.log)" "$output" "log"
	# Without it a message cannot forge a line.
	run -3 --separate-stderr dktrace convert --format legacy saved.log -
	same "$(sed '$d; N; s/first\n/first\\n/' saved.log)" "$output" "escaped"
}

@test "a log becomes a trace.dat that trace-cmd reads" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	"$gen" cpus 500 >log.bin
	dktrace convert log.bin out.dat
	trace-cmd report --nodate out.dat | sed 1d >have
	same 500 "$(wc -l <have)" "lines"
	same 500 "$(grep -c 'libcfs_debug_msg: *subsys=0x' have)" "messages"
	dktrace convert log.bin wanted.txt
	# Records of one microsecond have no order over CPUs.
	cut -c 18-51 wanted.txt | sort | cmp - <(cut -c 18-51 have | sort)
}

@test "lines of a log may have the prefixes of programs that copy them" {
	local line='00000100:00100000:2.0:1495061256.496695:0:14615:0:(client.c:1498:ptlrpc_send_new_req()) first' prefix
	local console='[ 1234.567890] LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed out'

	for prefix in 'oss7: ' 'oss7.log:' '/var/log/a.log:17:' '> ' '>> > ' '<3>' 'oss7: <3>' '[2026-11-25 03:12:55] '; do
		printf '%s\n' "$prefix$line" >copy.log
		run -0 --separate-stderr dktrace report copy.log
		has "$output" "1495061256.496695: libcfs_debug_msg:     (client.c:1498:ptlrpc_send_new_req) first"
		printf '%s\n' "$prefix$console" >copy.log
		run -0 --separate-stderr dktrace report copy.log
		has "$output" "(client.c:2289:ptlrpc_expire_one_request) @@@ timed out"
	done
	printf '%s\n' "kern  :err   : $console" >copy.log
	run -0 --separate-stderr dktrace report copy.log
	has "$output" "@@@ timed out"
}

@test "lines of others before a dump are invalid, and the dump is read" {
	printf '%s\n' 'Here is what you asked for.' 'It is from oss7.' \
		'00000100:00100000:2.0:1495061256.496695:0:14615:0:(client.c:1498:ptlrpc_send_new_req()) first' >mail.log
	run -1 --separate-stderr dktrace report mail.log
	has "$output" "first"
	same "dktrace: mail.log: 2 places have invalid data" "$stderr" "words"
}

@test "the first line of Lustre may be anywhere in a long syslog" {
	{
		yes 'Nov 25 03:12:55 oss7 systemd[1]: Started a session of nobody in particular.' | head -n 40000
		echo 'Nov 25 03:12:56 oss7 kernel: LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed out'
	} >messages
	run -0 --separate-stderr dktrace report messages
	same 1 "${#lines[@]}" "lines of Lustre"
	has "$output" "@@@ timed out"
}

@test "the times of all formats of journalctl are read" {
	local text='LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed out' time

	for time in 'Nov 25 03:12:55' 'Nov 25 03:12:55.250000' 'Wed 2026-11-25 03:12:55 UTC' '2026-11-25T03:12:55+0000' \
		'2026-11-25T03:12:55.250000+00:00' '1795576375.250000'; do
		printf '%s oss7 kernel: %s\n' "$time" "$text" >journal
		touch -d 2026-11-26 journal
		TZ=UTC run -0 --separate-stderr dktrace report journal
		same 1795576375 "$(grep -o '17955763[0-9]*' <<<"$output")" "the time of '$time'"
		same oss7 "$(TZ=UTC dktrace info --json journal | jq -r '.. | .host? // empty' | head -n 1)" "host of '$time'"
	done
}

# A journal with two messages of Lustre on two hosts, in a format of journalctl. usage: journal FORMAT
journal()
{
	local first='LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed "out"\tof\\here'
	local plain='LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed "out"	of\here'
	local second='Lustre: lustre-OST0001: Connection restored to ä'

	case $1 in
	json)
		printf '{"__CURSOR":"s=1","__REALTIME_TIMESTAMP":"1795576375250000","_HOSTNAME":"oss7","MESSAGE":"%s"}\n' "${first//\"/\\\"}"
		printf '{"MESSAGE":"nothing","__REALTIME_TIMESTAMP":"1795576375300000","_HOSTNAME":"oss7","PRIORITY":6}\n'
		printf '{"MESSAGE":[76,117,115,116,114,101,58,32,108,117,115,116,114,101,45,79,83,84,48,48,48,49,58,32,67,111,110,110,101,99,116,105,111,110,32,114,101,115,116,111,114,101,100,32,116,111,32,195,164],"__REALTIME_TIMESTAMP":"1795576376000000","_HOSTNAME":"oss8","X":["a","b"]}\n' ;;
	json-pretty)
		printf '{\n\t"__CURSOR" : "s=1",\n\t"__REALTIME_TIMESTAMP" : "1795576375250000",\n\t"_HOSTNAME" : "oss7",\n\t"MESSAGE" : "%s"\n}\n' "${first//\"/\\\"}"
		printf '{\n\t"_HOSTNAME" : "oss8",\n\t"__REALTIME_TIMESTAMP" : "1795576376000000",\n\t"MESSAGE" : "%s"\n}\n' "${second/ä/\\u00e4}" ;;
	json-sse)
		journal json | sed 's/^/data: /; s/$/\n/' ;;
	json-seq)
		journal json | sed 's/^/\x1e/' ;;
	export)
		printf '__CURSOR=s=1\n__REALTIME_TIMESTAMP=1795576375250000\n_HOSTNAME=oss7\nMESSAGE=%s\n\n' "$plain"
		printf '__CURSOR=s=2\n__REALTIME_TIMESTAMP=1795576376000000\n_HOSTNAME=oss8\nMESSAGE\n\x31\0\0\0\0\0\0\0%s\n\n' "$second" ;;
	verbose)
		printf -- '-- Logs begin at Tue 2026-11-24 00:00:00 UTC. --\n'
		printf 'Wed 2026-11-25 03:12:55.250000 UTC [s=1;i=1]\n    __REALTIME_TIMESTAMP=1795576375250000\n    _HOSTNAME=oss7\n    MESSAGE=%s\n' "$plain"
		printf 'Wed 2026-11-25 03:12:56.000000 UTC [s=1;i=2]\n    MESSAGE=%s\n    _HOSTNAME=oss8\n' "$second" ;;
	esac
}

@test "journalctl's formats with fields are read as its lines are" {
	local form

	for form in json json-pretty json-sse json-seq export verbose; do
		journal "$form" >journal
		run -0 --separate-stderr dktrace report journal
		same 2 "${#lines[@]}" "lines of $form"
		has "${lines[0]}" '[000] 1795576375.250000: libcfs_debug_msg:     (client.c:2289:ptlrpc_expire_one_request) @@@ timed "out"\tof\here'
		has "${lines[1]}" '[001] 1795576376.000000: libcfs_debug_msg:     (console:0:console) lustre-OST0001: Connection restored to ä'
		same "oss7 oss8" "$(dktrace info --json journal | jq -r '.. | .host? // empty' | head -n 1)" "hosts of $form"
	done
}

@test "the time of conman is the time of a line, and the kernel's makes it fine" {
	local text='LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed out'

	printf '[2026-11-25 03:12:55] %s\n' "$text" >console
	TZ=UTC run -0 --separate-stderr dktrace report console
	has "$output" " 1795576375.000000: "
	printf '[2026-11-25 03:12:%s] [ %s] %s\n' 55 1234.500000 "$text" 56 1234.750000 "$text" 59 10.000000 "$text" >console
	TZ=UTC run -0 --separate-stderr dktrace report console
	same "1795576375.000000 1795576375.250000 1795576379.000000" "$(grep -o '17955763[0-9.]*' <<<"$output" | paste -sd ' ')" "times"
}

@test "the name that pdsh writes before a line is its host" {
	local i

	printf '%s: [ 1234.5] LustreError: 4711:0:(client.c:1:f()) first\n' oss7 oss8 >console
	same "oss7 oss8" "$(dktrace info --json console | jq -r '.. | .host? // empty' | head -n 1)" "hosts of dmesg"
	printf '[ 1234.5] oss9 kernel: LustreError: 4711:0:(client.c:1:f()) first\n' >console
	same "oss9" "$(dktrace info --json console | jq -r '.. | .host? // empty' | head -n 1)" "the host of short-monotonic"
	for i in 7 8; do
		echo "oss$i: 00000100:00100000:5.0:1495061256.49669$i:0:14615:0:(client.c:1498:ptlrpc_send_new_req()) first"
		echo "oss$i: and more of $i"
	done >dump
	run -0 --separate-stderr dktrace report dump
	same 2 "${#lines[@]}" lines
	has "${lines[0]}" "[000] 1495061256.496697: libcfs_debug_msg:     (client.c:1498:ptlrpc_send_new_req) first"
	has "${lines[0]}" "and more of 7"
	lacks "${lines[0]}" "oss7"
	has "${lines[1]}" "[001] 1495061256.496698:"
	same "oss7 oss8" "$(dktrace info --json dump | jq -r '.. | .host? // empty' | head -n 1)" "hosts of dumps"
	# The CPUs of one host are what they are.
	grep oss8 dump >one
	run -0 --separate-stderr dktrace report one
	has "$output" "[005] "
	same oss8 "$(dktrace info --json one | jq -r '.. | .host? // empty' | head -n 1)" "the one host"
	run -0 --separate-stderr dktrace lustre messages --json dump
	has "$output" '"place":"client.c:1498:ptlrpc_send_new_req()"'
}

@test "a call trace after a message of Lustre belongs to its record" {
	cat >messages <<-END
		Nov 25 03:12:55 oss7 kernel: Lustre: ll_ost00_001: service thread pid 4711 was inactive for 200.123 seconds. Dumping the stack trace for debugging purposes:
		Nov 25 03:12:55 oss8 kernel: e1000e: eth0 NIC Link is Up
		Nov 25 03:12:55 oss7 kernel: Pid: 4711, comm: ll_ost00_001 4.18.0-553 #1 SMP
		Nov 25 03:12:55 oss7 kernel: [12345.678901] Call Trace:
		Nov 25 03:12:55 oss7 kernel: [<0>] ldlm_completion_ast+0x430/0x860 [ptlrpc]
		Nov 25 03:12:55 oss7 kernel: tgt_request_handle+0x1/0x2 [ptlrpc]
		Nov 25 03:12:56 oss7 systemd[1]: Started a session.
		Nov 25 03:12:56 oss7 kernel: stray_frame+0x1/0x2
		Nov 25 03:12:57 oss7 kernel: LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed out
		Nov 25 03:12:57 oss7 kernel: e1000e: eth0 NIC Link is Up
		Nov 25 03:12:57 oss7 kernel: Call Trace:
	END
	run -0 --separate-stderr dktrace convert --format json messages -
	same 'Pid: 4711, comm: ll_ost00_001 4.18.0-553 #1 SMP|Call Trace:|[<0>] ldlm_completion_ast+0x430/0x860 [ptlrpc]|tgt_request_handle+0x1/0x2 [ptlrpc]' \
		"$(jq -r .fields.msg <<<"$output" | sed -n '2,5p' | paste -sd '|')" "trace"
	same "@@@ timed out" "$(jq -r .fields.msg <<<"$output" | sed -n '6,$p')" "the next message"
	run -0 --separate-stderr dktrace lustre evictions messages
	has "$output" "inactive for 200.123 seconds"
}

@test "messages without a time that is known are refused with the times that are" {
	echo 'LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed out' >bare
	printf '%s\n' '[Nov25 03:12] LustreError: 4711:0:(client.c:1:f()) @@@ timed out' '[  +0.000010] LustreError: 1:0:(client.c:1:f()) more' >reltime
	for file in bare reltime; do
		expect 1 "" "dktrace: open $file: it has messages of Lustre, but behind no time that is known: those of syslog, of dmesg with or without -T and with --time-format iso, of all formats of journalctl but cat, of conman, and of JSON are read" \
			dktrace report "$file"
	done
}
