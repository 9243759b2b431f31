#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Commands without privileges, without tracefs, and on a kernel that refuses changes.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

# Lets other users into the directory of the test.
let_others_in()
{
	local dir

	for dir in "$BATS_RUN_TMPDIR" "${tmp%/*}" "$tmp"; do
		chmod a+rx "$dir"
	done
}

# These tests use their own mount namespaces, without tracefs.
without_tracefs()
{
	# shellcheck disable=SC2016
	apart sh -c 'while umount /sys/kernel/tracing 2>/dev/null; do :; done; umount -R /sys/kernel/debug 2>/dev/null; "$@"' _ "$@"
}

@test "without privileges, each command names the missing capability and changes nothing" {
	local command

	cp -rL "$build/dktrace" "$tmp/dktrace"
	ln -s dktrace "$tmp/lctl"
	let_others_in
	chmod a+rx "$tmp/dktrace"
	PATH=$tmp:$PATH
	only ioctl
	knobs >"$tmp/before"
	while read -r command; do
		# shellcheck disable=SC2086
		run --separate-stderr nobody $command
		[ "$status" -eq 1 ] || [ "$status" -eq 13 ]
		same "" "$output" "stdout of $command"
		has "$stderr" "no permission for $tracing (owner root, mode 0700): need cap_dac_"
		has "$stderr" "; run as root"
	done <<-END
		lctl set_param debug=+vfstrace
		lctl get_param debug
		lctl dk
		lctl clear
		lctl mark x
		dktrace dk
		dktrace show
		dktrace follow
		dktrace status
		dktrace reset
		dktrace list events
	END
	knobs | diff "$tmp/before" -
	run -0 nobody dktrace doctor --json
	echo "$output" | jq -e '.checks[] | select(.what == "may control tracefs") | .ok == false and (.note | contains("cap_dac_override"))'
	# A user who may not mount tracefs is not told so because it is mounted.
	echo "$output" | jq -e '[.checks[] | select(.what == "may mount tracefs" or .what == "cap_sys_admin") | .ok] == [false, false]'
	# With the one that is named it goes.
	run -0 setpriv --reuid=65534 --clear-groups --inh-caps=+dac_override,+dac_read_search --ambient-caps=+dac_override,+dac_read_search dktrace list events 'block:*'
	run -0 setpriv --reuid=65534 --clear-groups --inh-caps=+dac_override,+dac_read_search --ambient-caps=+dac_override,+dac_read_search lctl set_param debug=+vfstrace
	expect 0 "debug=ioctl vfstrace" "" lctl get_param debug
}

@test "without tracefs, commands say how to mount it" {
	need_namespace
	local command

	for command in "dktrace dk" "dktrace status" "dktrace list events" "lctl get_param debug"; do
		# shellcheck disable=SC2086
		run --separate-stderr without_tracefs $command
		[ "$status" -ne 0 ]
		has "$stderr" "tracefs is not mounted (mount -t tracefs nodev /sys/kernel/tracing)"
	done
	run -0 without_tracefs dktrace doctor
	has "$output" "tracefs is not mounted"
}

@test "set_param mounts tracefs if necessary, and reset unmounts it" {
	need_namespace
	# shellcheck disable=SC2016
	run -0 without_tracefs sh -c 'mount -t tmpfs none /run && lctl set_param debug=+ioctl && mountpoint -q /sys/kernel/tracing && ls -A /run/dktrace &&
		dktrace dk >/dev/null && dktrace reset && ! mountpoint -q /sys/kernel/tracing && ls -A /run'
	same "debug=+ioctl
.mounted
$DKTRACE_INSTANCE" "$output" "stdout"
	# A directory that existed before stays.
	# shellcheck disable=SC2016
	run -0 apart sh -c 'mount -t tmpfs none /run && lctl set_param debug=+ioctl && dktrace reset && mountpoint -q /sys/kernel/tracing && ls -A /run'
	same "debug=+ioctl" "$output" "stdout"
	# With two logs, the last one removes it; the name of the note belongs to no log.
	# shellcheck disable=SC2016
	run -0 without_tracefs sh -c 'mount -t tmpfs none /run && lctl set_param -n debug=+ioctl && DKTRACE_INSTANCE=$DKTRACE_INSTANCE-mounted lctl set_param -n debug=+ioctl &&
		dktrace reset && mountpoint -q /sys/kernel/tracing && DKTRACE_INSTANCE=$DKTRACE_INSTANCE-mounted dktrace reset && ! mountpoint -q /sys/kernel/tracing'
}

@test "the message names the capability that mounting needs" {
	need_namespace
	run --separate-stderr without_tracefs setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin lctl set_param debug=+ioctl
	[ "$status" -ne 0 ]
	has "$stderr" "cap_sys_admin"
}

# Runs a command while a file of the instance refuses writes. usage: refusing FILE COMMAND...
refusing()
{
	# shellcheck disable=SC2016
	apart sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && "$@"' "$instance/$1" "${@:2}"
}

@test "nothing changes if the kernel refuses an event" {
	need_namespace
	only ioctl
	set_param debug_filter='common_pid == 1'
	knobs >"$tmp/before"
	run --separate-stderr refusing events/syscalls/sys_enter_write/enable lctl set_param debug=+vfstrace
	[ "$status" -ne 0 ]
	has "$stderr" "events/syscalls/sys_enter_write/enable: Read-only file system"
	knobs | diff "$tmp/before" -
	expect 0 "debug=ioctl" "" lctl get_param debug
	run --separate-stderr refusing events/syscalls/sys_enter_write/filter lctl set_param debug=+vfstrace
	[ "$status" -ne 0 ]
	knobs | diff "$tmp/before" -
	run --separate-stderr refusing buffer_size_kb lctl set_param debug_mb=20
	[ "$status" -ne 0 ]
	has "$stderr" "debug_mb=20: "
	knobs | diff "$tmp/before" -
	set_param debug=+vfstrace
}

@test "control files that are not needed may be missing" {
	need_namespace
	# Records of one process, because those of a busy machine may overflow the buffers.
	# shellcheck disable=SC2016
	run -0 apart sh -c 'lctl set_param -n debug=+ioctl debug_filter="common_pid == 1" && for f in error_log buffer_subbuf_size_kb set_event_pid trace_options; do
		mount --bind /dev/null "/sys/kernel/tracing/instances/$DKTRACE_INSTANCE/$f" || exit; done
		lctl set_param debug=+vfstrace && lctl mark x && dktrace dk >/dev/null && dktrace status >/dev/null'
	run -0 apart sh -c 'mount --bind /dev/null /sys/kernel/tracing/saved_cmdlines && dktrace show --style trace >/dev/null'
}

@test "a directory of another user in place of /run/dktrace is refused" {
	need_namespace
	local command

	for command in "set_param debug=+ioctl" "get_param debug" dk; do
		# shellcheck disable=SC2016,SC2086
		run --separate-stderr apart sh -c 'mount -t tmpfs none /run && mkdir /run/dktrace && chown 65534 /run/dktrace && exec lctl "$@"' _ $command
		[ "$status" -ne 0 ]
		has "$stderr" "use /run/dktrace: users other than root can write to it (owner 65534, mode 0755); remove it"
	done
	# shellcheck disable=SC2016
	run --separate-stderr apart sh -c 'mount -t tmpfs none /run && mkdir -m 777 /run/dktrace && exec lctl set_param debug=+ioctl'
	has "$stderr" "(owner 0, mode 0777)"
}

# Prints the permitted capabilities and no_new_privs of a process.
caps_of()
{
	sed -n 's/^\(CapPrm\|NoNewPrivs\):\t//p' "/proc/$1/status" | tr '\n' ' '
}

has_caps()
{
	[ "$(caps_of "$2")" = "$1 " ]
}

# Without what the kernel of this machine or container does not give root: cap_syslog is bit 34, cap_kill 5.
@test "a recording command keeps only cap_syslog, and the command that it runs keeps all" {
	local all syslog=0x400000000 kill=0x20

	all=$(caps_of self)
	syslog=$(printf %016x $((0x${all%% *} & syslog)))
	kill=$(printf %016x $((0x${all%% *} & (0x$syslog | kill))))
	only ioctl
	start dktrace follow >"$tmp/out"
	until_true has_caps "$syslog 1" "$pid"
	kill "$pid"
	wait "$pid" || true
	lctl debug_daemon start "$tmp/log" 3>&-
	pid=$(lctl debug_daemon status | sed -n 's/.*process \([0-9]*\) writes.*/\1/p')
	until_true has_caps "$syslog 1" "$pid"
	lctl debug_daemon stop
	# shellcheck disable=SC2016
	printf 'sed -n "s/^\\(CapPrm\\|NoNewPrivs\\):\t//p" /proc/self/status /proc/$PPID/status | tr "\\n" " " >%s\n' "$tmp/caps" >"$tmp/look"
	run -0 dktrace latency syscall -- sh "$tmp/look"
	same "$all$kill 1 " "$(cat "$tmp/caps")" "capabilities of latency's command, and of latency"
	run -0 dktrace hist sched:sched_switch -k prev_comm -- sh "$tmp/look"
	same "$all$kill 1 " "$(cat "$tmp/caps")" "capabilities of hist's command, and of hist"
	# Nothing is left behind.
	same "" "$(find "$tracing/instances" -maxdepth 1 -name "$DKTRACE_INSTANCE-*")" "instances"
	# Another user's command gets its signals.
	start dktrace latency syscall -- setpriv --reuid=65534 --clear-groups sleep 100000
	until_true has_caps "$kill 1" "$pid"
	child() { pgrep -P "$pid" -u 65534 -x sleep >"$tmp/child"; }
	until_true child
	kill "$pid"
	wait "$pid" || true
	gone "/proc/$(cat "$tmp/child")"
}

@test "the daemon follows no planted link and continues no planted file" {
	only ioctl
	mkdir -m 1777 "$tmp/sticky"
	let_others_in
	echo kept >"$tmp/kept"
	nobody ln -s "$tmp/kept" "$tmp/sticky/link"
	nobody sh -c 'echo planted >"$0" && chmod 6777 "$0"' "$tmp/sticky/file"
	run -1 --separate-stderr lctl debug_daemon start "$tmp/sticky/link"
	has "$stderr" "is a link of user 65534"
	run -1 --separate-stderr lctl debug_daemon start "$tmp/sticky/file"
	has "$stderr" "it belongs to user 65534; remove it or name another file"
	same kept "$(cat "$tmp/kept")" "what the link leads to"
	same planted "$(cat "$tmp/sticky/file")" "the planted file"
}

@test "show --format takes over no mode of a planted file, and save keeps no setuid" {
	only ioctl
	mkdir -m 1777 "$tmp/sticky"
	let_others_in
	nobody sh -c 'echo planted >"$0" && chmod 6777 "$0"' "$tmp/sticky/out.dat"
	run -0 dktrace show -F trace.dat -o "$tmp/sticky/out.dat"
	same "0 600" "$(stat -c '%u %a' "$tmp/sticky/out.dat")" "owner and mode"
	nobody sh -c ': >"$0" && chmod 6777 "$0"' "$tmp/sticky/conf"
	run -0 dktrace save "$tmp/sticky/conf"
	same "0 644" "$(stat -c '%u %a' "$tmp/sticky/conf")" "owner and mode"
	nobody ln -s "$tmp/kept" "$tmp/sticky/link"
	run -1 --separate-stderr dktrace save "$tmp/sticky/link"
	has "$stderr" "is a link of user 65534"
}

# Runs a command with the privileges of a systemd unit: its capabilities, no new privileges, and nothing
# to write to but /run, tracefs and a /tmp of its own. usage: as_unit UNIT COMMAND...
as_unit()
{
	local caps

	caps=$(sed -n 's/^CapabilityBoundingSet=//p' "$top/share/systemd/$1" | tr 'A-Z' 'a-z' | sed 's/cap_/+/g; s/ /,/g')
	# shellcheck disable=SC2016 # for the shell in there
	apart sh -c 'mount --bind /run /run && mount --bind "$0" "$0" && mount -o remount,ro,bind / && mount -o remount,ro,bind /sys &&
		caps=$1 && shift && exec setpriv --bounding-set="-all,$caps" --inh-caps=-all --no-new-privs -- "$@"' "$tmp" "$caps" "${@:2}"
}

@test "apply and the daemon work with the capabilities of their units" {
	need_namespace
	[ "$DKT_APART" = private ] || skip "/ of a chroot is no mount that could be read-only"
	printf 'instance = %s\ndebug = ioctl vfstrace\ndebug_mb = 4\ndebug_filter = common_pid != 1\n' "$DKTRACE_INSTANCE" >"$tmp/conf"
	run -0 as_unit dktrace.service dktrace apply "$tmp/conf"
	run -0 lctl get_param debug
	has "$output" "debug=ioctl"
	has "$output" "vfstrace"
	start as_unit dktrace-debug-daemon.service lctl debug_daemon run "$tmp/log" 10 0
	until_true sh -c 'lctl debug_daemon status | grep -q "process [0-9]* writes to"'
	head -c 100 /dev/zero >/dev/null
	lctl debug_daemon stop
	wait "$pid"
	run -0 lctl df "$tmp/log"
	has "$output" "(syscalls:"
	run -0 as_unit dktrace.service dktrace reset
}
