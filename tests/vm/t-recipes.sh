# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs ptlrpc
# Each recipe of dktrace-lustre(7), on messages with Lustre's own formats.
# shellcheck shell=sh disable=SC2154,SC2016
# kernel: 6.12

load_built libcfs ptlrpc
set_param debug=ha+rpctrace+dlmtrace
echo -1 >$lnet/debug

recording()
{
	cat $instance/tracing_on
}

# emitted WORDS...: has the messages emitted, each with a word before; the log is empty before.
emitted()
{
	lctl clear
	emit "$@"
}

# fires RECORDING DESCRIPTION WORDS...: after these messages the log records, or has stopped.
fires()
{
	vm_want=$1 vm_what=$2
	shift 2
	emitted "$@"
	same "$vm_want" "$(recording)" "$vm_what"
}

# The busiest lines, and the formats, which end in a newline.
run dktrace hist dktrace:cdebug --keys msg_file,msg_line --top 10 --csv -- sh -c "echo flood 20 >$lnet/emit"
has_line 'emit.c,[0-9]+,20$' "$out" "the busiest line"
run dktrace hist dktrace:cdebug --keys fmt --csv -- sh -c "echo flood 20 >$lnet/emit; echo incident quiet >$lnet/emit"
has_line ',20$' "$out" "the format of the flood"
no_line 'made no sense' "$err" "formats with a newline are read"

# One process, one function, some functions, all again.
run dktrace filter set 'dktrace:cdebug*' --pid 1
emitted "incident expire"
run dktrace show
no_line 'Request sent has' "$out" "another process is left out"
run dktrace filter clear
for filter in 'msg_fn == "ptlrpc_expire_one_request"' 'msg_fn ~ "ptlrpc_*"'; do
	run dktrace filter set 'dktrace:cdebug*' "$filter"
	status_is 0 "filter $filter"
	emitted "incident expire" "incident evict"
	run dktrace show
	has_line 'Request sent has timed out for slow reply' "$out" "of the function: $filter"
	no_line 'evicting client' "$out" "not of others: $filter"
	run dktrace filter clear 'dktrace:cdebug*'
	status_is 0 "the filter is cleared"
done

# A request that times out: the words are in an argument of its nested format.
run dktrace trigger add message 'timed out' traceoff
status_is 0 "a trigger on the text of messages"
has_line 'an argument "timed out for slow reply"' "$out" "it says which argument can have the words"
has_line 'the format "### lock timed out' "$out" "and which format"
fires 1 "other messages do nothing" "incident evict" "incident quiet" "incident lost"
fires 0 "it stops at a request that timed out" "incident quiet" "incident expire" "incident quiet"
run dktrace show
has_line '^[^:]*:[^:]*:[0-9]+\.0F?:.*Request sent has timed out for slow reply: \[sent' "$out" \
	"which is in the log, of a process and no interrupt"
has_line 'incomplete messages of Lustre: 1;' "$err" "and counted: recording stopped before its last record"
same 1 "$(count 'there are no stripes')" "with what came before, and nothing after"
run dktrace trigger rearm
status_is 0 "rearm"
fires 0 "it acts once more" "incident wait"

# A second text joins the first.
run dktrace trigger add message 'evicting client' traceoff
status_is 0 "a second text"
has_line 'the format "### lock callback timer expired after %llds: evicting client at %s "' "$out" \
	"the format with the words"
run dktrace trigger rearm
fires 0 "the second text" "incident evict"
run dktrace show
has_line 'evicting client at 192.168.1.30@tcp' "$out" "the eviction is in the log"
run dktrace trigger rearm
fires 0 "the first text still" "incident expire"
run dktrace trigger list message
has_line 'timed out' "$out" "list message"
run dktrace trigger del 'dktrace:cdebug*'
status_is 0 "and without them"
same 1 "$(recording)" "the log records again"
fires 1 "nothing acts any more" "incident expire" "incident evict"

# Halves of the words in other messages, and words behind the arguments of one, do nothing.
run dktrace trigger add message 'evicting client' traceoff
has_line 'a format and its argument "%s: evicting %s at administrative request' "$out" "the words can be split"
fires 1 "an argument that begins with half of them" "incident client" "incident left" "incident quiet"
fires 0 "a format and its argument" "incident admin"
run dktrace trigger rearm
fires 0 "one format" "incident evict"
run dktrace trigger del message
run dktrace trigger add message 'client of before' traceoff
fires 1 "a string behind the arguments is of no message" "incident left"
fires 0 "but of this one" "incident client"
run dktrace trigger del message

# A text across a format and its argument; a text of a message without a nested one.
run dktrace trigger add message 'sent has timed out' traceoff
has_line 'a format and its argument "@@@ Request sent has %s' "$out" "split words"
fires 1 "the argument alone is not enough" "incident wait"
fires 0 "split words stop it" "incident expire"
run dktrace trigger del message
run dktrace trigger add message 'wait for recovery' traceoff
fires 1 "other arguments do nothing" "incident evict" "incident quiet"
fires 0 "the argument of a plain message" "incident lost"
run dktrace show
has_line 'OST0001-osc-ffff9b: Connection to lustre-OST0001 .* will wait for recovery to complete' "$out" \
	"what is known of it is in the log"
has_line 'incomplete messages of Lustre: 1;' "$err" "and it is counted"
run dktrace trigger del message traceoff
run dktrace trigger add message 'was lost; in progress' traceoff --filter 'msg_mask & console'
status_is 0 "with a condition"
fires 0 "a plain format" "incident lost"
run dktrace trigger del message
run dktrace trigger add message '192.168.1.30@tcp' traceoff
has_line 'no string of Lustre.s modules contains' "$out" "a text that is made at run time"
fires 0 "is found in the arguments" "incident evict"
run dktrace trigger del message

# The manual's recipe for snapshots.
run dktrace trigger add message 'evicting client' snapshot
status_is 1 "a probe inside a function takes no snapshot"
# Keep the buffer's records; record the stack of a message.
run dktrace trigger add dktrace:cdebug snapshot:1 --filter 'msg_fn == "ptlrpc_expire_one_request"'
status_is 0 "a snapshot by the function"
emitted "incident expire"
has_line 'cdebug' $instance/snapshot "the snapshot was taken"
run dktrace trigger del message
run dktrace trigger add dktrace:cdebug stacktrace:1 --filter 'msg_fn == "ldlm_expired_completion_wait"'
status_is 0 "a stack by the function"
emitted "incident wait"
run dktrace show --style trace
has_line 'kernel_stack: .*_ldlm_lock_debug' "$out" "the stack is in the log"
run dktrace trigger del message

# Return values of functions; a rate.
run dktrace probe add --enable --max 500 'ptlrpc:ldlm_*%return' '$retval'
status_is 0 "probes at returns"
echo 3 >/sys/module/ptlrpc/parameters/conflicts
run dktrace show --style trace
at_least 3 "$(count 'ldlm_handle_conflict_lock')" "returns are recorded"
run dktrace probe del 'ldlm_*'
# Three messages of one second.
three()
{
	emitted "incident expire" "incident expire" "incident expire"
	dktrace show >three 2>/dev/null
	[ "$(grep 'Request sent has' three | cut -d : -f 4 | cut -d . -f 1 | sort -u | wc -l)" -eq 1 ]
}

until_true three
run dktrace show --rate warning=1
same 1 "$(count 'Request sent has')" "one a second"

run dktrace trigger add message '' traceoff
status_is 2 "no words"
run dktrace trigger add message 'timed out'
status_is 2 "no action"
has_line 'message TEXT ACTION' "$err" "says what is missing"
run dktrace reset
