# SPDX-License-Identifier: LGPL-2.1-or-later
# Marks are in the log at their time, with Lustre's text; clear empties the log.
# shellcheck shell=sh disable=SC2154
# kernel: 6.12

run lctl mark too early
status_is 1 "a mark needs a log"
set_param debug=vfstrace
cat /etc/passwd >/dev/null
run lctl mark hello   world '%s%n' "$(printf 'tab\there')"
status_is 0 "a mark is taken"
cat /etc/group >/dev/null
run lctl mark
run lctl dk
has_line ':0:\([^)]*\)\) DEBUG MARKER: hello world %s%n tab.here$' "$out" "the mark has its words"
has_line 'DEBUG MARKER: [A-Z][a-z]{2} [A-Z][a-z]{2} ' "$out" "without words it is the time"
order=$(grep -nE 'etc/passwd|hello world|etc/group' "$out" | cut -d : -f 1 | tr '\n' ' ')
echo "lines $order"
long=$(head -c 400 /dev/zero | tr '\0' x)
run lctl mark "$long"
status_is 0 "a long mark is taken"
run lctl dk
has_line "DEBUG MARKER: x{255}$" "$out" "and cut as lctl does"
cat /etc/passwd >/dev/null
run lctl clear
status_is 0 "clear ends well"
run lctl dk
same 0 "$(count 'cat|passwd')" "nothing from before clear is left"

# The clock is set: marks keep the time that it showed, in the order in which they came.
# seconds_of MARK: its seconds, in the log that was printed
seconds_of()
{
	sed -n "s/^[^.]*\.[^:]*:\([0-9]*\)\..*MARKER: $1\$/\1/p" "$out"
}
set_param debug=+ioctl
lctl mark first
set_param debug=+ioctl
date -s "@$(($(date +%s) - 7200))" >/dev/null
set_param debug=+ioctl
lctl mark second
run lctl dk
status_is 0 "dk after the clock was set"
has_line '^lctl: the clock was set back by 7[2-9][0-9]{2}\.[0-9]{3} s, or the machine slept: lines from ' "$err" "it is told"
at_least 7000 $(($(seconds_of first) - $(seconds_of second))) "seconds between the marks, as the clock showed them"
same "first second" "$(sed -n 's/.*MARKER: \([a-z]*\)$/\1/p' "$out" | xargs)" "their order"
date -s "@$(($(date +%s) + 7200))" >/dev/null
run dktrace reset
