#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# flight: words and errors that need no tracer.
# shellcheck disable=SC2154

load ../helper/common

# usage: refused EXIT MESSAGE ARGUMENT...
refused()
{
	local status_wanted=$1 words=$2

	shift 2
	run "-$status_wanted" dktrace flight "$@"
	[[ "$output" == *"$words"* ]]
}

@test "flight: unknown and extra words" {
	refused 2 "start, status, dump" begin
	refused 2 'usage: dktrace flight status' status now
	refused 2 'flight' dump a b
	refused 2 'the reason is empty' dump ''
}

@test "flight start: values are checked before anything is created" {
	refused 2 'name what to record' start
	refused 2 '--size' start -e a:b --size x
	refused 2 '--size' start -e a:b --size 0
	refused 2 '--max-size' start -e a:b --max-size -1
	refused 2 '--max-dumps' start -e a:b --max-dumps 0
	refused 2 '--max-dumps' start -e a:b --max-dumps x
	refused 2 '--keep' start -e a:b --keep 0
	refused 2 '--after' start -e a:b --after soon
	refused 2 '--exec' start -e a:b --exec ''
}

@test "flight: options of other commands are unknown" {
	refused 2 "unrecognized option '--sql" start --sql x
}
