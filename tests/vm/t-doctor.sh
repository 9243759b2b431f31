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
for what in tracefs 'may control tracefs' 'trace events' instances error_log 'clock mono' set_event_pid \
	'uprobe events' 'kprobe events' 'synthetic events' histograms function_graph 'function tracer' snapshot \
	'class map'; do
	has_line "^$what: true\$" checks "$what"
done
case $(uname -r) in
6.1.*) want=false ;;
*) want=true ;;
esac
has_line "^sub-buffer size: $want\$" checks "sub-buffer size"
has_line '^lustre loaded: false$' checks "no Lustre here"
gone /run/dktrace "nothing is kept"
same '' "$(ls "$tracing/instances")" "nothing is made"
