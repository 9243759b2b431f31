#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# COMM, CPU and PID, which every record has, as keys, groups and fields of filters.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

@test "COMM, PID and CPU are keys of a histogram" {
	run -0 dktrace hist --input "$capture" syscalls:sys_enter_fsync --keys COMM,PID --csv
	same "COMM,PID,hitcount
sync,21739,1" "$output" "CSV"
	run -0 dktrace hist --input "$capture" syscalls:sys_enter_read --keys PID.execname,CPU --csv
	same "$(dktrace hist --input "$capture" syscalls:sys_enter_read --keys common_pid.execname,common_cpu --csv | tail -n +2)" \
		"$(tail -n +2 <<<"$output")" "by the kernel's names"
	run -1 --separate-stderr dktrace hist --input "$capture" syscalls:sys_enter_read --keys COMM.hex
	has "$stderr" ".hex does not work with a string, and 'COMM' is one"
	run -1 --separate-stderr dktrace hist --input "$capture" syscalls:sys_enter_read --keys fd --vals COMM
	has "$stderr" "'COMM' cannot be summed"
}

@test "COMM, PID and CPU are keys and groups of pairs" {
	run -0 dktrace latency syscalls:sys_enter_fsync syscalls:sys_exit_fsync --match PID --keys COMM \
		--input "$capture" --csv
	same "sync,1,473486,473486,473486,473486,473486,473486,473486" "${lines[1]}" "the group"
}

@test "COMM, PID and CPU are fields of filters" {
	dktrace show --input "$capture" --filter 'PID == 21739 && COMM == sync' |
		diff <(dktrace show --input "$capture" --filter 'common_pid == 21739 && COMM == sync') -
	has "$(dktrace show --input "$capture" --filter 'PID == 21739')" "21739"
}

@test "headings are for people, and the keys of CSV are the fields' names" {
	run -0 dktrace hist --input "$capture" syscalls:sys_enter_read --keys __syscall_nr.syscall,common_pid
	same "SYSCALL PID HITCOUNT" "$(tr -s ' ' <<<"${lines[0]% }")" "titles"
	run -0 dktrace hist --input "$capture" syscalls:sys_enter_read --keys __syscall_nr.syscall,common_pid --csv
	same "__syscall_nr,common_pid,hitcount" "${lines[0]}" "the header of CSV"
	run -0 dktrace latency syscalls:sys_enter_fsync syscalls:sys_exit_fsync --match PID \
		--keys __syscall_nr.syscall --input "$capture"
	has "${lines[0]}" "syscall "
}

@test "bars show the column by which the rows are sorted" {
	run -0 dktrace hist --input "$capture" syscalls:sys_enter_read --keys COMM --vals count \
		--sort count.descending
	# The longest bar is that of the most bytes, which are not the most hits.
	same "${lines[1]##* }" "$(printf '%s\n' "${lines[@]}" | grep -o '#\+$' | sort -r | head -n 1)" "the first row's bar"
	bars=$(grep -o '#\+$' <<<"$output" | awk '{ print length }')
	same "$(sort -rn <<<"$bars")" "$bars" "bars fall with the sum"
}
