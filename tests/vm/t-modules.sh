# SPDX-License-Identifier: LGPL-2.1-or-later
# Events come and go with modules: commands find those of a new module, and dk survives removed ones.
# modules: loop xfs
# kernel: 6.1
# programs: mkfs.xfs
# shellcheck shell=sh disable=SC2154

load()
{
	insmod /vm/modules/xfs.ko
}

rmmod xfs || fail "xfs can be unloaded" || exit
gone "$tracing/events/xfs" "xfs is not there yet" || exit
new_xfs image
mkdir mnt

set_param debug=vfstrace+inode+iotrace+malloc subsystem_debug=osd+llite
same 0 "$(grep -c '^xfs:' "$instance/set_event")" "its events are not on"
load || fail "xfs can be loaded" || exit
run dktrace status
status_is 0 "status after a module came"
has_line '^attention +[0-9]+ events of xfs are disabled: they appeared later; the next set_param' "$out" "status tells it"
set_param 'debug=+ioctl,xfs:xfs_ilock[common_pid > 1],sched:sched_switch' debug=-xfs:xfs_iunlock
at_least 10 "$(grep -c '^xfs:' "$instance/set_event")" "after the next change they are"
same "common_pid > 1" "$(cat "$instance/events/xfs/xfs_ilock/filter")" "a named one has its filter"
same 0 "$(grep -c '^xfs:xfs_iunlock$' "$instance/set_event")" "an excluded one is off"
mount -t xfs -o loop image mnt
echo hello >mnt/file
sync
umount mnt
echo 0 >"$instance/tracing_on"
at_least 10 "$(grep -c ' xfs_' "$instance/trace")" "they are recorded"

# The module goes while its records are in the buffer; the kernel may clear its buffers then.
rmmod xfs || fail "xfs can be unloaded" || exit
gone "$tracing/events/xfs"
left=$(stat_sum entries)
echo "$left records left"
run sh -c 'dktrace show >show.txt'
status_is 0 "show after a module left"
same "$left" "$(count "$legacy" show.txt)" "every record is a line"
grep -E 'unknown|xfs' show.txt | head -n 5
for style in legacy trace; do
	run sh -c "dktrace show --style $style --filter 'common_pid > 0' >filtered.txt"
	status_is 0 "a filter on unknown events, $style"
done
run dktrace status
status_is 0 "status after a module left"
has_line '^attention +events of xfs no longer exist: their module was unloaded' "$out" "status tells it"
set_param debug=-ioctl
status_is 0 "a change after a module left"
load || fail "xfs can be loaded again" || exit
set_param debug=+ioctl
at_least 10 "$(grep -c '^xfs:' "$instance/set_event")" "they are on again"
same "common_pid > 1" "$(cat "$instance/events/xfs/xfs_ilock/filter")" "a named one has its filter again"
same 0 "$(grep -c '^xfs:xfs_iunlock$' "$instance/set_event")" "an excluded one is still off"
same 1 "$(grep -c '^sched:sched_switch$' "$instance/set_event")" "another named one is on"
run sh -c 'lctl dk >dk.txt'
status_is 0 "dk after it came back with other numbers"
same "$left" "$(count "$legacy" dk.txt)" "every record is still a line"
run dktrace reset
status_is 0 "reset ends well"
