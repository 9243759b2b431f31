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
	until_true grep -q "^recorder	$tmp/dumps	0000000000000000$" lines
	cause
	until_true grep -q '^dump	' lines
	same "recorder incident dump" "$(cut -f 1 lines | xargs)"
	# Both have the reason and the identity.
	same "$(sed -n 's/^incident\t//p' lines)" "$(sed -n 's/^dump\t[^\t]*\t//p' lines)"
	has_line '^incident	.*	[0-9a-f]{16}$' lines
	same "$(sed -n 's/^dump\t\([^\t]*\)\t.*/\1/p' lines)" "$(dktrace flight file)"
	printf 'oss3: it hangs\n' >&5
	until_true grep -q '^dump	.*	oss3: it hangs	$' lines
	printf 'oss4: it hangs, too\t0123456789abcdef\n' >&5
	until_true grep -q '^dump	.*	oss4: it hangs, too	0123456789abcdef$' lines
	# An incident elsewhere is none of this host.
	same 1 "$(grep -c '^incident' lines)"
	dump=$(dktrace flight file)
	dktrace report "$dump" >text
	has_line 'flight dump: oss4: it hangs, too$' text
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

@test "flight follow ends when the reader closes the pipe, though nothing happens" {
	setup_recorder
	mkfifo pipe
	# shellcheck disable=SC2016 # for the other shell, which waits for a reader
	start sh -c 'exec dktrace flight follow >pipe'
	exec 6<pipe
	read -r line <&6
	has "$line" recorder
	exec 6<&-
	status=0
	wait "$pid" || status=$?
	same 141 "$status" "status"
	dktrace flight stop
}

@test "flight follow --freeze: the dump of an incident is also that of another host's, of the same moment" {
	local none=0000000000000000 here=1111111111111111 there=2222222222222222

	setup_recorder
	mkfifo reasons
	exec 5<>reasons
	start sh -c 'exec dktrace flight follow --freeze <reasons 5>&-' >lines 2>err
	until_true grep -q '^recorder	' lines
	cause
	until_true grep -q '^dump	' lines
	here=$(sed -n 's/^dump\t.*\t//p' lines)
	# Whoever says so has heard of no incident here: this one was under way.
	printf 'oss3: it hangs\t%s\t%s\n' "$there" "$none" >&5
	until_true grep -q "^dump	$(dktrace flight file)	task:task_rename .*	$here $there$" lines
	same 1 "$(find dumps -name 'flight-*.dat' | wc -l)" "dumps"
	# It has heard of it, so the next one is another one.
	printf 'oss3: it hangs again\t%s\t%s\n' "${there//2/3}" "$here" >&5
	until_true grep -q "^dump	.*	oss3: it hangs again	${there//2/3}$" lines
	same 2 "$(find dumps -name 'flight-*.dat' | wc -l)" "dumps"
	# A follower that comes now hears of it first.
	start dktrace flight follow >again
	until_true [ -s again ]
	has_line "^recorder	$tmp/dumps	$here$" again
	exec 5>&-
	dktrace flight stop
}

@test "flight follow --freeze: a condition makes no second dump of what a dump for another host has" {
	setup_recorder
	start dktrace flight follow >lines
	until_true grep -q '^recorder	' lines
	cause
	until_true grep -q '^dump	' lines
	# The recorder waits a moment after an incident before it looks again.
	recorder=$(dktrace flight status --json | jq .pid)
	kill -STOP "$recorder"
	cause
	python3 -c 'import socket, sys
with socket.socket(socket.AF_UNIX) as s:
    s.connect(sys.argv[1])
    s.send(b"f\toss3: it hangs\t2222222222222222\n")' "/run/dktrace/.flight-$DKTRACE_INSTANCE/socket"
	kill -CONT "$recorder"
	until_true grep -q '^dump	.*	2222222222222222$' lines
	until_true eval '[ "$(dktrace flight status --json | jq .merged)" = 1 ]'
	same 2 "$(find dumps -name 'flight-*.dat' | wc -l)" "dumps"
	dktrace flight stop
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

# Eight hosts, each with a recorder of its own.
setup_hosts()
{
	local host

	make_direct
	sed -i "2a export DKTRACE_INSTANCE=$DKTRACE_INSTANCE-\$1" "$direct"
	cd "$tmp" || return
	hosts=(a b c d e f g h)
	for host in "${hosts[@]}"; do
		on "$host" flight start -e syscalls:sys_enter_ioctl --size 1M --dir "$tmp/dumps-$host" \
			--when "task:task_rename[newcomm == \"$freeze\"]" --max-dumps 100 3>&-
	done
}

# Runs dktrace as on a host. usage: on HOST COMMAND...
on()
{
	DKTRACE_INSTANCE=$DKTRACE_INSTANCE-$1 dktrace "${@:2}"
}

stop_hosts()
{
	local host

	for host in "${hosts[@]}"; do
		on "$host" flight stop
	done
}

# True if each recorder has a follower.
all_followed()
{
	local host

	for host in "${hosts[@]}"; do
		has_sockets "$(on "$host" flight status --json | jq .pid)" 2 || return
	done
}

# Causes an incident after a record that tells it from others. usage: cause_after NUMBER
cause_after()
{
	python3 -c 'import fcntl, sys
try:
    fcntl.ioctl(open("/dev/null"), 0x6b00 + int(sys.argv[1]))
except OSError:
    pass' "$1"
	cause
}

# True if so many incidents have been fetched. usage: fetched N
fetched()
{
	[ "$(grep -c '^all/incident-' out)" -ge "$1" ]
}

@test "collect flight follow: in a storm each incident has the dumps of its own time" {
	local round dir host

	setup_hosts
	start dktrace collect --ssh "$direct" -w a,b,c,d,e,f,g,h --max-dumps 100 -o all flight follow >out 2>err
	until_true all_followed
	for round in 1 2 3 4; do
		# It holds on all of them at once: each has an incident of its own, and is told of that of another one.
		cause_after "$round"
		until_true fetched "$round"
	done
	kill -INT "$pid"
	wait "$pid" || true
	stop_hosts
	same 32 "$(find dumps-* -name 'flight-*.dat' | wc -l)" "dumps on the hosts: one of each incident"
	same 4 "$(find all -mindepth 1 -maxdepth 1 -name 'incident-*' | wc -l)" "incidents"
	same 32 "$(find all -name '*.dat' | wc -l)" "dumps"
	same 32 "$(md5sum all/*/*.dat | cut -d ' ' -f 1 | sort -u | wc -l)" "different dumps"
	round=0
	for dir in all/incident-*; do
		round=$((round + 1))
		for host in "${hosts[@]}"; do
			same "$((0x6b00 + round))" "$(dktrace report --style json "$dir/$host.dat" |
				jq 'select(.event == "sys_enter_ioctl" and (.fields.cmd / 16 | floor) == 1712).fields.cmd' |
				paste -sd ' ')" "what incident $round has of $host"
		done
	done
}
