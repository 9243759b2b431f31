# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the CLI and live tests.
# shellcheck shell=bash disable=SC2034,SC2154
bats_require_minimum_version 1.5.0

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
capture=$top/tests/fixture/capture
export DKTRACE_CLASSES=$top/share/classes.d DKTRACE_INTERVALS=$top/share/intervals.d
build=${DKT_BUILD:-$top/build}
tools=$build/tests/tools
export PATH=$build:$PATH LC_ALL=C TZ=UTC
unset DKTRACE_ROOT DKTRACE_INSTANCE DKTRACE_DEBUG LCTL_REAL

# ---- assertions; WHAT is optional ----

# usage: same WANTED HAVE WHAT
same()
{
	[ "$1" = "$2" ] && return
	printf '%s\n--- wanted:\n%s\n--- have:\n%s\n' "${3:-not the same}" "$1" "$2"
	return 1
}

# usage: has TEXT PART
has()
{
	case $1 in
	*"$2"*) return 0 ;;
	esac
	printf 'no "%s" in:\n%s\n' "$2" "$1"
	return 1
}

# usage: lacks TEXT PART
lacks()
{
	case $1 in
	*"$2"*) ;;
	*) return 0 ;;
	esac
	printf 'there is "%s" in:\n%s\n' "$2" "$1"
	return 1
}

# True if a line of the file matches. usage: has_line ERE FILE
has_line()
{
	local text

	text=$(cat "$2") || return
	grep -qE -- "$1" <<<"$text" && return
	printf 'no line matches %s in:\n%s\n' "$1" "$text"
	return 1
}

# True if the file exists and no line matches. usage: no_line ERE FILE
no_line()
{
	local text

	text=$(cat "$2") || return
	grep -E -- "$1" <<<"$text" || return 0
	printf 'the lines above match %s\n' "$1"
	return 1
}

# usage: at_least LEAST HAVE WHAT
at_least()
{
	[ "$2" -ge "$1" ] && return
	printf '%s: %s, not at least %s\n' "${3:-too few}" "$2" "$1"
	return 1
}

# usage: within LEAST HAVE MOST WHAT
within()
{
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ] && return
	printf '%s: %s, not from %s to %s\n' "${4:-out of bounds}" "$2" "$1" "$3"
	return 1
}

exists()
{
	[ -e "$1" ] && return
	echo "there is no $1"
	return 1
}

gone()
{
	[ ! -e "$1" ] && return
	echo "$1 is there"
	return 1
}

# Compares $output with a file beside the tests, or with those of its lines that match a pattern; UPDATE=1
# rewrites it. usage: golden NAME [PATTERN]
golden()
{
	local file=$BATS_TEST_DIRNAME/$1.exp

	if [ -n "${UPDATE:-}" ]; then
		printf '%s\n' "$output" >"$file"
	fi
	diff -u <(grep -aE "${2:-^}" "$file") <(printf '%s\n' "$output")
}

# ---- running commands ----

# Waits until a command succeeds. The limit, ten minutes, ends what hangs; it is counted in steps, because the
# clock may be set meanwhile. usage: until_true COMMAND...
until_true()
{
	local i

	for ((i = 0; i < 6000; i++)); do
		"$@" && return
		sleep 0.1
	done
	echo "still not true after ten minutes: $*"
	return 1
}

# True if a process handles a signal, or has ended. A child that is still this shell handles those of the shell.
# usage: handles SIGNAL PID
handles()
{
	local caught

	[ ! "/proc/$2/exe" -ef "/proc/$$/exe" ] || return
	caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$2/status" 2>/dev/null) || return 0
	[ -z "$caught" ] || [ $((0x$caught >> ($(kill -l "$1") - 1) & 1)) = 1 ]
}

# True if the address sanitizer is in the tool: it needs much memory, and each start takes long.
sanitized()
{
	grep -qF __asan_init "$(command -v dktrace)"
}

# Runs the command, and compares its exit status, stdout and stderr.
# usage: expect STATUS STDOUT STDERR COMMAND...
expect()
{
	local status_wanted=$1 out=$2 err=$3

	shift 3
	run --separate-stderr "-$status_wanted" "$@"
	same "$out" "$output" "stdout of $*"
	same "$err" "$stderr" "stderr of $*"
}

# Runs the command twice, with SIGPIPE as by default and ignored, with a pipe without a reader as its
# standard output. Its messages are in $BATS_TEST_TMPDIR/words. usage: unread STATUS COMMAND...
unread()
{
	local status_wanted=$1 pipe=$BATS_TEST_TMPDIR/unread kind status

	shift
	for kind in default ignored; do
		rm -f "$pipe"
		mkfifo "$pipe"
		# Close the reading end before the command starts.
		status=0
		(
			# shellcheck disable=SC2094 # both ends of the pipe
			exec 5<>"$pipe" 6>"$pipe" 5<&-
			[ $kind = default ] || trap '' PIPE
			"$@" >&6 2>"$BATS_TEST_TMPDIR/words" 3>&-
		) || status=$?
		same "$status_wanted" "$status" "status of $*, SIGPIPE $kind" || return
	done
}

# Decodes a file of the style perfetto to FILE.txt. A field without a name is unknown, and an error.
# usage: perfetto_text FILE
perfetto_text()
{
	protoc --proto_path="$top/tests/fixture" --decode Trace perfetto.proto <"$1" >"$1.txt"
	if grep -E '^ *[0-9]+[: ]' "$1.txt"; then
		echo "unknown fields"
		return 1
	fi
}

# Skips the test, with the reason, if it cannot have a mount namespace of its own.
need_namespace()
{
	local kept=$BATS_RUN_TMPDIR/apart

	# Check once per run. If two tests check at the same time, the last answer stays.
	if [ ! -e "$kept" ]; then
		"$top/tests/tools/apart" --check >"$kept.$$.$BATS_TEST_NUMBER" 2>&1 || sed -i 's/^/no: /' "$kept.$$.$BATS_TEST_NUMBER"
		mv "$kept.$$.$BATS_TEST_NUMBER" "$kept"
	fi
	DKT_APART=$(cat "$kept")
	export DKT_APART
	case $DKT_APART in
	"no: "*) skip "${DKT_APART#no: }" ;;
	esac
}

# Runs a command in a mount namespace of its own, after need_namespace. usage: apart [--uts] COMMAND...
apart()
{
	"$top/tests/tools/apart" "$@"
}

# Runs a command with a fake Lustre and tracefs, after need_namespace. Files in the directory $FAKE_LUSTRE hold its
# buffer and the requests that it got. usage: lustre COMMAND...
lustre()
{
	# shellcheck disable=SC2016 # for the shell in there
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 preload=$tools/fake-lustre.so apart sh -c '
		mountpoint -q /sys/kernel/tracing || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null
		mount -t tmpfs none /sys/fs && mkdir /sys/fs/lustre &&
		: >/sys/fs/lustre/dump_kernel && LD_PRELOAD=$preload exec "$@"' sh "$@"
}

# Runs a command as the user nobody. usage: nobody COMMAND...
nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# Ends the processes of the list pids that still run. The number of one that has ended can be that of another
# test's process by now.
end_started()
{
	local pid alive

	alive=" $(jobs -pr) $(jobs -ps) "
	for pid in "${pids[@]}"; do
		[[ ${alive//$'\n'/ } != *" $pid "* ]] || kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}
