# SPDX-License-Identifier: LGPL-2.1-or-later
# The ring buffers in the kernel's memory hold the records that the kernel shows.
# libraries: libkdumpfile.so.10
# modules: qemu_fw_cfg
# dump: yes
# machine: x86_64 dumps of other machines are not read
# shellcheck shell=sh disable=SC2154,SC2034

# The CPU and the time of each record, as cat trace and report print them.
stamps()
{
	sed -n 's/^.* \(\[[0-9]*\]\)[^:]* \([0-9]*\.[0-9]*\): .*$/\1 \2/p' "$1"
}

made=$tracing/instances/made
mkdir "$made" "$tracing/instances/small"
echo mono >"$made/trace_clock"
echo 1 >"$made/events/sched/enable"
echo 1 >"$made/events/raw_syscalls/enable"
echo 8 >"$tracing/instances/small/buffer_size_kb"
echo 1 >"$tracing/instances/small/events/raw_syscalls/enable"
echo 'p:hello vfs_read count=$arg3' >"$tracing/kprobe_events"
echo 1 >"$made/events/kprobes/enable"
ls -R /sys/class >/dev/null
cat /proc/self/comm >/dev/null
echo 'a marker' >"$made/trace_marker"
echo 0 >"$made/tracing_on"
echo 0 >"$tracing/instances/small/tracing_on"

run dktrace info /proc/kcore
grep -q "is read with libkdumpfile, which" "$err" && skip "$(cat "$err")"
status_is 3 "the records that were overwritten are counted"
same vmcore "$(sed -n 's/^kind *//p' "$out")" "it is the memory of a kernel"

no_line '^clock' "$out" "instances with different clocks have none together"
run dktrace info -B made /proc/kcore
has_line '^clock +mono$' "$out" "one of them has its own"

cat "$made/trace" >made.txt
run sh -c 'dktrace report -B made /proc/kcore >own.txt'
status_is 0
stamps made.txt >made.stamps
stamps own.txt >own.stamps
at_least 300 "$(wc -l <made.stamps)" "there are records"
same "$(md5sum <made.stamps)" "$(md5sum <own.stamps)" "CPU and time of each record are the kernel's"
same 1 "$(grep -c 'a marker' own.txt)" "the marker is there"
grep -o 'hello: *(.*' own.txt | sed 's/: */: /' | head -n 1
at_least 1 "$(grep -c 'hello: .* count=[0-9]' own.txt)" "a probe's record has its fields"
same "$(grep -c 'sched_switch: prev_comm=' made.txt)" \
	"$(grep -c 'sched_switch: *prev_comm=' own.txt)" "and a tracepoint's"

# A reader has taken the first half of a page.
dd if="$made/trace_pipe" of=/dev/null bs=2000 count=1 2>/dev/null
cat "$made/trace" >made.txt
run sh -c 'dktrace report -B made /proc/kcore >own.txt'
stamps made.txt >made.stamps
stamps own.txt >own.stamps
same "$(md5sum <made.stamps)" "$(md5sum <own.stamps)" "records that a reader took are not there"

# The count of lost records is the kernel's.
overrun=$(sed -n 's/^overrun: //p' "$tracing"/instances/small/per_cpu/cpu*/stats | awk '{ n += $1 } END { print n }')
run sh -c 'dktrace report -B small /proc/kcore >own.txt'
status_is 3 "a loss is in the exit status"
same "$overrun" "$(sed -n 's/.*: \([0-9]*\) of [0-9]* records were lost.*/\1/p' "$err")" "and the kernel's count is told"
# The host reads the same out of a dump.
stty -F /dev/ttyS2 raw -echo
echo "@vm dump t-vmcore $(md5sum <made.stamps | cut -d ' ' -f 1) $overrun" >/dev/ttyS1
read -r looked </dev/ttyS2
same 0 "$looked" "a dump by qemu has the same records"
echo 0 >"$made/events/kprobes/enable"
echo >"$tracing/kprobe_events"
