# SPDX-License-Identifier: LGPL-2.1-or-later
# Lustre's pages in the kernel's memory hold the messages that its own dump has.
# build-modules: libcfs
# libraries: libkdumpfile.so.10
# modules: qemu_fw_cfg
# dump: yes
# machine: x86_64 dumps of other machines are not read
# programs: bash
# python: tests/tools/examples
# files: man/dktrace*.1 tests/live/examples.cases share/classes.d/* share/intervals.d/*
# shellcheck shell=sh disable=SC2154,SC2034

lnet=/sys/kernel/debug/lnet

run dktrace report --instance libcfs /proc/kcore
grep -q "is read with libkdumpfile, which" "$err" && skip "$(cat "$err")"
status_is 1
has_line "it has no messages of Lustre, whose module libcfs was not loaded" "$err" "without Lustre that is told"

# The top instance, on another clock, has no records.
mkdir "$tracing/instances/made"
echo mono >"$tracing/instances/made/trace_clock"
echo 1 >"$tracing/instances/made/events/sched/enable"
insmod /vm/modules/libcfs.ko
echo -1 >$lnet/debug
for words in catalogue softirq hardirq "flood 2000" "cpus 200" "long 1900"; do
	echo "$words" >$lnet/emit
done
# Each of these processes begins and ends, which are two events at least.
for i in $(seq 50); do
	(:)
done
echo 0 >"$tracing/instances/made/tracing_on"
run sh -c 'dktrace report --jobs 4 /proc/kcore >own'
same 1 "$(grep -c 'messages are there' "$err")" "it is said once"
has_line "/proc/kcore: Lustre's messages are there, too; --instance libcfs prints them" "$err" \
	"who reads the ring buffers is told of them"
run sh -c 'dktrace report --instance libcfs --style legacy /proc/kcore >own'
status_is 0
at_least 2000 "$(wc -l <own)" "there are messages"


# Both in one timeline: the message of the same time stands between the events around it.
run dktrace convert --instance libcfs --format legacy /proc/kcore own.log
run sh -c 'dktrace report /proc/kcore own.log --style legacy >both'
status_is 0 "the ring buffers have wall-clock times, and can be merged with the messages"
at_least 2000 "$(grep -c 'emit.c:' both)" "there are messages"
at_least 100 "$(grep -c 'sched:' both)" "and events"
grep -o ':[0-9]\{10\}\.[0-9]\{6\}:' both | tr -d : | sort -nc
same 0 $? "in order"

# The host reads the same out of a dump.
stty -F /dev/ttyS2 raw -echo
echo "@vm dump t-vmcore-lustre $(md5sum <own | cut -d ' ' -f 1)" >/dev/ttyS1
read -r looked </dev/ttyS2
same 0 "$looked" "a dump by qemu has the same messages"

# The kernel's memory as a dump of the manuals.
mkdir -p room/var/crash/202611230412 room/work "$tracing/instances/dktrace"
ln -s /proc/kcore room/var/crash/202611230412/dump.202611230412
ln -s /proc/kcore room/work/vmcore
for of in "$tracing" "$tracing/instances/dktrace"; do
	echo 1 >"$of/events/sched/sched_process_exec/enable"
	/bin/true
	echo 0 >"$of/events/sched/sched_process_exec/enable"
done
run_examples vm/t-vmcore-lustre.sh /vm/tree/man/dktrace-report.1 /vm/tree/man/dktrace.1
echo >"$tracing/trace"

# Messages of the same microsecond are in the order of the lists, which the module's own dump turns round.
echo /whole >$lnet/dump_kernel
dktrace report --style legacy /whole | sort >whole
sort own >own.sorted
same "$(md5sum <whole)" "$(md5sum <own.sorted)" "they are those that Lustre dumps"
run sh -c 'dktrace report --instance libcfs --style legacy /proc/kcore >own'
status_is 0
same 0 "$(wc -l <own)" "after that dump there are none"
rmmod libcfs
