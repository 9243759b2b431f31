# SPDX-License-Identifier: LGPL-2.1-or-later
# The network: sockets and packets over loopback; events of sunrpc and nfsd with their modules.
# modules: sunrpc nfsd nfs nfsv3
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

ip link set lo up
set_param debug=net+nettrace+rpctrace subsystem_debug=-1
for system in sunrpc nfsd nfs net sock skb; do
	at_least 1 "$(grep -c "^$system:" "$instance/set_event")" "events of $system are on"
done
nc -l -p 7777 >got.txt &
server=$!
listens()
{
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ':1E61 .* 0A '
}

until_true listens
echo 'over the wire' | nc -w 1 127.0.0.1 7777
wait "$server"
same 'over the wire' "$(cat got.txt)" "it works"
run sh -c 'dktrace show >dk.txt'
at_least 1 "$(count 'sys_enter_(bind|listen|accept|accept4)' dk.txt)" "the server's calls"
at_least 1 "$(count 'sys_enter_connect' dk.txt)" "the client's calls"
at_least 1 "$(count 'inet_sock_set_state' dk.txt)" "states of the connection"
grep inet_sock_set_state dk.txt | head -n 3
at_least 1 "$(count '\(net:0:|netif_rx|net_dev_queue' dk.txt)" "packets"
has_line '127\.0\.0\.1' dk.txt "addresses are readable"
lctl clear

# An RPC call that finds no server is still a call: mounting NFS asks one.
mkdir mnt
mount -t nfs -o vers=3,proto=tcp,addr=127.0.0.1,port=7,mountproto=tcp,mountport=7,nolock,soft,timeo=5,retrans=0 \
	127.0.0.1:/ mnt &
called()
{
	grep -q ' rpc_task_begin: ' "$instance/trace"
}

until_true called
kill -9 $! 2>/dev/null
wait
run sh -c 'lctl dk >dk.txt'
at_least 1 "$(count '^00000[1-9a-f]..:.*:\(sunrpc:0:|\(sunrpc:0:' dk.txt)" "sunrpc lines"
at_least 1 "$(grep ':(sunrpc:0:' dk.txt | grep -Ec '^0000..[048c]0:|^0000010.:|^00000[13579bdf]..:')" \
	"with the bit of rpc"
grep ':(sunrpc:0:' dk.txt | head -n 5
run dktrace reset
