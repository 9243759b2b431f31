#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# collect: one command on many hosts, whatever they answer.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common
load ../helper/fleet

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	make_direct
}

# Prints the hosts' names as the only output. usage: collect ARGUMENT...
collect()
{
	dktrace collect --ssh "$direct" "$@"
}

@test "hosts with the same text are printed together" {
	command -v nodeset >/dev/null || skip "needs nodeset"
	run -0 --separate-stderr collect -w 'oss[1-3],mds1' analyze syscallstats "$capture"
	same "mds1,oss[1-3] (4)" "${lines[1]}"
	dktrace analyze syscallstats "$capture" >alone 2>err
	for host in oss1 oss2 oss3 mds1; do
		has "$stderr" "dktrace: $host: $(sed 's/^dktrace: //' err)"
	done
	same "$(cat alone)" "$(tail -n +4 <<<"$output")"
}

@test "a list of hosts and a file of hosts need no other program" {
	printf 'b # the second\n\n  c a\n' >hosts
	run -0 env PATH="$build:/usr/bin:/bin" dktrace collect --ssh "$direct" -w a --hosts hosts analyze syscallstats "$capture"
	has "$output" "(3)"
	run -0 dktrace collect --ssh "$direct" --hosts - analyze syscallstats "$capture" <hosts
	has "$output" "(3)"
}

@test "names that are no hosts are refused" {
	for name in -oProxyCommand=x ../x a/b .hidden $'a\eb'; do
		printf '%s\n' "$name" >hosts
		run -2 dktrace collect --ssh "$direct" --hosts hosts status
		has "$output" "is not the name of a host"
	done
	run -2 dktrace collect status
	has "$output" "name the hosts with -w NODES or --hosts FILE"
	run -2 dktrace collect -w a lctl
	has "$output" "'lctl' is not one of analyze, clear, dk"
	run -2 dktrace collect -w a record -e 'sched:*'
	has "$output" "a recording needs -o DIR"
	run -2 dktrace collect -w a -o dir dk -o file
	has "$output" "give -o DIR before 'dk'"
	mkdir dir
	run -1 collect -w a -o dir dk
	has "$output" "create the directory dir: it exists"
}

# Lists the commands that collect runs, one on a line.
list_actions()
{
	dktrace collect -w a lctl 2>&1 | sed 's/.*is not one of //; s/, /\n/g'
}

@test "an instance that is given to collect is that of the hosts, or refused" {
	local action handed=0

	while read -r action; do
		rm -rf dir
		case $action in
		analyze) action="analyze cputop" ;;
		record) action="record -e sched:sched_switch" ;;
		esac
		# shellcheck disable=SC2086 # words
		run collect -w a -o dir -B x/y $action </dev/null
		# Lines of follow come without -o.
		# shellcheck disable=SC2086 # words
		[[ $output != *"without -o"* ]] || run collect -w a -B x/y $action </dev/null
		case $action in
		get_param | mark | set_param | clear)
			same "2 dktrace: collect: '$action' takes no --instance" "$status ${lines[0]}" "$action"
			;;
		*)
			has_line "a: .?'x/y.*' cannot be the name of an instance" <(printf '%s\n' "$output")
			handed=$((handed + 1))
			;;
		esac
	done < <(list_actions)
	at_least 12 "$handed" "commands that take it"
	run -2 --separate-stderr collect -w a -B one dk -B two
	same "dktrace: collect: give --instance once, for 'dk'" "${stderr_lines[0]}" "two"
}

@test "an option of collect that would do nothing is refused" {
	refuse()
	{
		run -2 --separate-stderr collect -w a "${@:2}"
		same "dktrace: collect: $1" "${stderr_lines[0]}" "${*:2}"
		gone dir
	}
	refuse "--root would be of this host; behind 'dk' it is for the hosts" -R "$capture" dk
	refuse "--delay goes with follow; behind 'status' it is for the hosts" --delay 1s status
	refuse "--max-dumps goes with flight follow; behind 'status' it is for the hosts" --max-dumps 3 status
	refuse "--layout goes with --load; behind 'status' it is for the hosts" --layout recent status
	refuse "--ca goes with --load; behind 'status' it is for the hosts" --ca x status
	refuse "--json goes with -o DIR; behind 'status' it is for the hosts" --json status
	refuse "--csv goes with -o DIR; behind 'status' it is for the hosts" --csv status
	refuse "'dk' takes no FILE; each host sends its output here" -o dir dk file
	# As the hosts read it: also joined to another, and not whole.
	refuse "give -o DIR before 'dk'; each host sends its output here" -o dir dk --outp=file
	refuse "give -o DIR before 'show'; each host sends its output here" -o dir show -hofile
}

@test "the style of the hosts' lines is found in each form" {
	local style

	for style in '-S json' -Sjson '--style json' --style=json --sty=json; do
		rm -rf dir
		# shellcheck disable=SC2086 # words
		run collect -w a -o dir show -i "$capture" $style
		exists dir/a.json
	done
}

# Makes a clock that advances by an hour when the directory has all of the files. usage: make_clock FILE...
make_clock()
{
	cat >clock.c <<-END
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		int clock_gettime(clockid_t clock, struct timespec *ts)
		{
			static const char *const files[] = { $(printf '"%s", ' "${@/#/$PWD/}") };
			long ret = syscall(SYS_clock_gettime, clock, ts);

			for (int i = 0; i < sizeof(files) / sizeof(*files); i++)
				if (access(files[i], F_OK))
					return (int)ret;
			ts->tv_sec += 3600;
			return (int)ret;
		}
	END
	"${CC:-cc}" -shared -fPIC -o clock.so clock.c || skip "no compiler"
}

@test "each failure is told, and the others go on" {
	cat >odd <<-'END'
		#!/bin/bash
		unset LD_PRELOAD
		case $1 in
		good) bash -c "$2" ;;
		noise) echo Welcome; bash -c "$2" ;;
		garbage) head -c 200000 /dev/urandom ;;
		silent) exec sleep 1000 ;;
		gone) echo 'ssh: no route to host' >&2; : >end.gone; exit 255 ;;
		*) printf 'dktrace-remote 1\n\377\377\377\377O\0\0\0' ;;
		esac
		: >end.$1
	END
	# It is killed after a wrong answer, and what it has started is not.
	cat >far <<-'END'
		#!/bin/bash
		[ "$1" != silent ] || exec ./odd "$@"
		setsid --wait ./odd "$@"
	END
	chmod +x odd far
	# The silent host is given up when the others have ended, however long that takes.
	make_clock end.good end.noise end.garbage end.gone end.frame
	LD_PRELOAD=$PWD/clock.so run -1 --separate-stderr dktrace collect --ssh "$PWD/far" --timeout 600 -w good,noise,garbage,silent,gone,frame \
		analyze syscallstats "$capture"
	has "$output" "(2)"
	has "$stderr" "dktrace: garbage: what comes from it is not of 'dktrace remote'"
	has "$stderr" "dktrace: frame: what comes from it is not of 'dktrace remote'"
	has "$stderr" "dktrace: silent: no answer within 600 s, the limit of --timeout"
	has "$stderr" "dktrace: gone: cannot connect: ssh: no route to host"
	run -1 dktrace collect --ssh no-such-program -w a status
	has "$output" "run no-such-program: No such file"
}

@test "the exit status is that of the worst host" {
	run -2 --separate-stderr collect -w a,b analyze no-such-analysis
	has "$stderr" "dktrace: a: analyze: unknown analysis 'no-such-analysis'"
}

@test "a key can be restricted to some commands" {
	far="dktrace remote --allow 'status,flight dump,analyze'"
	run -1 collect --far-program "$far" -w a mark x
	has "$output" "dktrace: a: this key may not run 'mark', only status,flight dump,analyze"
	for args in "analyze syscallstats $capture" "analyze --top cputop x y" "analyze cputop -- rm x"; do
		# shellcheck disable=SC2086
		run -1 collect --far-program "$far" -w a $args
		has "$output" "allow"
	done
	run collect --far-program "dktrace remote --allow doctor" -w a doctor --json
	lacks "$output" "allow"
	has "$output" '"checks"'
	run -2 dktrace remote --allow status,rm </dev/null
	has "$output" "--allow: 'rm' is not one of"
	run -2 dktrace remote --allow 'dk, flight' </dev/null
}

# The far side of a key with --allow, whose arguments collect has not made. usage: run_far COMMAND ARGUMENT...
run_far()
{
	python3 - "$@" <<-'END'
		import os, struct, subprocess, sys
		args = b"".join(os.fsencode(arg) + b"\0" for arg in sys.argv[1:])
		body = struct.pack("<QQ", 1 << 20, 0) + args
		far = subprocess.Popen(["dktrace", "remote", "--allow", "analyze,clear,dk,doctor,flight dump,flight file,"
		    "flight follow,flight status,follow,get_param,mark,record,set_param,show,start,status,stop"],
		    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		out, _ = far.communicate(struct.pack("<IB3x", len(body), ord("r")) + body)
		out = out[out.index(b"\n") + 1:]
		while out:
		    size, kind = struct.unpack("<IB3x", out[:8])
		    if kind in b"XE":
		        sys.stdout.buffer.write(out[8:8 + size].rstrip(b"\0") + b"\n")
		    out = out[8 + size:]
	END
}

# Every action with every option that the tool has: those that a key allows, by action.
@test "a key allows of each action only options that name no file, and record only to standard output" {
	local args action option

	mkdir no-tracefs elsewhere
	export DKTRACE_ROOT=$PWD/no-tracefs
	cd elsewhere || return
	for args in "record -e sched:sched_switch" "record -e sched:sched_switch -o trace.dat" \
		"record -o - -o -" "record -o - -o x" "record -o" "record -o- -e sched:sched_switch" \
		"record --output - -e x" "record --output=- -e x" "record -e x -o - -- true" \
		"record -o - --probe x" "record -o - --output x" "dk -o -" "show -o -" "dk x" "follow -o -" \
		"analyze -o - cputop" "flight dump -o -" "set_param debug_path=/etc/x" \
		"set_param mdt.*.identity_upcall=/tmp/x" "set_param debug=0 upcall=/tmp/x" "set_param -P debug=0" \
		"analyze -o x cputop" "analyze --inp=x cputop" "analyze -Jo x cputop"; do
		# shellcheck disable=SC2086
		run run_far $args
		has "$args: $output" "--allow"
	done
	run run_far record -o - --compression zstd -e sched:sched_switch
	lacks "$output" "--allow"
	run run_far record -e sched:sched_switch -o -
	lacks "$output" "--allow"
	run run_far set_param debug=0 debug_mb=4
	lacks "$output" "--allow"
	for action in analyze dk follow record show status "flight dump"; do
		for option in $(dktrace "${action%% *}" --help | sed -n 's/.*\(--[a-z-]*\)[ =].*\(FILE\|DIR\|COMMAND\|URL\|PROBE\)\b.*/\1/p'); do
			# shellcheck disable=SC2086
			run run_far $action "$option" x
			has "$action $option: $output" "--allow"
		done
	done
	same "" "$(ls)" "files"
}

@test "a host's lines cannot be taken for another's" {
	local words

	make_liar '1 a \x1b[2Kb\rother: c\x9bd\n'
	run -0 --separate-stderr collect_odd follow
	same 'liar: a \x1b[2Kb\x0dother: c\x9bd' "$output"
	run -0 --separate-stderr collect_odd follow --raw-text
	has "$output" $'\e'
	make_liar '1 {"ts":1,"fields":{"ts":2,"from":"x"}}\n'
	run -0 --separate-stderr collect_odd follow -S json
	same '{"from":"liar","ts":1,"fields":{"ts":2,"from":"x"}}' "$output"
	for words in '{"ts":1,"from":"other"}' '{"ts":1,"\\u0066rom":"other"}' '{"ts":1,"ts":2}' '{}' 'ts' \
		'{"ts":1}}' '{"ts":1' '{"ts":1}\r{"from":"other"}' '{"ts":"\x9b"}' ' {"ts":1}' '[]'; do
		make_liar "1 $words\n"
		run -1 --separate-stderr collect_odd follow -S json
		same "" "$output" "the output of $words"
		has "$stderr" "dktrace: liar: what its command writes cannot be read"
	done
}

# usage: collect_odd ARGUMENT...
collect_odd()
{
	dktrace collect --ssh "$PWD/odd" --delay 1ms -w liar "$@"
}

@test "the greeting of a host does not make collection.json invalid" {
	make_liar ''
	run dktrace collect --ssh "$PWD/odd" -w liar -o dir record -e sched:sched_switch
	iconv -f UTF-8 -t UTF-8 dir/collection.json >/dev/null
	same 'liar\xff' "$(jq -r '.hosts[0].hostname' dir/collection.json)" "the name"
}

@test "escape codes of a host do not reach the terminal" {
	cat >odd <<-'END'
		#!/bin/bash
		printf 'dktrace-remote 1\n\010\0\0\0X\0\0\0no \033[31mx'
	END
	chmod +x odd
	run -1 dktrace collect --ssh "$PWD/odd" -w a status
	lacks "$output" $'\e'
}

