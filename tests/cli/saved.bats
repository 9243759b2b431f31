#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# dk on a recorded tree, beside golden output. UPDATE=1 rewrites it (after tests/fixture/record).

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

saved()
{
	run -0 dktrace dk --input "$capture" "$@"
}

# Prints the PID of the first process of that name.
pid_of()
{
	awk -v name="$1" '$2 == name { print $1; exit }' "$capture/saved_cmdlines"
}

summary()
{
	same "Debug log: $1 lines, $2 kept, $3 dropped, 0 bad." "${lines[-1]}" "summary"
}

total=$(awk '$1 == "entries:" { n += $2 } END { print n }' "$capture"/per_cpu/cpu*/stats)

@test "every record is printed, as many as the kernel counted" {
	saved
	summary "$total" "$total" 0
	same "$((total + 1))" "${#lines[@]}" "lines"
	saved --style trace
	summary "$total" "$total" 0
	# A second time is the same: nothing is consumed.
	saved --style trace
	summary "$total" "$total" 0
}

@test "lctl dk prints the same as dktrace dk" {
	saved
	same "$output" "$(lctl dk --input "$capture")" "lctl dk"
}

@test "every line has the layout of Lustre's lines" {
	saved
	bad=$(printf '%s\n' "$output" | sed '$d' |
		grep -Evc '^[0-9a-f]{8}:[0-9a-f]{8}:[0-9]+\.[0-2]F?:[0-9]+\.[0-9]{6}:0:[0-9]+:0:\([^:()]+:[0-9]+:[^()]+\(\)\) .+' || true)
	same 0 "$bad" "lines of another shape"
}

@test "the times of the lines never go back" {
	saved
	printf '%s\n' "$output" | sed '$d' | awk -F: '$4 < last { exit 1 } { last = $4 }'
	saved --style trace
	printf '%s\n' "$output" | sed '$d' | sed 's/.*\] *\([0-9.]*\): .*/\1/' | awk '$1 < last { exit 1 } { last = $1 }'
}

@test "F marks the first record of each CPU" {
	saved
	cpus=$(find "$capture/per_cpu" -name trace_pipe_raw -size +0 | wc -l)
	same "$cpus" "$(printf '%s\n' "$output" | grep -c '^[0-9a-f]*:[0-9a-f]*:[0-9]*\.[0-2]F:')" "F"
}

@test "style legacy prints one process as expected" {
	saved --pid "$(pid_of stty)"
	golden saved-legacy
}

@test "style trace prints one process as expected" {
	saved --style trace --pid "$(pid_of rm)"
	golden saved-trace
}

@test "--filter selects by the value of a field" {
	saved --filter 'count > 4096'
	golden saved-filter
	at_least 5 "${#lines[@]}"
	printf '%s\n' "$output" | sed '$d' | grep -vq 'count: 0x00002000' && false
	saved --filter 'count > 4096 && common_pid == 1'
	summary "$total" 0 "$total"
}

@test "--class console prints a marker" {
	saved --class console
	golden saved-marker
	has "$output" ":02000400:"
	has "$output" "DEBUG MARKER: capture starts"
}

@test "--class and --subsystem select records" {
	saved --class ioctl
	golden saved-ioctl
	saved --class ioctl+iotrace --subsystem osd
	golden saved-osd
	saved --class rpctrace
	summary "$total" 0 "$total"
}

@test "the records of each --cpu add up to all records" {
	local sum=0 cpu

	for cpu in 0 1; do
		saved --cpu "$cpu"
		sum=$((sum + $(echo "${lines[-1]}" | awk '{ print $5 }')))
		printf '%s\n' "$output" | sed '$d' | awk -F: -v cpu="$cpu" '$3 !~ "^" cpu "\\." { exit 1 }'
	done
	same "$total" "$sum" "records of all CPUs"
	run -1 --separate-stderr dktrace dk --input "$capture" --cpu 2
	same "dktrace: CPU 2 does not exist; the last one is 1" "$stderr" "cpu 2"
}

@test "--since and --until select a period" {
	local stamp first last before after

	saved
	stamp=$(echo "${lines[$((total / 2))]}" | cut -d: -f4)
	first=$(echo "${lines[0]}" | cut -d: -f4)
	last=$(echo "${lines[-2]}" | cut -d: -f4)
	saved --since "@$stamp"
	after=$(echo "${lines[-1]}" | awk '{ print $5 }')
	same "$stamp" "$(echo "${lines[0]}" | cut -d: -f4)" "the first since then"
	# Printed times are cut to microseconds, so those of this very one go to "since".
	saved --until "@$stamp"
	before=$(echo "${lines[-1]}" | awk '{ print $5 }')
	same "$total" "$((before + after))" "before and after"
	saved --since "@${first%.*}" --until "@$((${last%.*} + 1))"
	summary "$total" "$total" 0
	saved --since "$(date -u -d "@${first%.*}" '+%Y-%m-%d %H:%M:%S')"
	summary "$total" "$total" 0
	saved --until "$(date -u -d "@${first%.*}" '+%Y-%m-%d %H:%M:%S')"
	summary "$total" 0 "$total"
	# Before the machine was started.
	saved --since '2001-01-01 00:00'
	summary "$total" "$total" 0
	saved --until '2001-01-01 00:00'
	summary "$total" 0 "$total"
}

@test "a filter that no event can match is refused" {
	expect 1 "" "dktrace: filter: none of 34 events has a field 'cuont'; did you mean count?
  cuont > 4096
  ^" \
		dktrace dk --input "$capture" --filter 'cuont > 4096'
	run -2 --separate-stderr dktrace dk --input "$capture" --filter 'count >'
	has "$stderr" "dktrace: filter: "
	has "$stderr" "^"
}

@test "dk FILE writes the records to FILE and the summary to stdout" {
	saved
	same "${lines[-1]}" "$(dktrace dk --input "$capture" "$BATS_TEST_TMPDIR/file")" "stdout"
	same "$(printf '%s\n' "$output" | sed '$d')" "$(cat "$BATS_TEST_TMPDIR/file")" "file"
	same 600 "$(stat -c %a "$BATS_TEST_TMPDIR/file")" "mode"
	dktrace dk --input "$capture" -o "$BATS_TEST_TMPDIR/other"
	cmp "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/other"
	expect 1 "" "dktrace: open $BATS_TEST_TMPDIR/no/file: No such file or directory" \
		dktrace dk --input "$capture" "$BATS_TEST_TMPDIR/no/file"
	expect 1 "" "dktrace: write /dev/full: No space left on device; free space on its file system, or write to another file system" \
		dktrace dk --input "$capture" /dev/full
}

@test "dk ends without a message if the reader closes the pipe" {
	# shellcheck disable=SC2016
	run -0 --separate-stderr bash -c 'dktrace dk --input "$1" | head -n 1; echo "${PIPESTATUS[0]}"' _ "$capture"
	same "" "$stderr" "stderr"
	same 141 "${lines[-1]}" "status of dktrace"
	same 2 "${#lines[@]}" "lines"
	run -1 --separate-stderr bash -c 'dktrace list classes >/dev/full'
	has "$stderr" "dktrace: write output: No space left on device"
}

@test "a damaged saved tree is reported" {
	local tree=$BATS_TEST_TMPDIR/tree raw

	cp -r "$capture" "$tree"
	raw=$tree/per_cpu/cpu0/trace_pipe_raw
	# A length that leads out of the page, in the first record of the second page.
	printf '\0\0\0\0\377\377\377\377' | dd of="$raw" bs=1 seek=$((4096 + 16)) conv=notrunc status=none
	run -0 dktrace dk --input "$tree"
	has "${lines[-1]}" " 1 bad."
	# The rest of a truncated page.
	truncate -s 6000 "$raw"
	run -0 dktrace dk --input "$tree"
	has "${lines[-1]}" " 1 bad."
	head -c 40000 /dev/urandom >"$raw"
	run -0 dktrace dk --input "$tree"
	rm "$raw"
	run -1 --separate-stderr dktrace dk --input "$tree"
	same "dktrace: open $tree/per_cpu/cpu0/trace_pipe_raw: No such file or directory" "$stderr" "a CPU without pages"
	cp "$capture/per_cpu/cpu0/trace_pipe_raw" "$raw"
	rm "$tree/per_cpu/cpu0/stats"
	rm -r "$tree/events/syscalls"
	run -0 dktrace dk --input "$tree"
	has "$output" "(unknown:0:id_"
	rm -r "$tree/per_cpu"
	run -1 --separate-stderr dktrace dk --input "$tree"
	has "$stderr" "dktrace: list $tree/per_cpu: No such file or directory"
}

@test "--rate prints at most so many records of a class per second" {
	local all

	run -0 --separate-stderr dktrace dk --input "$capture" --class vfstrace
	all=$(grep -c '^[0-9a-f]\{8\}:' <<<"$output")
	at_least 4 "$all"
	run -0 --separate-stderr dktrace dk --input "$capture" --class vfstrace --rate vfstrace=1
	[ "$(grep -c '^[0-9a-f]\{8\}:' <<<"$output")" -lt "$all" ]
	has "$stderr" "dktrace: $((all - $(grep -c '^[0-9a-f]\{8\}:' <<<"$output"))) records dropped by --rate"
	expect 2 "" "dktrace: --rate: 'bogus=1' is not a class and its number of records per second: rpctrace=100" \
		dktrace dk --input "$capture" --rate trace=5,bogus=1
}

@test "dk FILE and show FILE refuse a file that report prints" {
	local file command

	cd "$BATS_TEST_TMPDIR" || return
	cp "$top/tests/fixture/tracedat/v6.dat" "$top/tests/fixture/perfdata/plain.data" \
		"$top/tests/fixture/text/trace-6.18.txt" .
	dktrace dk --input "$capture" dk.log >/dev/null
	for file in v6.dat plain.data trace-6.18.txt dk.log; do
		md5sum "$file" >sum
		for command in dk show; do
			expect 2 '' "dktrace: $command: $file has records: 'dktrace report $file' prints them, and --output $file replaces the file" \
				dktrace $command --input "$capture" $file
		done
		expect 2 '' "dktrace: show: $file has records: 'dktrace report $file' prints them, and --output $file replaces the file" \
			dktrace show --input "$capture" --format json $file
		md5sum --check --quiet sum
		gone "$file.old"
	done
	# Other files are no input of report.
	echo text >notes
	run -0 --separate-stderr dktrace show --input "$capture" notes
	same "dktrace: the earlier notes is now notes.old" "$stderr" "words"
	same text "$(cat notes.old)" "the earlier file"
}

@test "every command that replaces a file keeps the earlier one as FILE.old" {
	local words v6=$top/tests/fixture/tracedat/v6.dat

	cd "$BATS_TEST_TMPDIR" || return
	cp "$v6" in.dat
	for words in "dk --input $capture -o out.txt" "show --input $capture -F json -o out.txt" \
		"report -o out.txt in.dat" "report -F trace.dat -o out.txt in.dat" "convert in.dat out.txt" \
		"convert -F sqlite in.dat out.txt" "merge -o out.txt in.dat in.dat" "view -o out.txt in.dat" \
		"strace -o out.txt $capture"; do
		echo "before $words" >out.txt
		echo older >out.txt.old
		# shellcheck disable=SC2086
		run -0 --separate-stderr dktrace $words
		has "$stderr" "dktrace: the earlier out.txt is now out.txt.old"
		same "before $words" "$(cat out.txt.old)" "the earlier file of $words"
		lacks "$(head -c 100 out.txt | tr -d '\0')" before
	done
	echo before >part-001.dat
	run -0 --separate-stderr dktrace split --count 1000000 in.dat part.dat
	has "$stderr" "dktrace: the earlier part-001.dat is now part-001.dat.old"
	same before "$(cat part-001.dat.old)" "the earlier piece"
	same "" "$(find . -name '.dktrace-*')" "temporary files"
}

@test "a file into which nothing is written stays as it was" {
	local words v6=$top/tests/fixture/tracedat/v6.dat

	cd "$BATS_TEST_TMPDIR" || return
	echo before >out.txt
	for words in "report -o out.txt --comm nosuch $v6" "dk -o out.txt --input $capture --comm nosuch" \
		"show --input $capture --comm nosuch out.txt"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr dktrace $words
		has "$stderr" "dktrace: out.txt stays as it was: nothing was written"
		same before "$(cat out.txt)" "the file after $words"
		gone out.txt.old
	done
	run -1 dktrace show -o out.txt --input "$capture" --filter 'cuont > 4096'
	same before "$(cat out.txt)" "the file after a failure"
}

@test "an output that is a link stays one, and its target is replaced" {
	local v6=$top/tests/fixture/tracedat/v6.dat words

	cd "$BATS_TEST_TMPDIR" || return
	mkdir there
	for words in "dk --input $capture -o link" "convert -F json $v6 link"; do
		echo before >there/file
		ln -sf there/file link
		# shellcheck disable=SC2086
		dktrace $words >/dev/null
		same there/file "$(readlink link)" "the link"
		at_least 5 "$(wc -l <there/file)" "lines"
		same before "$(cat there/file.old)" "the earlier target"
	done
	# A name of standard output is not a file to be replaced.
	ln -sf /proc/self/fd/1 link
	{
		echo first
		dktrace convert -F json "$v6" link
	} >both
	same /proc/self/fd/1 "$(readlink link)" "the link"
	same first "$(head -n 1 both)" "what was there"
	at_least 5 "$(wc -l <both)" "lines"
	gone both.old
}

@test "--format writes a style to a file, all or nothing" {
	for style in json csv legacy trace; do
		dktrace show --input "$capture" --style $style -o "$BATS_TEST_TMPDIR/wanted" >/dev/null
		run -0 --separate-stderr dktrace show --input "$capture" --format $style -o "$BATS_TEST_TMPDIR/out"
		cmp "$BATS_TEST_TMPDIR/wanted" "$BATS_TEST_TMPDIR/out"
	done
	expect 2 '' "dktrace: --format: unknown format 'elf'; use trace.dat, trace.dat-6, sqlite or a style" \
		dktrace show --input "$capture" --format elf "$BATS_TEST_TMPDIR/out"
	expect 2 '' 'dktrace: --format: name the file to write' dktrace show --input "$capture" --format json
}

@test "--journal sends each record as an entry with fields" {
	need_namespace
	command -v python3 >/dev/null || skip "no python3"
	run -0 --separate-stderr dktrace dk --input "$capture" --event 'sys_exit_write' --pid "$(pid_of dd)"
	cp /dev/null "$BATS_TEST_TMPDIR/entries"
	# shellcheck disable=SC2016
	run -0 --separate-stderr apart bash -c '
		mount -t tmpfs none /run && mkdir -p /run/systemd/journal
		"$0"/fake-journal "$1" 3>&- &
		until [ -S /run/systemd/journal/socket ]; do
			kill -0 $! || exit
			sleep 0.05
		done
		shift
		"$@" --journal
		status=$?
		# It ends when it has read all entries.
		"$0"/fake-journal --end
		wait
		exit $status
	' "$top/tests/tools" "$BATS_TEST_TMPDIR/entries" dktrace dk --input "$capture" --event 'sys_exit_write' --pid "$(pid_of dd)"
	summary "$total" "$(grep -c '^MESSAGE=' "$BATS_TEST_TMPDIR/entries")" "$((total - $(grep -c '^MESSAGE=' "$BATS_TEST_TMPDIR/entries")))"
	at_least 2 "$(grep -c '^MESSAGE=0x' "$BATS_TEST_TMPDIR/entries")" "entries"
	same "$(grep -c '^MESSAGE=' "$BATS_TEST_TMPDIR/entries")" "$(grep -cx 'CODE_FUNC=sys_exit_write' "$BATS_TEST_TMPDIR/entries")" "functions"
	same "DKTRACE_PID=$(pid_of dd)" "$(grep '^DKTRACE_PID=' "$BATS_TEST_TMPDIR/entries" | sort -u)" "PIDs"
}

@test "--journal fails without a journal, and with another style" {
	need_namespace
	expect 1 "" "dktrace: open the journal, /run/systemd/journal/socket: No such file or directory" apart sh -c '
		mount -t tmpfs none /run && exec "$@"' sh dktrace dk --input "$capture" --journal
	for words in "--style trace" "-o $BATS_TEST_TMPDIR/out" --raw-text; do
		# shellcheck disable=SC2086 # words
		run -2 dktrace dk --input "$capture" --journal $words
		has "$output" "cannot combine --journal with a file, another style or --raw-text"
	done
}
