#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# collect from 8 hosts beside 8 times ssh: of a file, as fast as it can be sent, beside `ssh host cat`, and of
# recordings of 100 k records/s for 10 s beside `ssh host dktrace record -o -`. CPU seconds with all ssh processes
# on this side, and those of the far sides with their sshd; medians of interleaved runs. The hosts are sshds on
# the loopback.
# usage: collect.sh BUILD [MB [ROUNDS]]
set -eu

if [ "${DKT_APART:-}" != yes ]; then
	# dropbear takes keys only from the home of root.
	# shellcheck disable=SC2016 # for the shell in there
	DKT_APART=yes exec "$(dirname "$0")/../tools/apart" sh -c 'mount -t tmpfs -o mode=700 none /root && exec "$0" "$@"' "$0" "$@"
fi
# shellcheck source=tests/helper/bench.sh
. "$(dirname "$0")/../helper/bench.sh"
mb=${2:-100}
rounds=${3:-5}
hosts=h1,h2,h3,h4,h5,h6,h7,h8
export DKTRACE_INSTANCE="dkt-bench-$$"
sshd=
load=

clean()
{
	[ -z "$sshd" ] || kill "$sshd" 2>/dev/null || :
	[ -z "$load" ] || kill "$load" 2>/dev/null || :
	dktrace flight stop 2>/dev/null || :
	rm -rf "$tmp"
}
trap clean EXIT

# A dump of that size, which every host has.
dktrace flight start -e 'raw_syscalls:*' --size "${mb}M" --dir "$tmp/dumps" 2>/dev/null
dd if=/dev/zero of=/dev/null bs=1 count=$((mb * 12000)) status=none
file=$(dktrace flight dump)

ssh-keygen -q -t ed25519 -N '' -f "$tmp/key"
dropbearkey -t ed25519 -f "$tmp/host" >/dev/null 2>&1
mkdir -m 700 /root/.ssh
cp "$tmp/key.pub" /root/.ssh/authorized_keys
port=$((20000 + $$ % 40000))
dropbear -F -E -e -s -r "$tmp/host" -P "$tmp/pid" -p "127.0.0.1:$port" 2>"$tmp/log" &
sshd=$!
until grep -q 'Not backgrounding' "$tmp/log"; do
	sleep 0.1
done
# dropbear allows an address only a few connections that are not logged in yet.
for nr in 1 2 3 4 5 6 7 8; do
	printf 'Host h%d\n\tBindAddress 127.0.0.%d\n' $nr $((nr + 1))
done >"$tmp/config"
cat >>"$tmp/config" <<-END
	Host *
		HostName 127.0.0.1
		Port $port
		User root
		IdentityFile $tmp/key
		UserKnownHostsFile $tmp/known
		StrictHostKeyChecking no
		LogLevel ERROR
END

# usage: collect ACTION...
collect()
{
	rm -rf "$tmp/all"
	dktrace collect --ssh "ssh -F $tmp/config" --far-program "$build/dktrace remote" -w "$hosts" -o "$tmp/all" "$@"
}

# usage: each_host COMMAND
each_host()
{
	mkdir -p "$tmp/each"
	pids=
	for host in $(echo $hosts | tr , ' '); do
		ssh -F "$tmp/config" "$host" "$1" >"$tmp/each/$host" &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086 # a list
	wait $pids
}

collect_file()
{
	collect flight file
}

ssh_file()
{
	each_host "cat $file"
}

collect_recording()
{
	collect record -e 'raw_syscalls:*' --comm dd --duration 10
}

ssh_recording()
{
	each_host "$build/dktrace record -o - --compression zstd -e 'raw_syscalls:*' --comm dd --duration 10"
}

# CPU seconds of this shell's children that have ended, and of those of sshd.
times_now()
{
	for pid in $$ "$sshd"; do
		sed 's/.*) //' "/proc/$pid/stat" | awk -v hz="$(getconf CLK_TCK)" '{ printf "%.2f ", ($14 + $15) / hz }'
	done
}

# usage: compare KIND ROUNDS
compare()
{
	for _ in $(seq "$2"); do
		for way in collect ssh; do
			before=$(times_now)
			"${way}_$1" >"$tmp/said" 2>&1 || { cat "$tmp/said"; exit 1; }
			# sshd counts its processes when they have ended.
			until [ "$(pgrep -cP "$sshd")" -eq 0 ]; do
				sleep 0.05
			done
			echo "$before $(times_now)" | awk '{ print $3 - $1, 0 }' >>"$tmp/near-$way-$1"
			echo "$before $(times_now)" | awk '{ print $4 - $2, 0 }' >>"$tmp/far-$way-$1"
		done
	done
	for side in near far; do
		awk -v kind="$1" -v side=$side -v a="$(median "$side-collect-$1")" -v b="$(median "$side-ssh-$1")" 'BEGIN {
			printf "%-10s %-5s collect %.2f s, ssh %.2f s: %.2fx\n", kind, side, a, b, a / b }'
	done
}

compare file "$rounds"
cmp -s "$file" "$tmp/all/h8.dat"
# Half of the records are of reads, the others of writes, each with a begin and an end.
while :; do
	dd if=/dev/zero of=/dev/null bs=1 count=1250 status=none
	sleep 0.05
done &
load=$!
compare recording 3
dktrace info "$tmp/all/h8.dat" --json | jq -r '"each host: \(.records) records, \(.lost) lost"'
