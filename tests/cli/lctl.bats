#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# lctl's messages and exit statuses, for commands that change nothing.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	export DKTRACE_ROOT=$capture DKTRACE_INSTANCE=dkt-test-cli-$$
}

@test "get_param prints the defaults of a fresh machine" {
	expect 0 "debug=ioctl neterror warning error emerg ha config console lfsck" "" lctl get_param debug
	expect 0 "warning error emerg console" "" lctl get_param -n printk
	expect 0 "debug_filter=none
debug_mb=$((5 * $(getconf _NPROCESSORS_CONF)))" "" lctl get_param debug_filter debug_mb
	expect 0 "debug" "" lctl get_param -N debug
}

@test "without Lustre, a pattern finds dktrace's own parameters" {
	[ ! -e /sys/fs/lustre ] || skip "there is Lustre"
	expect 0 "debug_filter=none
debug_mb=$((5 * $(getconf _NPROCESSORS_CONF)))" "" lctl get_param '{debug_mb,debug_filter}'
	expect 0 "debug_filter
debug_mb
printk" "" lctl list_param 'debug_{mb,{filter,x}}' 'print?'
	expect 0 "debug=
debug_filter=
debug_mb=
debug_sources=
debug_user_data=
printk=
subsystem_debug=" "" lctl list_param -RF '*'
	expect 0 "debug_mb" "" lctl find_param -N 'mb$'
	expect 2 "" "error: find_param: listing '*': No such file or directory" lctl find_param nosuch
	expect 2 "" "error: get_param: param_path '{a,{debug}': No such file or directory" \
		lctl get_param '{a,{debug}'
}

@test "get_param prints the rest after an error, and exits with the first error's status" {
	expect 2 "debug_mb=$((5 * $(getconf _NPROCESSORS_CONF)))" "error: get_param: param_path 'no/such': No such file or directory" \
		lctl get_param no.such debug_mb
}

@test "get_param and set_param without arguments print help on stdout, with status 4" {
	run -4 --separate-stderr lctl get_param
	has "$output" "get_param"
	same "" "$stderr" "stderr"
	run -4 --separate-stderr lctl set_param
	has "$output" "set_param"
}

@test "too many arguments print the usage on stderr, with status 0" {
	expect 0 "" "usage: dk [file] [raw]" lctl dk a b c
	expect 0 "" "usage: clear" lctl clear x
}

@test "dk FILE fails if FILE cannot be created" {
	expect 1 "" "fopen($BATS_TEST_TMPDIR/no/file) failed: No such file or directory" \
		lctl dk --input "$capture" "$BATS_TEST_TMPDIR/no/file"
}

@test "lctl fails on an unknown command with status 1" {
	expect 1 "" "lctl: 'frob' is not a valid command. See 'lctl --list-commands'." lctl frob
	expect 0 "" "lctl: 'frob' is not a valid command. See 'lctl --list-commands'." lctl help frob
}
