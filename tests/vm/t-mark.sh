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
run dktrace reset
