#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every command that takes names suggests the closest known name for a misspelt one.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

recorded=$BATS_TEST_DIRNAME/../fixture/tracedat

# The suggestion is the end of the first line. usage: suggests STATUS WORD COMMAND...
suggests()
{
	local rc=$1 word=$2

	shift 2
	run --separate-stderr "-$rc" "$@"
	same "" "$output" "stdout of $*"
	has "${stderr_lines[0]}" "; did you mean $word?"
}

@test "a misspelt command or argument gets a suggestion" {
	suggests 2 status dktrace staus
	suggests 2 report dktrace help repotr
	suggests 2 set dktrace filter st
	suggests 2 list dktrace trigger lst
	suggests 2 disable dktrace probe disabel
	suggests 2 subsystems dktrace list subsystem
}

@test "a misspelt option gets a suggestion" {
	expect 2 "" "dktrace: unrecognized option '--stlye=json'
dktrace: did you mean --style?
Try 'dktrace dk --help'." dktrace dk --stlye=json
	expect 2 "" "dktrace: unrecognized option '--verison'
dktrace: did you mean --version?
Try 'dktrace --help'." dktrace --verison
	# One that lacks its value is not misspelt.
	expect 2 "" "dktrace: option '--size' requires an argument
Try 'dktrace hist --help'." dktrace hist --size
	# Options of other commands are not suggested.
	expect 2 "" "dktrace: unrecognized option '--stye'
Try 'dktrace status --help'." dktrace status --stye
}

@test "a misspelt class, subsystem, style or format gets a suggestion" {
	suggests 2 vfstrace dktrace show --class vfstarce
	suggests 2 lfsck dktrace show --subsystem lfskc
	suggests 2 legacy dktrace show --style legac
	suggests 2 perfetto dktrace report --style perffeto "$recorded/v6.dat"
	suggests 2 trace.dat dktrace convert --format trace.dta "$recorded/v6.dat" out
}

@test "a misspelt event, field, pair or column gets a suggestion" {
	suggests 1 syscalls:sys_enter_read dktrace hist --input "$capture" syscalls:sys_enter_raed
	suggests 1 syscalls:sys_enter_read dktrace hist --input "$capture" sys_enter_raed
	suggests 1 vfstrace dktrace hist --input "$capture" vfstarce
	suggests 1 syscalls:sys_exit_fsync dktrace latency --input "$capture" --match common_pid \
		syscalls:sys_enter_fsync syscalls:sys_exit_fsyn
	suggests 1 syscalls:sys_enter_read dktrace report "$capture" --event 'x*,syscalls:sys_enter_raed'
	suggests 1 syscalls:sys_enter_read dktrace convert "$capture" "$BATS_TEST_TMPDIR/out.dat" --event sys_enter_raed
	suggests 2 syscall dktrace latency --input "$capture" sycall
	suggests 2 syscall dktrace latency sycall -- true
	suggests 2 total dktrace latency syscall --sort toatl
	suggests 2 hitcount dktrace hist --input "$capture" syscalls:sys_enter_read --sort hitcuont
	suggests 2 now dktrace report "$recorded/v6.dat" --style json --fields nwo
	suggests 2 wall dktrace report "$recorded/v6.dat" --style json --fields event,wal
}

@test "a misspelt field of several events suggests the field that most of them have" {
	expect 1 "" "dktrace: filter: none of 28 events has a field 'cont'; did you mean count?
  fd == 1 && cont > 64k
             ^" dktrace hist --input "$capture" vfstrace --filter 'fd == 1 && cont > 64k'
	expect 1 "" "dktrace: none of 28 events has a field 'cont'; did you mean count?" \
		dktrace hist --input "$capture" vfstrace --keys cont
	# Each field belongs to an event, but no event has both.
	expect 1 "" "dktrace: none of 28 events has all of the fields" \
		dktrace hist --input "$capture" vfstrace --keys count,filename
}

@test "dktrace suggests its own parameters, and lctl prints no suggestion" {
	export DKTRACE_INSTANCE=dkt-guess-$$
	run --separate-stderr dktrace get_param debg
	same "dktrace: did you mean debug?" "${stderr_lines[1]}" "the hint"
	run --separate-stderr dktrace set_param debug_fliter=none
	same "dktrace: did you mean debug_filter?" "${stderr_lines[2]}" "the hint"
	expect 2 "" "error: get_param: param_path 'debg': No such file or directory" lctl get_param debg
}
