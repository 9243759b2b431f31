#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A binding that is made from the installed description of the library.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common
load ../helper/example

setup_file()
{
	install_library
}

# bats test_tags=plain
@test "a binding made from the description alone reads a file as report does" {
	local file=$top/tests/fixture/tracedat/v7-zstd.dat
	grep -q fsanitize "$build/gen/flags" && skip "python3 cannot load a library with sanitizers"
	run -0 "$top/tests/tools/toy-binding" "$DESTDIR/usr/local/share/dktrace/libdktrace.json" \
		"$LD_LIBRARY_PATH/libdktrace.so.0" "$file"
	at_least 2 "${#lines[@]}" "events"
	same "$(dktrace report "$file" --style json | jq -r 'select(.stream == null) | .event // empty' | LC_ALL=C sort | uniq -c |
		awk '{ print $2, $1 }')" "$output" "records of each event"
}
