#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# view: the page of a recording, its numbers beside those of the commands, and hostile names.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# Prints the data of a page. usage: data PAGE FILTER
data()
{
	sed -n 's|.*<script type="application/json" id="data">||p' "$1" | jq -r "$2"
}

# Prints the page as the browser has it once its script has run. usage: browse PAGE
browse()
{
	timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--user-data-dir="$BATS_TEST_TMPDIR/profile" --virtual-time-budget=3000 --dump-dom \
		"file://$PWD/$1" 2>/dev/null
}

@test "the data of a page are the numbers of the commands" {
	dktrace view "$capture" -o page.html
	same "$(dktrace report "$capture" | wc -l)" "$(data page.html '[.events[].count] | add')" records
	same "$(dktrace info --json "$capture" | jq -c '[.events[] | ["\(.system):\(.event)", .records]] | sort')" \
		"$(data page.html '[.events[] | ["\(.system):\(.name)", .count]] | sort | tojson')" "records of each event"
	same "$(data page.html '[.events[].count] | add')" "$(data page.html '[.events[].series | to_entries[] | select(.key % 2 == 1) | .value] | add')" "records over time"
	run -0 --separate-stderr dktrace latency syscall --slowest 10 --input "$capture" --json
	jq -S 'del(.. | .log2?)' <<<"$output" >wanted
	data page.html '.pairs[] | select(.name == "syscall") | .numbers' | jq -S 'del(.. | .log2?)' | diff wanted -
	same "$(jq .all.count wanted)" \
		"$(data page.html '[.pairs[] | select(.name == "syscall") | .heat[][6] | to_entries[] | select(.key % 2 == 1) | .value] | add')" "pairs of the heat map"
	# A time of the page is one for --since.
	run -0 dktrace report --since "$(data page.html .origin | sed 's/.\{9\}$/.&/')" "$capture"
	same "$(data page.html '.samples[0][3]')" "${lines[0]}" "the first record"
}

@test "the page needs nothing from elsewhere and is not larger than its parts" {
	dktrace view "$capture" -o page.html
	no_line '(src|href)="[^#]' page.html
	no_line '@@[A-Z0-9]+@@' page.html
	has_line "default-src 'none'" page.html
	within 300000 "$(stat -c %s page.html)" 700000 "size of the page"
}

# The numbers of a table of the page, a row in a line. usage: cells LABEL <DOM
cells()
{
	tr -d '\n' | sed "s|.*aria-label=\"$1\"||; s|</table>.*||; s|<tr>|\n|g" | sed 1,2d |
		sed 's|<td[^>]*data-value="\([^"]*\)"[^>]*>[^<]*</td>|,\1|g; s|<td[^>]*>\([^<]*\)</td>|,\1|g; s|</*t[a-z]*>||g; s|^,||'
}

@test "a browser shows the numbers of the tables, and runs nothing that a name says" {
	command -v chromium >/dev/null || skip "needs chromium"
	local bad='</script><script>document.title="bad"</script><img src=x onerror=document.title="bad"><!--' file

	cp -r "$capture" tree
	chmod -R u+w tree
	sed -i "s|^21738 .*|21738 $bad|; s|^21739 .*|21739 a\"'\&\xff\u2028|" tree/saved_cmdlines
	file='<img src=x onerror=document.title="bad">.dat'
	dktrace convert tree "$file"
	dktrace view "$file" -o page.html
	browse page.html >dom
	has_line '<html[^>]* data-ready="true"' dom
	no_line '<html[^>]* data-error' dom
	no_line '<title>bad' dom
	no_line '<img' dom
	dktrace latency syscall --input "$capture" --csv 2>/dev/null | tail -n +2 >wanted
	same "$(cat wanted)" "$(cells 'Latencies of syscall' <dom | grep -v '^(all)')" "rows of latency"
	same "$(dktrace info --json "$capture" | jq -r '.events[] | "\(.system):\(.event) \(.records)"' | sort)" \
		"$(cells Events <dom | sed 's/^\([^,]*\),.*,\([0-9]*\),*[^,]*$/\1 \2/' | sort)" "rows of events"
	has "$(cells Processes <dom)" '&lt;/script&gt;&lt;scrip,21738,214'
}

@test "lost records are in the page, and in the exit status" {
	run -3 dktrace view "$BATS_TEST_DIRNAME/../fuzz/corpus/tracedat/v6" -o page.html
	same '13 4' "$(data page.html '.files[0] | "\(.records) \(.lost)"')" losses
	# These have their places: a gap that the reader met.
	printf '%s\n' '# tracer: nop' ' dd-1 [000] ..... 1.000000: made: a' \
		'CPU:0 [LOST 7 EVENTS]' ' dd-1 [000] ..... 2.000000: made: b' >text
	run -3 dktrace view text -o page.html
	same '1 7 7' "$(data page.html '.losses | "\(.n) \(.known) \(.lost[1])"')" "where"
	same 1000000000 "$(data page.html '[.losses.shadow | to_entries[] | select(.key % 2 == 1) | .value] | add')" "ns of the gap"
}

@test "call stacks become a tree with the counts of the style folded" {
	local file
	for file in "$top"/tests/fixture/{perfdata/pipe.data,text/trace-6.18.txt}; do
		# The text has lost records, too.
		dktrace report --style folded "$file" 2>/dev/null | grep -v '^\[lost\]' | LC_ALL=C sort >wanted
		dktrace view "$file" -o page.html 2>/dev/null || same 3 $?
		# Each stack of the tree, with what its children do not have.
		data page.html 'def walk(path): .[1] as $all | ([.[3][][1]] | add // 0) as $below |
			(if $all > $below then "\(path | join(";")) \($all - $below)" else empty end),
			(.[3][] | . as $it | walk(path + [$it[0]])); .stacks.tree | walk([])' | LC_ALL=C sort | diff wanted -
		at_least 1 "$(wc -l <wanted)" stacks
	done
}

@test "view FILE... merges, and its files are told apart" {
	dktrace convert --until 3495.43 "$capture" a.dat
	dktrace convert --since 3495.430001 "$capture" b.dat
	run -0 dktrace view a.dat b.dat -o page.html
	same 'a.dat b.dat' "$(data page.html '[.files[].name] | join(" ")')" files
	same "$(dktrace report "$capture" | wc -l)" "$(data page.html '[.events[].count] | add')" records
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

@test "the page is whole or not written at all" {
	echo old >page.html
	run -1 dktrace view missing.dat -o page.html
	same old "$(cat page.html)" "a page after a failure"
	run -1 dktrace view "$capture" -o missing/page.html
	has "$output" 'missing/page.html'
	cp -r "$capture" tree
	dktrace convert tree a.dat
	run -1 dktrace view a.dat -o a.dat
	dktrace info a.dat
	expect 2 '' "dktrace: view: needs --output; '-' is standard output" dktrace view a.dat
	dktrace view a.dat -o - >there.html
	dktrace view a.dat -o page.html
	same "$(data page.html .events)" "$(data there.html .events)" "standard output"
}
