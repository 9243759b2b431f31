#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# collections: the files of several hosts as one input, on one clock with a stated error.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" && mkdir both || return
}

# Prints the description of a host whose clock was measured once: the question went US before, and the answer
# came US after, its clock was at 3495.4 s. usage: host NAME FILE US SECONDS [WALL]; its clock is SECONDS behind
host()
{
	jq -nc --arg name "$1" --arg file "$2" --argjson us "$3" --argjson s "$4" --argjson wall "${5:-0}" \
		'3495400000000 as $far | {name: $name, file: $file, state: "complete", status: 0, bytes: 1, breaks: 0,
		boot: $name, trips: [[$far + $s * 1000000000 - $us * 1000, $far + $s * 1000000000 + $us * 1000, $far, $far, $wall]]}'
}

# Writes the description. usage: describe HOST...
describe()
{
	printf '%s\n' "$@" | jq -sc '{collection: 1, command: ["record"], began: 0, ended: 0, wall: 0, hosts: .}' \
		>both/collection.json
}

# Two hosts with the same records: all are at the same time.
twins()
{
	dktrace convert "$capture" both/a.dat
	cp both/a.dat both/b.dat
	describe "$(host a a.dat 20 100)" "$(host b b.dat 50 100)"
}

@test "each record says how far its time is off, and whether its order is certain" {
	twins
	dktrace report --clock-error both >text 2>err
	has "$(cat err)" "dktrace: both/b.dat: +0.000000000 s to the clock of both/a.dat, accurate to 7"
	same "0 us" "$(sed -n 's/^a: +-\([0-9]*\)us .*/\1 us/p' text | sort -u)"
	# 70 us, and 100 ppm of the time to the measurement.
	same "73 74 75" "$(sed -n 's/^b: +-\([0-9]*\)us .*/\1/p' text | sort -nu | tr '\n' ' ' | sed 's/ $//')"
	# The first record comes after none.
	lacks "$(head -1 text)" "~"
	same "$(($(wc -l <text) / 2))" "$(grep -c '^b: +-[0-9]*us *~ ' text)"
	dktrace report --clock-error --style json both 2>/dev/null >json
	same "$(grep -c ' ~ ' text)" "$(jq 'select(.order_certain == false) | 1' json | wc -l)"
	same 0 "$(jq -s 'map(select(.from == "a").clock_error) | max' json)"
	jq -es 'map(select(.from == "b").clock_error) | min >= 70000 and max < 75000' json
	dktrace merge --clock-error -o merged.txt both
	cmp text merged.txt
}

@test "the files of a collection are read though collect was killed before it described them" {
	twins
	jq '.hosts[0] += {state: "running", bytes: 0} | .hosts[1] += {state: "connecting", bytes: 0} |
		.hosts += [.hosts[0] + {name: "c", file: "c.dat", state: "connecting"}]' both/collection.json >killed
	mv killed both/collection.json
	: >both/c.dat
	run -3 --separate-stderr dktrace report both
	same 2 "$(cut -d: -f1 <<<"$output" | sort -u | wc -l)" "hosts"
	same 1 "$(grep -c 'both: collect was killed or still runs; this is what had come' <<<"$stderr")" "messages"
	lacks "$stderr" "connecting"
	# The state of a host is told if it is the last one.
	jq '.ended = 1 | .hosts[1].state = "failed" | .hosts[1].message = "no answer"' both/collection.json >ended
	mv ended both/collection.json
	run -3 --separate-stderr dktrace report both
	has "$stderr" "dktrace: both: b: failed: no answer"
	has "$stderr" "dktrace: both: c: connecting"
}

@test "what a host did not send stays visible in the page, in databases and in merged files" {
	twins
	jq '.ended = 1 | .hosts[1] += {state: "failed", message: "no answer"} |
		.hosts += [.hosts[0] + {name: "c", file: "c.dat", bytes: 0, state: "failed", message: "no way"}]' \
		both/collection.json >ended
	mv ended both/collection.json
	: >both/c.dat
	run -3 dktrace view -o page.html both
	sed -n "s|.*<script type=\"application/json\" id=\"data\">||p" page.html >data
	same '3 ["b","c"] [true,false]' "$(jq -rc '"\(.collected) \([.lacking[].name]) \([.lacking[].sent])"' data)" "lacking"
	same '[null,"failed: no answer"]' "$(jq -c '[.files[].damage]' data)" "damage"
	run -3 --separate-stderr dktrace sql --csv both "SELECT path, records > 0, damage FROM files ORDER BY file"
	same 'both/a.dat,1,
both/b.dat,1,failed: no answer
both/c.dat,0,failed: no way' "$(tail -n +2 <<<"$output" | tr -d '"')" "files"
	run -3 --separate-stderr dktrace sql --csv both "SELECT h.name, f.path FROM files f JOIN hosts h USING(host) WHERE records = 0"
	same 'c,both/c.dat' "$(tail -n +2 <<<"$output" | tr -d '"')" "host"
	for version in trace.dat trace.dat-6; do
		run -3 --separate-stderr dktrace merge -o merged.dat --format $version both
		# Also in what is made of the file.
		run -1 --separate-stderr dktrace convert --format $version merged.dat again.dat
		for file in merged.dat again.dat; do
			run -1 --separate-stderr dktrace report $file
			has "$stderr" "dktrace: $file: both/b.dat: failed: no answer; both/c.dat: failed: no way"
			run -0 trace-cmd report $file
		done
	done
}

@test "the order is certain if the records are further apart than both errors" {
	twins
	describe "$(host a a.dat 20 100)" "$(host b b.dat 50 101)"
	dktrace report --clock-error both 2>/dev/null >text
	same 0 "$(grep -c " ~ " text)"
	same b "$(tail -1 text | cut -d: -f1)"
}

@test "the errors of two hosts are not those of a third one" {
	twins
	cp both/a.dat both/slow.dat
	describe "$(host slow slow.dat 900000 0)" "$(host a a.dat 20 100)" "$(host b b.dat 50 100.001)"
	dktrace report --clock-error --style json both 2>/dev/null >json
	# The clock of the first one is uncertain by 900 ms, so the others' errors against it are larger.
	jq -es 'map(select(.from == "a").clock_error) | min >= 900000000' json
	# But these two are 1 ms apart, and known to 70 us.
	jq -es 'map(select(.from == "b" and .order_certain)) | length > 0' json
}

@test "without measurements nothing is certain" {
	dktrace convert "$capture" a.dat
	dktrace report --clock-error a.dat "$top/tests/fixture/perfdata/plain.data" 2>/dev/null >text
	same 1 "$(grep -m 1 -c ": +-?  *~ " text)"
	dktrace report --clock-error --style json a.dat "$top/tests/fixture/perfdata/plain.data" 2>/dev/null >json
	jq -es 'map(select(.stream == 1).clock_error) | unique == [null]' json
	run -2 dktrace report --clock-error --style csv a.dat
	has "$output" "--clock-error: only the styles trace, legacy, raw and json show it"
	run -2 dktrace merge --clock-error -o x.dat a.dat
}

@test "the records of one host have an order" {
	perf=$top/tests/fixture/perfdata/plain.data
	cp "$perf" b.data
	dktrace report --clock-error "$perf" b.data >text
	has "$(head -1 text)" "plain.data: +-0us "
	same 0 "$(grep -c " ~ " text)"
	dktrace report --clock-error "$perf" | cmp - <(dktrace report "$perf")
}

@test "the page names hosts, and says how far their clocks are off" {
	twins
	dktrace view both -o page.html 2>/dev/null
	for words in '"file":"a"' '"file":"b"' '"error":0' '"error":7'; do
		same 1 "$(grep -c -m 1 "$words" page.html)"
	done
	command -v chromium >/dev/null || skip "the browser's part needs chromium"
	chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$PWD/profile" --dump-dom \
		"file://$PWD/page.html" >dom 2>/dev/null
	same "$(dktrace info --json both/a.dat | jq ".events | length")" \
		"$(sed -n 's/.*[0-9] records of \([0-9]*\) events.*/\1/p' dom)" "an event of two hosts is one"
}

@test "a merged trace.dat keeps the errors" {
	local format style

	twins
	for style in trace json; do
		dktrace report --clock-error --style "$style" both >"$style" 2>/dev/null
	done
	for format in trace.dat-6 trace.dat; do
		dktrace merge --format "$format" -o merged both 2>/dev/null
		for style in trace json; do
			dktrace report --clock-error --style "$style" merged >have
			cmp "$style" have
		done
	done
	run -0 dktrace info merged
	has "$output" "instance  a, times are exact"
	has "$output" "instance  b, times are off by at most 74.9 us"
	same "a 0, b 74903,  0" "$(dktrace info -J merged | jq -r '[.clocks[] | "\(.instance) \(.clock_error)"] | join(", ")')"
	# Databases and the page have what info prints, also if the statement reads one event.
	dktrace convert merged all.sqlite
	for file in merged all.sqlite; do
		for statement in 'SELECT clock_error FROM files' 'SELECT DISTINCT clock_error FROM hosts, sys_enter_openat'; do
			expect 0 $'clock_error\n74903' '' dktrace sql "$file" --csv "$statement"
		done
	done
	dktrace view merged -o page.html
	has_line '"error":74903' page.html
	# A copy of the file has them, too, and so has one of its instances.
	dktrace convert --event sys_exit_close merged copy.dat
	dktrace report --clock-error --event sys_exit_close merged | cmp - <(dktrace report --clock-error copy.dat)
	dktrace report --clock-error --instance b merged >have
	same "+-73us   " "$(head -1 have | cut -c 1-9)"
	no_line "~" have
}

@test "merged files are merged again with their errors" {
	twins
	dktrace merge -o merged.dat both 2>/dev/null
	dktrace convert "$capture" c.dat
	dktrace merge -o more.dat merged.dat c.dat 2>/dev/null
	dktrace report --clock-error merged.dat c.dat 2>/dev/null | cmp - <(dktrace report --clock-error more.dat)
	dktrace report --clock-error more.dat >have
	# Nobody has measured the clock of the last one.
	same "c.dat: +-? merged.dat:a: +-0us merged.dat:b: +-73us" \
		"$(head -3 have | sed 's/  */ /g' | cut -d ' ' -f 1,2 | sort | paste -sd ' ')"
	run -0 dktrace info more.dat
	has "$output" "instance  c.dat, nobody knows how far times are off"
}

@test "a merged file in a collection has the times of its hosts, and the sums of their errors" {
	local wall=1795171714335243000 at

	mkdir all
	for host in a b c; do
		dktrace convert "$capture" "all/$host.dat"
	done
	dktrace convert "$capture" both/a.dat
	describe "$(host b b.dat 50 100 $wall)" "$(host c c.dat 30 103 $wall)"
	mv both/collection.json all
	dktrace merge -o both/b.dat all 2>/dev/null
	describe "$(host a a.dat 20 100 $wall)" "$(host b b.dat 50 100 $wall)" "$(host c c.dat 30 103 $wall)"
	mv both/collection.json all
	describe "$(host a a.dat 20 100 $wall)" "$(host b b.dat 50 100 $wall)"
	for at in all both; do
		dktrace merge -o "$at.dat" "$at" 2>err
		dktrace report --clock-error --style json "$at.dat" >"$at.json"
	done
	cmp <(jq .ts all.json) <(jq .ts both.json)
	# Its errors are those of c to b and of b to a.
	jq -es 'map(select(.from == "b:b").clock_error) | min >= 70000 and max < 75000' both.json
	jq -es 'map(select(.from == "b:c").clock_error) | min >= 420000 and max < 760000' both.json
	jq -s 'map(select(.from == "c" or .from == "b:c") | .clock_error)' all.json >once
	jq -s 'map(select(.from == "c" or .from == "b:c") | .clock_error)' both.json >twice
	jq -ne --slurpfile once once --slurpfile twice twice '[$once[0], $twice[0]] | transpose | length > 1000 and all(.[0] <= .[1])'
	# The true offset of c is 3 s.
	same '[3000000000]' "$(jq -sc '[(map(select(.from == "b:c").ts) | min) - (map(select(.from == "a").ts) | min)]' both.json)"
}

@test "trace-cmd reads a merged file with errors" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	twins
	for format in trace.dat-6 trace.dat; do
		dktrace merge --format "$format" -o merged both 2>/dev/null
		run -0 --separate-stderr trace-cmd report merged
		same "" "$stderr"
		same 3436 "$(grep -c '^[ab]: ' <<<"$output")"
	done
}

@test "databases have the largest error" {
	twins
	run -0 --separate-stderr dktrace sql both --csv 'SELECT name, clock_error > 70000 AS more FROM hosts ORDER BY host'
	run -0 --separate-stderr dktrace sql both --csv \
		'SELECT path, clock_error > 70000 AS more, clock_error < 75000 AS less FROM files ORDER BY file'
	same 'path,more,less
both/a.dat,0,1
both/b.dat,1,1' "$output"
	dktrace convert "$capture" alone.sqlite
	run -0 dktrace sql both/a.dat --csv 'SELECT clock_error FROM files'
	same 'clock_error
0' "$output"
}

@test "texts with the time of day are related by all measurements" {
	dktrace convert --format legacy "$capture" both/a.log
	cp both/a.log both/b.log
	# The wall clock of b was set forward by 10 s between two measurements, long after its records.
	wall=1795171714331605627
	describe "$(host a a.log 20 100 $wall)" \
		"$(host b b.log 50 100 $wall | jq -c '.trips += [[3695400000000, 3695400100000, 3595400000000, 3595400000000, .trips[0][4] + 10000000000]]')"
	run -0 --separate-stderr dktrace lustre messages both
	has "$stderr" "dktrace: both/b.log: +0.000"
	has "$stderr" "accurate to"
}

@test "requests of Lustre narrow the error, in texts and recordings" {
	local gen=$BATS_TEST_DIRNAME/../tools/gen-lustre-log wall=1699996504670000000 suffix

	"$gen" client 2.12 200 3.5 >both/client.dk
	"$gen" server 2.12 200 >both/server.dk
	dktrace convert both/client.dk both/client.dat
	dktrace convert both/server.dk both/server.dat
	for suffix in dk dat; do
		# The server's clock is 3.5 s behind, and measured 2 ms wrong, within the error.
		describe "$(host client client.$suffix 20 100 $((wall + 3500000000)))" \
			"$(host server server.$suffix 3000 100 $((wall + 2000000)))"
		dktrace report --clock-error both 2>err >text
		# Not the first request, nor 5 that were sent twice; 4 others have no end, one of them sent twice.
		has "$(cat err)" "accurate to 3.02 ms by round trips, and to 65.9 us near 385 steps"
		within 3499934 "$(sed -n 's/.*: +\([0-9]*\)[.]\(......\)[0-9]* s to the clock.*/\1\2/p' err)" 3500066 "us, the true offset"
		# At most the time of the network, one way, is uncertain.
		within 50 "$(sed -n 's/^server: +-\([0-9]*\)us.*/\1/p' text | sort -n | head -1)" 70 "us, the error"
	done
	dktrace view both -o page.html 2>/dev/null
	sed -n 's|.*<script type="application/json" id="data">||p' page.html | jq -c '.exchanges[] | [(.label | sub(" .*"; "")), (.steps | map(.[0]))]' |
		sort | uniq -c >ways
	same 100 "$(awk '{ n += $1 } END { print n }' ways)"
	same '' "$(grep -v '\["[A-Z_]*",\[0,1,1,0\]\]$' ways)"
}

# bats test_tags=plain
@test "a description takes no more memory than a few times its size" {
	local head='{"collection": 1, "began": 1, "ended": 2, "wall": 3, '
	local host='"file": "a", "state": "b", "status": 0, "bytes": 0, "breaks": 0'

	mkdir words values hosts
	{
		printf '%s"hosts": [{"name": "a", %s}], "command": [' "$head" "$host"
		yes '"",' | head -n 5000000
		echo '""]}'
	} | tr -d '\n' >words/collection.json
	{
		printf '%s"hosts": [{"name": "a", %s, "other": [' "$head" "$host"
		yes '{},' | head -n 5000000
		echo '{}]}]}'
	} | tr -d '\n' >values/collection.json
	{
		printf '%s"hosts": [' "$head"
		seq -f "{\"name\": \"%.0f\", $host, \"trips\": [[0, 0, 0, 0, 0]]}," 100000
		printf '{"name": "b", %s}]}' "$host"
	} >hosts/collection.json
	# The address sanitizer maps terabytes and has its own limit.
	sanitized || ulimit -v 160000
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}hard_rss_limit_mb=2000
	expect 1 '' "dktrace: words/collection.json: its command is longer than a command can be" dktrace info words
	run -1 --separate-stderr dktrace info values
	has "$stderr" "values: no host has sent anything"
	expect 1 '' "dktrace: hosts/collection.json: it names too many hosts" dktrace info hosts
}
