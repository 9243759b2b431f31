#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# view: the page of a recording, its numbers beside those of the commands, and hostile names.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

# The page of Lustre's logs, for two tests.
setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return
	"$BATS_TEST_DIRNAME/../tools/gen-lustre-log" client 2.15 60 3.5 >client
	"$BATS_TEST_DIRNAME/../tools/gen-lustre-log" server 2.15 60 >server
	dktrace view client server -o lustre.html 2>words
}

setup()
{
	delays=$BATS_TEST_DIRNAME/../fixture/lustre/delays
	cd "$BATS_TEST_TMPDIR" || return
}

# Prints the data of a page. usage: data PAGE FILTER
data()
{
	sed -n 's|.*<script type="application/json" id="data">||p' "$1" | jq -r "$2"
}

# The numbers of a table of the page, a row in a line. usage: cells LABEL <DOM
cells()
{
	tr -d '\n' | sed "s|.*aria-label=\"$1\"||; s|</table>.*||; s|<tr>|\n|g" | sed 1,2d |
		sed 's|<td[^>]*data-value="\([^"]*\)"[^>]*>[^<]*</td>|,\1|g; s|<td[^>]*>\([^<]*\)</td>|,\1|g; s|</*t[a-z]*>||g; s|^,||'
}

# Writes timed.html: stacks at 1 s and every 20 ms, whose function in_second_N tells the second.
timed_stacks()
{
	awk 'BEGIN {
		print "# tracer: nop"
		for (i = 0; i < 200; i++) {
			printf " dd-1 [000] ..... %d.%03d001: made: a\n", 1 + i / 50, i % 50 * 20
			printf " dd-1 [000] ..... %d.%03d002: <stack trace>\n => in_second_%d\n => main\n", 1 + i / 50,
				i % 50 * 20, i / 50
		}
	}' >timed.txt
	dktrace view timed.txt -o timed.html
}

# Writes calls.html, a page of the logs of a real client and server, and names.html, of a call with hostile names.
lustre_calls()
{
	local bad='<img src=x onerror=document.title="bad">' say='00000100:00100000:0.0:1700000000.%s:0:700:0:(a.c:1:%s()) %s\n' rpc

	rpc="RPC req@0000000000001000 pname:cluuid:pid:xid:nid:opc:job rm:u<b>-1:700:5000:$bad@tcp:36:\"'<i>.0"
	# shellcheck disable=SC2059 # one format for all lines
	{
		printf "$say" 000700 ll_unlink "VFS Op:name=</script><!--$bad, dir=[0x200000401:0x1:0x0](0000000000001234)"
		printf "$say" 001000 f "Sending $rpc"
		printf "$say" 010000 f "Completed $rpc"
		printf "$say" 010500 ll_unlink 'unlinked'
	} >names.dk
	dktrace view names.dk -o names.html
	dktrace view "$delays-client.dk.xz" "$delays-server.dk.xz" -o calls.html 2>words
}

# Writes hosts.html, a page of 40 hosts with system calls.
many_hosts()
{
	local i j offsets=

	for i in {0..39}; do
		for ((j = 0; j <= i % 5; j++)); do
			printf '   dd-7 [000] %d.000001: sys_enter: NR %d (1, 2, 3, 4, 5, 6)\n' "$j" $((j + i % 3))
			printf '   dd-7 [000] %d.%06d: sys_exit: NR %d = 5\n' "$j" $((100 * (i + 2))) $((j + i % 3))
		done >"h$i.txt"
		offsets+=,h$i.txt=0
	done
	dktrace view h{0..39}.txt --offset "${offsets#,}" -o hosts.html 2>words
}

@test "the page carries the license of d3, which it contains" {
	run -0 dktrace view "$capture" -o page.html
	grep -q 'SPDX-License-Identifier: BSD-3-Clause AND MIT AND Apache-2.0' page.html
	grep -q 'Redistributions in binary form must reproduce' page.html
	grep -q 'The Pennsylvania State' page.html
}

@test "a page of many hosts has the records over time of each" {
	many_hosts
	data hosts.html . >data
	same 40 "$(jq '.files | length' data)" files
	same "$(jq -c '[.files[].records]' data)" \
		"$(jq -c '[.files[].series | [to_entries[] | select(.key % 2 == 1) | .value] | add]' data)" "records over time"
	same "$(jq '[.events[].count] | add' data)" "$(jq '[.files[].records] | add' data)" records
	dktrace view h4.txt -o one.html
	same null "$(data one.html '.files[0].series')" "of one file"
}

@test "a page has the numbers of the commands, needs nothing from elsewhere and runs nothing that a name says" {
	local bad='</script><script>document.title="bad"</script><img src=x onerror=document.title="bad"><!--' file

	cp -r "$capture" tree
	chmod -R u+w tree
	sed -i "s|^21738 .*|21738 $bad|; s|^21739 .*|21739 a\"'\&\xff\u2028|" tree/saved_cmdlines
	file='<img src=x onerror=document.title="bad">.dat'
	dktrace convert tree "$file"
	dktrace view "$file" -o page.html
	data page.html . >data
	dktrace info --json "$file" | jq -r '.events[] | "\(.system):\(.event) \(.records)"' | sort >events
	jq -r '.events[] | "\(.system):\(.name) \(.count)"' data | sort | diff events -
	same "$(jq '[.events[].count] | add' data)" \
		"$(jq '[.events[].series | to_entries[] | select(.key % 2 == 1) | .value] | add' data)" "records over time"
	# A time of the page is one for --since.
	run -0 dktrace report --since "$(jq -r .origin data | sed 's/.\{9\}$/.&/')" "$file"
	same "${#lines[@]}" "$(jq '[.events[].count] | add' data)" records
	same "$(jq -r '.samples[0][3]' data)" "${lines[0]}" "the first record"
	dktrace latency syscall --slowest 10 --input "$file" --json | jq -S 'del(.. | .log2?)' >wanted
	jq '.pairs[] | select(.name == "syscall") | .numbers' data | jq -S 'del(.. | .log2?)' | diff wanted -
	same "$(jq .all.count wanted)" \
		"$(jq '[.pairs[] | select(.name == "syscall") | .heat[][6] | to_entries[] | select(.key % 2 == 1) | .value] | add' data)" "pairs of the heat map"
	no_line '(src|href)="[^#]' page.html
	no_line '@@[A-Z0-9]+@@' page.html
	has_line "default-src 'none'" page.html
	within 300000 "$(stat -c %s page.html)" 700000 "size of the page"

	command -v chromium node >/dev/null || skip "the browser's part needs chromium and node"
	dktrace view "$top/tests/fixture/perfdata/pipe.data" -o stacks.html
	timed_stacks
	many_hosts
	lustre_calls
	run -0 timeout 600 node "$BATS_TEST_DIRNAME/view-browser.js" page.html stacks.html timed.html "$BATS_FILE_TMPDIR/lustre.html" \
		hosts.html calls.html names.html .
	no_line '<title>bad' dom
	no_line '<img' dom
	jq -r '.groups[] | [.group, .count, .min, .p50, .p90, .p99, ."p99.9", .max, .total] | join(",")' wanted |
		diff - <(cells 'Latencies of syscall' <dom | grep -v '^(all)')
	diff events <(cells Events <dom | sed 's/^\([^,]*\),.*,\([0-9]*\),*[^,]*$/\1 \2/' | sort)
	has "$(cells Processes <dom)" '&lt;/script&gt;&lt;scrip,21738,214'
	# The marks of durations are decades.
	has_line '>10 µs</text>' dom
	has_line '>100 µs</text>' dom
}

@test "the slowest system calls of a page have names if their records have only numbers" {
	printf '%s\n' '   dd-7 [000] 1.000001: sys_enter: NR 61 (ffffffff, 7ffe, 0, 0, 0, 0)' \
		'   dd-7 [000] 1.500001: sys_exit: NR 61 = 5' >raw.txt
	dktrace view raw.txt -o page.html
	same wait4 "$(data page.html '.pairs[0].numbers.slowest[0].begin.call')" call
}

@test "the files of a page are told apart, and lost records are in the page and in the exit status" {
	printf '%s\n' '# tracer: nop' ' dd-1 [000] ..... 1.000000: made: a' \
		'CPU:0 [LOST 7 EVENTS]' ' dd-1 [000] ..... 2.000000: made: b' >text
	# The gap of the text has its place; the other file only knows how many records it lost.
	cp "$BATS_TEST_DIRNAME/../fuzz/corpus/tracedat/v6" .
	run -3 dktrace view text v6 --offset v6=0 -o page.html
	data page.html . >data
	same 'text 2 7,v6 13 4' "$(jq -r '[.files[] | "\(.name) \(.records) \(.lost)"] | join(",")' data)" files
	same 15 "$(jq '[.events[].count] | add' data)" records
	same '1 7 7' "$(jq -r '.losses | "\(.n) \(.known) \(.lost[1])"' data)" "where"
	same 1000000000 "$(jq '[.losses.shadow | to_entries[] | select(.key % 2 == 1) | .value] | add' data)" "ns of the gap"
}

@test "call stacks become a tree with the counts of the style folded" {
	local perf=$top/tests/fixture/perfdata/pipe.data text=$top/tests/fixture/text/trace-6.18.txt

	# Adds up the counts of equal stacks.
	sums()
	{
		awk '{ n[$1] += $2 } END { for (stack in n) print stack, n[stack] }' | LC_ALL=C sort
	}

	# The text has lost records, too. A function without a name has its address only in the style,
	# and only there is the one that records the event.
	{
		dktrace report --style folded "$perf"
		run -3 --separate-stderr dktrace report --style folded "$text"
		printf '%s\n' "${lines[@]}"
	} | grep -v '^\[lost\]' | sed 's/;0x[0-9a-f]*/;[unknown]/g; s/;trace_event_[^; ]* / /' | sums >wanted
	run -3 dktrace view "$perf" "$text" --offset "$text=0" -o page.html
	# Each stack of the tree, with what its children do not have.
	data page.html 'def walk(path): .[1] as $all | ([.[3][][1]] | add // 0) as $below |
		(if $all > $below then "\(path | join(";")) \($all - $below)" else empty end),
		(.[3][] | . as $it | walk(path + [$it[0]])); .stacks.tree | walk([])' |
		sed 's/^\[missing\]/-/; s/^[a-z_]*://' | sums | diff wanted -
	at_least 3 "$(wc -l <wanted)" stacks
}

@test "the slices of call stacks add up to their counts" {
	timed_stacks
	data timed.html .stacks >stacks
	same '1250000 0 1250000' "$(jq -r '"\(.slice) \(.origin) \(.heat.slice)"' stacks)" slices
	same 200 "$(jq '.heat.counts | add' stacks)" "records of the heat map"
	# The first slice of each second has one record of its function.
	same '0 800 1600 2400' "$(jq -r '[.tree | .. | arrays | select(.[0] | tostring | startswith("in_second")) |
		.[4][0]] | join(" ")' stacks)" "first slices"
	same '50 50 50 50' "$(jq -r '[.tree | .. | arrays | select(.[0] | tostring | startswith("in_second")) |
		.[4] | [to_entries[] | select(.key % 2 == 1) | .value] | add] | join(" ")' stacks)" "records of slices"
}

@test "a page of Lustre's text counts by class" {
	cat >lustre.txt <<-'END'
	00000100:00100000:0.0:1700000000.000001:0:10:0:(client.c:1:ptlrpc_send()) Sending RPC
	00010000:00010000:1.0:1700000000.500000:0:11:0:(ldlm_lock.c:2:ldlm_lock()) <b>lock</b>
	00010000:00010000:1.0:1700000001.000000:0:11:0:(ldlm_lock.c:3:ldlm_lock()) again
	END
	run -0 dktrace view lustre.txt -o page.html
	same 'dlmtrace 2,rpctrace 1' "$(data page.html '[.classes[] | "\(.name) \(.count)"] | sort | join(",")')" classes
	has "$(data page.html '.samples[1][3]')" '<b>lock</b>'
	lacks "$(cat page.html)" '<b>'
	same '[] null' "$(data page.html '"\(.pairs) \(.stacks.tree)"')" "neither pairs nor stacks"
}

@test "a page of Lustre's logs has each slow request with its times" {
	cd "$BATS_FILE_TMPDIR"
	data lustre.html '.waterfall[] | .id as $id | .spans[] | select(.[4] == 0) | "\($id) \(.[0]) \(.[3] - .[2])"' | sort >have
	# The server tells the time of each request, in us.
	sed -n 's/.*Handled RPC.*:x\([0-9]*\):.*processed in \([0-9]*\)us.*/\1 service \2000/p' server | sort >wanted
	at_least 40 "$(comm -12 wanted have | wc -l)" "requests with their times of service"
	same '' "$(comm -13 wanted <(grep service have))" "other times of service"
	has "$(data lustre.html '[.waterfall[] | select(.spans | any(.[4] == 1))][0].label')" ' x17'
	# The server's clock is 3.5 s behind. On one clock, all that a server does lies within the client's wait.
	has "$(cat words)" "by 60 requests with both sides"
	same 'true' "$(data lustre.html '[.waterfall[] | select(.spans[0][0] == "client" and .spans[0][4] == 0) |
		.spans[0] as $client | .spans[] | .[2] >= $client[2] and .[3] <= $client[3]] | all')" "spans in order"
}

@test "a page of Lustre's logs has the slowest calls with the parts of their time" {
	lustre_calls
	data calls.html . >data
	# The same as lustre path has, span by span.
	dktrace lustre path --json --slowest 200 "$delays-client.dk.xz" "$delays-server.dk.xz" >wanted 2>words
	jq -c '.slowest[] | [.slowest, .call, .file, .fid, .opcode, (.xid | tostring), .requests, .job, .client, .target, .host],
		(.spans[] | [.part, .from, .time, .host, (.xid // null | if . then tostring else . end), .held.holder, .held.host, .held.pid])' wanted >rows
	jq -c '(.files | map(.path | split("/")[-1])) as $hosts | .paths[] | . as $it |
		[.ns, .call, .file, .fid, .opcode, .xid, .requests, .job, .client, .target, $hosts[.host]],
		(.spans[] | [.[0], .[2] - $it.from, .[3] - .[2], $hosts[.[1]], .[4],
			.[5][0], (.[5][1] | if . == null then . else $hosts[.] end), .[5][2]])' data | diff rows -
	at_least 1000 "$(wc -l <rows)" "calls and spans"
	same "$(jq ".calls + .requests_alone" wanted)" "$(jq .n_paths data)" "all calls"
	# Few threads, see path.bats: each request but those that had a thread waited in the queue.
	same 'queue 17, work 3' "$(jq -r '((.origin | tonumber) / 1e9) as $origin | [.paths[] |
		select($origin + .from / 1e9 > 1795913517.4 and $origin + .from / 1e9 < 1795913548 and .opcode == "OST_WRITE" and .ns > 900000000) |
		[.spans | group_by(.[0])[] | { part: .[0][0], ns: map(.[3] - .[2]) | add }] | max_by(.ns).part] |
		group_by(.) | map("\(.[0]) \(length)") | join(", ")' data)" "the longest parts"
	lacks "$(cat names.html)" '<img'
	lacks "$(cat names.html)" '<b>'
	same '</script><!--<img src=x onerror=document.title="bad"> 9000000' \
		"$(data names.html '.paths[0] | "\(.file) \(.spans[1][3] - .spans[1][2])"')" "a call with hostile names"
}

@test "rare events are one layer, and there is no page without records" {
	local i
	for ((i = 0; i < 60; i++)); do
		printf ' dd-1 [000] ..... %d.000000: sys%d_ev%d: a\n' $((i + 1)) $((i % 3)) $i
	done >text
	expect 0 '' '' dktrace view text -o page.html
	data page.html . >data
	same 48 "$(jq '[.events[] | select(.series)] | length' data)" "events with counts over time"
	same '12 12' "$(jq -r '[.rest[] | .n, .count] | "\(.[0] + .[2] + .[4]) \(.[1] + .[3] + .[5])"' data)" "the rest"
	same 12 "$(jq '[.rest[].series | to_entries[] | select(.key % 2 == 1) | .value] | add' data)" "the rest over time"
	md5sum page.html >sum
	expect 1 '' "dktrace: no record is selected, so there is no page; 'dktrace info text' shows the events and times of the file" \
		dktrace view text --comm none -o page.html
	md5sum --check --quiet sum
	echo '# tracer: nop' >empty
	expect 1 '' "dktrace: empty has no records, so there is no page" dktrace view empty -o none.html
	gone none.html
}

@test "the page is whole or not written at all" {
	cp -r "$capture" tree
	echo old >page.html
	run -1 dktrace view missing.dat -o page.html
	same old "$(cat page.html)" "a page after a failure"
	run -1 dktrace view tree -o missing/page.html
	has "$output" 'missing/page.html'
	echo '# tracer: nop' >text
	run -1 dktrace view text -o text
	same '# tracer: nop' "$(cat text)" "a page in place of the file"
	expect 2 '' "dktrace: view: needs --output; '-' is standard output" dktrace view text
	dktrace view tree -o - >there.html
	at_least 35 "$(data there.html '.events | length')" "events on standard output"
}

@test "the colours of the page stand out and can be told apart, whatever one sees" {
	command -v node >/dev/null || skip "needs node"
	expect 0 '' '' node "$BATS_TEST_DIRNAME/view-palette.js" "$top/share/view/page.css" "$top/ctl/out/svg.h"
}

# Prints the texts of a picture that match; read_pictures comes before. usage: texts ELEMENT ERE FILE
texts()
{
	sed -n "s|^$3 $1 ||p" texts | { grep -E -- "$2" || :; }
}

# Python takes longer to start than to read all pictures.
read_pictures()
{
	python3 -c 'import sys, xml.etree.ElementTree as tree
for file in sys.argv[1:]:
    for it in tree.parse(file).iter():
        print(file, it.tag.split("}")[1], it.text or "")' "$@" >texts
}

@test "--style svg of latency and hist has their numbers, and names stay text" {
	dktrace latency syscall --input "$capture" --style svg 2>/dev/null >picture.svg
	dktrace latency syscall --input "$capture" --json 2>/dev/null >wanted
	cp -r "$capture" tree
	chmod -R u+w tree
	printf '21738 </b>\xef\xbf\xbf<a>"&\xff\n' >tree/saved_cmdlines
	dktrace hist --input tree syscalls:sys_enter_openat --keys common_pid.execname --top 7 --style svg >bars.svg
	dktrace hist --input "$top/tests/fixture/perfdata/pipe.data" all --keys stacktrace --folded >folded
	dktrace hist --input "$top/tests/fixture/perfdata/pipe.data" all --keys stacktrace --folded --style svg >flame.svg
	PYTHONIOENCODING=utf-8 read_pictures picture.svg bars.svg flame.svg
	# The cells of the map, and the numbers of the bars.
	same "$(jq .all.count wanted)" "$(texts title '^[0-9]+ from ' picture.svg | awk '{ n += $1 } END { print n }')" cells
	same "$(jq -c '[.all.log2[].count]' wanted)" "$(texts text '^[1-9][0-9]*$' picture.svg | jq -sc .)" bars
	has "$(texts desc . picture.svg)" '851 measured: median 1.48 us'
	# Where and when it was, and durations in decades.
	has "$(texts desc . picture.svg)" '2026-11-20 11:46:49: 851 measured'
	has "$(texts text . picture.svg)" '11:46:49.755'
	same '1.00 us,10.0 us,100 us' "$(texts text '^1[0.]* us$' picture.svg | sort -V | paste -sd ',')" "marks"
	# A range without a round number has its ends.
	printf '%s\n' '   dd-7 [000] 1.000000: sys_enter: NR 61 (0, 0, 0, 0, 0, 0)' '   dd-7 [000] 1.003000: sys_exit: NR 61 = 5' >one.txt
	dktrace latency syscall --input one.txt --style svg >one.svg
	has_line 'text-anchor="end"[^>]*>2.10 ms<' one.svg
	has_line 'text-anchor="end"[^>]*>4.19 ms<' one.svg
	dktrace hist --input "$top/tests/fixture/tracedat/v7-zstd.dat" sched:sched_switch --keys next_pid --style svg >host.svg
	has "$(grep "<desc" host.svg)" "$(dktrace info --json "$top/tests/fixture/tracedat/v7-zstd.dat" | jq -r '.. | .host? // empty'): 50 hits"
	cmp picture.svg "$top/doc/latency.svg"
	has "$(texts text . bars.svg)" '</b> <a>"&\xff[21738]'
	has "$(texts desc . bars.svg)" '231 hits in 8 rows, 0 did not fit; not shown: 1'
	no_line '<a>' bars.svg
	same "all: $(awk '{ n += $NF } END { print n }' folded) hits, 100.00 %" "$(texts title '^all' flame.svg)" "the whole"
	at_least 8 "$(texts title '%$' flame.svg | wc -l)" frames
	expect 2 '' "dktrace: cannot combine --style svg with --json" dktrace hist all --style svg --json
	expect 2 '' "dktrace: --style: 'png' is not a style; the styles are text and svg" dktrace hist all --style png
}
