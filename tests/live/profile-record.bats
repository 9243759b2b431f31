#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# profile: what it samples, and that perf and dktrace read its files.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

target=$build/tests/tools/profile-target

place=

teardown()
{
	[ -z "$place" ] || rm -r "$place"
	end_test
}

need_perf()
{
	perf --version >/dev/null 2>&1 || skip "needs perf"
}

# Lets perf print the samples into $tmp/script; it must not complain. usage: script FILE
script()
{
	perf script -i "$1" -F comm,pid,tid,time,event,ip,sym,dso >"$tmp/script" 2>"$tmp/script.err"
	same '' "$(cat "$tmp/script.err")" 'complaints of perf script'
	perf report -i "$1" --stdio -g none >"$tmp/report" 2>"$tmp/report.err"
	same '' "$(cat "$tmp/report.err")" 'complaints of perf report'
}

# Prints the number of samples in which a function called another. usage: called CALLER FUNCTION
called()
{
	awk -v caller="$1" -v callee="$2" '
		/^[^ \t]/ { last = "" }
		/^[ \t]/ {
			sub(/\+.*/, "", $2)
			n += $2 == caller && last == callee
			last = $2
		}
		END { print n + 0 }' "$tmp/script"
}

# The number of samples that dktrace has shown.
samples()
{
	sed -nE 's/^.*: ([0-9]+) samples? of .*/\1/p' <<<"$output"
}

# True if the process has a thread of that name. usage: has_thread PID NAME
has_thread()
{
	cat "/proc/$1/task"/*/comm | grep -qx "$2"
}

# Starts the program that runs until it is killed, and waits for its second thread.
start_target()
{
	start "$target"
	until_true has_thread "$pid" target-other
}

# True if the file has samples beside the names of what ran before. usage: has_samples FILE
has_samples()
{
	[ -s "$1" ] && [ "$(count_samples "$1")" -gt 20 ]
}

# Prints the number of samples in a file that grows.
count_samples()
{
	perf script -i "$1" -F comm 2>/dev/null | wc -l
}

# Waits until the file has samples. usage: grows FILE
grows()
{
	until_true has_samples "$1"
}

@test "profile of a command shows its function on top, with its callers, in perf" {
	need_perf
	run -0 --separate-stderr dktrace profile -F 999 -o "$tmp/perf.data" -- "$target" 300
	at_least 1 "$(samples)" samples
	lacks "$stderr" lost
	script "$tmp/perf.data"
	same "$(samples)" "$(grep -c '^[^ 	]' "$tmp/script")" 'samples in perf'
	has "$(grep -m 1 '^ ' "$tmp/report")" profile_leaf
	at_least 1 "$(called profile_caller profile_leaf)" 'samples with their caller'
	at_least 1 "$(grep -c '^target-other' "$tmp/script")" 'samples of the second thread'
	at_least 1 "$(grep -c '^profile-target' "$tmp/script")" 'samples of the first thread'
	same '' "$(grep '^[^ 	]' "$tmp/script" | grep -vE '^(profile-target|target-other|dktrace) ')" 'others'
}

@test "profile keeps facts about the machine, the clock and the programs that it hit" {
	need_perf
	dktrace profile -F 999 -o "$tmp/perf.data" -- "$target" 100
	perf script -i "$tmp/perf.data" --header-only >"$tmp/header"
	has_line "^# hostname : $(uname -n)\$" "$tmp/header"
	has_line "^# os release : $(uname -r)\$" "$tmp/header"
	has_line '^# perf version : dktrace ' "$tmp/header"
	has_line '^# clockid: monotonic' "$tmp/header"
	has_line '^# reference time: ' "$tmp/header"
	has_line '^# time of last sample : ' "$tmp/header"
	has_line "^# cmdline : .*dktrace profile -F 999 -o .* -- $target 100 *\$" "$tmp/header"
	perf buildid-list -i "$tmp/perf.data" >"$tmp/builds"
	has_line "^$(readelf -n "$target" | sed -n 's/ *Build ID: //p') $target\$" "$tmp/builds"
	same 600 "$(stat -c %a "$tmp/perf.data")" mode
}

@test "profile passes on a command's status and gives it its privileges" {
	run -7 --separate-stderr dktrace profile -o "$tmp/perf.data" -- sh -c 'grep -E "CapEff|NoNewPrivs" /proc/self/status; exit 7'
	# A slow machine takes samples, too, and shows them.
	same "$(grep -E 'CapEff|NoNewPrivs' /proc/self/status)" "$(grep -E 'CapEff|NoNewPrivs' <<<"$output")" 'privileges of the command'
	run -127 --separate-stderr dktrace profile -o "$tmp/none.data" -- /nonexistent
	gone "$tmp/none.data"
}

@test "profile leaves its own process without capabilities" {
	start dktrace profile -o "$tmp/perf.data"
	until_true grep -q '^CapEff:	0*0000000000$\|^NoNewPrivs:	1$' "/proc/$pid/status"
	same 0 "$((16#$(sed -n 's/^CapEff:\t//p' "/proc/$pid/status") & ~(1 << 34)))" 'capabilities but cap_syslog'
	kill -INT "$pid"
	wait "$pid"
}

@test "profile --pid samples a running process and its threads, and ends with it" {
	local sampled

	need_perf
	start_target
	sampled=$pid
	start dktrace profile -F 999 -p "$sampled" -o "$tmp/perf.data"
	grows "$tmp/perf.data"
	kill "$sampled"
	wait "$pid"
	script "$tmp/perf.data"
	at_least 1 "$(called profile_caller profile_leaf)" 'samples with their caller'
	same "$sampled" "$(sed -nE 's/^[a-z-]+ +([0-9]+)\/.*/\1/p' "$tmp/script" | sort -u)" 'sampled processes'
	same 'profile-target target-other ' "$(sed -nE 's/^([a-z-]+) .*/\1/p' "$tmp/script" | sort -u | tr '\n' ' ')" threads
}

@test "profile --comm samples the threads with this name only" {
	need_perf
	start_target
	start dktrace profile -F 999 --comm 'target-o*' -o "$tmp/perf.data"
	grows "$tmp/perf.data"
	kill -INT "$pid"
	wait "$pid"
	script "$tmp/perf.data"
	same target-other "$(sed -nE 's/^([a-z-]+) .*/\1/p' "$tmp/script" | sort -u)" threads
	run -1 --separate-stderr dktrace profile --comm no-such-name
	has "$stderr" "there is no thread with the name 'no-such-name'"
}

@test "profile without a choice samples the machine, with the programs that ran before" {
	need_perf
	start_target
	start dktrace profile -F 999 -o "$tmp/perf.data"
	grows "$tmp/perf.data"
	kill -INT "$pid"
	wait "$pid"
	script "$tmp/perf.data"
	at_least 1 "$(called profile_caller profile_leaf)" 'samples with their caller'
	at_least 1 "$(grep -c '^target-other' "$tmp/script")" 'samples of a thread by name'
}

@test "profile --user has no function of the kernel, and --kernel no other" {
	need_perf
	dktrace profile --user -F 999 -o "$tmp/user.data" -- dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none
	script "$tmp/user.data"
	at_least 1 "$(grep -c '^dd' "$tmp/script")" 'samples of the program'
	same 0 "$(grep -c 'kernel.kallsyms' "$tmp/script")" 'functions of the kernel'
	dktrace profile --kernel -F 999 -o "$tmp/kernel.data" -- dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none
	script "$tmp/kernel.data"
	at_least 1 "$(grep -c 'kernel.kallsyms' "$tmp/script")" 'functions of the kernel'
	same 0 "$(grep -cE '/(dd|libc[.a-z0-9]*)\)$' "$tmp/script")" 'functions of programs'
}

@test "profile --call-graph dwarf lets perf find callers by the copied stack" {
	need_perf
	dktrace profile -g dwarf -o "$tmp/perf.data" -- "$target" 300
	script "$tmp/perf.data"
	at_least 1 "$(called profile_caller profile_leaf)" 'samples with their caller'
	at_least 1 "$(called main profile_caller)" 'samples with its caller'
	start_target
	start dktrace profile -g dwarf,4096 -p "$pid" -o "$tmp/later.data"
	grows "$tmp/later.data"
	kill -INT "$pid"
	wait "$pid"
	script "$tmp/later.data"
	at_least 1 "$(called profile_caller profile_leaf)" 'samples of a process that ran before'
}

@test "profile --call-graph none has no callers, and lbr needs counters" {
	dktrace profile -g none -o "$tmp/perf.data" -- "$target" 100
	if need_perf; then
		perf script -i "$tmp/perf.data" -F comm,ip,sym >"$tmp/script"
		same '' "$(grep '^[ 	]' "$tmp/script" | grep -v profile_leaf | head -1 | grep profile_caller)" callers
	fi
	[ ! -e /sys/bus/event_source/devices/cpu ] || skip "has counters"
	run -1 --separate-stderr dktrace profile -g lbr -- true
	has "$stderr" "no hardware counters"
}

@test "a profile whose recorder was killed can be read by perf and dktrace" {
	need_perf
	start_target
	start dktrace profile -F 999 -o "$tmp/perf.data"
	grows "$tmp/perf.data"
	at_random 1500
	kill -9 "$pid"
	wait "$pid" || true
	script "$tmp/perf.data"
	at_least 1 "$(called profile_caller profile_leaf)" 'samples with their caller'
	# It also reports that the file was not ended.
	dktrace info "$tmp/perf.data" >"$tmp/info" 2>/dev/null || true
	has_line "^host  *$(uname -n)\$" "$tmp/info"
	has_line '^clock  *mono$' "$tmp/info"
}

@test "a profile that cannot grow any more ends, and can be read" {
	need_perf
	start_target
	run -1 --separate-stderr bash -c 'ulimit -f 400; exec dktrace profile -F 999 -p "$1" -o "$0"' "$tmp/perf.data" "$pid"
	has "$stderr" "raise the limit of 'ulimit -f'"
	script "$tmp/perf.data"
	at_least 1 "$(called profile_caller profile_leaf)" 'samples with their caller'
}

@test "profile keeps an earlier file as FILE.old, unless nothing is sampled" {
	echo earlier >"$tmp/perf.data"
	run -1 dktrace profile -p $$ --comm x -o "$tmp/perf.data" || true
	same earlier "$(cat "$tmp/perf.data")" 'the earlier file'
	run -0 --separate-stderr dktrace profile -o "$tmp/perf.data" -- true
	has "$stderr" "the earlier $tmp/perf.data is now $tmp/perf.data.old"
	same earlier "$(cat "$tmp/perf.data.old")" 'the earlier file'
	expect 2 "" "dktrace: profile: cannot write a profile to standard output; name a file" dktrace profile -o - -- true
	mkfifo "$tmp/pipe"
	start cat "$tmp/pipe"
	run -1 --separate-stderr dktrace profile -o "$tmp/pipe" -- true
	has "$stderr" "name a file"
}

# Puts the programs where another user can execute them, and goes to a directory where it can write.
make_place()
{
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip "needs kernel.perf_event_paranoid 2"
	place=$(mktemp -d)
	install -m 755 "$build/dktrace" "$target" "$place"
	mkdir -m 777 "$place/open"
	chmod 755 "$place"
	cd "$place/open" || return
}

as_nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

@test "profile tells a user what the kernel forbids, and samples the programs" {
	make_place
	run -0 --separate-stderr as_nobody "$place/dktrace" profile -F 999 -- "$place/profile-target" 300
	has "$stderr" "sampled only programs"
	at_least 1 "$(samples)" samples
	run -1 --separate-stderr as_nobody "$place/dktrace" profile -o m.data
	has "$stderr" "kernel.perf_event_paranoid is 2"
	has "$stderr" "cap_perfmon"
	run -1 --separate-stderr as_nobody "$place/dktrace" profile --kernel -o k.data -- true
	has "$stderr" "kernel.perf_event_paranoid=1"
	run -1 --separate-stderr as_nobody "$place/dktrace" profile -p $$ -o p.data
	has "$stderr" "belongs to another user"
}

@test "a program with cap_perfmon samples the machine for a user, and writes as this user" {
	make_place
	setcap cap_perfmon+ep "$place/dktrace" || skip "needs setcap"
	run -0 --separate-stderr as_nobody "$place/dktrace" profile -F 999 -o m.data --duration 0.3
	lacks "$stderr" "sampled only programs"
	same nobody "$(stat -c %U m.data)" owner
	mkdir -m 755 closed
	run -1 --separate-stderr as_nobody "$place/dktrace" profile -o closed/m.data --duration 0.1
	has "$stderr" "closed/m.data"
}

@test "profile refuses options that contradict each other" {
	expect 2 "" "dktrace: profile: cannot combine --user and --kernel; without them both are sampled" dktrace profile --user --kernel
	expect 2 "" "dktrace: profile: give one of --pid, --comm, --class and a command" dktrace profile -p $$ -- true
	expect 2 "" "dktrace: --frequency: '0' is not a number from 1 to 1000000" dktrace profile -F 0
	expect 2 "" "dktrace: --call-graph: 'x' is none of fp, dwarf, dwarf,BYTES, lbr, none" dktrace profile -g x
	expect 2 "" "dktrace: profile: there is no file 'true'; a command is written after --" dktrace profile true
}

@test "the style perfetto has the samples with their stacks" {
	command -v protoc >/dev/null || skip "needs protoc"
	run -0 --separate-stderr dktrace profile -F 999 -o "$tmp/p.data" -- "$target" 50
	dktrace report -S perfetto "$tmp/p.data" >"$tmp/p.perfetto"
	perfetto_text "$tmp/p.perfetto"
	same "$(samples)" "$(grep -c '^  perf_sample {' "$tmp/p.perfetto.txt")" samples
	# The stack of a sample leads to its functions, the outermost first.
	awk '
		/^    function_names \{/ { kind = "name" }
		/^    frames \{/ { kind = "frame" }
		/^    callstacks \{/ { kind = "stack" }
		/^      iid:/ { iid = $2 }
		/^      (str|name):/ && kind == "name" { name[iid] = $2 }
		/^      function_name_id:/ { frame[iid] = name[$2] }
		/^      frame_ids:/ { stack[iid] = stack[iid] ";" frame[$2] }
		/^    callstack_iid:/ { print stack[$2] }' "$tmp/p.perfetto.txt" | tr -d '"' >"$tmp/stacks"
	same "$(samples)" "$(grep -c . "$tmp/stacks")" stacks
	at_least 10 "$(grep -c ';profile_caller;profile_leaf' "$tmp/stacks")" 'stacks of the function'
}

@test "files of one host are put in order by its wall clock, as their words say" {
	run -0 --separate-stderr dktrace profile -o "$tmp/p.data" -- "$target" 50
	dktrace record -e sched:sched_switch -o "$tmp/t.dat" -- true 2>/dev/null
	run -0 --separate-stderr dktrace report "$tmp/t.dat" "$tmp/p.data"
	has "$stderr" 's to the clock of'
	has "$stderr" 'accurate to 2 us, by the wall clock of their host'
}

@test "a program that asks for its time zone again and again is told by its own functions" {
	dktrace profile -F 999 --call-graph dwarf -o "$tmp/perf.data" -- "$build/tests/tools/zone-target" 300000
	dktrace profile -S folded "$tmp/perf.data" >"$tmp/folded"
	has_line '^zone-target;.*main;zone_read_lines;zone_parse_line;.*tz.*stat' "$tmp/folded"
}
