#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The examples of the manuals and of README.md, as printed. examples.cases has those that another test has.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

# Prints what is wrong with the examples. usage: wrong ACTION [TABLE] FILE...
wrong()
{
	"$top/tests/tools/examples" "$@" 2>&1 || true
}

# Makes the files that the examples read, in the directory where they run.
make_inputs()
{
	local gen=$top/tests/tools

	mkdir -p "$tmp/work" "$tmp/tmp" "$tmp/var/crash" && cd "$tmp/work" || return
	dktrace record --all -e 'sched:*,raw_syscalls:*,block:*,syscalls:sys_*_fsync,syscalls:sys_*_read' -o trace.dat -- \
		sh -c 'ls / >/dev/null; dd if=/dev/zero of=copy bs=64k count=20 conv=fsync status=none'
	dktrace record -e 'syscalls:sys_*_openat,syscalls:sys_*_newfstatat' -o all.dat -- find "$top/tests" -name no-such-file
	cp trace.dat day.dat
	cp trace.dat oss1.dat
	head -c -5000 trace.dat >cut.dat
	cp "$top/tests/fixture/perfdata/plain.data" perf.data
	cp -r "$capture" "$tmp/tmp/saved"
	"$gen/gen-lustre-log" client 2.15 200 >client.dk
	"$gen/gen-lustre-log" server 2.15 200 >server.dk
	{ cat server.dk; "$gen/gen-lustre-locks" 2.15 20; } >oss1.dk
	cp oss1.dk lustre.txt
	make_flamegraph
	make_hosts
}

# Programs that stand for what is not here. Hosts are this one; those of the group @oss have a log of their own.
make_hosts()
{
	cat >"$tmp/bin/ssh" <<-'END'
		#!/bin/bash
		for word; do
			[[ $word != oss[12] ]] || export DKTRACE_INSTANCE=$DKTRACE_INSTANCE-$word
		done
		exec bash -c "${*: -1}"
	END
	# Runs what happens until somebody types a command. usage: meanwhile PAGE COMMAND
	cat >"$tmp/bin/meanwhile" <<-'END'
		#!/bin/bash
		PATH=${0%/*}:$PATH
		on_oss()
		{
			for host in oss1 oss2; do
				ssh $host "dktrace $*" >/dev/null 2>&1
			done
		}
		rm -f /srv/busy
		case $2 in
		*"hist "*" -t "*)
			: >/srv/busy
			while [ -e /srv/busy ]; do cat /proc/mounts; done >/dev/null &
			;;
		*@oss*" record "*) rm -rf slow; echo 'oss: oss[1-2]' >/etc/clustershell/groups.d/local.cfg ;;
		*"flight dump 'client"*) on_oss flight start -c iotrace ;;
		clush*) on_oss reset --all ;;
		*"report incidents/"*) on_oss reset --all; cp -r slow "${2:15:35}" ;;
		esac
	END
	chmod +x "$tmp/bin/ssh" "$tmp/bin/meanwhile"
}

# A program that takes what flamegraph.pl does, and nothing else: frames with semicolons, and a number.
make_flamegraph()
{
	mkdir -p "$tmp/bin"
	cat >"$tmp/bin/flamegraph.pl" <<-'END'
		#!/bin/sh
		[ -s "$1" ] && ! grep -vE '^[^;]+(;[^;]+)* [0-9]+$' "$1" >&2
	END
	chmod +x "$tmp/bin/flamegraph.pl"
}

@test "the table of examples that another test has is true" {
	same '' "$(wrong table "$top/tests/live/examples.cases" "$top/README.md" "$top"/man/*.[1578])"
}

@test "a manual shows each command in the lines that a shell takes" {
	command -v mandoc >/dev/null || skip "needs mandoc"
	same '' "$(wrong unpasted "$top"/man/*.[1578])"
}

@test "each example of the manuals and the README runs and prints what is printed" {
	need_namespace
	make_inputs
	export ROOM=$tmp
	same '' "$(apart "$top/tests/tools/examples" run "$top/tests/live/examples.cases" "$top/README.md" "$top"/man/*.[1578] 2>&1)"
}
