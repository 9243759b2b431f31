# SPDX-License-Identifier: LGPL-2.1-or-later
# CPUs that are possible but not present, offline when the log begins, or go offline later.
# append: possible_cpus=4
# shellcheck shell=sh disable=SC2154

online=/sys/devices/system/cpu/cpu1/online
[ -w $online ] || skip "this kernel cannot take CPU 1 offline"

# N calls of write of that size by CPU 1.
writes()
{
	taskset 2 dd if=/dev/zero of=/dev/null bs="$2" count="$1" 2>/dev/null
}

# How many of them are in a file.
written()
{
	grep -c "sys_enter_write()) .*count: 0x0*$(printf %x "$1")\$" "$2"
}

# True if a process reads the buffer of a CPU. usage: reads_cpu NUMBER
reads_cpu()
{
	stat -c %N /proc/[0-9]*/fd/* 2>/dev/null | grep -q "/instances/dktrace/per_cpu/cpu$1/trace_pipe_raw'"
}

# Since 6.9 the kernel takes possible_cpus= as a limit only.
cpus=$(find $tracing/per_cpu -maxdepth 1 -name 'cpu*' | wc -l)
case $(uname -r) in
6.1.*) same 4 "$cpus" "tracefs has four CPUs" ;;
*) at_least 2 "$cpus" "tracefs has the CPUs" ;;
esac
echo 0 >$online
set_param debug=+vfstrace
cat /etc/passwd >/dev/null
run dktrace show
status_is 0 "show, with all CPUs but one offline"
at_least 2 "$(count "$legacy")" "shows what the other one recorded"
run lctl dk dk.txt
status_is 0 "dk"
run dktrace status
status_is 0 "status"
has_line "for $cpus CPUs, $((cpus - 1)) of them offline" "$out" "counts the CPUs"
run dktrace status --json
same "0 true" "$(json '.cpus[0].cpu' '.cpus[0].online' <"$out" | xargs)" "and says which"
same 1 "$(count '"online":true')" "and no other"
run dktrace latency syscall -- cat /etc/passwd
status_is 0 "latency"
run dktrace hist syscalls:sys_enter_openat --keys flags -- cat /etc/passwd
status_is 0 "hist"
run dktrace dk -F trace.dat file.dat
status_is 0 "dk into a file"
run dktrace info file.dat
status_is 0 "which can be read"

# A daemon and follow that were started before: they read a CPU from the moment it comes.
run lctl debug_daemon start daemon.bin 10
status_is 0 "debug_daemon starts"
until_true reads_cpu 0
echo 1 >$online
until_true reads_cpu 1
writes 300 1111
run lctl debug_daemon stop
run sh -c 'lctl df daemon.bin >daemon.txt'
same 300 "$(written 1111 daemon.txt)" "the daemon has all of a CPU that came"
run lctl debug_daemon status
has_line '^lost: 0 records' "$out" "and lost nothing"

echo 0 >$online
run dktrace reset
set_param debug=+vfstrace
dktrace follow >follow.txt 2>follow.err &
follow=$!
follows "$follow"
sleep 1
before=$(awk '{ print $14 + $15 }' /proc/$follow/stat)
sleep 3
# Reading missing buffers is not a busy loop: two seconds of that would be 200 ticks.
at_least "$(awk '{ print $14 + $15 }' /proc/$follow/stat)" "$((before + 100))" "follow waits"
echo 1 >$online
writes 300 2222
followed()
{
	[ "$(written 2222 follow.txt)" -eq 300 ]
}

until_true followed
echo 0 >$online
cat /etc/passwd >/dev/null
kill -INT $follow
wait $follow
same 300 "$(written 2222 follow.txt)" "follow has all of a CPU that came and went"
same '' "$(grep "were lost" follow.err)" "and lost nothing"

# The records of a CPU from before it went offline are still in the log.
echo 1 >$online
lctl clear
writes 300 3333
echo 0 >$online
run sh -c 'dktrace show >show.txt'
same 300 "$(written 3333 show.txt)" "a CPU that went leaves its records"
run dktrace status --json
at_least 600 $(($(json '.cpus[1].read' <"$out") + $(json '.cpus[1].records' <"$out"))) "which status counts"
run sh -c 'dktrace dk >dk.txt'
status_is 0 "dk takes them"
same 300 "$(written 3333 dk.txt)" "once"

# Losses of an offline CPU are counted, and kept + lost is the number generated.
echo 1 >$online
set_param debug_mb=4
lctl clear
writes 60000 4444
set_param debug=0
echo 0 >$online
all=$(generated)
run sh -c 'dktrace dk >dk.txt'
status_is 3 "records were lost"
lost=$(sed -n 's/.*: \([0-9]*\) records were lost.*/\1/p' "$err")
has_line 'cpu 1: [0-9]+' "$err" "of the CPU that went"
at_least "$all" "$(($(grep -vc 'lost_events' dk.txt) + ${lost:-0}))" "kept + lost is what was generated"
echo 1 >$online
run dktrace reset
status_is 0 "reset"
