#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# hist of known workloads on the running kernel, counted in the kernel or in user space.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

@test "hist counts N writes of one process as N" {
	run -0 --separate-stderr dktrace hist syscalls:sys_enter_write -k count --csv --filter 'count == 33317' -- \
		dd if=/dev/zero of=/dev/null bs=33317 count=1234 status=none
	same 'count,hitcount
33317,1234' "$output" writes
	same '' "$(own)" 'left behind'
}

@test "sums of fields with a unit show it in the table, not in CSV" {
	run -0 --separate-stderr dktrace hist kmem:kmalloc --keys CPU --vals bytes_req -- ls /
	grep -Eq '^ *[0-9]+ +[0-9]+ +[0-9.]+ (B|KB|MB)( |$)' <<<"$output"
	run -0 --separate-stderr dktrace hist kmem:kmalloc --keys CPU --vals bytes_req --csv -- ls /
	grep -Eq '^[0-9]+,[0-9]+,[0-9]+$' <<<"$output"
}

# True if hist named a dd that has ended dd, or as the kernel does: a busy one may have noted a name before
# exec, or have forgotten it. usage: is_named PID NAME
is_named()
{
	local known

	[ "$2" != dd ] || return 0
	known=$(grep "^$1 " "$tracing/saved_cmdlines") || return 0
	same "$known" "$1 $2" "name"
}

@test "hist names processes that have ended" {
	local name pid

	run -0 --separate-stderr dktrace hist syscalls:sys_enter_write -k common_pid.execname --csv \
		--filter 'count == 33317' -- sh -c 'for i in 1 2 3 4 5; do
			dd if=/dev/zero of=/dev/null bs=33317 count=3 status=none; done'
	same 5 "$(grep -c '^[^,]*\[[0-9]*\],3$' <<<"$output")" 'rows by process'
	at_least 1 "$(grep -c '^dd\[' <<<"$output")" 'names'
	while IFS='[],' read -r name pid _; do
		is_named "$pid" "$name"
	done < <(grep ',3$' <<<"$output")
}

@test "hist names a process that has ended and whose number another one had before" {
	local number

	[ -w /proc/sys/kernel/ns_last_pid ] || skip "this kernel does not let processes choose a number"
	cp "$(command -v dd)" "$tmp/earlier"
	run -0 --separate-stderr dktrace hist syscalls:sys_enter_write -k common_pid.execname --csv \
		--filter 'count == 33317' -- "$tmp/earlier" if=/dev/zero of=/dev/null bs=33317 count=3 status=none
	number=$(sed -n 's/.*\[\([0-9]*\)\],3$/\1/p' <<<"$output")
	# The names are read with the first record, that of the first dd.
	cat >"$tmp/again" <<-'END'
		dd if=/dev/zero of=/dev/null bs=33317 count=1 status=none
		until grep -q '^dd\[' "$2"; do sleep 0.1; done
		until
			echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid
			dd if=/dev/zero of=/dev/null bs=33317 count=7 status=none &
			[ $! = "$1" ]
		do wait; done
		wait
	END
	dktrace hist syscalls:sys_enter_write -k common_pid.execname -w0.2 --filter 'count == 33317' -- \
		sh "$tmp/again" "$number" "$tmp/tables" >"$tmp/tables"
	is_named "$number" "$(sed -n "s/^\(.*\)\[$number\] .*/\1/p" "$tmp/tables" | tail -n 1)"
}

@test "hist counts by stack" {
	run -0 --separate-stderr dktrace hist syscalls:sys_enter_write -k stacktrace --folded --filter 'count == 33317' -- \
		dd if=/dev/zero of=/dev/null bs=33317 count=9 status=none
	[[ $output =~ ^.*do_syscall_64.*\ 9$ ]]
}

@test "--watch shows the table again, with rates" {
	# The command makes calls until it sees two tables; the last one is printed when it has ended.
	dktrace hist raw_syscalls:sys_enter -k id.syscall -w0.2 -n 2 -- \
		sh -c 'until [ "$(grep -c "HITCOUNT PER SECOND" "$0")" -ge 2 ]; do sleep 0.1; done' "$tmp/tables" \
		>"$tmp/tables"
	at_least 2 "$(grep -c '^SYSCALL *HITCOUNT PER SECOND' "$tmp/tables")"
	# The last table stands for all of it.
	same 1 "$(grep -c '^SYSCALL *HITCOUNT *$' "$tmp/tables")" 'last tables'
}

@test "options that only the kernel supports are refused without histograms" {
	[ ! -e $tracing/events/sched/sched_switch/hist ] || skip "this kernel has histograms"
	expect 1 '' 'dktrace: this kernel has no histograms: records are read and counted in user space
dktrace: variables and actions are available in the kernel only' \
		dktrace hist syscalls:sys_exit_read -k common_pid --var r=ret --do 'onmax($r).save(common_pid)' -t 1
	run -1 --separate-stderr dktrace hist syscalls:sys_exit_read -k common_pid --keep
	has "$stderr" "this kernel has no histograms"
	same '' "$(own)" 'left behind'
}

@test "hist says why the kernel cannot count" {
	run -0 --separate-stderr dktrace hist sched:sched_switch --keys next_pid.execname -t 0.1
	has "$stderr" "the kernel supports execname of common_pid only, not 'next_pid.execname': records are read and counted in user space"
	run -0 --separate-stderr dktrace hist sched:sched_switch --keys COMM -t 0.1
	has "$stderr" "the kernel cannot count by COMM: records are read and counted in user space"
}

@test "--watch fits on the terminal, and q ends it" {
	command -v tmux >/dev/null || skip "no tmux"
	watch_in_terminal 24 "PER SECOND" " did not fit" "dktrace hist 'syscalls:*' --here --keys event,COMM -w0.3"
}

@test "hist --here counts by COMM, PID and CPU, for the time of -t" {
	run -0 --separate-stderr dktrace hist syscalls:sys_enter_getpid --here --keys COMM,PID,CPU -t 0.2 --csv
	has "$stderr" "dktrace: counting for 0.2 s"
	same "COMM,PID,CPU,hitcount" "${lines[0]}" "the header"
	only vfstrace
	dktrace filter set syscalls:sys_enter_close 'PID == 1 || (PID == 2 && fd == 3)' >/dev/null
	same 'common_pid == 1 || (common_pid == 2 && fd == 3)' \
		"$(cat "$instance/events/syscalls/sys_enter_close/filter")" "the kernel's filter"
}
