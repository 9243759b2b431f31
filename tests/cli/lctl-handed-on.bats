#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Commands of Lustre's lctl: how dktrace finds and runs it.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	export DKTRACE_INSTANCE=dkt-test-cli-$$ DKTRACE_ROOT=$capture
	bin=$BATS_TEST_TMPDIR/bin
	mkdir "$bin"
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\necho "real: $*"\nexit 7\n' >"$bin/lctl"
	chmod 755 "$bin" "$bin/lctl"
	ours=$(command -v lctl)
}

# usage: with PATH COMMAND...
with()
{
	local path=$1

	shift
	PATH=$path:/usr/bin:/bin "$@"
}

@test "Lustre's lctl runs the commands that dktrace does not have" {
	expect 7 "real: ping 10.0.0.1@tcp" "" with "$bin" "$ours" ping 10.0.0.1@tcp
	expect 7 "real: dl -t" "" with "$bin" "$ours" dl -t
	expect 7 "real: lfsck_start -M l-MDT0000" "" with "$bin" "$ours" lfsck_start -M l-MDT0000
	expect 7 "real: help ping" "" with "$bin" "$ours" help ping
	expect 7 "real: --device 5 activate" "" with "$bin" "$ours" --device 5 activate
}

@test "permanent settings are forwarded to Lustre's lctl" {
	expect 7 "real: set_param -P debug=1" "" with "$bin" "$ours" set_param -P debug=1
	expect 7 "real: set_param -C debug=1" "" with "$bin" "$ours" set_param -C debug=1
	expect 7 "real: set_param -d debug" "" with "$bin" "$ours" set_param -d debug
	expect 7 "real: set_param -F file.yaml" "" with "$bin" "$ours" set_param -F file.yaml
	expect 7 "real: conf_param l.sys.timeout=5" "" with "$bin" "$ours" conf_param l.sys.timeout=5
}

@test "a session continues after a command of Lustre's lctl" {
	expect 7 "real: ping a
Disabling output of type \"trace\"" "" with "$bin" sh -c "printf 'ignore_errors\npin a\nfilter trace\n' | $ours"
}

@test "LCTL_REAL names Lustre's lctl" {
	LCTL_REAL=$bin/lctl expect 7 "real: ping a" "" "$ours" ping a
	LCTL_REAL=/nonexistent expect 1 "" \
		"lctl: 'ping' is a command of Lustre's lctl: '/nonexistent', which LCTL_REAL names: No such file or directory" \
		"$ours" ping a
}

@test "without Lustre's lctl, its commands print one line and fail with status 1" {
	expect 1 "" "lctl: 'ping' is a command of Lustre's lctl: it is not on PATH; name it with LCTL_REAL or /etc/dktrace/dktrace.conf" \
		with /nonexistent "$ours" ping a
	expect 1 "" "lctl: 'nosuch' is not a valid command. See 'lctl --list-commands'." \
		with /nonexistent "$ours" nosuch
	expect 0 "" "ping: a command of Lustre's lctl, which was not found" with /nonexistent "$ours" help ping
}

@test "lctl never forwards to itself, a link to itself or a copy of itself" {
	rm "$bin/lctl"
	ln -s "$ours" "$bin/one"
	ln -s one "$bin/lctl"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "it is not on PATH"
	LCTL_REAL=$bin/lctl run --separate-stderr -1 "$ours" ping a
	has "$stderr" "is dktrace itself"
	cp -L "$ours" "$bin/copy"
	ln -sf copy "$bin/lctl"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "is dktrace again"
}

@test "Lustre's lctl is not taken from a directory that other users can write" {
	chmod 777 "$bin"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "it is not on PATH"
	chmod 755 "$bin"
	chmod 777 "$bin/lctl"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "it is not on PATH"
	mkdir "$bin/open"
	chmod 755 "$bin/lctl"
	mv "$bin/lctl" "$bin/open/"
	chmod 777 "$bin/open"
	ln -s open/lctl "$bin/lctl"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "it is not on PATH"
	run --separate-stderr -1 env -C "$bin" PATH=.:/usr/bin:/bin "$ours" ping a
	has "$stderr" "it is not on PATH"
}

@test "Lustre's lctl is not taken from a directory that a group or another user can write" {
	chmod 775 "$bin"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "it is not on PATH"
	chmod 755 "$bin"
	chmod 775 "$bin/lctl"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "it is not on PATH"
	chmod 755 "$bin/lctl"
	[ "$(id -u)" -eq 0 ] || skip "needs root, for files of another user"
	chown 65534 "$bin/lctl"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "it is not on PATH"
	chown 0 "$bin/lctl"
	chown 65534 "$bin"
	run --separate-stderr -1 with "$bin" "$ours" ping a
	has "$stderr" "it is not on PATH"
}

@test "a configured lctl is refused if other users can write it" {
	local words="lctl: 'ping' is a command of Lustre's lctl: '$bin/lctl', which LCTL_REAL names: users other than root can write it or its directory"

	chmod 775 "$bin/lctl"
	LCTL_REAL=$bin/lctl expect 1 "" "$words" "$ours" ping a
	chmod 755 "$bin/lctl"
	chmod 777 "$bin"
	LCTL_REAL=$bin/lctl expect 1 "" "$words" "$ours" ping a
	chmod 755 "$bin"
	ln -s lctl "$bin/link"
	LCTL_REAL=$bin/link expect 7 "real: ping a" "" "$ours" ping a
}

@test "real_lctl is ignored in a file that other users can write" {
	[ "$(id -u)" -eq 0 ] || skip "needs root, for a file in /etc"
	need_namespace
	# shellcheck disable=SC2016 # for the shell in there
	local script='mount -t tmpfs none /etc && mkdir /etc/dktrace && echo "real_lctl = $0" >/etc/dktrace/dktrace.conf &&
		chown "$1" /etc/dktrace/dktrace.conf && chmod "$2" /etc/dktrace/dktrace.conf && PATH=/usr/bin:/bin exec "$3" ping a'
	local words="lctl: 'ping' is a command of Lustre's lctl: '$bin/lctl', which /etc/dktrace/dktrace.conf names: users other than root can write /etc/dktrace/dktrace.conf"

	expect 7 "real: ping a" "" apart sh -c "$script" "$bin/lctl" 0 644 "$ours"
	expect 1 "" "$words" apart sh -c "$script" "$bin/lctl" 0 664 "$ours"
	expect 1 "" "$words" apart sh -c "$script" "$bin/lctl" 65534 644 "$ours"
}
