# SPDX-License-Identifier: LGPL-2.1-or-later
# Ready-made intervals of the calls that change_directory makes, which a test defines.
# shellcheck shell=bash disable=SC2154 # set by helper/live.bash and the test

# True if a frame of top has counted so many calls. usage: frames_count N
frames_count()
{
	[ "$(jq -n '[inputs | .intervals[] | .count] | add' "$tmp/frames" 2>/dev/null)" -ge "$1" ]
}

# Lets top count two calls. usage: top_counts INTERVAL
top_counts()
{
	local top

	start dktrace top --json -d 0.2 --panel intervals --interval "$1" >"$tmp/frames" 2>"$tmp/err"
	top=$pid
	until_true test -s "$tmp/frames"
	change_directory
	until_true frames_count 2
	kill "$top"
	wait "$top" || true
}

# True if a flight recorder has dumped for the interval. usage: flight_dumps INTERVAL
flight_dumps()
{
	change_directory
	dktrace flight status --json | jq -r '.dumps[].reason' | grep -q "$1 took "
}

# Lets a flight recorder, and then a daemon, measure calls of $shell. usage: recorders_measure INTERVAL EVENTS
recorders_measure()
{
	local metrics=$tmp/dktrace-$DKTRACE_INSTANCE.prom

	dktrace flight start -e sched:sched_process_exec --comm "$shell" --when "$1 > 1ns" --size 1M --dir "$tmp" 3>&-
	until_true flight_dumps "$1"
	dktrace flight stop

	dktrace daemon start --dir "$tmp/dir" -e "$2" --comm "$shell" --metrics "$tmp" 3>&-
	change_directory
	until_true grep -q "^dktrace_latency_seconds_count{.*latency=\"$1\".* 2\$" "$metrics"
	dktrace daemon stop
}
