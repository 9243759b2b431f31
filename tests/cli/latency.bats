#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# latency: what is asked for wrongly, and what comes of a saved capture.
# shellcheck disable=SC2154 # set by bats and helper.bash

load helper

fsync=(syscalls:sys_enter_fsync syscalls:sys_exit_fsync --key common_pid)

@test "a saved capture: table, picture, the slowest" {
	run -0 dktrace latency "${fsync[@]}" --input "$capture"
	golden latency
	run -0 dktrace latency "${fsync[@]}" --input "$capture" --csv
	same 'group,count,min,p50,p90,p99,p99.9,max,total
,1,473486,473486,473486,473486,473486,473486,473486' "$output" csv
	run -0 dktrace latency "${fsync[@]}" --input "$capture" --json --by common_pid.execname
	same '1 sync[21739] 473486 0' "$(jq -r '"\(.all.count) \(.groups[0].group) \(.slowest[0].ns) \(.lost)"' <<<"$output")" JSON
	same 'syscalls:sys_exit_fsync' "$(jq -r '.slowest[0].end.event' <<<"$output")" "the end's record"
}

@test "what a filter leaves" {
	expect 0 'no pair' 'dktrace: 1 ended without a beginning that was seen' \
		dktrace latency "${fsync[@]}" --input "$capture" --if 'fd == 77'
	run -0 --separate-stderr dktrace latency "${fsync[@]}" --input "$capture" --if 'fd == 3' --csv
	same 2 "${#lines[@]}" lines
}

@test "bad words change nothing and say where" {
	expect 2 '' "dktrace: latency: 'foo' is no ready-made pair ('dktrace latency' lists them), and one event is not two" \
		dktrace latency foo --input "$capture"
	expect 2 '' "dktrace: latency: which records belong together is for --key to say, such as --key common_pid" \
		dktrace latency a:b c:d --input "$capture"
	expect 1 '' "dktrace: 'b' is no event: they are written SYSTEM:NAME; ready-made pairs are listed by 'dktrace latency'" \
		dktrace latency b c --key d --input "$capture"
	expect 1 '' "dktrace: there is no event syscalls:sys_enter_fsink; did you mean sys_enter_fsync?" \
		dktrace latency syscalls:sys_enter_fsink c:d --key d --input "$capture"
	expect 1 '' "dktrace: syscalls:sys_exit_fsync has no field 'fd'" \
		dktrace latency "${fsync[@]}" --key fd --input "$capture"
	expect 1 '' "dktrace: key: a field's name is expected here
  common_pid,
             ^" dktrace latency "${fsync[@]}" --key common_pid, --input "$capture"
	expect 1 '' "dktrace: by: no such modifier: they are hex, dec, sym, sym-offset, syscall, execname, log2, buckets=N, usecs, stacktrace, and of values percent and graph
  fd.hax
     ^" dktrace latency "${fsync[@]}" --by fd.hax --input "$capture"
	expect 1 '' "dktrace: filter: syscalls:sys_exit_fsync has no field 'fdd'
  fdd == 3
  ^" dktrace latency "${fsync[@]}" --if 'fdd == 3' --input "$capture"
	expect 2 '' "dktrace: --slowest: '-1' is not a number" dktrace latency syscall --slowest=-1 --input "$capture"
	expect 2 '' "dktrace: --time: '0' is not a number of seconds" dktrace latency "${fsync[@]}" --time 0 --input "$capture"
	expect 2 '' 'dktrace: latency: a command cannot be run into a file; --input or it' \
		dktrace latency "${fsync[@]}" --input "$capture" -- true
	run -1 --separate-stderr dktrace latency syscall --input /nonexistent
	has "$stderr" 'dktrace: open /nonexistent: No such file or directory'
}

@test "ready-made pairs are listed, with what a kernel cannot" {
	run -0 dktrace latency --input "$capture"
	has "$output" '  wakeup       from wakeup until a process runs (this kernel has not the events)'
	same 1 "$(grep -c ' rpc ' <<<"$output")" 'rows of one name'
}
