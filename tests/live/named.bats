#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Events that debug names beside the classes.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

# The enabled events of a system, without the system, in one line.
enabled()
{
	grep -o "^$1:[^ ]*" "$instance/set_event" | sed "s/^$1://" | sort | tr '\n' ' '
}

filter_of()
{
	cat "$instance/events/$1/$2/filter"
}

debug()
{
	lctl get_param -n debug
}

@test "debug names events with filters, apart from the mask" {
	set_param debug=0 'debug=+sched:sched_switch[prev_pid > 0 && prev_comm != "a,b"]'
	same '0 sched:sched_switch[prev_pid > 0 && prev_comm != "a,b"]' "$(debug)" "debug"
	same "sched_switch " "$(enabled sched)" "events"
	same 'prev_pid > 0 && prev_comm != "a,b"' "$(filter_of sched sched_switch)" "filter"
	set_param debug=+sched:sched_switch
	same "0 sched:sched_switch" "$(debug)" "debug without the filter"
	same "none" "$(filter_of sched sched_switch)" "filter"
	set_param debug=+dlmtrace
	same "dlmtrace sched:sched_switch" "$(debug)" "debug with a class"
	set_param debug=-dlmtrace debug=-sched:sched_switch
	same "0" "$(debug)" "debug without events"
	same "" "$(enabled sched)" "events"
}

@test "a value without a sign, and 0, forget the named events" {
	set_param debug=rpctrace,sched:sched_switch,sched:sched_waking
	same "warning error emerg rpctrace console sched:sched_switch sched:sched_waking" "$(debug)" "debug"
	has "$(enabled sched)" "sched_switch sched_waking "
	set_param debug="$(debug)"
	same "warning error emerg rpctrace console sched:sched_switch sched:sched_waking" "$(debug)" "set to itself"
	set_param debug=sched:sched_switch
	same "warning error emerg console sched:sched_switch" "$(debug)" "an event alone"
	set_param debug=0
	same "0" "$(debug)" "0"
	same "" "$(enabled sched)" "events"
	set_param debug='0 sched:sched_switch'
	same "0 sched:sched_switch" "$(debug)" "a number and an event"
}

@test "a minus takes events out of a glob and out of a class" {
	set_param debug_sources=kernel debug=0 'debug=+sched:sched_wak[ei][nu]*' debug=-sched:sched_waking
	same "0 sched:sched_wak[ei][nu]* -sched:sched_waking" "$(debug)" "debug"
	same "sched_wakeup sched_wakeup_new " "$(enabled sched)" "events"
	set_param debug=+sched:sched_waking
	same "sched_wakeup sched_wakeup_new sched_waking " "$(enabled sched)" "named again"
	set_param 'debug=-sched:*'
	same "0" "$(debug)" "minus all of them"
	set_param debug=-block:block_rq_issue
	same "0" "$(debug)" "minus what is not on"
	only iotrace
	has "$(enabled block)" "block_rq_issue "
	set_param debug=-block:block_rq_issue
	lacks "$(enabled block)" "block_rq_issue "
	same "iotrace -block:block_rq_issue" "$(debug)" "debug"
}

@test "events that lack the fields of their filter are named and recorded without it" {
	run -0 --separate-stderr lctl set_param 'debug=+sched:sched_wak*,sched:sched_[st]*[prev_pid > 0]'
	has "$stderr" "sched:sched_[st]*[prev_pid > 0]: "
	has "$stderr" "events do not have its fields and are recorded without it: sched ("
	same "prev_pid > 0" "$(filter_of sched sched_switch)" "filter"
	same "none" "$(filter_of sched sched_waking)" "filter"
	has "$(enabled sched)" "sched_stat_runtime "
}

@test "a word that stands for no event changes nothing" {
	set_param debug=0 debug=+sched:sched_switch
	run -2 --separate-stderr lctl set_param debug=+dlmtrace,sched:sched_swich
	has "$stderr" "lctl: no event matches 'sched:sched_swich'; did you mean sched:sched_switch?"
	run -22 --separate-stderr lctl set_param 'debug=+sched:sched_switch[prev_pid >]'
	has "$stderr" "lctl: sched:sched_switch: filter: no value after the operator"
	run -22 --separate-stderr lctl set_param 'debug=+sched:sched_switch[prev_pid > 1'
	has "$stderr" "the filter has no ']' at its end"
	run -22 --separate-stderr lctl set_param 'debug=-sched:sched_switch[prev_pid > 1]'
	has "$stderr" "lctl: -sched:sched_switch: an event that is excluded has no filter"
	run -22 --separate-stderr lctl set_param 'subsystem_debug=+sched:*'
	has "$stderr" "lctl: '+sched:*' names an event; only debug can"
	run -22 --separate-stderr lctl set_param 'printk=+sched:*'
	has "$stderr" "only debug can"
	run -22 --separate-stderr lctl set_param debug=+bogus,sched:sched_waking
	has "$stderr" "lctl: unknown mask 'bogus'."
	same "0 sched:sched_switch" "$(debug)" "debug"
	same "none" "$(filter_of sched sched_switch)" "filter"
}

@test "status, save and apply know the named events" {
	set_param debug=0 'debug=+dlmtrace,sched:sched_switch[prev_pid > 0],sched:sched_wak[ei][nu]*' debug=-sched:sched_waking
	has "$(dktrace status)" "named events     sched:sched_switch[prev_pid > 0] sched:sched_wak[ei][nu]* -sched:sched_waking"
	same '["sched:sched_switch[prev_pid > 0]","sched:sched_wak[ei][nu]*","-sched:sched_waking"]' \
		"$(dktrace status --json | jq -c .named_events)" "status --json"
	dktrace save "$tmp/conf"
	has_line '^event = sched:sched_switch\[prev_pid > 0\]$' "$tmp/conf"
	has_line '^event = -sched:sched_waking$' "$tmp/conf"
	run -0 dktrace boot-config
	has "$output" "sched_switch"
	has "$output" 'filter = "prev_pid > 0"'
	lacks "$output" "sched_waking"
	dktrace reset
	echo 'event = nosuch:event[x > 0]' >>"$tmp/conf"
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	has "$stderr" "skipped: no event matches 'nosuch:event'"
	same "dlmtrace sched:sched_switch[prev_pid > 0] sched:sched_wak[ei][nu]* -sched:sched_waking" "$(debug)" "debug"
	same "sched_switch sched_wakeup sched_wakeup_new " "$(enabled sched)" "events"
	dktrace save "$tmp/conf"
	has_line '^event = nosuch:event\[x > 0\]$' "$tmp/conf"
	echo 'event = sched:sched_switch[' >"$tmp/bad"
	run -22 --separate-stderr dktrace apply "$tmp/bad"
	has "$stderr" "$tmp/bad:1:9: "
}

@test "records of a named event print in every style, with its stack" {
	# The records of one program only, whatever else runs.
	cp "$(command -v sh)" "$tmp/umask-$$"
	filter="mask > 5 && COMM == \"umask-$$\""
	set_param debug=0 "debug=+syscalls:sys_enter_umask[$filter]"
	dktrace trigger add syscalls:sys_enter_umask stacktrace --filter "$filter"
	"$tmp/umask-$$" -c 'umask 1; umask 6; umask 7'
	dktrace stop
	# A shell may call umask twice for each command.
	n=$(dktrace show -S json | jq -c 'select(.event == "sys_enter_umask" and .fields.mask > 5)' | wc -l)
	at_least 2 "$n" "json"
	same "$n" "$(dktrace show -S trace -e sys_enter_umask | grep -c ' sys_enter_umask: ')" "trace"
	same "$n" "$(dktrace show -S legacy | grep -c '^[0-9a-f]*:00000000:.*sys_enter_umask())')" "legacy"
	same "$n" "$(dktrace show -S trace | grep -c ' kernel_stack: *<stack> =>')" "stacks"
}

@test "a named event is enabled again after it was away" {
	set_param debug=0 debug=+sched:sched_switch
	echo 0 >"$instance/events/sched/sched_switch/enable"
	has "$(dktrace status)" "1 events of sched are disabled: another user or program disabled them"
	set_param debug=+dlmtrace
	same "sched_switch " "$(enabled sched)" "events"
}

@test "without the file of settings the names come from the kernel" {
	set_param debug=0 'debug=+dlmtrace,sched:sched_switch[prev_pid > 0]'
	rm "$state/settings"
	same "dlmtrace sched:sched_switch" "$(debug)" "debug"
	set_param debug=-dlmtrace 2>/dev/null
	same "sched_switch " "$(enabled sched)" "events"
	same "prev_pid > 0" "$(filter_of sched sched_switch)" "filter"
}
