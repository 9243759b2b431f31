#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The styles on a recorded tree, beside golden output. UPDATE=1 rewrites it (after tests/fixture/record).

# shellcheck disable=SC2154 # set by bats
load helper

total=$(awk '$1 == "entries:" { n += $2 } END { print n }' "$capture"/per_cpu/cpu*/stats)

# The records of one process of the capture in that style.
of_rm()
{
	run -0 --separate-stderr dktrace show --input "$capture" --style "$1" \
		--pid "$(awk '$2 == "rm" { print $1; exit }' "$capture/saved_cmdlines")"
}

@test "raw: one process" {
	of_rm raw
	golden style-raw
}

@test "json: one process" {
	of_rm json
	golden style-json
}

@test "json: nothing but objects on stdout, one for each record" {
	run -0 --separate-stderr dktrace show --input "$capture" --style json
	same "Debug log: $total lines, $total kept, 0 dropped, 0 bad." "$stderr" "stderr"
	same "$total" "$(printf '%s\n' "$output" | jq -s length)" "objects"
	# In order of time, by both clocks.
	printf '%s\n' "$output" | jq -es 'map(.ts) == (map(.ts) | sort) and map(.wall) == (map(.wall) | sort)' >/dev/null
	printf '%s\n' "$output" | jq -es 'all(.[]; has("ts") and has("wall") and has("cpu") and has("pid") and
		has("comm") and has("flags") and has("system") and has("event") and (.fields | type == "object"))' >/dev/null
}

@test "json: the same records as in style trace" {
	dktrace show --input "$capture" --style trace | sed '$d' | sed 's/.*\] *[0-9.]*: \([^:]*\):.*/\1/' >"$BATS_TEST_TMPDIR/trace"
	dktrace show --input "$capture" --style json 2>/dev/null | jq -r .event >"$BATS_TEST_TMPDIR/json"
	cmp "$BATS_TEST_TMPDIR/trace" "$BATS_TEST_TMPDIR/json"
}

@test "a file gets the records, stdout the sums" {
	run -0 --separate-stderr dktrace show --input "$capture" --style json -o "$BATS_TEST_TMPDIR/file"
	same "Debug log: $total lines, $total kept, 0 dropped, 0 bad." "$output" "stdout"
	same "$total" "$(jq -s length "$BATS_TEST_TMPDIR/file")" "objects"
}

@test "completion knows every style" {
	run -0 dktrace __complete dktrace show --style ""
	has "$output" legacy
	has "$output" json
}
