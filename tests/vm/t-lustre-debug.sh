# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs lustre_debug
# Messages of a Lustre that has a trace event for them, and what a tracer can do with messages.
# shellcheck shell=sh disable=SC2154,SC2086,SC2016
# kernel: 6.12

need lctl dktrace
events=$tracing/instances/dktrace/events

load_built libcfs lustre_debug
run lctl set_param debug=+net+info+rpctrace+dlmtrace+ha+trace
status_is 0 "set_param is taken" || exit
same "" "$(cat $tracing/kprobe_events)" "no probe where there is a trace event"
same 1 "$(cat $events/lustre_debug/lustre_debug_msg/enable)" "the trace event is on"
echo -1 >$lnet/debug
emit catalogue
same_log "catalogue"
emit_contexts
same_log "contexts"
emit "flood 2000" "cpus 500"
same_log "flood on all CPUs"
emit catalogue softirq hardirq "flood 500" "cpus 200"
once "both sources, each message once"
emit "long 300" "long 1700"
once "long messages, too long for the event too"

# Masks: by types, by subsystem, never those that cannot be masked.
run lctl set_param debug=dlmtrace subsystem_debug=ldlm
emit catalogue
traced
has_line '^00010000:00010000:.*### client blocking callback' got.raw "subsystem ldlm"
no_line '^00000100:' got.raw "not subsystem rpc"
has_line 'cannot be masked: 1' got.raw "never masked: console"
run lctl set_param debug=+info subsystem_debug=all debug_filter='msg_fn == "emit_strings"'
emit catalogue
traced
has_line 'emit_strings' got.raw "debug_filter on messages: chosen"
no_line 'emit_numbers|cannot be masked' got.raw "debug_filter on messages: not chosen"
run dktrace reset
same "0" "$(cat $tracing/events/lustre_debug/enable)" "reset leaves nothing on"
rmmod lustre_debug || fail "rmmod of the event"

# With the probe: actions on messages that only a tracer has.
run lctl set_param debug=+net+info+rpctrace
echo -1 >$lnet/debug
# The lines of dktrace-lustre(7), with functions and words of this module's.
run dktrace hist dktrace:cdebug --keys msg_file,msg_line --top 10 -- sh -c "echo 'flood 300' >$lnet/emit; echo catalogue >$lnet/emit"
status_is 0 "hist"
same 300 "$(grep 'emit\.c' "$out" | head -n 1 | grep -Eo '\b300\b' | head -n 1)" "the busiest line comes first"

# now_on: recording goes on, with an empty log and without triggers.
now_on()
{
	dktrace trigger del 'dktrace:cdebug*' >/dev/null || fail "triggers are removed"
	same 1 "$(cat $instance/tracing_on)" "recording goes on"
	lctl clear
}

run dktrace trigger add dktrace:cdebug traceoff --filter 'fmt ~ "*string*"'
status_is 0 "traceoff at a message's format"
now_on
run dktrace trigger add dktrace:cdebug traceoff --filter 'msg_fn == "emit_strings"'
status_is 0 "traceoff at a message"
lctl clear
emit catalogue
same 0 "$(cat $instance/tracing_on)" "recording stops at it"
traced
has_line 'emit_numbers' got.raw "what came before it is there"
no_line 'emit_pointers' got.raw "what came after it is not"
run dktrace trigger rearm
same 1 "$(cat $instance/tracing_on)" "rearm records again"
emit catalogue
same 0 "$(cat $instance/tracing_on)" "until the next one"
now_on

run dktrace trigger add dktrace:cdebug snapshot:1 --filter 'msg_fn == "emit_pointers"'
if [ -e $instance/snapshot ]; then
	status_is 0 "snapshot at a message"
	emit catalogue
	has_line 'cdebug:' $instance/snapshot "has what came before it"
	now_on
	echo 0 >$instance/snapshot
else
	status_is 1 "a kernel without snapshots refuses one"
fi

# A nested message is recorded before the outer one.
run dktrace trigger add dktrace:cdebug_nested traceoff --filter 'v_fmt ~ "*failed*"'
status_is 0 "traceoff at a nested message"
lctl clear
emit catalogue
same 0 "$(cat $instance/tracing_on)" "recording stops at it"
traced
has_line '@@@ \(re\)connect request' got.raw "what came before it is there"
no_line '@@@ 1 2 3 4' got.raw "what came after it is not"
now_on

run dktrace trigger add dktrace:cdebug stacktrace:1 --filter 'msg_fn == "emit_flood"'
status_is 0 "stacktrace at a message"
emit "flood 3"
dktrace dk --style trace >got.raw 2>/dev/null
has_line 'kernel_stack' got.raw "a stack trace at a message"
has_line '=> .*libcfs_emit' got.raw "with the functions that led to it"

# They are saved, and set again once Lustre is loaded.
run dktrace filter set 'dktrace:cdebug*' 'msg_fn == "emit_strings"'
status_is 0 "messages of one function"
dktrace save saved.conf
has_line '^trigger = dktrace:cdebug stacktrace:1 if msg_fn == "emit_flood"$' saved.conf "the trigger is saved"
has_line '^filter = dktrace:cdebug\* msg_fn == "emit_strings"$' saved.conf "the filter is saved"
dktrace reset
run dktrace apply saved.conf
status_is 0 "apply"
same "" "$(cat "$err")" "nothing is left out"
lctl clear
emit catalogue
traced
has_line 'emit_strings' got.raw "messages of one function: chosen"
no_line 'emit_numbers|emit_nested|@@@' got.raw "messages of one function: not chosen"
run dktrace filter set 'dktrace:cdebug*' 'msg_fn ~ "emit_n*"'
emit catalogue
traced
has_line 'emit_numbers' got.raw "messages of functions of such names: chosen"
no_line 'emit_strings' got.raw "messages of functions of such names: not chosen"
run dktrace filter set 'dktrace:cdebug*' --pid 1
lctl clear
emit "flood 3"
traced
no_line 'emit.c' got.raw "messages of one process: not this one"
run dktrace filter set 'dktrace:cdebug*' --pid $$
emit "flood 3"
traced
same 3 "$(grep -c 'emit.c.*flood' got.raw)" "messages of one process: this one"
run dktrace filter clear 'dktrace:cdebug*'
status_is 0 "of all again"
run dktrace reset
same "" "$(cat $tracing/kprobe_events)" "reset leaves no probe behind"
