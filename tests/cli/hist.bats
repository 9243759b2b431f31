#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# hist: wrong arguments, and the tables of a saved tree.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/common.bash; dollars are the kernel's

load ../helper/common

hist()
{
	dktrace hist "$@" --input "$capture"
}

@test "hist of a saved tree prints keys, sums and bars in order" {
	run -0 hist syscalls:sys_exit_read -k ret.log2 --vals ret
	golden hist
	run -0 hist syscalls:sys_exit_read -k ret --csv --sort hitcount.descending,ret.descending -n 3
	same 3 "$((${#lines[@]} - 1))" rows
	same 'ret,hitcount' "${lines[0]}" head
	run -0 hist 'syscalls:sys_*_read' --csv
	same 'event,hitcount
syscalls:sys_enter_read,48
syscalls:sys_exit_read,48' "$output" 'two events by name'
	run -0 --separate-stderr hist iotrace -k fd --csv
	has "$stderr" 'events have the fields and are counted'
}

@test "the last line of hist says row of one" {
	run -0 hist syscalls:sys_exit_read
	same "48 hits in 1 row, 0 did not fit" "${lines[-1]}" "one row"
	run -0 hist syscalls:sys_exit_read -k ret.log2 -n 4
	has "$output" "(1 more row)"
	same "48 hits in 5 rows, 0 did not fit" "${lines[-1]}" "five rows"
}

@test "bars have eighths of a column if the locale has UTF-8" {
	LC_ALL=C.UTF-8 run -0 hist syscalls:sys_exit_read -k ret.log2 --vals ret
	# 15 of 15 are 55 columns, 11 are 40 3/8, 4 are 14 5/8.
	has "${lines[4]}" " $(printf '█%.0s' {1..55})"
	same "$(printf '█%.0s' {1..40})▍" "${lines[3]##* }" "eleven"
	same "$(printf '█%.0s' {1..14})▋" "${lines[5]##* }" "four"
}

@test "hist takes a ready-made count, with other fields and a narrower filter if asked" {
	hist syscalls:sys_exit_openat -k __syscall_nr.syscall,ret -f 'ret == -2' --csv >"$BATS_TEST_TMPDIR/errors"
	same 2 "$(wc -l <"$BATS_TEST_TMPDIR/errors")" "heading and row"
	run -0 hist failed-calls --csv -f '__syscall_nr == 257'
	same "$(sed 1d "$BATS_TEST_TMPDIR/errors")" "$(printf '%s\n' "${lines[@]:1}")" "the errors of openat"
	run -0 hist opens -k event --csv
	same "$(hist 'syscalls:sys_enter_open*' --csv)" "$output" "the user's own fields"
	run -1 --separate-stderr hist retransmits
	same "dktrace: retransmits: the file has no event tcp:tcp_retransmit_skb; to record it: dktrace record -e 'tcp:tcp_retransmit_skb'" \
		"$stderr" "events that the file lacks"
}

@test "hist counts only the records of an event that belong to the class" {
	mkdir "$BATS_TEST_TMPDIR/classes"
	cat >"$BATS_TEST_TMPDIR/classes/10.yaml" <<-END
		classes:
		  error:
		    about: reads of nothing
		    entries:
		      - events: syscalls:sys_exit_read
		        filter: ret == 0
		      - events: syscalls:sys_enter_read
	END
	export DKTRACE_CLASSES=$BATS_TEST_TMPDIR/classes
	run -0 hist syscalls:sys_exit_read -k event --csv --filter 'ret == 0'
	part=${lines[1]#*,}
	((part > 0 && part < 48))
	run -0 hist error -k event --csv
	has "$output" "syscalls:sys_exit_read,$part"
	has "$output" 'syscalls:sys_enter_read,48'
	run -0 hist error -k event --csv --filter 'ret > 0'
	lacks "$output" sys_exit_read
}

@test "hist prints JSON, and --diff shows the difference to it" {
	run -0 hist syscalls:sys_exit_read -k ret --vals ret --json
	printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/then"
	same 48 "$(jq .hits <<<"$output")" hits
	same "$(jq '[.rows[] | .ret * .hitcount] | add' <<<"$output")" "$(jq '[.rows[].ret_sum] | add' <<<"$output")" sums
	run -0 hist syscalls:sys_exit_read -k ret --vals ret --csv --diff "$BATS_TEST_TMPDIR/then"
	same 0 "$(sed 1d <<<"$output" | cut -d , -f 2 | sort -u)" 'nothing came since'
	jq -c '.rows[].hitcount += 2' "$BATS_TEST_TMPDIR/then" >"$BATS_TEST_TMPDIR/more"
	run -0 hist syscalls:sys_exit_read -k ret --vals ret --csv --diff "$BATS_TEST_TMPDIR/more"
	same -2 "$(sed 1d <<<"$output" | cut -d , -f 2 | sort -u)" 'fewer than then'
	run -1 hist syscalls:sys_exit_read -k ret.hex --diff /dev/null
	has "$output" 'dktrace: read /dev/null: '
	echo '{"rows": [{"x": 1}]}' >"$BATS_TEST_TMPDIR/other"
	run -1 hist syscalls:sys_exit_read -k ret --diff "$BATS_TEST_TMPDIR/other"
	has "$output" 'row 1 does not have the columns of this table'
}

@test "hist takes filters, names of processes and system calls of a file" {
	run -0 hist syscalls:sys_enter_openat -k common_pid.execname --filter 'COMM == sync' --csv
	same 'common_pid,hitcount
sync[21739],1' "$(sed 's/,[0-9]*$/,1/' <<<"$output")" 'one process'
	run -0 hist syscalls:sys_enter_read -k fd.buckets=2 --csv
	has "$output" '2-3,'
}

@test "invalid arguments change nothing, and the message shows the place" {
	expect 1 '' "dktrace: keys: a field's name is expected here
  fd,,
     ^" hist syscalls:sys_enter_read -k fd,,
	expect 1 '' "dktrace: syscalls:sys_enter_read has no field 'fdd'; did you mean fd?" \
		hist syscalls:sys_enter_read -k fdd
	expect 1 '' "dktrace: size: 100 is not a power of two from 128 to 131072" \
		hist syscalls:sys_enter_read -k fd --size 100
	expect 2 '' "dktrace: sort: 'x' is not a column; the columns are fd, hitcount
  x
  ^" hist syscalls:sys_enter_read -k fd --sort x
	expect 1 '' "dktrace: variables and actions are available in the kernel only" \
		hist syscalls:sys_enter_read -k fd --var x=fd
	expect 1 '' "dktrace: --folded: no key is a stack" hist syscalls:sys_enter_read -k fd --folded
	expect 1 '' "dktrace: filter: syscalls:sys_enter_read has no field 'fdd'; did you mean fd?
  fdd == 1
  ^" hist syscalls:sys_enter_read -k fd --filter 'fdd == 1'
	expect 2 '' "dktrace: hist: cannot combine a file with --watch: a file does not grow" hist syscalls:sys_enter_read -w
	expect 2 '' "dktrace: --watch: 'x' is not a number of seconds above 0; units are ns, us, ms, s, m, h and d" dktrace hist syscalls:sys_enter_read -wx
	expect 2 '' "dktrace: --size: 'x' is not a number" hist syscalls:sys_enter_read --size x
	run -1 hist no:such
	has "$output" "'no:such'"
}

@test "hist of a file without EVENT counts all its events" {
	file=$top/tests/fixture/tracedat/v6.dat
	expect 0 "$(dktrace hist all -i "$file" --csv)" "" dktrace hist -i "$file" --csv
}

@test "the sizes of requests are in order, with ranges in whole units and disks as the kernel names them" {
	local text=$top/tests/fixture/text/trace-6.18.txt i

	cd "$BATS_TEST_TMPDIR"
	run -3 --separate-stderr dktrace hist disk-sizes --input "$text"
	same '254,0 2-4 KiB|254,0 16-32 KiB|254,0 128-256 KiB' "$(sed -n '2,4s/^\([^ ]* [^ ]* KiB\).*/\1/p' <<<"$output" | paste -sd '|')" rows
	# Scripts get numbers, and the name last.
	run -3 --separate-stderr dktrace hist disk-sizes --input "$text" --csv
	same '266338304,131073-262144,1,192512,"254,0"' "${lines[3]}" csv
	# The most frequent size is not the first.
	for i in {1..3}; do
		echo "   dd-7 [000] 1.00000$i: block_rq_issue: 254,16 W 2097152 () 8 + 4096 none,0,0 [dd]"
	done >large.txt
	echo "   dd-7 [000] 1.000009: block_rq_issue: 254,16 W 512 () 8 + 1 none,0,0 [dd]" >>large.txt
	run -0 --separate-stderr dktrace hist disk-sizes --input large.txt
	same '254,16 256-512 B|254,16 1-2 MiB' "$(sed -n '2,3s/^\([^ ]* *[^ ]* [KM]*i*B\).*/\1/p' <<<"$output" | tr -s ' ' | paste -sd '|')" "by size"
	run -0 --separate-stderr dktrace hist disk-sizes --input large.txt --style svg
	has "$output" '254,16  1-2 MiB'
}

# Keeps a histogram of the event in a tree in place of tracefs, as the kernel shows it.
keep()
{
	local dir=tree/instances/dktrace-hist/events/syscalls/$1 trigger='hist:keys=common_pid:vals=hitcount:sort=hitcount:size=2048'

	mkdir -p "$dir"
	echo "$trigger [active]" >"$dir/trigger"
	printf '# event histogram\n#\n# trigger info: %s [active]\n#\n\n%s\n%s\n\nTotals:\n    Hits: 12\n    Entries: 2\n    Dropped: 0\n' \
		"$trigger" '{ common_pid:         11 } hitcount:          3' '{ common_pid:         22 } hitcount:          9' >"$dir/hist"
}

@test "a kept histogram is shown as --style and --top say" {
	cd "$BATS_TEST_TMPDIR" || return
	cp -r "$capture" tree
	mkdir -p tree/instances/dktrace-hist/per_cpu/cpu0
	: >tree/instances/dktrace-hist/trace
	keep sys_enter_close
	export DKTRACE_ROOT=$PWD/tree
	run -0 --separate-stderr dktrace hist
	has "$output" "syscalls:sys_enter_close hist:keys=common_pid"
	run -0 --separate-stderr dktrace hist --style svg
	has "${lines[0]}" "<svg"
	lacks "$output" "hist:keys"
	same "</svg>" "${lines[-1]}" "the end"
	run -0 --separate-stderr dktrace hist --top 1
	no_line '^ *11 ' <(printf '%s\n' "$output")
	run -2 --separate-stderr dktrace hist --top x
	same "dktrace: --top: 'x' is not a number" "$stderr" "top"
	keep sys_enter_fcntl
	run -1 --separate-stderr dktrace hist --style svg
	has "$stderr" "syscalls:sys_enter_fcntl is kept, too, and is not in the picture"
	same 1 "$(grep -c '<svg' <<<"$output")" "documents"
}
