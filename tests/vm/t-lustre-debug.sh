# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs lustre_debug
# timeout: 180
# Messages of a Lustre that has a trace event for them, and what a tracer can do with messages.
# shellcheck shell=sh disable=SC2154,SC2086,SC2016

need lctl dktrace
events=$tracing/instances/dktrace/events

load_built libcfs lustre_debug
run lctl set_param debug=+net+info+rpctrace+dlmtrace+ha+trace
assert_rc 0 "set_param is taken" || exit
assert_eq "" "$(cat $tracing/kprobe_events)" "no probe where there is a trace event"
assert_eq 1 "$(cat $events/lustre_debug/lustre_debug_msg/enable)" "the trace event is on"
echo -1 >$lnet/debug
emit catalogue
same "catalogue"
emit softirq hardirq bh
same "contexts"
emit "flood 2000" "cpus 500"
same "flood on all CPUs"
emit catalogue softirq hardirq "flood 500" "cpus 200"
once "both sources, each message once"
emit "long 300" "long 1700"
once "long messages, too long for the event too"

# Masks: by types, by subsystem, never those that cannot be masked.
run lctl set_param debug=dlmtrace subsystem_debug=ldlm
emit catalogue
traced
assert_grep '^00010000:00010000:.*### client blocking callback' got.raw "subsystem ldlm"
assert_no_grep '^00000100:' got.raw "not subsystem rpc"
assert_grep 'cannot be masked: 1' got.raw "never masked: console"
run lctl set_param debug=+info subsystem_debug=all debug_filter='msg_fn == "emit_strings"'
emit catalogue
traced
assert_grep 'emit_strings' got.raw "debug_filter on messages: chosen"
assert_no_grep 'emit_numbers|cannot be masked' got.raw "debug_filter on messages: not chosen"
run dktrace reset
assert_eq "0" "$(cat $tracing/events/lustre_debug/enable)" "reset leaves nothing on"
rmmod lustre_debug || fail "rmmod of the event"

# With the probe: what only a tracer can do with messages.
run lctl set_param debug=+net+info+rpctrace
echo -1 >$lnet/debug
event=$events/dktrace/cdebug
echo 'hist:keys=msg_fn,msg_line:sort=hitcount.descending' >$event/trigger || fail "hist is taken"
emit "flood 300" catalogue
assert_grep 'msg_fn: emit_flood +, msg_line: +[0-9]+ +\} hitcount: +300' $event/hist "the busiest lines"
echo '!hist:keys=msg_fn,msg_line:sort=hitcount.descending' >$event/trigger

echo 'traceoff if msg_fn == "emit_strings"' >$event/trigger || fail "traceoff is taken"
lctl clear
emit catalogue
assert_eq 0 "$(cat $tracing/instances/dktrace/tracing_on)" "recording stops at a message"
echo '!traceoff if msg_fn == "emit_strings"' >$event/trigger
echo 1 >$tracing/instances/dktrace/tracing_on
traced
assert_grep 'emit_numbers' got.raw "what came before it is there"
assert_no_grep 'emit_pointers' got.raw "what came after it is not"

if [ -e $tracing/instances/dktrace/snapshot ]; then
	echo 'snapshot:1 if msg_fn == "emit_pointers"' >$event/trigger || fail "snapshot is taken"
	emit catalogue
	assert_grep 'cdebug:' $tracing/instances/dktrace/snapshot "a snapshot at a message"
	echo '!snapshot:1 if msg_fn == "emit_pointers"' >$event/trigger
	echo 0 >$tracing/instances/dktrace/snapshot
fi

# A message inside of another one is known before the other is recorded.
nested=$events/dktrace/cdebug_nested
echo 'traceoff if v_fmt ~ "*failed*"' >$nested/trigger || fail "traceoff is taken"
lctl clear
emit catalogue
assert_eq 0 "$(cat $tracing/instances/dktrace/tracing_on)" "recording stops at a nested message"
echo '!traceoff if v_fmt ~ "*failed*"' >$nested/trigger
echo 1 >$tracing/instances/dktrace/tracing_on
traced
assert_grep '@@@ \(re\)connect request' got.raw "what came before it is there"
assert_no_grep '@@@ 1 2 3 4' got.raw "what came after it is not"

echo 'stacktrace:1 if msg_fn == "emit_flood"' >$event/trigger || fail "stacktrace is taken"
lctl clear
emit "flood 3"
dktrace dk --style trace >got.raw 2>/dev/null
assert_grep 'kernel_stack' got.raw "a stack trace at a message"
assert_grep '=> .*libcfs_emit' got.raw "with the functions that led to it"
echo '!stacktrace:1 if msg_fn == "emit_flood"' >$event/trigger

run lctl set_param debug_filter="common_pid == 1"
emit "flood 3"
traced
assert_no_grep 'emit.c' got.raw "messages of one process only"
run dktrace reset
assert_eq "" "$(cat $tracing/kprobe_events)" "reset leaves no probe behind"
