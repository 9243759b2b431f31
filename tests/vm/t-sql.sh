# SPDX-License-Identifier: LGPL-2.1-or-later
# SQL: an event of two others has the records of the workload, and a histogram equals that of --keys.
# kernel: 6.1
# shellcheck shell=sh disable=SC2154

need dktrace

[ -e $tracing/synthetic_events ] || skip "no synthetic events"
# libtracefs names the types of fields by their sizes; RHEL 8's kernel wants the very words of the events.
[ -e $tracing/dynamic_events ] || skip "fields of synthetic events have the types of their sources only"

# Nothing else writes 321 bytes at once. usage: writes COUNT
writes()
{
	dd if=/dev/zero of=/dev/null bs=321 count="$1" 2>/dev/null
}

# The triggers that the instance has on writes.
triggers()
{
	cat "$instance"/events/syscalls/sys_*_write/trigger | grep -v '^#'
}

join='FROM sys_enter_write AS start JOIN sys_exit_write AS end ON start.common_pid = end.common_pid WHERE start.count == 321'
done='SELECT start.common_pid AS pid, start.count AS asked, end.ret AS done'
lat='(end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat'

run dktrace probe add --sql "$done, $lat $join" --name wrote --enable
status_is 0 "an event of two system calls"
same 'synthetic:wrote' "$(cat "$out")" "its name is printed"
begin=$(centiseconds)
writes 7
whole=$((($(centiseconds) - begin + 1) * 10000))
same 2 "$(triggers | wc -l)" "two triggers make its records"
run dktrace dk --style json --filter 'asked == 321'
same 7 "$(grep -c '"event":"wrote".*"asked":321,"done":321,' "$out")" "seven records for seven writes, with fields of both"
sed -n 's/.*"event":"wrote".*"lat":\([0-9]*\).*/\1/p' "$out" >lats
same 7 "$(wc -l <lats)" "each with a time"
at_least "$(awk '{ n += $1 } END { print n }' lats)" "$whole" "which are not longer than the command"
run dktrace probe list wrote
has_line 'synthetic:wrote +synthetic +yes +yes +s32 pid; u64 asked; s64 done; u64 lat' "$out" "is listed as ours and enabled"

# A second one has the same keys and condition. The kernel sets the clock for it, and empties the buffers.
lctl mark stays
run dktrace probe add --sql "$done, $lat $join && (end.ret > 0 && end.ret < 1000)" --name again --enable
status_is 0 "a second event of the same two"
writes 3
dktrace show >marks 2>/dev/null
run dktrace dk --style json --filter 'asked == 321'
has_line 'stays' marks "records from before are still there"
no_line 'clock' "$err" "the clock is the same"
same 3 "$(grep -c '"event":"wrote"' "$out")" "the first one still works"
same 3 "$(grep -c '"event":"again"' "$out")" "the second one, too"
same 4 "$(triggers | wc -l)" "four triggers"

run dktrace probe add --sql "$done $join" --name wrote
status_is 1 "no second event of that name"
has_line 'event synthetic:wrote already exists' "$err" "says so"
same 4 "$(triggers | wc -l)" "nothing has changed"

run dktrace probe del again
status_is 0 "removed"
same 2 "$(triggers | wc -l)" "with its triggers and no others"
writes 2
run dktrace dk --style json --filter 'asked == 321'
same 2 "$(grep -c '"event":"wrote"' "$out")" "the first one still works"

run dktrace save conf
status_is 0 "saved"
cat conf
run dktrace reset
status_is 0 "reset"
same "" "$(made_events)" "no event is left"
gone "$instance" "and no instance"
run dktrace apply conf
status_is 0 "applied"
writes 5
run dktrace dk --style json --filter 'asked == 321'
same 5 "$(grep -c '"event":"wrote"' "$out")" "works again"
run dktrace probe del wrote
status_is 0 "removed after it was applied"
same 0 "$(triggers | wc -l)" "with its triggers"

# An event joined to itself: how long the thread ran that wrote.
run dktrace probe add --name ran --enable --sql 'SELECT start.next_pid AS pid, end.prev_comm AS name,
	(end.TIMESTAMP - start.TIMESTAMP) AS ns FROM sched_switch AS start JOIN sched_switch AS end
	ON start.next_pid = end.prev_pid WHERE end.prev_comm == "sleep"'
status_is 0 "an event joined to itself"
sleep 0.1
run dktrace dk --style json --filter 'name == sleep'
has_line '"event":"ran".*"name":"sleep","ns":[1-9]' "$out" "pairs records of one event"
# sleep leaves its CPU for the last time after its parent knows of its end, and maybe after dk.
run dktrace probe disable ran
status_is 0 "disabled"
dktrace clear
run dktrace probe del ran
status_is 0 "removed"

# A change that the kernel refuses is undone.
run dktrace probe add --name bad --sql "SELECT (end.TIMESTAMP_USECS - start.TIMESTAMP) AS lat $join"
status_is 1 "a statement that the kernel refuses"
has_line 'units' "$err" "with its words"
has_line '^ +\^' "$err" "and the place in a line of its own"
same 0 "$(triggers | wc -l)" "no trigger is left"
run dktrace probe list bad
no_line synthetic:bad "$out" "and no event"

run dktrace hist --csv --sql 'SELECT count, CAST(fd AS hex) FROM sys_enter_write WHERE count == 321' -- dd if=/dev/zero of=/dev/null bs=321 count=11
status_is 0 "a histogram"
grep -v '^dktrace' "$out" >sql.csv
run dktrace hist --csv syscalls:sys_enter_write --keys count,fd.hex --filter 'count == 321' -- dd if=/dev/zero of=/dev/null bs=321 count=11
same "$(cat "$out")" "$(cat sql.csv)" "is the same as one by --keys"
has_line '^321,(0x)?1,11$' sql.csv "with every write"
run dktrace hist --csv --here --sql 'SELECT count, CAST(fd AS hex) FROM sys_enter_write WHERE count == 321' -- dd if=/dev/zero of=/dev/null bs=321 count=11
same "$(cat sql.csv)" "$(cat "$out")" "and as one that dktrace counts"
run dktrace hist --csv --sql 'SELECT CAST(common_pid AS comm), CAST(count AS _COUNTER_) FROM sys_enter_write WHERE count == 321' -- dd if=/dev/zero of=/dev/null bs=321 count=11
has_line "^dd.*,11,$((11 * 321))$" "$out" "names of processes, and a sum"

run dktrace reset
status_is 0 "reset"
same "" "$(made_events)" "no event is left"
no_line . $tracing/synthetic_events "nor a synthetic one"
gone "$instance" "and no instance"
same '' "$(cat $tracing/events/syscalls/sys_*_write/trigger | grep -v '^#')" "and no trigger"
