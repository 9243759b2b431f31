# SPDX-License-Identifier: LGPL-2.1-or-later
# Without privileges, every command names the missing one, changes nothing and does not hang.
# programs: setpriv
# kernel: 6.12
# shellcheck shell=sh disable=SC2154

as_nobody()
{
	run /bin/setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

before=$(knobs)
as_nobody lctl set_param debug=+vfstrace
holds "set_param is refused" [ "$rc" -ne 0 ]
has_line 'cap_|root|right|ermission' "$err" "with words"
same "$before" "$(knobs)" "nothing changed"
for command in 'dktrace dk' 'dktrace status' 'dktrace show' 'dktrace follow' 'dktrace reset' 'lctl mark x' 'lctl clear'; do
	# shellcheck disable=SC2086 # words
	as_nobody timeout 600 $command
	holds "$command is refused" [ "$rc" -ne 0 ]
	holds "$command does not hang" [ "$rc" -ne 143 ]
	at_least 1 "$(grep -c . "$err")" "$command says why"
	same "$before" "$(knobs)" "$command changes nothing"
done
as_nobody dktrace doctor
status_is 0 "doctor works for everybody"
has_line 'cap_' "$out" "and names the capabilities"

# With the log started by root, its records are root's.
set_param debug=+vfstrace
as_nobody dktrace dk
holds "dk is refused" [ "$rc" -ne 0 ]
run dktrace reset
