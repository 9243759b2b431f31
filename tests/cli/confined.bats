#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A parser that a file has taken over can do nothing beside the files of its command.
# shellcheck disable=SC2154,SC2086 # set by bats and helper/common.bash; lists of words

load ../helper/common
load ../helper/fleet

# Why a command is not confined: dktrace(1), "RIGHTS".
declare -gA free=(
	[collect]="reads what hosts send, and has tests of its own"
	[daemon]="starts a process that records, and ends it"
	[flight]="starts a process that records, and ends it"
	[help]="reads nothing"
	[remote]="reads frames, and has a test of its own"
	[reset]="ends what records, and reads only what dktrace has written"
	[save]="writes the settings of this machine"
	[stat]="reads nothing but numbers of the kernel"
)

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	# Not even what others have in the directory for temporary files.
	mkdir -p other tmp/other out
	echo secret >tmp/other/file
	echo secret >out/beside
	cp "$top/tests/fixture/tracedat/v6.dat" in.dat
	cp -r "$capture" tree
	cp "$tools/probe-target" program
	log=dkt-test-$$
}

teardown()
{
	# Root's commands on the tree have left the state of a log.
	[ ! -d "/run/dktrace/$log" ] || dktrace reset -B "$log" -R tree
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
	local tree=tree/per_cpu/cpu0/trace_pipe_raw list=tree/available_events

	case $1 in
	analyze) echo "in.dat analyze cputop in.dat" ;;
	annotate) echo "in.dat annotate main in.dat" ;;
	convert)
		echo "in.dat convert in.dat out/a.json --format json"
		echo "in.dat convert in.dat out/a.dat"
		echo "in.dat convert in.dat out/a.sqlite"
		echo "in.dat convert in.dat out/link.json --format json"
		echo "in.dat convert in.dat out/a --format ctf"
		;;
	dk | show | follow)
		echo "$tree $1 -i tree"
		echo "$tree $1 -i tree -o out/a.log"
		echo "end $1 -B $log -R tree"
		;;
	hist)
		echo "in.dat hist sched:sched_switch --keys prev_comm -i in.dat"
		echo "$list hist syscalls:sys_enter_read --keys count -R tree"
		;;
	lami) echo "in.dat lami cputop in.dat" ;;
	latency) echo "in.dat latency syscall -i in.dat" ;;
	apply)
		# It reads the bytes before, and what they mean then.
		echo "end apply a.conf -B $log -R tree"
		echo "$list apply a.conf -B $log -R tree"
		;;
	boot-config) echo "$list boot-config debug=rpctrace -R tree" ;;
	clear | mark) echo "end -R tree -B $log $1" ;;
	doctor) echo "$list doctor -R tree" ;;
	list) echo "$list list events -R tree" ;;
	filter) echo "$list filter list -B $log -R tree" ;;
	function | graph) echo "$list $1 vfs_read -B $log -R tree" ;;
	get_param) echo "end -R tree -B $log get_param debug" ;;
	last-boot) echo "end $1 -B $log -R tree -o out/a.log" ;;
	snapshot)
		echo "end snapshot take -B $log -R tree"
		echo "end snapshot show -B $log -R tree -o out/a.log"
		;;
	start | status | stop) echo "end $1 -B $log -R tree" ;;
	record) echo "end record -o out/a.dat -e syscalls:sys_enter_read -R tree" ;;
	set_param) echo "$list -R tree -B $log set_param debug=rpctrace" ;;
	top) echo "$list top --batch --frames 1 -R tree" ;;
	trigger) echo "$list trigger add syscalls:sys_enter_read traceoff -B $log -R tree" ;;
	load) echo "in.dat load --clickhouse http://127.0.0.1:1/a in.dat" ;;
	lustre) echo "in.dat lustre rpc in.dat" ;;
	merge)
		echo "in.dat merge -o out/a.dat in.dat"
		echo "in.dat merge -o out/a.ctf in.dat"
		;;
	probe)
		echo "program probe list -x program"
		echo "program probe add -x program main --dry-run -R tree"
		echo "end probe list -R tree"
		;;
	report)
		echo "in.dat report in.dat"
		echo "in.dat report in.dat -o out/a"
		echo "in.dat report in.dat --style ctf -o out/a"
		;;
	recover)
		echo "in.dat recover -o out/a.dat in.dat"
		echo "out/in.dat recover out/in.dat"
		;;
	split) echo "in.dat split --count 1 in.dat out/a.dat" ;;
	sql)
		echo "in.dat sql in.dat"
		echo "a.sqlite sql a.sqlite"
		;;
	view) echo "in.dat view -o out/a.html in.dat" ;;
	*)
		echo "in.dat $1 in.dat"
		! writes "$1" || echo "in.dat $1 in.dat -o out/a"
		;;
	esac
}

# True if the command can write a file that its user names.
writes()
{
	dktrace help "$1" | grep -Eq '^Usage: .* OUT$|^  -o, --output '
}

# True if the command must create files beside its output: dktrace(1), "RIGHTS".
fills()
{
	[[ $* == @(split\ *|record\ *|*\ --style\ ctf\ *) ]]
}

# usage: break_out INPUT COMMAND...
break_out()
{
	rm -f report
	[[ $1 == @(end|pipe) ]] || set -- "$PWD/$1" "${@:2}"
	TMPDIR=$PWD/tmp BREAK_OUT_INPUT=$1 BREAK_OUT_OTHER=$PWD/tmp/other/file \
		BREAK_OUT_BESIDE=$PWD/out/beside BREAK_OUT_REPORT=$PWD/report \
		ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 LD_PRELOAD=$tools/break-out.so \
		"${@:2}" <"${lines_from:-/dev/null}" >output 2>&1
	# Which of the two guards refuses to name a file depends on what the command needs beside.
	[ ! -e report ] || sed -i -E 's/^((rename|remove)( beside)?: )Operation not permitted$/\1Permission denied/' report
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
namespace: Operation not permitted
write beside: Permission denied
create beside: Permission denied
rename beside: Permission denied
remove beside: Permission denied"

@test "without confinement, a parser that a file has taken over reaches other files and programs" {
	break_out in.dat dd if=in.dat of=/dev/null bs=64k
	for way in read write empty truncate create mode remove execute signal \
		"write beside" "create beside" "rename beside" "remove beside"; do
		has_line "^$way: open\$" report
	done
	has_line "^connect: Connection refused\$" report
}

@test "a parser that a file has taken over leaves no command that reads files of others" {
	need_landlock
	dktrace convert in.dat a.sqlite
	echo "debug = rpctrace" >a.conf
	while read -r command; do
		[ -z "${free[$command]:-}" ] || continue
		! writes "$command" || has "$(calls_of "$command")" " out/"
		while read -r input line; do
			rm -rf out
			mkdir out
			echo secret >out/beside
			cp in.dat out/in.dat
			ln -s a.json out/link.json
			break_out "$input" dktrace $line || true
			[ -s report ] || same "a report" "$(cat output)" "$line"
			wanted=$no_way_out
			# It connects to a server.
			[ "$command" != load ] || wanted=${wanted/connect: Operation not permitted/connect: Connection refused}
			# shellcheck disable=SC2001
			! fills "$line" || wanted=$(sed 's/ beside: .*/ beside: open/' <<<"$wanted")
			same "$wanted" "$(cat report)" "$line"
			fills "$line" || same "$(printf '%s\n' beside in.dat link.json)" \
				"$(cd out && find . -name '*beside*' -o -name in.dat -o -name link.json | sed 's,^./,,' | sort)" \
				"files after $line"
			same secret "$(cat tmp/other/file)" "the other file after $line"
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
	same other "$(ls -A tmp)" "temporary files"
	mkdir all
	cp in.dat all/a.dat
	echo '{"collection": 1, "command": ["record"], "began": 0, "ended": 0, "wall": 0, "hosts": [{"name": "a", "file": "a.dat",
		"state": "complete", "status": 0, "bytes": 1, "breaks": 0, "trips": []}]}' >all/collection.json
	dktrace report all >wanted
	dktrace report all/collection.json | cmp wanted
}

@test "the directory for temporary files of a command goes with it, also if it is killed" {
	mkfifo pipe
	TMPDIR=$PWD/tmp dktrace report - <pipe >printed 2>&1 &
	exec {writer}>pipe
	until_true compgen -G 'tmp/.dktrace-*' >found
	same 700 "$(stat -c %a tmp/.dktrace-*)" "mode"
	kill -9 $!
	until_true eval '! compgen -G "tmp/.dktrace-*"' >found
	exec {writer}>&-
}

@test "a parser that a file has taken over does not leave lctl df" {
	need_landlock
	"$tools/gen-records" cpus 30 >dump
	break_out dump lctl df dump out/text || true
	same "$no_way_out" "$(cat report)" "lctl df"
	# In a session the next command needs its rights.
	echo debug_file dump out/text >lines
	lines_from=lines break_out dump lctl
	same "$no_way_out" "$(cat report)" "debug_file in a session"
	printf 'df dump out/text\ndf dump out/again\n' | lctl
	cmp out/text out/again
}

@test "a parser that a file has taken over does not leave lctl dk --input" {
	need_landlock
	lctl dk --input tree out/wanted
	break_out tree/per_cpu/cpu0/trace_pipe_raw lctl dk --input tree out/text || true
	same "$no_way_out" "$(cat report)" "lctl dk --input"
	lctl dk --input tree >printed
	grep -v '^Debug log' printed | cmp - out/wanted
}

@test "a settings file that names programs lets apply read files, and nothing else" {
	need_landlock
	echo "probe = main --exec $PWD/program" >a.conf
	break_out program dktrace apply a.conf -B "$log" -R tree || true
	same "${no_way_out/read: Permission denied/read: open}" "$(cat report)" "apply"
}

@test "a reader of frames that the other side has taken over does not leave the far side of collect" {
	need_landlock
	head -c 64 /dev/zero >frames
	lines_from=frames break_out frames dktrace remote || true
	same "$no_way_out" "$(cat report)" "remote"
}

@test "a reader of frames that a host has taken over does not leave collect" {
	local command

	need_landlock
	command -v python3 >/dev/null || skip "no python3"
	make_liar 'the bytes of a host'
	for command in status "record -e sched:sched_switch" follow "flight follow" dk; do
		rm -rf out/dir
		# shellcheck disable=SC2046
		break_out pipe dktrace collect --ssh "env -u BREAK_OUT_REPORT $PWD/odd" -w liar \
			$([[ $command == @(status|follow) ]] || echo -o out/dir) $command || true
		same "$no_way_out" "$(cat report)" "collect $command"
	done
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
