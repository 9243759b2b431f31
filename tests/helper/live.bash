# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the live tests. Each test has its own instance and leaves nothing behind.
# shellcheck shell=bash disable=SC2034,SC2154
load ../helper/common

tracing=/sys/kernel/tracing

setup()
{
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
	local pid

	for pid in "${pids[@]}"; do
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	dktrace reset
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

# Runs a command with --watch in a terminal with too few lines for its table, and ends it with q. Checks
# that the headings stay on the first line, that no line scrolls away, and that the earlier screen comes
# back. The screens are in $watched and $ended. usage: watch_in_terminal LINES HEADING LAST_ROW COMMAND
watch_in_terminal()
{
	server=$DKTRACE_INSTANCE
	tmux -L "$server" -f /dev/null new-session -d -x 80 -y "$1" \
		"echo before; $4; echo ended \$?; read -r x"
	until_true pane_has 'more rows'
	watched=$(pane)
	has "${watched%%$'\n'*}" "$2"
	has "$watched" "$3"
	same 0 "$(tmux -L "$server" display -p '#{history_size}')" "lines that scrolled away"
	tmux -L "$server" send-keys q
	until_true pane_has '^ended 0'
	ended=$(tmux -L "$server" capture-pane -p -S -)
	has "$ended" "before"
	tmux -L "$server" kill-server
}
