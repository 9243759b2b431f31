#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Files of ready-made intervals: the shipped ones, and wrong ones; live/intervals.bats has what they are good for.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/common.bash; dollars are of the files

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

# Prints a file with an interval whose entry has these lines more. usage: entry LINE...
entry()
{
	interval x
	printf '        %s\n' "$@"
}

@test "wrong fields to show are refused with the place" {
	entry 'show: a.sym' | refused "8:15: 'a.sym' is not FIELD, \$begin.FIELD or NAME=FIELD"
	entry 'show: $end.a' | refused "8:15: '\$end.a' is not FIELD, \$begin.FIELD or NAME=FIELD"
	entry 'show: [ a, "=b" ]' | refused "8:20: '=b' is not FIELD, \$begin.FIELD or NAME=FIELD"
	entry 'show: [ a, "b c=d" ]' | refused "8:20: 'b c=d' is not FIELD, \$begin.FIELD or NAME=FIELD"
	entry 'show: $begin.' | refused "8:15: '\$begin.' is not FIELD, \$begin.FIELD or NAME=FIELD"
	entry 'show: [ a, b, c, d, e, f ]' | refused '8:32: more than 5 fields to show'
	entry 'show: { a: b }' | refused '8:15: show must be a list'
}

@test "a wrong outer interval is refused with the place" {
	entry 'within: y' | refused "8:17: expected lines of 'key: ...'"
	entry 'within: { match: common_pid }' | refused "8:17: within needs 'interval'"
	entry 'within: { interval: y }' | refused "8:17: within needs 'match'"
	entry 'within: { interval: y, match: common_pid, a: b }' | refused "8:51: unknown key 'a'"
	entry 'within: { interval: y, match: common_pid }' | refused "8:17: within: there is no interval 'y'"
	entry 'within: { interval: x, match: common_pid }' |
		refused "8:17: within: 'x' is within itself, or more than 8 intervals deep"
	entry 'within: { interval: x, match: block_request }' | refused '8:17: within: match has fields, not block_request'
	entry 'within: { interval: x, match: "a,b,c,d" }' | refused "8:17: key: more than 3 fields
  a,b,c,d
        ^"
	refused "7:9: all entries of 'z' must be within the same interval" <<-'END'
		intervals:
		  y: { about: y, entries: [ { begin: "a:b", end: "a:c", match: d } ] }
		  z:
		    about: z
		    entries:
		      - { begin: "a:b", end: "a:c", match: d, within: { interval: y, match: d } }
		      - { begin: "a:b", end: "a:c", match: d }
	END
}

@test "what counts only within another interval needs the events of both" {
	local both=block:block_rq_issue,block:block_rq_complete,syscalls:sys_enter_fsync,syscalls:sys_enter_fdatasync,syscalls:sys_exit_fsync,syscalls:sys_exit_fdatasync

	run -1 --separate-stderr dktrace latency fsync-block -i "$capture"
	has "$stderr" "dktrace: pair 'fsync-block': the file has no event "
	has "$stderr" "; to record it: dktrace record -e '$both'"
	same fsync-block "$(dktrace __complete dktrace latency fsync-b)" "completion of latency"
	same fsync-block "$(dktrace __complete dktrace analyze periodstats --period fsync-b)" "completion of a period"
}

@test "top --interval takes the names of ready-made pairs" {
	local begin='dktrace: --interval: '

	expect 2 '' "$begin'fsnyc' is not a ready-made pair; did you mean fsync?; 'dktrace latency' lists them" \
		dktrace top --batch --interval jbd2,fsnyc
	expect 2 '' "${begin}give the names of ready-made pairs, such as fsync,jbd2" dktrace top --batch --interval ,
	same $'jbd2,fsync\njbd2,fsync-block' "$(dktrace __complete dktrace top --interval jbd2,fsy)" "completion"
}
