# SPDX-License-Identifier: LGPL-2.1-or-later
# modules: xfs loop
# programs: mkfs.xfs
# Returns of functions, by probes on a glob, print as Lustre's RETURN, with the value or without.
# shellcheck shell=sh disable=SC2154,SC2016

# With xfs the kernel takes seconds to list functions, so it is loaded where they are the subject.
rmmod xfs
set_param debug=0

# values KIND: known functions with values known in advance.
values()
{
	for function in vfs_read vfs_write; do
		run dktrace probe add --enable --kind "$1" "$function%return" '$retval'
		status_is 0 "a $1 at the return of $function" || return
	done
	lctl clear
	dd if=/dev/zero of=/dev/null bs=123 count=4 2>/dev/null
	dd if=/dev/zero of=/dev/full bs=64 count=1 2>/dev/null
	run sh -c 'lctl dk >dk.txt'
	same 4 "$(count '^00000001:00000001:.*:\(ftrace:0:vfs_read\(\)\) Process leaving \(rc=123 : 123 : 7b\)$' dk.txt)" \
		"$1: four reads returned 123"
	same 1 "$(count ':\(ftrace:0:vfs_write\(\)\) Process leaving \(rc=18446744073709551588 : -28 : ffffffffffffffe4\)$' dk.txt)" \
		"$1: a write to a full device returned -28"
	dd if=/dev/zero of=/dev/null bs=123 count=4 2>/dev/null
	run dktrace dk --style trace
	same 4 "$(count 'vfs_read.*ret=123$')" "$1: trace style has the event as it is"
	run dktrace probe del 'vfs_*'
	status_is 0 "$1: they can be removed"
}

values kprobe
if grep -q 'f\[:\[' $tracing/README; then
	values fprobe
else
	run dktrace probe add --enable --kind fprobe 'vfs_read%return' '$retval'
	status_is 1 "no fprobe events in this kernel"
fi

# A module's functions, by glob, of its subsystem; those without a probe say no value.
insmod /vm/modules/xfs.ko
mount_xfs mnt
set_param debug=+trace subsystem_debug=osd
run dktrace probe add --enable --max 50 'xfs:xfs_file_*%return' '$retval'
status_is 0 "a glob of a module's functions"
lctl clear
dd if=/dev/zero of=mnt/file bs=4k count=3 conv=fsync 2>/dev/null
run sh -c 'lctl dk >dk.txt'
grep -E 'xfs_file' dk.txt | head -n 20
at_least 3 "$(count '^00080000:00000001:.*:\(xfs:0:xfs_file_write_iter\(\)\) Process leaving \(rc=4096 : 4096 : 1000\)$' dk.txt)" \
	"three writes returned 4096"
has_line ':\(xfs:0:xfs_file_open\(\)\) Process leaving \(rc=0 : 0 : 0\)$' dk.txt "an open returned 0"
has_line ':\(xfs:0:xfs_file_open\(\)\) Process entered$' dk.txt "and was entered"
same 0 "$(grep 'Process leaving (rc=' dk.txt | grep -v raw_syscalls | grep -vc '(xfs:0:xfs_file_')" \
	"no other function says a value"
at_least 20 "$(count '\(xfs:0:xfs_[a-z_0-9.]*\(\)\) Process leaving$' dk.txt)" "others leave without"
run dktrace show --class trace --subsystem osd
status_is 0 "by class and subsystem"
run dktrace reset
same "" "$(cat $tracing/kprobe_events)" "reset leaves no probe behind"
umount mnt
