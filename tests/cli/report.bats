#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# report prints files of trace-cmd as trace-cmd does, where trace-cmd is right.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

recorded=$BATS_TEST_DIRNAME/../fixture/tracedat
made=$BATS_TEST_DIRNAME/../fuzz/corpus/tracedat

@test "report prints the lines of trace-cmd report -N" {
	dktrace report "$recorded/v6.dat" | diff "$recorded/v6.exp" -
	for file in v7-zstd v7-zlib; do
		dktrace report "$recorded/$file.dat" | diff "$recorded/v7.exp" -
		dktrace report -j3 "$recorded/$file.dat" | diff "$recorded/v7.exp" -
		dktrace report --instance all "$recorded/$file.dat" | diff "$recorded/v7.exp" -
		dktrace report --instance '' "$recorded/$file.dat" |
			diff <(sed '/^two/d; s/^     //' "$recorded/v7.exp") -
		dktrace report -B two "$recorded/$file.dat" |
			diff <(sed -n 's/^two: //p' "$recorded/v7.exp") -
	done
}

@test "times of a clock that does not count nanoseconds are printed as they are, and measure nothing" {
	cd "$BATS_TEST_TMPDIR"
	"$top/tests/tools/gen-calls" little counter >ticks.dat
	words='dktrace: ticks.dat: its times are numbers of the clock counter, which does not count nanoseconds'
	for style in trace raw; do
		run -0 --separate-stderr dktrace report --style $style ticks.dat
		same "$words" "$stderr"
		has "${lines[0]}" "worker-42    [000]   1000000000: sys_enter: "
		has "${lines[1]}" "worker-42    [000]   1025000000: sys_exit: "
	done
	run -0 --separate-stderr dktrace info ticks.dat
	has "$output" "span      25004000
records   5, "
	lacks "$output" "/s,"
	has "$output" "CPU RECORDS BYTES      BEGIN        END LOST GAPS
  0       5   240 1000000000 1025004000    0    0"
	run -0 --separate-stderr dktrace report --style legacy ticks.dat
	has "${lines[0]}" "00000080:00000001:0.0:1000000000:0:42:0:(raw_syscalls:0:sys_0()) Process entered"
	for option in --since --until; do
		run -1 --separate-stderr dktrace report $option 1.5 ticks.dat
		same "$words
dktrace: $option: the trace's clock counter does not count nanoseconds, so that no time can be found in it" "$stderr"
	done
	run -1 --separate-stderr dktrace split ticks.dat part.dat --every 1s
	has "$stderr" "dktrace: --every: the clock of ticks.dat does not count nanoseconds; use --count or --size"
	run -0 --separate-stderr dktrace split ticks.dat part.dat --count 3
	has "$output" "part-001.dat       3 1000000000 1025001000"
	"$top/tests/tools/gen-calls" little >ns.dat
	run -1 --separate-stderr dktrace merge ns.dat ticks.dat -o merged.dat
	has "$stderr" "ticks.dat cannot be put in order of time with ns.dat: a clock of them does not count nanoseconds"
	run -1 --separate-stderr dktrace convert ticks.dat ticks.sqlite
	has "$stderr" "dktrace: ticks.dat: its clock counter does not count nanoseconds, as the times of a database do"
	gone ticks.sqlite
	for format in perfetto ctf; do
		run -1 --separate-stderr dktrace convert --format "$format" ticks.dat out.$format
		has "$stderr" "the style $format has times in ns, which the clock counter does not count"
		gone out.$format
	done
	dktrace convert ticks.dat copy.dat
	run -0 --separate-stderr dktrace info copy.dat
	has "$output" "clock     counter"
	# The kernel's text has such times without a point.
	dktrace report ticks.dat 2>/dev/null >ticks.txt
	dktrace report ticks.txt 2>/dev/null | cmp ticks.txt -
	run -1 --separate-stderr dktrace latency syscall -i ticks.txt
	has "$stderr" "dktrace: ticks.txt: its clock counter does not count nanoseconds"
	for command in "latency syscall -i" "strace" "analyze syscallstats" "view -o page.html" "sql"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr dktrace $command ticks.dat
		has "$stderr" "dktrace: ticks.dat: its clock counter does not count nanoseconds, so no time in it can be measured"
		same "" "$output" "$command"
	done
	gone page.html
	run -1 --separate-stderr dktrace lami syscallstats ticks.dat
	has "$output" '"error-message":"ticks.dat: its clock counter does not count nanoseconds'
}

@test "cycles are nanoseconds if the file says how many" {
	cd "$BATS_TEST_TMPDIR"
	"$top/tests/tools/gen-calls" little >ns.dat
	"$top/tests/tools/gen-calls" little x86-tsc 512 9 >cycles.dat
	run -0 --separate-stderr dktrace strace cycles.dat
	same "" "$stderr"
	same "$(dktrace strace ns.dat)" "$output"
	dktrace report ns.dat | cmp - <(dktrace report cycles.dat)
	# Converted times are converted once.
	dktrace convert cycles.dat out.dat
	dktrace report ns.dat | cmp - <(dktrace report out.dat)
}

# Only styles for people have the names of buffers before the lines.
@test "styles for programs print the records of all instances without lines of their names" {
	file=$recorded/v7-zstd.dat
	dktrace report -S json "$file" | jq -r '.from // "" | sub("^$"; "top")' | sort | uniq -c |
		awk '{ print $1, $2 }' | diff <(printf '58 top\n26 two\n') -
	for style in csv folded; do
		no_line '^(two:|     )' <(dktrace report -S $style "$file")
	done
	command -v protoc >/dev/null || return 0
	dktrace report -S perfetto -o all "$file"
	perfetto_text all
	# Without the release Perfetto would take states of threads as those of Linux 4.4.
	has "$(cat all.txt)" 'release: "6.18.44-fc-v657"'
	has "$(cat all.txt)" 'machine: "x86_64"'
	has "$(cat all.txt)" 'prev_state: 256'
}

@test "report prints the same as the installed trace-cmd" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	for file in "$recorded/v7-zstd.dat" "$made/v6" "$made/v6-big" "$made/v6-long4" "$made/v7"; do
		dktrace report "$file" >have || [ $? -eq 3 ]
		trace-cmd report -N "$file" 2>/dev/null | sed 1d | diff - have
	done
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

@test "report selects by event, process, CPU, time and filter" {
	file=$recorded/v7-zstd.dat
	dktrace report "$file" >all
	dktrace report -e hrtimer_start "$file" | diff <(grep hrtimer_start: all) -
	dktrace report -e 'sched:*,print' "$file" | diff <(grep -v hrtimer_start: all) -
	dktrace report -p 11042,18 "$file" | diff <(grep -E -- '-(11042|18) ' all) -
	dktrace report -C 1 "$file" | diff <(grep -F '[001]' all) -
	dktrace report -f 'prev_prio == 0' "$file" | diff <(grep prev_prio=0 all) -
	dktrace report -s 12934.413636 -U 12934.413689 "$file" |
		diff <(awk '{ t = $0; sub(/.*\] +/, "", t); t += 0 } t >= 12934.413636 && t <= 12934.413689' all) -
	at_least 2 "$(dktrace report -s 12934.413636 -U 12934.413689 "$file" | wc -l)"
}

@test "several threads print the same as one" {
	awk 'BEGIN {
		for (i = 0; i < 100000; i++)
			printf "00000100:00100000:%d.0:%.6f:0:%d:0:(client.c:1498:request()) message %d\n",
				i % 7 % 3, 1495061256 + i / 1e4 + int(i / 3e4), 14615 + i % 7, i
	}' >log.txt
	dktrace convert --compression none log.txt plain.dat
	dktrace convert --compression zstd log.txt packed.dat
	for file in plain packed; do
		for style in trace legacy json; do
			dktrace report -S $style $file.dat >$style
			same 100000 "$(wc -l <$style)"
			dktrace report -j3 -S $style $file.dat | cmp $style -
		done
		dktrace report -s 1495061257 -U 1495061267 $file.dat >window
		dktrace report -j2 -s 1495061257 -U 1495061267 $file.dat | cmp window -
	done
	# A chunk that cannot be unpacked ends its CPU, in the same words.
	dd if=/dev/zero of=packed.dat bs=1 seek=200000 count=3000 conv=notrunc 2>/dev/null
	run --separate-stderr -1 dktrace report packed.dat
	have=$stderr
	run --separate-stderr -1 dktrace report -j3 packed.dat
	same "$have" "$stderr" "of several threads"
}

@test "losses are reported per CPU and by the exit status" {
	expect 3 "$(dktrace report "$made/v7" | head -n 0)" \
		"dktrace: $made/v6: 4 of 17 records were lost (cpu 0: 4)" \
		dktrace report --pid 999999 "$made/v6"
	expect 3 "" "dktrace: $made/v6: 4 of 17 records were lost (cpu 0: 4)" \
		dktrace report -j2 --pid 999999 "$made/v6"
}

@test "a truncated file is read up to its end" {
	head -c 3400 "$made/v6" >cut.dat
	run --separate-stderr -1 dktrace report cut.dat
	at_least 5 "${#lines[@]}"
	has "$stderr" "dktrace: cut.dat: the file is truncated at byte 3400"
	: >empty.dat
	expect 1 "" "dktrace: read empty.dat: the file is empty" dktrace report empty.dat
}

@test "invalid option values fail with status 2" {
	file=$recorded/v6.dat
	expect 2 "" "dktrace: --jobs: give a number from 1 to 64" dktrace report -j0 "$file"
	expect 2 "" "dktrace: --cpu: '5-1' is not a list of numbers such as 0-3,5" \
		dktrace report -C 5-1 "$file"
	expect 2 "" "dktrace: --event: '[a': '[' without ']'" dktrace report -e '[a' "$file"
	expect 2 "" "dktrace: --style: unknown style 'x'; use legacy, trace, raw, json, csv, folded, ctf, ctf2, ctf-lttng or perfetto" dktrace report -S x "$file"
	expect 1 "" "dktrace: filter: none of 2 events has a field 'no'; did you mean now?
  no == 1
  ^" \
		dktrace report -f 'no == 1' "$file"
	expect 1 "" "dktrace: read $file: it has no buffer 'three'" dktrace report -B three "$file"
	expect 1 "" "dktrace: --since: the trace has no times of day; give seconds of its clock" \
		dktrace report --since 10:00 "$file"
	expect 1 "" "dktrace: open nowhere: No such file or directory" dktrace report nowhere
	expect 1 "" "dktrace: open $0: unknown file format" dktrace report "$0"
}

@test "report skips a file that does not exist" {
	run --separate-stderr -1 dktrace report -e print "$recorded/v7-zstd.dat" nowhere \
		"$recorded/v6.dat"
	same 3 "${#lines[@]}"
	has "$stderr" "nowhere: No such file"
}

# Writes two halves of the saved tree by CPU, whose times overlap, and all of it.
halves()
{
	dktrace convert --cpu 0 "$capture" a.dat
	dktrace convert --cpu 1 "$capture" b.dat
	dktrace convert "$capture" all.dat
}

@test "report merges several files by time, in every style" {
	halves
	for style in trace legacy raw; do
		dktrace report -S $style all.dat >wanted
		dktrace report -S $style a.dat b.dat | sed 's/^[ab].dat: //' | cmp wanted -
		dktrace report -j3 -S $style a.dat b.dat | sed 's/^[ab].dat: //' | cmp wanted -
	done
	same a.dat "$(dktrace report -C 0 a.dat b.dat | cut -d: -f1 | sort -u)" "name"
	dktrace report -S folded all.dat >wanted
	dktrace report -S folded a.dat b.dat | cmp wanted -
	# An event of two files is one table.
	dktrace report -S csv all.dat >wanted
	dktrace report -S csv a.dat b.dat |
		sed -E 's/^(system,.*,flags),from/\1/; s/^(([^,]*,){8})[ab]\.dat(,|\r)/\1\3/; s/,,/,/' |
		diff <(sed 's/,,/,/' wanted) -
	dktrace report -S csv --fields cpu,from b.dat a.dat | tr -d '\r' | sort -u |
		diff - <(printf '0,a.dat\n1,b.dat\ncpu,from\n')
	dktrace report -S perfetto -o have a.dat b.dat
	has_line ' of b.dat' have
	dktrace report -S json all.dat >wanted
	dktrace report -S json a.dat b.dat | sed -E 's/,"stream":1//; s/,"from":"[ab].dat"//' |
		cmp wanted -
	dktrace report -S json b.dat a.dat | jq -r '"\(.cpu) \(.from)"' | sort -u |
		diff - <(printf '0 a.dat\n1 b.dat\n')
}

@test "report selects records of several files by event, process, filter and time" {
	halves
	pid=$(dktrace report -S json all.dat | jq -r .pid | sort | uniq -c | sort -rn |
		awk 'NR == 1 { print $2 }')
	for choice in "-p $pid" "-e sys_exit_*" "-s 3495.42 -U 3495.43" "-C 1" \
		"-f common_pid==$pid" "-j2 -s 3495.42"; do
		# shellcheck disable=SC2086 # words
		dktrace report $choice all.dat >wanted
		# shellcheck disable=SC2086
		dktrace report $choice a.dat b.dat | sed 's/^[ab].dat: //' | cmp wanted -
	done
	[ -s wanted ]
}

@test "report merges files as trace-cmd does" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	trace-cmd report -N -i "$recorded/v6.dat" -i "$recorded/v7-zstd.dat" 2>/dev/null |
		sed '/cpus=/d; s/^[^:]*: *//; s/ flags=.*//' >wanted
	# Flags are those that it misjudges.
	dktrace report -B all "$recorded/v6.dat" "$recorded/v7-zstd.dat" |
		sed 's/^[^ ]*: *//; s/ flags=.*//' | diff wanted -
	at_least 81 "$(wc -l <wanted)"
}

@test "a file of another clock is shifted, or printed after the others" {
	halves
	perf=$top/tests/fixture/perfdata/plain.data
	run --separate-stderr -0 dktrace report -S json "$perf" all.dat
	has "$stderr" "dktrace: all.dat: -1795171714.331605627 s to the clock of $perf, accurate to 2 us"
	jq -r .wall <<<"$output" | sort -c
	dktrace report -S json all.dat | jq -r .wall >wanted
	jq -r 'select(.from == "all.dat") | .wall' <<<"$output" | cmp - wanted
	# The window is of the clock that is printed.
	dktrace report -s 1795175209.5 "$perf" all.dat 2>/dev/null | cut -d: -f1 | sort -u >have
	v6=$recorded/v6.dat
	run --separate-stderr -0 dktrace report all.dat "$v6" b.dat
	same "dktrace: $v6 has no wall-clock times: give --offset $v6=TIME, the time to add to its times to get those of all.dat; the records of $v6 follow
dktrace: b.dat: +0.000000000 s to the clock of all.dat, accurate to 2 us plus the difference between the hosts' wall clocks" "$stderr" "words"
	same vm "$(tail -n 1 <<<"$output" | cut -d: -f1)" "what comes last"
	expect 2 "" "dktrace: --offset: 'c.dat' is not one of the files; write FILE=TIME" \
		dktrace report --offset c.dat=1s all.dat "$v6"
	dktrace report --offset b.dat=-1s a.dat b.dat 2>/dev/null | head -n 1 | cut -d: -f1 |
		diff <(echo b.dat) -
}

@test "report needs neither privileges nor tracefs" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to let go of it"
	install -m 644 "$recorded/v6.dat" "$BATS_RUN_TMPDIR/v6.dat"
	chmod 755 "$BATS_RUN_TMPDIR"
	setpriv --reuid 65534 --clear-groups env DKTRACE_CLASSES="$DKTRACE_CLASSES" \
		"$(command -v dktrace)" --root /nowhere report -B all "$BATS_RUN_TMPDIR/v6.dat" >have ||
		skip "another user cannot get to the build"
	diff "$recorded/v6.exp" have
}

@test "--output writes to a file" {
	dktrace report -o out -B all "$recorded/v6.dat"
	diff "$recorded/v6.exp" out
	expect 1 "" "dktrace: open no/out: No such file or directory" \
		dktrace report -o no/out "$recorded/v6.dat"
}

@test "--format writes a file as convert and merge do, all or nothing" {
	cd "$BATS_TEST_TMPDIR"
	cp "$recorded/v6.dat" a.dat
	cp "$recorded/v6.dat" b.dat
	dktrace convert a.dat wanted.dat
	expect 0 "" "" dktrace report a.dat --format trace.dat -o have.dat
	cmp wanted.dat have.dat
	dktrace report a.dat --format json -o have.json
	dktrace convert a.dat - --format json | cmp - have.json
	dktrace merge a.dat b.dat -o wanted.dat 2>/dev/null
	dktrace report a.dat b.dat --format trace.dat -o have.dat 2>/dev/null
	cmp wanted.dat have.dat
	echo kept >have.dat
	run -1 --separate-stderr dktrace report a.dat nothing --format trace.dat -o have.dat
	has "$stderr" "open nothing: No such file or directory"
	run -1 --separate-stderr dktrace report a.dat "$top/tests/fixture/perfdata/plain.data" --format trace.dat -o have.dat
	has "$stderr" "--offset"
	same kept "$(cat have.dat)"
	expect 2 "" "dktrace: --format: name the file to write" dktrace report a.dat --format trace.dat
	expect 2 "" "dktrace: --format: unknown format 'xml'; use trace.dat, trace.dat-6, sqlite or a style" \
		dktrace report a.dat --format xml
	expect 2 "" "dktrace: cannot combine --format with --style" \
		dktrace report a.dat --format trace.dat -S json -o have.dat
}

@test "a pipe with a name is read as the file behind it" {
	local line='LustreError: 4711:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ timed out'

	cd "$BATS_TEST_TMPDIR"
	gzip -c "$recorded/v6.dat" >v6.gz
	run -0 --separate-stderr dktrace report <(gzip -dc v6.gz)
	diff "$recorded/v6.exp" - <<<"$output"
	run -0 --separate-stderr dktrace info --json <(gzip -dc v6.gz)
	same '"trace.dat version 6"' "$(jq '.. | .kind? // empty' <<<"$output" | head -n 1)" kind
	run -0 --separate-stderr dktrace report /dev/stdin < <(echo "Nov 25 03:12:55 oss7 kernel: $line")
	has "$output" "@@@ timed out"
	# Its writer may come later.
	mkfifo fifo
	{
		cat "$recorded/v6.dat" >fifo
	} &
	run -0 --separate-stderr dktrace hist --input fifo timer:hrtimer_start --keys common_cpu --csv
	has "$output" "common_cpu,hitcount"
	wait
	run -0 --separate-stderr dktrace sql <(cat "$recorded/v6.dat") 'SELECT count(*) > 0 FROM hrtimer_start'
	has "$output" "1"
	run -1 --separate-stderr dktrace report <(:)
	has "$stderr" ": it is empty"
}
