# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# For the benches that compare CPU seconds of interleaved runs, so that other work on the machine counts for
# none of them. It sets PATH for the tool of BUILD, and $tmp, a directory that is removed at the end.
# Source it in a script whose first argument is BUILD.

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$build:$PATH" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d" DKTRACE_INTERVALS="$here/../../share/intervals.d"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# CPU seconds of a command with all its processes, into a file of such numbers.
# usage: cpu FILE COMMAND...
cpu()
{
	file=$1
	shift
	# shellcheck disable=SC2016
	TIMEFORMAT='%3U %3S' bash -c '{ time "$@" >/dev/null 2>&1; } 2>>"$0"' "$tmp/$file" "$@" || :
}

median()
{
	awk '/^[0-9.]+ [0-9.]+$/ { print $1 + $2 }' "$tmp/$1" | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
