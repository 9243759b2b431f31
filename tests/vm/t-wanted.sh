# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# A recording by class, by name and with a probe of its own, where Lustre is loaded; nothing stays.
# kernel: 6.12
# shellcheck shell=sh disable=SC2154,SC2086

need dktrace
load_built libcfs
echo -1 >$lnet/debug
cd /tmp || exit

# The probe's event gets its filter by its name.
run dktrace record -o probe.dat --probe 'vfs_read count' -e 'vfs_read[count > 5000],sched_switch' -- \
	dd if=/dev/zero of=/dev/null bs=7777 count=20
status_is 0 "record with a probe"
run sh -c 'dktrace report probe.dat -e vfs_read >probe.txt'
at_least 20 "$(grep -c 'count=' probe.txt)" "its records"
run sh -c "dktrace report probe.dat -e vfs_read -f 'count <= 5000' >few.txt"
same 0 "$(wc -l <few.txt)" "only those of the filter"
no_line 'vfs_read' $tracing/kprobe_events "the probe is removed"

# A class stands for Lustre's messages.
run dktrace record -o class.dat -c rpctrace+net+info+other --all -- sh -c "echo catalogue >$lnet/emit"
status_is 0 "record a class"
run sh -c 'dktrace report class.dat -S legacy >class.txt'
at_least 20 "$(grep -c '(emit.c:' class.txt)" "messages, as lines of Lustre's log"
has_line 'emit_numbers\(\)\) int -7 7 4000000000 beef BEEF 755$' class.txt "with their arguments"
no_line 'sched:' class.txt "and no event of the kernel"
gone /run/dktrace "no directory of a log is left"
no_line 'cdebug' $tracing/kprobe_events "the probe on messages is removed"

run dktrace record -o none.dat --probe 'no_such_function_here'
status_is 1 "a probe that cannot be"
run dktrace record -o none.dat --probe 'vfs_read' -e nosuch:event
status_is 1 "a word that is wrong after a probe"
no_line 'vfs_read' $tracing/kprobe_events "leaves no probe"
