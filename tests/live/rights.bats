#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# No rights, no tracefs, a kernel that refuses.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper.bash

load helper

nobody()
{
	setpriv --reuid=65534 --clear-groups "$@"
}

# In mount namespaces of their own: no tracefs there, whatever was mounted.
without_tracefs()
{
	# shellcheck disable=SC2016
	unshare -m sh -c 'while umount /sys/kernel/tracing 2>/dev/null; do :; done; umount -R /sys/kernel/debug 2>/dev/null; "$@"' _ "$@"
}

@test "nobody: each command says which capability is missing, and touches nothing" {
	local command

	cp -rL "${DKT_BUILD:-$top/build}/dktrace" "$tmp/dktrace"
	ln -s dktrace "$tmp/lctl"
	chmod -R a+rX "$BATS_RUN_TMPDIR" "$tmp"
	PATH=$tmp:$PATH
	only ioctl
	knobs >"$tmp/before"
	while read -r command; do
		# shellcheck disable=SC2086
		run --separate-stderr nobody $command
		[ "$status" -eq 1 ] || [ "$status" -eq 13 ]
		same "" "$output" "stdout of $command"
		has "$stderr" "no right to $tracing (owner root, mode 0700): need cap_dac_"
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
	# With the one that is named it goes.
	run -0 setpriv --reuid=65534 --clear-groups --inh-caps=+dac_override,+dac_read_search --ambient-caps=+dac_override,+dac_read_search dktrace list events 'block:*'
	run -0 setpriv --reuid=65534 --clear-groups --inh-caps=+dac_override,+dac_read_search --ambient-caps=+dac_override,+dac_read_search lctl set_param debug=+vfstrace
	expect 0 "debug=ioctl vfstrace" "" lctl get_param debug
}

@test "no tracefs: what there is to do" {
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

@test "tracefs is mounted where it is not, and unmounted by reset" {
	# shellcheck disable=SC2016
	run -0 without_tracefs sh -c 'mount -t tmpfs none /run && lctl set_param debug=+ioctl && mountpoint -q /sys/kernel/tracing && ls -A /run/dktrace &&
		dktrace dk >/dev/null && dktrace reset && ! mountpoint -q /sys/kernel/tracing && ls -A /run'
	same "debug=+ioctl
.mounted
$DKTRACE_INSTANCE" "$output" "stdout"
	# One that was there stays.
	# shellcheck disable=SC2016
	run -0 unshare -m sh -c 'mount -t tmpfs none /run && lctl set_param debug=+ioctl && dktrace reset && mountpoint -q /sys/kernel/tracing && ls -A /run'
	same "debug=+ioctl" "$output" "stdout"
	# Of two debug logs the last one takes it along; the name of the note is nobody's.
	# shellcheck disable=SC2016
	run -0 without_tracefs sh -c 'mount -t tmpfs none /run && lctl set_param -n debug=+ioctl && DKTRACE_INSTANCE=$DKTRACE_INSTANCE-mounted lctl set_param -n debug=+ioctl &&
		dktrace reset && mountpoint -q /sys/kernel/tracing && DKTRACE_INSTANCE=$DKTRACE_INSTANCE-mounted dktrace reset && ! mountpoint -q /sys/kernel/tracing'
}

@test "mounting needs a capability, which is named" {
	run --separate-stderr without_tracefs setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin lctl set_param debug=+ioctl
	[ "$status" -ne 0 ]
	has "$stderr" "cap_sys_admin"
}

# Runs the rest where a file of the instance refuses to be written. usage: refusing FILE COMMAND...
refusing()
{
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && "$@"' "$instance/$1" "${@:2}"
}

@test "the kernel refuses an event: all is as before" {
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

@test "knobs that are not needed may be missing" {
	# shellcheck disable=SC2016
	run -0 unshare -m sh -c 'lctl set_param -n debug=+ioctl && for f in error_log buffer_subbuf_size_kb set_event_pid trace_options; do
		mount --bind /dev/null "/sys/kernel/tracing/instances/$DKTRACE_INSTANCE/$f" || exit; done
		lctl set_param debug=+vfstrace && lctl mark x && dktrace dk >/dev/null && dktrace status >/dev/null'
	run -0 unshare -m sh -c 'mount --bind /dev/null /sys/kernel/tracing/saved_cmdlines && dktrace show --style trace >/dev/null'
}
