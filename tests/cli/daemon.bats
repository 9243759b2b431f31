#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# daemon: words, settings and errors that need no tracer.
# shellcheck disable=SC2154 # set by bats

load ../helper/common

setup()
{
	tmp=$BATS_TEST_TMPDIR
	export DKTRACE_INSTANCE=dkt-cli-daemon-$$
}

# Checks the exit status and the message. usage: refused STATUS TEXT WORDS...
refused()
{
	local status_wanted=$1 text=$2

	shift 2
	run "-$status_wanted" dktrace daemon "$@"
	[[ "$output" == *"$text"* ]] || {
		echo "wanted: $text"
		echo "have: $output"
		return 1
	}
}

@test "daemon: unknown and extra words" {
	refused 2 'usage' status now
	refused 2 'daemon' nosuch
	refused 2 '--when' start --when x
	refused 2 'can only be given to start' reload --dir /tmp
	refused 1 'no daemon is running' reload
	refused 1 'no daemon is running' reload -e 'sched:*'
	refused 1 'no daemon was started' status
}

@test "daemon start: values are checked before anything is created" {
	refused 2 'name what to record' start --dir "$tmp/dir"
	refused 2 "--segment-size: '1' is not a size" start -e 'sched:*' --segment-size 1 --dir "$tmp/dir"
	refused 2 "--segment-time: '0' is not a time" start -e 'sched:*' --segment-time 0 --dir "$tmp/dir"
	refused 2 "--keep: 'week' is not a time" start -e 'sched:*' --keep week --dir "$tmp/dir"
	refused 2 "--max-size: 'x' is not a size" start -e 'sched:*' --max-size x --dir "$tmp/dir"
	refused 2 "--compression: 'rot13' is not zstd, zlib or none" start -e 'sched:*' --compression rot13
	[ ! -e "$tmp/dir" ]
	touch "$tmp/file"
	refused 1 'is not a directory' start -e 'sched:*' --dir "$tmp/file"
	refused 1 'No such file or directory' start -e 'sched:*' --dir "$tmp/a/b"
	[ ! -e "/run/dktrace/.daemon-$DKTRACE_INSTANCE" ]
}

@test "daemon start: settings that are wrong name the line" {
	refused 1 'No such file or directory' start --settings "$tmp/none"
	printf '# comment\n\nevent sched:*\nevnt x\n' >"$tmp/conf"
	refused 1 "line 4: 'evnt' is not a setting of the daemon" start --settings "$tmp/conf"
	printf 'event\n' >"$tmp/conf"
	refused 1 "line 1: 'event' has no value" start --settings "$tmp/conf"
	printf 'event sched:*\001\n' >"$tmp/conf"
	refused 1 "has a control character" start --settings "$tmp/conf"
	printf 'event sched:*\nkeep never\n' >"$tmp/conf"
	refused 1 "--keep: 'never' is not a time" start --settings "$tmp/conf"
	printf 'event a\0b\n' >"$tmp/conf"
	refused 1 "it is not a text" start --settings "$tmp/conf"
}
