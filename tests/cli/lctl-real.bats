#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The output of Lustre's lctl 2.17.57 for each line of lctl-*.cases, byte for byte, with its exit
# status and the files it wrote. tests/tools/compare-lctl compares another lctl with this one.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	[ "$(id -u)" -eq 0 ] || skip "needs root, for a mount namespace"
	need_namespace
}

# usage: same_as_real NAME
same_as_real()
{
	"$top/tests/tools/lctl-transcript" "$(command -v lctl)" "$BATS_TEST_DIRNAME/lctl-$1.cases" |
		diff -U 5 "$BATS_TEST_DIRNAME/lctl-$1.exp" -
}

# The same without the lines about skipped records, which only dktrace prints.
but_for_losses()
{
	"$top/tests/tools/lctl-transcript" "$(command -v lctl)" "$BATS_TEST_DIRNAME/lctl-$1.cases" |
		grep -v '^! lctl: .* bytes are not printed\$$' | diff -U 5 "$BATS_TEST_DIRNAME/lctl-$1.exp" -
}

@test "get_param and set_param treat every option and pattern as Lustre's lctl does" {
	same_as_real param
}

@test "get_param reads two trees, links and unusual values as Lustre's lctl does" {
	same_as_real odd
}

@test "help, sessions, names of masks and marks are as Lustre's lctl prints them" {
	same_as_real session
}

@test "dk treats wrong command lines as Lustre's lctl does" {
	same_as_real buffer
}

@test "debug_daemon checks its arguments and writes the log" {
	same_as_real daemon
}

@test "without Lustre, commands print what Lustre's lctl prints" {
	same_as_real none
}

@test "debug_daemon, df and dk print what Lustre's lctl prints" {
	same_as_real debug
}

@test "df in a session obeys filter and show" {
	but_for_losses df
}
