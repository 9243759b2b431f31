# SPDX-License-Identifier: LGPL-2.1-or-later
# stat without a processor's counters: exact counts of system calls, also of threads and CPUs, and what users may count.
# programs: jq perf setpriv
# shellcheck shell=sh disable=SC2154,SC2086

need jq
need perf

# 1,000 writes, and one of the summary.
copy='dd if=/dev/zero of=/dev/null bs=1 count=1000'

# Prints the count of an event in the output. usage: count EVENT
count()
{
	jq --arg event "$1" '[.events[] | select(.event == $event).count] | add' "$out"
}

events='raw_syscalls:*,syscalls:sys_enter_write,context-switches'
run dktrace stat --json -e "$events" -- $copy
status_is 0 "the command's status"
same 1001 "$(count syscalls:sys_enter_write)" "writes"
same "$(count raw_syscalls:sys_exit)" "$(count raw_syscalls:sys_enter)" "calls begin and end"
perf stat -x, -o perf.csv -e "$events" $copy 2>/dev/null
same 1001 "$(sed -n 's/^\([0-9]*\),,syscalls:sys_enter_write,.*/\1/p' perf.csv)" "writes as of perf"
run dktrace stat --json --per-cpu -e syscalls:sys_enter_write -- sh -c "$copy & $copy; wait"
same 2002 "$(count syscalls:sys_enter_write)" "writes on all CPUs"
run dktrace stat --csv --interval 10ms -e syscalls:sys_enter_write -- sh -c "$copy; $copy"
same 2002 "$(awk -F , '{ n += $2 } END { print n }' "$out")" "writes of all intervals"
run dktrace stat --json -e cycles,LLC-load-misses,r1a8,page-faults -- true
same '["not supported","not supported","not supported","counted"]' "$(jq -c '[.events[].state]' "$out")" \
	"what the machine lacks"
run dktrace stat --json -e trace,raw_syscalls:sys_enter,raw_syscalls:sys_exit -- $copy
same "$(($(count raw_syscalls:sys_enter) + $(count raw_syscalls:sys_exit)))" "$(count trace)" "a class is the sum"
run dktrace stat --json -r 3 -e syscalls:sys_enter_write -- $copy
same '1001 0' "$(jq -r '"\(.events[0].count | round) \(.events[0].error | round)"' "$out")" "three runs"
run dktrace stat --duration 0.1 --per-thread --json -e context-switches
at_least 1 "$(jq '.events | length' "$out")" "threads"

# A user may count his own programs if the setting says so; Debian's kernels begin with 3.
as_nobody()
{
	run /bin/setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Debian's kernels refuse all with 3; others take it for 2.
echo 3 >/proc/sys/kernel/perf_event_paranoid
as_nobody dktrace stat -e page-faults:u -- true
if [ "$rc" -ne 0 ]; then
	has_line 'perf_event_paranoid is 3' "$err" "says what it is"
	no_line 'your own programs only' "$err" "no advice that does not help"
fi
echo 2 >/proc/sys/kernel/perf_event_paranoid
as_nobody dktrace stat -e page-faults -- true
status_is 1 "with 2, and the kernel"
has_line 'your own programs only: page-faults:u' "$err" "says what would do"
as_nobody dktrace stat --json -- true
status_is 0 "with 2"
same '["counted","not permitted","not permitted","counted"]' "$(jq -c '[.events[:4][].state]' "$out")" "what is left"
echo 1 >/proc/sys/kernel/perf_event_paranoid
as_nobody dktrace stat --json -- true
same '["task-clock","context-switches","cpu-migrations","page-faults"]' "$(jq -c '[.events[:4][].event]' "$out")" "with 1"
same '["counted","counted","counted","counted"]' "$(jq -c '[.events[:4][].state]' "$out")" "all of a process"
