#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# lctl on a terminal: prompt, completion, history, the status of the last command.

# shellcheck disable=SC2154 # set by bats and helper/common.bash
load ../helper/common

setup()
{
	command -v script >/dev/null || skip "no script(1) to make a terminal"
	export DKTRACE_INSTANCE=dkt-test-cli-$$ DKTRACE_ROOT=$capture TERM=dumb LCTL_REAL=/nonexistent
	cd "$BATS_TEST_TMPDIR" || return
	mkfifo keys
	script -qefc lctl /dev/null <keys >screen 2>&1 3>&- &
	pid=$!
	exec 4>keys
}

teardown()
{
	exec 4>&-
	[ -z "${pid:-}" ] || kill "$pid" 2>/dev/null || true
}

# True if the text is on the screen so many times. usage: is_shown TIMES TEXT
is_shown()
{
	[ "$(grep -aoF -- "$2" screen | wc -l)" -ge "$1" ]
}

# Waits until the text is on the screen so many times. usage: shown TIMES TEXT
shown()
{
	until_true is_shown "$1" "$2" && return
	cat -A screen
	return 1
}

# Types keys once the screen shows so many prompts. usage: type_at PROMPTS KEYS
type_at()
{
	shown "$1" '> '
	printf '%b' "$2" >&4
}

# usage: ends STATUS: the session does, with that.
ends()
{
	local status=0

	exec 4>&-
	wait "$pid" || status=$?
	pid=
	same "$1" "$status" "status of the session"
}

@test "a session edits lines and exits with the status of the last command" {
	type_at 1 'filt trace\n'
	type_at 2 'get_param nosuch\n'
	type_at 3 'quit\n'
	ends 0
	has "$(<screen)" 'Disabling output of type "trace"'
	has "$(<screen)" "error: get_param: param_path 'nosuch': No such file or directory"
}

@test "the end of input ends the session" {
	type_at 1 'get_param nosuch\n'
	type_at 2 '\004'
	ends 2
}

@test "a session completes commands, masks, parameters and values" {
	nm "$(command -v dktrace)" 2>/dev/null | grep -q el_init || skip "built without libedit"
	type_at 1 'filt\ttr'
	shown 1 'filter tr'
	type_at 1 'a\t\n'
	shown 1 'Disabling output'
	type_at 3 'set_param nosu\t=1\n'
	shown 1 'error: set_param: setting'
	type_at 4 'quit\n'
	ends 0
	has "$(<screen)" 'Disabling output of type "trace"'
	has "$(<screen)" "error: set_param: param_path 'nosu': No such file or directory"
}

@test "a session keeps a history of lines" {
	nm "$(command -v dktrace)" 2>/dev/null | grep -q el_init || skip "built without libedit"
	type_at 1 'filter trace\n'
	type_at 2 'show inode\n'
	type_at 3 '\020\020\n'
	shown 2 'Disabling output of type "trace"'
	type_at 5 'quit\n'
	ends 0
	same 2 "$(grep -ac 'Disabling output of type "trace"' screen)" "times that it ran"
}
