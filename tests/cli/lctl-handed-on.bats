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

@test "Lustre's lctl is found where a package has moved it aside" {
	mv "$bin/lctl" "$bin/lctl.lustre"
	ln -s "$ours" "$bin/lctl"
	expect 7 "real: ping 10.0.0.1@tcp" "" with "$bin" "$bin/lctl" ping 10.0.0.1@tcp
	# A lctl beside it is the one that is meant.
	ln -sf "$BATS_TEST_TMPDIR/first" "$bin/lctl"
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\necho "first: $*"\n' >"$BATS_TEST_TMPDIR/first"
	chmod 755 "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR"
	expect 0 "first: ping 10.0.0.1@tcp" "" with "$bin" "$ours" ping 10.0.0.1@tcp
}

@test "permanent settings are forwarded to Lustre's lctl" {
	expect 7 "real: set_param -P debug=1" "" with "$bin" "$ours" set_param -P debug=1
	expect 7 "real: set_param -C debug=1" "" with "$bin" "$ours" set_param -C debug=1
	expect 7 "real: set_param -d debug" "" with "$bin" "$ours" set_param -d debug
	expect 7 "real: set_param -F file.yaml" "" with "$bin" "$ours" set_param -F file.yaml
	expect 7 "real: conf_param l.sys.timeout=5" "" with "$bin" "$ours" conf_param l.sys.timeout=5
}

# Stands for Lustre's lctl of a server: a session keeps its device and ends at the first failure.
server_lctl()
{
	cat >"$bin/lctl" <<'END'
#!/bin/sh
names='quit exit help ignore_errors list-commands device activate lfsck lfsck_start filter find_param'
device=none ignore=no first=0
one()
{
	rc=0
	case $1 in
	quit) exit $first ;;
	ignore_errors) ignore=yes ;;
	list-commands | --list-commands) printf '%s\n' "$names" '==== LFSCK ====' ;;
	device) device=$2 ;;
	fail) rc=$2 ;;
	end) exit "$2" ;;
	kill) kill -KILL $$ ;;
	*) echo "real on $device: $*" ;;
	esac
}
if [ $# -gt 0 ]; then
	one "$@"
	exit $rc
fi
while read -r line; do
	[ -n "$line" ] || continue
	# shellcheck disable=SC2086 # words of the line
	one $line
	[ $rc = 0 ] && continue
	[ $first != 0 ] || first=$rc
	[ $ignore = yes ] || exit $rc
done
exit $first
END
}

# usage: in_session LINES, with the escapes of printf
in_session()
{
	with "$bin" sh -c 'printf "$1" | "$2"' sh "$1" "$ours"
}

@test "one lctl of Lustre runs all its commands of a session, and keeps the device" {
	server_lctl
	expect 0 "real on MDT0: lfsck_start -M l
Disabling output of type \"trace\"
real on MDT0: activate" "" in_session 'device MDT0\nlfsck_start -M l\nfilter trace\nactivate\n'
	expect 0 "real on a: activate" "" in_session '\tdevice\ta\n\tactivate\nquit\nactivate\n'
	expect 0 "real on none: $(printf '%05000d' 7)
Disabling output of type \"trace\"" "" in_session "$(printf '%05000d' 7)\nfilter trace\n"
}

@test "a command of Lustre's lctl that fails ends the session with its status" {
	server_lctl
	expect 3 "" "" in_session 'fail 3\nfilter trace\nactivate\n'
	expect 3 "Disabling output of type \"trace\"
real on none: activate" "" in_session 'filter trace\nactivate\nfail 3\nactivate\nfilter trace\n'
	expect 137 "" "" in_session 'kill\nfilter trace\n'
}

@test "after ignore_errors a session goes on, with the same lctl of Lustre" {
	server_lctl
	expect 3 "Disabling output of type \"trace\"
real on a: activate" "" in_session 'device a\nignore_errors\nfail 3\nfilter trace\nfail 4\nactivate\n'
	expect 3 "real on none: activate" "" in_session 'ignore_errors\nfail 3\nactivate\n'
	expect 137 "real on none: activate" "" in_session 'ignore_errors\nkill\nactivate\n'
}

@test "a lctl of Lustre that ends early is a failure only if it did not read the command" {
	server_lctl
	expect 0 "real on none: activate" "" in_session 'end 0\nactivate\n'
	for real in /bin/true /bin/false; do
		LCTL_REAL=$real run -1 --separate-stderr sh -c "echo ping a | $ours"
		has "$stderr" "'ping' is a command of Lustre's lctl: it has ended before it read the command"
	done
}

@test "the installed lctl of Lustre decides what an abbreviation means, and lists the commands" {
	server_lctl
	expect 0 "real on none: fi trace
Disabling output of type \"trace\"
real on none: lf
real on none: nosuch" "" in_session 'fi trace\nfil trace\nlf\nnosuch\n'
	expect 0 "quit exit help ignore_errors list-commands device activate lfsck lfsck_start filter find_param
==== LFSCK ====
real on none: version
real on none: help lfsck" "fil: filter message type
usage: filter <subsystem id/debug mask>" in_session 'list-commands\nversion\nhelp fil\nhelp lfsck\n'
}

@test "without Lustre's lctl, a session fails at a command that some lctl of Lustre has" {
	for command in ping lfsck_start 'llog_print params' barrier_stat snapshot_list notransno lfsck_q; do
		expect 1 "" "lctl: '${command% *}' is a command of Lustre's lctl: it is not on PATH; name it with LCTL_REAL or /etc/dktrace/dktrace.conf" \
			with /nonexistent sh -c "printf '$command\nfilter trace\n' | $ours"
	done
	expect 1 "" "lctl: 'lfsck_start' is a command of Lustre's lctl: it is not on PATH; name it with LCTL_REAL or /etc/dktrace/dktrace.conf" \
		with /nonexistent "$ours" lfsck_start -M l
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
