# SPDX-License-Identifier: LGPL-2.1-or-later
# record, daemon and flight write to NFS, and the server goes away: nothing is lost in silence.
# modules: nfsd nfsv4 veth
# programs: gen-sequence
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

numbers='syscalls:sys_enter_close[fd >= 1000000]'

# The client is in a network of its own, so that the cable to the server can be pulled.
unshare -n sleep 10000 &
far=$!
away()
{
	[ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]
}

until_true away
ip link add near type veth
ip link set veth0 netns $far
ip addr add 10.0.0.1/24 dev near
ip link set near up
nsenter -t $far -n sh -c 'ip addr add 10.0.0.2/24 dev veth0; ip link set veth0 up'
mkdir share nfs
mount -t tmpfs tmpfs share
export_root "$work/share" 10.0.0.2
run nsenter -t $far -n mount -t nfs4 -o vers=4.2,soft,timeo=5,retrans=1,addr=10.0.0.1,clientaddr=10.0.0.2 10.0.0.1:/ nfs
status_is 0 "mount"

attention()
{
	dktrace daemon status | grep '^attention'
}

dktrace record -e "$numbers" -o nfs/a.dat 2>record.err &
pid=$!
says $pid Ctrl-C record.err
run dktrace daemon start --dir nfs/dir -e "$numbers"
status_is 0 "daemon start"
run dktrace flight start --dir nfs/dumps -e "$numbers" --size 4M
status_is 0 "flight start"

# Records that are read while the server is away can get lost.
gen-sequence 2 1000
has_read()
{
	[ "$(dktrace daemon status --json | json .records)" -eq 2000 ]
}

until_true has_read
ip link set near down
gen-sequence 2 3000
wait $pid
same 1 $? "record fails"
has_line 'nfs/a.dat: .*Input/output error' record.err "with file and reason"
run dktrace flight dump
status_is 1 "so does a dump"
has_line 'nfs/dumps.*: Input/output error' "$err" "with file and reason"
until_true attention
attention >said
has_line 'nfs/dir.*: Input/output error' said "daemon status has file and reason"

ip link set near up
until_true ls nfs >/dev/null 2>&1
until_true not attention
gen-sequence 2 5000
run dktrace flight dump
status_is 0 "a dump, when the server is back"
same 18000 "$(dktrace report "$(cat "$out")" -e sys_enter_close | wc -l)" "has all records"
run dktrace flight stop

run dktrace daemon stop
status_is 0 "daemon stop"
run dktrace info nfs/dir --json
records=$(json .records <"$out")
same 18000 $((records + $(json .lost <"$out"))) "each record is in a segment or counted as lost"
at_least 12000 "$records" "those from before and after are in one"
same "$records" "$(dktrace report nfs/dir -e sys_enter_close | wc -l)" "as many as the segments have"
run dktrace report nfs/a.dat -e sys_enter_close
has_line 'the recording has not ended' "$err" "record's file lacks its end"
umount nfs
echo 0 >/proc/fs/nfsd/threads
umount /proc/fs/nfsd
kill $far
