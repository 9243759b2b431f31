#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# split writes one file as several; info describes a file.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

perf=$top/tests/fixture/perfdata/plain.data

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
	dktrace convert "$capture" all.dat
	dktrace report all.dat >wanted
}

@test "the pieces of split together are the whole file" {
	for how in "--count 300" "--every 5ms" "--size 10k" "--count 1000 --every 7ms"; do
		# shellcheck disable=SC2086 # several words
		dktrace split $how all.dat part.dat >pieces
		at_least 2 "$(sed 1d pieces | wc -l)"
		sed 1d pieces | while read -r file _; do
			dktrace report "$file"
		done | cmp wanted -
		same "$(wc -l <wanted)" "$(sed 1d pieces | awk '{ n += $2 } END { print n }')" "records"
		rm part-*.dat
	done
}

@test "split makes pieces of the requested count, time or size" {
	run -0 dktrace split --count 500 --json all.dat part.txt
	same '["part-001.txt",500] ["part-002.txt",500] ["part-003.txt",500] ["part-004.txt",218]' \
		"$(jq -c '.files[] | [.file, .records]' <<<"$output" | paste -sd ' ')" "pieces"
	same '["number"]' "$(jq -c '[.files[] | .begin, .end | type] | unique' <<<"$output")" "times"
	same 'part-001.txt,500' "$(dktrace split --count 500 --csv all.dat part.txt | sed -n '2s/,[0-9]*,[0-9]*$//p')" "CSV"
	same 218 "$(wc -l <part-004.txt)" "lines of the last"
	dktrace split --every 10ms all.dat time.txt >pieces
	awk 'NR > 1 && $4 - $3 > 0.010001 { exit 1 }' pieces
	same 3 "$(sed 1d pieces | wc -l)" "windows of 10 ms in 29"
}

@test "split applies to the records of --since and --until" {
	dktrace split --since 1795175209.76 --until 1795175209.78 --every 5ms all.dat part.txt
	cat part-*.txt | cmp - <(dktrace report --since 1795175209.76 --until 1795175209.78 all.dat)
}

@test "split reports input that it cannot split" {
	expect 2 "" "dktrace: split: needs --every, --size or --count" dktrace split all.dat part.dat
	expect 2 "" "dktrace: --every: '5 days' is not a time such as 500ms, 10s, 5m; units are ns, us, ms, s, m, h and d" \
		dktrace split --every "5 days" all.dat part.dat
	expect 2 "" "dktrace: --size: '-1' is not a size such as 100M; units are k, M, G and T" \
		dktrace split --size=-1 all.dat part.dat
	expect 2 "" "dktrace: --count: '0' is not a number of records" \
		dktrace split --count 0 all.dat part.dat
	cp all.dat part-001.dat
	expect 1 "" "dktrace: part-001.dat is the input: name another file to write" \
		dktrace split --count 10 part-001.dat part.dat
	cmp all.dat part-001.dat
}

@test "complete pieces stay if a later piece fails" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, for a file system of its own"
	need_namespace
	mkdir full
	run -1 --separate-stderr apart sh -c '
		mount -t tmpfs -o size=64k none full
		dktrace split --count 300 all.dat full/part.txt
		rc=$?; cat full/part-*.txt >pieces; ls -A full; exit $rc'
	has "$stderr" ".txt: No space left on device; free space on its file system"
	has "$output" "full/part-001.txt     300"
	same "cmp: EOF on pieces after byte $(wc -c <pieces), line $(wc -l <pieces)" "$(cmp pieces wanted 2>&1)" "pieces"
	same "$(wc -l <pieces)" "$(grep '^full/' <<<"$output" | awk '{ n += $2 } END { print n }')" "records"
}

@test "info counts the records that report prints" {
	dktrace info --json all.dat >info.json
	same "$(wc -l <wanted)" "$(jq .records info.json)" "records"
	sed -E 's/^.*-[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]+: ([a-z0-9_]+): .*/\1/' wanted | sort | uniq -c |
		awk '{ print $2, $1 }' | sort >counts
	jq -r '.events[] | "\(.event) \(.records)"' info.json | sort | cmp counts -
	for cpu in 0 1; do
		same "$(dktrace report --cpu $cpu all.dat | wc -l)" \
			"$(jq ".cpus[$cpu].records" info.json)" "records of cpu $cpu"
	done
}

@test "info prints the times that report prints" {
	for file in all.dat "$top"/tests/fixture/tracedat/v6.dat "$perf"; do
		dktrace report "$file" | sed -nE 's/^.*\] +([0-9]+\.[0-9]{6}): .*/\1/p' | sed -n '1p;$p' >wanted
		dktrace info "$file" | awk '/^(begin|end) / { print $2 }' | diff wanted -
	done
}

@test "info counts what trace-cmd prints" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	for file in all.dat "$top"/tests/fixture/tracedat/v6.dat "$top"/tests/fixture/tracedat/v7-zstd.dat; do
		same "$(trace-cmd report "$file" 2>/dev/null | grep -vc '^cpus=')" \
			"$(dktrace info --json "$file" | jq .records)" "$file"
	done
}

@test "info describes the file" {
	run -0 dktrace info "$perf"
	has "$output" "kind      perf.data
host      server1
kernel    6.1.0 x86_64
clock     mono"
	has "$output" "records   96, "
	has "$output" "
CPU RECORDS RATE/S BYTES     BEGIN(s)       END(s) LOST GAPS
  0      91   4137  5420 13445.532563 13445.554558    0    0
  1       5    227   308 13445.532688 13445.554546    0    0"
	has "$output" "
EVENT                    RECORDS RATE/S BYTES     BEGIN(s)       END(s)
sched:sched_switch            71   3228  4828 13445.532563 13445.554558"
}

@test "info prints losses by CPU and interval" {
	cat >lost.log <<-END
		00000100:00100000:2.0:1495061256.496695:0:14615:0:(client.c:1498:f()) one
		00000001:02000400:2.0:1495061256.600000:0:0:0:(ring_buffer:0:lost_events()) 7 records lost before this on CPU 2
		00000100:00100000:2.0:1495061256.600000:0:14616:0:(client.c:1:f()) two
	END
	run -3 dktrace info lost.log
	has "$output" "lost      7 in 1 place"
	has "$output" "
CPU LOST          AFTER(s)         BEFORE(s)
  2    7 1495061256.496695 1495061256.600000"
	run -3 --separate-stderr dktrace info --json lost.log
	same '{"cpu":2,"lost":7,"after":1495061256496695000,"before":1495061256600000000}' \
		"$(jq -c '.first_gaps[0]' <<<"$output")" "gap"
	run -3 --separate-stderr dktrace info --csv lost.log
	same 'key,value
file,lost.log' "${lines[0]}
${lines[1]}" "the file itself"
	has "$output" "

cpu,lost,after,before
2,7,1495061256496695000,1495061256600000000

system,event,records,"
}
