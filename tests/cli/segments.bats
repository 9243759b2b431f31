#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A directory of segments as one input: what it prints, what it opens, what is missing.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

# The capture has records of 29 ms after this second of the trace's clock.
second=1795175209

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
	dktrace convert "$capture" all.dat
}

# usage: name NUMBER
name()
{
	printf 'dir/dktrace-20261120T114649Z-%06d.dat' "$1"
}

# Cuts the file into COUNT segments of the same time. usage: cut_into COUNT
cut_into()
{
	local i step=$((30000 / $1)) from=755000

	mkdir dir
	for i in $(seq "$1"); do
		dktrace convert --since "$second.$from" --until "$second.$((from + step - 1))" all.dat \
			"$(name "$i")"
		from=$((from + step))
	done
}

# Writes an index of the segments, by their numbers, with a minute for each. usage: index FIRST LAST
index()
{
	local i

	for i in $(seq "$1" "$2"); do
		echo "$(basename "$(name "$i")") $((second - 60 * (31 - i)))000000000" \
			"$((second - 60 * (30 - i) - 1))999999999 $(stat -c %s "$(name "$i")")" \
			"$(date -r "$(name "$i")" +%s%N) 10 0"
	done >dir/index
}

# usage: opened COMMAND...; prints the names of the segments that it opens, each once
opened()
{
	strace -f -e trace=openat -o trace "$@" >out
	sed -n 's/.*"dir\/\(dktrace-[^"]*\)".*/\1/p' trace | sort -u
}

@test "segments print what one file with the same records prints" {
	cut_into 10
	for style in trace legacy json csv perfetto folded; do
		dktrace report --style $style all.dat >wanted
		dktrace report --style $style dir | cmp wanted -
	done
	for how in "--comm dd" "-f fd==3" "-C 1" "-e *mmap" "-c ioctl" "-j 2" \
		"--since $second.762 --until $second.778"; do
		# shellcheck disable=SC2086 # words
		dktrace report $how all.dat >wanted
		[ -s wanted ]
		# shellcheck disable=SC2086
		dktrace report $how dir/ | cmp wanted -
	done
	dktrace latency -i all.dat syscall >wanted
	dktrace latency -i dir syscall | cmp wanted -
	dktrace hist -i all.dat syscalls:sys_enter_read --keys fd >wanted
	dktrace hist -i dir syscalls:sys_enter_read --keys fd | cmp wanted -
}

@test "segments become one file with the same records" {
	cut_into 10
	for format in trace.dat trace.dat-6; do
		dktrace convert --format $format all.dat a
		dktrace convert --format $format dir b
		dktrace report -B all a >wanted
		dktrace report -B all b | cmp wanted -
	done
	dktrace merge --output out.txt dir
	sed 's/^dir: //' out.txt | cmp <(dktrace report all.dat) -
	run -1 dktrace convert dir "$(name 3)"
	has "$output" "is the input"
}

@test "records that a CPU wrote late are in their place" {
	mkdir dir
	# The second segment begins in the middle of the first one.
	dktrace convert -C 0 --until $second.775 all.dat "$(name 1)"
	dktrace convert -C 1 all.dat "$(name 2)"
	dktrace convert -C 0 --since $second.775001 all.dat "$(name 3)"
	dktrace report dir | cmp <(dktrace report all.dat) -
}

@test "only few segments are open at a time" {
	cut_into 100
	(ulimit -n 40 && dktrace report dir) | cmp <(dktrace report all.dat) -
}

@test "a window opens only the segments that may have its records" {
	command -v strace >/dev/null || skip "needs strace"
	mkdir dir
	for i in $(seq 29); do
		echo garbage >"$(name "$i")"
	done
	cp all.dat "$(name 30)"
	index 1 29
	last=$(basename "$(name 30)")
	same "$last" "$(opened dktrace report --since '2026-11-20 11:46:40' dir)" "opened"
	cmp <(dktrace report all.dat) out
	dktrace latency -i dir --since '2026-11-20 11:46:40' syscall |
		cmp <(dktrace latency -i all.dat syscall) -
	dktrace info --since '2026-11-20 11:46:40' --json dir | jq -e '.n_segments == 1 and .records == 1718'
	# The kernel is known from one of them, even if none has records.
	same "$last" "$(opened dktrace report --since '2026-11-21 00:00' dir)" "opened"
	[ ! -s out ]
	# A line that does not fit the file counts for nothing.
	touch -d 2026-01-01 "$(name 15)"
	run -1 --separate-stderr dktrace report --since '2026-11-20 11:46:40' dir
	has "$stderr" "open $(name 15): not a trace.dat file"
}

@test "an index that says nothing true costs no records" {
	cut_into 4
	dktrace report dir >wanted
	for text in "" garbage "$(printf '../../etc/passwd 0 1 2 3 4 5\n')" \
		"$(basename "$(name 1)") 0 1 2 3 4 5" "$(head -c 300 /dev/zero | tr '\0' 9)"; do
		echo "$text" >dir/index
		dktrace report dir | cmp wanted -
	done
	rm dir/index
	mkdir dir/index
	dktrace report dir | cmp wanted -
}

@test "what is damaged or gone is told in its place, and the rest is read" {
	cut_into 3
	dktrace report "$(name 1)" >first
	dktrace report "$(name 3)" >third
	rm "$(name 2)"
	run -3 --separate-stderr dktrace report dir
	same "dktrace: dir: an unknown number of records was lost" "$stderr" "words"
	same "$(cat first)" "$(head -n "$(wc -l <first)" <<<"$output")" "before the gap"
	same "$(cat third)" "$(tail -n "$(wc -l <third)" <<<"$output")" "after the gap"
	same "$(($(wc -l <first) + $(wc -l <third) + 2))" "${#lines[@]}" "a line for each CPU"

	echo garbage >"$(name 2)"
	echo foreign >dir/README
	mkdir "$(name 4)"
	ln -s /etc/passwd "$(name 5)"
	run -1 --separate-stderr dktrace report dir
	has "$stderr" "dktrace: dir: open $(name 2): not a trace.dat file"
	same "$(cat third)" "$(tail -n "$(wc -l <third)" <<<"$output")" "after the damage"

	# The daemon has just created it.
	rmdir "$(name 4)"
	: >"$(name 4)"
	rm "$(name 1)" "$(name 2)"
	run -0 --separate-stderr dktrace report dir
	same "$(cat third)" "$output" "one segment, and an empty one"
	rm "$(name 3)"
	run -1 dktrace report dir
	has "$output" "the file is empty"
}

@test "a segment that is cut in its head is damaged, and not of another boot" {
	cut_into 3
	dktrace report "$(name 1)" >wanted
	dktrace report "$(name 3)" >>wanted
	"$tools/gen-journal" | head -c 100 >"$(name 2)"
	run -1 --separate-stderr dktrace report dir
	same "$(cat wanted)" "$output" "records"
	has "$stderr" "$(basename "$(name 2)"): the last "
	run -1 dktrace report -j 3 dir
	run -1 dktrace convert dir out.dat
	lacks "$output" "another boot"
}

@test "segments that go away while they are read are told" {
	cut_into 100
	mkfifo pipe
	for jobs in 1 3; do
		[ -e save ] || cp -r dir save
		rm -r dir
		cp -r save dir
		dktrace report -j $jobs dir >pipe 2>err &
		# The output is larger than the pipe, so that the reader of segments waits.
		exec 5<pipe
		read -r first <&5
		rm "$(name 90)"
		echo garbage >"$(name 92)"
		"$tools/gen-journal" | head -c 100 >"$(name 94)"
		rm "$(name 100)"
		{ echo "$first"; cat <&5; } >out
		exec 5<&-
		wait $! || true
		grep -qF "$(dktrace report "$(name 99)" | tail -n 1 | sed 's/^ *//')" out
		no_line 'annot allocate|Segmentation' err
	done
}

@test "many damaged segments are a short message" {
	cut_into 1
	for i in $(seq 2 40); do
		echo garbage >"$(name "$i")"
	done
	run -1 --separate-stderr dktrace report dir
	has "$stderr" "; and other files"
	[ "${#stderr}" -lt 1000 ]
}

@test "segments of another boot are another input" {
	cut_into 3
	dktrace convert "$top/tests/fixture/tracedat/v7-zstd.dat" "$(name 3)"
	run -1 dktrace convert dir out.dat
	has "$output" "dir: from $(basename "$(name 3)") on, the segments are of another boot or kernel"
	[ ! -e out.dat ]
	run -1 dktrace latency -i dir syscall
	has "$output" "give --until or --since"
	dktrace report "$(name 1)" >wanted
	run --separate-stderr dktrace report dir
	has "$output" "$(head -n 1 wanted | sed 's/^ *//')"
	has "$output" "$(dktrace report "$(name 3)" | head -n 1 | sed 's/^ *//; s/ .*//')"
}

# Two boots of different kernels, with two segments each. Their records are at these times of day.
boots()
{
	local day i=0 time

	day=$(date -d 2026-11-20 +%s)
	mkdir dir
	for time in 10:00:00 10:10:00 11:05:00 11:15:00; do
		i=$((i + 1))
		"$tools/gen-journal" 4096 4096 $((5 + (i - 1) / 2)) $(((i - 1) % 2 * 600000000000 + 1000)) \
			$(((day + 36000 + (i - 1) / 2 * 3900) * 1000000)) 6.$(((i + 1) / 2)) >"dir/dktrace-20261120T${time//:/}Z-00000$i.dat"
	done
}

@test "report prints one boot after the other, and marks the second one" {
	boots
	run -3 --separate-stderr dktrace report dir
	records=$(grep -v 'CPU\|#' <<<"$output")
	same "# another boot, from 2026-11-20 11:05:00 on; kernel 6.2 x86_64" "${lines[42]}" "boundary"
	has "${lines[43]}" "CPU:0 [EVENTS NOT RECORDED]"
	same 84 "$(wc -l <<<"$records")" "records"
	has "${lines[42 + 3]}" "1795172700.000001: up:"
	has "$stderr" "dir: nothing was recorded for a time before 2026-11-20 11:05:00"
	dktrace report -j 2 dir 2>/dev/null | cmp <(dktrace report dir 2>/dev/null) -
	dktrace report --style json dir 2>/dev/null | jq -se '[.[].boot | values] == [1795172700]'
	# Its text is read again.
	dktrace report dir >text 2>/dev/null || true
	same 84 "$(dktrace report text 2>/dev/null | grep -c 'up:')" "records of the text"
	# A file of all records has the times of one clock.
	dktrace merge -o out.txt dir || true
	same 84 "$(grep -c up: out.txt)" "merged"
	# A window chooses a boot.
	run -3 --separate-stderr dktrace report --since 2026-11-20\ 11:00 dir
	same 42 "$(grep -c up: <<<"$output")" "second boot"
	lacks "$output" "#"
}

@test "commands that read one boot say how to choose it" {
	boots
	for command in "hist -i dir made:up --keys common_cpu" "latency -i dir syscall" "convert dir out.dat" "info -C 0 dir"; do
		# shellcheck disable=SC2086 # words
		run -1 --separate-stderr dktrace $command
		same "dktrace: dir: from dktrace-20261120T110500Z-000003.dat on, the segments are of another boot or kernel, or the clock was set; give --until or --since '2026-11-20 11:05:00', or name segments" \
			"$stderr" "$command"
	done
	for window in "--until" "--since"; do
		run --separate-stderr dktrace hist -i dir $window '2026-11-20 11:05:00' made:up --keys common_cpu
		has "$output" "42 hits"
		dktrace convert $window '2026-11-20 11:05:00' dir out.dat || true
		same 42 "$(dktrace info --json out.dat 2>/dev/null | jq .records)" "converted"
	done
}

@test "info lists the segments" {
	cut_into 3
	run -0 dktrace info dir
	same "NUMBER FROM           TO             RECORDS LOST   SIZE STATE" "${lines[7]}" "heading"
	has "${lines[8]}" "     1 11-20 11:46:49 11-20 11:46:49"
	same "records   1718" "${lines[4]}" "sum"
	dktrace info --json dir | jq -e '[.segments[].records] | add == 1718'
	dktrace info --csv dir | grep -q "^1,$(basename "$(name 1)"),"
	truncate -s 30000 "$(name 3)"
	: >"$(name 4)"
	echo garbage >"$(name 2)"
	run -1 --separate-stderr dktrace info dir
	same "complete unreadable damaged empty" \
		"$(tail -n 4 <<<"$output" | awk '{ printf "%s%s", s, $NF; s = " " }')" "states"
	# Other selections need the records.
	dktrace info -C 1 dir 2>/dev/null | grep -q '^kind'
}

# Three segments of the recordings with these IDs. usage: recordings ID ID ID
recordings()
{
	local i

	mkdir dir
	for i in 1 2 3; do
		"$tools/gen-journal" 4096 4096 "$1" "${i}000" >"dir/dktrace-20261120T1${i}0000Z-00000$i.dat"
		shift
	done
}

@test "a time in which the daemon did not record is a gap" {
	recordings 5 5 6
	run -3 --separate-stderr dktrace report dir
	same "CPU:0 [EVENTS NOT RECORDED]CPU:1 [EVENTS NOT RECORDED]" \
		"$(sed -n '43,44s/ *CPU/CPU/p' <<<"$output" | tr -d '\n')" "between the recordings"
	same 2 "$(grep -c CPU: <<<"$output")" "no other gap"
	has "$stderr" "dktrace: dir: nothing was recorded for a time before 2026-11-20 13:00:00"
	dktrace report --style json dir 2>/dev/null | jq -ce 'select(has("lost"))' >gaps || true
	same '{"ts":3000,"cpu":0,"lost":null,"paused":true}' "$(head -n 1 gaps)" "JSON"
	run --separate-stderr dktrace report --style legacy dir
	has "$output" "records lost before this on CPU 0: nothing was recorded"
	# A text that was printed is read again.
	dktrace report dir >text 2>/dev/null || true
	run -3 dktrace report text

	run --separate-stderr dktrace info dir
	same "GAP BEFORE FROM TO             CAUSE" "$(tail -n 2 <<<"$output" | head -n 1)" "heading"
	same "         3 ?    11-20 13:00:00 nothing was recorded" "$(tail -n 1 <<<"$output")" "gap"

	# The recording went on.
	rm -r dir
	recordings 5 5 5
	run -3 --separate-stderr dktrace report dir
	lacks "$output" "CPU:"
	lacks "$stderr" "nothing was recorded"
}

@test "the index tells when nothing was recorded, also for a window without segments" {
	cut_into 3
	for i in 1 2 3; do
		echo "$(basename "$(name "$i")") $((second + 100 * i))000000000 $((second + 100 * i + 10))000000000" \
			"$(stat -c %s "$(name "$i")") $(date -r "$(name "$i")" +%s%N) 10 0 $((7 + i / 2))"
	done >dir/index
	run -3 --separate-stderr dktrace report dir
	same "dktrace: dir: nothing was recorded from 2026-11-20 11:48:39 to 2026-11-20 11:50:09" "$stderr" "words"
	run -3 --separate-stderr dktrace report --since '2026-11-20 11:49' --until '2026-11-20 11:49:30' dir
	same "" "$output" "records"
	has "$stderr" "nothing was recorded from 2026-11-20 11:48:39 to"
	run -3 --separate-stderr dktrace report --since '2026-11-20 11:59' dir
	same "dktrace: dir: nothing was recorded after 2026-11-20 11:51:59" "$stderr" "words"
	run -3 --separate-stderr dktrace report --until '2026-11-20 11:01' dir
	has "$stderr" "nothing was recorded before 2026-11-20 11:48:29, or its segments are gone"
	run -0 --separate-stderr dktrace report --since '2026-11-20 11:50:10' --until '2026-11-20 11:51:59' dir
	same "" "$stderr" "words"
	run -3 dktrace info dir
	same "         2 11-20 11:48:39 11-20 11:50:09 nothing was recorded" "$(tail -n 1 <<<"$output")" "gap"
}

@test "threads share the segments of a directory, and print what one prints" {
	cut_into 30
	rm "$(name 7)"
	for how in "" "--style json" "--style legacy -c ioctl" "--since $second.762 --until $second.778" \
		"-f fd==3"; do
		# shellcheck disable=SC2086 # words
		dktrace report $how dir >wanted 2>err || true
		[ -s wanted ]
		# shellcheck disable=SC2086
		dktrace report -j 3 $how dir 2>err3 | cmp wanted -
		cmp err err3
	done
	# A last segment that cannot be read is told once.
	echo garbage >"$(name 30)"
	dktrace report dir >wanted 2>err || true
	dktrace report -j 3 dir 2>err3 | cmp wanted -
	cmp err err3
	command -v strace >/dev/null || skip "needs strace"
	rm "$(name 30)"
	# A sanitizer cannot search for leaks under strace, and uses threads for it.
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -f -e trace=clone,clone3 -o threads dktrace report -j 3 dir >out || true
	same 2 "$(grep -c 'clone.*CLONE_THREAD.* = [0-9]' threads)" "threads"
}

@test "a segment of the far future is read" {
	cut_into 2
	mv "$(name 2)" dir/dktrace-99991231T235959Z-000002.dat
	touch -d 2400-01-01 dir/*2.dat
	dktrace report dir | cmp - <(dktrace report all.dat)
	run -0 --separate-stderr dktrace info --csv dir
	same "" "$stderr" "words"
}
