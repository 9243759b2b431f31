# SPDX-License-Identifier: LGPL-2.1-or-later
# status shows what is enabled before, during and after recording, as text and as valid JSON.
# programs: jq
# shellcheck shell=sh disable=SC2154

run dktrace status
status_is 0 "status before anything"
has_line 'not started' "$out" "says that nothing was started"
gone "$instance" "and makes nothing"
gone /run/dktrace "and keeps nothing"
set_param debug=+vfstrace+ioctl subsystem_debug=-1 debug_mb=4 debug_filter='common_pid != 1'
cat /etc/passwd >/dev/null
run dktrace status
status_is 0 "status while recording"
has_line 'recording' "$out" "says so"
has_line 'debug_filter +common_pid != 1' "$out" "the filter"
run dktrace status --json
status_is 0 "as JSON"
cp "$out" s.json
same true "$(jq .started s.json)" "started"
same true "$(jq .recording s.json)" "recording"
same 2 "$(jq '.cpus | length' s.json)" "two CPUs"
same "$(wc -l <"$instance/set_event")" "$(jq .events_on s.json)" "events on"
same "$(($(cat "$instance/buffer_total_size_kb") * 1024))" "$(jq .buffer_bytes s.json)" "bytes"
same '"mono"' "$(jq .clock s.json)" "the clock"
at_least 1 "$(jq '[.cpus[].records] | add' s.json)" "records are counted"
rm -f /run/dktrace/dktrace/settings
run dktrace status --json
same true "$(jq .rebuilt "$out")" "without its file status says what the kernel has"
has_line 'vfstrace' "$out" "debug is rebuilt"
has_line 'common_pid != 1' "$out" "the filter too"
run dktrace reset
run dktrace status --json
same false "$(jq .started "$out")" "after reset it is not started"
