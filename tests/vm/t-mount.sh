# SPDX-License-Identifier: LGPL-2.1-or-later
# If tracefs is not mounted, a change mounts it and reset unmounts it; reading mounts nothing.
# kernel: 6.1
# shellcheck shell=sh disable=SC2154

# debugfs mounts another tracefs below itself as soon as a process looks there.
umount "$tracing" /sys/kernel/debug/tracing 2>/dev/null
umount /sys/kernel/debug
put_back()
{
	mount -t debugfs debugfs /sys/kernel/debug
	grep -q " $tracing tracefs" /proc/mounts || mount -t tracefs tracefs "$tracing"
	vm_finish
}
trap put_back EXIT

for command in status doctor 'list classes' dk reset 'get_param debug'; do
	# shellcheck disable=SC2086 # words
	run dktrace $command
	no_line tracefs /proc/mounts "$command mounts nothing"
done
run dktrace set_param 'debug=+nosuch:*'
status_is 2 "a change that is refused"
no_line tracefs /proc/mounts "leaves nothing mounted"
gone /run/dktrace "and keeps nothing"
set_param debug=+vfstrace
has_line " $tracing tracefs" /proc/mounts "a change mounts tracefs"
cat /etc/passwd >/dev/null
run lctl dk
has_line 'etc/passwd|sys_enter_openat' "$out" "it records"
run dktrace reset
status_is 0 "reset ends well"
no_line tracefs /proc/mounts "and unmounts it"
gone /run/dktrace "nothing is kept"

# A tracefs that another program mounted stays mounted.
mount -t tracefs tracefs "$tracing"
set_param debug=+vfstrace
run dktrace reset
has_line " $tracing tracefs" /proc/mounts "a mount that was there stays"
