#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files that another user may have planted, and the privileges that commands drop before they read files.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # set by bats and helper/common.bash; text for sh

load ../helper/common

dat=$top/tests/fixture/tracedat/v6.dat

setup()
{
	[ "$(id -u)" -eq 0 ] || skip "needs root, to be another user"
	# Other users reach it.
	dir=$(mktemp -d /tmp/dkt-privileges-XXXXXX)
	chmod 755 "$dir"
	mkdir -m 1777 "$dir/sticky"
	cp "$dat" "$dir/in.dat"
	"$tools/gen-records" one 2000 1 >"$dir/log"
	pids=()
}

teardown()
{
	end_started
	[ -z "${dir:-}" ] || rm -rf "$dir"
}

# A file of another user that everybody may execute with its owner's privileges.
plant()
{
	rm -f "$1"
	nobody sh -c 'echo planted >"$0" && chmod 6777 "$0"' "$1"
}

# usage: owner_mode WANTED FILE
owner_mode()
{
	same "$1" "$(stat -c '%u %a' "$2")" "owner and mode of $2"
}

# The tool for another user, with capabilities. usage: with_caps CAPS
with_caps()
{
	cp -L "$(command -v dktrace)" "$dir/dktrace"
	setcap "$1" "$dir/dktrace" 2>/dev/null || skip "a file cannot be given capabilities here"
}

@test "no output takes over the mode or owner of a planted file" {
	local out=$dir/sticky/out.dat

	plant "$out"
	run -0 dktrace convert "$dir/in.dat" "$out"
	owner_mode "0 600" "$out"
	plant "$out"
	run -0 dktrace convert --format json "$dir/in.dat" "$out"
	owner_mode "0 600" "$out"
	plant "$out"
	run -0 dktrace merge -o "$out" "$dir/in.dat"
	owner_mode "0 600" "$out"
	plant "$dir/sticky/out-001.dat"
	run -0 dktrace split --count 1000000 "$dir/in.dat" "$out"
	owner_mode "0 600" "$dir/sticky/out-001.dat"
	plant "$out"
	run -0 dktrace report -o "$out" "$dir/in.dat"
	owner_mode "0 600" "$out"
	plant "$out"
	run -0 dktrace dk --input "$capture" "$out"
	owner_mode "0 600" "$out"
	plant "$out"
	run -0 dktrace dk --input "$capture" -F trace.dat "$out"
	owner_mode "0 600" "$out"
	plant "$out"
	run -0 lctl dk --input "$capture" "$out"
	owner_mode "0 600" "$out"
	plant "$out"
	run -0 lctl df "$dir/log" "$out"
	owner_mode "0 600" "$out"
}

@test "output keeps the mode of a file of this user, but not setuid" {
	local command

	for command in "convert $dir/in.dat $dir/out.dat" "merge -o $dir/out.dat $dir/in.dat" \
		"report -o $dir/out.dat $dir/in.dat" "dk --input $capture $dir/out.dat"; do
		rm -f "$dir/out.dat"
		install -m 6640 /dev/null "$dir/out.dat"
		# shellcheck disable=SC2086
		run -0 dktrace $command
		owner_mode "0 640" "$dir/out.dat"
		rm -f "$dir/out.dat"
		# shellcheck disable=SC2086
		run -0 dktrace $command
		owner_mode "0 600" "$dir/out.dat"
	done
}

@test "links that another user put into a sticky directory are not followed" {
	local command

	echo kept >"$dir/kept"
	chmod 644 "$dir/kept"
	mkdir "$dir/into"
	nobody ln -s "$dir/kept" "$dir/sticky/link"
	nobody ln -s "$dir/into" "$dir/sticky/dir"
	nobody ln -s /dev/full "$dir/sticky/device"
	while read -r command; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr $command
		has "$stderr" "is a link of user 65534 in a directory that everyone can write to; remove it or name another file"
	done <<-END
		dktrace convert -F trace.dat $dir/in.dat $dir/sticky/link
		dktrace convert -F json $dir/in.dat $dir/sticky/device
		dktrace convert -F json $dir/in.dat $dir/sticky/dir/new
		dktrace convert -F ctf $dir/in.dat $dir/sticky/dir/new
		dktrace merge -F trace.dat -o $dir/sticky/link $dir/in.dat
		dktrace report -o $dir/sticky/link $dir/in.dat
		dktrace report -o $dir/sticky/dir/new $dir/in.dat
		dktrace dk --input $capture $dir/sticky/link
		dktrace dk --input $capture --style ctf $dir/sticky/dir/new
		lctl dk --input $capture $dir/sticky/link
		lctl df $dir/log $dir/sticky/link
	END
	same kept "$(cat "$dir/kept")" "what the link leads to"
	same "" "$(ls -A "$dir/into")" "the directory that the link leads to"
	# Own ones are.
	ln -s "$dir/kept" "$dir/sticky/own"
	run -0 dktrace report -o "$dir/sticky/own" "$dir/in.dat"
	[ -L "$dir/sticky/own" ]
	[ "$(cat "$dir/kept")" != kept ]
}

@test "output refuses a pipe or directory of another user" {
	nobody mkfifo "$dir/sticky/pipe"
	nobody mkdir "$dir/sticky/dir"
	run -1 --separate-stderr timeout 600 dktrace report -o "$dir/sticky/pipe" "$dir/in.dat"
	has "$stderr" "it is a pipe of user 65534"
	run -1 --separate-stderr dktrace dk --input "$capture" --style ctf "$dir/sticky/dir"
	has "$stderr" "it belongs to user 65534"
	same "" "$(ls -A "$dir/sticky/dir")" "the planted directory"
}

@test "root reads and writes in the directories of others" {
	install -d -o 65534 -g 65534 -m 700 "$dir/theirs"
	install -o 65534 -g 65534 -m 600 "$dat" "$dir/theirs/in.dat"
	run -0 dktrace convert "$dir/theirs/in.dat" "$dir/theirs/out.json"
	owner_mode "0 600" "$dir/theirs/out.json"
	run -0 dktrace report -o "$dir/theirs/out.txt" --jobs 2 "$dir/theirs/in.dat"
	owner_mode "0 600" "$dir/theirs/out.txt"
	run -0 dktrace merge -o "$dir/theirs/all.dat" "$dir/theirs/in.dat" "$dir/in.dat"
	run -0 dktrace split --count 5 "$dir/theirs/in.dat" "$dir/theirs/part.dat"
	[ -s "$dir/theirs/part-002.dat" ]
	run -0 dktrace info "$dir/theirs/in.dat"
	run -0 sh -c 'TMPDIR=$0/theirs dktrace info - <"$0/theirs/in.dat"' "$dir"
	cp -r "$capture" "$dir/theirs/tree"
	chown -R 65534 "$dir/theirs/tree"
	chmod -R go-rwx "$dir/theirs/tree"
	run -0 dktrace dk --input "$dir/theirs/tree"
	[ -n "$output" ]
}

# Prints the capabilities and no_new_privs of a process.
caps_of()
{
	sed -n 's/^\(CapPrm\|CapEff\|NoNewPrivs\):\t//p' "/proc/$1/status" | tr '\n' ' '
}

none_left()
{
	[ "$(caps_of "$1")" = "0000000000000000 0000000000000000 1 " ]
}

# Waits until a command in the background has no capabilities left. usage: loses_all PID COMMAND
loses_all()
{
	until_true none_left "$1" ||
		same "0000000000000000 0000000000000000 1 " "$(caps_of "$1")" "capabilities of $2"
}

@test "files are read without any capability" {
	local command

	# A process that waits for input, or for a reader of its output, waits until the test has checked it.
	mkfifo "$dir/pipe" "$dir/reader"
	exec 9<>"$dir/pipe" 8<>"$dir/reader"
	while read -r command; do
		# shellcheck disable=SC2086
		dktrace $command <"$dir/pipe" >/dev/null 3>&- 9>&- 8>&- &
		pids+=($!)
		loses_all $! "$command"
	done <<-END
		report -
		info -
		convert - $dir/out.dat
		split --count 5 - $dir/out.dat
		merge -o $dir/out.dat -
		hist -i - sched:sched_switch -k prev_comm
		latency -i - syscall
	END
	lctl df "$dir/log" >"$dir/reader" 3>&- 9>&- 8>&- &
	pids+=($!)
	loses_all $! "lctl df"
}

@test "file capabilities of the program do not let its user read or write more" {
	with_caps cap_dac_override,cap_dac_read_search,cap_fowner+ep
	mkdir -m 700 "$dir/secret"
	cp "$dat" "$dir/secret/in.dat"
	echo kept >"$dir/kept"
	run -1 --separate-stderr nobody "$dir/dktrace" report "$dir/secret/in.dat"
	has "$stderr" "Permission denied"
	run -1 --separate-stderr nobody "$dir/dktrace" report -o "$dir/kept" "$dir/in.dat"
	has "$stderr" "Permission denied"
	run -1 --separate-stderr nobody "$dir/dktrace" report -o "$dir/secret/new" "$dir/in.dat"
	has "$stderr" "Permission denied"
	run -1 --separate-stderr nobody "$dir/dktrace" convert -F json "$dir/in.dat" "$dir/new"
	has "$stderr" "Permission denied"
	run -1 --separate-stderr nobody "$dir/dktrace" dk --input "$capture" "$dir/kept"
	has "$stderr" "Permission denied"
	run -1 --separate-stderr nobody "$dir/dktrace" dk --input "$capture" --style ctf "$dir/secret/new"
	has "$stderr" "Permission denied"
	same kept "$(cat "$dir/kept")" "root's file"
	same in.dat "$(ls -A "$dir/secret")" "root's directory"
	run -0 nobody "$dir/dktrace" report -o "$dir/sticky/new" "$dir/in.dat"
	owner_mode "65534 600" "$dir/sticky/new"
}

@test "without root, a file of another user is replaced if the directory allows it" {
	echo kept >"$dir/sticky/kept"
	run -1 --separate-stderr nobody dktrace report -o "$dir/sticky/kept" "$dir/in.dat"
	has "$stderr" "Operation not permitted"
	same kept "$(cat "$dir/sticky/kept")" "root's file"
	install -d -o 65534 "$dir/theirs"
	echo root >"$dir/theirs/out"
	run -0 nobody dktrace report -o "$dir/theirs/out" "$dir/in.dat"
	owner_mode "65534 600" "$dir/theirs/out"
}
