#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# dktrace trigger: the kernel acts when an event happens, and del undoes the effects.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

in_kernel()
{
	grep -v '^#' "$instance/events/$1/trigger" || true
}

enabled()
{
	cat "$instance/events/$1/enable"
}

# A program with a name of the test's own; triggers act at its end.
fire()
{
	ln -sf "$(command -v cat)" "$tmp/fire-$$"
	"$tmp/fire-$$" /dev/null
}

all_knobs()
{
	knobs
	grep -v '^#' "$instance"/events/*/*/trigger || true
	cat "$instance"/events/sched/*/enable
	cat "$state/settings"
}

@test "a traceoff trigger stops recording, and del starts it again" {
	only vfstrace
	only_ours
	expect 0 "1 trigger on 1 event" "" dktrace trigger add sched:sched_process_exit traceoff:1 --filter "comm == stop-$$"
	same "traceoff:count=1 if comm == \"stop-$$\"" "$(in_kernel sched/sched_process_exit)" "in the kernel"
	ln -s "$(command -v cat)" "$tmp/stop-$$"
	lctl clear
	cat /dev/null
	same 1 "$(cat "$instance/tracing_on")" "before"
	start "$tmp/stop-$$" /etc/hostname >/dev/null
	stopper=$pid
	wait "$stopper"
	same 0 "$(cat "$instance/tracing_on")" "after"
	start cat /etc/passwd >/dev/null
	wait "$pid"
	run -0 --separate-stderr dktrace show --style trace
	has "$output" "-$stopper "
	lacks "$output" "-$pid "
	run -0 dktrace status
	has "${lines[0]}" "(stopped: tracing_on is 0; dktrace start sets it)"
	has "$output" "triggers         sched:sched_process_exit traceoff:1 if comm == \"stop-$$\""
	run -0 dktrace trigger list
	same "sched:sched_process_exit traceoff 0 comm == \"stop-$$\"" "$(tr -s ' ' <<<"${lines[1]}")" "nothing left of its count"
	expect 0 "1 trigger rearmed, recording is on" "" dktrace trigger rearm
	same "traceoff:count=1 if comm == \"stop-$$\"" "$(in_kernel sched/sched_process_exit)" "rearmed"
	"$tmp/stop-$$" /dev/null
	same 0 "$(cat "$instance/tracing_on")" "again"
	expect 0 "1 trigger removed" "" dktrace trigger del sched:sched_process_exit
	same 1 "$(cat "$instance/tracing_on")" "recording goes on"
	same "" "$(in_kernel sched/sched_process_exit)" "removed"
}

@test "a traceon trigger starts recording" {
	only vfstrace
	only_ours
	dktrace trigger add sched:sched_process_exit traceon --filter "comm == \"start-$$\"" >/dev/null
	ln -s "$(command -v cat)" "$tmp/start-$$"
	expect 0 "" "" dktrace stop
	lctl clear
	cat /etc/passwd >/dev/null
	run -0 --separate-stderr dktrace show
	same "Debug log: 0 lines, 0 kept, 0 dropped, 0 bad." "$output" "stopped"
	"$tmp/start-$$" /dev/null
	same 1 "$(cat "$instance/tracing_on")" "started"
	cat /etc/passwd >/dev/null
	run -0 --separate-stderr dktrace dk
	at_least 11 "${#lines[@]}"
	expect 0 "" "" dktrace start
}

@test "a stacktrace trigger records a stack after each record that matches" {
	only vfstrace
	only_ours
	# A number that no other process closes.
	fd=$((10000000 + $$))
	dktrace trigger add syscalls:sys_enter_close stacktrace --filter "fd == $fd" >/dev/null
	lctl clear
	python3 -c 'import os, sys
fd = int(sys.argv[1])
for fd in fd, fd + 1:
	try: os.close(fd)
	except OSError: pass' "$fd"
	run -0 --separate-stderr dktrace dk --style trace
	same 1 "$(grep -c 'kernel_stack' <<<"$output")" "stacks"
}

@test "an event that enable_event enabled stays through set_param and ends with the trigger" {
	only vfstrace
	only_ours
	dktrace trigger add sched:sched_process_exit enable_event:sched:sched_switch:1 --filter "comm == \"fire-$$\"" >/dev/null
	same '0*' "$(enabled sched/sched_switch)" "waits"
	# An event that is watched only is not on.
	same 0 "$(dktrace show --style trace | grep -c 'sched_process_exit: ')" "records of the one that is watched"
	fire
	same '1*' "$(enabled sched/sched_switch)" "fired"
	set_param debug=+ioctl
	same '1*' "$(enabled sched/sched_switch)" "after set_param"
	run -0 --separate-stderr dktrace dk --style trace
	at_least 1 "$(grep -c ' sched_switch: ' <<<"$output")"
	# A filter on it holds.
	dktrace filter set sched:sched_switch 'next_pid == 1' >/dev/null
	same 'next_pid == 1' "$(cat "$instance/events/sched/sched_switch/filter")" "filter"
	dktrace trigger del sched:sched_process_exit enable_event
	same 0 "$(enabled sched/sched_switch)" "put back"
	same none "$(cat "$instance/events/sched/sched_switch/filter")" "its filter"
	same 0 "$(enabled sched/sched_process_exit)" "nothing watches"
}

@test "an event that disable_event disabled stays through set_param and returns with the trigger's end" {
	only vfstrace
	dktrace trigger add sched:sched_process_exit disable_event:syscalls:sys_enter_close --filter "comm == \"fire-$$\"" >/dev/null
	same '1*' "$(enabled syscalls/sys_enter_close)" "waits"
	fire
	same '0*' "$(enabled syscalls/sys_enter_close)" "fired"
	set_param debug=+ioctl
	same '0*' "$(enabled syscalls/sys_enter_close)" "after set_param"
	dktrace trigger rearm >/dev/null
	same '1*' "$(enabled syscalls/sys_enter_close)" "rearmed"
	fire
	dktrace trigger del all >/dev/null
	same 1 "$(enabled syscalls/sys_enter_close)" "put back"
	# Events that the settings no longer enable are disabled, whoever had enabled them.
	dktrace trigger add sched:sched_process_exit disable_event:syscalls:sys_enter_close --filter "comm == \"fire-$$\"" >/dev/null
	set_param debug=-vfstrace
	same '0*' "$(enabled syscalls/sys_enter_close)" "not wanted"
	set_param debug=+vfstrace
	same '1*' "$(enabled syscalls/sys_enter_close)" "wanted again"
}

@test "set_param enables an event that only had a trigger" {
	set_param debug=0
	dktrace trigger add syscalls:sys_enter_close stacktrace >/dev/null
	same '0*' "$(enabled syscalls/sys_enter_close)" "watched"
	set_param debug=+vfstrace
	same '1*' "$(enabled syscalls/sys_enter_close)" "on"
	set_param debug=0
	same '0*' "$(enabled syscalls/sys_enter_close)" "off"
}

@test "a trigger on a class applies to the events that have the condition's fields" {
	only vfstrace
	run -0 --separate-stderr dktrace trigger add vfstrace stacktrace:3 --filter 'count > 4k'
	n=$(grep -lx 'stacktrace:count=[0-3] if count > 4096' "$instance"/events/*/*/trigger | wc -l)
	at_least 3 "$n"
	same "$n triggers on $n events" "${lines[0]}" "summary"
	has "${lines[1]}" "do not have its fields: syscalls ("
	same "$n" "$(dktrace trigger list --json | jq '.triggers | length')" "list"
	run -0 dktrace status
	has "$(tr -s '\n ' ' ' <<<"$output")" "and $((n - 5)) more"
	same "$n" "$(dktrace status --json | jq '.triggers | length')" "status"
	dktrace trigger del vfstrace >/dev/null
	same "" "$(grep -v '^#' "$instance"/events/*/*/trigger || true)" "left"
	# And about a class.
	run -0 dktrace trigger add sched:sched_process_fork 'enable_event:sched:sched_[sw]*:2'
	m=$(grep -c '^enable_event:sched:.*:count=[0-2]$' "$instance/events/sched/sched_process_fork/trigger")
	at_least 5 "$m"
	same "$m triggers on 1 event" "$output" "summary"
	run -0 dktrace trigger del all enable_event:sched:sched_switch
	same "1 trigger removed" "$output" "one target"
	same $((m - 1)) "$(in_kernel sched/sched_process_fork | wc -l)" "left"
}

@test "wrong or excluded triggers are reported before anything changes" {
	only vfstrace
	dktrace trigger add sched:sched_process_fork traceoff:3 --filter 'parent_pid == 1' >/dev/null
	dktrace trigger add sched:sched_process_fork enable_event:sched:sched_switch --filter 'parent_pid == 1' >/dev/null
	all_knobs >"$tmp/before"
	while IFS='|' read -r want rc args; do
		eval "run --separate-stderr dktrace trigger $args"
		same "$rc" "$status" "status of $args"
		same "" "$output" "stdout of $args"
		has "$stderr" "$want"
		all_knobs | diff "$tmp/before" -
	done <<-'END'
		sched:sched_process_fork has this trigger already: traceoff:3 if parent_pid == 1|1|add sched:sched_process_fork traceoff
		sched:sched_process_fork has the trigger 'traceoff:3 if parent_pid == 1', and the kernel keeps one of traceon and traceoff for an event|1|add sched:sched_process_fork traceon
		has this trigger already: enable_event:sched:sched_switch|1|add sched:sched_process_fork enable_event:sched:sched_switch:5
		the kernel keeps one of disable_event and enable_event for sched:sched_switch|1|add sched:sched_process_fork disable_event:sched:sched_switch
		sched:sched_process_fork has this trigger already: traceoff:3|1|add 'sched:*' traceoff
		'nosuch' is not a trigger: traceon, traceoff|2|add sched:sched_switch nosuch
		'traceoff:x' is not a valid trigger|2|add sched:sched_switch traceoff:x
		enable_event needs an event: enable_event:SYSTEM:EVENT|2|add sched:sched_switch enable_event
		'nosuch:event' is not a class, subsystem or event|1|add sched:sched_switch enable_event:nosuch:event
		'nosuch' is not a class, subsystem or event|1|add nosuch traceoff
		has no field 'prev_pidd'; did you mean prev_pid?|1|add sched:sched_switch traceoff --filter 'prev_pidd == 1'
		a single '&' here|2|add sched:sched_switch traceoff --filter 'prev_pid == 1 & prev_prio == 1'
		give the condition with --filter|1|add sched:sched_switch 'traceoff if prev_pid == 1'
		a trigger is one line|2|add sched:sched_switch $'hist:keys=a\nb'
		the kernel's limit is 4095|1|add sched:sched_switch traceoff --filter "$(printf 'prev_pid == 1 || %.0s' {1..300}) prev_pid == 2"
		the limit is 10000 triggers|1|add all enable_event:all
		no trigger traceon is set on 'sched'|1|del sched traceon
		no trigger is set on 'vfstrace'|1|del vfstrace
		'nosuch' is not one of add, list, del, rearm|2|nosuch
		usage: dktrace trigger add EVENTS|2|add sched:sched_switch
		--filter is an option of add|2|list --filter 'a == 1'
	END
	grep -qw snapshot "$tracing/events/sched/sched_switch/trigger" ||
		expect 1 "" "dktrace: this kernel has no trigger 'snapshot'" dktrace trigger add sched:sched_process_fork snapshot
	grep -qw hist "$tracing/events/sched/sched_switch/trigger" ||
		expect 1 "" "dktrace: this kernel has no trigger 'hist'" dktrace trigger add sched:sched_process_fork hist:keys=parent_pid
}

@test "nothing changes if the kernel refuses a trigger in the middle of a glob" {
	need_namespace
	only vfstrace
	all_knobs >"$tmp/before"
	# shellcheck disable=SC2016
	run --separate-stderr apart sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && "$@"' \
		"$instance/events/syscalls/sys_exit_close/trigger" dktrace trigger add 'syscalls:sys_exit_c*' stacktrace
	same 1 "$status" "status"
	has "$stderr" "sys_exit_close/trigger: Read-only file system"
	all_knobs | diff "$tmp/before" -
}

@test "a trigger of another program is listed, left alone, and removed on request" {
	only vfstrace
	echo 'stacktrace:5' >>"$instance/events/sched/sched_process_exit/trigger"
	dktrace trigger add sched:sched_process_exit traceoff --filter 'prio < 0' >/dev/null
	set_param debug=+ioctl
	run -0 dktrace trigger list sched
	same "sched:sched_process_exit stacktrace " "$(grep stacktrace <<<"$output" | tr -s ' 0-9' ' ')" "list"
	run -0 dktrace trigger del sched traceoff
	has "$(in_kernel sched/sched_process_exit)" stacktrace
	run -0 dktrace trigger del sched stacktrace
	same "" "$(in_kernel sched/sched_process_exit)" "left"
}

@test "triggers come back after the instance or the settings were lost" {
	only vfstrace
	dktrace trigger add sched:sched_process_fork traceoff:3 --filter 'parent_pid == 1' >/dev/null
	dktrace trigger add sched:sched_process_fork enable_event:sched:sched_switch --filter 'parent_pid == 1' >/dev/null
	in_kernel sched/sched_process_fork >"$tmp/before"
	rmdir "$instance"
	set_param debug=+ioctl
	in_kernel sched/sched_process_fork | sort | diff <(sort "$tmp/before") -
	rm "$state/settings"
	set_param debug=+super
	same 2 "$(dktrace status --json | jq '.triggers | length')" "triggers known"
	dktrace trigger del all >/dev/null
	same "" "$(in_kernel sched/sched_process_fork)" "left"
	same 0 "$(enabled sched/sched_switch)" "target"
}

# The kernel needs about 15 ms to remove a trigger: do not use the hundreds of a class.
@test "kill -9 at 30 points of a trigger on a glob is undone completely, also if it fired" {
	machine >"$tmp/machine"
	only vfstrace
	dktrace trigger add sched:sched_process_fork traceoff:3 --filter 'parent_pid == 1' >/dev/null
	all_knobs >"$tmp/before"
	for ((i = 0; i < 30; i++)); do
		start dktrace trigger add 'syscalls:sys_enter_f*' enable_event:sched:sched_switch >/dev/null 2>&1
		at_random 80
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		dktrace trigger del 'syscalls:sys_enter_f*' >/dev/null 2>&1 || true
		all_knobs | diff "$tmp/before" -
	done
	start dktrace trigger add 'syscalls:sys_enter_f*' enable_event:sched:sched_switch >/dev/null 2>&1
	at_random 60
	kill -9 "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	dktrace reset
	machine | diff "$tmp/machine" -
}

@test "events of a trigger are named without their system, too" {
	dktrace trigger add sys_enter_getpid enable_event:sys_enter_getppid:3
	run -0 dktrace trigger list
	has "$output" syscalls:sys_enter_getpid
	has "$output" enable_event:syscalls:sys_enter_getppid
	dktrace trigger del sys_enter_getpid
	run -1 dktrace trigger add sys_enter_getpid enable_event:sys_enter_getpidd
	has "$output" "'sys_enter_getpidd' is not a class, subsystem or event"
}
