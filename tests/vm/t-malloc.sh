# SPDX-License-Identifier: LGPL-2.1-or-later
# malloc records the allocations of the chosen subsystems' modules, selected in the kernel.
# modules: xfs loop
# programs: mkfs.xfs
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

set_param debug=malloc subsystem_debug=osd
# NAME SIZE ... Live ADDRESS
# shellcheck disable=SC2046 # two words
set -- $(sed -n 's/^xfs \([0-9]*\) .* Live 0x\([0-9a-f]*\).*/\1 \2/p' /proc/modules)
echo "xfs has $1 bytes from $2"
for event in kmalloc kfree kmem_cache_alloc kmem_cache_free; do
	has_line "call_site >= 0x$2" "$instance/events/kmem/$event/filter" "$event is narrowed to xfs"
done
mount_xfs xfs
for i in 1 2 3 4 5; do
	echo "$i" >"xfs/$i"
done
sync
umount xfs
run sh -c 'dktrace show >dk.txt'
at_least 50 "$(count ':\(kmem:0:' dk.txt)" "xfs's memory is recorded"
# Legacy lines name the function that asked; all of them are of xfs.
sed -n 's/^[0-9a-f]* . \([^[:space:]]*\)[[:space:]]*\[xfs\]$/\1/p' /proc/kallsyms | sort -u >functions
sed -n 's/.*:(kmem:0:\(.*\)()) .*/\1/p' dk.txt | sort -u >callers
head -n 5 callers
at_least 5 "$(wc -l <callers)" "by several functions"
same '' "$(grep -vxF -f functions callers)" "and nobody else's"
run dktrace show --style trace
has_line 'kmem_cache_alloc: +call_site=xfs_|kmem_cache_alloc: +call_site=_xfs_' "$out" "trace style names them too"
lctl clear

# With all subsystems there are more modules; a subsystem without loaded modules does not restrict it.
set_param subsystem_debug=osd+echo
has_line 'call_site >=' "$instance/events/kmem/kmalloc/filter" "the loaded one counts"
set_param debug=malloc+cache
has_line 'call_site >=' "$instance/events/kmem/kmalloc/filter" "beside another class too"
set_param debug=cache
same none "$(cat "$instance/events/kmem/kmalloc/filter")" "without malloc the filter is gone"
run dktrace reset
