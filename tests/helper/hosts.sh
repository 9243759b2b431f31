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

# until_true COMMAND...: waits until the command succeeds. The limit, ten minutes, ends what hangs.
until_true()
{
	steps=0
	until "$@"; do
		steps=$((steps + 1))
		[ "$steps" -lt 6000 ] || fail "still not true after ten minutes: $*"
		sleep 0.1
	done
}
