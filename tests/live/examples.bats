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
	cp "$top/tests/fixture/perfdata/plain.data" plain.data
	cp plain.data perf.data
	dktrace record -e sched:sched_switch --stack sched_switch -o yesterday.dat -- sleep 0.1
	cp -r "$capture" "$tmp/tmp/saved"
	"$gen/gen-lustre-log" client 2.15 200 >client.dk
	"$gen/gen-lustre-log" server 2.15 200 >server.dk
	{ cat server.dk; "$gen/gen-lustre-locks" 2.15 20; } >oss1.dk
	cp oss1.dk lustre.txt
	printf '%s\n' 'oss1: obdfilter.x-OST0000.tot_granted=4096' 'c1: osc.x-OST0000-osc-ff.cur_grant_bytes=0' >site.params
	make_day
	make_flamegraph
	make_hosts
	make_systemctl
	make_meanwhile
}

# A segment of the day that dktrace(1) looks at.
make_day()
{
	local begin

	begin=$(date -d '2026-11-23 09:01' +%s)
	mkdir -p "$tmp/var/log/dktrace"
	echo "00000080:00000080:0.0:$begin.000000:0:1:0:(syscalls:0:sys_exit_fsync()) 0x0" >day.txt
	dktrace convert day.txt "$tmp/var/log/dktrace/dktrace-$(date -u -d "@$begin" +%Y%m%dT%H%M%SZ)-000001.dat"
}

# Programs that stand for what is not here. Hosts are this one; those of the group @oss have a log of their own. The
# others change the same log, so they take turns: a change does not wait for 40 others.
make_hosts()
{
	cat >"$tmp/bin/ssh" <<-'END'
		#!/bin/bash
		for word; do
			[[ $word != oss[12] ]] || export DKTRACE_INSTANCE=$DKTRACE_INSTANCE-$word
		done
		[[ $* != *set_param* ]] || exec flock "$0.lock" bash -c "${*: -1}"
		exec bash -c "${*: -1}"
	END
	chmod +x "$tmp/bin/ssh"
}

# Starts a service as systemd does, and waits until it is ready.
make_systemctl()
{
	cat >"$tmp/bin/systemctl" <<-'END'
		#!/bin/bash
		[ "$1 $2" = 'enable --now' ] || exit 2
		words=$(sed -n 's|^ExecStart=@BINDIR@/||p' "/srv/tree/share/systemd/$3.service")
		$words </dev/null >/srv/service 2>&1 &
		until dktrace daemon status >/dev/null 2>&1; do
			kill -0 $! 2>/dev/null || { cat /srv/service; exit 1; }
			sleep 0.01
		done
	END
	chmod +x "$tmp/bin/systemctl"
}

# Runs what happens until somebody types a command. usage: meanwhile PAGE COMMAND
make_meanwhile()
{
	cat >"$tmp/bin/meanwhile" <<-'END'
		#!/bin/bash
		PATH=${0%/*}:$PATH
		on_oss()
		{
			for host in oss1 oss2; do
				ssh $host "dktrace $*" >/dev/null 2>&1
			done
		}
		# Writes more than the smallest buffers hold.
		lose()
		{
			dktrace set_param debug_mb=1 debug=vfstrace >/dev/null 2>&1 || exit
			until grep -q '^overrun: [1-9]' "/sys/kernel/tracing/instances/$DKTRACE_INSTANCE"/per_cpu/*/stats; do
				dd if=/dev/zero of=/dev/null bs=1 count=10000 status=none
			done
		}
		# perf loses records, too, if its buffers are too small.
		lose_of_perf()
		{
			until dktrace info perf.data 2>/dev/null | grep -q '^lost *[1-9]'; do
				perf record -q -m 1 -e 'raw_syscalls:*' -o perf.data -- dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none || exit
			done 2>/dev/null
		}
		# Kills a recording that loses records, and whose last ones are still in the kernel. usage: kill_recording FILE
		kill_recording()
		{
			rm -f "$1" /srv/killed
			dktrace record --all --buffer-size 64K -e syscalls:sys_enter_write -o "$1" >/srv/killed 2>&1 &
			until grep -qs Ctrl-C /srv/killed; do
				kill -0 $! || exit
				sleep 0.01
			done
			kill -STOP $!
			until grep -q '^overrun: [1-9]' "/sys/kernel/tracing/instances/$DKTRACE_INSTANCE"-*/per_cpu/*/stats; do
				dd if=/dev/zero of=/dev/null bs=1 count=10000 status=none
			done
			kill -9 $!
			wait $! 2>/dev/null || true
		}
		start_journal()
		{
			mkdir -p /run/systemd && mount -t tmpfs none /run/systemd
			mkdir -p /run/systemd/journal /var/log/journal /etc/systemd
			: >/run/systemd/journal/flushed
			printf '%s\n' '[Journal]' Storage=persistent ReadKMsg=no >/etc/systemd/journald.conf
			[ -s /etc/machine-id ] || echo 11111111111111111111111111111111 >/etc/machine-id
			/usr/lib/systemd/systemd-journald </dev/null >/srv/journal 2>&1 &
			echo $! >/srv/journald
			until [ -S /run/systemd/journal/socket ]; do
				kill -0 $! || exit
				sleep 0.01
			done
		}
		rm -f /srv/busy
		case $2 in
		*"hist "*" -t "* | *"latency wakeup "*)
			: >/srv/busy
			while [ -e /srv/busy ]; do cat /proc/mounts; done >/dev/null &
			;;
		*@oss*" record "*) rm -rf slow; echo 'oss: oss[1-2]' >/etc/clustershell/groups.d/local.cfg ;;
		*"flight dump 'client"*) on_oss flight start -c iotrace ;;
		clush*) on_oss reset --all ;;
		*"report incidents/"*) on_oss reset --all; cp -r slow "${2:15:34}" ;;
		"dktrace show --output /var/tmp/dk.log" | *'has("lost")'*) lose ;;
		"dktrace report slow | less") [ -d slow ] || dktrace collect -w oss1,mds1 -o slow record -c iotrace --duration 0.1 >/dev/null ;;
		"dktrace info perf.data") lose_of_perf ;;
		"dktrace info -J all.dat"* | "dktrace convert perf.data"*) cp plain.data perf.data ;;
		"dktrace report -e 'sys_*fsync,"*)
			perf record -q -k CLOCK_MONOTONIC -e 'syscalls:sys_*_fsync' -o perf.data -- dd if=/dev/zero of=copy count=1 conv=fsync status=none
			;;
		"dktrace recover trace.dat") mv trace.dat whole.dat; kill_recording trace.dat ;;
		"dktrace recover "*) mv whole.dat trace.dat; set -- $2; mkdir -p "$(dirname "$3")"; kill_recording "$3" ;;
		*" --journal") [ -e /srv/journald ] || start_journal ;;
		esac
	END
	chmod +x "$tmp/bin/meanwhile"
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
	local found

	need_namespace
	# It is half past nine here, so that there are records of the hour that dktrace-daemon(1) looks at.
	TZ=DKT$(date -u -d '570 minutes ago' +%T)
	export TZ ROOM=$tmp
	make_inputs
	found=$(apart --uts sh -c 'hostname vm && exec "$@"' sh "$top/tests/tools/examples" run "$top/tests/live/examples.cases" \
		"$top/README.md" "$top"/man/*.[1578] 2>&1) || true
	[ ! -e "$tmp/journald" ] || kill "$(cat "$tmp/journald")"
	same '' "$found"
}
