#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Help and completion of every command.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper.bash
load helper

commands()
{
	dktrace __complete | grep -v '^--'
}

@test "every command has help, its options and completion agree" {
	local command options

	[ "$(commands | wc -l)" -ge 12 ]
	for command in $(commands); do
		run -0 dktrace help "$command"
		has "${lines[0]}" "Usage: dktrace $command"
		options=$(printf '%s\n' "$output" | sed -n 's/^  -., --\([a-z]*\).*/--\1/p' | sort)
		case $command in
		set_param | get_param | clear | mark | help) ;;
		*)
			same "$options" "$(dktrace __complete "$command" | grep '^--' | sort)" "options of $command"
			same "$output" "$(dktrace "$command" --help)" "$command --help"
			;;
		esac
	done
}

@test "--help and help say the same, on stdout" {
	run -0 --separate-stderr dktrace --help
	same "" "$stderr" "stderr"
	same "$output" "$(dktrace help)" "help"
	for command in $(commands); do
		has "$output" "  $command "
	done
}

@test "--version" {
	expect 0 "dktrace 0.1.0" "" dktrace --version
	expect 0 "dktrace 0.1.0" "" dktrace -V
}

@test "completion of values" {
	local words

	words=$(dktrace __complete dk --class)
	has "$words" rpctrace
	same 32 "$(printf '%s\n' "$words" | wc -l)" "classes"
	has "$(dktrace __complete dk --subsystem)" ldlm
	same "legacy
trace" "$(dktrace __complete show --style)" "styles"
	has "$(dktrace __complete set_param)" "debug_filter="
	has "$(dktrace __complete get_param)" "subsystem_debug"
	same "$(commands)" "$(dktrace __complete help)" "help"
	has "$(dktrace __complete list classes)" vfstrace
	has "$(DKTRACE_ROOT=$capture dktrace __complete list fields)" syscalls:sys_enter_read
	# Nothing to say is no failure.
	expect 0 "" "" dktrace __complete mark x
}

@test "bash completion" {
	# shellcheck disable=SC2016
	run -0 bash -c '. "$1"; COMP_WORDS=(dktrace dk --sty); COMP_CWORD=2; _dktrace; echo "${COMPREPLY[@]}"' _ \
		"$top/ctl/dktrace.bash"
	same "--style" "$output" "dk --sty"
}
