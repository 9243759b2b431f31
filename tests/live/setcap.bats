#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A program whose file has capabilities: its user may trace, and opens files with no more rights than before.
# shellcheck disable=SC2154,SC2030,SC2031,SC2086 # set by bats and helper/live.bash; lists of words

load ../helper/live

dat=$top/tests/fixture/tracedat/v6.dat

# Root takes over what a test that failed has left of nobody's log, which reset refuses.
teardown()
{
	local dir

	for dir in "$state" "/run/dktrace/.daemon-$DKTRACE_INSTANCE"; do
		[ ! -d "$dir" ] || chown -R 0:0 "$dir"
	done
	end_test
}

# Installs the tool with the capabilities that doctor names, in $tmp/bin/dktrace, and lets nobody in.
install_with_caps()
{
	local dir

	for dir in "$BATS_RUN_TMPDIR" "${tmp%/*}" "$tmp"; do
		chmod a+rx "$dir"
	done
	mkdir "$tmp/bin" "$tmp/share"
	cp -r "$top/share/." "$tmp/share"
	cp -L "$build/dktrace" "$tmp/bin/dktrace"
	chmod -R a+rX "$tmp/bin" "$tmp/share"
	setcap cap_chown,cap_dac_override,cap_dac_read_search,cap_fowner,cap_syslog+ep "$tmp/bin/dktrace" 2>/dev/null ||
		skip "a file cannot be given capabilities here"
	ln -s dktrace "$tmp/bin/lctl"
	install -d -o 65534 -m 700 "$tmp/work"
	PATH=$tmp/bin:$PATH
	cd "$tmp/work" || return
}

# Runs commands of nobody where nothing has used /run yet. usage: fresh SCRIPT
fresh()
{
	# shellcheck disable=SC2016 # for the shell in there
	run --separate-stderr apart sh -c 'mount -t tmpfs -o mode=755 none /run && nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; } && eval "$1"' _ "$1"
}

# Prints how to call a command: % is the place of the options. A command without a line needs nothing but them.
call_of()
{
	case $1 in
	analyze) echo "cputop % -- true" ;;
	boot-config) echo "% debug=ioctl" ;;
	collect) echo "% --ssh false -w a status" ;;
	daemon) echo "start % -c ioctl" ;;
	filter | trigger) echo "list %" ;;
	flight) echo "start % -c ioctl" ;;
	function | graph) echo "% off" ;;
	get_param) echo "% debug" ;;
	hist) echo "% sched:sched_switch --keys prev_comm -- true" ;;
	lami) echo "% cputop" ;;
	latency) echo "% syscall -- true" ;;
	list) echo "% classes" ;;
	load) echo "% --clickhouse http://127.0.0.1:1/a" ;;
	lustre) echo "rpc %" ;;
	mark) echo "a" ;;
	probe) echo "add % f" ;;
	record) echo "% -c ioctl -- true" ;;
	set_param) echo "debug=ioctl" ;;
	snapshot) echo "show %" ;;
	split) echo "% --count 1" ;;
	strace) echo "% -- true" ;;
	top) echo "% -b -n 1" ;;
	*) echo "%" ;;
	esac
}

# Prints each call of a command that names a path: @ is the path.
calls_with_paths()
{
	local call option

	call=$(call_of "$1")
	dktrace "$1" --help >"$tmp/help"
	sed -n 's/^ .*\(--[a-z-]*\) \(FILE\|DIR\)\( .*\|=.*\|\)$/\1/p' "$tmp/help" | while read -r option; do
		echo "$1 ${call/\%/$option @}"
	done
	# The files that are arguments.
	if head -n 1 "$tmp/help" | grep -qE '\[?(FILE|IN OUT)'; then
		call=${call%% -- *}
		echo "$1 ${call/\%/} @"
		echo "$1 ${call/\%/} @ @"
		echo "$1 ${call/\%/-i @} @"
	fi
}

# Lists root's directory, with the contents of its file.
secrets()
{
	find "$tmp/secret" -printf '%p %i %m %u %s %T@\n' | sort
	cat "$tmp/secret/file"
}

@test "no command opens a path of its user with the capabilities of its file" {
	local command line path n=0

	install_with_caps
	mkdir -m 700 "$tmp/secret"
	echo '00000100:00100000:0.0:1700000000.000000:0:1:0:(secret.c:1:f()) secret-words' >"$tmp/secret/file"
	secrets >"$tmp/before"
	{
		while read -r command; do
			calls_with_paths "$command"
		done < <(dktrace help | sed -n 's/^  \([a-z_-]\{1,\}\)  .*/\1/p' | grep -vxE 'clear|mark|get_param|set_param')
		cat <<-END
			view @ -o @
			merge -o @ $dat
			convert -F json $dat @
			sql @ SELECT
			lctl df @
			lctl df $tmp/log @
			lctl dk @
			lctl debug_daemon start @
			trigger add sched:sched_switch traceoff -R @
			daemon start -c ioctl --dir .. --metrics @
		END
	} >"$tmp/calls"
	"$tools/gen-records" one 10 1 >"$tmp/log"
	while read -r line; do
		for path in file new; do
			command=${line//@/$tmp/secret/$path}
			[ "${command%% *}" = lctl ] || command="dktrace $command"
			run --separate-stderr nobody timeout 600 $command </dev/null
			lacks "$output$stderr" secret-words
			[ "$status" -ne 124 ] || same "an end" "none" "$command"
			secrets | diff "$tmp/before" - || same "nothing" "a change" "what $command does to root's directory"
			n=$((n + 1))
		done
	done <"$tmp/calls"
	at_least 200 "$n" "calls"
}

@test "a directory in place of tracefs is refused to a program with capabilities of its file" {
	install_with_caps
	mkdir "$tmp/tree"
	run -1 --separate-stderr nobody dktrace list events -R "$tmp/tree"
	has "$stderr" "--root $tmp/tree: refused, because this program's file has privileges that its user has not"
	# The environment is not looked at.
	run -0 --separate-stderr nobody env DKTRACE_ROOT="$tmp/tree" dktrace list events 'sched:sched_switch'
	has "$output" sched_switch
}

@test "set-user-ID is refused" {
	install_with_caps
	chmod 4755 "$tmp/bin/dktrace"
	run -1 --separate-stderr nobody dktrace status
	has "$stderr" "refused to run with set-user-ID"
}

@test "with capabilities of its file, the tool traces for every user" {
	install_with_caps
	nobody dktrace set_param debug=ioctl "debug_filter=common_pid != 1"
	run -0 nobody dktrace get_param debug
	has "$output" ioctl
	nobody sh -c 'stty </dev/null || true'
	run -0 nobody dktrace show --comm stty
	has "$output" "sys_enter_ioctl"
	run -0 nobody dktrace dk --comm stty
	has "$output" "sys_enter_ioctl"
	nobody dktrace record -c ioctl -o own.dat -- sh -c 'stty </dev/null || true'
	run -0 nobody dktrace report own.dat
	has "$output" "sys_enter_ioctl"
	same 65534 "$(stat -c %u own.dat)" "owner of the recording"
	nobody dktrace daemon start -c ioctl --dir segments
	run -0 nobody dktrace daemon status
	has "$output" "ioctl"
	nobody dktrace daemon stop
	nobody dktrace reset
	gone "$state"
}

@test "the directory of all logs belongs to root, whoever comes first" {
	need_namespace
	install_with_caps
	# shellcheck disable=SC2016 # for the shell in there
	fresh 'nobody dktrace set_param debug=ioctl && find /run/ -mindepth 1 -maxdepth 2 -type d -printf "%p %u %m\n" &&
		lctl get_param -n debug && dktrace reset && ls -A /run'
	same "0 debug=ioctl
/run/dktrace root 700
/run/dktrace/$DKTRACE_INSTANCE root 700
ioctl warning error emerg console" "$status $output" "root's directories, and root's command, $stderr"
	# Without cap_chown nobody shuts root out.
	setcap cap_dac_override,cap_dac_read_search+ep "$tmp/bin/dktrace"
	fresh 'nobody dktrace set_param debug=ioctl; ls -A /run'
	same "" "$output" "what is in /run"
	has "$stderr" "create /run/dktrace: it must belong to root; run this as root or with cap_chown"
}
