#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The example that reads a recording, built from the installed tree.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common
load ../helper/example

setup_file()
{
	install_library
}

@test "histogram counts the records of a trace.dat file" {
	local file=$top/tests/fixture/tracedat/v7-zstd.dat
	build_example histogram
	"$example" "$file" sched:sched_switch prev_comm,next_comm >"$BATS_TEST_TMPDIR/example"
	dktrace hist --input "$file" sched:sched_switch --keys prev_comm,next_comm --top 0 --json >"$BATS_TEST_TMPDIR/tool"
	cat "$BATS_TEST_TMPDIR/example"
	same "$(jq -r '.. | objects | select(has("prev_comm")) | [.prev_comm, .next_comm, .hitcount] | @tsv' \
		"$BATS_TEST_TMPDIR/tool" | sort)" "$(sort "$BATS_TEST_TMPDIR/example")"
}

@test "histogram reports what is wrong" {
	local file=$top/tests/fixture/tracedat/v7-zstd.dat
	build_example histogram
	run -2 "$example"
	expect 1 "" "histogram: open /no/file: No such file or directory" "$example" /no/file a:b c
	expect 1 "" "histogram: there is no event no:such" "$example" "$file" no:such comm
	run -1 "$example" "$file" sched:sched_switch nofield
	has "$output" "sched:sched_switch has no field 'nofield'"
}
