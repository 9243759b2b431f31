#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# No loss is silent: kept + lost is what the kernel generated.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

# Starts two fast writers, on a CPU each if there are two, and waits until records are lost.
load_cpus()
{
	local cpu

	choose_cpus
	for cpu in "$cpu_a" "$cpu_b"; do
		start taskset -c "$cpu" dd if=/dev/zero of=/dev/null bs=1 status=none
	done
	more_lost
}

# Waits until newer records have overwritten more of each of these CPUs.
more_lost()
{
	local cpu

	for cpu in "$cpu_a" "$cpu_b"; do
		until_true overwrites_on "$cpu" "$(overwritten_on "$cpu")"
	done
}

overwritten_on()
{
	sed -n 's/^overrun: //p' "$instance/per_cpu/cpu$1/stats"
}

overwrites_on()
{
	[ "$(overwritten_on "$1")" -gt "$2" ]
}

end_load()
{
	kill "${pids[@]}"
	wait "${pids[@]}" 2>/dev/null || true
	pids=()
	set_param debug=0
}

# Runs dk and adds its numbers to the sums. $1: the exit status that it must have, 0 or 3, or any.
take()
{
	# A dk without a line leaves a file as it was.
	: >"$tmp/log"
	run --separate-stderr dktrace dk "${@:2}" --output "$tmp/log"
	if [ "$1" != any ]; then
		same "$1" "$status" "status"
	elif [ "$(lost "$stderr")" -gt 0 ]; then
		same 3 "$status" "status with losses"
	else
		same 0 "$status" "status without"
	fi
	kept=$((kept + $(summary kept "$output")))
	gone=$((gone + $(lost "$stderr")))
	has "$output" " 0 dropped, 0 bad."
	same "$(summary kept "$output")" "$(grep -vc 'ring_buffer:0:lost_events' "$tmp/log" || true)" "lines"
	told=$((told + $(sed -n 's/.*(ring_buffer:0:lost_events()) \([0-9]*\) records lost.*/\1/p' "$tmp/log" | awk '{ n += $1 } END { print n + 0 }')))
}

@test "no loss is uncounted under load on all CPUs, over several dk and show" {
	kept=0 gone=0 told=0
	only vfstrace
	set_param debug_mb=2 2>/dev/null
	lctl clear
	load_cpus
	take 3
	dktrace show >/dev/null 2>&1 || true
	more_lost
	take 3
	take any
	more_lost
	dktrace show >/dev/null 2>&1 || true
	take any
	end_load
	dktrace show >/dev/null 2>&1 || true
	take any
	same "$(generated)" "$((kept + gone))" "kept $kept + lost $gone"
	at_least 1 "$gone"
	at_least 1 "$told"
	[ "$told" -le "$gone" ]
	take 0
	same "$(generated)" "$((kept + gone))" "once more"
}

@test "the numbers add up with records that dk dropped" {
	local n

	only vfstrace
	set_param debug_mb=2 2>/dev/null
	lctl clear
	load_cpus
	end_load
	run -3 --separate-stderr dktrace dk --filter 'count == 1' --cpu "$cpu_b"
	n=$(printf '%s\n' "$output" | sed -n 's/^Debug log: \([0-9]*\) lines.*/\1/p')
	same "$(generated)" "$((n + $(lost "$stderr")))" "lines and lost"
}

@test "follow under load accounts for every record, in order of time" {
	only vfstrace
	set_param debug_mb=2 2>/dev/null
	lctl clear
	start dktrace follow -o "$tmp/log" 2>"$tmp/err"
	follow=$pid
	until_true test -s "$tmp/log"
	load_cpus
	kill "${pids[@]:1}"
	set_param debug=0
	kill -INT "$follow"
	wait "$follow" || same 3 "$?" "status"
	# The log has what follow had not read yet.
	run --separate-stderr dktrace dk
	[ "$status" = 0 ] || same 3 "$status" "status"
	n=$(summary kept "$output")
	own=$(sed -n 's/^dktrace: \([0-9]*\) records of dktrace itself.*/\1/p' "$tmp/err")
	same "$(generated)" "$((n + ${own:-0} + $(summary kept "$(cat "$tmp/err")") + $(lost "$(cat "$tmp/err")") + $(lost "$stderr")))" "all"
	awk -F: '$4 + 0 < last { bad++ } { last = $4 + 0 } END { exit bad > 0 }' "$tmp/log"
}

@test "the loss counts begin again if another program empties the buffers" {
	only vfstrace
	set_param debug_mb=2 2>/dev/null
	load_cpus
	dktrace dk >/dev/null 2>&1 || true
	end_load
	dktrace dk >/dev/null 2>&1 || true
	: >"$instance/trace"
	expect 0 "Debug log: 0 lines, 0 kept, 0 dropped, 0 bad." "" dktrace dk
	lctl mark one
	run -0 --separate-stderr dktrace dk
	same "" "$stderr" "stderr"
	same 2 "${#lines[@]}" "lines"
}

@test "an instance removed and created again starts its counts at 0" {
	only vfstrace
	set_param debug_mb=2 2>/dev/null
	load_cpus
	end_load
	run -3 --separate-stderr dktrace dk
	rmdir "$instance"
	set_param debug_mb=2 debug=+vfstrace 2>/dev/null
	lctl clear
	load_cpus
	end_load
	kept=0 gone=0 told=0
	take 3
	same "$(generated)" "$((kept + gone))" "kept $kept + lost $gone"
}
