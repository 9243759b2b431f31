#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# lustre rpc on the text of a debug log, beside an awk program that joins the messages by XID, and grep -c:
# CPU seconds of interleaved runs, so that other work on the machine counts for none of them.
# usage: tests/bench/lustre.sh BUILD
# shellcheck disable=SC1091,SC2154 # of helper/bench.sh
set -eu

. "$(dirname "$0")/../helper/bench.sh"
rounds=${ROUNDS:-5}

# 2 M lines of a server: three of each request, and five of other kinds.
"$here/../tools/gen-lustre-log" server 2.15 250000 | awk '{ print }
	/got req/ {
		split($1, head, ":")
		for (i = 0; i < 5; i++)
			printf "00002000:00000002:0.0:%s:0:%d:0:(ofd_objects.c:%d:ofd_object_find()) object [0x100000000:0x%x:0x0] attr valid %d uid 0 gid 0 size 1048576 blocks 2048\n",
				head[4], head[6], 200 + i, NR, i
	}' >"$tmp/log"

# Queue and service times of each opcode.
cat >"$tmp/join.awk" <<'EOF'
/got req x/ {
	split($1, head, ":")
	arrived[substr($4, 2)] = head[4]
}
/Handl(ing|ed) RPC / {
	split($1, head, ":")
	n = split($6, part, ":")
	for (i = 3; i < n && substr(part[i], 1, 1) != "x"; i++)
		;
	xid = substr(part[i], 2)
	if ($2 == "Handling") {
		began[xid] = head[4]
		queue[part[i + 2]] += head[4] - arrived[xid]
		next
	}
	count[part[i + 2]]++
	service[part[i + 2]] += head[4] - began[xid]
	delete arrived[xid]
	delete began[xid]
}
END { for (o in count) print o, count[o], queue[o], service[o] }
EOF
for _ in $(seq "$rounds"); do
	cpu rpc dktrace lustre rpc "$tmp/log"
	cpu awk awk -f "$tmp/join.awk" "$tmp/log"
	# Into a pipe: with /dev/null as its output, grep ends at the first line that matches.
	# shellcheck disable=SC2016
	cpu grep sh -c 'grep -c "Handled RPC" "$0" | cat' "$tmp/log"
done
awk -v n="$(wc -l <"$tmp/log")" -v rpc="$(median rpc)" -v awk="$(median awk)" -v grep="$(median grep)" 'BEGIN {
	printf "lustre rpc: %.2f M lines in %.3f s, %.1f M lines/s (asked: 3)\n", n / 1e6, rpc, n / rpc / 1e6
	printf "awk joins by XID: %.3f s; %.1fx (asked: 3)\n", awk, awk / rpc
	printf "grep -c: %.3f s; %.2fx\n", grep, grep / rpc }'
