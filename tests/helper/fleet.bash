# SPDX-License-Identifier: LGPL-2.1-or-later
# Stand-ins for ssh: the far side runs on this host, if a test wants it behind pipes that it can break.
# shellcheck shell=bash disable=SC2034,SC2154

# Writes the program $direct, which runs the far side as its own process.
make_direct()
{
	direct=$BATS_TEST_TMPDIR/direct
	cat >"$direct" <<-'END'
		#!/bin/bash
		# usage: direct HOST COMMAND
		exec bash -c "$2"
	END
	chmod +x "$direct"
}

# Writes the program $ssh. It notes its processes in $ssh.HOST; killing them breaks the connection.
make_ssh()
{
	ssh=$BATS_TEST_TMPDIR/fake-ssh
	cat >"$ssh" <<-'END'
		#!/bin/bash
		# usage: fake-ssh HOST COMMAND
		to=$0.$1.$$
		mkfifo "$to"
		exec 5<>"$to"
		setsid bash -c "$2" <"$to" 5>&- | cat 5>&- &
		out=$!
		cat <&0 >"$to" 5>&- &
		echo "$$ $out $!" >"$0.$1"
		exec 5>&- 1>&-
		wait "$out"
		rm -f "$to"
	END
	chmod +x "$ssh"
}

# Breaks the connection to a host, once there is one. usage: break_connection HOST
break_connection()
{
	until [ -s "$ssh.$1" ]; do
		sleep 0.01
	done
	# shellcheck disable=SC2046
	kill -9 $(cat "$ssh.$1")
	rm "$ssh.$1"
}

# Writes the program odd, which stands for ssh: it sends a greeting, and then a frame of output with the words.
# usage: make_liar WORDS
make_liar()
{
	cat >odd <<-'END'
		#!/usr/bin/env python3
		import struct, sys, time
		words = open("words", "rb").read()
		def frame(kind, body):
		    sys.stdout.buffer.write(struct.pack("<IB3x", len(body), ord(kind)) + body)
		    sys.stdout.flush()
		sys.stdout.buffer.write(b"dktrace-remote 1\n")
		frame("H", b"host=liar\xff\nversion=0.1.0\n")
		while len(head := sys.stdin.buffer.read(8)) == 8:
		    size, kind = struct.unpack("<IB3x", head)
		    body = sys.stdin.buffer.read(size)
		    if kind == ord("t"):
		        now = time.monotonic_ns()
		        frame("t", body[:8] + struct.pack("<QQq", now, now, 0))
		    elif kind == ord("r"):
		        frame("O", words)
		        frame("Q", struct.pack("<QQ", 0, len(words)))
	END
	chmod +x odd
	# shellcheck disable=SC2059
	printf "$1" >words
}
