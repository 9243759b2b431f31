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

# Starts a server by a script, which prints its port, and sets $url. usage: serve SCRIPT WORDS...
serve()
{
	rm -f port
	python3 -c "$@" >port 3>&- &
	server=$!
	until [ -s port ] || ! kill -0 "$server"; do
		sleep 0.01
	done
	url=http://127.0.0.1:$(<port)/
}

# Starts a server that answers every statement with the same bytes. usage: answer BYTES [http]
answer()
{
	serve '
import socket, sys
body = sys.argv[1].encode().decode("unicode_escape").encode("latin-1")
head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    link = server.accept()[0]
    link.recv(1 << 16)
    link.sendall((head if sys.argv[2:] else b"") + body)
    link.close()' "$@"
}

# Starts a server that begins its answer with the bytes, and then sends others again and again, until it is left.
# usage: drip BYTES AGAIN
drip()
{
	serve '
import select, socket, sys
first, again = (a.encode().decode("unicode_escape").encode("latin-1") for a in sys.argv[1:])
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    link = server.accept()[0]
    link.recv(1 << 16)
    link.sendall(first)
    while not select.select([link], [], [], 0.05)[0]:
        link.sendall(again)
    link.close()' "$@"
}

@test "a server whose answer never ends, however it comes, is given up after --timeout" {
	local ok='HTTP/1.1 200 OK\r\n' dripped first again

	for dripped in "${ok}X-Head: |a" "|HTTP/1.1 100 Continue\r\n\r\n" "${ok}Content-Length: 100000000\r\n\r\n|a" \
		"${ok}Transfer-Encoding: chunked\r\n\r\n|1\r\na\r\n" \
		"${ok}Transfer-Encoding: chunked\r\n\r\n1|;extension" "${ok}|X-Head: a\r\n"; do
		IFS='|' read -r first again <<<"$dripped"
		drip "$first" "$again"
		run -1 --separate-stderr dktrace load --clickhouse "$url" --timeout 2s --reconnect 0 "$capture"
		same "dktrace: $url: it has not answered within 2 s, the time of --timeout" "$stderr" "$dripped"
		kill "$server"
	done
	server=
}

@test "a server whose answer has an endless head is refused at once" {
	drip 'HTTP/1.1 200 OK\r\n' "X-Head: $(printf '%09000d' 0)\r\n"
	run -1 --separate-stderr dktrace load --clickhouse "$url" --reconnect 365d "$capture"
	same "dktrace: $url: it does not answer as ClickHouse does" "$stderr" "stderr"
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
