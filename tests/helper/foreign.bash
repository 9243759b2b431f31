# SPDX-License-Identifier: LGPL-2.1-or-later
# Control characters in arguments, which no output may contain unescaped.
# shellcheck shell=bash disable=SC2154 # set by bats and helper/common.bash

# A newline, ESC, a C1 control and a bidi control.
foreign=$'x\nforged\e[31m\xc2\x9b\xe2\x80\xaez'

# Runs a command and checks that its output has none of them.
escaped()
{
	timeout 600 "$@" </dev/null >"$BATS_TEST_TMPDIR/words" 2>&1 || :
	grep -anP '^forged|\x1b|\xc2\x9b|\xe2\x80\xae' "$BATS_TEST_TMPDIR/words" || return 0
	printf 'raw, in words of:'
	printf ' %q' "$@"
	echo
	raw=1
}

# The same for one call in so many: these are thousands, and a sanitized tool starts slowly. Every command
# and every kind of word is among them, as the numbers of words have no factor in common with it.
tried()
{
	calls=$((calls + 1))
	[ $((calls % every)) -ne 0 ] || escaped "$@"
}

# Passes them to every command of dktrace, as every argument and option. usage: foreign_words FILE
foreign_words()
{
	local file=$1 command option raw=0 calls=0 every=1

	! sanitized || every=7

	for command in $(dktrace --help | sed -n 's/^  \([a-z][a-z_-]*\) .*/\1/p') __complete; do
		tried dktrace "$command" "--$foreign"
		tried dktrace "$command" "-$foreign"
		tried dktrace "$command" -$'\e'
		tried dktrace "$command" --instance "$foreign"
		tried dktrace "$command" --root "$foreign"
		# No test may reset the machine by accident.
		[ "$command" != reset ] || continue
		tried dktrace "$command" "$foreign"
		tried dktrace "$command" "$foreign" "$foreign"
		tried dktrace "$command" "$file" "$foreign"
		tried dktrace "$command" "debug=$foreign"
		tried dktrace "$command" "debug_filter=comm == \"${foreign##*m}\""
		tried dktrace "$command" -- "$foreign"
		tried dktrace "$command" sched:sched_switch -- "$foreign"
		for option in add list set del enable start; do
			tried dktrace "$command" "$option" "$foreign"
			tried dktrace "$command" "$option" sched:sched_switch "$foreign"
		done
		for option in $(dktrace "$command" --help 2>&1 | sed -n 's/^  .... --\([a-z-]*\) [A-Z].*/\1/p'); do
			tried dktrace "$command" "--$option" "$foreign"
			tried dktrace "$command" "--$option" "$foreign" "$file"
			tried dktrace "$command" "--$option" "$foreign" sched:sched_switch -- true
		done
	done
	tried dktrace "$foreign"
	tried dktrace "--$foreign"
	tried dktrace "-$foreign"
	[ $raw = 0 ]
}

# Passes them to every command of lctl.
foreign_lctl()
{
	local command raw=0 calls=0 every=1

	! sanitized || every=7

	for command in $(lctl --list-commands | grep -v =) "$foreign" "--$foreign"; do
		tried lctl "$command" "$foreign"
		tried lctl "$command" "$foreign" "$foreign"
		tried lctl "$command" "--$foreign"
		tried lctl "$command" -$'\e'
		tried lctl "$command" "$foreign=$foreign"
		tried lctl "$command" "debug=$foreign"
		tried lctl "$command" start "$foreign"
		tried lctl "$command" start file "$foreign"
		# A daemon that one of them started would make each dk wait.
		lctl debug_daemon stop >/dev/null 2>&1 || :
	done
	[ $raw = 0 ]
}
