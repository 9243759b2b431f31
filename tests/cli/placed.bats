#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Names that outputs are to have, and that something else has already.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	mkdir "$BATS_TEST_TMPDIR/files" && cd "$BATS_TEST_TMPDIR/files" || return
	dktrace convert "$capture" all.dat
}

# The commands that write one file, up to its name.
writers=(
	"convert --format trace.dat all.dat"
	"convert --format trace all.dat"
	"convert --format sqlite all.dat"
	"merge --format trace.dat all.dat --output"
	"view all.dat --output"
	"report all.dat --output"
	"strace all.dat --output"
)

@test "a file and the one that it replaced stay if the output cannot take its name" {
	local writer

	for writer in "${writers[@]}"; do
		rm -rf out out.old
		echo earlier >out
		mkdir out.old
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr dktrace $writer out
		has "$stderr" "dktrace: keep the earlier out as out.old: Is a directory; name another file"
		same earlier "$(cat out)" "file after $writer"
		same "all.dat out out.old" "$(find . -mindepth 1 | sort | sed 's|./||' | xargs)" "files after $writer"
	done
}

@test "an earlier file stays if the file to replace is immutable" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, to make a file immutable"
	echo earlier >out
	echo older >out.old
	chattr +i out 2>/dev/null || skip "this file system has no immutable files"
	run --separate-stderr dktrace convert --format trace all.dat out
	chattr -i out
	same 1 "$status" "status"
	same "dktrace: keep the earlier out as out.old: Operation not permitted; name another file" "$stderr" "words"
	same earlier "$(cat out)" "the earlier file"
	same older "$(cat out.old)" "the one before"
}

@test "a link without a target stays, and the output becomes its target" {
	local writer

	for writer in "${writers[@]}"; do
		rm -rf link middle new dir
		mkdir dir
		ln -s dir/middle link
		ln -s ../new dir/middle
		# shellcheck disable=SC2086 # several words
		dktrace $writer link
		same "dir/middle ../new" "$(readlink link) $(readlink dir/middle)" "links after $writer"
		[ -s new ]
	done
	ln -s missing/new other
	run -1 --separate-stderr dktrace convert all.dat --format trace.dat other
	has "$stderr" "No such file or directory"
	ln -s loop loop
	run -1 --separate-stderr dktrace convert all.dat --format trace.dat loop
	has "$stderr" "dktrace: open loop: Too many levels of symbolic links"
}

@test "a directory in the place of the output is an error, also behind a link" {
	local writer

	mkdir dir
	ln -s dir link
	for writer in "${writers[@]}"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr dktrace $writer dir
		same "dktrace: open dir: Is a directory" "${stderr%%$'\n'*}" "words of $writer"
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr dktrace $writer link
		same "dktrace: open dir: Is a directory" "${stderr%%$'\n'*}" "words of $writer with a link"
	done
	run -1 --separate-stderr dktrace convert --format ctf all.dat dir
	same "dktrace: create dir: File exists; name a new directory" "$stderr" "words for a directory"
}

# True if the command waits for the reader of the pipe.
is_waiting()
{
	grep -q . words
}

@test "a pipe without a reader is waited for, and the command says so" {
	local writer

	mkfifo pipe
	for writer in "convert --format trace all.dat" "report all.dat --output"; do
		# Emptied here: the background process may open it only after the first look.
		: >words
		# shellcheck disable=SC2086 # several words
		dktrace $writer pipe 2>words 3>&- &
		until_true is_waiting
		cat pipe >got
		wait $!
		same "dktrace: pipe is a pipe: waiting for a process to read it" "$(cat words)" "words of $writer"
		# shellcheck disable=SC2086 # several words
		dktrace $writer file
		cmp file got
		rm file
	done
	run -1 --separate-stderr dktrace convert --format trace.dat all.dat pipe
	same "dktrace: pipe cannot be written in any order: name a file" "$stderr" "words"
}

@test "a command that fails before it writes leaves no empty file" {
	local command

	for command in "report missing.dat --output" "dk --input missing" "show --input missing"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr dktrace $command new
		same 1 "$status" "status of $command"
		gone new
		echo earlier >old
		# shellcheck disable=SC2086 # several words
		run --separate-stderr dktrace $command old
		same earlier "$(cat old)" "file after $command"
		gone old.old
	done
}
