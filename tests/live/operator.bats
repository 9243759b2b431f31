#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The list for sudo of dktrace-operator(7). The other ways are tried in tests/vm/t-operator.sh, as they change tracefs
# for all.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

# Runs sudo's commands as the user nobody, who is in the group of the list. usage: with_sudo SCRIPT
with_sudo()
{
	local dir

	for dir in "$BATS_RUN_TMPDIR" "${tmp%/*}" "$tmp"; do
		chmod a+rx "$dir"
	done
	mkdir -p "$tmp/bin"
	[ -e "$tmp/bin/dktrace" ] || cp -L "$build/dktrace" "$tmp/bin/dktrace"
	{
		echo 'Defaults env_keep += "DKTRACE_INSTANCE DKTRACE_CLASSES"'
		sed "s|/usr/bin/dktrace|$tmp/bin/dktrace|g; s|^%dktrace|%nogroup|" "$top/share/sudoers/dktrace"
	} >"$tmp/list"
	chmod 440 "$tmp/list"
	# shellcheck disable=SC2016 # for the shell in there
	run --separate-stderr apart sh -c 'mount --bind "$1" /etc/sudoers && eval "$2"' _ "$tmp/list" "$1"
}

@test "sudo takes the list, and runs its commands" {
	need_namespace
	run -0 visudo -cf "$top/share/sudoers/dktrace"
	with_sudo 'may() { setpriv --reuid=65534 --regid=65534 --clear-groups sudo -n '"$tmp/bin/dktrace"' "$@"; } &&
		may set_param debug=+vfstrace && cat /etc/hostname && may status && may dk && may set_param debug=0'
	same 0 "$status" "$stderr"
	has "$output" "debug=+vfstrace"
	has "$output" "sys_enter_"
	dktrace reset
}

@test "sudo refuses every other command and argument" {
	local call n=0

	need_namespace
	for call in "" "dk -o $tmp/file" "dk --input /etc/shadow" "show -R $tmp" "record -- sh" "status --json" "reset" \
		"set_param debug=-1" "set_param debug=+rpctrace debug_mb=4" "set_param -R $tmp debug=0" "probe add f" "analyze cputop -- sh"; do
		with_sudo "sudo -n -l -U nobody $tmp/bin/dktrace $call"
		same 1 "$status" "dktrace $call: $output"
		n=$((n + 1))
	done
	same 12 "$n" "calls"
	with_sudo "sudo -n -l -U nobody $tmp/bin/dktrace set_param debug=+rpctrace"
	same 0 "$status" "$stderr"
}
