# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the benchmarks of dktrace record, flight and daemon, which source it with their own arguments, the
# first of which is BUILD: the build and a directory of their own, medians, and the same work in a bare ring
# buffer and in trace-cmd record.
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
export PATH="$build:$PATH" LC_ALL=C DKTRACE_CLASSES="$here/../../share/classes.d" DKTRACE_INTERVALS="$here/../../share/intervals.d"
export DKTRACE_INSTANCE="dkt-bench-$$"
tracing=/sys/kernel/tracing
bare=$tracing/instances/dkt-bench-bare-$$
tmp=$(mktemp -d)

clean()
{
	[ ! -e "$bare" ] || echo 0 >"$bare/events/raw_syscalls/enable"
	rmdir "$bare" 2>/dev/null || :
	dktrace reset 2>/dev/null || :
	rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 130' INT TERM

# Prints the median of the numbers in a file. usage: median FILE
median()
{
	sort -n "$tmp/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Prints the CPU seconds of a process and of its children that have exited. usage: cpu_of PID
cpu_of()
{
	sed 's/.*) //' "/proc/$1/stat" | awk -v hz="$(getconf CLK_TCK)" '{ print ($12 + $13 + $14 + $15) / hz }'
}

# Prints a number from the status of dktrace flight or daemon. usage: status_of COMMAND KEY
status_of()
{
	dktrace "$1" status --json | sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p"
}

# Calls a function while the system calls go to a bare ring buffer, in overwrite mode, which nobody reads.
# usage: in_bare KB_PER_CPU FUNCTION [ARGUMENT...]
in_bare()
{
	mkdir "$bare"
	echo "$1" >"$bare/buffer_size_kb"
	shift
	echo mono >"$bare/trace_clock"
	echo 1 >"$bare/events/raw_syscalls/enable"
	"$@"
	echo 0 >"$bare/events/raw_syscalls/enable"
	rmdir "$bare"
}

# Calls a function while trace-cmd, process $pid, records the system calls; its messages are in theirs.err.
# Only the processes named $only, if it is set. If $whole is a file, tools/cost, process $cost, writes there what trace-cmd's whole life took.
# Returns 1 if it is not installed or does not record. trace-cmd stops on a machine that refuses the function
# tracer's files, so files that take everything are laid over them where only it sees them.
# usage: in_trace_cmd FUNCTION [ARGUMENT...]
in_trace_cmd()
{
	command -v trace-cmd >/dev/null || return 1
	rm -f "$tmp/theirs.err"
	# shellcheck disable=SC2016 # for the other shell
	${whole:+"$build/tests/tools/cost" "$whole"} unshare -m sh -c 'for f in current_tracer set_ftrace_filter set_ftrace_notrace set_ftrace_pid; do
			cp "$1/$f" "$2/$f" 2>/dev/null || : >"$2/$f"; mount --bind "$2/$f" "$1/$f" 2>/dev/null || :
		done
		echo 1 >"$2/enabled"; mount --bind "$2/enabled" /proc/sys/kernel/ftrace_enabled 2>/dev/null || :
		exec trace-cmd record -e raw_syscalls ${3:+-f "COMM == \"$3\""} -o "$2/theirs.dat"' \
		sh "$tracing" "$tmp" "${only-}" >"$tmp/theirs.err" 2>&1 &
	cost=$! pid=$!
	for _ in $(seq 200); do
		grep -qs "Hit Ctrl" "$tmp/theirs.err" && break
		kill -0 $cost 2>/dev/null || return 1
		sleep 0.05
	done
	[ -z "${whole-}" ] || read -r pid _ <"/proc/$cost/task/$cost/children"
	"$@"
	kill -INT "$pid"
	wait $cost || :
	rm -f "$tmp"/theirs.dat*
}
