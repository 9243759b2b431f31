#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# collections: the two ends of real connections narrow what is known of the clocks.

# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/common.bash
load ../helper/common
load ../helper/live

# Connects ten times to a server on an address of a network of its own, and prints the clock before and after.
exchange()
{
	unshare -n python3 - <<-'END'
		import fcntl, os, socket, struct, threading, time
		port = int(os.environ['PORT'])
		control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		def address(name, ip):
		    packed = struct.pack('16sH2s4s8s', name, socket.AF_INET, b'', socket.inet_aton(ip), b'')
		    fcntl.ioctl(control, 0x8916, packed)
		address(b'lo', '10.9.0.1')
		fcntl.ioctl(control, 0x8914, struct.pack('16sH14s', b'lo', 0x41, b''))
		server = socket.create_server(('10.9.0.1', port))
		def serve():
		    for i in range(10):
		        end, _ = server.accept()
		        end.recv(1)
		        end.close()
		print(time.monotonic_ns())
		thread = threading.Thread(target=serve)
		thread.start()
		for i in range(10):
		    end = socket.create_connection(('10.9.0.1', port))
		    end.close()
		    time.sleep(0.01)
		thread.join()
		print(time.monotonic_ns())
	END
}

# Prints the description of a host whose answers took BACK ns longer than the questions THERE.
# usage: host NAME THERE BACK
host()
{
	jq -nc --arg name "$1" --argjson there "$2" --argjson back "$3" --argjson times "$(jq -sc . times)" \
		'{name: $name, file: ($name + ".dat"), state: "complete", status: 0, bytes: 1, breaks: 0, boot: $name,
		trips: [$times[] | [. - $there, . + $back, ., ., 0]]}'
}

@test "both ends of connections narrow the error, which holds" {
	cd "$BATS_TEST_TMPDIR"
	mkdir both
	unshare -n true || skip "needs a network of its own"
	export -f exchange
	# Other tests may connect to other ports of other networks.
	export PORT=$((10000 + RANDOM % 20000))
	dktrace record --all -o all.dat -e sock:inet_sock_set_state -- bash -c 'exchange >times'
	dktrace convert --filter "dport == $PORT" all.dat both/client.dat
	dktrace convert --filter "sport == $PORT" all.dat both/server.dat
	jq -nc --argjson client "$(host client 5000000 1000000)" --argjson server "$(host server 1000000 6000000)" \
		'{collection: 1, command: ["record"], began: 0, ended: 0, wall: 0, hosts: [$client, $server]}' \
		>both/collection.json
	dktrace report --clock-error --style json both >json 2>err
	# The round trips leave 6.5 ms, and the clocks may drift apart by 0.1 % between the two.
	accuracy=$(sed -n 's/.*accurate to \([0-9.]*\) ms by round trips.*/\1/p' err)
	awk -v ms="$accuracy" '{ at[NR] = $1 } END { print ms; exit !(ms >= 6.5 && ms <= 6.7 + 2 * (at[2] - at[1]) / 1e9) }' times
	has "$(cat err)" "by round trips, and to "
	lacks "$(cat err)" "contradict"
	# Both files have one clock in fact.
	dktrace report --style json both/server.dat | jq .ts >wanted
	jq -c 'select(.from == "server") | [.ts, .clock_error]' json | paste - wanted |
		awk -F'[][,\t]+' '{ off = $2 - $NF; off = off < 0 ? -off : off; n++; if (off > $3 + 1) bad++; if ($3 < 1000000) tight++ }
			END { print n, bad + 0, tight; exit !(n >= 20 && !bad && tight) }'
	# The page shows the way of each connection through both.
	dktrace view both -o page.html 2>err
	sed -n 's|.*<script type="application/json" id="data">||p' page.html | jq -c '.exchanges[] | [.label, (.steps | map(.[0]) | unique), (.steps | length), .ns > 0]' >ways
	same 10 "$(grep -c '^\["10.9.0.1:[0-9]* to 10.9.0.1:'"$PORT"'",\[0,1\],[4-8],true\]$' ways)"
	# Large files are not read once more unasked.
	truncate -s +70M both/server.dat
	dktrace report both 2>err >/dev/null
	has "$(cat err)" "by round trips"
	lacks "$(cat err)" "by round trips, and to "
	dktrace report --clock-error both 2>err >/dev/null
	has "$(cat err)" "by round trips, and to "
}
