# SPDX-License-Identifier: LGPL-2.1-or-later
# profile --off-cpu shows the shares that a program measures itself, with a disk that is a loop device. perf reads the file.
# modules: loop
# programs: perf wall-target
# files: tests/tools/compare-wall
# timeout: 1800
# shellcheck shell=sh disable=SC2154,SC2086

need dktrace perf wall-target

# A thread is woken before the interrupt of another CPU lets it wait for this one. The emulated CPUs take turns, so that
# this lasts; the program's clock of waits for a CPU begins only then. Rounds are long, as to record a wakeup lasts, too.
echo 0 >/sys/devices/system/cpu/cpu1/online
dd if=/dev/zero of=disk bs=1M count=2 2>/dev/null
losetup /dev/loop0 disk || exit 1

dktrace profile --off-cpu -F 199 -o off.data -- sh -c 'exec wall-target 5 /dev/loop0 250 >clocks' >table.txt 2>err.txt
same 0 $? "profile of a command"
no_line 'lost' err.txt "no losses"
# To start the program lasts, too. A recorded wakeup is earlier than the beginning of the wait for a CPU: see above. How
# much that is depends on the machine that emulates this one.
dktrace profile --off-cpu --since "$(sed -n 's/^since //p' clocks)" --until "$(sed -n 's/^until //p' clocks)" \
	--style folded off.data >folded.txt
same "" "$(sh /vm/tree/tests/tools/compare-wall clocks folded.txt 15)" "the shares that the program measures"
has_line 'woken by wall-holder' table.txt "who ends the waits"
perf script -i off.data >script.txt 2>perf.err
same "" "$(cat perf.err)" "perf reads the file"
has_line 'sched_switch: .*prev_comm=wall-target' script.txt "switches, by perf"
losetup -d /dev/loop0
echo 1 >/sys/devices/system/cpu/cpu1/online
