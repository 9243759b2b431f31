# SPDX-License-Identifier: LGPL-2.1-or-later
# snapshot: the log of a moment stays in the kernel while recording goes on, and is shown as the log is.
# kernel: 6.12
# shellcheck shell=sh disable=SC2154

run dktrace snapshot take
status_is 1 "without a log there is nothing to take"
has_line "nothing is recorded yet" "$err" "which is said"

set_param debug=0 debug=+ioctl debug_mb=4
run dktrace snapshot show
status_is 1 "without a snapshot there is nothing to show"
has_line "^dktrace: there is no snapshot; 'dktrace snapshot take', or a snapshot trigger, takes one$" "$err" "which is said"
run dktrace status
no_line '^snapshot' "$out" "status has no snapshot"

# The snapshot has the records from before it; later ones are in the log.
lctl mark 'before the snapshot'
stty -F /dev/ttyS1 >/dev/null
run dktrace snapshot take
status_is 0 "take"
has_line '^snapshot taken; its buffers have 4\.[0-9] MB$' "$out" "says what it costs"
lctl mark 'after the snapshot'
run dktrace status
has_line '^snapshot +taken' "$out" "status tells of it"
run dktrace status --json
has_line '"snapshot":"taken"' "$out" "also to programs"
run dktrace snapshot show
status_is 0 "show"
cp "$out" first
has_line 'before the snapshot' first "what was before"
no_line 'after the snapshot' first "not what came later"
at_least 3 "$(count "$legacy" first)" "records in it"
run dktrace snapshot show
status_is 0 "show again"
# The difference of the clocks is measured each time.
sed 's/:[0-9]*\.[0-9]*:0:/:/' first >want
sed 's/:[0-9]*\.[0-9]*:0:/:/' "$out" >got
diff want got
same 0 $? "it shows the same twice"
run dktrace show
has_line 'after the snapshot' "$out" "the log goes on"
no_line 'before the snapshot' "$out" "without what the snapshot took"

# Styles, selections and files as of show.
run dktrace snapshot show --style trace
has_line 'before the snapshot' "$out" "a style"
run dktrace snapshot show --style json -e ioctl,sys_enter_ioctl
no_line 'before the snapshot' "$out" "selected by event"
has_line '"event":"sys_enter_ioctl"' "$out" "only that"
run dktrace snapshot show --filter 'cmd == 0x5401'
has_line 'cmd: 0x00005401' "$out" "a filter"
no_line 'before the snapshot' "$out" "leaves the rest out"
run dktrace snapshot show --format trace.dat -o snap.dat
status_is 0 "as a file"
run dktrace report --style legacy snap.dat
has_line 'before the snapshot' "$out" "with the same records"

# A second one replaces the first. What show has read stays in the log.
lctl mark 'between the snapshots'
run dktrace snapshot take
run dktrace snapshot show
has_line 'between the snapshots' "$out" "the second has what came between"
no_line 'before the snapshot' "$out" "and nothing of the first"
lctl mark 'third'
run dktrace show
has_line 'third' "$out" "the log goes on"
has_line 'after the snapshot' "$out" "and has what show had read"
no_line 'before the snapshot' "$out" "but no records of the first snapshot"

# Free gives the memory back.
run dktrace snapshot free
status_is 0 "free"
has_line 'Snapshot is freed' "$instance/snapshot" "the kernel has none"
run dktrace snapshot show
status_is 1 "nothing to show"
run dktrace snapshot free
status_is 0 "free again"

# A trigger takes one when its event comes; show prints what it kept, also the next one.
run dktrace trigger add sched:sched_process_exec 'snapshot:1' --filter 'filename ~ "*true"'
status_is 0 "a snapshot trigger"
lctl mark 'led to it'
/bin/true
lctl mark 'came after it'
run dktrace snapshot show
status_is 0 "show what a trigger kept"
has_line 'led to it' "$out" "what led to it"
no_line 'came after it' "$out" "and nothing later"
run dktrace trigger rearm
/bin/true
run dktrace snapshot show
has_line 'came after it' "$out" "the next one of the trigger"

# The kernel empties the snapshot when an event of the log is removed: its records stay, also those of the event.
run dktrace probe add vfs_read 'count' --enable
dd if=/dev/zero of=/dev/null bs=777 count=3 2>/dev/null
lctl mark 'with a probe'
run dktrace snapshot take
dd if=/dev/zero of=/dev/null bs=778 count=2 2>/dev/null
run dktrace probe del vfs_read
status_is 0 "a probe with records in the snapshot is removed"
# Another event gets its ID.
run dktrace probe add vfs_read 'pos' --name other --enable
run dktrace snapshot show --style trace
same 3 "$(grep -ac ' dd-.* vfs_read: .*count=777' "$out")" "the snapshot has the records of the probe"
has_line 'with a probe' "$out" "and the others"
run dktrace show --style trace
same 2 "$(grep -ac ' dd-.* vfs_read: .*count=778' "$out")" "the log has its own"
run dktrace probe del other
run dktrace snapshot show --style trace
same 3 "$(grep -ac ' dd-.* vfs_read: .*count=777' "$out")" "another removal leaves them"
run dktrace snapshot free
gone "/run/dktrace/dktrace/spool/snapshot/retired" "the format goes with the records"

# Bad words, and a full buffer: the loss is told.
run dktrace snapshot shoot
status_is 2 "a misspelt word"
run dktrace snapshot take twice
status_is 2 "too many words"
run dktrace snapshot show --input snap.dat
status_is 2 "a file has none"
run dktrace reset
gone "$instance"
set_param debug=0 debug=+ioctl debug_mb=1
echo 0 >"$instance/tracing_on"
echo 8 >"$instance/buffer_size_kb"
echo 1 >"$instance/tracing_on"
i=0
while [ $i -lt 600 ]; do
	echo "mark $i" >"$instance/trace_marker"
	i=$((i + 1))
done
run dktrace snapshot take
status_is 0 "take of a full buffer"
run dktrace snapshot show
status_is 3 "what was overwritten counts as lost"
has_line 'records were lost' "$err" "and is told"
seen=$(count 'mark [0-9]+$' "$out")
lost=$(sed -n 's/^dktrace: \([0-9]*\) records were lost.*/\1/p' "$err")
if grep -q 'some records lost' "$out"; then
	at_least 1 "${lost:-0}" "lost, beside $seen seen: a full page has no room for the count"
else
	same 600 $((seen + ${lost:-0})) "seen ($seen) and lost are all marks"
fi
run dktrace reset
gone "$instance"
gone /run/dktrace
