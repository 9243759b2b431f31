# SPDX-License-Identifier: LGPL-2.1-or-later
# status tells what is on, before, during and after, as text and as JSON that parses.
# programs: jq
# shellcheck shell=sh disable=SC2154

run dktrace status
assert_rc 0 "status before anything"
assert_grep 'not started' "$out" "says that nothing was started"
assert_gone "$instance" "and makes nothing"
assert_gone /run/dktrace "and keeps nothing"
set_param debug=+vfstrace+ioctl subsystem_debug=-1 debug_mb=4 debug_filter='common_pid != 1'
cat /etc/passwd >/dev/null
run dktrace status
assert_rc 0 "status while recording"
assert_grep 'recording' "$out" "says so"
assert_grep 'debug_filter +common_pid != 1' "$out" "the filter"
run dktrace status --json
assert_rc 0 "as JSON"
cp "$out" s.json
assert_eq true "$(jq .started s.json)" "started"
assert_eq true "$(jq .recording s.json)" "recording"
assert_eq 2 "$(jq '.cpus | length' s.json)" "two CPUs"
assert_eq "$(wc -l <"$instance/set_event")" "$(jq .events_on s.json)" "events on"
assert_eq "$(($(cat "$instance/buffer_total_size_kb") * 1024))" "$(jq .buffer_bytes s.json)" "bytes"
assert_eq '"mono"' "$(jq .clock s.json)" "the clock"
at_least 1 "$(jq '[.cpus[].records] | add' s.json)" "records are counted"
rm -f /run/dktrace/dktrace/settings
run dktrace status --json
assert_eq true "$(jq .rebuilt "$out")" "without its file status says what the kernel has"
assert_grep 'vfstrace' "$out" "debug is rebuilt"
assert_grep 'common_pid != 1' "$out" "the filter too"
run dktrace reset
run dktrace status --json
assert_eq false "$(jq .started "$out")" "after reset it is not started"
