# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# With a probe on an unmodified Lustre, dk prints the lines that Lustre's own buffer has.
# kernel: 6.12
# shellcheck shell=sh disable=SC2154,SC2086,SC2016

need lctl dktrace

load_built libcfs

# If the calls cannot be found, one probe covers all, and status reports when the calls could be found.
mount --bind /dev/null /proc/kcore
set_param debug=info
same 1 "$(grep -c dktrace/cdebug $tracing/kprobe_events)" "one probe"
run dktrace status
has_line "cdebug: a probe on Lustre's messages$" "$out" "which is as good as can be"
umount /proc/kcore
run dktrace status
has_line "cdebug: .* because ptlrpc was loaded later; after dktrace reset the next set_param" "$out" \
	"until lighter ones can be made"
run dktrace reset

run lctl set_param debug=+net+info+rpctrace+dlmtrace+ha+trace
status_is 0 "set_param is taken" || exit
for name in cdebug cdebug_strings; do
	has_line "^p:dktrace/$name libcfs:libcfs_debug_msg " $tracing/kprobe_events "$name is there"
done
for function in _debug_req _ldlm_lock_debug llcrypt_msg __nrs_tbf_cli_debug; do
	has_line "^p:dktrace/cdebug_nested libcfs:$function\+[0-9]+ " $tracing/kprobe_events \
		"a probe at the call in $function"
done
for function in llcrypt_msg __nrs_tbf_cli_debug; do
	has_line "^p:dktrace/cdebug_nested_third libcfs:$function\+[0-9]+ " $tracing/kprobe_events \
		"a probe of the third argument at the call in $function"
done
echo -1 >$lnet/debug
emit catalogue
same_log "catalogue"
has_line 'llcrypt \(sda1, inode 4711\): Allocated aes-256-xts \(priority 300\)$' got.raw \
	"a nested format as the third argument"
has_line '@@@ lustre-OST0001: 3 of 1099511627776 failed: timed out +req@' got.raw \
	"a request's line has its nested text"
has_line "VFS Op:name=a file's name, flags=5$" got.raw "the name of a dentry"
has_line "lustre: stale dentry a file's name and a file's name$" got.raw "also after other arguments"
run lctl mark once
run dktrace show
same 1 "$(count 'DEBUG MARKER: once$')" "a mark of Lustre's is recorded once"
run lctl dk
same 1 "$(count 'DEBUG MARKER: once$')" "and printed once"
emit_contexts
same_log "contexts"
emit "flood 2000" "cpus 500"
same_log "flood on all CPUs"
emit catalogue softirq hardirq "flood 500" "cpus 200"
once "both sources, each message once"
echo 300 >/sys/module/libcfs/parameters/delay_ms
emit "flood 3"
once "a process that is preempted before its record is made"
echo 0 >/sys/module/libcfs/parameters/delay_ms
emit "long 300" "long 1500" "long 1900"
once "long messages, too long for a probe's record too"

# Strings that do not fit into a record are missing and marked; the message is printed.
emit "long 2500"
traced
has_line '\) long (l+|<%s 0x[0-9a-f]{16}>) end$' got.raw "a long string"
has_line '\) twice <%s 0x[0-9a-f]{16}> and <%s 0x[0-9a-f]{16}> end$' got.raw \
	"strings that together are too long for a record"

# Arguments that are not recorded are marked.
echo +other >$lnet/debug
lctl set_param debug=+other >/dev/null
emit unknown
traced
grep emit.c got.raw
has_line '\) unknown <%pI6c 0x[0-9a-f]{16}>$' got.raw "bytes behind a pointer that were not recorded"
has_line '\) known after it <%pUb 0x[0-9a-f]{16}> 7$' got.raw "what comes after them is right"
echo clear >$lnet/debug_marker

# The masks are Lustre's: types, subsystems, and messages that cannot be masked.
run lctl set_param debug=rpctrace
emit catalogue
traced
has_line 'debug_req|emit_nested' got.raw "chosen: rpctrace"
no_line 'emit_numbers|emit_strings' got.raw "not chosen: info"
has_line 'cannot be masked: 1' got.raw "never masked: console"
run lctl set_param debug=+dlmtrace subsystem_debug=ldlm
emit catalogue
traced
has_line '^00010000:00010000:.*### client blocking callback' got.raw "subsystem ldlm"
no_line '^00000100:' got.raw "not subsystem rpc"
run lctl set_param subsystem_debug=all

# Both styles, and filters on the fields.
emit catalogue
echo clear >$lnet/debug_marker
run dktrace dk --style trace --filter 'msg_fn == "emit_nested" && msg_mask & rpctrace'
has_line 'cdebug: +\(emit.c:[0-9]+:emit_nested\) @@@ Request sent +req@' "$out" "trace style"
emit catalogue
run dktrace dk --style trace --filter 'msg_fn == "emit_nested" && msg_mask & rpctrace'
has_line 'libcfs_debug_msg: +\(emit.c:[0-9]+:emit_nested\) @@@ Request sent +req@' "$out" \
	"trace style of both sources"
no_line ' cdebug: ' "$out" "each message once"

# The module goes and comes: nothing is wedged, the probe serves again.
rmmod libcfs || fail "rmmod with the probe on"
run lctl set_param debug=+vfstrace
status_is 0 "a change without Lustre"
insmod /vm/modules/libcfs.ko
echo -1 >$lnet/debug
run lctl set_param debug=+info
lctl clear
emit "flood 10"
same_log "after the module came again"

run dktrace reset
status_is 0 "reset ends well"
same "" "$(cat $tracing/kprobe_events)" "reset leaves no probe behind"
gone /run/dktrace "nor anything else"

# Nor after a change that was killed.
run lctl set_param debug=+info
cp /run/dktrace/dktrace/settings /run/dktrace/dktrace/settings.before
run dktrace reset
same "" "$(cat $tracing/kprobe_events)" "reset after an interrupted change leaves no probe behind"

# A probe of another program is left alone.
echo 'p:dktrace/cdebug libcfs:libcfs_debug_msg line=+20($arg1):s32' >$tracing/kprobe_events
run lctl set_param debug=+info
status_is 0 "a probe of that name that is not ours"
run dktrace reset
has_line '^p:dktrace/cdebug .*line=' $tracing/kprobe_events "is still there after reset"

# If the kernel refuses the probe, a message reports it, and everything else works.
echo >$tracing/kprobe_events
mount --bind /proc/version $tracing/kprobe_events || fail "cannot make it refuse"
run lctl set_param debug=+rpctrace
status_is 0 "set_param without the probe"
has_line 'debug: messages of Lustre are not recorded: ' "$err" "the reason is told"
umount $tracing/kprobe_events
run dktrace reset
gone /run/dktrace "reset after it leaves nothing behind"
