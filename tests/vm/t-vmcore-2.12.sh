# SPDX-License-Identifier: LGPL-2.1-or-later
# The messages of Lustre 2.12 in the kernel's memory, where the lists of pages are laid out in another way.
# build-modules: libcfs-2.12
# libraries: libkdumpfile.so.10
# shellcheck shell=sh disable=SC2154,SC2086

load_built libcfs-2.12
echo -1 >$lnet/debug
emit catalogue softirq hardirq "flood 2000" "cpus 200"
run sh -c 'dktrace report --instance libcfs --style legacy /proc/kcore | sort >own'
grep -q "is read with libkdumpfile, which" "$err" && skip "$(cat "$err")"
at_least 2000 "$(wc -l <own)" "there are messages"
echo "$work/dump" >$lnet/dump_kernel
dktrace report --style legacy dump | sort >whole
same "$(md5sum <whole)" "$(md5sum <own)" "they are those that Lustre dumps"
