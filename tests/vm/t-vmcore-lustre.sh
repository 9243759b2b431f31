# SPDX-License-Identifier: LGPL-2.1-or-later
# Lustre's pages in the kernel's memory hold the messages that its own dump has.
# build-modules: libcfs
# libraries: libkdumpfile.so.10
# modules: qemu_fw_cfg
# dump: yes
# timeout: 240
# shellcheck shell=sh disable=SC2154,SC2034

lnet=/sys/kernel/debug/lnet

run dktrace report --instance libcfs /proc/kcore
grep -q "is read with libkdumpfile, which" "$err" && skip "$(cat "$err")"
status_is 1
has_line "it has no messages of Lustre, whose module libcfs was not loaded" "$err" "without Lustre that is told"

insmod /vm/modules/libcfs.ko
echo -1 >$lnet/debug
for words in catalogue softirq hardirq "flood 2000" "cpus 200" "long 1900"; do
	echo "$words" >$lnet/emit
done
run sh -c 'dktrace report --jobs 4 /proc/kcore >own'
same 1 "$(grep -c 'messages are there' "$err")" "it is said once"
has_line "/proc/kcore: Lustre's messages are there, too; --instance libcfs prints them" "$err" \
	"who reads the ring buffers is told of them"
run sh -c 'dktrace report --instance libcfs --style legacy /proc/kcore >own'
status_is 0
at_least 2000 "$(wc -l <own)" "there are messages"

# The host reads the same out of a dump.
stty -F /dev/ttyS2 raw -echo
echo "@vm dump t-vmcore-lustre $(md5sum <own | cut -d ' ' -f 1)" >/dev/ttyS1
read -r looked </dev/ttyS2
same 0 "$looked" "a dump by qemu has the same messages"

# Messages of the same microsecond are in the order of the lists, which the module's own dump turns round.
echo /whole >$lnet/dump_kernel
dktrace report --style legacy /whole | sort >whole
sort own >own.sorted
same "$(md5sum <whole)" "$(md5sum <own.sorted)" "they are those that Lustre dumps"
run sh -c 'dktrace report --instance libcfs --style legacy /proc/kcore >own'
status_is 0
same 0 "$(wc -l <own)" "after that dump there are none"
rmmod libcfs
