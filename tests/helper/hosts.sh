# SPDX-License-Identifier: LGPL-2.1-or-later
# The functions for a test with several VMs, tests/vm/hosts. It ends at the first failure.
# shellcheck shell=sh

set -eu

fail()
{
	echo "not ok: $*"
	exit 1
}

# skip REASON: ends the test, which cannot run on this system.
skip()
{
	echo "skip: $*"
	exit 77
}

# same WANT GOT DESCRIPTION
same()
{
	[ "$1" = "$2" ] || fail "$3: want '$1', got '$2'"
	echo "ok: $3"
}

# within LEAST GOT MOST DESCRIPTION
within()
{
	if [ "$2" -lt "$1" ] || [ "$2" -gt "$3" ]; then
		fail "$4: want $1 to $3, got '$2'"
	fi
	echo "ok: $4: $2"
}

# has_line ERE FILE DESCRIPTION
has_line()
{
	grep -Eq -- "$1" "$2" || { cat "$2"; fail "$3: no line like '$1'"; }
	echo "ok: $3"
}

# until_true TENTHS COMMAND...: waits for a cause.
until_true()
{
	tenths=$1
	shift
	until "$@"; do
		tenths=$((tenths - 1))
		[ "$tenths" -gt 0 ] || fail "waited too long for: $*"
		sleep 0.1
	done
}
