#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# State that was lost, damaged or left incomplete.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

@test "without the file of settings, the state is read from the kernel" {
	only ioctl+vfstrace
	set_param subsystem_debug=all debug_mb=4 2>/dev/null
	set_param debug_filter='common_pid == 1'
	knobs >"$tmp/before"
	subsystems=$(lctl get_param subsystem_debug)
	rm "$state/settings"
	same "$subsystems" "$(lctl get_param subsystem_debug)" "subsystems"
	expect 0 "debug=ioctl vfstrace
debug_filter=common_pid == 1
debug_mb=4" "" lctl get_param debug debug_filter debug_mb
	run -0 dktrace status
	has "$output" "the file of settings is missing"
	run -0 dktrace status --json
	echo "$output" | jq -e '.rebuilt'
	run -0 --separate-stderr lctl set_param -n debug=+malloc
	has "$stderr" "lctl: the file of settings is missing: the settings were read from the instance '$DKTRACE_INSTANCE'"
	exists "$state/settings"
	set_param debug=-malloc
	knobs | diff "$tmp/before" -
	set_param debug_filter=none
	same "" "$(grep -v '^none$' "$instance"/events/*/*/filter || true)" "filters left"
	# A narrowed choice of subsystems, which only the events that are off can tell.
	set_param subsystem_debug=osd debug=-1
	sort "$instance/set_event" >"$tmp/on"
	rm "$state/settings"
	lctl get_param -n subsystem_debug | grep -qw osd
	set_param printk=-1
	sort "$instance/set_event" | diff "$tmp/on" -
	set_param subsystem_debug=llite+osd debug=0 debug=+vfstrace+iotrace+super
	sort "$instance/set_event" >"$tmp/on"
	rm "$state/settings"
	set_param printk=-1
	sort "$instance/set_event" | diff "$tmp/on" -
	rm "$state/settings"
	has " $(lctl get_param -n debug) " " iotrace "
}

@test "records and settings survive the deletion of the state directory" {
	only ioctl
	lctl mark kept
	rm -r "$state"
	run -0 lctl dk
	has "$output" "DEBUG MARKER: kept"
	expect 0 "debug=ioctl" "" lctl get_param debug
	rm -r "$state"
	expect 0 "" "" lctl clear
	rm -r "$state"
	set_param debug=+vfstrace
	expect 0 "debug=ioctl vfstrace" "" lctl get_param debug
}

@test "an invalid file of settings is reported" {
	local text

	only ioctl
	for text in '' 'garbage' 'debug' 'debug 0x80' 'debug 99999999999
end' 'debug 0x80
nosuch 1
end' $'\001\002\377'; do
		printf '%s\n' "$text" >"$state/settings"
		expect 0 "debug=ioctl" "" lctl get_param debug
	done
	head -c 100000 /dev/urandom >"$state/settings"
	expect 0 "debug=ioctl" "" lctl get_param debug
	printf 'debug 0x80\nsubsystem_debug 0xffffffff\nfiltered nosuch:event\nfiltered x\nend\n' >"$state/settings"
	set_param debug=+vfstrace
	expect 0 "debug=ioctl vfstrace" "" lctl get_param debug
	head -c 100000 /dev/urandom >"$state/settings.before"
	set_param debug=+inode
	gone "$state/settings.before"
	expect 0 "debug=inode ioctl vfstrace" "" lctl get_param debug
}

@test "damaged records in the spool are reported and not printed" {
	local damage

	set_param debug=0
	for damage in 'truncate -s 0' 'truncate -s 100' 'truncate -s 4096' 'truncate -s 9000' 'dd if=/dev/urandom bs=4096 count=20 conv=notrunc status=none of=' \
		'dd if=/dev/urandom bs=4096 count=20 seek=1 conv=notrunc status=none of=' 'truncate -s 1T'; do
		lctl mark one
		dktrace show >/dev/null
		for file in "$state"/spool/cpu*; do
			# shellcheck disable=SC2086
			case $damage in
			*of=) $damage"$file" ;;
			*) $damage "$file" ;;
			esac
		done
		run -0 --separate-stderr dktrace dk
		has "${lines[-1]}" "Debug log: "
		lctl mark two
		run -0 --separate-stderr dktrace dk
		has "$output" "DEBUG MARKER: two"
	done
	lctl mark one
	dktrace show >/dev/null
	printf x | dd of="$state/spool/cpu0" conv=notrunc status=none
	printf x | dd of="$state/spool/cpu1" conv=notrunc status=none
	run -0 --separate-stderr dktrace dk
	has "$stderr" "dktrace: the saved records of cpu 0 are damaged and were removed"
	# A link in its place is not followed.
	rm "$state/spool/cpu0"
	ln -s "$tmp/elsewhere" "$state/spool/cpu0"
	run -1 dktrace dk
	gone "$tmp/elsewhere"
}

@test "an instance that another program removed is created again" {
	# Both classes are rare, so that other records do not overwrite the mark.
	only ioctl
	set_param debug_mb=4 2>/dev/null
	rmdir "$instance"
	run -0 dktrace status
	has "${lines[0]}" "(removed by another program; set_param creates it again)"
	run -1 lctl dk
	run -1 lctl mark x
	expect 0 "debug=+lfsck" "" lctl set_param debug=+lfsck
	expect 0 "debug=ioctl lfsck
debug_mb=4" "" lctl get_param debug debug_mb
	has_line sys_enter_ioctl "$instance/set_event"
	lctl mark x
	run -0 lctl dk
	has "$output" "DEBUG MARKER: x"
}

@test "reset reports an instance in use, and changes nothing" {
	only ioctl
	exec 8<"$instance/trace_pipe"
	run -1 --separate-stderr dktrace reset
	has "$stderr" "another process reads the buffers of '$DKTRACE_INSTANCE'"
	expect 0 "debug=ioctl" "" lctl get_param debug
	exec 8<&-
	dktrace reset
	gone "$instance"
}

@test "reset succeeds twice, and without a log" {
	dktrace reset
	only ioctl
	dktrace reset
	dktrace reset
	gone "$instance"
	gone "$state"
}

@test "reset restores every control file of the machine" {
	machine >"$tmp/before"
	set_param debug=-1 debug_mb=4 2>/dev/null
	set_param debug_filter='common_pid > 1' 2>/dev/null
	lctl mark x
	dktrace show >/dev/null 2>&1 || true
	dktrace dk >/dev/null 2>&1 || true
	dktrace reset
	machine | diff "$tmp/before" -
}

@test "kill -9 at 50 points of debug=-1 and 0, then reset restores every control file" {
	machine >"$tmp/before"
	for ((i = 0; i < 50; i++)); do
		start lctl set_param debug=$((i % 2 - 1)) >/dev/null 2>&1
		at_random 200
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	# The state may be there without the instance.
	[ ! -e "$instance" ] || dktrace status >/dev/null
	dktrace reset
	machine | diff "$tmp/before" -
}

@test "after kill -9 of set_param, the next one leaves a valid state" {
	only ioctl
	set_param debug_filter='common_pid == 1'
	sort "$instance/set_event" >"$tmp/ioctl"
	for ((i = 0; i < 12; i++)); do
		start lctl set_param debug=-1 >/dev/null 2>&1
		at_random 300
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		if [ -e "$state/settings.before" ]; then
			# status reports it, and the next change undoes it.
			dktrace status | grep -q 'the last change was interrupted'
			lctl mark x
			gone "$state/settings.before"
		fi
		case $(lctl get_param -n debug) in
		ioctl) sort "$instance/set_event" | diff "$tmp/ioctl" - ;;
		*) [ "$(wc -l <"$instance/set_event")" -gt 500 ] ;;
		esac
		set_param debug=0 debug=+ioctl
		sort "$instance/set_event" | diff "$tmp/ioctl" -
		same 2 "$(grep -c . <(grep -h 'common_pid == 1' "$instance"/events/syscalls/sys_*_ioctl/filter))" "filters"
		same 2 "$(cat "$instance"/events/*/*/filter | grep -vc '^none$')" "all filters"
	done
}

@test "kill -9 of the very first change leaves no trace of it" {
	for i in 1 2 3 4 5 6; do
		start lctl set_param debug=-1 >/dev/null 2>&1
		at_random 80
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		if [ -e "$state/settings.before" ]; then
			run -1 lctl mark x
			gone "$instance"
		fi
		dktrace reset
	done
}

@test "SIGINT and SIGTERM during set_param leave all or nothing" {
	only ioctl
	sort "$instance/set_event" >"$tmp/ioctl"
	for i in 1 2 3 4 5 6 7 8; do
		start env --default-signal=INT lctl set_param debug=-1 >/dev/null 2>&1
		at_random 300
		kill -s "$([ $((i % 2)) = 0 ] && echo INT || echo TERM)" "$pid" 2>/dev/null || true
		wait "$pid" || true
		lctl mark x
		case $(lctl get_param -n debug) in
		ioctl) sort "$instance/set_event" | diff "$tmp/ioctl" - ;;
		*) [ "$(wc -l <"$instance/set_event")" -gt 500 ] ;;
		esac
		set_param debug=0 debug=+ioctl
	done
}

# In a mount namespace, a program takes the place of the journal.
@test "each change of a setting is an entry in the journal, with both values" {
	command -v python3 >/dev/null || skip "no python3"
	# shellcheck disable=SC2016 # for the shell
	run -0 unshare --mount --propagation private bash -c '
		mkdir -p /run/systemd && mount -t tmpfs none /run/systemd && mkdir /run/systemd/journal
		"$0"/fake-journal "$1" 3>&- &
		until [ -S /run/systemd/journal/socket ]; do
			kill -0 $! || exit
			sleep 0.05
		done
		lctl set_param debug=ioctl debug_filter="cmd == 0x5401"
		dktrace set_param debug=+vfstrace debug_mb=4
		# The same again, a failure, and questions change nothing.
		lctl set_param debug=+ioctl
		lctl set_param debug=+nothing
		lctl get_param debug
		dktrace filter set ioctl "fd == 1"
		dktrace trigger add syscalls:sys_enter_ioctl traceoff
		dktrace reset
		dktrace reset
		"$0"/fake-journal --end
		wait
	' "$top/tests/tools" "$tmp/entries"
	# Lustre's masks never lack these, and may have had others.
	run -0 sed -n "s/ warning error emerg//; s/, was '.*console.*'\$//; s/^MESSAGE=debug log $DKTRACE_INSTANCE: //p" "$tmp/entries"
	same "debug is now 'ioctl console'
debug_filter is now 'cmd == 0x5401', was ''
debug is now 'ioctl vfstrace console'
debug_mb is now '4', was ''
rule is now 'ioctl fd == 1', was ''
trigger is now 'syscalls:sys_enter_ioctl traceoff', was ''
all settings and records were removed" "$output"
	same "debug debug_filter debug debug_mb rule trigger" "$(sed -n 's/^DKTRACE_SETTING=//p' "$tmp/entries" | paste -s -d ' ')"
}
