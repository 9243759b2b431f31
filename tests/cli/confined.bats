#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A parser that a file has taken over can do nothing beside the files of its command.
# shellcheck disable=SC2154,SC2086 # set by bats and helper/common.bash; lists of words

load ../helper/common
load ../helper/fleet

# They read no files of others, or are not confined to them: dktrace(1), "RIGHTS".
others="apply boot-config clear collect daemon doctor filter flight function get_param graph help last-boot mark
record remote reset save set_param snapshot start status stop top trigger"

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	mkdir other tmp out
	echo secret >other/file
	cp "$top/tests/fixture/tracedat/v6.dat" in.dat
	cp -r "$capture" tree
	cp "$tools/probe-target" program
}

need_landlock()
{
	dktrace doctor --csv >doctor
	grep -q '^landlock,true' doctor && grep -q '^seccomp,true' doctor || skip "needs Landlock and seccomp"
}

# Prints the file that is read, and how to call a command. A command without a line reads the file that is its
# argument.
calls_of()
{
	local tree=tree/per_cpu/cpu0/trace_pipe_raw

	case $1 in
	analyze) echo "in.dat analyze cputop in.dat" ;;
	convert) echo "in.dat convert in.dat out/a.json --format json" ;;
	dk | show | follow) echo "$tree $1 -i tree" ;;
	hist) echo "in.dat hist sched:sched_switch --keys prev_comm -i in.dat" ;;
	lami) echo "in.dat lami cputop in.dat" ;;
	latency) echo "in.dat latency syscall -i in.dat" ;;
	list) echo "tree/available_events list events -R tree" ;;
	load) echo "in.dat load --clickhouse http://127.0.0.1:1/a in.dat" ;;
	lustre) echo "in.dat lustre rpc in.dat" ;;
	merge) echo "in.dat merge -o out/a.dat in.dat" ;;
	probe)
		echo "program probe list -x program"
		echo "program probe add -x program main --dry-run -R tree"
		;;
	recover) echo "in.dat recover -o out/a.dat in.dat" ;;
	split) echo "in.dat split --count 1 in.dat out/a.dat" ;;
	sql)
		echo "in.dat sql in.dat"
		echo "a.sqlite sql a.sqlite"
		;;
	view) echo "in.dat view -o out/a.html in.dat" ;;
	*) echo "in.dat $1 in.dat" ;;
	esac
}

# usage: break_out INPUT COMMAND...
break_out()
{
	rm -f report
	TMPDIR=$PWD/tmp BREAK_OUT_INPUT=$PWD/$1 BREAK_OUT_OTHER=$PWD/other/file BREAK_OUT_REPORT=$PWD/report \
		ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 LD_PRELOAD=$tools/break-out.so \
		"${@:2}" </dev/null >output 2>&1
}

no_way_out="read: Permission denied
write: Permission denied
empty: Operation not permitted
truncate: Operation not permitted
create: Permission denied
mode: Operation not permitted
attribute: Operation not permitted
remove: Permission denied
execute: Operation not permitted
connect: Operation not permitted
service: Operation not permitted
trace: Operation not permitted
signal: Operation not permitted
keys: Operation not permitted
mount: Operation not permitted
namespace: Operation not permitted"

@test "without confinement, a parser that a file has taken over reaches other files and programs" {
	break_out in.dat dd if=in.dat of=/dev/null bs=64k
	for way in read write empty truncate create mode remove execute signal; do
		has_line "^$way: open\$" report
	done
	has_line "^connect: Connection refused\$" report
}

@test "a parser that a file has taken over leaves no command that reads files of others" {
	need_landlock
	dktrace convert in.dat a.sqlite
	while read -r command; do
		[[ " ${others//$'\n'/ } " != *" $command "* ]] || continue
		while read -r input line; do
			break_out "$input" dktrace $line || true
			[ -s report ] || same "a report" "$(cat output)" "$line"
			wanted=$no_way_out
			# It connects to a server.
			[ "$command" != load ] || wanted=${wanted/connect: Operation not permitted/connect: Connection refused}
			same "$wanted" "$(cat report)" "$line"
			same secret "$(cat other/file)" "the other file after $line"
		done < <(calls_of "$command")
	done < <(dktrace help | sed -n 's/^  \([a-z_-]\{1,\}\)  .*/\1/p')
}

# The directory for temporary files must not be what lets a command write its output.
@test "confined commands write their output, also through links, and read standard input" {
	local words

	export TMPDIR=$PWD/tmp
	dktrace report in.dat >wanted
	ln -s ../out/target other/link
	dktrace report in.dat -o other/link
	cmp wanted out/target
	dktrace report in.dat -o out/target
	dktrace report - <in.dat | cmp wanted
	for words in "show -i tree out/shown" "dk -i tree out/dumped" "show -i tree -o out/named" \
		"convert in.dat out/a.sqlite" "convert in.dat out/ctf --format ctf" "split --count 100 in.dat out/part.dat" \
		"merge in.dat -o out/merged.dat" "view in.dat -o out/page.html" "recover -o out/whole.dat in.dat"; do
		dktrace $words || [ $? -eq 3 ] || same 0 "$?" "$words"
	done
	same "" "$(ls -A tmp)" "temporary files"
	mkdir all
	cp in.dat all/a.dat
	echo '{"collection": 1, "command": ["record"], "began": 0, "ended": 0, "wall": 0, "hosts": [{"name": "a", "file": "a.dat",
		"state": "complete", "status": 0, "bytes": 1, "breaks": 0, "trips": []}]}' >all/collection.json
	dktrace report all >wanted
	dktrace report all/collection.json | cmp wanted
}

@test "a parser that a file has taken over does not leave lctl df" {
	need_landlock
	"$tools/gen-records" cpus 30 >dump
	break_out dump lctl df dump out/text || true
	same "$no_way_out" "$(cat report)" "lctl df"
	# In a session the next command needs its rights.
	printf 'df dump out/text\ndf dump out/again\n' | lctl
	cmp out/text out/again
}

@test "a parser that a file has taken over does not leave what collect loads" {
	need_landlock
	command -v python3 >/dev/null || skip "no python3"
	make_liar 'the bytes of a recording'
	break_out dir/liar.dat dktrace collect --ssh "$PWD/odd" -w liar -o dir --load http://127.0.0.1:1/a \
		record -e sched:sched_switch || true
	same "$(sort <<<"${no_way_out/connect: Operation not permitted/connect: Connection refused}")" \
		"$(sort -u report)" "collect --load"
}
