#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Deliberate differences to Lustre's lctl; lctl-dktrace(8) lists them.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

root=/sys/fs/lustre

# Each test has a small tree and mounts of its own. usage: inside SCRIPT [ARGUMENT...]
inside()
{
	# shellcheck disable=SC2016 # for the shell in there
	apart --uts bash -c '
		mount -t tmpfs none /sys/fs && mount -t tmpfs none /run || exit 99
		mkdir -p '"$root"'/osc/{l-OST0000-osc,l-OST0001-osc} '"$root"'/osc/d.ot
		cd '"$root"' || exit 99
		echo warning >debug
		echo 1 >osc/l-OST0000-osc/active
		echo 1 >osc/l-OST0001-osc/active
		echo 2 >osc/l-OST0001-osc/only
		printf "a\nb\n" >lines
		: >debug_marker
		script=$1
		shift
		eval "$script"' - "$@"
}

setup()
{
	[ "$(id -u)" -eq 0 ] || skip "needs root, for a mount namespace"
	need_namespace
	export DKTRACE_INSTANCE=dkt-test-cli-$$ LCTL_REAL=/nonexistent DKTRACE_ROOT=$capture
}

@test "set_param reports a parameter that cannot be written" {
	expect 21 "" "error: set_param: setting $root/osc=1: Is a directory
error: set_param: setting 'osc'='1': Is a directory" inside 'lctl set_param osc=1'
	expect 22 "" "error: set_param: setting debug: Invalid argument" inside "lctl set_param debug ''"
	expect 22 "" "error: set_param: cleaning '': Invalid argument" inside 'lctl set_param =1'
}

@test "set_param takes + and - before or after the equals sign" {
	for words in debug+=lfsck 'debug +=lfsck' debug=+lfsck; do
		expect 0 "debug=+lfsck
+lfsckg" "" inside "lctl set_param $words; cat debug"
	done
	expect 0 "debug=-lfsck" "" inside 'lctl set_param debug-=lfsck'
	expect 0 "debug=-lfsck" "" inside 'lctl set_param -- debug -=lfsck'
	expect 2 "" "error: set_param: param_path 'lines+': No such file or directory
error: set_param: setting 'lines+'='x': No such file or directory" inside 'lctl set_param lines+=x'
}

@test "an error in the middle of a pattern is the exit status" {
	expect 2 "debug=warning
debug_marker=
lines=
a
b" "error: get_param: stat '$root/a_broken': No such file or directory" \
		inside 'ln -s nowhere a_broken; lctl get_param "*"'
}

@test "a parameter that does not exist is an error, also with -R and without privileges" {
	expect 2 "" "error: get_param: param_path 'nosuch': No such file or directory" \
		inside 'lctl get_param -R nosuch'
	expect 2 "" "error: get_param: param_path 'nosuch': No such file or directory" \
		inside 'setpriv --reuid 65534 --regid 65534 --clear-groups $(command -v lctl) get_param nosuch'
}

@test "-N prints names, whatever other options say, and opens nothing" {
	expect 0 "debug" "" inside 'lctl get_param -n -N debug'
	expect 0 "debug" "" inside 'chmod 0 debug; setpriv --reuid 65534 --regid 65534 --clear-groups \
		$(command -v lctl) get_param -N debug'
}

@test "-y prints YAML" {
	expect 0 "lines: |
  a
  b
debug: warning" "" inside 'lctl get_param -y lines debug'
	expect 0 "debug: warning" "" inside 'lctl get_param -yF debug'
}

@test "-b prints a pattern for equal values and names for the others" {
	expect 0 "osc.l-OST*-osc.active=1
osc.l-OST0001-osc.only=2" "" inside 'lctl get_param -b osc.*.*'
	expect 0 "osc.l-OST0000-osc.active=5
osc.l-OST0001-osc.active=1" "" \
		inside 'echo 5 >osc/l-OST0000-osc/active; lctl get_param -b osc.*.active'
}

@test "values may contain NULs, and names have no double and no final dots" {
	expect 0 'nul=a^@b$' "" inside 'printf "a\0b\n" >nul; lctl get_param nul | cat -A'
	expect 0 "debug=warning
osc.l-OST0000-osc.active=1
osc" "" inside 'lctl get_param .debug osc..l-OST0000-osc.active; lctl list_param osc.'
}

@test "a directory that links to itself is searched once" {
	run -0 inside 'ln -s .. osc/up; lctl list_param -R osc | wc -l'
	[ "$output" -lt 30 ]
}

@test "mark and clear report why they failed" {
	expect 1 "" "lctl: write $root/debug_marker: No space left on device" \
		inside 'mount --bind /dev/full debug_marker; lctl mark x'
	expect 1 "" "lctl: write $root/debug_marker: No space left on device" \
		inside 'mount --bind /dev/full debug_marker; lctl clear'
}

@test "output to a full disk is an error" {
	run -1 inside 'lctl get_param debug >/dev/full'
	has "$output" "No space left on device"
}

@test "a session separates words at tabs, and help takes several commands" {
	expect 0 'Disabling output of type "trace"
Disabling output of type "inode"' "" inside 'printf "filter trace\tinode\n" | lctl'
	expect 0 "" "df: read debug log from input convert to ASCII, same as 'debug_file'
usage: df <input> [output]
dk: get debug buffer and dump to a file, same as 'debug_kernel'
usage: dk [file] [raw]" inside 'lctl help df dk'
}

@test "mark without text writes the time and a newline" {
	run -0 inside 'lctl mark; cat -A debug_marker'
	[[ $output =~ ^[A-Z][a-z][a-z]\ [A-Z][a-z][a-z]\ .[0-9]\ [0-9:]{8}\ 20[0-9][0-9]\$ ]]
	has "$output" '^@'
}

# A file of the kernel's that takes words and gives them back stands in for Lustre's: the host name,
# in a namespace of its own.
kernel_debug='mount --bind /proc/sys/kernel/hostname debug'

@test "a mask is set in Lustre and in the log, or in neither" {
	unset DKTRACE_ROOT
	mountpoint -q /sys/kernel/tracing || skip "needs tracefs"
	expect 0 "debug=inode
inode
inode" "" inside "$kernel_debug"'; lctl set_param debug=inode; lctl get_param -n debug; umount debug
		rm debug; lctl get_param -n debug; dktrace reset'
}

@test "set_param restores Lustre's mask if the log refuses it" {
	unset DKTRACE_ROOT
	mountpoint -q /sys/kernel/tracing || skip "needs tracefs"
	run --separate-stderr -22 inside "$kernel_debug"'; hostname before; lctl set_param debug=neither'
	same "" "$output" "stdout"
	has "$stderr" "undone: the trace log cannot follow: Invalid argument"
	run inside "$kernel_debug"'; hostname before; lctl set_param debug=neither 2>/dev/null; hostname; dktrace reset'
	same "before" "$output" "what Lustre has"
}

@test "a parameter that vanishes while a pattern is read does not stop the search" {
	run -0 inside '
		(until [ -e /run/end ]; do echo 1 >osc/l-OST0000-osc/gone; rm osc/l-OST0000-osc/gone; done) &
		for i in $(seq 10); do
			timeout 600 lctl get_param -R "osc.*" >/dev/null 2>>/run/errors
			[ $? -le 2 ] || echo "status of get_param"
			timeout 600 lctl list_param -R "*" >/dev/null 2>>/run/errors
			[ $? -le 2 ] || echo "status of list_param"
		done
		: >/run/end
		wait
		grep -v "gone.: No such file or directory" /run/errors
		true'
	same "" "$output" "what went wrong"
}

@test "a parameter that blocks keeps the output before it, and Ctrl-C ends it" {
	own=/sys/kernel/tracing/instances/$DKTRACE_INSTANCE-slow
	mkdir "$own" || skip "needs tracefs, which has files that block"
	# Without job control, a command in the background ignores Ctrl-C.
	run -0 inside '
		set -m
		ln -s "$1/trace_pipe" slow
		lctl get_param debug slow lines >out &
		until readlink /proc/$!/fd/* | grep -q trace_pipe; do
			kill -0 $! || break
			sleep 0.1
		done
		kill -INT $!
		wait $!
		echo "status $?"
		cat out' "$own"
	rmdir "$own"
	has "$output" "status 130"
	has "$output" "debug=warning"
}

@test "values of parameters are escaped on a terminal only" {
	run -0 inside 'printf "a\033[2Jb\tc\nd\n" >odd; lctl get_param odd | cat -A'
	same "odd=\$
a^[[2Jb^Ic\$
d\$" "$output" "pipe"
	run -0 inside 'printf "a\033[2Jb\tc\nd\n" >odd; NO_COLOR=1 script -qec "lctl get_param odd" /dev/null | cat -A'
	same "odd=^M\$
a\\x1b[2Jb^Ic^M\$
d^M\$" "$output" "terminal"
}
