#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# save and apply: what is set goes into a file and comes back, whole or not at all.

# shellcheck disable=SC2154 # set by bats and helper.bash
load helper

params="debug subsystem_debug printk debug_mb debug_filter"

@test "what is saved is what was set" {
	local before

	set_param debug=+rpctrace+ioctl-error subsystem_debug='osd llite' printk=emerg+warning debug_mb=6 \
		debug_filter='common_pid != 0 && COMM != "a = b"' 2>/dev/null
	# shellcheck disable=SC2086
	before=$(lctl get_param $params)
	expect 0 "" "" dktrace save "$tmp/conf"
	cat "$tmp/conf"
	dktrace reset
	run -0 --separate-stderr dktrace apply "$tmp/conf"
	# shellcheck disable=SC2086
	expect 0 "$before" "" lctl get_param $params
	# A mask without the floor, all, and 0 have no names that say it.
	for mask in 0 all 0x5 -1; do
		set_param debug=$mask subsystem_debug=$mask 2>/dev/null
		before=$(lctl get_param debug subsystem_debug)
		dktrace save "$tmp/conf"
		set_param debug=inode subsystem_debug=mds
		dktrace apply "$tmp/conf" 2>/dev/null
		expect 0 "$before" "" lctl get_param debug subsystem_debug
	done
}

@test "comments and places are kept" {
	printf '%s\n' '# of this site' 'debug_mb = 99' '' '# masks' 'debug = all' 'real_lctl = /sbin/lctl' \
		"instance = $DKTRACE_INSTANCE" 'debug_filter = a == 1' >"$tmp/conf"
	set_param debug=ioctl
	expect 0 "" "" dktrace save "$tmp/conf"
	same "# of this site

# masks
debug = ioctl warning error emerg console
real_lctl = /sbin/lctl
instance = $DKTRACE_INSTANCE
debug_filter = none
subsystem_debug = all
printk = warning error emerg console" "$(cat "$tmp/conf")" "the file"
	# One that makes no sense is not written over.
	echo 'debg = 1' >"$tmp/conf"
	run -1 --separate-stderr dktrace save "$tmp/conf"
	has "$stderr" "conf:1:1: 'debg' is nothing that can be set; did you mean debug?"
	same "debg = 1" "$(cat "$tmp/conf")" "the file"
}

@test "the file names the instance, the environment wins" {
	local name=$DKTRACE_INSTANCE

	printf 'instance = %s\ndebug = ioctl\n' "$name" >"$tmp/conf"
	run -0 env -u DKTRACE_INSTANCE dktrace apply "$tmp/conf"
	has "$(dktrace get_param debug)" "debug=ioctl"
	printf 'instance = %s-other\ndebug = inode\n' "$name" >"$tmp/conf"
	run -0 dktrace apply "$tmp/conf"
	has "$(dktrace get_param debug)" "debug=inode"
	[ ! -e "$instance-other" ]
}

@test "a part that fails leaves all as it was" {
	local before after line

	set_param debug=ioctl debug_mb=4 debug_filter='common_pid != 0' 2>/dev/null
	before=$(knobs; cat "$state/settings")
	for line in 'subsystem_debug = osd,nosuch' 'printk = +' 'debug_mb = many' 'debug_filter = cmd == ' 'debg = 1'; do
		printf 'debug = +vfstrace\ndebug_mb = 8\n' | grep -v "^${line%% *} " >"$tmp/conf"
		echo "$line" >>"$tmp/conf"
		run ! dktrace apply "$tmp/conf"
		has "$output" "$tmp/conf:"
		after=$(knobs; cat "$state/settings")
		same "$before" "$after" "what is set after $line"
	done
	expect 22 "" "dktrace: $tmp/conf:2:10: unknown mask 'vfstrac'; did you mean vfstrace?" \
		sh -c 'printf "#\ndebug = +vfstrac\n" >"$0"; dktrace apply "$0"' "$tmp/conf"
	expect 2 "" "dktrace: open $tmp/none: No such file or directory" dktrace apply "$tmp/none"
	# Nothing is made for one that fails.
	dktrace reset
	run ! dktrace apply "$tmp/conf"
	[ ! -e "$instance" ]
}
