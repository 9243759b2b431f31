# SPDX-License-Identifier: LGPL-2.1-or-later
# record, daemon and flight write to NFS, which this kernel exports to itself; analyze has the counts of
# this server and of its client.
# modules: nfsd nfsv4
# programs: jq gen-sequence
# shellcheck shell=sh disable=SC2154
# kernel: 6.12

numbers='syscalls:sys_enter_close[fd >= 1000000]'

ip link set lo up
mkdir share nfs
mount -t tmpfs tmpfs share
export_root "$work/share" 127.0.0.1
run mount -t nfs4 -o vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1 127.0.0.1:/ nfs
status_is 0 "mount"

# usage: counted FILE|DIR
counted()
{
	dktrace report "$1" --style csv --fields pid,fd -e sys_enter_close | grep -c '^[0-9]'
}

run dktrace record -e "$numbers" -o nfs/a.dat -- gen-sequence 2 5000
status_is 0 "record"
same 10000 "$(counted nfs/a.dat)" "has all events"
run dktrace record -e "$numbers" -o nfs/a.dat -- gen-sequence 2 100
status_is 0 "record again"
same "10000 200" "$(counted nfs/a.dat.old) $(counted nfs/a.dat)" "keeps the earlier file"

dktrace record -e "$numbers" -o nfs/b.dat 2>record.err &
pid=$!
says $pid Ctrl-C record.err
gen-sequence 2 1000
run dktrace record -e "$numbers" -o nfs/b.dat -- true
has_line 'another process records into it' "$err" "two cannot record into one file"
run dktrace recover nfs/b.dat
has_line 'it is being written' "$err" "nor can it be recovered"
kill -9 $pid
wait $pid
run dktrace recover nfs/b.dat
status_is 0 "recover after kill -9"
same 2000 "$(counted nfs/b.dat)" "has all events"
dktrace reset

# usage: total ANALYSIS TABLE COLUMN ROW-FILTER
total()
{
	jq "[.$2[] | select($4) | .$3] | add" "$1.json"
}

# The number that a line of the kernel's file grew by.
# usage: grew FILE LINE FIELD
grew()
{
	echo $(($(awk -v line="$2" -v i="$3" '$1 == line { print $i }' "$1.after") -
		$(awk -v line="$2" -v i="$3" '$1 == line { print $i }' "$1.before")))
}

cat >work.sh <<-'END'
	cat /proc/net/rpc/nfsd >server.before
	sed -n '/fstype nfs4/,$p' /proc/self/mountstats >client.before
	for i in 1 2 3; do dd if=/dev/zero of=nfs/f$i bs=64k count=4 conv=fsync; done 2>/dev/null
	for i in 1 2 3; do echo 3 >/proc/sys/vm/drop_caches; cat nfs/f$i >copy; done
	cat /proc/net/rpc/nfsd >server.after
	sed -n '/fstype nfs4/,$p' /proc/self/mountstats >client.after
END
run dktrace record --all -o nfs.dat \
	-e 'nfsd:nfsd_compound*,nfsd:nfsd_*_done,sunrpc:svc_process,sunrpc:svc_stats_latency,sunrpc:rpc_stats_latency' \
	-- sh work.sh
for analysis in nfsdstats rpcstats; do
	dktrace analyze $analysis --json nfs.dat >$analysis.json 2>/dev/null
done
same "$(grew server io 2) $(grew server io 3)" "$(total nfsdstats data read true) $(total nfsdstats data written true)" \
	"bytes that the server read and wrote"
# The counts of the operations begin with that of operation 0, after the number of counts.
same "$(grew server proc4ops 41) $(grew server proc4ops 8)" \
	"$(total nfsdstats operations count '.operation == "WRITE"') $(total nfsdstats operations count '.operation == "COMMIT"')" \
	"operations of the server"
same "$(grew client WRITE: 2) $(grew client OPEN: 2)" \
	"$(total rpcstats execute count '.procedure == "WRITE"') $(total rpcstats execute count '.procedure == "OPEN"')" \
	"requests of the client"
# The kernel adds up whole milliseconds.
most=$(($(total rpcstats rtt total '.procedure == "WRITE"') / 1000000))
holds "round trips take as long as the kernel says" [ $((most - $(grew client WRITE: 8))) -le "$(grew client WRITE: 2)" ]
same 127.0.0.1 "$(dktrace analyze nfsdstats --json nfs.dat --keys client 2>/dev/null | jq -r '[.operations[].client] | unique | join(" ")')" "client"

dktrace analyze nfsdstats --keys client -t 10 >live.txt 2>live.err &
pid=$!
while kill -0 $pid 2>/dev/null; do
	dd if=/dev/zero of=nfs/f1 bs=64k count=4 conv=fsync 2>/dev/null
done
wait $pid
same 0 $? "live"
has_line '^127\.0\.0\.1 ' live.txt "client of a live analysis"

# usage: start_daemon DESCRIPTION
start_daemon()
{
	run dktrace daemon start --dir nfs/dir -e "$numbers" --comm gen-sequence --segment-time 1
	status_is 0 "$1"
}

start_daemon "daemon start"
gen-sequence 2 1000
third_begun()
{
	[ "$(find nfs/dir -name '*.dat' | wc -l)" -ge 3 ]
}

until_true third_begun
gen-sequence 2 1000
kill -9 "$(dktrace daemon status --json | json .pid)"
gen-sequence 2 1000
start_daemon "daemon start after kill -9"
until_true [ -s nfs/dir/index ]
ok "its worker completes segments"
run dktrace daemon stop
status_is 0 "daemon stop"
same 6000 "$(counted nfs/dir)" "has all events"
same "$(find nfs/dir -name '*.dat' | wc -l)" "$(wc -l <nfs/dir/index)" "and all segments in the index"
same "" "$(find nfs/dir -name '.*dktrace*')" "and leaves no other file"

run dktrace flight start --dir nfs/dumps -e "$numbers" --comm gen-sequence
gen-sequence 2 1000
run dktrace flight dump
status_is 0 "flight dump"
run dktrace flight stop
same 2000 "$(counted nfs/dumps/*.dat)" "has all events"

set_param debug=+vfstrace
run lctl debug_daemon start nfs/daemon.bin 10
status_is 0 "debug_daemon start"
dd if=/dev/zero of=/dev/null bs=1111 count=500 2>/dev/null
run lctl debug_daemon stop
run sh -c 'lctl df nfs/daemon.bin >daemon.txt'
same 500 "$(grep -c 'sys_enter_write.*count: 0x0*457$' daemon.txt)" "has all events"
run dktrace reset
umount nfs
echo 0 >/proc/fs/nfsd/threads
umount /proc/fs/nfsd
