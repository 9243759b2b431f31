# SPDX-License-Identifier: LGPL-2.1-or-later
# status shows what is enabled before, during and after recording, as text and as valid JSON.
# kernel: 6.1
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
# shellcheck disable=SC2046 # numbers and words
set -- $(json .started .recording .cpus.length .events_on .buffer_bytes .clock '.cpus[0].records' '.cpus[1].records' <s.json)
same true "$1" "started"
same true "$2" "recording"
same 2 "$3" "two CPUs"
same "$(wc -l <"$instance/set_event")" "$4" "events on"
same "$(($(cat "$instance/buffer_total_size_kb") * 1024))" "$5" "bytes"
same mono "$6" "the clock"
at_least 1 "$(($7 + $8))" "records are counted"
rm -f /run/dktrace/dktrace/settings
run dktrace status --json
same true "$(json .rebuilt <"$out")" "without its file status says what the kernel has"
has_line 'vfstrace' "$out" "debug is rebuilt"
has_line 'common_pid != 1' "$out" "the filter too"
run dktrace reset
run dktrace status --json
same false "$(json .started <"$out")" "after reset it is not started"
