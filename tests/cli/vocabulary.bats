#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The same thing has the same name in all commands, and names of before are understood.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

# Prints the long options of a command.
options()
{
	dktrace help "$1" | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p'
}

# Both ways give the same output, and the old one the hint. usage: renamed HINT NOW BEFORE COMMAND...
renamed()
{
	local hint=$1 now=$2 before=$3 wanted

	shift 3
	# shellcheck disable=SC2086 # several words
	wanted=$("$@" $now 2>/dev/null)
	# shellcheck disable=SC2086
	run -0 --separate-stderr "$@" $before
	same "$wanted" "$output" "output of $* $before"
	has "$stderr" "dktrace: $hint"
}

@test "no command has another name for stopping after a time, for groups or for how long it took" {
	local command n=0

	for command in $(dktrace help | sed -n 's/^  \([a-z_-]*\) .*/\1/p'); do
		n=$((n + 1))
		run -1 grep -xE 'time|by|group-by|key' <(options "$command")
	done
	at_least 40 "$n" "commands"
	for command in record hist latency analyze strace top follow; do
		has "$(dktrace help "$command")" "-t, --duration TIME    stop after TIME: 30, 5m, 1h"
	done
	for command in hist latency analyze lustre; do
		has "$(dktrace help "$command")" "-k, --keys "
	done
	for command in strace analyze lami; do
		has "$(options "$command")" took
	done
}

@test "earlier names of options are understood, with a hint to the name of now" {
	local fsync=(dktrace latency syscalls:sys_enter_fsync syscalls:sys_exit_fsync --input "$capture" --csv)
	local log=$BATS_TEST_TMPDIR/server.dk

	renamed "--key is --match now" "--match common_pid" "--key common_pid" "${fsync[@]}"
	renamed "--by is --keys now" "--keys COMM" "--by COMM" "${fsync[@]}" --match common_pid
	renamed "--group-by is --keys now" "--keys COMM" "--group-by=COMM" "${fsync[@]}" --match common_pid
	renamed "--by is --keys now" "--keys COMM" "--by COMM" dktrace hist --input "$capture" iotrace --csv
	"$BATS_TEST_DIRNAME/../tools/gen-lustre-log" server 2.15 200 >"$log"
	renamed "--group-by is --keys now" "--keys nid" "--group-by nid" dktrace lustre rpc "$log"
	expect 2 '' "dktrace: --time is --duration now
dktrace: --duration: '0' is not a number of seconds above 0" dktrace hist --input "$capture" iotrace --time 0
}

@test "--duration with a sign is --took" {
	local calls=(dktrace strace "$capture")

	renamed "--duration with a sign is --took now; without one it stops after a time" \
		"--took >0.1" "--duration >0.1" "${calls[@]}"
	at_least 1 "${#lines[@]}" "calls that took longer"
	at_least "$((${#lines[@]} + 1))" "$("${calls[@]}" --duration 1 2>/dev/null | wc -l)" "all calls"
}

@test "the value of an old name is completed as that of the new one" {
	same "$(DKTRACE_ROOT=$capture dktrace __complete dktrace latency syscalls:sys_enter_read syscalls:sys_exit_read --keys CO)" \
		"$(DKTRACE_ROOT=$capture dktrace __complete dktrace latency syscalls:sys_enter_read syscalls:sys_exit_read --by CO)" \
		"completion"
}
