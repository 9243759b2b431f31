#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# An interval that an administrator adds is known wherever intervals have names.
# shellcheck disable=SC2016,SC2154 # dollars are of files and sh; set by bats and helper/live.bash

load ../helper/live
load ../helper/intervals

# Prints a file with one interval. usage: interval NAME
interval()
{
	cat <<-END
		intervals:
		  $1:
		    about: change of the directory
		    entries:
		      - begin: syscalls:sys_enter_chdir
		        end: syscalls:sys_exit_chdir
		        match: common_pid
		        per_task: true
		        few_keys: true
	END
}

# A shell by a name that no other process has, whose calls are recorded.
shell=ivl-$$

add_interval()
{
	mkdir "$tmp/intervals.d"
	interval site-chdir >"$tmp/intervals.d/50-site.yaml"
	export DKTRACE_INTERVALS=$top/share/intervals.d:$tmp/intervals.d
	ln -s "$(command -v sh)" "$tmp/$shell"
}

change_directory()
{
	"$tmp/$shell" -c 'cd /; cd /tmp'
}

record()
{
	dktrace record -o "$1" -e syscalls:sys_enter_chdir,syscalls:sys_exit_chdir --comm "$shell" -- \
		"$tmp/$shell" -c 'cd /; cd /tmp'
}

@test "an interval of a file in intervals.d is listed, completed, measured, analyzed and drawn" {
	add_interval
	cd "$tmp"
	record a.dat
	has "$(dktrace latency)" $'\n  site-chdir   change of the directory'
	same site-chdir "$(dktrace __complete dktrace latency site)" "completion of latency"
	same site-chdir "$(dktrace __complete dktrace analyze periodstats --period site)" "completion of a period"
	same 2 "$(dktrace latency site-chdir a.dat --csv | awk -F, 'NR == 2 { print $2 }')" "pairs of the file"
	same 2 "$(dktrace latency site-chdir --csv -- "$tmp/$shell" -c 'cd /; cd /tmp' | awk -F, 'NR == 2 { print $2 }')" "pairs of a command"
	same 2 "$(dktrace analyze periodstats a.dat --period site-chdir --json | jq .total[0].count)" "periods"
	dktrace view a.dat -o page.html
	same '"site-chdir"' "$(sed -n 's|.*<script type="application/json" id="data">||p' page.html | jq -c '.pairs[].name' | grep site)" "pairs of the page"
}

@test "an interval of a file in intervals.d is a table of sql and load, and a row of top" {
	local statement='SELECT count(*) AS n, count(DISTINCT ret) AS results FROM site_chdir'

	add_interval
	echo '        show: [ ret, "who=$begin.COMM" ]' >>"$tmp/intervals.d/50-site.yaml"
	cd "$tmp"
	record a.dat
	expect 0 $'n,results\n2,1' '' dktrace sql a.dat "$statement" --csv
	run -0 --separate-stderr dktrace convert a.dat a.sqlite
	expect 0 $'n,results\n2,1' '' dktrace sql a.sqlite "$statement" --csv
	same "2 $shell" "$(dktrace sql a.dat 'SELECT count, (SELECT who FROM site_chdirtop LIMIT 1) AS who FROM site_chdirstats' --csv | tail -n 1 | tr , ' ')" "views"
	run -0 --separate-stderr dktrace load --dry-run a.dat
	has "$output" 'CREATE TABLE IF NOT EXISTS `site_chdir` '
	has "$output" '`site_chdirfreq`'

	top_counts site-chdir
	interval site-none | sed 's/syscalls:/nosuch:/' >"$tmp/intervals.d/60-none.yaml"
	expect 1 '' "dktrace: pair 'site-none': this kernel has no event nosuch:sys_enter_chdir, nosuch:sys_exit_chdir" \
		dktrace top --batch --interval site-none
}

@test "an interval of no thread that a file in intervals.d has is a slice on a track of its own for perfetto" {
	command -v protoc >/dev/null || skip "needs protoc"
	add_interval
	interval site-life | sed '/per_task/d; s/syscalls:sys_enter_chdir/task:task_newtask/; s/syscalls:sys_exit_chdir/sched:sched_process_exit/
		s/match: .*/match: pid=common_pid/' >"$tmp/intervals.d/60-life.yaml"
	# Two children live at once, and end in the order in which they began.
	dktrace record -o "$tmp/a.dat" -e task:task_newtask,sched:sched_process_exit --children -- \
		sh -c 'mkfifo "$0"; cat "$0" & env true >"$0"; wait' "$tmp/fifo"
	dktrace report "$tmp/a.dat" --style perfetto -o "$tmp/a.pftrace"
	perfetto_text "$tmp/a.pftrace"
	begun=$(grep -c TYPE_SLICE_BEGIN "$tmp/a.pftrace.txt")
	at_least 2 "$begun" "slices"
	same "$(dktrace latency site-life "$tmp/a.dat" --csv 2>"$tmp/notes" | awk -F, 'NR == 2 { print $2 }')" \
		"$(grep -c TYPE_SLICE_END "$tmp/a.pftrace.txt")" "ends"
	# Each lane has a track with the name, beside the slices.
	at_least $((begun + 2)) "$(grep -c 'name: "site-life"' "$tmp/a.pftrace.txt")" "names"
}

@test "an interval of a thread that a file in intervals.d has is a slice for perfetto" {
	command -v protoc >/dev/null || skip "needs protoc"
	add_interval
	interval site-program | sed 's/syscalls:sys_enter_chdir/sched:sched_process_exec/; s/syscalls:sys_exit_chdir/sched:sched_process_exit/' \
		>"$tmp/intervals.d/60-program.yaml"
	dktrace record -o "$tmp/a.dat" -e sched:sched_process_exec,sched:sched_process_exit --comm "$shell" -- \
		"$tmp/$shell" -c 'cd /'
	dktrace report "$tmp/a.dat" --style perfetto -o "$tmp/a.pftrace"
	perfetto_text "$tmp/a.pftrace"
	has "$(cat "$tmp/a.pftrace.txt")" 'name: "site-program"'
	same "1 1" "$(grep -c TYPE_SLICE_BEGIN "$tmp/a.pftrace.txt") $(grep -c TYPE_SLICE_END "$tmp/a.pftrace.txt")" "begins and ends"
}

@test "an interval of a file in intervals.d is a condition of flight and a metric of the daemon" {
	add_interval
	recorders_measure site-chdir syscalls:sys_enter_chdir,syscalls:sys_exit_chdir
}

@test "a wrong file in intervals.d is named with the place, and a file of the same name replaces a shipped one" {
	add_interval
	echo 'intervals: { a: { about: x, entries: [ { begin: "a:b", end: "b:c" } ] } }' >"$tmp/intervals.d/60-wrong.yaml"
	expect 1 "" "dktrace: $tmp/intervals.d/60-wrong.yaml:1:40: an entry needs 'match'" dktrace latency
	expect 1 "" "dktrace: $tmp/intervals.d/60-wrong.yaml:1:40: an entry needs 'match'" dktrace latency site-chdir -- true
	expect 1 "" "dktrace: $tmp/intervals.d/60-wrong.yaml:1:40: an entry needs 'match'" \
		dktrace top --batch --interval site-chdi
	# Events that the user names need no file.
	run -0 --separate-stderr dktrace latency syscalls:sys_enter_chdir syscalls:sys_exit_chdir --match common_pid -- true
	rm "$tmp/intervals.d/60-wrong.yaml"
	interval only >"$tmp/intervals.d/10-intervals.yaml"
	expect 0 $'Ready-made pairs:\n  only         change of the directory\n  site-chdir   change of the directory' "" dktrace latency
}
