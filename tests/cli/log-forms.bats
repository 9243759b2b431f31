#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Logs of Lustre in the forms in which people have them: copied by other programs, or put into tickets.
# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # programs of jq and awk; set by bats and helper/common.bash
load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	export TZ=UTC
	dump >wanted.dump
	messages >wanted.console
}

# Lines of a dump.
dump()
{
	cat <<-'END'
		00000100:00100000:2.0:1795576375.496695:0:14615:0:(client.c:1498:ptlrpc_send_new_req()) Sending RPC req@ffff8800 pname:cluuid:pid:xid:nid:opc:job ptlrpcd_00:abc:14615:1567:10.0.0.1@tcp:400:
		00010000:02000400:3.0:1795576376.496695:0:14616:0:(ldlm_lockd.c:334:waiting_locks_callback()) ### lock callback timer expired after 100s: evicting client at 10.0.0.2@tcp  ns: x_UUID lock: 0000000012345678/0x5d3c lrc: 3/0,0 mode: PW/PW res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT [0->4095]
		00000100:00100000:2.0:1795576377.496695:0:14615:0:(client.c:2100:ptlrpc_check_set()) Completed RPC req@ffff8800 pname:cluuid:pid:xid:nid:opc:job ptlrpcd_00:abc:14615:1567:10.0.0.1@tcp:400:
	END
}

# Messages of the console, which have no time.
messages()
{
	cat <<-'END'
		LustreError: 4711:0:(ldlm_lockd.c:256:expired_lock_main()) ### lock callback timer expired after 100s: evicting client at 10.0.0.2@tcp  ns: x_UUID lock: 0000000012345678/0x5d3c lrc: 3/0,0 mode: PW/PW res: [0x1:0x2:0x0].0x0 rrc: 3 type: EXT [0->4095]
		Lustre: x-OST0000: haven't heard from client abc (at 10.0.0.2@tcp) in 227 seconds. I think it's dead, and I am evicting it.
		Lustre: x-OST0000: Connection restored to 10.0.0.2@tcp (at 10.0.0.2@tcp)
	END
}

# Puts a text before each message of the console; @ is the second of its time.
before()
{
	awk -v text="$1" '{ t = text; gsub("@", 54 + NR, t); print t $0 }' wanted.console
}

syslog()
{
	before 'Nov 25 03:12:@ oss7 kernel: '
}

# Writes each message of the console as JSON. usage: json PROGRAM-OF-JQ, with the number $n of the message
json()
{
	jq -Rc --argjson n 0 "(input_line_number + 54) as \$n | $1" wanted.console
}

# Wraps lines as a mail program does.
words()
{
	fold -s -w 80 | sed 's/ $//'
}

# Prints the text in a form.
form()
{
	case $1 in
	"rsyslog's ISO dates") before '2026-11-25T03:12:@.250000+00:00 oss7 kernel: ' ;;
	"ISO dates with the kernel's time") before '2026-11-25T03:12:@.250000Z oss7 kernel: [12345.678901] ' ;;
	"RFC 5424") before '<4>1 2026-11-25T03:12:@.250000+00:00 oss7 kernel - - - ' ;;
	"RFC 5424 with structured data")
		before '<4>1 2026-11-25T03:12:@Z oss7 kernel 77 ID47 [meta sequenceId="1"][origin ip="10.0.0.1" x="a\\"b\\]"] ' ;;
	"RFC 5424 without a priority") before '1 2026-11-25T03:12:@Z oss7 kernel - - - ' ;;
	"RFC 5424 with a byte order mark") before $'<4>1 2026-11-25T03:12:@Z oss7 kernel - - - \xef\xbb\xbf' ;;
	"journalctl -o short-precise") before 'Nov 25 03:12:@.250000 oss7 kernel: ' ;;
	"journalctl -o short-iso-precise") before '2026-11-25T03:12:@.250000+0000 oss7 kernel: ' ;;
	"a year before the date") before '2026 Nov 25 03:12:@ oss7 kernel: ' ;;
	"a year after the date") before 'Nov 25 2026 03:12:@ oss7 kernel: ' ;;
	"facility and level") before 'Nov 25 03:12:@ oss7 kern.err kernel: ' ;;
	"dmesg -T with threads") before '[Wed Nov 25 03:12:@ 2026] [ T4711] ' ;;
	"dmesg with threads") before '[12345.0000@][ T4711] ' ;;
	"Kubernetes, JSON")
		json '{log: "Nov 25 03:12:\($n) oss7 kernel: \(.)\n", stream: "stdout", time: "2026-11-25T03:12:\($n).123456789Z"}' ;;
	"Kubernetes, JSON of messages") json '{log: (. + "\n"), stream: "stderr", time: "2026-11-25T03:12:\($n)Z"}' ;;
	"Kubernetes, CRI") before '2026-11-25T03:12:@.123456789Z stdout F ' ;;
	"kubectl logs --prefix") before '[pod/csi-1/lustre] 2026-11-25T03:12:@.123456789Z ' ;;
	"Elasticsearch") json '{"@timestamp": "2026-11-25T03:12:\($n).123Z", host: {name: "oss7"}, message: .}' ;;
	"Graylog") json '{version: "1.1", host: "oss7", short_message: ., timestamp: (1795576320.5 + $n), level: 3}' ;;
	"logcli of Loki") before '2026-11-25T03:12:@+00:00 {job="syslog",host="oss7"} ' ;;
	"docker compose") syslog | sed 's/^/oss7-1  | /' ;;
	"pdsh") syslog | sed 's/^/oss7: /' ;;
	"grep of rotated files") syslog | sed 's,^,/var/log/messages-20261125:,' ;;
	"grep --color") syslog | sed 's/Lustre/\x1b[01;31m\x1b[K&\x1b[m\x1b[K/' ;;
	"dmesg --color=always") before $'\033[32m[12345.0000@] \033[0m' | sed 's/Lustre[A-Za-z]*/\x1b[33m&\x1b[0m/' ;;
	"CRLF") syslog | sed 's/$/\r/' ;;
	"a byte order mark") printf '\xef\xbb\xbf' && syslog ;;
	"UTF-16 of Windows") { printf '\xef\xbb\xbf' && syslog; } | iconv -f UTF-8 -t UTF-16LE ;;
	"no-break spaces of a page") syslog | sed 's/ /\xc2\xa0/g' ;;
	"entities of HTML") syslog | sed "s/&/\&amp;/g; s/>/\&gt;/g; s/'/\&#39;/g" ;;
	"tabs") before $'Nov\t25\t03:12:@\toss7\tkernel:\t' ;;
	"lines cut by a terminal") syslog | fold -w 80 ;;
	"lines wrapped by a mail program") syslog | words ;;
	"NULs after a crash") head -c 4000 /dev/zero && syslog && head -c 400 /dev/zero ;;
	"NULs within, and a line that was cut")
		syslog | head -n 1 && head -c 400 /dev/zero && syslog | tail -n 2 ;;
	"rotated within a line") echo "nd to 10.0.0.2@tcp (at 10.0.0.2@tcp)" && syslog ;;
	"a macro of a wiki") echo '{code:java}' && syslog && echo '{code}' ;;

	"dump") dump ;;
	"dump: CRLF") dump | sed 's/$/\r/' ;;
	"dump: a byte order mark") printf '\xef\xbb\xbf' && dump ;;
	"dump: UTF-16 of Windows") { printf '\xef\xbb\xbf' && dump; } | iconv -f UTF-8 -t UTF-16LE ;;
	"dump: UTF-16, big-endian, without a mark") dump | iconv -f UTF-8 -t UTF-16BE ;;
	"dump: entities of HTML") dump | sed 's/>/\&gt;/g' ;;
	"dump: lines cut by a terminal") dump | fold -w 80 ;;
	"dump: lines cut at 132 columns") dump | fold -w 132 ;;
	"dump: lines wrapped by a mail program") dump | words ;;
	"dump: macros of a ticket") echo '{noformat}' && dump && echo '{noformat}' ;;
	"dump: a fence of Markdown") echo '```' && dump && echo '```' ;;
	"dump: indented") dump | sed 's/^/    /' ;;
	"dump: quoted in quotations") dump | sed 's/^/> > /' ;;
	"dump: kubectl logs --prefix") dump | sed 's,^,[pod/csi-1/lustre] ,' ;;
	"dump: docker compose") dump | sed 's/^/oss7-1  | /' ;;
	"dump: ts") dump | sed 's/^/Nov 25 03:12:55 /' ;;
	"dump: logger") dump | sed 's/^/Nov 25 03:12:55 oss7 root: /' ;;
	"dump: cat -n") dump | cat -n ;;
	"dump: less -N") dump | awk '{ printf "%7d %s\n", NR, $0 }' ;;
	"dump: grep -C") dump | sed 's,^,/tmp/dk.1-17-,' ;;
	"dump: diff") dump | sed 's/^/+/' ;;
	"dump: ansible") echo 'oss7 | CHANGED | rc=0 >>' && dump ;;
	"dump: clush -b") printf '%s\n' --------------- 'oss7 (1)' --------------- && dump ;;
	esac
}

forms()
{
	sed -n '/^form()/,/^}/s/^\t"\([^"]*\)").*/\1/p' "$BATS_TEST_FILENAME"
}

# The texts of the messages. The style raw has one line for each.
texts()
{
	sed -E 's/^.*\(\)\) //; s/^Lustre: //'
}

@test "a log is read in each form in which people have it" {
	local name kind wrong="" have n=0

	while read -r name; do
		kind=console
		[[ $name != dump* ]] || kind=dump
		form "$name" >text
		touch -d 2026-11-26 text
		dktrace report --style legacy text >out 2>err || wrong+="$name: $(<err)"$'\n'
		have=$(texts <out)
		[ "$have" = "$(texts <"wanted.$kind")" ] || wrong+="$name: $have"$'\n'
		[[ $name == dmesg\ with* || $name == *color=* ]] || grep -q ':179557637' out || wrong+="$name: time"$'\n'
		dktrace convert --format legacy text - 2>/dev/null | cmp out - || wrong+="$name: convert"$'\n'
		dktrace info --json text 2>/dev/null | jq -e '.. | .records? // empty | select(. == 3)' >/dev/null ||
			wrong+="$name: info"$'\n'
		dktrace lustre evictions --csv text 2>/dev/null | grep -q '10.0.0.2@tcp' || wrong+="$name: evictions"$'\n'
		n=$((n + 1))
	done < <(forms)
	at_least 60 "$n" "forms"
	same "" "$wrong" "forms"
}

@test "the host of a line is that of the form" {
	local name

	for name in "RFC 5424" "RFC 5424 with structured data" "Graylog" "a year after the date"; do
		form "$name" >text
		same oss7 "$(dktrace info --json text 2>/dev/null | jq -r '.. | .host? // empty' | head -n 1)" "host of $name"
	done
	syslog | sed '2s/oss7/oss8/' >text
	same "oss7 oss8" "$(dktrace info --json text 2>/dev/null | jq -r '.. | .host? // empty' | head -n 1)" "two hosts"
}

@test "a dump and a file of syslog can be in one file, in any order" {
	local i

	dump >one
	{ syslog && echo 'Nov 25 03:12:59 oss7 systemd[1]: Started a session.'; } >two
	cat one two >three
	cat two one >four
	for _ in {1..9}; do
		sed -n '$p' two
	done >later
	{ cat later two one && sed -n '$p' two; } >five
	for i in three four five; do
		touch -d 2026-11-26 "$i"
		run -0 --separate-stderr dktrace report --style legacy "$i"
		same "" "$stderr" "words about $i"
		same "$({ texts <wanted.dump && texts <wanted.console; } | sort)" "$(texts <<<"$output" | sort)" "texts of $i"
	done
	run -0 dktrace lustre timeline 10.0.0.2@tcp three
	has "$output" "haven't heard"
	has "$output" "waiting_locks_callback"
}

@test "the hosts that ansible ran on do not become a part of messages" {
	{ echo 'oss7 | CHANGED | rc=0 >>' && dump && echo 'oss8 | CHANGED | rc=0 >>' && dump; } >text
	run -0 --separate-stderr dktrace report --style legacy text
	same "$({ dump && dump; } | sort)" "$(sort <<<"$output")" "records"
}

@test "lines of a message that are as long by chance are not joined" {
	{
		echo '00000100:00100000:2.0:1795576375.496695:0:14615:0:(client.c:1498:f()) first line of a message'
		echo 'second line'
		echo '00000100:00100000:2.0:1795576376.496695:0:14615:0:(client.c:1498:f()) first line of a message'
		echo 'second line'
	} >text
	run -0 --separate-stderr dktrace report --style legacy text
	same "$(paste -sd '+\n' text | sed 's/+/\\n/')" "$output" "messages of two lines"
}

@test "lines of a dump in strings of JSON are refused with the words that say so" {
	dump | jq -Rn '{stdout_lines: [inputs]}' >text
	expect 1 "" "dktrace: open text: it has lines of Lustre's debug log in strings of JSON; 'jq -r' with the name of the string prints them as lines, which are read" \
		dktrace report text
	jq -r '.stdout_lines[]' text >lines
	run -0 dktrace report lines
	same 3 "${#lines[@]}" "records"
}

@test "dk does not replace a log in another form by mistake" {
	form "dump: UTF-16 of Windows" >text
	cp text before
	run -2 --separate-stderr dktrace show text
	has "$stderr" "text has records"
	cmp text before
}
