#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# merge: files of one host and of several, in order of time.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
}

# Writes two halves of the saved tree by time, and all of it.
halves()
{
	dktrace convert --until 3495.43 "$capture" a.dat
	dktrace convert --since 3495.430001 "$capture" b.dat
	dktrace convert "$capture" all.dat
}

@test "merging the parts of a file gives the file" {
	halves
	dktrace convert all.dat wanted.txt
	dktrace merge --output out.txt b.dat a.dat
	sed 's/^[ab].dat: //' out.txt | cmp wanted.txt -
	at_least 1001 "$(wc -l <wanted.txt)"
	for format in trace.dat trace.dat-6; do
		dktrace merge --format "$format" --output out.dat a.dat b.dat
		dktrace report -B all out.dat | sed 's/^[ab].dat: //' | cmp wanted.txt -
	done
}

@test "trace-cmd shows the merged files as instances" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	halves
	for format in trace.dat trace.dat-6; do
		dktrace merge --format "$format" --output out.dat a.dat b.dat
		trace-cmd report out.dat | sed -n 's/^\([ab]\.dat\): .*/\1/p' | uniq -c >have
		for half in a b; do
			echo "$(dktrace report $half.dat | wc -l) $half.dat"
		done | diff - <(sed 's/^ *//' have)
	done
}

@test "hosts are put on one clock by their wall-clock times" {
	halves
	perf=$top/tests/fixture/perfdata/plain.data
	run -0 --separate-stderr dktrace merge --output out.json "$perf" all.dat
	has "$stderr" "dktrace: all.dat: -1795171714.331605627 s to the clock of $perf, accurate to 2 us"
	dktrace convert "$perf" perf.json
	jq -r 'select(.stream == null) | .wall' out.json | cmp - <(jq -r .wall perf.json)
	dktrace convert --format json all.dat - | jq -r .wall >wanted
	jq -r 'select(.stream == 1) | .wall' out.json | cmp - wanted
	jq -r .ts out.json | sort -n -c
}

@test "--offset shifts the times of a file" {
	halves
	expect 0 "" "dktrace: b.dat: -1.500000000 s to the clock of a.dat, as given" \
		dktrace merge --offset b.dat=-1500ms --output out.txt a.dat b.dat
	# Shifted before the first half, the second one comes first.
	same b.dat "$(head -1 out.txt | cut -d: -f1)" "first line"
	sort -s -t']' -k2.2,2.20n out.txt | cmp out.txt -
}

@test "the recorded shifts put a guest on its host's clock" {
	made=$top/tests/fuzz/corpus/tracedat
	run -0 --separate-stderr dktrace report "$made/v7-guest" "$made/v7-host"
	same "dktrace: $made/v7-host: +0.000000000 s to the clock of $made/v7-guest, by the shifts recorded for a guest and its host" \
		"$stderr" "words"
	same "$(printf 'guest1\nhost')" "$(cut -d: -f1 <<<"$output" | sort -u)" "names"
	dktrace info "$made/v7-host" >have
	grep -qx 'id        0x1234' have
	grep -qx 'guest     guest1, recording 0xbeef, CPUs run by threads 4321, 4322' have
	grep -qx 'unused    hooks, maps of processes' have
	dktrace info "$made/v7-guest" | grep -x 'guest of  recording 0x1234'
	same "host 4660" "$(dktrace info -J "$made/v7-guest" | jq -r '.peers[] | "\(.is) \(.id)"')" "JSON"
}

@test "shifted times are those that trace-cmd prints" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	made=$top/tests/fuzz/corpus/tracedat
	for file in v6-shift-steps v7-shift-line v6-tsc v7-host v7-guest; do
		trace-cmd report -t -N "$made/$file" 2>/dev/null |
			sed -n 's/.*\[\([0-9]*\)\] *[^ ]* *\([0-9]*\)\.0*\([0-9]*\): .*/\1 \3/p' >wanted
		dktrace report -S json "$made/$file" 2>/dev/null |
			jq -r 'select(.event) | "00\(.cpu) \(.ts)"' | diff wanted -
		[ -s wanted ]
	done
	# Nine digits of a second, of two files.
	trace-cmd report -t -N -i "$made/v7-host" -i "$made/v7-guest" 2>/dev/null |
		sed -n 's/.*\.0*\([0-9]*\): two: .*/\1/p' >wanted
	dktrace report -S json "$made/v7-host" "$made/v7-guest" 2>/dev/null | jq -r .ts |
		diff wanted -
}

@test "merge reports files that it cannot merge" {
	halves
	v6=$top/tests/fixture/tracedat/v6.dat
	expect 1 "" "dktrace: $v6 has no wall-clock times: give --offset $v6=TIME, the time to add to its times to get those of a.dat" \
		dktrace merge --output out.dat a.dat "$v6"
	expect 2 "" "dktrace: --offset: 'c.dat' is not one of the files; write FILE=TIME" \
		dktrace merge --offset c.dat=1s --output out.dat a.dat b.dat
	expect 2 "" "dktrace: --offset: '1 week' is not a time such as -1500ns or 3ms; units are ns, us, ms, s, m, h and d" \
		dktrace merge --offset "b.dat=1 week" --output out.dat a.dat b.dat
	expect 2 "" "dktrace: merge: needs --output" dktrace merge a.dat b.dat
	run -1 --separate-stderr dktrace merge --output a.dat a.dat b.dat
	has "$stderr" "dktrace: a.dat is the input: name another file to write"
	gone out.dat
}
