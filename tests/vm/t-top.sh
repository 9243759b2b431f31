# SPDX-License-Identifier: LGPL-2.1-or-later
# top on an older kernel: the counts of system calls, bytes, CPU time and disk requests are the kernel's,
# the log's classes are counted, nothing is left behind.
# modules: null_blk
# programs: jq
# kernel: 6.1
# shellcheck shell=sh disable=SC2154

need jq
# The size of buffers is "expanded" at their first use.
before=$(knobs | sed 's/ (expanded:.*//')
disk=$(ls /sys/block | grep '^nullb' | head -n 1)

# Starts top, whose frames go to the file frames, and waits for the first. usage: begin [OPTION...]
begin()
{
	rm -f frames
	dktrace top --json -d 0.5 --rows 0 "$@" >frames 2>top.err &
	top=$!
	until_true [ -s frames ]
}

# True if so many frames are complete. usage: complete N
complete()
{
	[ "$(grep -c '^}' frames)" -ge "$1" ]
}

# Waits until a frame is complete that began after now, and ends top.
end()
{
	until_true complete $(($(grep -c '^}' frames) + 2))
	kill $top
	wait $top
	rc=$?
}

# Prints the sum over all frames of a rate. usage: sum PANEL KEY VALUE COLUMN
sum()
{
	jq -n --arg panel "$1" --arg key "$2" --arg value "$3" --arg column "$4" '[inputs | .seconds as $s |
		.[$panel][] | select(.[$key] == $value) | .[$column] * $s] | add // 0 | round' frames
}

# usage: disk_stat FIELD: writes are 5, written sectors 7
disk_stat()
{
	awk "{ print \$$1 }" "/sys/block/$disk/stat"
}

writes=$(disk_stat 5)
sectors=$(disk_stat 7)
begin --panel processes,disks,events
# The copy of the program has a name that nothing else has; the shell waits, so that its pid lives.
cp /bin/busybox ./dd
sh -c './dd if=/dev/zero of="/dev/$0" bs=64k count=100 conv=fsync status=none; ./dd if=/dev/zero of=file bs=10 count=3000 status=none' "$disk"
end
status_is 0 "top ends"
no_line 'lost' top.err "nothing is lost"
same $((100 * 65536 + 30000)) "$(sum processes command dd written)" "bytes written by dd"
same $((100 * 65536)) $((($(disk_stat 7) - sectors) * 512)) "the kernel counts as many bytes on the disk"
same $((100 * 65536)) "$(sum disks device "$disk" written)" "bytes written to the disk"
same $(($(disk_stat 5) - writes)) "$(sum disks device "$disk" writes)" "requests of the disk"

# A process that only computes, in ticks of 10 ms.
sh -c 'while :; do :; done' &
busy=$!
begin --panel processes
from=$(awk '{ print $14 + $15 }' /proc/$busy/stat)
sleep 2
to=$(awk '{ print $14 + $15 }' /proc/$busy/stat)
end
kill $busy
at_least $(((to - from) * 9 / 10 - 2)) \
	"$(jq -n --argjson pid $busy '[inputs | .seconds as $s | .processes[] | select(.pid == $pid) | .cpu * $s] | add // 0 | round' frames)" \
	"ticks of CPU time, of $((to - from))"

# Classes of the debug log.
set_param debug=ioctl
begin --log --panel classes
for _ in 1 2 3 4 5 6 7 8 9 10; do stty -F /dev/ttyS1 >/dev/null; done
end
# Two calls each, with two records each.
at_least 40 "$(sum classes class ioctl log)" "records of the class in top"
run dktrace reset

run dktrace top --batch -n 1 -d 0.2
has_line 'processes' "$out" "batch prints the panels"
same "$before" "$(knobs | sed 's/ (expanded:.*//')" "nothing is left behind"
