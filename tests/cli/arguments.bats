#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Arguments of traced functions: BTF in a trace.dat gives their names and types.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
	"$top/tests/tools/gen-args" zlib >args.dat
}

# Prints the texts of a file's records.
texts()
{
	dktrace report "$@" 2>errors | sed 's/^[^:]*: //'
}

@test "report prints the arguments of functions as trace-cmd does" {
	texts args.dat >have
	cat >wanted <<-'END'
	function:              vfs_read(file=0xffff888000000001, buf=0x7ffe0010, count=0x2000, pos=0xffffc90000000010) <-- main_loop
	function:              vfs_read <-- main_loop
	function:              vfs_stat(dfd=4294967196, sync=0x1, at=-5, how=-1) <-- main_loop
	function:              take_pair(p=(STRUCT)[0x1:0x2], fmt=0x3, ...) <-- main_loop
	function:              many(a=1, b=2, c=3, d=4, e=5, f=6, ...) <-- main_loop
	function:              nothing() <-- main_loop
	function:              unknown(1, ab, 3, 4, 5, 6) <-- main_loop
	function:              lo_open(7, 8, 9, 4, 5, 6) <-- main_loop
	funcgraph_entry:                         |  vfs_read(file=0xffff888000000001, buf=0x7ffe0010, count=0x2000, pos=0xffffc90000000010) {
	funcgraph_entry:                         |    many() {
	fgraph_retaddr_entry:                    |      vfs_read(file=0xffff888000000001, buf=0x7ffe0010, count=0x2000, pos=0xffffc90000000010) /* <-main_loop */ {
	funcgraph_exit:                 2.500 us |  } /* vfs_read */
	END
	diff wanted have
	"$top/tests/tools/gen-args" >plain.dat
	texts plain.dat | diff wanted -
	expect 0 "" "" cat errors
}

@test "records of the boot before have the names that their addresses had then" {
	texts args.dat >wanted
	for words in moved "zlib moved" "moved line-modules"; do
		# shellcheck disable=SC2086 # several words
		"$top/tests/tools/gen-args" $words >moved.dat
		texts moved.dat | diff wanted -
		# The names move once, into the symbols of the file that is written.
		rm -f out.dat
		dktrace convert moved.dat out.dat
		texts out.dat | diff wanted -
	done
}

@test "convert, split and merge keep the types of arguments" {
	texts args.dat >wanted
	for compression in zstd zlib; do
		rm -f out.dat
		dktrace convert --compression "$compression" args.dat out.dat
		texts out.dat | diff wanted -
	done
	dktrace split --count 6 args.dat part.dat
	cat part*.dat >all
	for part in part*.dat; do
		texts "$part"
	done | diff wanted -
	dktrace merge -o both.dat args.dat out.dat
	same 2 \
		"$(texts both.dat | grep -c 'dfd=4294967196')" "merged types"
	# A file without records of functions does not need them.
	dktrace convert -e ftrace:funcgraph_exit args.dat exit.dat
	grep -qa BTF out.dat
	run ! grep -qa BTF exit.dat
}

@test "a file that cannot have BTF has the arguments as numbers" {
	for format in trace.dat-6 "trace.dat --compression none"; do
		rm -f out.dat
		# shellcheck disable=SC2086 # several words
		dktrace convert --format $format args.dat out.dat
		texts out.dat >have
		has_line 'vfs_read\(ffff888000000001, 7ffe0010, 2000, ffffc90000000010, 0, 0\) <-- main_loop$' have
	done
}

@test "a damaged BTF is reported, and the records are printed" {
	"$top/tests/tools/gen-args" no-btf >no.dat
	texts no.dat >wanted
	has_line 'vfs_read\(ffff888000000001, 7ffe0010' wanted
	for fault in long-btf cut-btf; do
		"$top/tests/tools/gen-args" $fault >bad.dat
		texts bad.dat | diff wanted -
		has_line "^dktrace: the file's BTF: BTF of [0-9]* bytes is truncated or invalid$" errors
	done
	"$top/tests/tools/gen-args" loose-btf >bad.dat
	texts bad.dat | grep -c vfs_read >have
	has_line '^[1-9]' have
	has_line 'truncated' errors
}

@test "styles with fields have the arguments as numbers" {
	run -0 --separate-stderr dktrace report --style json -e ftrace:function args.dat
	has "${lines[0]}" '"args":[18446612682070032385,2147352592,8192,18446683600570023952,0,0]'
	lacks "${lines[1]}" '"args":[1'
	run -0 --separate-stderr dktrace report --style legacy -e 'ftrace:fgraph*' args.dat
	has "$output" "(ftrace:0:vfs_read()) Process entered"
}
