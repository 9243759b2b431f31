#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Trees saved from kernels of RHEL: classes, features, records and histograms as these kernels write them.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

setup_file()
{
	mkdir "$BATS_FILE_TMPDIR/el8"
	xzcat "$BATS_TEST_DIRNAME/../fixture/kernels/el8-4.18.tar.xz" | tar x -C "$BATS_FILE_TMPDIR/el8"
}

setup()
{
	export DKTRACE_ROOT=$BATS_FILE_TMPDIR/el8
	# As the source of records, the pages of the instance.
	records=$BATS_TEST_TMPDIR/records
	mkdir "$records"
	cp -r "$DKTRACE_ROOT"/{events,available_events,saved_cmdlines,printk_formats} "$records"
	cp -r "$DKTRACE_ROOT/instances/dktrace/"{per_cpu,trace_clock} "$records"
}

@test "el8: every class but hsm has events" {
	run -0 --separate-stderr dktrace list classes --csv
	output=$(cut -d , -f 1-3 <<<"$output")
	golden kernels-el8-classes
}

@test "el8: doctor knows what the kernel lacks" {
	run -0 --separate-stderr dktrace doctor --csv
	for what in error_log 'fprobe events' 'sub-buffer size'; do
		has "$output" "$what,false,not in this kernel"
	done
	for what in instances 'clock mono' 'kprobe events' 'uprobe events' 'synthetic events' histograms function_graph; do
		has "$output" "$what,true,"
	done
}

@test "el8: all records print, and none is bad" {
	unset DKTRACE_ROOT
	run -0 --separate-stderr dktrace dk --input "$records" --style trace
	same "Debug log: 2468 lines, 2468 kept, 0 dropped, 0 bad." "${lines[-1]}" "all"
	lacks "$output" unknown
	# A line of each event.
	output=$(printf '%s\n' "$output" | sed '$d; s/^.*[0-9]: \([a-z0-9_]*: \)/\1/' | sort -u -t : -k 1,1)
	golden kernels-el8-records
}

@test "el8: expressions and answers take its fields" {
	unset DKTRACE_ROOT
	run -0 --separate-stderr dktrace dk --input "$records" --filter 'count == 4096 && COMM == dd' --style trace
	at_least 3 "$(grep -c sys_enter_write <<<"$output")" "writes of dd"
	no_line ' count: 0x0*[^1]' <(grep -v 'count: 0x0*1000$' <<<"$output")
	run -0 --separate-stderr dktrace latency syscall "$records" --csv
	has "$output" $'\n'"fsync,"
}

@test "el8: the ready-made counts take its fields" {
	run -0 dktrace list counts --csv
	mapfile -t names < <(sed -n '/does not have the events/d; s/^\([a-z-]*\),.*/\1/p' <<<"$output" | grep -v '^name$')
	at_least 15 "${#names[@]}" "counts whose events the kernel has"
	unset DKTRACE_ROOT
	for name in "${names[@]}"; do
		run --separate-stderr dktrace hist "$name" --input "$records" --csv
		same "0 " "$status $stderr" "hist $name"
	done
}

@test "el8: its histograms are read" {
	run -0 --separate-stderr dktrace hist --csv
	golden kernels-el8-hist
}
