# SPDX-License-Identifier: LGPL-2.1-or-later
# Work on an ext4 and an xfs file system gives block, ext4, jbd2 and xfs lines with the bits of osd and log.
# modules: xfs loop ext4
# programs: mke2fs mkfs.xfs
# shellcheck shell=sh disable=SC2154

truncate -s 64M ext4.img
/bin/mke2fs -q -t ext4 ext4.img
mkdir ext4
mount -t ext4 -o loop ext4.img ext4 || fail "ext4 can be mounted" || exit
mount_xfs xfs

set_param debug=vfstrace+iotrace+inode+super+page+layout subsystem_debug=osd+log+llite debug_mb=64
for dir in ext4 xfs; do
	dd if=/dev/zero of=$dir/file bs=64k count=10 conv=fsync 2>/dev/null
	mkdir $dir/sub
	mv $dir/file $dir/sub
	dd if=$dir/sub/file of=/dev/null bs=64k 2>/dev/null
	rm $dir/sub/file
done
sync
umount ext4
umount xfs
run sh -c 'lctl dk >dk.txt'
status_is 0 "dk ends well"
for system in block ext4 jbd2 xfs; do
	# A call site's symbol may stand for the event's name.
	at_least 5 "$(count ":0:\\($system:0:" dk.txt)" "$system lines"
	same 0 "$(grep -E ":\\($system:0:" dk.txt | grep -Evc '^000[89a-f]....:')" "$system lines have the bit of osd"
done
at_least 1 "$(grep ':(jbd2:0:' dk.txt | grep -c '^00080040:')" "jbd2 lines have the bit of log"
for event in block_rq_issue block_rq_complete ext4_sync_file_enter ext4_sync_file_exit; do
	at_least 1 "$(count "$event" dk.txt)" "$event"
done
same 0 "$(grep -c 'field=\|\[FAILED' dk.txt)" "every record prints by its format"
run dktrace reset
