#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# An interval that counts only within another one is measured wherever intervals are.
# shellcheck disable=SC2016,SC2154 # dollars are of files and sh; set by bats and helper/live.bash

load ../helper/live
load ../helper/intervals

# A shell by a name that no other process has, whose calls are recorded.
shell=wiv-$$

events=syscalls:sys_enter_chdir,syscalls:sys_exit_chdir,sched:sched_process_exec,sched:sched_process_exit

# Calls count only after the thread has begun a program, which the subshell that a test starts has not.
add_interval()
{
	mkdir "$tmp/intervals.d"
	cat >"$tmp/intervals.d/50-site.yaml" <<-'END'
		intervals:
		  site-life:
		    about: life of a program
		    entries:
		      - { begin: sched:sched_process_exec, end: sched:sched_process_exit, match: common_pid, per_task: true }
		  site-inner:
		    about: change of the directory by a program
		    entries:
		      - begin: syscalls:sys_enter_chdir
		        end: syscalls:sys_exit_chdir
		        match: common_pid
		        per_task: true
		        few_keys: true
		        within: { interval: site-life, match: common_pid }
	END
	export DKTRACE_INTERVALS=$top/share/intervals.d:$tmp/intervals.d
	ln -s "$(command -v sh)" "$tmp/$shell"
}

# Two calls count; the third is made by a process that runs no program of its own.
change_directory()
{
	"$tmp/$shell" -c 'cd /; cd /tmp; (cd /usr)'
}

@test "latency, view and sql measure an interval within another one" {
	add_interval
	cd "$tmp"
	dktrace record -o a.dat -e "$events" --children -- "$tmp/$shell" -c 'cd /; cd /tmp; (cd /usr)'
	has "$(dktrace latency a.dat)" $'\n  site-inner   change of the directory by a program'
	same 2 "$(dktrace latency site-inner a.dat --csv | awk -F, 'NR == 2 { print $2 }')" "pairs of the file"
	same 2 "$(dktrace latency site-inner --csv -- "$tmp/$shell" -c 'cd /; cd /tmp; (cd /usr)' | awk -F, 'NR == 2 { print $2 }')" "pairs of a command"
	same 2 "$(dktrace analyze periodstats a.dat --period site-inner --json | jq '.total[] | select(.all == "site_inner") | .count')" "periods"
	expect 0 $'n\n2' '' dktrace sql a.dat 'SELECT count(*) AS n FROM site_inner' --csv
	dktrace view a.dat -o page.html
	same '"site-inner" 2' "$(sed -n 's|.*<script type="application/json" id="data">||p' page.html |
		jq -r '.pairs[] | select(.name == "site-inner") | "\(.name | @json) \([.heat[][1]] | add)"')" "pairs of the page"
}

@test "latency says which events the outer interval lacks, and that the kernel cannot pair it" {
	local all="'$events'"

	add_interval
	cd "$tmp"
	dktrace record -o a.dat -e syscalls:sys_enter_chdir,syscalls:sys_exit_chdir -- "$tmp/$shell" -c 'cd /'
	expect 1 '' "dktrace: pair 'site-inner': the file has no event sched:sched_process_exec, sched:sched_process_exit; to record it: dktrace record -e $all" \
		dktrace latency site-inner a.dat
	dktrace record -o b.dat -e "$events" --children -- true
	run -0 --separate-stderr dktrace latency site-inner b.dat
	same "dktrace: b.dat has no 'site-inner' that began within 'site-life'; to record both: dktrace record -e $all" "$stderr" "notes"
	sed -i 's/sched:sched_process_e/nosuch:e/g' "$tmp/intervals.d/50-site.yaml"
	expect 1 '' "dktrace: pair 'site-inner': this kernel has no event nosuch:exec, nosuch:exit" dktrace latency site-inner -- true
	expect 1 '' "dktrace: pair 'site-inner': this kernel has no event nosuch:exec, nosuch:exit" \
		dktrace top --batch --interval site-inner
}

@test "top counts an interval within another one" {
	add_interval
	top_counts site-inner
}

@test "flight and the daemon measure an interval within another one" {
	add_interval
	recorders_measure site-inner "$events"
}

@test "perfetto draws an interval within another one" {
	command -v protoc >/dev/null || skip "needs protoc"
	add_interval
	sed -i 's/syscalls:sys_enter_chdir/sched:sched_process_fork/; s/syscalls:sys_exit_chdir/sched:sched_process_exit/; s/match: common_pid$/match: child_pid=common_pid/' \
		"$tmp/intervals.d/50-site.yaml"
	dktrace record -o "$tmp/b.dat" -e sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit --children -- \
		"$tmp/$shell" -c '(true); (true; (true)); true'
	dktrace report "$tmp/b.dat" --style perfetto -o "$tmp/b.pftrace"
	perfetto_text "$tmp/b.pftrace"
	# The third fork is by a child that runs no program of its own; the program is a slice of its thread.
	same "2 3" "$(dktrace latency site-inner "$tmp/b.dat" --csv | awk -F, 'NR == 2 { print $2 }') $(grep -c TYPE_SLICE_END "$tmp/b.pftrace.txt")" "slices"
	has "$(cat "$tmp/b.pftrace.txt")" 'name: "site-inner"'
}
