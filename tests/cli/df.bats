#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# lctl df and debug_file: binary dumps to text.

# shellcheck disable=SC2154 # stderr is set by run
load ../helper/common

gen=$tools/gen-records

setup()
{
	mkdir "$BATS_TEST_TMPDIR/logs" && cd "$BATS_TEST_TMPDIR/logs" || exit
}

# Complete and damaged logs, the same each time. usage: logs SEED...
logs()
{
	local kind seed

	for kind in cpus one random equal mixed odd; do
		for seed in "$@"; do
			"$gen" $kind 60 $seed >$kind.$seed
			"$gen" damage $((seed * 7)) $seed <$kind.$seed >$kind.$seed-damage
			"$gen" junk $((seed * 2)) $seed <$kind.$seed >$kind.$seed-junk
			head -c $((seed * 777)) $kind.$seed >$kind.$seed-head
			tail -c $((seed * 777)) $kind.$seed >$kind.$seed-tail
			cat $kind.$seed-damage $kind.$seed $kind.$seed-head $kind.$seed-junk >$kind.$seed-all
		done
	done
	printf x >byte
	: >empty
	printf 'lines of text, that hold no records\nbut are longer than a header\n\n' >text
	head -c 1000 /dev/zero >zeroes
	(head -c 100 /dev/zero | tr '\0' j && echo) >line
}

# Prints checksums of df's output for each, without dktrace's own lines on stderr.
sums()
{
	local file

	mkdir ../out ../err
	for file in *; do
		# If a function's name is not terminated, Lustre's lctl prints bytes of its own memory.
		case $file in odd.3-* | mixed.2-damage | mixed.2-all) continue ;; esac
		"$1" df "$file" >"../out/$file" 2>"../err/$file" || :
	done
	sed -i '/^lctl: /d' ../err/*
	# Files in the order of their names, each with the size and the checksum of both outputs.
	paste -d ' ' <(cd ../out && cksum -- * | awk '{ print $3, $1, $2 }') <(cd ../err && cksum -- * | cut -d ' ' -f 1,2)
}

# bats test_tags=plain
@test "df prints the same bytes as Lustre's lctl" {
	local seeds=(1 2 3) pattern=^

	! sanitized || { seeds=(2) pattern='^[a-z]+(\.2[^ ]*)? '; }
	logs "${seeds[@]}"
	# UPDATE=1 REAL_LCTL=... stores the output of Lustre's lctl.
	output=$(sums "${REAL_LCTL:-lctl}")
	golden df-sums "$pattern"
}

# Logs of more than one slice: in order, nearly so, in none, with many equal stamps, and first one, then
# another; cut, spoilt, and with texts that look like records.
large_logs()
{
	local kind

	for kind in one cpus near random equal inner; do
		"$gen" $kind 20000 5 >$kind
	done
	"$gen" junk 40 5 <cpus >junk
	"$gen" damage 40 5 <near >spoilt
	head -c 2345678 near >shorter
	cat one random >late
	(cat near && head -c 100 one) | head -c -1 >torn
	(cat near && "$gen" one 3 5 1400000000) >older
	head -c 300000 random | cat - one >early
}

# bats test_tags=plain
@test "df prints large logs as Lustre's lctl does, with and without threads, and from pipes" {
	local file

	large_logs
	# UPDATE=1 REAL_LCTL=... as above.
	output=$(sums "${REAL_LCTL:-lctl}")
	golden df-large
	! sanitized || rm -f cpus near random equal inner junk older early
	for file in *; do
		lctl df $file >../text 2>/dev/null
		taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" \
			"$(command -v lctl)" df $file 2>/dev/null | cmp ../text -
		lctl df $file ../copy >../sum 2>/dev/null
		cat ../copy ../sum | cmp ../text -
		lctl df /dev/stdin <$file 2>/dev/null | cmp ../text -
		# shellcheck disable=SC2002 # a pipe
		cat $file | lctl df /dev/stdin 2>/dev/null | cmp ../text -
	done
}

# bats test_tags=plain
@test "df reads logs of many short or long runs in large blocks" {
	# 8.6 MB; those of one CPU by turns are as long as a page.
	for kind in near cpus; do
		"$gen" "$kind" 60000 >in
		strace -f -e trace=pread64 -o calls lctl df in out >/dev/null
		reads=$(grep -c "pread64(" calls)
		within 1 "$reads" "$(($(stat -c %s in) / 32768))" "calls that read $kind"
	done
}

@test "df reports output that fails after a part of the text" {
	local kind

	for kind in cpus near one; do
		"$gen" $kind 20000 >log
		expect 1 '' 'lctl: write output: No space left on device' lctl df log /dev/full
		# The limit is a file's size in KB; the signal would say nothing.
		run --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 1000; exec lctl df log out'
		same 1 "$status"
		same 'lctl: write output: File too large' "$stderr"
		same 1024000 "$(stat -c %s out)"
		lctl df log | head -c 1024000 | cmp - out
	done
	# The same for the file to sort in.
	"$gen" random 20000 >log
	run --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 1000; exec lctl df log | wc -c'
	same 'lctl: write the temporary file: File too large' "$stderr"
}

@test "df prints its usage for wrong arguments" {
	expect 0 '' 'usage: df <input> [output]' lctl df
	expect 0 '' 'usage: debug_file <input> [output]' lctl debug_file a b c
}

@test "df fails if the input cannot be opened" {
	expect 1 '' 'open(nosuch) failed: No such file or directory' lctl df nosuch
}

@test "df of an empty file or a directory prints no records" {
	: >empty
	expect 0 'Debug log: 0 lines, 0 kept, 0 dropped, 0 bad.' '' lctl df empty
	expect 0 'Debug log: 0 lines, 0 kept, 0 dropped, 0 bad.' '' lctl df .
}

@test "df writes the text to a private file and the summary to stdout" {
	"$gen" cpus 40 >log
	expect 0 'Debug log: 40 lines, 40 kept, 0 dropped, 0 bad.' '' lctl df log out
	same 600 "$(stat -c %a out)"
	same 40 "$(wc -l <out)"
	# An old text is replaced.
	"$gen" cpus 4 >log
	lctl df log out
	same 4 "$(wc -l <out)"
}

@test "df fails if the output cannot be opened, is full, or is the input" {
	"$gen" cpus 40 >log
	expect 1 '' 'open(no/out) failed: No such file or directory' lctl df log no/out
	expect 1 '' 'lctl: write output: No space left on device' lctl df log /dev/full
	sum=$(cksum <log)
	expect 1 '' 'lctl: ./log is the input' lctl df log ./log
	same "$(cksum <log)" "$sum"
}

@test "df reads a pipe like a file" {
	"$gen" random 500 >log
	mkfifo fifo
	cat log >fifo &
	same "$(lctl df log)" "$(lctl df fifo)"
}

@test "df reports records that Lustre's lctl loses silently" {
	"$gen" one 3 >log
	size=$(stat -c %s log)
	head -c $((size - 5)) log >torn
	run --separate-stderr -0 lctl df torn
	same 'Debug log: 2 lines, 2 kept, 0 dropped, 0 bad.' "${lines[-1]}" summary
	has "$stderr" 'lctl: torn: the record at offset '
	has "$stderr" ' is incomplete: '
	# The first record says length 20.
	(printf '\024\0\0\0' && tail -c +5 log) >short
	run --separate-stderr -0 lctl df short
	same 'Debug log: 0 lines, 0 kept, 0 dropped, 0 bad.' "$output" stdout
	same 'lctl: short: the record at offset 0 is too short; the conversion stops there' \
		"$stderr" stderr
	(printf '\0\0\0\0' && tail -c +5 log | head -c 44 && cat log) >zero
	run --separate-stderr -0 lctl df zero
	same 'Debug log: 3 lines, 3 kept, 0 dropped, 0 bad.' "${lines[-1]}" summary
	same 'lctl: zero: skipped headers with length 0: 1, the first at offset 0' \
		"$stderr" stderr
}

@test "df prints records of up to 64 KiB" {
	"$gen" big 40 >log
	run --separate-stderr -0 lctl df log out
	same 'Debug log: 40 lines, 40 kept, 0 dropped, 0 bad.' "$output" stdout
	has "$stderr" "lctl: log: longer than 4094 bytes, which Lustre's lctl calls bad: "
	[ "$(wc -c <out)" -gt "$(wc -c <log)" ]
}

@test "df prints nothing from outside a record whose names lack their NUL" {
	"$gen" nameless 300 >log
	run --separate-stderr -0 lctl df log
	has "${lines[-1]}" 'Debug log: 300 lines, 300 kept, 0 dropped, 0 bad.'
}

@test "df reads a corrupted daemon file among good ones (Lustre's sanity 170a)" {
	"$gen" one 300 >good
	# The first five bytes of each line are overwritten.
	LC_ALL=C sed 's/^...../aaaaa/' good >bad
	lctl df good | tail -n 1 >good.sum
	lctl df bad 2>&1 | tail -n 1 >bad.sum
	cat good bad good >all
	lctl df all 2>&1 | tail -n 1 >all.sum
	good=$(awk '{ print $5 }' good.sum) bad=$(awk '{ print $5 }' bad.sum)
	[ "$(awk '{ print $5 }' all.sum)" -eq $((bad + 2 * good)) ]
	more=$(($(awk '{ print $9 }' all.sum) - $(awk '{ print $9 }' bad.sum)))
	[ $more -eq 0 ] || [ $more -eq 1 ]
}
