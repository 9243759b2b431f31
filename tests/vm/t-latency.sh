# SPDX-License-Identifier: LGPL-2.1-or-later
# kernel: 6.12
# latency of known sleeps and of functions, paired in user space and by the kernel, leaves nothing behind.
# shellcheck shell=sh disable=SC2154,SC2086

need dktrace

made()
{
	ls $tracing/instances
	cat $tracing/kprobe_events $tracing/synthetic_events 2>/dev/null
}

# Prints a cell of the CSV table. usage: cell GROUP COLUMN
cell()
{
	sed -n "s/^$1,/$1,/p" "$out" | cut -d , -f "$2"
}

# A guest that stands still for a while makes the sleeps longer, and the whole command too.
begin=$(centiseconds)
run dktrace latency syscall --csv --filter 'id == nanosleep || id == clock_nanosleep' -- sh -c 'sleep 0.1; sleep 0.1; sleep 0.3'
whole=$((($(centiseconds) - begin + 1) * 10000000))
status_is 0 "sleeps"
name=$(sed -n '2s/,.*//p' "$out")
same 3 "$(cell $name 2)" "three of them"
at_least 100000000 "$(cell $name 3)" "the shortest"
at_least 300000000 "$(cell $name 8)" "the longest"
holds "not longer than the command" [ "$(cell $name 8)" -lt $whole ]

run dktrace latency block --csv -t 0.1
status_is 0 "block requests, also if there are none"
for pair in softirq irq wakeup run; do
	run dktrace latency $pair --csv --slowest 0 -- sleep 0.1
	status_is 0 "$pair" || cat "$err"
done
has_line '^.*,[1-9][0-9]*,' "$out" "processes ran"

# A function's entry and return, by probes of our own.
if [ -e $tracing/kprobe_events ]; then
	run dktrace latency function vfs_read --csv -- dd if=/dev/zero of=/dev/null bs=1 count=500
	status_is 0 "function"
	at_least 500 "$(sed -n '2p' "$out" | cut -d , -f 2)" "calls of vfs_read"
	same '' "$(made)" "probes and instance are gone"
	run dktrace latency function no_such_function -- true
	status_is 1 "no such function"
	same '' "$(made)" "nothing is left"
fi

# The kernel pairs: the same calls, in ranges. A guest that stands still makes them longer.
[ -e $tracing/synthetic_events ] || exit 0
begin=$(centiseconds)
run dktrace latency syscall --kernel --csv --filter 'id == nanosleep || id == clock_nanosleep' -- \
	sh -c 'sleep 0.27; sleep 0.27; sleep 0.54'
whole=$((($(centiseconds) - begin + 1) * 10000000))
status_is 0 "--kernel"
no_line '^[a-z_]*nanosleep,[0-9]{1,8}-|^[a-z_]*nanosleep,1[0-9]{8}-' "$out" "none below a quarter of a second"
has_line '^[a-z_]*nanosleep,(268435457-536870912|536870913-1073741824|1073741825-[0-9]+),[1-3],[0-9]+$' "$out" \
	"ranges that end at powers of two"
sed -n 's/^[a-z_]*nanosleep,\([0-9]*\)-/\1,/p' "$out" >ranges
same 3 "$(awk -F , '{ n += $3 } END { print n }' ranges)" "three sleeps"
at_least 1 "$(awk -F , '$1 > 536870912 { n += $3 } END { print n + 0 }' ranges)" "one of half a second"
total=$(awk -F , '{ n += $4 } END { printf "%.0f", n }' ranges)
at_least 1080000000 "$total" "as long as they were told"
holds "not longer than the command" [ "$total" -lt $whole ]
same '' "$(made)" "event and instance are gone"
run dktrace latency syscall --kernel -t 0.2
has_line 'hits in' "$out" "all calls of all processes"
run dktrace latency syscall --kernel --filter 'id == nanosleep || id == clock_nanosleep' -- \
	sh -c 'sleep 0.27; sleep 0.27; sleep 0.54'
has_line '^syscall +COUNT +P50 ' "$out" "percentiles"
has_line 'nanosleep +3( +<= (537 ms|1\.07 s|2\.15 s|[0-9.]+ s)){5} +[0-9]+(\.[0-9]+)? s$' "$out" "are the ends of ranges"
# A packet to this host is received by a soft interrupt.
ip link set lo up
run dktrace latency softirq --kernel -- ping -q -c 1 127.0.0.1
# Synthetic events without a list of all made events have fields of one-word types only, and no text of any length.
if [ -e $tracing/dynamic_events ]; then
	has_line '^NET_RX +[0-9]+ +<= ' "$out" "groups have names" || cat "$out" "$err"
	run dktrace latency softirq --kernel --keys vec.dec -- ping -q -c 1 127.0.0.1
	has_line '^3 +[0-9]+ +<= ' "$out" "or numbers, if these are asked for"
else
	status_is 1 "no groups of unsigned int in this kernel"
	has_line "Param type doesn't match synthetic event field type" "$err" "and told so"
fi
run dktrace latency sched:sched_wakeup sched:sched_switch --match pid=next_pid --keys next_pid.execname --kernel -t 0.1
status_is 1 "no names of processes in the kernel"
has_line 'the kernel groups no pairs by names of processes' "$err" "and told so"
run dktrace latency wakeup --kernel -t 0.1
status_is 1 "two events that begin are too many"
has_line 'one event with one other; these are 3' "$err" "and told so"
run dktrace latency sched:sched_wakeup sched:sched_switch --match pid=next_pid --kernel --csv -- sleep 0.1
status_is 0 "keys of different names"
has_line '^[0-9]+-[0-9]+,[0-9]+,[0-9]+$' "$out" "has rows"
if [ -e $tracing/dynamic_events ]; then
	run dktrace latency irq --kernel -t 0.1
	status_is 0 "groups by a string" || cat "$err"
fi
same '' "$(made)" "nothing is left"

# Without a reader, everything is removed, as at the normal end.
for how in "syscall --kernel" "function vfs_read"; do
	dktrace latency $how -t 0.2 2>/dev/null | true
	same '' "$(made)" "nothing is left of $how whose reader went away"
done

# Killed: the next one, or reset, removes instance, event and probes.
for how in "syscall --kernel" "function vfs_read"; do
	rm -f killed.err
	dktrace latency $how >/dev/null 2>killed.err &
	pid=$!
	says $pid Ctrl-C killed.err
	kill -9 $pid
	wait $pid 2>/dev/null
	holds "something is left of $how" [ -n "$(made)" ]
	run dktrace reset
	same '' "$(made)" "reset removed it"
done
