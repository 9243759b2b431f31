#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# archive: the programs of a recording, for perf and dktrace on another host.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	perf version >/dev/null 2>&1 || skip "needs perf"
	export HOME=$BATS_TEST_TMPDIR/home
	mkdir home
	printf '%s\n' 'volatile unsigned long sum;' '__attribute__((noinline)) void burn_here(int n)' \
		'{ for (int i = 0; i < n; i++) sum += i; }' \
		'int main(void) { for (int i = 0; i < 100; i++) burn_here(1000000); return 0; }' >prog.c
	"${CC:-cc}" -g -O2 -o prog prog.c || skip "needs a compiler"
	perf record -q -e cpu-clock:u -F 2000 -N -o prog.data ./prog >/dev/null 2>&1 || skip "perf may not record here"
}

# The functions that have samples.
perf_names()
{
	perf script -F ip,sym -i "$1" 2>/dev/null | awk '{ print $2 }' | sort -u
}

our_names()
{
	dktrace report "$@" -S json | jq -r '.fields.sym' | sort -u
}

@test "perf and dktrace read what archive packed where the programs are not" {
	run -0 --separate-stderr dktrace archive prog.data
	same '' "$stderr" words
	has "$output" "$PWD/prog"
	has "$output" 'prog.data.tar.gz: '
	mv prog away
	lacks "$(perf_names prog.data)" burn_here
	lacks "$(our_names prog.data)" burn_here
	mkdir there "$HOME/.debug"
	tar xf prog.data.tar.gz -C there
	has "$(our_names prog.data --symbols there)" burn_here
	run -0 dktrace annotate burn_here prog.data --symbols there
	has "$output" 'prog.c:3'
	has "$(dktrace profile prog.data --symbols there)" burn_here
	tar xf prog.data.tar.gz -C "$HOME/.debug"
	has "$(perf_names prog.data)" burn_here
	has "$(our_names prog.data)" burn_here
}

@test "archive packs debug information that is apart, which names the lines" {
	objcopy --only-keep-debug prog prog.debug
	objcopy --strip-all --add-gnu-debuglink=prog.debug prog stripped
	perf record -q -e cpu-clock:u -F 2000 -N -o s.data ./stripped >/dev/null 2>&1
	same 'elf, debug' "$(dktrace archive s.data --json | jq -r ".files[] | select(.file == \"$PWD/stripped\") | .packed")" parts
	rm stripped prog.debug
	mkdir there "$HOME/.debug"
	tar xf s.data.tar.gz -C there
	run -0 dktrace annotate burn_here s.data --symbols there
	has "$output" 'prog.c:3'
	tar xf s.data.tar.gz -C "$HOME/.debug"
	has "$(perf_names s.data)" burn_here
}

@test "dktrace reads what perf archive packed" {
	command -v bzip2 >/dev/null || skip "needs bzip2"
	# With its copies.
	perf record -q -e cpu-clock:u -F 2000 -o kept.data ./prog >/dev/null 2>&1
	perf archive kept.data >/dev/null 2>&1 || skip "perf archive does not run"
	mv prog away
	rm -r "$HOME/.debug"
	mkdir there
	tar xf kept.data.tar.bz2 -C there
	has "$(our_names kept.data --symbols there)" burn_here
}

@test "archive packs no file of another build, and names it" {
	printf 'a secret\n' >prog
	run -3 --separate-stderr dktrace archive prog.data -o out.tgz
	has "$output" 'no file of that build ID is here'
	lacks "$(tar tf out.tgz)" prog
	ln -sf /etc/passwd prog
	run -3 --separate-stderr dktrace archive prog.data -o out.tgz
	same 'dktrace: the earlier out.tgz is now out.tgz.old' "$stderr" words
	lacks "$(tar tf out.tgz)" prog
	lacks "$(tar xOf out.tgz | tr -d '\0')" 'root:x:0'
}

@test "archive leaves no file if there is nothing to pack" {
	perf record -q -e cpu-clock:u -B -N -o none.data ./prog >/dev/null 2>&1
	run -1 --separate-stderr dktrace archive none.data
	has "$stderr" 'nothing was written'
	gone none.data.tar.gz
	expect 1 '' 'dktrace: open perf.data: No such file or directory' dktrace archive
	expect 1 '' "dktrace: prog.data is the input: name another file to write" dktrace archive prog.data -o prog.data
}

@test "archive keeps long names" {
	long=$(printf 'd%.0s' $(seq 120))
	mkdir "$long"
	cp prog "$long/prog"
	perf record -q -e cpu-clock:u -F 2000 -N -o long.data "$long/prog" >/dev/null 2>&1
	dktrace archive long.data
	mkdir there
	tar xf long.data.tar.gz -C there
	rm "$long/prog" prog
	has "$(our_names long.data --symbols there)" burn_here
}

# Starts a server of the files below srv/, whose address is then in DEBUGINFOD_URLS, after one that does not answer.
start_server()
{
	python3 -u -m http.server --bind 127.0.0.1 0 --directory srv >server.log 2>&1 3>&- &
	server=$!
	until_true grep -q ' port ' server.log
	port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' server.log)
	export DEBUGINFOD_URLS="http://127.0.0.1:1 http://127.0.0.1:$port/"
}

teardown()
{
	[ -z "${server:-}" ] || kill "$server"
}

@test "archive asks servers for what is not here, if it is told to" {
	objcopy --only-keep-debug prog prog.debug
	strip prog
	build=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	mkdir -p "srv/buildid/$build" there
	mv prog.debug "srv/buildid/$build/debuginfo"
	mv prog "srv/buildid/$build/executable"
	start_server
	run -3 --separate-stderr dktrace archive prog.data -o out.tgz
	lacks "$(cat server.log)" GET
	run -0 --separate-stderr dktrace archive prog.data -o servers.tgz --debuginfod
	same '' "$stderr" words
	same 2 "$(grep -c "GET /buildid/$build/.* 200" server.log)" "files of the server"
	tar xf servers.tgz -C there
	run -0 dktrace annotate burn_here prog.data --symbols there
	has "$output" 'prog.c:3'
	# Nothing else that it sends is packed.
	cp /etc/passwd "srv/buildid/$build/executable"
	rm "srv/buildid/$build/debuginfo"
	run -3 dktrace archive prog.data -o wrong.tgz --debuginfod
	has "$output" 'what a server has sent is not a file of that build ID'
	lacks "$(tar tf wrong.tgz)" prog
	rm "srv/buildid/$build/executable"
	run -3 dktrace archive prog.data -o none.tgz --debuginfod
	has "$output" "http://127.0.0.1:1/buildid/$build/"
	DEBUGINFOD_URLS=${DEBUGINFOD_URLS#* } run -3 dktrace archive prog.data -o nowhere.tgz --debuginfod
	has "$output" 'neither this machine nor a server has it'
}

@test "archive checks the addresses of servers before it reads" {
	unset DEBUGINFOD_URLS
	expect 1 '' 'dktrace: --debuginfod: DEBUGINFOD_URLS is not set; set it to the addresses of the servers' \
		dktrace archive --debuginfod prog.data
	export DEBUGINFOD_URLS="http://127.0.0.1:1 file://$PWD/srv"
	expect 1 '' "dktrace: DEBUGINFOD_URLS: 'file://$PWD/srv' does not begin with http:// or https://" \
		dktrace archive --debuginfod prog.data
	gone prog.data.tar.gz
}
