# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# A message during a probe is not recorded: dk reports that, and still prints it from Lustre's buffer.
# shellcheck shell=sh disable=SC2154,SC2086
# kernel: 6.1

load_built libcfs
set_param debug=net
run sh -c 'dktrace status | tr -s "\n " " "'
has_line "cdebug: a probe on Lustre's messages libcfs:" "$out" "at first nothing is missed"

emit probe softirq
run dktrace dk
same 1 "$(count 'while a probe is at work 4$')" "dk has it, once"
same 1 "$(count 'in softirq 1$')" "and one that was recorded, once"
status_is 0 "so nothing is lost"
run sh -c 'dktrace status | tr -s "\n " " "'
has_line "a probe on Lustre's messages; not recorded because it was busy: 1, " "$out" \
	"status tells it"

dktrace follow >f.txt 2>f.err &
follow=$!
follows "$follow"
emit probe softirq
until_true finds 'in softirq 1$' f.txt
kill -INT "$follow"
wait "$follow"
same 3 "$?" "follow has not all, by its exit status"
has_line 'that were not recorded because the probe was busy: 1;' f.err "and tells so"
has_line 'in softirq 1$' f.txt "what was recorded is there"
no_line 'while a probe is at work' f.txt "what was not is not"
run dktrace reset
status_is 0 "reset ends well"
