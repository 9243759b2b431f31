#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The styles on a recorded tree, beside golden output. UPDATE=1 rewrites it (after tests/fixture/record).

# shellcheck disable=SC2154 # set by bats
load ../helper/common

total=$(awk '$1 == "entries:" { n += $2 } END { print n }' "$capture"/per_cpu/cpu*/stats)

# The records of one process of the capture in that style.
of_rm()
{
	run -0 --separate-stderr dktrace show --input "$capture" --style "$1" \
		--pid "$(awk '$2 == "rm" { print $1; exit }' "$capture/saved_cmdlines")"
}

@test "folded of records without a stack says that they have none, and how to record them" {
	local wanted="dktrace: no record has a stack; 'dktrace record --stack EVENTS' records them"

	expect 0 "" "$wanted" dktrace report --style folded "$capture"
	expect 0 "" "$wanted" dktrace convert --format folded "$capture" "$BATS_TEST_TMPDIR/out"
}

@test "style raw prints one process as expected" {
	of_rm raw
	golden style-raw
}

@test "style json prints one process as expected" {
	of_rm json
	golden style-json
}

@test "style json prints one object for each record and nothing else on stdout" {
	run -0 --separate-stderr dktrace show --input "$capture" --style json
	same "Debug log: $total lines, $total kept, 0 dropped, 0 bad." "$stderr" "stderr"
	same "$total" "$(printf '%s\n' "$output" | jq -s length)" "objects"
	# In order of time, by both clocks.
	printf '%s\n' "$output" | jq -es 'map(.ts) == (map(.ts) | sort) and map(.wall) == (map(.wall) | sort)' >/dev/null
	printf '%s\n' "$output" | jq -es 'all(.[]; has("ts") and has("wall") and has("cpu") and has("pid") and
		has("comm") and has("flags") and has("system") and has("event") and (.fields | type == "object"))' >/dev/null
}

@test "style json prints the same records as style trace" {
	dktrace show --input "$capture" --style trace | sed '$d' | sed 's/.*\] *[0-9.]*: \([^:]*\):.*/\1/' >"$BATS_TEST_TMPDIR/trace"
	dktrace show --input "$capture" --style json 2>/dev/null | jq -r .event >"$BATS_TEST_TMPDIR/json"
	cmp "$BATS_TEST_TMPDIR/trace" "$BATS_TEST_TMPDIR/json"
}

@test "style csv prints a table for each event" {
	of_rm csv
	golden style-csv
}

@test "a database reads the same values from csv as from json" {
	command -v sqlite3 >/dev/null || skip "needs sqlite3"
	dktrace show --input "$capture" --style csv 2>/dev/null | grep -a '^syscalls,sys_exit_write,' >"$BATS_TEST_TMPDIR/rows.csv"
	sqlite3 -csv :memory: 'create table t(system,event,ts int,wall,cpu int,pid int,comm,flags,nr int,ret int)' \
		".import $BATS_TEST_TMPDIR/rows.csv t" 'select count(*), sum(ts), sum(ret) from t' | tr -d '\r' >"$BATS_TEST_TMPDIR/sums"
	dktrace show --input "$capture" --style json 2>/dev/null | jq -rs 'map(select(.event == "sys_exit_write")) |
		"\(length),\(map(.ts) | add),\(map(.fields.ret) | add)"' | diff "$BATS_TEST_TMPDIR/sums" -
}

@test "babeltrace2 reads back every record of style ctf" {
	command -v babeltrace2 >/dev/null || skip "needs babeltrace2"
	local dir=$BATS_TEST_TMPDIR/ctf

	run -0 --separate-stderr dktrace show --input "$capture" --style ctf -o "$dir"
	same "Debug log: $total lines, $total kept, 0 dropped, 0 bad." "$output" "stdout"
	babeltrace2 --clock-gmt --clock-date --no-delta "$dir" >"$BATS_TEST_TMPDIR/read"
	# The same times, CPUs, processes and events as in json. A saved tree does not tell its host.
	sed -E 's/^\[([^ ]*) ([^]]*)\] ([^:]*):([^:]*): \{ cpu_id = ([0-9]*) \}, \{ pid = ([0-9]*), comm = "([^"]*)".*/\1T\2Z \3 \4 \5 \6 \7/' \
		"$BATS_TEST_TMPDIR/read" >"$BATS_TEST_TMPDIR/ctf.keys"
	dktrace show --input "$capture" --style json 2>/dev/null |
		jq -r '"\(.wall) \(.system) \(.event) \(.cpu) \(.pid) \(.comm)"' | cmp - "$BATS_TEST_TMPDIR/ctf.keys"
	# And the same values: results of system calls.
	sed -nE 's/.* ret = (-?[0-9]*) .*/\1/p' "$BATS_TEST_TMPDIR/read" >"$BATS_TEST_TMPDIR/ctf.ret"
	dktrace show --input "$capture" --style json 2>/dev/null | jq -r '.fields.ret // empty' | cmp - "$BATS_TEST_TMPDIR/ctf.ret"
}

@test "style ctf2 has the files of ctf, and describes them in JSON" {
	local one=$BATS_TEST_TMPDIR/one.ctf two=$BATS_TEST_TMPDIR/two.ctf2 file

	dktrace convert "$capture" "$one"
	dktrace convert "$capture" "$two"
	# The files differ in the ID of the trace only, which is in the head of their only packet.
	for file in "$one"/cpu*; do
		cmp <(head -c 4 "$file") <(head -c 4 "$two/${file##*/}")
		cmp <(tail -c +21 "$file") <(tail -c +21 "$two/${file##*/}")
	done
	same "$(ls "$one")" "$(ls "$two")" "files"
	same "$(grep -c '^event {' "$one/metadata")" \
		"$(jq --seq -c 'select(.type == "event-record-class")' "$two/metadata" | wc -l)" "events"
	same "$(sed -n 's/^\tname = "\(.*\)";$/\1/p' "$one/metadata")" \
		"$(tr -d '\036' <"$two/metadata" | jq -r 'select(.type == "event-record-class").name')" "names"
	# In detail: numbers of each kind, addresses, arrays with and without a length.
	"$top/tests/tools/gen-args" zlib >"$BATS_TEST_TMPDIR/args.dat"
	dktrace convert "$BATS_TEST_TMPDIR/args.dat" "$BATS_TEST_TMPDIR/args.ctf2"
	run -0 jq --seq . <(sed 's/"uuid":\[[0-9,]*\]/"uuid":[1]/' "$BATS_TEST_TMPDIR/args.ctf2/metadata")
	output=$(tr -d '\036' <<<"$output" | jq -c .)
	golden ctf2-metadata
}

# The events that babeltrace2 reads, without their context. usage: read_lttng FILE
read_lttng()
{
	local dir

	dir=$(mktemp -d -p "$BATS_TEST_TMPDIR")/kernel
	dktrace convert --format ctf-lttng "$1" "$dir" 2>/dev/null || [ $? -eq 3 ]
	grep -q 'tracer_name = "lttng-modules"' "$dir/metadata"
	babeltrace2 --clock-cycles --no-delta "$dir" 2>/dev/null |
		sed -E 's/^\[0*([0-9]*)\] (.* )?([a-z0-9_]*): \{ cpu_id = [0-9]* \}, \{ [^}]* \}, /\1 \3 /'
}

@test "style ctf-lttng has the names and values that readers of LTTng's traces expect" {
	command -v babeltrace2 >/dev/null || skip "needs babeltrace2"
	local raw=$BATS_TEST_TMPDIR/raw.txt

	cat >"$raw" <<-'END'
		# tracer: nop
		#
		             cat-100     [000] .....    10.000001: sys_enter: NR 0 (3, 7ffd0000, 400, 0, 0, 0)
		             cat-100     [000] .....    10.000005: sys_exit: NR 0 = 1024
		             cat-100     [000] .....    10.000007: sys_enter: NR 257 (ffffff9c, 7ffd1000, 80000, 0, 0, 0)
		             cat-100     [000] .....    10.000009: sys_exit: NR 257 = -2
		             cat-100     [000] .....    10.000011: sys_enter: NR -1 (1, 2, 3, 4, 5, 6)
	END
	same '10000001000 syscall_entry_read { fd = 3, buf = 2147287040, count = 1024, arg3 = 0x0, arg4 = 0x0, arg5 = 0x0 }
10000005000 syscall_exit_read { ret = 1024 }
10000007000 syscall_entry_openat { dfd = 4294967196, filename = "0x7ffd1000", flags = 524288, mode = 0, arg4 = 0x0, arg5 = 0x0 }
10000009000 syscall_exit_openat { ret = -2 }
10000011000 syscall_entry_unknown { arg0 = 0x1, arg1 = 0x2, arg2 = 0x3, arg3 = 0x4, arg4 = 0x5, arg5 = 0x6 }' \
		"$(read_lttng "$raw")" "raw system calls"
	read_lttng "$top/tests/fixture/text/trace-6.18.txt" >"$BATS_TEST_TMPDIR/text"
	has_line '^[0-9]+ syscall_entry_openat \{ dfd = 4294967196, filename = "0x55d3723fdae0", flags = 577, mode = 438 \}' "$BATS_TEST_TMPDIR/text"
	has_line '^4459564700000 block_rq_issue .* rwbs = 34, ' "$BATS_TEST_TMPDIR/text"
	has_line '^[0-9]+ block_rq_complete .* errors = 0, .* rwbs = 1, ' "$BATS_TEST_TMPDIR/text"
	has_line '^[0-9]+ irq_softirq_entry \{ vec = 9 \}' "$BATS_TEST_TMPDIR/text"
	has_line '^[0-9]+ timer_hrtimer_expire_exit ' "$BATS_TEST_TMPDIR/text"
	read_lttng "$top/tests/fixture/perfdata/plain.data" >"$BATS_TEST_TMPDIR/sched"
	same 96 "$(wc -l <"$BATS_TEST_TMPDIR/sched")" "events"
	has_line '^[0-9]+ sched_switch .* prev_tid = 21190, .* next_tid = 18, ' "$BATS_TEST_TMPDIR/sched"
	has_line ' parent_pid = 21192, .* child_pid = 21194, parent_tid = 21192, child_tid = 21194 \}' "$BATS_TEST_TMPDIR/sched"
	has_line ' sched_process_exec \{ filename = "/usr/bin/sh", tid = 21192, old_tid = 21192 \}' "$BATS_TEST_TMPDIR/sched"
}

@test "style ctf refuses a directory that is not empty" {
	mkdir "$BATS_TEST_TMPDIR/full"
	touch "$BATS_TEST_TMPDIR/full/file"
	expect 1 "" "dktrace: create $BATS_TEST_TMPDIR/full: the directory is not empty (it contains file); name a new or empty one" \
		dktrace show --input "$capture" --style ctf -o "$BATS_TEST_TMPDIR/full"
	expect 1 "" "dktrace: create $BATS_TEST_TMPDIR/no/dir: No such file or directory" \
		dktrace show --input "$capture" --style ctf -o "$BATS_TEST_TMPDIR/no/dir"
	expect 2 "" "dktrace: --style ctf: name the directory for its files" dktrace show --input "$capture" --style ctf
}

@test "style perfetto prints every record as the beginning or end of a slice, or as an instant" {
	command -v protoc >/dev/null || skip "needs protoc"
	local file=$BATS_TEST_TMPDIR/pftrace begun

	run -0 dktrace show --input "$capture" --style perfetto -o "$file"
	perfetto_text "$file"
	same "$total" "$(grep -c '^ *type: TYPE_' "$file.txt")" "events"
	begun=$(grep -c 'type: TYPE_SLICE_BEGIN' "$file.txt")
	[ "$begun" -gt $((total / 3)) ]
	# Every system call that began has ended, but those that were left at the end of the capture.
	[ $((begun - $(grep -c 'type: TYPE_SLICE_END' "$file.txt"))) -lt 8 ]
	# As many threads as json has.
	same "$(dktrace show --input "$capture" --style json 2>/dev/null | jq .pid | sort -u | grep -vc '^0$')" \
		"$(grep -c '^ *thread_name:' "$file.txt")" "threads"
	has "$(cat "$file.txt")" 'name: "unlinkat"'
	# A period, and a thread's work in it, by the same clock as in json.
	same "$(dktrace show --input "$capture" --style json 2>/dev/null | head -n 1 | jq .ts)" \
		"$(awk '/clock_id: 6/ { getline; print $2; exit }' "$file.txt")" "first time"
}

@test "-o writes the records to a file and the summary to stdout" {
	run -0 --separate-stderr dktrace show --input "$capture" --style json -o "$BATS_TEST_TMPDIR/file"
	same "Debug log: $total lines, $total kept, 0 dropped, 0 bad." "$output" "stdout"
	same "$total" "$(jq -s length "$BATS_TEST_TMPDIR/file")" "objects"
}

@test "completion offers every style" {
	run -0 dktrace __complete dktrace show --style ""
	has "$output" legacy
	has "$output" json
}

@test "a terminal gets colours in styles for people only" {
	on_terminal()
	{
		env "${@:2}" script -qec "dktrace show --input '$capture' --cpu 1 --style $1" /dev/null </dev/null >"$BATS_TEST_TMPDIR/out"
	}
	on_terminal trace NO_COLOR=
	grep -q $'\033\\[36msys_exit_write\033\\[0m:' "$BATS_TEST_TMPDIR/out"
	on_terminal trace NO_COLOR=1
	run -1 grep -q $'\033' "$BATS_TEST_TMPDIR/out"
	on_terminal csv NO_COLOR=
	run -1 grep -qE $'\033|x0d' "$BATS_TEST_TMPDIR/out"
	dktrace show --input "$capture" --style trace | head -n 1 >"$BATS_TEST_TMPDIR/out"
	run -1 grep -q $'\033' "$BATS_TEST_TMPDIR/out"
	on_terminal perfetto NO_COLOR= || true
	has "$(cat "$BATS_TEST_TMPDIR/out")" "dktrace: --style perfetto: not for a terminal; name a file"
}
