# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs lustre_debug
# kernel: 6.1
# programs: gen-sequence
# flight: latencies that the kernel measures, those of Lustre's RPCs, and texts of its messages.
# shellcheck shell=sh disable=SC2154,SC2086

need dktrace

made()
{
	ls $tracing/instances
	cat $tracing/kprobe_events $tracing/synthetic_events 2>/dev/null
}

# usage: status_of PATH...
status_of()
{
	dktrace flight status --json | json "$@"
}

dumps()
{
	status_of .dumps.length
}

# A reason of the last dumps. usage: reason NUMBER
reason()
{
	status_of ".dumps[$1].reason"
}

# True if there are so many dumps at least. usage: dumped N
dumped()
{
	[ "$(dumps)" -ge "$1" ]
}

# usage: wait_dumps N
wait_dumps()
{
	until_true dumped "$1"
}

# True if so many incidents were seen: those that made a dump, and those that had one already or got none.
# usage: incidents N
incidents()
{
	[ "$(status_of .dumps.length .merged .suppressed | awk '{ n += $1 } END { print n }')" -ge "$1" ]
}

calls()
{
	for i in 1 2 3 4 5; do
		dd if=/dev/zero of=file bs=1 count=1 conv=fsync 2>/dev/null
	done
}

# Prints how many records the condition's buffer has had.
held()
{
	awk '/^(entries|overrun|read events):/ { n += $NF } END { print n }' \
		"$tracing"/instances/dktrace-flight-when0/per_cpu/cpu*/stats
}

mkdir dir
run dktrace flight start -e syscalls:sys_enter_close --size 256K --dir dir --when 'fsync > 1h'
status_is 0 "start"
has_line 'fsync > 1h: the kernel measures' "$err" "says who measures"
calls
same 0 "$(held)" "fast calls leave no record for the recorder"
same 0 "$(dumps)" "and make no dump"
run dktrace flight stop
status_is 0 "stop"
same "" "$(made)" "nothing is left"

run dktrace flight start -e syscalls:sys_enter_close --size 256K --dir dir --when 'fsync > 1h' --when 'fsync > 1us'
calls
wait_dumps 1
reason 0 >why
# The kernel does not always know the name of a process that has ended.
has_line '^fsync took [0-9.]+ ms: [^ ]+-[0-9]+$' why "a slow call makes a dump, with its time and process"
run dktrace flight status
has_line '^when +fsync > 1us: the kernel measures' "$out" "status says who measures"
has_line '^GROUP +RECORDS +BYTES +SIZE +SPAN +OVERWRITTEN +LOST' "$out" "and what the buffer holds"
run dktrace flight stop
same "" "$(made)" "nothing is left"

# The kernel takes both times from one clock for all CPUs, so that no call is too short for the limit.
dktrace flight start -e syscalls:sys_enter_close --size 256K --dir dir --when 'fsync > 1us' 2>/dev/null
has_line '\[mono\]' $tracing/instances/dktrace-flight-when0/trace_clock "one clock for all CPUs"
i=0
while [ $i -lt 100 ]; do
	dd if=/dev/zero of=file bs=1 count=1 conv=fsync 2>/dev/null
	i=$((i + 1))
done
until_true incidents 100
ok "each slow call is an incident"
run dktrace flight stop
same "" "$(made)" "nothing is left"

# The kernel's table keeps each thread, so a new one replaces it before it is full.
dktrace flight start -e syscalls:sys_enter_close --size 256K --dir dir --when 'fsync > 1us' 2>/dev/null
begun()
{
	awk '/^processes/ { print $2 }' /proc/stat
}

before=$(begun)
gen-sequence 64 1
at_least $((before + 65)) "$(begun)" "the kernel counts the threads that begin"
# To make so many takes a minute in the VM.
sed "s/^processes .*/processes $((before + 12100))/" /proc/stat >stat
mount --bind stat /proc/stat
# The glob is for the file that is yet to come.
second_table()
{
	cat $tracing/instances/dktrace-flight-when0b/events/synthetic/*when0b*/enable 2>/dev/null | grep -qx 1
}
until_true second_table
umount /proc/stat
has_line when0b $tracing/synthetic_events "a second table after 12000 new threads"
dd if=/dev/zero of=file bs=1 count=1 conv=fsync 2>/dev/null
wait_dumps 1
same 1 "$(dumps)" "both tables have the call, which is one incident"
same "0 0" "$(status_of .merged .suppressed | xargs)" "and not two that share a dump"
reason 0 >why
same 1 "$(grep -c '^fsync took [^;]*$' why)" "of one reason"
run dktrace flight stop
same "" "$(made)" "nothing is left"

# Several events that begin, and pairs of which there are ever new keys.
run dktrace flight start -e syscalls:sys_enter_close --size 256K --dir dir --when 'wakeup > 1h' --when 'block > 1h' --when 'run > 1h'
status_is 0 "other pairs"
has_line 'wakeup > 1h: the kernel measures' "$err" "wakeup: the kernel"
has_line 'run > 1h: the kernel measures' "$err" "run: the kernel"
has_line 'block > 1h: the recorder reads' "$err" "block: the recorder"
no_pid()
{
	[ "$(status_of .pid)" = null ]
}

kill -9 "$(status_of .pid)"
until_true no_pid
holds "something is left of one that was killed" [ -n "$(made)" ]
run dktrace reset
same "" "$(made)" "reset removes it"

# Emits a fast RPC and a slow one, of 1.2 s, which the client sends and the server handles. The variable late is
# "yes" if a guest that stood still may have made others slow, too.
fast_and_slow()
{
	late=no
	since=$(centiseconds)
	emit "rpc 0"
	[ $(($(centiseconds) - since)) -lt 90 ] || late=yes
	since=$(centiseconds)
	emit "rpc 1200"
	[ $(($(centiseconds) - since)) -lt 200 ] || late=yes
}

# usage: rpcs TITLE
rpcs()
{
	run dktrace flight start -c rpctrace --size 1M --dir dir --when 'ptlrpc request > 1s'
	status_is 0 "$1: start" || return
	has_line 'ptlrpc request > 1s: the recorder reads' "$err" "$1: says who measures"
	fast_and_slow
	wait_dumps 1
	[ $late = yes ] || same 1 "$(dumps)" "$1: a slow RPC makes a dump, a fast one makes none"
	reason 0 >why
	took=$(sed -n 's/^ptlrpc request took \([0-9]*\)\..* ms: .*/\1/p' why)
	at_least 1199 "${took:-0}" "$1: with its time"
	dktrace report dir/"$(status_of '.dumps[0].file')" >lines
	has_line 'Sending RPC req@.* pname:cluuid:pid:xid:nid:opc:job sh:lustre-OST0000-osc-ffff9b:' lines "$1: and its messages"
	run dktrace flight stop
	same "" "$(made)" "$1: nothing is left"
}

# Prints how many RPCs the daemon's metrics have up to a bound. usage: measured SECONDS
measured()
{
	sed -n "s/^dktrace_latency_seconds_bucket{.*latency=\"ptlrpc request\",class=\"rpctrace\",le=\"$1\"} //p" dktrace-*.prom
}

all_measured()
{
	[ "$(measured +Inf)" = 4 ]
}

# usage: metrics TITLE
metrics()
{
	run dktrace daemon start -c rpctrace --dir segments --buffer-size 1M --metrics .
	status_is 0 "$1: start" || return
	fast_and_slow
	until_true all_measured
	at_least "$(measured 1)" 3 "$1: one RPC took a second"
	[ $late = yes ] || same 3 "$(measured 1)" "$1: all but one RPC, of the client and the server, took less than a second"
	run dktrace daemon stop
	rm -r segments
	same "" "$(made)" "$1: nothing is left by daemon"
}

# The words of a message can be in its format, in an argument, in both, or in data that no module has as a string.
# usage: messages TITLE
messages()
{
	run dktrace flight start -c rpctrace --size 1M --dir dir --when 'message evicting client'
	status_is 0 "$1: start" || return
	has_line 'message evicting client: the kernel compares' "$err" "$1: says who compares"
	emit "incident quiet" "incident expire" "incident evict"
	wait_dumps 1
	same 1 "$(dumps)" "$1: a message with the text makes a dump"
	reason 0 >why
	has_line '^message by [^ ]+-[0-9]+: ### lock callback timer expired after 100s: evicting client at 192.168.1.30@tcp' why \
		"$1: its text is the reason"
	no_line 'Request sent' why "$1: and no other message"
	run dktrace flight stop
	same "" "$(made)" "$1: nothing is left"
	run dktrace flight start -c rpctrace --size 1M --dir dir --when 'message 192.168.1.30@tcp' \
		--when 'message sent has timed out'
	status_is 0 "$1: start" || return
	emit "incident wait" "incident evict"
	wait_dumps 1
	reason 0 >why
	has_line 'evicting client at 192.168.1.30@tcp' why "$1: words in an argument"
	emit "incident expire"
	wait_dumps 2
	same 2 "$(dumps)" "$1: one dump for each"
	reason 1 >why
	has_line 'Request sent has timed out for slow reply' why "$1: words in the format and an argument"
	run dktrace flight stop
	same "" "$(made)" "$1: nothing is left"
}

for condition in 'ptlrpc request > 5s' 'message evict'; do
	run dktrace flight start -e syscalls:sys_enter_close --dir dir --when "$condition"
	status_is 1 "$condition without Lustre"
	has_line 'Lustre is not loaded' "$err" "is refused"
	same "" "$(made)" "and leaves nothing"
done
load_built libcfs
run dktrace flight start -e syscalls:sys_enter_close --dir dir --when 'ptlrpc request > 5s'
has_line "no messages of them: rpctrace" "$err" "a mask with which it can never hold is reported"
run dktrace flight stop
echo -1 >$lnet/debug
rpcs probe
metrics probe
messages probe

# The probe on Lustre's messages by its name, also in the last argument, exists as long as its instance.
# usage: named COMMAND...
named()
{
	run dktrace "$@"
	status_is 0 "$1: the probe by its name"
	emit "incident quiet"
}

# usage: nothing_left COMMAND
nothing_left()
{
	run dktrace "$1" stop
	same "" "$(made)" "$1: nothing is left"
}

named flight start -e syscalls:sys_enter_close --size 256K --dir dir --when 'dktrace:cdebug[msg_line > 0]'
wait_dumps 1
reason 0 >why
has_line '^message by [^ ]+-[0-9]+: .*: there are no stripes for fid 0x7' why "it makes a dump"
nothing_left flight
named daemon start --dir segments -e 'dktrace:cdebug[msg_line > 0]'
run dktrace daemon reload -e 'dktrace:cdebug[msg_line > 1]'
status_is 0 "daemon reload"
nothing_left daemon
dktrace report segments >lines
has_line 'there are no stripes for fid 0x7' lines "daemon: the message is in the segments"
run dktrace record -o named.dat -e dktrace:cdebug -- true
status_is 0 "record: the probe by its name"
same "" "$(made)" "record: nothing is left"
load_built libcfs lustre_debug
echo -1 >$lnet/debug
rpcs event
metrics event
messages event
