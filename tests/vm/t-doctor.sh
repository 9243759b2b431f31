# SPDX-License-Identifier: LGPL-2.1-or-later
# doctor says yes to everything that Debian's kernels can.
# programs: jq
# shellcheck shell=sh disable=SC2154

run dktrace doctor
assert_rc 0 "doctor ends well"
run dktrace doctor --json
assert_rc 0 "as JSON"
cp "$out" d.json
for what in tracefs 'may control tracefs' 'trace events' instances error_log 'clock mono' set_event_pid \
	'uprobe events' 'kprobe events' 'synthetic events' histograms function_graph 'function tracer' snapshot \
	'class map'; do
	assert_eq true "$(jq --arg w "$what" '.. | objects | select(.what? == $w or .WHAT? == $w) | (.ok? // .OK?)' d.json)" "$what"
done
case $(uname -r) in
6.1.*) want=false ;;
*) want=true ;;
esac
assert_eq "$want" "$(jq '.. | objects | select(.what? == "sub-buffer size") | .ok' d.json)" "sub-buffer size"
assert_eq false "$(jq '.. | objects | select(.what? == "lustre loaded") | .ok' d.json)" "no Lustre here"
assert_gone /run/dktrace "nothing is kept"
assert_eq '' "$(ls "$tracing/instances")" "nothing is made"
