#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# load, with servers that answer anything. cli/load.bats has servers of ClickHouse.
# shellcheck disable=SC2154 # set by bats and helpers

load ../helper/common

setup()
{
	command -v python3 >/dev/null || skip "needs python3"
	cd "$BATS_TEST_TMPDIR" || return
	# No other test loads a file with these contents, which only one can at a time.
	echo "sh-1 [000] 1.000000: odd_event: path=$BATS_TEST_TMPDIR" >own.txt
}

teardown()
{
	[ -z "${server:-}" ] || kill "$server" || true
}

# Starts a server that runs a script for each connection, link, whose request has been read. Sets $url. usage: serve SCRIPT WORDS...
serve()
{
	rm -f port
	python3 -c '
import re, select, socket, sys
words = [a.encode().decode("unicode_escape").encode("latin-1") for a in sys.argv[2:]]
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    link, request = server.accept()[0], b""
    # A connection that is closed before all is read breaks, and with it the answer.
    head, end, body = b"", b"", b""
    while not end or len(body) < int(re.search(rb"Content-Length: (\d+)", head)[1]):
        request += link.recv(1 << 16) or sys.exit("no request")
        head, end, body = request.partition(b"\r\n\r\n")
    try:
        exec(sys.argv[1])
    except OSError:
        pass
    link.close()' "$@" >port 3>&- &
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
head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(words[0])
link.sendall((head if words[1:] else b"") + words[0])' "$@"
}

# Starts a server that begins its answer with the bytes, and then sends others again and again, until it is left.
# usage: drip BYTES AGAIN
drip()
{
	serve '
link.sendall(words[0])
while not select.select([link], [], [], 0.05)[0]:
    link.sendall(words[1])' "$@"
}

@test "a server whose answer never ends, however it comes, is given up after --timeout" {
	local ok='HTTP/1.1 200 OK\r\n' dripped first again

	for dripped in "${ok}X-Head: |a" "|HTTP/1.1 100 Continue\r\n\r\n" "${ok}Content-Length: 100000000\r\n\r\n|a" \
		"${ok}Transfer-Encoding: chunked\r\n\r\n|1\r\na\r\n" \
		"${ok}Transfer-Encoding: chunked\r\n\r\n1|;extension" "${ok}|X-Head: a\r\n"; do
		IFS='|' read -r first again <<<"$dripped"
		drip "$first" "$again"
		run -1 --separate-stderr dktrace load --clickhouse "$url" --timeout 2s --reconnect 0 own.txt
		same "dktrace: $url: it has not answered within 2 s, the time of --timeout" "$stderr" "$dripped"
		kill "$server"
	done
	server=
}

@test "a server whose answer has an endless head is refused at once" {
	drip 'HTTP/1.1 200 OK\r\n' "X-Head: $(printf '%09000d' 0)\r\n"
	run -1 --separate-stderr dktrace load --clickhouse "$url" --reconnect 365d own.txt
	same "dktrace: $url: it does not answer as ClickHouse does" "$stderr" "stderr"
}

@test "a server that does not answer as ClickHouse is refused at once, whatever --reconnect says" {
	local body

	for body in garbage '\x07garbageXXXXXXXX' '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff'; do
		answer "$body" http
		run -1 --separate-stderr dktrace load --clickhouse "$url" --reconnect 365d own.txt
		same "dktrace: $url: it does not answer as ClickHouse does" "$stderr" "$body"
		kill "$server"
	done
	server=
}

@test "a server of another protocol is refused at once, whatever --reconnect says" {
	answer 'SSH-2.0-OpenSSH_9.2\r\n'
	run -1 --separate-stderr dktrace load --clickhouse "$url" --reconnect 365d own.txt
	has "$stderr" "HTTP/0.9"
}

@test "statements of an earlier load that never end are not waited for longer than --reconnect" {
	answer '\x07dktrace' http
	run -1 --separate-stderr dktrace load --clickhouse "$url" --reconnect 0 own.txt
	same "dktrace: $url: statements of an earlier load still run there" "$stderr" "stderr"
}
