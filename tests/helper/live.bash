# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the live tests. Each test has its own instance and leaves nothing behind.
# shellcheck shell=bash disable=SC2034,SC2154
load ../helper/common

tracing=/sys/kernel/tracing

setup()
{
	# If dktrace mounted tracefs, the reset of one test would unmount it under another.
	mountpoint -q "$tracing" || mount -t tracefs nodev "$tracing"
	export DKTRACE_INSTANCE=dkt-test-$$-$BATS_TEST_NUMBER
	instance=$tracing/instances/$DKTRACE_INSTANCE
	state=/run/dktrace/$DKTRACE_INSTANCE
	tmp=$BATS_TEST_TMPDIR
	pids=()
}

teardown()
{
	end_test
}

end_test()
{
	end_started
	dktrace reset --all
	[ ! -e "$instance" ]
	[ ! -e "$state" ]
}

# Lists the instances that commands have created for themselves, beside that of the log.
own()
{
	find "$tracing/instances" -maxdepth 1 -name "$DKTRACE_INSTANCE-*"
}

# Starts a command in the background; its PID is in $pid.
start()
{
	"$@" 3>&- &
	pid=$!
	pids+=("$pid")
}

# Lets a random time pass, at most that many ms, so that a signal comes at any moment. usage: at_random MS
at_random()
{
	local ms=$((RANDOM % $1))

	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
}

# Starts a command that waits for go, for settings that need its PID. usage: held COMMAND...
held()
{
	rm -f "$tmp/gate"
	mkfifo "$tmp/gate"
	# shellcheck disable=SC2016
	start sh -c 'read -r go <"$0"; exec "$@"' "$tmp/gate" "$@"
}

go()
{
	echo >"$tmp/gate"
	wait "$pid"
}

set_param()
{
	lctl set_param -n "$@"
}

# Sets exactly these classes, without those that a plain value adds.
only()
{
	set_param debug=0 "debug=+$1"
}

# Restricts the log to this test and the processes that it starts, so that nothing else on the machine can fill
# the buffers, and empties it. The settings must exist.
only_ours()
{
	dktrace filter set --pid $$ --children
	dktrace clear
}

# Sets $cpu_a and $cpu_b, two CPUs on which this test may run: the same one if there is no other.
choose_cpus()
{
	local cpu

	cpu_a='' cpu_b=''
	for cpu in $(awk -F: '/^processor/ { print $2 + 0 }' /proc/cpuinfo); do
		taskset -c "$cpu" true 2>/dev/null || continue
		cpu_b=$cpu
		[ -z "$cpu_a" ] || break
		cpu_a=$cpu
	done
}

# The same, for tests that need two of them.
need_two_cpus()
{
	choose_cpus
	[ "$cpu_a" != "$cpu_b" ] || skip "needs two CPUs"
}

# Prints how many records of the log newer ones have overwritten.
overwritten()
{
	awk '/^overrun:/ { n += $NF } END { print n + 0 }' "$instance"/per_cpu/cpu*/stats
}

# True if newer records have overwritten more than so many. usage: overwrites N
overwrites()
{
	[ "$(overwritten)" -gt "$1" ]
}

# Prints how far the wall clock is from the time since boot, in tenths of a second.
wall_offset()
{
	local up

	read -r up _ </proc/uptime
	up=${up/./}
	echo $((${EPOCHREALTIME/[.,]/} / 100000 - up / 10))
}

# Runs a function until the wall clock was not set meanwhile. usage: while_clock_runs COMMAND...
while_clock_runs()
{
	local before after

	until
		before=$(wall_offset)
		"$@" || return
		after=$(wall_offset)
		[ $((after - before)) -le 2 ] && [ $((before - after)) -le 2 ]
	do :; done
}

# Prints a number of dk's summary line. usage: summary kept|dropped TEXT
summary()
{
	printf '%s\n' "$2" | sed -n "s/^Debug log: .* \([0-9]*\) $1[,.].*/\1/p" | tail -n 1
}

# Prints the number of lost records that dk reports on stderr. usage: lost STDERR
lost()
{
	local n

	n=$(printf '%s\n' "$1" | sed -n 's/^[a-z]*: \([0-9]*\) records were lost .*/\1/p')
	echo "${n:-0}"
}

# Prints the number of records that the kernel generated since the instance's buffers were emptied.
generated()
{
	awk '/^(entries|overrun|commit overrun|dropped events|read events):/ { n += $NF } END { print n }' \
		"$instance"/per_cpu/cpu*/stats
}

# Prints every control file of the instance that a change may write.
knobs()
{
	sort "$instance/set_event"
	cat "$instance/buffer_size_kb" "$instance/trace_clock" "$instance/set_event_pid" "$instance/tracing_on"
	grep -v '^none$' "$instance"/events/*/*/filter || true
}

# Prints the control files of the top instance, and the instances and probes of this test: other
# processes may create and remove theirs meanwhile.
machine()
{
	local name

	for name in current_tracer tracing_on buffer_size_kb set_event set_event_pid trace_clock trace_options \
		tracing_cpumask; do
		echo "$name"
		cat "$tracing/$name"
	done
	grep -v '^none$' "$tracing"/events/*/*/filter 2>/dev/null || true
	grep ":dkt_test_$$_" "$tracing/uprobe_events" 2>/dev/null || true
	find "$tracing/instances" /run/dktrace -maxdepth 1 -name "dkt-test-$$-*" 2>/dev/null | sort
}

# Prints the contents of the terminal $server.
pane()
{
	tmux -L "$server" capture-pane -p
}

pane_has()
{
	pane | grep -q -- "$1"
}

# True if the screen, kept in $watched, has the heading on its first line, the last row, and says that there are
# more. usage: watched_has HEADING LAST_ROW
watched_has()
{
	watched=$(pane)
	[[ ${watched%%$'\n'*} == *"$1"* && $watched == *"$2"* && $watched == *'more rows'* ]]
}

# Runs a command with --watch in a terminal with too few lines for its table, and ends it with q. Checks
# that the headings stay on the first line, that no line scrolls away, and that the earlier screen comes
# back. The screens are in $watched and $ended. usage: watch_in_terminal LINES HEADING LAST_ROW COMMAND
watch_in_terminal()
{
	server=$DKTRACE_INSTANCE
	tmux -L "$server" -f /dev/null new-session -d -x 80 -y "$1" \
		"echo before; $4; echo ended \$?; read -r x"
	# A screen may be looked at while it is drawn.
	until_true watched_has "$2" "$3"
	same 0 "$(tmux -L "$server" display -p '#{history_size}')" "lines that scrolled away"
	tmux -L "$server" send-keys q
	# Status 3: the other processes of a busy machine filled the buffers.
	until_true pane_has '^ended [03]'
	ended=$(tmux -L "$server" capture-pane -p -S -)
	has "$ended" "before"
	tmux -L "$server" kill-server
}
