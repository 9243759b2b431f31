# SPDX-License-Identifier: LGPL-2.1-or-later
# doctor reports everything that Debian's kernels support.
# programs: jq
# shellcheck shell=sh disable=SC2154

run dktrace doctor
status_is 0 "doctor ends well"
run dktrace doctor --json
status_is 0 "as JSON"
cp "$out" d.json
# The JSON is what another program takes it for.
jq -r '.checks[] | "\(.what): \(.ok)"' d.json >checks
for what in tracefs 'may control tracefs' 'trace events' instances 'clock mono' set_event_pid \
	'uprobe events' 'kprobe events' function_graph 'function tracer' snapshot 'class map'; do
	has_line "^$what: true\$" checks "$what"
done

# finds_out WHAT FILE: doctor says whether the kernel has it, whose sign is the file.
finds_out()
{
	want=false
	[ ! -e "$2" ] || want=true
	has_line "^$1: $want\$" checks "$1"
}
finds_out error_log "$tracing/error_log"
finds_out 'synthetic events' "$tracing/synthetic_events"
finds_out histograms "$tracing/events/sched/sched_switch/hist"
finds_out 'sub-buffer size' "$tracing/buffer_subbuf_size_kb"
has_line '^lustre loaded: false$' checks "no Lustre here"
gone /run/dktrace "nothing is kept"
same '' "$(ls "$tracing/instances")" "nothing is made"
