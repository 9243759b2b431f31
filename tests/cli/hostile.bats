#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Saved trees and files with formats that are wrong, or nest or repeat without end.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common
load ../helper/foreign

setup()
{
	tree=$BATS_TEST_TMPDIR/tree
	cp -r "$capture" "$tree"
	chmod -R u+w "$tree"
	event=$tree/events/syscalls/sys_enter_openat/format
	cd "$BATS_TEST_TMPDIR" || return
}

# Replaces an event's print format by the argument, and its fields by standard input.
lie()
{
	local id

	id=$(sed -n 's/^ID: //p' "$event")
	{
		printf 'name: sys_enter_openat\nID: %s\nformat:\n' "$id"
		printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
		printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
		cat
	} >"$event.new"
	mv "$event.new" "$event"
}

# Every way to read the records of the tree ends, and not by a signal. usage: read_all_ways [FIELD]
read_all_ways()
{
	local style v=${1:-v}

	for style in trace legacy json csv raw folded; do
		run -0 dktrace report "$tree" --style "$style"
	done
	for style in perfetto ctf; do
		run -0 dktrace convert --format "$style" "$tree" "$BATS_TEST_TMPDIR/$style"
		rm -r "${BATS_TEST_TMPDIR:?}/$style"
	done
	run -0 dktrace convert "$tree" "$BATS_TEST_TMPDIR/trace.dat"
	run -0 dktrace info "$tree"
	for key in filename filename.hex common_pid "$v" "$v.hex" w; do
		run dktrace hist --input "$tree" syscalls:sys_enter_openat --keys "$key"
		[ "$status" -le 2 ]
	done
	run dktrace latency syscalls:sys_enter_openat syscalls:sys_exit_openat --match common_pid --keys "$v" \
		--input "$tree"
	[ "$status" -le 2 ]
	run dktrace report "$tree" --filter "$v == 1 || w ~ \"*a*\""
	[ "$status" -le 2 ]
}

@test "a field that no record can hold is ignored" {
	local field n=0

	for field in 'u32 v%d;\toffset:4294967295;\tsize:4' 'u64 v%d;\toffset:4294967288;\tsize:8' \
		'u32 v%d;\toffset:18446744073709551615;\tsize:4' 'char v%d[16];\toffset:4294967280;\tsize:16' \
		'__data_loc char[] v%d;\toffset:4294967292;\tsize:4' '__data_loc char[] v%d;\toffset:8;\tsize:1' \
		'__rel_loc char[] v%d;\toffset:4294967292;\tsize:4' 'char v%d[];\toffset:4294967295;\tsize:0' \
		'unsigned long v%d[6];\toffset:16;\tsize:4294967280'; do
		# shellcheck disable=SC2059 # a format
		printf "\tfield:$field;\tsigned:0;\n" $((n++))
	done >fields
	{
		cat fields
		printf '\nprint fmt: "v: '
		printf ' %%lx%.0s' $(seq "$n")
		printf '"'
		printf ', REC->v%d' $(seq 0 $((n - 1)))
		echo
	} | lie
	read_all_ways v0
	while [ $((--n)) -ge 0 ]; do
		run -1 dktrace hist --input "$tree" syscalls:sys_enter_openat --keys "v$n"
		has "$output" "has no field 'v$n'"
	done
}

@test "fields beyond the end of a record read as zero" {
	printf '\tfield:u32 v;\toffset:65532;\tsize:4;\tsigned:0;\n\tfield:__data_loc char[] w;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: "v: %%u", REC->v\n' |
		lie
	read_all_ways
	run -0 dktrace report "$tree" -e syscalls:sys_enter_openat
	has "$output" "sys_enter_openat:     v: 0"
}

@test "a print format that nests without end is printed field by field" {
	local deep
	deep=$(head -c 100000 /dev/zero | tr '\0' '(')

	printf '\tfield:u32 v;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: "%%d", %s\n' "$deep" | lie
	read_all_ways
	run -0 dktrace report "$tree" -e syscalls:sys_enter_openat
	has "$output" "sys_enter_openat:     v="
	# The same as a root in place of the kernel's.
	run -0 dktrace -R "$tree" list events syscalls:sys_enter_openat
}

@test "a format is read up to 256 KB" {
	local long
	long=$(head -c 262144 /dev/zero | tr '\0' 'x')

	printf '\tfield:u32 v;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: "%s"\n' "$long" | lie
	read_all_ways
	run -0 dktrace report "$tree" -e syscalls:sys_enter_openat
	has "$output" "its format has 262"
	has "$output" "sys_enter_openat:     v="
}

# bats test_tags=plain
@test "a print format with many literals takes no more memory than one literal" {
	local long
	long=$(head -c 60000 /dev/zero | sed 's/\x00/"a" /g')

	printf '\tfield:u32 v;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: %s\n' "$long" | lie
	# The address sanitizer maps terabytes and has its own limit.
	sanitized || ulimit -v 400000
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}hard_rss_limit_mb=2000 run -0 dktrace report "$tree" -e syscalls:sys_enter_openat
	has "$output" "aaaaaaaaaa"
}

# A perf.data of a pipe with one record of 32 KB that unpacks to 1 GB: records of 4112 bytes, all bytes
# of which are 16.
bomb()
{
	printf '\2\0\20\20' >blocks
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
		cat blocks blocks >twice
		mv twice blocks
	done
	{
		printf 'PERFILE2\20\0\0\0\0\0\0\0\121\0\0\0\0\0\16\200\50\265\57\375\0\70'
		cat blocks
	} >bomb.data
}

# bats test_tags=plain
@test "compressed records unpack to a hundred times the file at most" {
	bomb
	# It takes neither a file nor memory.
	export TMPDIR=/nonexistent ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}hard_rss_limit_mb=2000
	sanitized || ulimit -v 60000
	for command in info report "report --style json"; do
		# shellcheck disable=SC2086 # words
		run dktrace $command bomb.data
		has "$output" "its records unpack to more than 67 MB, the limit for its size"
	done
}

# Prints how many texts a command compares with so many systems of events; its FILE is a file with them.
# usage: compares N COMMAND
compares()
{
	"$top/tests/tools/gen-systems" "$1" >systems.dat
	rm -rf out[.-]* compares
	# shellcheck disable=SC2086 # words
	LD_PRELOAD=$tools/count-compares.so COMPARES=compares dktrace ${2//FILE/systems.dat} >/dev/null || return
	cat compares
}

# bats test_tags=plain
@test "the work of a command grows with the number of systems of events, not with its square" {
	local command few many

	sanitized && skip "the sanitizers compare texts themselves"
	for command in "report FILE" "report FILE --style csv" "report FILE --style json" "info FILE" \
		"convert FILE out.dat" "convert FILE out.pftrace" "convert FILE out.ctf" "view FILE -o out.html" \
		"split FILE --count 100 out.dat"; do
		few=$(compares 500 "$command")
		many=$(compares 4000 "$command")
		at_least "$many" $((few * 16)) "16 times the comparisons of '$command' with 500 systems, with 4000"
	done
}

@test "a database has at most 8192 tables of events" {
	"$top/tests/tools/gen-systems" 8193 >systems.dat
	run -1 --separate-stderr dktrace convert systems.dat systems.sqlite
	same "dktrace: the records are of more than 8192 events, each of which is a table; choose fewer with --event" \
		"$stderr" "stderr"
	gone systems.sqlite
	run -0 dktrace convert systems.dat -e 'system[0-9]:*' systems.sqlite
}

# Three blocks of 31 records of 4112 bytes, all bytes of which are 16: what zstd holds back when the
# last input is taken is more than it was given room for.
@test "all records of compressed data are read" {
	{
		printf 'PERFILE2\20\0\0\0\0\0\0\0\121\0\0\0\0\0\32\0\50\265\57\375\0\70'
		printf '\202\217\17\20\202\217\17\20\202\217\17\20'
	} >whole.data
	run dktrace info whole.data
	has "$output" 'perf.data'
	lacks "$output" 'its records end at byte'
}

# bats test_tags=plain
@test "no command repeats a word that would forge a line or drive a terminal" {
	cp "$top/tests/fixture/tracedat/v6.dat" in.dat
	export DKTRACE_ROOT=$tree DKTRACE_INSTANCE=dkt-test-$$-$BATS_TEST_NUMBER
	foreign_words in.dat
	foreign_lctl
	# Root may have settings already.
	dktrace reset
	gone "/run/dktrace/$foreign"
}
