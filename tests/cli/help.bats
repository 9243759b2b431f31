#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Help and completion of every command.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common

commands()
{
	dktrace __complete dktrace "" | grep -v '^--'
}

@test "every command has help, its options and completion agree" {
	local command options

	at_least 12 "$(commands | wc -l)"
	for command in $(commands); do
		run -0 dktrace help "$command"
		has "${lines[0]}" "Usage: dktrace $command"
		options=$(printf '%s\n' "$output" | sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/--\2/p' | sort)
		case $command in
		set_param | get_param | clear | mark | help) ;;
		*)
			same "$options" "$(dktrace __complete dktrace "$command" - | sort)" "options of $command"
			same "$output" "$(dktrace "$command" --help)" "$command --help"
			;;
		esac
	done
}

@test "--help and help print the same text on stdout" {
	run -0 --separate-stderr dktrace --help
	same "" "$stderr" "stderr"
	same "$output" "$(dktrace help)" "help"
	for command in $(commands); do
		has "$output" "  $command "
	done
}

@test "--version prints the version" {
	expect 0 "dktrace 0.1.0" "" dktrace --version
	expect 0 "dktrace 0.1.0" "" dktrace -V
}
