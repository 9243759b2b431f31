# SPDX-License-Identifier: LGPL-2.1-or-later
# modules: null_blk
# build-modules: libcfs
# With Lustre, only its messages are recorded by default; its masks count, whoever sets them.
# shellcheck shell=sh disable=SC2154
# kernel: 6.12

on()
{
	grep -vc '^dktrace:cdebug' "$instance/set_event"
}

probes()
{
	grep -c '^dktrace:cdebug' "$instance/set_event"
}

filter()
{
	cat "$instance/events/dktrace/cdebug/filter"
}

# ---- without Lustre, as ever ----

set_param debug=+iotrace+trace
same "debug_sources=kernel functions" "$(lctl get_param debug_sources)" "without Lustre: the kernel"
at_least 20 "$(on)" "its events are on"
run dktrace status
has_line '^debug_sources +kernel functions$' "$out" "status tells it"
run lctl set_param debug_sources=lustre
status_is 0 "Lustre's alone, before it is there"
has_line "debug_sources: nothing is recorded before Lustre's libcfs is loaded" "$err" "that is told"
same 0 "$(on)" "no event is enabled"
set_param debug_sources=default
at_least 20 "$(on)" "and back"
run dktrace save own.conf
no_line debug_sources own.conf "what nobody has chosen is not saved"

# ---- Lustre is loaded: status reports it, and the next change takes it over ----

load_built libcfs
run dktrace status
has_line "Lustre's libcfs was loaded: the next set_param, or apply," "$out" "status tells that it came"
same "debug_sources=kernel functions" "$(lctl get_param debug_sources)" "a look changes nothing"
at_least 20 "$(on)" "the events are still on"
run lctl set_param debug_mb=8
has_line "Lustre's libcfs was loaded: debug_sources is now 'lustre'; '\+kernel' adds" "$err" "the change tells"
has_line "Lustre's debug was changed, and the log takes it over" "$err" "and of Lustre's mask"
same 0 "$(on)" "no event of the kernel is on"
same 4 "$(probes)" "the probes are"
run lctl set_param debug=-1
same "" "$(cat "$err")" "debug=-1 has nothing to tell"
same 0 "$(on)" "debug=-1: no event of the kernel"
same nop "$(cat "$tracing/current_tracer")" "nor the functions of all modules"
same nop "$(cat "$instance/current_tracer")" "nor in the instance"
run dktrace status
has_line 'kernel: not used: debug_sources is without kernel' "$out" "status says why"
has_line 'functions: not used: debug_sources is without functions' "$out" "of functions too"
no_line attention "$out" "and has nothing else to tell"
lctl clear
emit catalogue
same_log "every message"

# ---- more by one word ----

set_param debug_sources=+kernel
same "debug_sources=lustre kernel" "$(lctl get_param debug_sources)" "the kernel's events beside"
at_least 100 "$(on)" "they are on"
same nop "$(cat "$tracing/current_tracer")" "without functions"
# A message on the console is recorded as one of Lustre's, and as nothing else. Before 5.18 the kernel records only what
# the console shows, which is errors here.
echo '<3>LustreError: 7:0:(client.c:1:f()) of lustre' >/dev/kmsg
echo '<3>something else' >/dev/kmsg
run dktrace show --style trace
has_line 'console: .*something else' "$out" "what others write to the console"
no_line 'console: .*of lustre' "$out" "not what Lustre writes"
run dktrace save chosen.conf
has_line '^debug_sources = lustre kernel$' chosen.conf "what is chosen is saved"

# Functions, without those that log messages.
set_param debug_sources=+functions subsystem_debug=libcfs
where=$instance
grep -qw function_graph "$instance/available_tracers" || where=$tracing
same function_graph "$(cat "$where/current_tracer")" "functions are recorded"
grep '\[libcfs\]' "$tracing/available_filter_functions" | sed 's/ .*//' | sort >all
sed 's/ .*//' "$where/set_ftrace_filter" | sort >chosen
grep -Ev '^(libcfs_debug_v?msg2?|cfs_trace_.*|cfs_tage_.*|cfs_tcd_.*|cfs_set_ptldebug_header|cfs_v?print_to_console)$' \
	all | diff - chosen && ok "all functions of the module but those that log"
no_line libcfs_debug_msg chosen "not libcfs_debug_msg"
set_param debug_sources=kernel
same nop "$(cat "$where/current_tracer")" "without functions"
same '' "$(cat "$tracing/kprobe_events")" "without Lustre its probes go"
at_least 20 "$(on)" "the kernel alone"
set_param subsystem_debug=all

# ---- the choice stays, when Lustre goes and comes too ----

set_param debug_sources=lustre+kernel debug=+iotrace
rmmod libcfs || fail "rmmod"
set_param debug_mb=9
same "debug_sources=lustre kernel" "$(lctl get_param debug_sources)" "a choice stays without Lustre"
insmod /vm/modules/libcfs.ko
run dktrace reset
rmmod libcfs
run dktrace apply chosen.conf
status_is 0 "apply without Lustre"
same "debug_sources=lustre kernel" "$(lctl get_param debug_sources)" "apply sets it"
run dktrace boot-config debug_sources=lustre debug=iotrace
no_line 'events' "$out" "boot-config: nothing of the kernel"
run dktrace reset

# ---- masks changed past dktrace ----

load_built libcfs
set_param debug=rpctrace
before=$(filter)
for command in "lctl get_param debug_mb" "lctl dk" "dktrace show" "lctl set_param debug_mb=10"; do
	echo 0x10 >/sys/module/libcfs/parameters/libcfs_subsystem_debug
	# shellcheck disable=SC2086
	run $command
	has_line "Lustre's subsystem_debug was changed, and the log takes it over: 'ost'" "$err" \
		"$command says so"
	has_line 'msg_subsys & 0x10' "$instance/events/dktrace/cdebug/filter" "$command: the filter follows"
	# shellcheck disable=SC2086
	run $command
	no_line "takes over" "$err" "$command: once"
	lctl set_param -n subsystem_debug=-1
	same "$before" "$(filter)" "back"
done
set_param debug=-1
echo 0 >/sys/module/libcfs/parameters/libcfs_debug
run dktrace status
has_line "Lustre's own debug differs: 0" "$out" "status tells"
emit catalogue
lctl debug_daemon start daemon.log 8
# usage: filter_is FILTER
filter_is()
{
	[ "$(filter)" = "$1" ]
}

until_true not filter_is "$before"
echo -1 >$lnet/debug
until_true filter_is none
ok "the daemon follows"
lctl debug_daemon stop

# debug=0 keeps the messages that cannot be masked.
set_param debug=0
same 4 "$(probes)" "debug=0: four events stay on"
emit catalogue
traced
has_line 'cannot be masked: 1' got.raw "with what cannot be masked"
no_line 'emit_numbers' got.raw "and nothing else"
set_param debug_sources=-lustre
same '' "$(cat "$instance/set_event")" "without lustre nothing is on"
run dktrace reset
same '' "$(cat "$tracing/kprobe_events")" "reset leaves no probe"

# ---- commands that name the probe make it ----

echo -1 >$lnet/debug
echo "echo catalogue >$lnet/emit" >emit.sh
run dktrace hist dktrace:cdebug --keys msg_line --top 3 -- sh emit.sh
status_is 0 "hist makes the probe"
has_line '^ +[0-9]+ +[0-9]+ ' "$out" "and counts"
same '' "$(cat "$tracing/kprobe_events")" "the probe goes with the command"
gone /run/dktrace "and leaves nothing behind"
run dktrace list fields dktrace:cdebug
has_line msg_mask "$out" "list knows its fields"
set_param debug=+info
run dktrace probe list
same 1 "$(count '^dktrace:cdebug')" "probe list: one row"
has_line '^dktrace:cdebug +kprobe +libcfs:libcfs_debug_msg +yes +yes' "$out" "which is ours, and on"
holds "a short one" [ "$(wc -c <"$out")" -lt 1000 ]
run dktrace probe list 'dktrace:cdebug*'
at_least 3 "$(count '^dktrace:cdebug')" "all of them by name"
run dktrace reset
