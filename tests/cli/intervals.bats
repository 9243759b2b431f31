#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files of ready-made intervals: the shipped ones, and wrong ones; live/intervals.bats has what they are good for.
# shellcheck disable=SC2154 # set by bats and helper/common.bash

load ../helper/common

# Prints a file with one interval, which has these lines more. usage: interval NAME [LINE...]
interval()
{
	printf 'intervals:\n  %s:\n    about: calls\n' "$1"
	shift
	printf '%s\n' "$@" '    entries:' '      - begin: syscalls:sys_enter_fsync' '        end: syscalls:sys_exit_fsync' \
		'        match: common_pid'
}

# Expects that the file on standard input is refused. usage: refused MESSAGE, which begins with LINE:COLUMN
refused()
{
	local dir=$BATS_TEST_TMPDIR/intervals.d

	mkdir -p "$dir"
	cat >"$dir/50-site.yaml"
	DKTRACE_INTERVALS=$dir expect 1 '' "dktrace: $dir/50-site.yaml:$1" dktrace latency -i "$capture"
}

@test "the analysis of each shipped interval exists" {
	local name n=0

	while read -r name; do
		n=$((n + 1))
		has "$(dktrace analyze)" "$name"
	done < <(sed -n 's/^    analysis: //p' "$top/share/intervals.d/"*.yaml)
	at_least 8 "$n" "analyses"
}

@test "an analysis that is not a name is refused with the place" {
	interval x '    analysis: block log' | refused "4:15: analysis 'block log' is not a name"
	interval x '    analysis: [ blocklog ]' | refused '4:15: analysis must be text'
	interval x '    analysis:' | refused '4:14: analysis is empty'
	interval x '    analysis: a' '    analysis: b' | refused "5:5: duplicate key 'analysis'"
}
