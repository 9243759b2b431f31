#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# lctl dk with Lustre's own buffer, a fake one in a mount namespace.

# shellcheck disable=SC2154,SC2016 # stderr is set by run; for another shell
load ../helper/common

setup()
{
	need_namespace
	export FAKE_LUSTRE=$BATS_TEST_TMPDIR/lustre DKTRACE_INSTANCE=dkt-df-$$
	mkdir "$FAKE_LUSTRE"
	cd "$BATS_TEST_TMPDIR" || exit
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR"
}

# The generator makes the contents of the buffer.
fill()
{
	"$tools/gen-records" "$@" >"$FAKE_LUSTRE/buffer"
	lctl df "$FAKE_LUSTRE/buffer" >wanted
	head -n -1 wanted >wanted.text
	tail -n 1 wanted >wanted.sum
}

nothing_left()
{
	same '' "$(ls -A "$TMPDIR")"
	asked=$(tail -n 1 "$FAKE_LUSTRE/asked")
	gone "$asked"
}

@test "dk prints Lustre's buffer, and empties it" {
	fill cpus 300
	run --separate-stderr -0 lustre lctl dk
	same "$(cat wanted)" "$output" stdout
	same '' "$stderr" stderr
	nothing_left
	expect 0 'Debug log: 0 lines, 0 kept, 0 dropped, 0 bad.' '' lustre lctl dk
}

@test "dk gives the raw dump a random name and a private mode" {
	fill cpus 3
	lustre lctl debug_kernel >/dev/null
	fill cpus 3
	lustre lctl dk >/dev/null
	same 2 "$(sort -u "$FAKE_LUSTRE/asked" | wc -l)"
	grep -q "^$TMPDIR/dktrace-......./dump\$\|^$TMPDIR/dktrace-....../dump\$" "$FAKE_LUSTRE/asked"
}

@test "dk FILE writes the text to a private file" {
	fill cpus 300
	echo 'what was there before' >out
	chmod 600 out
	expect 0 "$(cat wanted.sum)" '' lustre lctl dk out
	cmp out wanted.text
	fill cpus 5
	expect 0 "$(cat wanted.sum)" '' lustre lctl dk out 0
	cmp out wanted.text
	rm out
	fill cpus 5
	expect 0 "$(cat wanted.sum)" '' lustre lctl dk out
	same 600 "$(stat -c %a out)"
	nothing_left
}

@test "dk FILE fails before it empties the buffer if FILE cannot be created" {
	fill cpus 30
	expect 1 '' 'fopen(no/such) failed: No such file or directory' lustre lctl dk no/such
	gone "$FAKE_LUSTRE/asked"
	expect 0 "$(cat wanted)" '' lustre lctl dk
}

@test "with dk FILE 1, the kernel writes the raw dump, also to a relative name" {
	fill cpus 30
	cp "$FAKE_LUSTRE/buffer" raw.wanted
	echo old >raw
	expect 0 '' '' lustre lctl dk raw 1
	cmp raw raw.wanted
	same "$PWD/raw" "$(cat "$FAKE_LUSTRE/asked")" name
	expect 0 "$(cat wanted)" '' lctl df raw
}

@test "dk 0file is a file, dk 0 is a flag" {
	fill cpus 30
	expect 0 "$(cat wanted.sum)" '' lustre lctl dk 0file
	cmp 0file wanted.text
	fill cpus 30
	expect 0 "$(cat wanted)" '' lustre lctl dk 0
	gone 0
}

@test "dk fails if the kernel refuses the dump or writes no file" {
	fill cpus 30
	echo 12 >"$FAKE_LUSTRE/errno"
	run --separate-stderr -1 lustre lctl dk out
	same '' "$output" stdout
	same "write($(cat "$FAKE_LUSTRE/asked")) failed: Cannot allocate memory" "$stderr" stderr
	gone out
	nothing_left
	echo 0 >"$FAKE_LUSTRE/errno"
	expect 0 '' '' lustre lctl dk out
	gone out
}

@test "dk reports damage like df" {
	fill cpus 60
	"$tools/gen-records" damage 40 <"$FAKE_LUSTRE/buffer" >damaged
	run --separate-stderr lctl df damaged
	same_out=$output same_err=$(grep -v ^lctl: <<<"$stderr")
	cp damaged "$FAKE_LUSTRE/buffer"
	run --separate-stderr -0 lustre lctl dk
	same "$same_out" "$output" stdout
	same "$same_err" "$(grep -v ^lctl: <<<"$stderr")" stderr
}

@test "dk in a session obeys filter" {
	fill cpus 60
	printf 'filter net\ndk\n' >words
	run --separate-stderr -0 lustre sh -c 'lctl <words'
	has "$output" 'Disabling output of type "net"'
	has "${lines[-1]}" ' dropped, 0 bad.'
	lacks "$output" :00000200:
}

@test "dk fails if Lustre has no buffer" {
	expect 1 '' "invalid parameter 'dump_kernel'
open(dump_kernel) failed: No such file or directory" apart sh -c 'mount -t tmpfs none /sys/fs; lctl dk out'
	gone out
	expect 0 '' 'usage: dk [file] [raw]' lctl dk a b c
}

@test "dktrace dk selects among Lustre's records and prints them in both styles" {
	fill cpus 300
	run --separate-stderr -0 lustre dktrace dk --filter 'msg_mask & rpctrace && msg_file ~ "client*"'
	grep ':00100000:.*(client\.c:' wanted.text >picked
	same "$(cat picked)" "$(head -n -1 <<<"$output")" lines
	fill cpus 300
	run --separate-stderr -0 lustre dktrace dk --class net --subsystem rpc+lnet
	has "${lines[-1]}" ' kept, '
	run ! grep -v '^0000\(0100\|0400\):00000200:' <(head -n -1 <<<"$output")
	fill one 1
	run --separate-stderr -0 lustre dktrace dk --style trace
	has "$output" ' libcfs_debug_msg: '
	has "$output" ') '
}

@test "dktrace dk refuses an invalid filter before it empties the buffer" {
	fill cpus 30
	run --separate-stderr -2 lustre dktrace dk --filter 'msg_mask &&'
	gone "$FAKE_LUSTRE/asked"
}
