#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# convert: files that trace-cmd reads, with all records of the source.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
}

needs_trace_cmd()
{
	command -v trace-cmd >/dev/null || skip "needs trace-cmd"
}

# Prints the lines that trace-cmd prints for a file.
report()
{
	trace-cmd report --nodate "$@" 2>&1 | grep -v '^cpus='
}

@test "trace-cmd prints a converted tree as the trace style does" {
	needs_trace_cmd
	dktrace show --input "$capture" --style trace | sed '$d' >wanted
	for args in "trace.dat-6" "trace.dat" "trace.dat --compression none"; do
		# shellcheck disable=SC2086 # several words
		rm -f out.dat
		expect 0 "" "" dktrace convert --format $args "$capture" out.dat
		report out.dat | cmp wanted -
	done
	[ -s wanted ]
}

@test "a converted file has wall-clock times too" {
	needs_trace_cmd
	dktrace convert "$capture" out.dat
	wanted=$(dktrace show --input "$capture" | cut -d: -f4 | sed -n 1p)
	trace-cmd report out.dat | sed -n '2s/.*\] *\([0-9.]*\): .*/\1/p' >have
	# One rounds, the other cuts.
	awk -v wanted="$wanted" '{ d = $1 - wanted; exit d < 0 || d > 0.0000011 }' have
	[ -s have ]
}

@test "convert refuses an unknown format before it reads the input" {
	expect 2 "" "dktrace: out: the name does not tell the format; give --format" \
		dktrace convert nothing out
	expect 2 "" "dktrace: --format: unknown format 'elf'; use trace.dat, trace.dat-6, sqlite or a style" dktrace convert --format elf nothing out
	expect 2 "" "dktrace: --compression: 'rar' is not zstd, zlib or none" \
		dktrace convert --compression rar "$capture" out.dat
	expect 1 "" "dktrace: version 6 of trace.dat has no compression" \
		dktrace convert --format trace.dat-6 --compression zstd "$capture" out.dat
	gone out.dat
}

@test "a converted file prints the same as its input" {
	# The file knows wall-clock time to a microsecond.
	dktrace convert --format trace "$capture" - | sed 's/\] *[0-9.]*:/]/' >wanted.txt
	for args in "trace.dat-6" "trace.dat" "trace.dat --compression zlib" "trace.dat --compression none"; do
		# shellcheck disable=SC2086 # several words
		dktrace convert --format $args "$capture" out.dat
		dktrace convert out.dat out.txt
		sed 's/\] *[0-9.]*:/]/' out.txt | cmp wanted.txt -
		# And once more, from one such file to another.
		dktrace convert out.dat again.dat
		dktrace convert again.dat again.txt
		cmp out.txt again.txt
	done
	[ -s wanted.txt ]
}

@test "convert writes styles, also to standard output" {
	# A file does not contain the places where a buffer was emptied.
	dktrace show --input "$capture" | sed '$d; s/^\(.\{18\}[0-9]*\.[0-9]\)F:/\1:/' >wanted
	dktrace convert "$capture" out.log
	diff wanted out.log
	dktrace convert --format legacy "$capture" - | cmp wanted -
	dktrace convert "$capture" out.json
	same "$(wc -l <wanted)" "$(jq -c . out.json | wc -l)" "objects"
}

@test "trace-cmd prints the same before and after a conversion" {
	needs_trace_cmd
	for file in "$top"/tests/fixture/tracedat/v6.dat "$top"/tests/fixture/tracedat/v7-zstd.dat; do
		for format in trace.dat trace.dat-6; do
			dktrace convert --format "$format" "$file" out.dat
			trace-cmd report -N out.dat >have
			trace-cmd report -N "$file" | cmp - have
			[ -s have ]
		done
	done
}

@test "trace-cmd's library finds every record, with all its bytes" {
	reader=$tools/read-tracedat
	[ -x "$reader" ] || skip "needs libtracecmd"
	for file in "$capture" "$top/tests/fixture/perfdata/plain.data"; do
		dktrace info --json "$file" | jq -r '"- \(.records) \(.bytes)"' >wanted
		for args in trace.dat trace.dat-6 "trace.dat --compression none"; do
			# shellcheck disable=SC2086 # several words
			dktrace convert --format $args "$file" out.dat
			"$reader" out.dat | awk '{ print $1, $2, $5 }' | cmp wanted -
		done
	done
	# Times are equal too, to a nanosecond.
	for format in trace.dat trace.dat-6; do
		dktrace convert --format "$format" "$top/tests/fixture/tracedat/v6.dat" out.dat
		"$reader" out.dat | cmp - <("$reader" "$top/tests/fixture/tracedat/v6.dat")
	done
}

@test "a failed conversion keeps the old output file and leaves no other file" {
	echo old >out.dat
	expect 1 "" "dktrace: open nothing: No such file or directory" \
		dktrace convert nothing out.dat
	same old "$(cat out.dat)" "out.dat"
	same out.dat "$(ls -A)" "files"
	expect 1 "" "dktrace: open no/out.dat: No such file or directory" \
		dktrace convert "$capture" no/out.dat
	expect 1 "" "dktrace: standard output cannot be written in any order: name a file" \
		dktrace convert --format trace.dat "$capture" -
	dktrace convert "$capture" out.dat
	at_least 1001 "$(wc -c <out.dat)"
	same "out.dat
out.dat.old" "$(ls -A)" "files"
	same old "$(cat out.dat.old)" "the old file"
}

@test "convert reports a full disk and leaves no file" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, for a file system of its own"
	need_namespace
	mkdir full
	run -1 --separate-stderr apart sh -c '
		mount -t tmpfs -o size=64k none full
		dktrace convert --format trace.dat-6 "$1" full/out.dat
		rc=$?; ls -A full; exit $rc' - "$capture"
	same "" "$output" "files"
	same "dktrace: write full/out.dat: No space left on device; free space on its file system, or write to another file system" "$stderr" "words"
}

# Prints the number of records in a file truncated there.
count_to()
{
	head -c "$1" "$2" >cut.dat
	dktrace report cut.dat 2>cut.err | grep -c '^ '
}

@test "a truncated file is read up to its last complete page" {
	"$tools/gen-records" cpus 5000 >dump
	page=65536
	for args in "trace.dat-6" "trace.dat --compression none"; do
		# shellcheck disable=SC2086 # several words
		dktrace convert --format $args dump whole.dat
		size=$(wc -c <whole.dat)
		same 5000 "$(count_to "$size" whole.dat)" "records of $args"
		# Every page has records; the last that is whole ends at the cut.
		pages=0 last=0
		for ((at = page; at <= size; at += page)); do
			n=$(count_to "$at" whole.dat || :)
			[ "$at" -eq "$size" ] ||
				grep -qxF "dktrace: cut.dat: the file is truncated at byte $at" cut.err
			[ "$n" -gt "$last" ] || [ "$n" -eq 0 ]
			[ "$(count_to "$((at + 5000))" whole.dat || :)" -ge "$n" ]
			[ "$n" -eq 0 ] || pages=$((pages + 1))
			last=$n
		done
		same 5000 "$last" "records of $args"
		at_least 11 "$pages"
	done
}

@test "a truncated compressed file is read up to its last complete chunk" {
	"$tools/gen-records" cpus 5000 >dump
	for packed in zstd zlib; do
		dktrace convert --format trace.dat --compression "$packed" dump whole.dat
		size=$(wc -c <whole.dat) last=0 steps=0
		for ((at = size / 20; at < size; at += size / 20)); do
			n=$(count_to "$at" whole.dat || :)
			[ "$n" -ge "$last" ]
			[ "$n" -eq "$last" ] || steps=$((steps + 1))
			last=$n
		done
		at_least 9 "$steps"
		same 5000 "$(count_to "$size" whole.dat)" "records"
		at_least 4001 "$(count_to "$((size - 1))" whole.dat)"
	done
}

@test "convert turns a truncated file into a complete one that trace-cmd reads" {
	needs_trace_cmd
	"$tools/gen-records" cpus 5000 >dump
	for format in trace.dat trace.dat-6; do
		dktrace convert --format "$format" dump whole.dat
		n=$(count_to "$(($(wc -c <whole.dat) * 9 / 10))" whole.dat)
		at_least 2501 "$n"
		run -1 --separate-stderr dktrace convert --format "$format" cut.dat rest.dat
		same "$n" "$(report rest.dat | wc -l)" "lines"
	done
}

# bats test_tags=plain
@test "convert writes a trace.dat file in large blocks" {
	"$tools/gen-records" near 60000 >dump
	strace -f -e trace=pwrite64,copy_file_range -o calls dktrace convert dump out.dat
	# A chunk of eight pages is written twice, first to the temporary file.
	within 1 "$(grep -c '(' calls)" "$(($(stat -c %s out.dat) / 16384))" "calls that write"
}

# bats test_tags=plain
@test "a command that reads a long text looks once whether its errors go to a terminal" {
	"$tools/gen-records" near 20000 >dump
	lctl df dump text >/dev/null
	strace -f -e trace=ioctl -o calls dktrace report text >/dev/null
	within 0 "$(grep -c 'ioctl(2, TCGETS' calls)" 3 "looks at standard error"
}
