# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: ptlrpc
# Probes on the kernel by name: known values, hits, errors, and nothing left behind.
# shellcheck shell=sh disable=SC2154,SC2016,SC2086

need dktrace

# value NAME: of the first record in the file records
value()
{
	sed -n "s/.* $1=\([^ ]*\).*/\1/p" records | head -n 1
}

# record EVENT: writes the event's records to the file records, and empties the log.
record()
{
	dktrace dk --style trace 2>dk.err | grep -a " $1: " >records
	cat dk.err
	head -n 3 records
}

# Recording less makes it quicker.
set_param debug=0

# Arguments by name from BTF have the values that a program passed to the kernel.
run dktrace probe add vfs_read 'count pos=*pos' --enable
status_is 0 "a probe on vfs_read"
dd if=/dev/zero of=/dev/null bs=777 count=5 2>/dev/null
record vfs_read
same 5 "$(grep -c ' dd-.* count=777 ' records)" "five reads of 777 bytes"
run dktrace probe add do_sys_openat2 filename 'flags=how->flags:x64' --enable
echo >known-name
cat known-name >/dev/null
record do_sys_openat2
# O_LARGEFILE of x86, or of arm64.
has_line ' cat-.*filename="known-name" flags=0x(8|20)000' records "the name of the file that cat opened"
run dktrace probe add vfs_read%return 'ret=$retval:s32' --enable
dd if=/dev/zero of=/dev/null bs=123 count=4 2>/dev/null
record vfs_read__return
same 4 "$(grep -c ' dd-.* ret=123' records)" "what four reads returned"
run dktrace probe list --json
has_line '"kind": *"kretprobe"' "$out" "kinds are told"
run dktrace probe list 'vfs_*'
hits=$(awk '/dktrace:vfs_read / { print $6 }' "$out")
at_least 9 "${hits:-0}" "hits are counted"

# A struct's members, in a module by its debug information.
mkdir -p "/lib/modules/$(uname -r)/extra"
cp /vm/modules/ptlrpc.ko "/lib/modules/$(uname -r)/extra/"
load_built ptlrpc
run dktrace probe add --enable ldlm_handle_conflict_lock 'lock->l_resource->lr_refcount.counter' \
	'name=lock->l_resource->lr_name.name[0]:x64'
status_is 0 "the probe of the manual"
run dktrace probe add --enable --name more ldlm_handle_conflict_lock 'lock->l_client' lock-\>l_req_mode \
	'lock->l_granted_mode lock->l_readers' 'lock->l_resource->lr_tag' '*flags' version '$comm'
status_is 0 "strings, bit-fields, a union, what a pointer points at"
run dktrace probe add --enable --name back ldlm_handle_conflict_lock%return '$retval'
echo 2 >/sys/module/ptlrpc/parameters/conflicts
record '[a-z_]*'
grep ' ldlm_handle' records >first
grep ' more:' records >second
grep ' back:' records >third
same "40 41" "$(sed 's/.*counter=\([0-9]*\).*/\1/' first | xargs)" "a counter"
has_line 'name=0xabcd1234$' first "an element of an array"
has_line 'l_client="client@tcp" l_req_mode=17 l_granted_mode=99 l_readers=-3 lr_tag="resource" flags=4096 version=5 comm="sh"' \
	second "the other values"
has_line 'l_readers=-2 .* flags=4137 ' second "and those of the second call"
same "415 425" "$(sed 's/.*ret=\([0-9]*\).*/\1/' third | xargs)" "what the function returned"

# They are saved by their arguments, skipped without the module, and created again with it.
sort $tracing/kprobe_events >made
dktrace save saved.conf
has_line '^probe = ldlm_handle_conflict_lock lock->l_resource->lr_refcount.counter name=lock->l_resource->lr_name.name\[0\]:x64 --name ldlm_handle_conflict_lock$' \
	saved.conf "a probe is saved by its words"
dktrace reset
rmmod ptlrpc
run dktrace apply saved.conf
status_is 0 "without the module"
same 3 "$(grep -c "saved.conf:[0-9]*: skipped: .*ldlm_handle_conflict_lock" "$err")" "its probes are left out"
dktrace save saved.conf
same 3 "$(grep -c '^# Its object did not exist' saved.conf)" "and kept when it is saved"
load_built ptlrpc
run dktrace apply saved.conf
status_is 0 "with the module"
sort $tracing/kprobe_events | diff made - && ok "they are as they were" || fail "they are as they were"
echo 2 >/sys/module/ptlrpc/parameters/conflicts
record back
same "415 425" "$(sed 's/.*ret=\([0-9]*\).*/\1/' records | xargs)" "and record"

# The locks of the manual: who has one, who waits for it.
run dktrace probe add --enable ptlrpc:ldlm_add_ast_work_item new 'has=lock->l_export->exp_client_uuid.uuid' \
	'waits=new->l_export->exp_client_uuid.uuid' 'seq=lock->l_resource->lr_name.name[0]:x64' \
	'oid=lock->l_resource->lr_name.name[1]:x64' 'thread=new->l_pid'
status_is 0 "members of structs, three pointers deep"
echo 1 >/sys/module/ptlrpc/parameters/conflicts
record ldlm_add_ast_work_item
same 2 "$(grep -c . records)" "a lock that waits and one that is granted"
has_line 'has="571edfcd-9f90" waits="9140ddfa-a52f" seq=0x280000400 oid=0x113 thread=476$' records "who waits for whom"
run dktrace hist dktrace:ldlm_add_ast_work_item --filter 'new != 0' --keys seq,oid,has --top 10 -- \
	sh -c 'echo 1 >/sys/module/ptlrpc/parameters/conflicts'
has_line '^10737419264 275 571edfcd-9f90 +1 ' "$out" "counted"

run dktrace probe add --dry-run 'ptlrpc:ldlm_*%return' '$retval'
status_is 0 "the results of many functions, one of which has none"
has_line 'ptlrpc:ldlm_handle_conflict_lock ret=\$retval:s32$' "$out" "a result"
has_line 'ptlrpc:ldlm_add_ast_work_item$' "$out" "no result, but the return"
run dktrace probe add --dry-run 'ptlrpc:ldlm_add_ast_work_item%return' '$retval'
status_is 1 "by its name a function without a result is refused"

# A source line, an inlined function, an offset.
run dktrace probe add --dry-run ptlrpc:ldlm_grant_one
status_is 1 "an inlined function is refused"
run dktrace probe add --dry-run ptlrpc:ldlm.c:48 'lock->l_readers'
status_is 0 "a source line of it is taken"
run dktrace probe add --name line --enable ptlrpc:ldlm.c:49 'lock->l_readers' 'lock->l_client' 'flags:x64'
status_is 0 "and switched on"
echo 1 >/sys/module/ptlrpc/parameters/conflicts
record line
has_line 'l_client="client@tcp"' records "variables of the inlined function, at that line"
offset=$(sed -n 's/^p:dktrace.line [^+]*+\([0-9]*\) .*/\1/p' $tracing/kprobe_events)
run dktrace probe add --name off "ldlm_handle_conflict_lock+${offset:-none}" '%sp'
status_is 0 "an offset"
run dktrace probe add --name two ldlm_handle_conflict_lock:500
has_line "there is no code at line [0-9]+ of .*ldlm.c" "$err" "a line without code"
run dktrace probe add --debug-file /vm/modules/ptlrpc.ko --dry-run ptlrpc:ldlm_grant_one
has_line "ldlm_grant_one is inlined into ldlm_handle_conflict_lock" "$err" "into which function"
run dktrace probe add --dry-run ldlm_handle_conflict_lock 'lock->l_resourc'
has_line "struct ldlm_lock has no member 'l_resourc'; did you mean l_resource" "$err" "a member misspelt"

# If the kernel refuses, a message reports it, and nothing is left behind.
run dktrace probe add kprobe_dispatcher
status_is 1 "a function that cannot be probed"
has_line 'blacklisted|cannot be probed' "$err" "the reason"
no_line kprobe_dispatcher $tracing/kprobe_events "nothing of it is there"
run dktrace probe add state_show
has_line "functions 'state_show'; choose by module or address: 0x" "$err" "several of one name"
address=$(sed -n 's/.* \(0x[0-9a-f]*\),.*/\1/p' "$err" | head -n 1)
run dktrace probe add --name one "${address:-none}"
status_is 0 "one of them by its address"
run dktrace probe add vfs_read
status_is 1 "one that is there"
has_line 'event dktrace:vfs_read already exists' "$err" "is refused"
run dktrace probe add --max 2 'vfs_*'
has_line "'vfs_\*' matches [0-9]+ functions; the limit is 2" "$err" "too many"
run dktrace probe add -g many 'vfs_s*'
status_is 0 "a glob"
holds "more than one probe of it" [ "$(grep -c ' vfs_s' $tracing/kprobe_events)" -gt 1 ]

# If a step in the middle fails, the steps before it are undone.
before=$(made_events)
mkdir /run/dktrace/dktrace/settings.tmp
run dktrace probe add -g bad --enable 'vfs_w*'
rmdir /run/dktrace/dktrace/settings.tmp
status_is 1 "what cannot be remembered is not made"
same "$before" "$(made_events)" "no probe of it is left"
run dktrace probe list 'bad:*'
no_line bad: "$out" "nor remembered"

# Kinds that not every kernel has.
run dktrace probe add --kind event --enable --name exec sched:sched_process_exec filename 'pid'
if grep -q ' e\[:' $tracing/README; then
	status_is 0 "a probe on an event"
	/bin/true
	record exec
	has_line 'filename="/bin/true" pid=[0-9]+' records "an event's fields"
else
	has_line 'this kernel has no probes on events' "$err" "no probes on events here"
fi
run dktrace probe add --kind synthetic slow 'u64 lat' 'pid_t pid'
if [ -e $tracing/synthetic_events ]; then
	status_is 0 "a synthetic event"
	run dktrace probe list slow
	has_line 'synthetic:slow +synthetic .* yes .*u64 lat' "$out" "is listed as ours"
else
	status_is 1 "no synthetic events here"
	has_line 'this kernel has no synthetic events' "$err" "said so"
fi
if grep -q ' f\[:' $tracing/README; then
	run dktrace probe add --kind fprobe --name freturn --enable vfs_read%return 'ret=$retval'
	status_is 0 "a function probe"
	dd if=/dev/zero of=/dev/null bs=321 count=3 2>/dev/null
	record freturn
	same 3 "$(grep -c ' dd-.* ret=321' records)" "what three reads returned"
	run dktrace probe add --kind tracepoint --name tp --enable sched_process_exec 'p->comm' 'bprm->filename'
	status_is 0 "a probe on a tracepoint"
	/bin/true
	record tp
	has_line 'comm="true" filename="/bin/true"' records "what its arguments point at"
else
	run dktrace probe add --kind fprobe vfs_read
	status_is 1 "no function probes here"
	has_line 'this kernel has no function probes' "$err" "said so"
	run dktrace probe add --kind tracepoint sched_switch
	has_line 'this kernel has no probes on tracepoints' "$err" "nor on tracepoints"
fi

# Another tool's probe is left alone; a probe that another program has enabled is reported.
echo 'p:dktrace/theirs vfs_write' >>$tracing/kprobe_events
run dktrace probe del theirs
has_line 'was not created by dktrace' "$err" "not ours"
mkdir $tracing/instances/other
echo 1 >$tracing/instances/other/events/dktrace/vfs_read/enable
run dktrace probe del vfs_read
status_is 1 "on in another instance"
has_line 'remove dktrace:vfs_read: it is enabled in the instance other' "$err" "which is told"
run dktrace status
has_line '^probes +.*dktrace:vfs_read' "$out" "status lists them"
run dktrace reset
status_is 1 "nor can it be reset"
echo 0 >$tracing/instances/other/events/dktrace/vfs_read/enable
rmdir $tracing/instances/other
run dktrace reset
status_is 0 "reset"
same "p:dktrace/theirs vfs_write" "$(made_events)" "leaves the other's alone"
gone /run/dktrace "nothing is left behind"

# After a kill at any moment, reset removes every probe.
how_long dktrace probe add --enable -g killed 'vfs_r*'
dktrace reset
for i in 1 2 3 4; do
	kill_change 'dktrace reset' dktrace probe add --enable -g killed 'vfs_r*'
	dktrace reset || fail "reset after a kill"
	same "p:dktrace/theirs vfs_write" "$(made_events)" "nothing is left after kill $i"
done
