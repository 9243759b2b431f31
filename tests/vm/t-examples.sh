# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs ptlrpc
# modules: xfs loop null_blk
# programs: bash perf trace-cmd mkfs.xfs probe-target probe-target-O0 marker-target
# python: tests/tools/examples
# files: man/*.[1578] tests/live/examples.cases share/classes.d/* share/intervals.d/*
# The examples of the manuals that need this kernel, or Lustre, run and print what is printed.
# shellcheck shell=sh disable=SC2154
# kernel: 6.12

load_built libcfs ptlrpc
mkdir -p "/lib/modules/$(uname -r)/extra"
cp /vm/modules/ptlrpc.ko "/lib/modules/$(uname -r)/extra/"

# A disk whose first blocks are bad. The file system is there when its functions are the subject: with it each
# choice of functions takes seconds.
mount -t configfs configfs /sys/kernel/config
bad=/sys/kernel/config/nullb/bad
mkdir $bad
echo 16 >$bad/size
echo +0-63 >$bad/badblocks
echo 1 >$bad/power
rmmod xfs

# Sleeps of a command that records for seconds end at once, after messages of each kind.
mkdir -p room/bin room/tmp room/work room/mnt/xfs /srv
cp /bin/probe-target /bin/marker-target room/work
cp /bin/probe-target-O0 room/tmp
new_xfs room/xfs.img
: >room/busy
seq 4000 >/etc/services
cat >room/bin/sleep <<-END
	#!/bin/sh
	case \$1 in
	??) echo catalogue >$lnet/emit; echo incident expire >$lnet/emit; echo 1 >/sys/module/ptlrpc/parameters/conflicts ;;
	*) exec /bin/sleep "\$1" ;;
	esac
END

# Runs what happens on the machine until somebody types a command. usage: meanwhile PAGE COMMAND
cat >room/bin/meanwhile <<-END
	#!/bin/sh
	case "\$1 \$2" in
	*trigger.1*"add ha"*) dktrace trigger del message >/dev/null ;;
	*--pid\ 4711) echo 4710 >/proc/sys/kernel/ns_last_pid; /bin/sleep 1000 & ;;
	*hist.1*--sql*) while [ -e /srv/busy ]; do cat /proc/mounts; done >/dev/null & ;;
	*hist.1*) rm -f /srv/busy ;;
	*message* | *cdebug* | *"filter set"*msg_* | *" ha "*) lctl set_param debug=-1 >/dev/null ;;
	*snapshot.1*debug=*) dktrace set_param debug_sources=+kernel >/dev/null ;;
	*snapshot.1*"status | grep snapshot") dd if=/dev/zero of=/dev/bad bs=4k count=1 conv=fsync 2>/dev/null ;;
	*probe.1*" dk --style trace") echo 2 >/sys/module/ptlrpc/parameters/conflicts ;;
	*graph.1*"graph off") head -n 1 /etc/passwd >/dev/null ;;
	*graph.1*:mod:xfs*) insmod /vm/modules/xfs.ko; mount -t xfs -o loop /srv/xfs.img /mnt/xfs; echo text >file ;;
	*graph.1*) umount /mnt/xfs 2>/dev/null; rmmod xfs 2>/dev/null ;;
	esac
	true
END
chmod +x room/bin/sleep room/bin/meanwhile

run_examples vm/t-examples.sh /vm/tree/man/*.[1578]
