#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# flight follow, and collect's: who hears of incidents, freezing, and dumps that are fetched.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/live
load ../helper/fleet

# A name that no other process takes.
freeze=freeze-$$

setup_recorder()
{
	cd "$tmp" || return
	dktrace flight start -e syscalls:sys_enter_ioctl --size 1M --dir "$tmp/dumps" \
		--when "task:task_rename[newcomm == \"$freeze\"]" 3>&-
}

# An incident. usage: cause
cause()
{
	# shellcheck disable=SC2016 # for the shell in there
	bash -c 'echo -n "$0" >/proc/self/comm' "$freeze"
}

# The recorder's own socket and those of its followers. usage: has_sockets PID N
has_sockets()
{
	[ "$(readlink "/proc/$1/fd/"* | grep -c socket)" -ge "$2" ]
}

@test "flight follow: incidents and dumps as they come, and lines that freeze" {
	setup_recorder
	mkfifo reasons
	exec 5<>reasons
	start sh -c 'exec dktrace flight follow --freeze <reasons 5>&-' >lines 2>err
	until_true grep -q "^recorder	$tmp/dumps$" lines
	cause
	until_true grep -q '^dump	' lines
	same "recorder incident dump" "$(cut -f 1 lines | xargs)"
	same "$(sed -n 's/^incident\t//p' lines)" "$(sed -n 's/^dump\t[^\t]*\t//p' lines)"
	same "$(sed -n 's/^dump\t\([^\t]*\)\t.*/\1/p' lines)" "$(dktrace flight file)"
	printf 'oss3: it hangs\n' >&5
	until_true grep -q '^dump	.*	oss3: it hangs$' lines
	# An incident elsewhere is none of this host.
	same 1 "$(grep -c '^incident' lines)"
	dump=$(dktrace flight file)
	dktrace report "$dump" >text
	has_line 'flight dump: oss3: it hangs' text
	same "$dump" "$(dktrace flight file "${dump##*/}")"
	run -1 dktrace flight file flight-none.dat
	has "$output" "the flight recorder has no dump 'flight-none.dat'"
	dktrace flight dump 'after it' >last
	dktrace report "$(cat last)" >text
	has_line 'flight: nothing was recorded for [0-9.]+ ms, while a dump was made' text
	dktrace flight stop
	wait "$pid" && return 1
	has "$(cat err)" "dktrace: the flight recorder ended"
	run -1 dktrace flight follow
	has "$output" "no flight recorder was started"
}

@test "collect flight follow: nothing to follow, and no place for dumps" {
	cd "$tmp"
	make_direct
	run -1 dktrace collect --ssh "$direct" -w a -o all flight follow
	has "$output" "a: no flight recorder was started"
	run -1 dktrace collect --ssh "$direct" -w a --far-program "dktrace remote --allow 'flight dump'" -o all flight follow
	has "$output" "this key may not run 'flight follow', only flight dump"
	run -2 dktrace collect --ssh "$direct" -w a flight follow
	has "$output" "flight follow needs -o DIR"
	touch file
	run -1 dktrace collect --ssh "$direct" -w a -o file flight follow
	has "$output" "create the directory file: File exists"
}

@test "collect flight follow: an incident on one host freezes the others" {
	setup_recorder
	make_direct
	start dktrace collect --ssh "$direct" -w a,b --max-dumps 1 -o all flight follow >out 2>err
	# Both are followers of the one recorder here, so each says that it is the first.
	recorder=$(dktrace flight status --json | jq .pid)
	until_true has_sockets "$recorder" 3
	cause
	until_true grep -q '^all/incident-' out
	dir=$(tail -n 1 out)
	has_line '^a +complete ' out
	has_line '^b +complete ' out
	has_line '^dktrace: [ab]: task:task_rename by ' err
	has_line '^dktrace: 1 other hosts were told within [0-9.]+ ms; 2 dumps, to all/incident-' err
	dktrace report "$dir" >text 2>offsets
	has_line 'flight dump: ' text
	cause
	until_true grep -q 'an incident does not freeze the others: the hour has had its dumps' err
	kill -INT "$pid"
	wait "$pid"
	same 1 "$(ls all | wc -l)"
	dktrace flight stop
}
