#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The main use: set masks, run a workload, print the log.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

# Runs dd on CPU $cpu_b, with the time before and after, and dumps the log.
copy_and_dump()
{
	from=$(date +%s%6N)
	held taskset -c "$cpu_b" dd if=/dev/zero of="$tmp/file" bs=512 count=7 status=none
	go && to=$(date +%s%6N) && run -0 lctl dk "$tmp/log"
}

@test "debug=+vfstrace records dd's open, read and write with its PID, CPU and time" {
	local from to line n

	choose_cpus
	expect 0 "debug=+vfstrace" "" lctl set_param debug=+vfstrace
	only_ours
	while_clock_runs copy_and_dump
	has "$output" "Debug log: "
	same "Debug log: $(wc -l <"$tmp/log") lines, $(wc -l <"$tmp/log") kept, 0 dropped, 0 bad." "$output" "summary"
	grep ":0:$pid:0:(syscalls:0:sys_" "$tmp/log" >"$tmp/own"
	# vfstrace (0x200000) of llite (0x80), on that CPU in process context.
	run -0 grep -E '^00000080:00[0-9a-f]{6}:'"$cpu_b"'\.0F?:[0-9]{10}\.[0-9]{6}:0:'"$pid"':0:\(syscalls:0:sys_enter_write\(\)\) fd: 0x00000001, buf: 0x[0-9a-f]+, count: 0x00000200$' "$tmp/own"
	same 7 "${#lines[@]}" "writes"
	same 7 "$(grep -c 'sys_enter_read()) fd: 0x00000000.*count: 0x00000200$' "$tmp/own")" "reads"
	same 7 "$(grep -c 'sys_exit_write()) 0x200$' "$tmp/own")" "results of writes"
	n=$(grep -c 'sys_enter_openat()) dfd: 0xffffff9c' "$tmp/own")
	at_least 2 "$n"
	while IFS=: read -r _ _ _ line _; do
		line=${line/./}
		[ "$line" -ge "$from" ]
		[ "$line" -le "$to" ]
	done <"$tmp/own"
	# All of it was taken.
	run -0 lctl dk
	no_line ":0:$pid:0:" <(printf '%s\n' "$output")
	true
}

@test "the trace style shows the same records" {
	set_param debug=+vfstrace
	only_ours
	held dd if=/dev/zero of=/dev/null bs=100 count=5 status=none
	go
	run -0 dktrace show --pid "$pid"
	n=$(summary kept "$output")
	# The kernel forgets names of processes while others run, or has one of an earlier process.
	run -0 dktrace dk --style trace --pid "$pid"
	same "$n" "$(summary kept "$output")" "records"
	same 5 "$(printf '%s\n' "$output" | grep -cE "^ +[^ ]+-$pid +\[[0-9]{3}\] +[0-9]+\.[0-9]{6}: sys_enter_write: +fd: 0x00000001.*0x00000064$")" "writes"
}

# One ioctl command seven times, another one five times.
ioctls()
{
	# shellcheck disable=SC2016
	held perl -e 'for (1 .. 7) { ioctl(STDIN, 21505, $b = "x" x 256) } for (1 .. 5) { ioctl(STDIN, 21523, $b = "x" x 256) }'
}

count_ioctls()
{
	local n

	run -0 lctl dk
	n=$(printf '%s\n' "$output" | grep ":0:$pid:0:" | grep -c "sys_enter_ioctl.*cmd: $1" || true)
	same "$2" "$n" "ioctls $1"
}

@test "debug_filter='cmd == 21505' records one ioctl only" {
	# The first ioctl of perl's own is the same command: it asks whether a file is a terminal.
	only ioctl
	only_ours
	ioctls
	go
	run -0 lctl dk
	own=$(printf '%s\n' "$output" | grep ":0:$pid:0:" | grep -c 'cmd: 0x00005401')
	at_least 7 "$own"
	same 5 "$(printf '%s\n' "$output" | grep ":0:$pid:0:" | grep -c 'cmd: 0x00005413')" "before"
	run -0 --separate-stderr lctl set_param debug=+ioctl debug_filter='cmd == 21505'
	same "debug=+ioctl
debug_filter=cmd == 21505" "$output" "what was set"
	has "$stderr" "1 of 2 enabled events have the filter"
	has "$stderr" "syscalls:sys_exit_ioctl"
	ioctls
	go
	run -0 lctl dk
	same "$own" "$(printf '%s\n' "$output" | grep ":0:$pid:0:" | grep -c 'cmd: 0x00005401')" "narrowed: 5401"
	same 0 "$(printf '%s\n' "$output" | grep ":0:$pid:0:" | grep -c 'cmd: 0x00005413' || true)" "narrowed: 5413"
	expect 0 "debug_filter=cmd == 21505" "" lctl get_param debug_filter
	set_param debug_filter=none
	same "" "$(grep -v '^none$' "$instance"/events/*/*/filter || true)" "filters left"
	ioctls
	go
	count_ioctls 0x00005413 5
}

@test "debug_filter='common_pid == N' records one process only" {
	only vfstrace
	held dd if=/dev/zero of=/dev/null bs=1 count=50 status=none
	expect 0 "debug_filter=common_pid == $pid" "" lctl set_param debug_filter="common_pid == $pid"
	lctl clear
	dd if=/dev/zero of=/dev/null bs=1 count=50 status=none
	go
	run -0 lctl dk
	same 50 "$(printf '%s\n' "$output" | grep -c ":0:$pid:0:.*sys_enter_write")" "its writes"
	same 0 "$(printf '%s\n' "$output" | sed '$d' | grep -vc ":0:$pid:0:" || true)" "other processes' records"
}

@test "a new mask keeps the filter and reports the events that lack its fields" {
	only ioctl
	set_param debug_filter='cmd == 21505' 2>/dev/null
	run -0 --separate-stderr lctl set_param debug=+iotrace
	has "$stderr" "enabled events have the filter"
	same "cmd == 21505" "$(cat "$instance/events/syscalls/sys_enter_ioctl/filter")" "filter"
	set_param debug=0
	run -0 --separate-stderr lctl set_param debug=+ioctl
	same "cmd == 21505" "$(cat "$instance/events/syscalls/sys_enter_ioctl/filter")" "filter set again"
}

@test "a wrong debug_filter is reported and changes nothing" {
	local before

	set_param debug=ioctl+vfstrace debug_mb=4 2>/dev/null
	set_param debug_filter='common_pid == 1'
	before=$(knobs)
	run -22 --separate-stderr lctl set_param debug_filter='cmdd == 21505'
	has "$stderr" "events has a field 'cmdd'; did you mean cmd?
  cmdd == 21505
  ^
"
	has "$stderr" "error: set_param: setting 'debug_filter'='cmdd == 21505': Invalid argument"
	same "$before" "$(knobs)" "knobs after an unknown field"
	run -22 --separate-stderr lctl set_param debug_filter='cmd ='
	has "$stderr" "^"
	run -22 lctl set_param debug_filter='fd == 1 &&'
	run -22 lctl set_param debug_filter='(fd == 1'
	run -22 lctl set_param debug_filter=$'fd == 1\nfd == 2'
	same "$before" "$(knobs)" "knobs after more of it"
	run -22 --separate-stderr lctl set_param debug=+nosuch
	has "$stderr" "unknown mask 'nosuch'"
	run -22 lctl set_param debug=+
	run -22 lctl set_param debug_mb=many
	run -2 --separate-stderr lctl set_param nosuch=1
	same "error: set_param: param_path 'nosuch': No such file or directory
error: set_param: setting 'nosuch'='1': No such file or directory" "$stderr" "unknown parameter"
	same "$before" "$(knobs)" "knobs at the end"
}

@test "set_param takes NAME VALUE and -n, and exits with the status of the last error" {
	expect 0 "debug=ioctl" "error: set_param: param_path 'nosuch': No such file or directory
error: set_param: setting 'nosuch'='1': No such file or directory" lctl set_param nosuch=1 debug=ioctl
	expect 0 "debug=vfstrace
subsystem_debug=all" "" lctl set_param debug vfstrace subsystem_debug=all
	expect 0 "" "" lctl set_param -n debug=ioctl
	expect 22 "" "error: set_param: setting debug: Invalid argument" lctl set_param debug=
	# A value without an operator keeps the classes that are always set.
	expect 0 "debug=ioctl warning error emerg console" "" lctl get_param debug
}

@test "a class records only with a subsystem of its events" {
	set_param debug=vfstrace subsystem_debug=0
	same 0 "$(wc -l <"$instance/set_event")" "events without a subsystem"
	set_param subsystem_debug=llite
	at_least 11 "$(wc -l <"$instance/set_event")"
	set_param subsystem_debug=ldlm
	no_line syscalls:sys_enter_read "$instance/set_event"
	set_param debug=-1 subsystem_debug=-1
	at_least 501 "$(wc -l <"$instance/set_event")"
	set_param debug=0
	same 0 "$(wc -l <"$instance/set_event")" "events of debug=0"
}

@test "mark and clear work before and after the first set_param" {
	same "$((5 * $(getconf _NPROCESSORS_CONF)))" "$(dktrace get_param -n debug_mb)" "the size that it will have"
	expect 0 "" "dktrace: nothing is recorded yet: set a mask first, set_param debug=..." dktrace mark hello
	expect 0 "" "dktrace: nothing is recorded yet: set a mask first, set_param debug=..." dktrace clear
	# Called lctl, it prints the message of Lustre's lctl without Lustre.
	run -1 --separate-stderr lctl mark hello
	has "$stderr" "IOC_LIBCFS_MARK_DEBUG failed"
	run -1 lctl clear
	expect 0 "Debug log: 0 lines, 0 kept, 0 dropped, 0 bad." \
		"dktrace: nothing is recorded yet: set a mask first, 'dktrace set_param debug=...'" dktrace dk
	set_param debug=0
	expect 0 "" "" lctl mark hello "two words"
	run -0 lctl dk
	[[ ${lines[0]} =~ ^00000001:02000400:[0-9]+\.0F:[0-9]+\.[0-9]{6}:0:[0-9]+:0:\(.*\)\ DEBUG\ MARKER:\ hello\ two\ words$ ]]
	same 2 "${#lines[@]}" "lines"
	lctl mark gone
	dktrace show >/dev/null
	expect 0 "" "" lctl clear
	expect 0 "Debug log: 0 lines, 0 kept, 0 dropped, 0 bad." "" lctl dk
	days=$(date +%a)
	lctl mark
	days+=\|$(date +%a)
	run -0 lctl dk
	grep -qE "DEBUG MARKER: ($days)" <<<"${lines[0]}"
	# After clear, the first record of a CPU is marked again.
	has "${lines[0]}" ".0F:"
}

# usage: meminfo TOTAL_MB AVAILABLE_MB COMMAND...: what the command sees of the machine's memory
meminfo()
{
	printf 'MemTotal: %d kB\nMemFree: 0 kB\nMemAvailable: %d kB\n' $(($1 * 1024)) $(($2 * 1024)) \
		>"$tmp/meminfo"
	shift 2
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind "$0" /proc/meminfo && exec "$@"' "$tmp/meminfo" "$@"
}

@test "debug_mb leaves memory available to others" {
	local cpus too_large="MB is too large for debug buffer size, setting it to"

	unshare -m mount --bind /proc/meminfo /proc/meminfo 2>/dev/null ||
		skip "needs the right to make a mount namespace"
	cpus=$(getconf _NPROCESSORS_CONF)
	[ "$cpus" -lt 20 ] || skip "the sizes are for fewer CPUs"
	run -0 --separate-stderr meminfo 200 140 lctl set_param debug_mb=99999999
	has "$stderr" "lctl: debug_mb: 99999999 $too_large 40 MB."
	same 40 "$(lctl get_param -n debug_mb)" "half of a small machine is kept"
	# The log's own memory counts as available for it.
	run -0 --separate-stderr meminfo 200 100 lctl set_param debug_mb=45
	has "$stderr" "lctl: debug_mb: 45 $too_large 40 MB."
	run -0 --separate-stderr meminfo 200 110 lctl set_param debug_mb=50
	lacks "$stderr" "too large"
	same 50 "$(lctl get_param -n debug_mb)" "as asked"
	# Other programs use all memory: the buffers keep their size, and can shrink.
	run -0 --separate-stderr meminfo 200 1 lctl set_param debug_mb=60
	has "$stderr" "lctl: debug_mb: 60 $too_large 50 MB."
	same 50 "$(lctl get_param -n debug_mb)" "as before"
	run -0 --separate-stderr meminfo 200 1 lctl set_param debug_mb=20
	lacks "$stderr" "too large"
	same 20 "$(lctl get_param -n debug_mb)" "less"
}

@test "debug_mb reports the requested and the allocated size" {
	mb=$((2 * $(getconf _NPROCESSORS_CONF)))
	run -0 --separate-stderr lctl set_param debug_mb=$mb
	same "debug_mb=$mb" "$output" "stdout"
	has "$stderr" "lctl: debug_mb: asked for $mb MB, $mb.0 MB allocated"
	expect 0 "debug_mb=$mb" "" lctl get_param debug_mb
	run -0 --separate-stderr lctl set_param debug_mb=1
	cpus=$(getconf _NPROCESSORS_CONF)
	if [ "$cpus" -gt 1 ]; then
		has "$stderr" "lctl: debug_mb: 1 MB is too small for debug buffer size, setting it to $cpus MB."
	fi
	# A reader of the trace file does not prevent a mask.
	exec 8<"$instance/trace"
	head -c 1 <&8 >/dev/null
	set_param debug=+ioctl
	exec 8<&-
}

@test "status and its JSON" {
	only ioctl
	set_param debug_filter='cmd == 21505' 2>/dev/null
	run -0 dktrace status
	same "instance         $DKTRACE_INSTANCE (recording)" "${lines[0]}" "first"
	has "$output" "2 enabled, 1 with a filter"
	run -0 dktrace status --json
	echo "$output" | jq -e --argjson cpus "$(getconf _NPROCESSORS_CONF)" '.started and .recording and .debug == "ioctl" and .events_on == 2 and .events_filtered == 1
		and .clock == "mono" and (.cpus | length) == $cpus and .rebuilt == false'
	echo 0 >"$instance/tracing_on"
	run -0 dktrace status
	has "${lines[0]}" "(stopped: tracing_on is 0; dktrace start sets it)"
}

@test "times of a clock without wall-clock time are printed and reported" {
	set_param debug=0
	echo local >"$instance/trace_clock"
	lctl mark hello
	run -0 --separate-stderr dktrace dk
	same 2 "${#lines[@]}" "lines"
	same "dktrace: times are of the clock 'local', which has no wall-clock time" "$stderr" "stderr"
}

@test "call sites have symbols, also after privileges are dropped" {
	only malloc
	only_ours
	dd if=/dev/zero of="$tmp/file" bs=4k count=4 status=none
	set_param debug=0
	run -0 dktrace dk
	printf '%s\n' "$output" | grep -qE '\(kmem:0:[a-z_][a-z_0-9.]*\(\)\) kmalloc: call_site='
}

@test "set_param says that nothing is recorded of classes without events" {
	local none

	none=$(dktrace list classes --json | jq -r '[.. | objects | select(.events? == 0)][0].name')
	[ -n "$none" ] || skip "this kernel has events of all classes"
	run -0 --separate-stderr dktrace set_param "debug=$none"
	has "$stderr" "nothing of it is recorded: this kernel has no events of $none"
	run -0 --separate-stderr dktrace set_param debug=+ioctl
	same "" "$stderr" "with another class"
}

@test "set_param -P says what keeps the settings of this machine" {
	LCTL_REAL='' PATH=$build:/usr/bin:/bin run -1 dktrace set_param -P debug=ioctl
	has "$output" "'dktrace save' keeps this machine's settings"
}

@test "dk FILE 1 writes the log as Lustre's binary records and empties it" {
	set_param debug=ioctl
	lctl mark binary
	dktrace stop
	dktrace show 2>/dev/null | grep -v '^Debug log' >"$tmp/text"
	expect 0 "" "" lctl dk "$tmp/raw" 1
	lctl df "$tmp/raw" | grep -v '^Debug log' >"$tmp/raw.text"
	# The time of day is measured anew by each command, so it differs by parts of a microsecond.
	diff <(cut -d : -f 1-3,5- "$tmp/text") <(cut -d : -f 1-3,5- "$tmp/raw.text")
	same "" "$(paste -d : <(cut -d : -f 4 "$tmp/text") <(cut -d : -f 4 "$tmp/raw.text") |
		awk -F : '$1 - $2 > 1e-5 || $2 - $1 > 1e-5')" "times that differ by more"
	has "$(cat "$tmp/raw.text")" "DEBUG MARKER: binary"
	run -0 lctl dk
	same "Debug log: 0 lines, 0 kept, 0 dropped, 0 bad." "$output" "the log"
}
