# SPDX-License-Identifier: LGPL-2.1-or-later
# doctor reports everything that Debian's kernels support.
# programs: jq
# shellcheck shell=sh disable=SC2154

run dktrace doctor
status_is 0 "doctor ends well"
run dktrace doctor --json
status_is 0 "as JSON"
cp "$out" d.json
for what in tracefs 'may control tracefs' 'trace events' instances error_log 'clock mono' set_event_pid \
	'uprobe events' 'kprobe events' 'synthetic events' histograms function_graph 'function tracer' snapshot \
	'class map'; do
	same true "$(jq --arg w "$what" '.. | objects | select(.what? == $w or .WHAT? == $w) | (.ok? // .OK?)' d.json)" "$what"
done
case $(uname -r) in
6.1.*) want=false ;;
*) want=true ;;
esac
same "$want" "$(jq '.. | objects | select(.what? == "sub-buffer size") | .ok' d.json)" "sub-buffer size"
same false "$(jq '.. | objects | select(.what? == "lustre loaded") | .ok' d.json)" "no Lustre here"
gone /run/dktrace "nothing is kept"
same '' "$(ls "$tracing/instances")" "nothing is made"
