# SPDX-License-Identifier: LGPL-2.1-or-later
# modules: nfsd loop xfs ext4
# programs: mkfs.ext4
# The ready-made pairs of latency: each finds its events and fields, and known workloads give known counts.
# shellcheck shell=sh disable=SC2154

need dktrace

# Pairs of all groups. usage: pairs
pairs()
{
	tail -n +2 "$out" | cut -d , -f 2 | awk '{ n += $1 } END { print n + 0 }'
}

run dktrace latency
no_line 'does not have the events' "$out" "this kernel and these modules have the events of all of them"
sed -n 's/^  \([a-z0-9-]*\) .*/\1/p' "$out" >names
at_least 12 "$(wc -l <names)" "ready-made pairs"
while read -r name; do
	run dktrace latency "$name" --csv -t 0.1
	status_is 0 "$name: its events have the fields"
done <names

dd if=/dev/zero of=img bs=1M count=16 2>/dev/null
losetup -f img
device=$(losetup -a | sed -n 's/:.*img.*//p')
mkfs.ext4 -q -J size=4 "$device"
mkdir mnt
mount -t ext4 "$device" mnt || fail "ext4 is mounted" || exit
cat >work.sh <<'SH'
for i in 1 2 3 4 5; do
	dd if=/dev/zero of=mnt/$1$i bs=4k count=1 conv=fsync 2>/dev/null
done
SH

# run_pair NAME: the same five files, new for each of the pairs.
run_pair()
{
	run dktrace latency "$1" --csv -- sh work.sh "$1"
	status_is 0 "$1"
}

run_pair fsync
same 5 "$(sed -n 's/^fsync,//p' "$out" | cut -d , -f 1)" "five fsyncs, by system call"
run_pair fsync-block
at_least 1 "$(pairs)" "requests that dd issues within its fsync"
run_pair ext4-fsync
same 5 "$(pairs)" "five fsyncs of ext4"
run_pair jbd2
at_least 5 "$(pairs)" "commits, one for each fsync of a new file"
run_pair block
at_least 5 "$(pairs)" "requests"
at_least 1 "$(sed -n 2p "$out" | cut -d , -f 3)" "of some duration, ns"
# The kernel compares the texts of operation and flags, which both records of a request have.
if [ -e $tracing/synthetic_events ]; then
	run dktrace latency block --kernel --csv -- sh work.sh kernel
	status_is 0 "block --kernel"
	at_least 5 "$(awk -F , 'NR > 1 { n += $3 } END { print n + 0 }' "$out")" "requests that the kernel paired"
fi
# Flushes are queued even without a scheduler for the device.
echo mq-deadline >"/sys/block/${device##*/}/queue/scheduler"
run_pair block-queue
at_least 1 "$(pairs)" "requests in the queue"
umount mnt
losetup -d "$device"
