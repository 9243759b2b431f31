#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# perf.data as a source, beside perf script.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

files=$top/tests/fixture/perfdata

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
}

needs_perf()
{
	perf version >/dev/null 2>&1 || skip "needs perf"
	perf script -i "$files/plain.data" >/dev/null 2>&1 || skip "this perf knows no tracepoints"
}

# perf script's text of each sample in the trace style: times rounded, other names for what
# has none. Stacks are no part of it.
perf_lines()
{
	perf script --ns -G -F comm,tid,cpu,time,event,trace -i "$1" 2>/dev/null | awk '
	{
		match($0, /[0-9]+ \[[0-9]+\] +[0-9]+\.[0-9]+: /)
		comm = substr($0, 1, RSTART - 1)
		gsub(/^ +| +$/, "", comm)
		if (comm == "swapper")
			comm = "<idle>"
		if (comm ~ /^:[0-9]+$/)
			comm = "<...>"
		rest = substr($0, RSTART + RLENGTH)
		split(substr($0, RSTART, RLENGTH), part, /[][ .:]+/)
		us = int((part[4] + 500) / 1000)
		second = part[3] + int(us / 1000000)
		sub(/^ *[^:]*:/, "", rest)
		name = substr(rest, 1, index(rest, ":") - 1)
		text = substr(rest, length(name) + 2)
		sub(/^ /, "", text)
		printf "%s-%d [%s] %d.%06d: %s: %s\n", comm, part[1], part[2], second, us % 1000000, name, text
	}'
}

# The same of the trace style: without its columns.
our_lines()
{
	dktrace convert --format trace "$1" - | grep -v '^ => ' | sed -E 's/^ +//; s/^(.*-[0-9]+) +(\[[0-9]+\]) +([0-9.]+: [^ ]+:) +/\1 \2 \3 /'
}

@test "every sample prints as perf script prints it" {
	needs_perf
	for kind in plain pipe zstd swapped; do
		perf_lines "$files/$kind.data" >wanted
		our_lines "$files/$kind.data" | diff wanted -
		at_least 81 "$(wc -l <wanted)"
	done
}

# usage: perf_dir NAME [zstd]: the directory that perf record --threads would have written in place of plain.data
perf_dir()
{
	"$tools/gen-perfdir" "$files/plain.data" "$@"
}

@test "the directory of perf record --threads is read as one file" {
	our_lines "$files/plain.data" >wanted
	perf_dir dir
	perf_dir packed zstd
	for dir in dir packed; do
		exists "$dir/data.1"
		our_lines "$dir" | diff wanted -
		dktrace report -j2 --style trace "$dir" >threads
		dktrace report -j1 --style trace "$dir" | diff threads -
		same "$(dktrace sql "$files/plain.data" 'SELECT count(*) FROM sched_switch' --csv)" \
			"$(dktrace sql "$dir" 'SELECT count(*) FROM sched_switch' --csv)" "rows of sched_switch"
		run -0 --separate-stderr dktrace info "$dir"
		has "$output" "kind      perf.data"
		same "" "$stderr" "damage"
		dktrace view --output page.html "$dir"
		exists page.html
	done
	if perf version >/dev/null 2>&1 && perf script -i "$files/plain.data" >/dev/null 2>&1; then
		perf_lines dir | diff wanted -
		perf_lines packed | diff wanted -
	fi
}

@test "the directory of perf record --kcore has all records in its file data" {
	mkdir -p dir/kcore_dir
	cp "$files/plain.data" dir/data
	our_lines dir | diff <(our_lines "$files/plain.data") -
}

@test "files that a directory of perf lacks are named" {
	perf_dir dir
	run -1 --separate-stderr dktrace report dir/data
	same "dktrace: dir/data: its records are in the files data.N beside it; read the directory" "$stderr" "of data alone"
	rm dir/data.0
	run -1 --separate-stderr dktrace report dir
	has "$stderr" "dktrace: dir: data.0: the file is missing"
	rm dir/data.1
	run -1 --separate-stderr dktrace report dir
	has "$stderr" "dktrace: dir: the files data.N with its records are missing"
	perf_dir cut
	truncate -s -1 cut/data.1
	run -1 --separate-stderr dktrace report cut
	has "$stderr" "dktrace: cut: data.1: its records end at byte"
	# A thread that has seen nothing leaves its file empty.
	our_lines cut | sed -n '/\[000\]/p' >wanted
	: >cut/data.1
	our_lines cut | diff wanted -
	: >cut/data
	expect 1 "" "dktrace: read cut/data: the file is empty" dktrace report cut
	echo no header >cut/data
	expect 1 "" "dktrace: open cut/data: it is not a perf.data file" dktrace report cut
	mkdir none
	expect 1 "" "dktrace: open none: the directory has no recordings (*.dat), and is neither a saved tracefs tree nor a directory of perf record" \
		dktrace report none
}

@test "no output replaces a file of a directory that is the input" {
	perf_dir dir
	run ! dktrace convert --format trace dir dir/data.1
	has "$output" "dir/data.1 is a file of the input: name another file to write"
	gone dir/data.1.old
}

@test "a new directory of perf record --threads is read" {
	needs_perf
	record=(perf record --threads -q -m 8M -a -e "sched:sched_switch,sched:sched_process_exec")
	work=(sh -c "exec nice env nice env nice sleep 0.1")
	"${record[@]}" -o live -- "${work[@]}" 2>/dev/null || skip "perf may not record here"
	"${record[@]}" -z -o live-z -- "${work[@]}" 2>/dev/null
	for dir in live live-z; do
		exists "$dir/data.0"
		perf_lines "$dir" >all
		sed -nE 's/^:-1 +--1 //p' all >gone
		grep -vFf gone all >wanted
		our_lines "$dir" | grep -vFf gone | diff wanted -
	done
}

@test "a pipe of perf that ends within its formats is truncated" {
	for size in 1000 2000 3000; do
		head -c $size "$files/pipe.data" >cut.data
		for command in "report cut.data" "info cut.data" "convert --format json cut.data out"; do
			# shellcheck disable=SC2086 # several words
			run -1 --separate-stderr dktrace $command
			has "$stderr" "dktrace: cut.data: "
			has "$stderr" "the file is truncated at byte $size"
		done
	done
}

@test "every sample of the selected events is printed" {
	for event in sched_switch sched_process_exec; do
		our_lines "$files/plain.data" | grep ": $event:" >wanted
		dktrace report -e "$event" "$files/plain.data" |
			sed -E 's/^ +//; s/^(.*-[0-9]+) +(\[[0-9]+\]) +([0-9.]+: [^ ]+:) +/\1 \2 \3 /' | diff wanted -
	done
}

@test "a new recording of perf is read" {
	needs_perf
	record=(perf record -q -m 8M -a -e "sched:sched_switch,sched:sched_process_exec")
	# One process whose name changes, with a record after each change.
	work=(sh -c "exec nice env nice env nice sleep 0.1")
	"${record[@]}" -o live.data -- "${work[@]}" 2>/dev/null || skip "perf may not record here"
	"${record[@]}" -z -o live-z.data -- "${work[@]}" 2>/dev/null
	"${record[@]}" -o - -- "${work[@]}" >live-pipe.data 2>/dev/null
	for file in live live-z live-pipe; do
		perf_lines "$file.data" >all
		# perf shows no PID for a thread that has ended, though the sample has it.
		sed -nE 's/^:-1 +--1 //p' all >gone
		grep -vFf gone all >wanted
		our_lines "$file.data" | grep -vFf gone | diff wanted -
	done
}

# "TIME KIND FRAME ..." of every stack.
our_calls()
{
	dktrace report -S json "$@" | jq -r '. as $record | ("kernel_stack", "user_stack") | select($record[.]) |
		"\($record.ts) \(.) \($record[.] | join(" "))"'
}

# The same for a trace.dat, where call chains are records; kernel functions by their addresses.
dat_calls()
{
	dktrace report -S json "$1" | jq -r 'select(.event == "kernel_stack") | "\(.ts) \(.event) \(.fields.caller | join(" "))"'
}

# The same by perf: the kernel's by their addresses, those of programs by their offsets in the function or
# file, as functions have several names; "?" for what lies in no file. The 0 that ends many chains is none.
# Where a program is interrupted at random, frames can lie in the vDSO, or in a jump table, which perf names.
perf_calls()
{
	perf script --ns -F time,ip,sym,symoff,dso -i "$1" 2>/dev/null | awk '
	function put(kind) {
		if (calls[kind] != "")
			print ts, kind calls[kind]
		calls[kind] = ""
	}
	NF == 1 && $1 ~ /:$/ { put("kernel_stack"); put("user_stack"); ts = $1; gsub(/[.:]/, "", ts); next }
	NF == 0 || $1 == "0" { next }
	$NF == "([kernel.kallsyms])" { calls["kernel_stack"] = calls["kernel_stack"] " 0x" $1; next }
	{
		call = "?"
		if ($NF ~ /^\(\/.*\)$/) {
			call = $2 ~ /^(\[unknown\]|@plt\+)/ ? "+0x" $1 : $2
			sub(/^.*\+/, "+", call)
		}
		calls["user_stack"] = calls["user_stack"] " " call
	}
	END { put("kernel_stack"); put("user_stack") }'
}

@test "call chains print as perf script prints them" {
	[ "$(id -u)" = 0 ] || skip "needs root: others may not see where the kernel is"
	needs_perf
	perf record -q -m 8M -g -e sched:sched_switch -e sched:sched_process_exec -o live.data -- \
		sh -c 'for i in 1 2 3; do sleep 0.01; done; exec sleep 0.01' 2>/dev/null || skip "perf may not record here"
	perf_calls live.data | sort >wanted
	dktrace convert live.data out.dat
	{
		our_calls live.data | awk '$2 == "user_stack" {
			for (i = 3; i <= NF; i++)
				$i = $i ~ /^(0x|\[vdso\])/ ? "?" : $i ~ /\+0x/ ? substr($i, index($i, "+0x")) : "+0x0"
			print
		}'
		dat_calls out.dat
	} | sort -u | diff <(sort -u wanted) -
	# Two names may be at one address; these are alone.
	our_calls live.data >have
	has_line ' kernel_stack .*__schedule.* do_syscall_64' have
	has_line ' kernel_stack ' wanted
	has_line ' user_stack .*clock_nanosleep\+0x' have
	same "$(wc -l <have)" "$(wc -l <wanted)" "stacks"
	# Lines below the record, without the places within functions.
	dktrace report live.data | sed -nE 's/\+0x[0-9a-f]+$//; s/^ => //p' >lines
	awk '{
		for (i = 3; i <= NF; i++) {
			sub(/\+0x[0-9a-f]+$/, "", $i)
			print $i
		}
	}' have | diff lines -
	# The output of the style trace reads back as the same records.
	dktrace report live.data >live.txt
	dktrace report live.txt | cmp live.txt -
	dktrace report -S folded live.txt | cmp - <(dktrace report -S folded live.data)
	# The styles and files that know stacks know these.
	dktrace report -S folded live.data >folded
	has_line '^sched_switch;sleep;.*;clock_nanosleep;.*;__schedule(;[^;]*)? [0-9]+$' folded
	dktrace report -S json out.dat | jq -r 'select(.event | endswith("_stack")) |
		"\(.ts) \(.event) \(.text[11:] | gsub(" => "; " ") | gsub("\\+0x[0-9a-f]+"; ""))"' |
		diff <(sed -E 's/\+0x[0-9a-f]+//g' have) -
	dktrace hist sched:sched_switch -i live.data -k stacktrace --folded >folded
	has_line ';__schedule(;[^;]*)? [0-9]+$' folded
}

# Run by "chains belong to their record": the chains of the records that the options choose are those
# that the same records have among all.
chosen()
{
	local test=$1

	shift
	dktrace report -S json "$files/pipe.data" | jq -c "select($test)" >wanted
	[ -s wanted ]
	grep -q '"kernel_stack":\["0x' wanted
	dktrace report -S json "$@" "$files/pipe.data" | diff wanted -
}

@test "call chains belong to their record" {
	pid=$(dktrace report -S json "$files/pipe.data" | jq -s '.[40].pid')
	chosen '.event == "sched_switch"' -e sched_switch
	chosen '.event == "sched_switch" and .fields.prev_pid == 0' --filter 'prev_pid == 0'
	chosen ".pid == $pid" --pid "$pid"
	chosen '.cpu == 1' --cpu 1
	# perf knows the number of samples.
	n=$(dktrace report -S json "$files/pipe.data" | wc -l)
	same "$(dktrace report "$files/pipe.data" | grep -vc '^ => ')" "$n" "records of the style trace"
	dktrace info "$files/pipe.data" | grep -qE "^records +$n,"
	no_line _stack <(dktrace info "$files/pipe.data")
	if perf script -i "$files/plain.data" >/dev/null 2>&1; then
		same "$(perf script -G -i "$files/pipe.data" 2>/dev/null | wc -l)" "$n" "samples"
	fi
	# Files of records count the same.
	dktrace split --count 50 "$files/pipe.data" part.dat
	same "$(dktrace report part-001.dat | grep -vc _stack:)" 50 "records of a part"
	dktrace merge -o both.dat --offset "$files/plain.data=0" "$files/pipe.data" "$files/plain.data"
	dktrace report both.dat | grep -c _stack: | diff <(our_calls "$files/pipe.data" | wc -l) -
	# A choice of fields hides them unless it has them.
	no_line _stack <(dktrace report -S json --fields comm "$files/pipe.data")
	dktrace report -S json --fields kernel_stack "$files/pipe.data" | jq -r 'select(.kernel_stack) | .kernel_stack | join(" => ")' >wanted
	dktrace report -S csv --fields kernel_stack "$files/pipe.data" | tr -d '\r' | sed 1d | grep . | cmp wanted -
	same "$(dktrace report -S csv --fields ts,kernel_stack "$files/pipe.data" | wc -l)" "$((n + 1))" "rows"
}

@test "call chains of another machine get no names of this machine" {
	our_calls "$files/pipe.data" >have
	same 144 "$(wc -l <have)"
	run ! grep -vE '^[0-9]+ (kernel|user)_stack( 0x[0-9a-f]+)+$' have
	# The window begins with the records that it drops.
	from=$(sed -n '50s/ .*//p' have)
	our_calls --since "$((from / 1000000000)).$(printf %09d $((from % 1000000000)))" "$files/pipe.data" |
		sed 's/ .*//' | cmp - <(sed 's/ .*//' have | awk -v from="$from" '$1 >= from')
	dktrace report -S folded "$files/pipe.data" >folded
	same "$(cut -d' ' -f1 have | uniq | wc -l)" "$(awk '{ n += $NF } END { print n }' folded)"
}

@test "a number of CPUs above the kernel's limit is refused" {
	# struct nr_cpus of its header: available and online CPUs.
	for numbers in '\2\0\0\0\0377\0377\0377\0177' '\0377\0377\0377\0177\0377\0377\0377\0177'; do
		cp "$files/plain.data" cpus.data
		printf %b "$numbers" | dd of=cpus.data bs=1 seek=17922 conv=notrunc status=none
		timeout 600 dktrace report cpus.data | cmp - <(dktrace report "$files/plain.data")
	done
}

# bats test_tags=plain
@test "attributes that share their IDs take no more memory than the file" {
	# 4096 attributes of 64 bytes, each with the whole file as its numbers.
	{
		printf '\2\0\0\0\100'
		head -c 59 /dev/zero
		printf '\0\0\0\0\0\0\0\0\150\0\5\0\0\0\0\0'
	} >attr
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		cat attr attr >attrs
		mv attrs attr
	done
	{
		printf 'PERFILE2\150\0\0\0\0\0\0\0\120\0\0\0\0\0\0\0\150\0\0\0\0\0\0\0\0\0\5\0\0\0\0\0'
		head -c 64 /dev/zero
		cat attr
	} >shared.data
	# The address sanitizer maps terabytes and has its own limit.
	sanitized || ulimit -v 500000
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}hard_rss_limit_mb=2000 run -1 timeout 600 dktrace report shared.data
	has "$output" "dktrace: shared.data: the file is truncated at byte 327784; its records end at byte"
}

@test "a pipe is read to its end" {
	dktrace report "$files/pipe.data" >wanted
	dktrace report - <"$files/pipe.data" | cmp wanted -
	# shellcheck disable=SC2002 # a pipe is what this is about
	cat "$files/pipe.data" | dktrace report - | cmp wanted -
	for file in "$top"/tests/fixture/tracedat/v6.dat "$top"/tests/fixture/tracedat/v7-zstd.dat; do
		dktrace report -B all "$file" >wanted
		# shellcheck disable=SC2002
		cat "$file" | dktrace report -j2 -B all - | cmp wanted -
		# shellcheck disable=SC2002
		cat "$file" | dktrace convert - out.dat
		dktrace report -B all out.dat | cmp wanted -
		# shellcheck disable=SC2002
		cat "$file" | dktrace info - | head -n 1 |
			diff <(echo 'file      standard input') -
	done
	run -1 --separate-stderr dktrace report - </dev/null
	same "dktrace: read standard input: it is empty" "$stderr" "words"
	run -1 --separate-stderr dktrace report - <<<"nothing of the kind"
	same "dktrace: open standard input: unknown file format" "$stderr" "words"
	# shellcheck disable=SC2002
	run -1 --separate-stderr bash -c "head -c 9000 $files/plain.data | dktrace report -"
	has "$stderr" "dktrace: standard input: the file is truncated at byte 9000"
}

@test "perf record's own pipe, compressed or not" {
	needs_perf
	perf record -q -m 8M -a -e sched:sched_switch -o - -- true >/dev/null 2>&1 ||
		skip "perf may not record here"
	# Each sleep is a switch, whatever else the machine does.
	work=(sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11; do sleep 0.01; done')
	for z in '' -z; do
		# shellcheck disable=SC2086 # an option or none
		perf record -q -m 8M $z -a -e sched:sched_switch -o - -- "${work[@]}" 2>/dev/null |
			tee pipe.data | dktrace report - >have
		dktrace report pipe.data | cmp - have
		at_least 11 "$(wc -l <have)"
	done
}

@test "a perf.data becomes a trace.dat that trace-cmd reads" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	dktrace convert "$files/plain.data" out.dat
	dktrace convert "$files/plain.data" wanted.txt
	# A trace.dat has one name for each process.
	trace-cmd report --nodate -N out.dat | sed 1d | cut -c 17- | cut -d: -f1-2 >have
	cut -c 17- wanted.txt | cut -d: -f1-2 | diff - have
	[ -s have ]
}

@test "trace-cmd shows the call chains of a converted perf.data" {
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
	# With names of programs, of which no fixture knows any; eight callers are shown of those.
	{
		echo '  cat-1 [000] 1.000000: sched_wakeup: comm=cat pid=1 prio=1 target_cpu=000'
		printf ' => %s\n' schedule do_syscall_64 libc.so.6+0x1234 cat+0x{1..7}6
	} >calls.txt
	dktrace convert calls.txt out.dat
	trace-cmd report out.dat 2>/dev/null | sed -nE 's/^ ?=> ([^ ]+).*/\1/p' | grep -v '^0x0$' |
		diff <(sed -n 's/^ => //p' calls.txt) -
}

@test "an unreadable perf.data is reported" {
	head -c 3000 "$files/plain.data" >cut.data
	run -1 --separate-stderr dktrace convert --format trace cut.data -
	has "$stderr" "dktrace: cut.data: the file is truncated at byte 3000"
	printf '2ELIFREP0123456789' >swapped.data
	expect 1 "" "dktrace: read swapped.data: its header is invalid" \
		dktrace convert --format trace swapped.data -
	head -c 9000 "$files/swapped.data" >cut.data
	run -1 --separate-stderr dktrace report cut.data
	has "$stderr" "dktrace: cut.data: the file is truncated at byte 9000"
	printf 'PERFILE2\150\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377' >odd.data
	head -c 100 /dev/zero >>odd.data
	expect 1 "" "dktrace: read odd.data: invalid size of its attributes: 18446744073709551615 bytes" \
		dktrace convert --format trace odd.data -
}
