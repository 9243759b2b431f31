#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The share of one CPU that top itself uses at 100 000 records per second, by its own count, which is beside the
# count of the kernel. Its cost is divided by the rate that there was, so other work on the machine counts.
# usage: tests/bench/top.sh BUILD
set -eu

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$build:$PATH" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d" DKTRACE_INTERVALS="$here/../../share/intervals.d"
export DKTRACE_INSTANCE="dkt-bench-$$"
seconds=${SECONDS_OF_TOP:-10}
tmp=$(mktemp -d)
load=

clean()
{
	[ -z "$load" ] || kill "$load" 2>/dev/null || :
	dktrace reset 2>/dev/null || :
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 130' INT TERM

# About 100 000 records per second: each system call has two.
work()
{
	while :; do
		dd if=/dev/zero of=/dev/null bs=1 count=2500 2>/dev/null
		sleep 0.1
	done
}

# usage: row WHAT [OPTION...]
row()
{
	what=$1
	shift
	# shellcheck disable=SC2016
	TIMEFORMAT='%U %S' bash -c 'file=$0; time "$@" >"$file"' "$tmp/frames" \
		dktrace top --json --rows 0 -d 1 -n "$seconds" "$@" 2>"$tmp/time" || :
	jq -rn --arg what "$what" --arg time "$(tail -n 1 "$tmp/time")" '
		[inputs] | (map(.seconds) | add) as $s |
		(map(.records + (.seconds * ([.events[].log // 0] | add))) | add / $s) as $rate
		| (map(.own_percent * .seconds) | add / $s) as $own
		| ($time | split(" ") | map(tonumber) | add / $s * 100) as $kernel
		| "\($what): \($rate | round) records/s, own cost \($own * 10 | round / 10) % of one CPU (by the kernel'"'"'s count of the whole run \($kernel * 10 | round / 10) %); at 100000 records/s \($own / $rate * 1e6 | round / 10) % (asked: at most 5)"' "$tmp/frames"
}

work &
load=$!
row 'top'
lctl set_param debug=0 debug=+vfstrace >/dev/null
row 'top --log, a log with system calls' --log
