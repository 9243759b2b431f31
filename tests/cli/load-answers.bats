#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# load, with servers that answer anything. cli/load.bats has servers of ClickHouse.
# shellcheck disable=SC2154 # set by bats and helpers

load ../helper/common

setup()
{
	command -v python3 >/dev/null || skip "needs python3"
	cd "$BATS_TEST_TMPDIR" || return
}

teardown()
{
	[ -z "${server:-}" ] || kill "$server" || true
}

# Starts a server that answers every statement with the same bytes. usage: answer BYTES [http]
answer()
{
	rm -f port
	python3 - "$@" >port 3>&- <<-'END' &
		import socket, sys
		body = sys.argv[1].encode().decode("unicode_escape").encode("latin-1")
		head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
		server = socket.create_server(("127.0.0.1", 0))
		print(server.getsockname()[1], flush=True)
		while True:
		    link = server.accept()[0]
		    link.recv(1 << 16)
		    link.sendall((head if sys.argv[2:] else b"") + body)
		    link.close()
	END
	server=$!
	until [ -s port ] || ! kill -0 "$server"; do
		sleep 0.01
	done
	url=http://127.0.0.1:$(<port)/
}

@test "a server that does not answer as ClickHouse is refused at once, whatever --reconnect says" {
	local body

	for body in garbage '\x07garbageXXXXXXXX' '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'; do
		answer "$body" http
		run -1 --separate-stderr dktrace load --clickhouse "$url" --reconnect 365d "$capture"
		same "dktrace: $url: it does not answer as ClickHouse does" "$stderr" "$body"
		kill "$server"
	done
	server=
}

@test "a server of another protocol is refused at once, whatever --reconnect says" {
	answer 'SSH-2.0-OpenSSH_9.2\r\n'
	run -1 --separate-stderr dktrace load --clickhouse "$url" --reconnect 365d "$capture"
	has "$stderr" "HTTP/0.9"
}

@test "statements of an earlier load that never end are not waited for longer than --reconnect" {
	answer '\x07dktrace' http
	run -1 --separate-stderr dktrace load --clickhouse "$url" --reconnect 0 "$capture"
	same "dktrace: $url: statements of an earlier load still run there" "$stderr" "stderr"
}
