#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# dktrace filter: filters on events, classes, threads, programs and CPUs, together with set_param.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

# The filter that the kernel has for an event.
in_kernel()
{
	cat "$instance/events/$1/filter"
}

# Prints everything that filters restrict, to check that a failed change leaves it unchanged.
all_knobs()
{
	knobs
	cat "$instance/options/event-fork" "$instance/tracing_cpumask"
	grep -v '^#' "$instance"/events/sched/*/trigger || true
	grep -v '^placed' "$state/settings"
}

@test "with a filter on one event, the kernel records the matches" {
	# With the other events of its class, a busy machine could fill the buffers.
	only syscalls:sys_enter_close
	# A number that no other process closes.
	fd=$((10000000 + $$))
	expect 0 "1 event is recorded with the filter" "" dktrace filter set syscalls:sys_enter_close "fd == $fd"
	same "fd == $fd" "$(in_kernel syscalls/sys_enter_close)" "in the kernel"
	lctl clear
	python3 -c 'import os, sys
fd = int(sys.argv[1])
for fd in fd, fd + 1, fd:
	try: os.close(fd)
	except OSError: pass' "$fd"
	run -0 --separate-stderr dktrace dk
	same 2 "$(grep -c "sys_enter_close()) fd: 0x$(printf %08x "$fd")\$" <<<"$output")" "matching records"
	same 2 "$(grep -c 'sys_enter_close())' <<<"$output")" "records"
	expect 0 "" "" dktrace filter clear syscalls:sys_enter_close
	same none "$(in_kernel syscalls/sys_enter_close)" "cleared"
}

@test "a filter on a class applies to the events that have its fields" {
	only vfstrace
	n=$(wc -l <"$instance/set_event")
	run -0 --separate-stderr dktrace filter set vfstrace 'count > 4k'
	took=$(grep -lx 'count > 4096' "$instance"/events/*/*/filter | wc -l)
	at_least 3 "$took"
	same "$took events are recorded with the filter" "${lines[0]}" "summary"
	has "${lines[1]}" "do not have its fields and are recorded without it: syscalls ("
	run -0 dktrace filter list
	same "EVENTS   ON OFF WITHOUT FILTER" "$(tr -s ' ' <<<"${lines[0]}" | sed 's/^EVENTS /EVENTS   /')" "heading"
	same "vfstrace $took 0 $((n - took)) count > 4k" "$(tr -s ' ' <<<"${lines[1]}")" "row"
	run -0 dktrace filter list syscalls:sys_enter_open
	has "$output" "has no field 'count'"
	dktrace filter list --json | jq -e --argjson n "$took" '.filters[0] | .events == "vfstrace" and .on == $n and .filter == "count > 4k"'
	# Set again: in place of the first.
	dktrace filter set vfstrace 'count > 8k'
	same 1 "$(dktrace filter list --json | jq '.filters | length')" "filters"
	same "$took" "$(grep -lx 'count > 8192' "$instance"/events/*/*/filter | wc -l)" "filters in the kernel"
}

@test "a log of lock events lacks the locks that dktrace itself takes" {
	only dlmtrace
	only_ours
	dktrace set_param -n debug_mb=9 2>/dev/null
	lctl set_param -n debug_mb=8 2>/dev/null
	lctl mark between
	start flock "$tmp/other" true
	wait "$pid"
	run -0 --separate-stderr dktrace show --style trace
	same "" "$(grep -E '^ *(dktrace|lctl)-.*(flock|lock_context)' <<<"$output" || true)" "own locks"
	has "$output" "-$pid "
	has "$output" "sys_enter_flock"
	# Another filter is put beside it and taken away alone.
	before=$(in_kernel syscalls/sys_enter_flock)
	dktrace filter set syscalls:sys_enter_flock 'fd == 7'
	same "($before) && (fd == 7)" "$(in_kernel syscalls/sys_enter_flock)" "both"
	dktrace filter clear syscalls:sys_enter_flock
	same "$before" "$(in_kernel syscalls/sys_enter_flock)" "one"
}

@test "a filter on a disabled event applies once the event is enabled" {
	only ioctl
	expect 0 "0 events are recorded with the filter, 1 more will be once they are enabled" "" \
		dktrace filter set syscalls:sys_enter_close 'fd == 1'
	same none "$(in_kernel syscalls/sys_enter_close)" "off"
	set_param debug=+vfstrace
	same "fd == 1" "$(in_kernel syscalls/sys_enter_close)" "on"
	set_param debug=-vfstrace
	same none "$(in_kernel syscalls/sys_enter_close)" "off again"
}

@test "a filter holds together with debug_filter and the class map" {
	only vfstrace
	set_param debug_filter='common_pid != 1' 2>/dev/null
	dktrace filter set syscalls:sys_enter_close 'fd == 1'
	same "(common_pid != 1) && (fd == 1)" "$(in_kernel syscalls/sys_enter_close)" "both"
	dktrace filter set sys_* 'x == 1' && return 1
	dktrace filter set 'syscalls:sys_enter_*' 'fd < 100' >/dev/null
	same "(common_pid != 1) && (fd == 1) && (fd < 100)" "$(in_kernel syscalls/sys_enter_close)" "three"
	set_param debug=+ioctl
	same "(common_pid != 1) && (fd == 1) && (fd < 100)" "$(in_kernel syscalls/sys_enter_close)" "after set_param"
	same "(common_pid != 1) && (fd < 100)" "$(in_kernel syscalls/sys_enter_ioctl)" "of a new event"
	set_param debug_filter=none
	same "(fd == 1) && (fd < 100)" "$(in_kernel syscalls/sys_enter_close)" "without debug_filter"
	expect 0 "" "" dktrace filter clear
	same none "$(in_kernel syscalls/sys_enter_close)" "cleared"
	# An allocation event's own filter is the call sites; a class of it narrows its records only.
	only malloc
	own=$(in_kernel kmem/kmalloc)
	run -0 dktrace filter set kmem:kmalloc 'bytes_req > 1M'
	[ "$own" = none ] || own="($own) && (bytes_req > 1048576)"
	[ "$own" != none ] || own="bytes_req > 1048576"
	same "$own" "$(in_kernel kmem/kmalloc)" "own filter and ours"
}

@test "--pid restricts recording to processes, their threads, and on request their children" {
	only vfstrace
	held cat /dev/null
	expect 0 "" "" dktrace filter set --pid "$pid"
	same "$pid" "$(cat "$instance/set_event_pid")" "set_event_pid"
	same 0 "$(cat "$instance/options/event-fork")" "event-fork"
	lctl clear
	cat /dev/null
	go
	run -0 --separate-stderr dktrace dk
	at_least 6 "${#lines[@]}"
	same "$pid" "$(grep -E '^[0-9a-f]{8}:' <<<"$output" | cut -d : -f 6 | sort -u)" "pids"
	held sh -c 'cat /dev/null; :'
	dktrace filter set --pid "$pid" --children
	same 1 "$(cat "$instance/options/event-fork")" "event-fork"
	lctl clear
	go
	run -0 --separate-stderr dktrace dk
	same 2 "$(grep -E '^[0-9a-f]{8}:' <<<"$output" | cut -d : -f 6 | sort -u | wc -l)" "it and its child"
	run -0 dktrace status
	has "$output" "and what they start"
	# set_param leaves it, as does a second filter.
	set_param debug=+ioctl
	dktrace filter set vfstrace 'fd < 100' >/dev/null
	same 1 "$(cat "$instance/options/event-fork")" "event-fork"
	expect 0 "" "" dktrace filter clear pids
	same "" "$(cat "$instance/set_event_pid")" "set_event_pid"
	same 0 "$(cat "$instance/options/event-fork")" "event-fork"
	same 1 "$(dktrace filter list --json | jq '.filters | length')" "filters left"
	# A program of many threads.
	start python3 -c 'import threading, time
for i in range(3): threading.Thread(target=time.sleep, args=(100000,), daemon=True).start()
time.sleep(100000)'
	until_true sh -c "[ \$(ls /proc/$pid/task | wc -l) = 4 ]"
	dktrace filter set --pid "$pid"
	same "$(ls "/proc/$pid/task" | sort -n)" "$(cat "$instance/set_event_pid")" "threads"
	dktrace filter set --pid "$pid,$$"
	same 5 "$(wc -l <"$instance/set_event_pid")" "threads of two"
}

@test "a later change of the log goes on with the children that run already" {
	local both

	only vfstrace
	held sh -c 'sleep 100000 & wait'
	dktrace filter set --pid "$pid" --children
	echo >"$tmp/gate"
	until_true sh -c "[ \$(wc -l <$instance/set_event_pid) = 2 ]"
	both=$(cat "$instance/set_event_pid")
	set_param debug=+ioctl
	dktrace filter set vfstrace 'fd < 100' >/dev/null
	same "$both" "$(cat "$instance/set_event_pid")" "it and its child"
	# Without both the kernel would record all.
	xargs kill <<<"$both"
	until_true sh -c "[ -z \"\$(cat $instance/set_event_pid)\" ]"
	set_param debug=+info
	same "$pid" "$(cat "$instance/set_event_pid")" "after their end"
}

@test "--pid, --comm and --cpu of some events become a filter" {
	only vfstrace
	dktrace filter set syscalls:sys_enter_close --pid "$$" --comm 'a-name-that-is-too-long-for-it' --cpu 0-2,5 'fd == 1'
	same "(common_pid == $$) && (COMM == \"a-name-that-is-\") && ((CPU >= 0 && CPU <= 2) || CPU == 5) && (fd == 1)" \
		"$(in_kernel syscalls/sys_enter_close)" "filter"
	same "" "$(cat "$instance/set_event_pid")" "set_event_pid"
	# A name that no other program has.
	ln -s "$(command -v cat)" "$tmp/c$$-t"
	dktrace filter set --comm "c$$-?" >/dev/null
	has "$(in_kernel syscalls/sys_enter_openat)" "COMM ~ \"c$$-?\""
	lctl clear
	start "$tmp/c$$-t" /dev/null
	wait "$pid"
	ls / >/dev/null
	run -0 --separate-stderr dktrace dk --style trace
	at_least 6 "${#lines[@]}"
	same "$pid" "$(sed -nE 's/^ *[^ ]+-([0-9]+) +\[.*/\1/p' <<<"$output" | sort -u)" "processes"
}

@test "--cpu of all events sets the kernel's CPU mask" {
	only vfstrace
	choose_cpus
	all=$(cat "$instance/tracing_cpumask")
	dktrace filter set --cpu "$cpu_a" --pid $$ --children
	same "$(printf %x $((1 << cpu_a % 32)))" "$(cut -d , -f 1 "$instance/tracing_cpumask" | sed 's/^0*//')" "tracing_cpumask"
	lctl clear
	for cpu in "$cpu_a" "$cpu_b" "$cpu_a" "$cpu_b"; do taskset -c "$cpu" cat /dev/null; done
	run -0 --separate-stderr dktrace dk --style trace
	same "$(printf '[%03d]' "$cpu_a")" "$(grep -oE '\[[0-9]{3}\]' <<<"$output" | sort -u)" "CPUs"
	dktrace filter clear cpus
	same "$all" "$(cat "$instance/tracing_cpumask")" "tracing_cpumask"
}

@test "a wrong filter command is reported and changes nothing" {
	only vfstrace
	dktrace filter set syscalls:sys_enter_close 'fd == 1' >/dev/null
	dktrace filter set --cpu 0
	all_knobs >"$tmp/before"
	while IFS='|' read -r want rc args; do
		eval "run --separate-stderr dktrace filter $args"
		same "$rc" "$status" "status of $args"
		same "" "$output" "stdout of $args"
		has "$stderr" "$want"
		all_knobs | diff "$tmp/before" -
	done <<-'END'
		'nosuch' is not a class, subsystem or event (SYSTEM:EVENT)|1|set nosuch 'a == 1'
		sched_switch has no field 'prev_pidd'; did you mean prev_pid?|1|set sched_switch 'prev_pidd == 1'
		'nosuch:*x' is not a class|1|set 'vfstrace+nosuch:*x' 'fd == 1'
		expected a class, subsystem or event|2|set ++ 'a == 1'
		a character that cannot be in an event name|2|set 'a:b:c' 'a == 1'
		'a b': a character that cannot be in an event name|2|set 'a b' 'a == 1'
		sched:sched_switch has no field 'prev_pidd'; did you mean prev_pid?|1|set sched:sched_switch 'prev_pidd == 1'
		prev_pid is not a string|1|set sched:sched_switch 'prev_pid ~ "x"'
		prev_comm is a string: compare it with ==, != or ~|1|set sched:sched_switch 'prev_comm > x'
		no operator after 'prev_pid'; write == for equal|2|set sched:sched_switch 'prev_pid = 1'
		a single '&' here; did you mean &&?|2|set sched:sched_switch 'prev_pid > 1 & next_pid > 1'
		a filter is one line|1|set sched:sched_switch $'prev_pid == 1\n'
		a control character in quotes|2|set sched:sched_switch $'prev_comm == "a\rb"'
		the string is longer than 255 bytes|2|set sched:sched_switch "prev_comm == '$(printf '%0300d' 0)'"
		the expression is longer than 65535 bytes|2|set sched:sched_switch "$(printf '%070000d' 0)"
		the kernel's limit is 4095|1|set syscalls:sys_enter_close "$(printf 'fd == 1 || %.0s' {1..500}) fd == 2"
		there is no process 99999999|1|set --pid 99999999
		'1,x' is not a list of processes|2|set --pid 1,x
		'0' is not a list of processes|2|set sched:sched_switch --pid 0
		CPU 1023 does not exist|1|set --cpu 0,1023
		'x' is not a list of numbers|2|set --cpu x
		--cpu: the value is empty; write --cpu LIST|2|set --cpu ''
		'0-' is not a list of numbers|2|set sched:sched_switch --cpu 0-
		--comm: the value is empty; write --comm GLOBS|2|set --comm ''
		no filter is set on 'vfstrace'; 'dktrace filter list' shows all|1|clear vfstrace
		no filter is set on 'pids'|1|clear pids
		'nosuch' is not one of set, list, clear|2|nosuch
		needs EVENTS EXPR, or --pid, --comm or --cpu|2|set
		needs an expression, or --pid|2|set sched:sched_switch
		too many arguments; put an expression in quotes|2|set sched:sched_switch prev_pid == 1
		--children needs --pid|2|set --children
		--children is for all events, not for 'vfstrace' alone|2|set vfstrace --children --pid 1
		are options of set|2|list --pid 1
	END
}

@test "nothing changes if the kernel refuses a filter in the middle" {
	need_namespace
	only vfstrace
	dktrace filter set --cpu 0
	all_knobs >"$tmp/before"
	for file in events/syscalls/sys_enter_close/filter set_event_pid tracing_cpumask; do
		# shellcheck disable=SC2016
		run --separate-stderr apart sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && "$@"' "$instance/$file" \
			sh -c 'dktrace filter set syscalls:sys_* "fd == 1" && dktrace filter set --pid 1 --cpu 0-1'
		[ "$status" -ne 0 ]
		has "$stderr" "Read-only file system"
		dktrace filter clear
		dktrace filter set --cpu 0
		all_knobs | diff "$tmp/before" -
	done
}

@test "without the settings, filters, threads and CPUs are read from the kernel" {
	only vfstrace
	set_param subsystem_debug=all
	dktrace filter set syscalls:sys_enter_close 'fd == 1' >/dev/null
	dktrace filter set syscalls:sys_enter_read '(fd == 1) && (count > 1)' >/dev/null
	held cat /dev/null
	dktrace filter set --pid "$pid" --children --cpu 0
	knobs >"$tmp/before"
	rm "$state/settings"
	set_param printk=-1
	knobs | diff "$tmp/before" -
	same "syscalls:sys_enter_close fd == 1;syscalls:sys_enter_read (fd == 1) && (count > 1);" \
		"$(dktrace status --json | jq -j '.filters[] | .events + " " + .filter + ";"')" "filters"
	same "[$pid] true 0" "$(dktrace status --json | jq -r '"\(.pids) \(.children) \(.cpus_recorded)"')" "limits"
	dktrace filter clear
	same "" "$(grep -v '^none$' "$instance"/events/*/*/filter || true)" "filters left"
	same "" "$(cat "$instance/set_event_pid")" "set_event_pid"
}

# The kernel needs some ms to set a filter: do not enable the hundreds of events of a class.
@test "kill -9 at 30 points of a filter on many system calls is undone by the next one, or by reset" {
	machine >"$tmp/machine"
	only 'syscalls:sys_enter_[a-f]*'
	set_param debug_filter='common_pid != 1' 2>/dev/null
	knobs >"$tmp/before"
	for ((i = 0; i < 30; i++)); do
		start dktrace filter set 'syscalls:*' --cpu 0 --pid 1 'common_pid == 2' >/dev/null 2>&1
		at_random 400
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		dktrace filter clear 2>/dev/null
		knobs | diff "$tmp/before" -
		start dktrace filter set --cpu 0 --pid 1 --children >/dev/null 2>&1
		at_random 40
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		dktrace filter clear 2>/dev/null
		knobs | diff "$tmp/before" -
	done
	start dktrace filter set 'syscalls:*' 'common_pid == 2' >/dev/null 2>&1
	at_random 60
	kill -9 "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	dktrace reset
	machine | diff "$tmp/machine" -
}
