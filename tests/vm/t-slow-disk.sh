# SPDX-License-Identifier: LGPL-2.1-or-later
# record, daemon and flight on a disk that takes 4 MB a second, and hangs at times.
# modules: null_blk
# programs: gen-sequence
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

numbers='syscalls:sys_enter_close[fd >= 1000000]'
disk=/sys/kernel/config/nullb/slow

# The module's own device is one without memory. Requests larger than what it takes in 20 ms would never end.
rmmod null_blk
insmod /vm/modules/null_blk.ko nr_devices=0
mount -t configfs configfs /sys/kernel/config
mkdir $disk
echo 64 >$disk/size
echo 1 >$disk/memory_backed
echo 4 >$disk/mbps
echo 1 >$disk/power
device=$(ls /dev/nullb* /dev/slow 2>/dev/null)
echo 64 >"/sys/block/${device#/dev/}/queue/max_sectors_kb"
mke2fs -i 262144 "$device" >/dev/null
mkdir slow
run mount -t ext2 -o sync "$device" slow
status_is 0 "mount"

# usage: fact FILE|DIR PATH...: the sum of what info knows
fact()
{
	fact_of=$1
	shift
	dktrace info "$fact_of" --json | json "$@" | awk '{ n += $1 } END { print n }'
}

# usage: hangs PID: waits until the process waits for the disk
hangs()
{
	until_true grep -q '^State:	D' "/proc/$1/status"
}

# Many more events than buffers of 256K take.
dktrace record -e "$numbers" --buffer-size 256K -o slow/a.dat 2>record.err &
pid=$!
says $pid Ctrl-C record.err
gen-sequence 2 10000
fsfreeze --freeze slow
gen-sequence 2 50000
hangs $pid
kill -TERM $pid
fsfreeze --unfreeze slow
wait $pid
same 3 $? "record ends after SIGTERM, with the status for losses"
same 120000 "$(fact slow/a.dat .records .lost)" "and has counted every event that it lost"
at_least 1000 "$(fact slow/a.dat .records)" "of which there are some"
rm slow/a.dat

run dktrace daemon start --dir slow/dir -e "$numbers" --buffer-size 256K --compression none --segment-time 2
status_is 0 "daemon start"
gen-sequence 2 10000
fsfreeze --freeze slow
gen-sequence 2 50000
hangs "$(dktrace daemon status --json | json .pid)"
run dktrace daemon status
status_is 0 "daemon status, while the disk hangs"
fsfreeze --unfreeze slow
gen-sequence 2 10000
run dktrace daemon stop
status_is 0 "daemon stop"
run dktrace info slow/dir
same 140000 "$(fact slow/dir .records .lost)" "the segments have counted every event that they lack"
at_least 1000 "$(fact slow/dir .records)" "of which there are some"
rm -r slow/dir

dumps()
{
	dktrace flight status --json | json "$@"
}

# Each event is an incident, and users ask for dumps. The disk hangs for a while.
run dktrace flight start --dir slow/dumps -e "$numbers" --size 1M --when "$numbers" --max-dumps 3
status_is 0 "flight start"
pid=$(dumps .pid)
fsfreeze --freeze slow
gen-sequence 2 20000
hangs "$pid"
touch statuses
for i in 1 2 3 4; do
	{ dktrace flight dump "user $i"; echo $? >>statuses; } >>asked 2>&1 &
done
kill -USR1 "$pid"
all_wait()
{
	[ "$(grep -c '/socket$' /proc/net/unix)" -eq 5 ]
}

# The socket that listens, and one for each of them.
until_true all_wait
run dktrace flight status
status_is 0 "flight status, while the disk hangs"
gen-sequence 2 20000
fsfreeze --unfreeze slow
all_answered()
{
	[ "$(wc -l <statuses)" -eq 4 ]
}

until_true all_answered
same "0 1" "$(sort -u statuses) $(sort -u asked | wc -l)" "one dump for all who wait"
run dktrace report "$(sort -u asked)" -e print
has_line 'flight dump: SIGUSR1; .*user 1.*' "$out" "which has the reasons of all"
made=80000
suppressed()
{
	[ "$(dumps .suppressed)" -ne 0 ] && return
	gen-sequence 2 10
	made=$((made + 20))
	return 1
}

until_true suppressed
run dktrace flight dump
status_is 0 "a last dump"
run dktrace flight status
has_line '^merged .* into the dump of an earlier incident' "$out" "says that incidents share a dump"
has_line '^suppressed .* because the hour has had its dumps' "$out" "and that others have none"
same 4 "$(dumps .dumps.length)" "no more than 3 dumps, and that of the user"
of_dumps=0
for file in slow/dumps/*.dat; do
	of_dumps=$((of_dumps + $(fact "$file" .records)))
done
same $((made + 4)) $((of_dumps + $(dumps '.groups[0].overwritten') + $(dumps '.groups[0].lost'))) \
	"each event and reason is in a dump or counted as overwritten"
fsfreeze --freeze slow
dktrace flight dump >asked 2>&1 &
hangs "$pid"
kill -TERM "$pid"
fsfreeze --unfreeze slow
until_true not [ -e "/proc/$pid" ]
ok "it ends after SIGTERM once the disk has its dump"
wait $!
same 0 $? "which the user gets"
rm -r slow/dumps

run dktrace flight start --dir slow/dumps -e "$numbers" --size 512K --max-size 3M
for i in 1 2 3 4; do
	gen-sequence 2 5000
	run dktrace flight dump
done
holds "the dumps have less than --max-size" [ "$(du -sk slow/dumps | cut -f 1)" -le 3072 ]
has_line . "$(cat "$out")" "and the last one is there"
run dktrace flight stop
umount slow
rmdir $disk
umount /sys/kernel/config
