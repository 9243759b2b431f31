#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Options that select records of the running log, with show, dk, follow, hist and latency.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live
load ../helper/selection

# Records of some programs, threads and CPUs; recording is then stopped.
some_records()
{
	set_param debug_sources=+kernel debug_mb=32 2>/dev/null
	only vfstrace+ioctl
	only_ours
	taskset -c "$cpu_a" dd if=/dev/zero of=/dev/null bs=1 count=40 status=none
	taskset -c "$cpu_b" cat /etc/passwd >/dev/null
	taskset -c "$cpu_b" dd if=/dev/zero of=/dev/null bs=1 count=30 status=none
	dktrace stop
}

of_show()
{
	dktrace show "${@:2}" | sed -n 's/^Debug log: .* lines, \([0-9]*\) kept.*/\1/p'
}

@test "show and dk print the selected records" {
	need_two_cpus
	some_records
	cd "$tmp"
	table log dktrace show
	tables_of_names
	names=forgotten cells of_show log
	# dk empties the log.
	wanted=$(rows log "\$2 == \"sys_enter_write\" && \$4 == $cpu_a")
	at_least 40 "$wanted"
	same "$wanted" "$(dktrace dk --event sys_enter_write --cpu "$cpu_a" | sed -n 's/^Debug log: .* lines, \([0-9]*\) kept.*/\1/p')" "dk"
	has "$(dktrace show)" "0 lines"
}

@test "follow prints the selected records as they come" {
	need_two_cpus
	only vfstrace
	only_ours
	start dktrace follow --comm 'dd,none*' --event 'syscalls:sys_enter_write' --cpu "$cpu_a" -S csv -o "$tmp/out"
	written()
	{
		taskset -c "$cpu_a" dd if=/dev/zero of=/dev/null bs=1 count=25 status=none
		taskset -c "$cpu_b" dd if=/dev/zero of=/dev/null bs=1 count=25 status=none
		[ "$(grep -c '^syscalls,sys_enter_write,' "$tmp/out")" -ge 25 ]
	}
	# Records from before follow are in the log, too.
	until_true written
	kill -INT "$pid"
	wait "$pid" || :
	same "" "$(grep -v '^system,' "$tmp/out" | grep -v '^syscalls,sys_enter_write,[0-9]*,[^,]*,'"$cpu_a"',[0-9]*,dd,' || :)" "others"
	at_least 25 "$(grep -c '^syscalls,sys_enter_write,' "$tmp/out")"
}

@test "hist and latency select programs, threads and CPUs live" {
	local name=dd-$$

	need_two_cpus
	# By a name that no program of another test has.
	cp "$(command -v dd)" "$tmp/$name"
	work="taskset -c $cpu_a $tmp/$name if=/dev/zero of=/dev/null bs=1 count=50 status=none
		taskset -c $cpu_b $tmp/$name if=/dev/zero of=/dev/null bs=1 count=70 status=none"
	run -0 --separate-stderr dktrace hist syscalls:sys_enter_write -k common_cpu --csv --comm "d[d]-$$,none" --cpu "$cpu_b" \
		--filter 'count == 1' -- sh -c "$work"
	same "common_cpu,hitcount
$cpu_b,70" "$output"
	run -0 --separate-stderr dktrace latency syscall --csv --comm "$name" --cpu "$cpu_a" --filter 'id == write' \
		-- sh -c "$work"
	same 50 "$(sed -n 's/^write,\([0-9]*\),.*/\1/p' <<<"$output")"
}

@test "programs have the same names when they are recorded and when they are read" {
	local name n

	for name in 'tmux: server' systemd-journald dd; do
		cp "$(command -v dd)" "$tmp/$name"
	done
	# shellcheck disable=SC2016 # for the shell in there
	run -0 --separate-stderr dktrace record -e syscalls:sys_enter_write --comm 'tmux: server,systemd-journald' \
		-o "$tmp/x.dat" -- sh -c 'for name in "tmux: server:5" systemd-journald:7 dd:9; do
			"$0/${name%:*}" if=/dev/zero of=/dev/null bs=1 "count=${name##*:}" status=none; done' "$tmp"
	for n in 'tmux: server:5' 'tmux: *:5' 'systemd-journald:7' 'systemd-journal:7' 'tmux: server,systemd-journald:12' \
		'dd:0' 'tmux:0' 'server:0'; do
		same "${n##*:}" "$(dktrace report --comm "${n%:*}" "$tmp/x.dat" | grep -c sys_enter_write)" "$n"
	done
}
