#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# How soon all others are told of an incident on one of 100 hosts, and how many make a dump. The hosts are
# processes of this machine, each with a flight recorder of its own, so when they freeze is not measured: all
# their dumps compete for the same CPUs. tests/vm/hosts/t-freeze.host prints it for two machines.
# usage: freeze.sh BUILD [HOSTS [ROUNDS]]
set -eu

build=$(cd "$1" && pwd)
hosts=${2:-100}
rounds=${3:-3}
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$build:$PATH" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d" DKTRACE_INTERVALS="$here/../../share/intervals.d"
tmp=$(mktemp -d)

# usage: each COMMAND...: runs it for each host with its number in $i and its log in the environment
each()
{
	i=0
	while [ $i -lt "$hosts" ]; do
		i=$((i + 1))
		DKTRACE_INSTANCE=dkt-bench-$$-h$i "$@"
	done
}

start()
{
	dktrace flight start -e syscalls:sys_enter_sync --size 64K --dir "$tmp/h$i" \
		--when "task:task_rename[newcomm == \"incident-$i\"]" 2>/dev/null
}

clean()
{
	[ -z "$collect" ] || kill "$collect" 2>/dev/null || :
	wait
	each dktrace flight stop 2>/dev/null
	rm -rf "$tmp"
}
collect=
trap clean EXIT
trap 'exit 130' INT TERM

# The name of a host finds its recorder.
# shellcheck disable=SC2016 # for the shell in there
printf '#!/bin/sh\nDKTRACE_INSTANCE=dkt-bench-%s-$1 exec sh -c "$2"\n' $$ >"$tmp/direct"
chmod +x "$tmp/direct"
each start
seq -f 'h%g' "$hosts" >"$tmp/hosts"
dktrace collect --ssh "$tmp/direct" --hosts "$tmp/hosts" --max-dumps 1000 -o "$tmp/all" flight follow >"$tmp/out" 2>"$tmp/err" &
collect=$!
# Each host has a recorder, its far side and the follower there.
until [ "$(pgrep -fc 'flight follow --freeze')" -ge "$hosts" ]; do
	sleep 0.1
done
for round in $(seq "$rounds"); do
	bash -c "echo -n incident-$round >/proc/self/comm"
	until [ "$(grep -c '^/.*/incident-' "$tmp/out")" -ge "$round" ]; do
		sleep 0.1
	done
done
sed -n 's/^dktrace: \([0-9].* dumps\),.*/\1/p' "$tmp/err"
