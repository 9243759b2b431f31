#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Many events of the running kernel: every style prints the same records.
# shellcheck disable=SC2154,SC2030,SC2031 # set by bats and helper/live.bash

load ../helper/live

# A log of all classes, with context switches and stacks, that no longer changes. The switches of
# all classes are enabled; the test enables other events in the instance by hand.
record_all()
{
	set_param debug_mb=24 debug=-1
	only_ours
	echo 1 >"$instance/events/sched/enable"
	ls -R /usr/lib/dpkg /usr/lib/systemd >/dev/null 2>&1 || true
	ls -R "$top/tests/fixture" >/dev/null
	dd if=/dev/zero of="$tmp/file" bs=64k count=4 conv=fsync status=none
	rm "$tmp/file"
	if [ -e "$instance/options/stacktrace" ]; then
		echo 1 >"$instance/options/stacktrace"
		ls / >/dev/null
		echo 0 >"$instance/options/stacktrace"
	fi
	# Disabling thousands of events is not to be recorded.
	echo 0 >"$instance/tracing_on"
	echo 0 >"$instance/events/sched/enable"
	set_param debug=0
}

show()
{
	dktrace show --style "$1" -o "$tmp/$1" >"$tmp/sum" 2>/dev/null || [ $? -eq 3 ]
	kept=$(summary kept "$(cat "$tmp/sum")")
}

@test "every style has every record" {
	local style total

	record_all
	show trace
	total=$kept
	at_least 1001 "$total"
	for style in legacy raw json csv folded ctf ctf2 perfetto; do
		show "$style"
		same "$total" "$kept" "$style"
	done

	# Every line of json is an object, of dozens of different events.
	same "$total" "$(jq -n '[inputs | select(has("event"))] | length' "$tmp/json")" "objects"
	at_least 31 "$(jq -r .event "$tmp/json" | sort -u | wc -l)"
	same "$total" "$(grep -vc 'EVENTS DROPPED' "$tmp/raw")" "raw"

	if command -v babeltrace2 >/dev/null; then
		babeltrace2 --clock-gmt --clock-date --no-delta "$tmp/ctf" >"$tmp/read" 2>"$tmp/words"
		same "$total" "$(wc -l <"$tmp/read")" "ctf"
		same "$(jq -r 'select(has("event")) | .event' "$tmp/json" | sort | uniq -c)" \
			"$(sed -E 's/^\[[^]]*\] [^ ]* [^:]*:([^:]*): \{ cpu_id.*/\1/' "$tmp/read" | sort | uniq -c)" "events of ctf"
		# The losses and their places.
		same "$(jq -r 'select(has("lost")) | .lost // 1' "$tmp/json" | sort -n)" \
			"$(sed -nE 's/.*discarded ([0-9]+) events.*/\1/p' "$tmp/words" | sort -n)" "losses of ctf"
	fi
	if command -v protoc >/dev/null; then
		perfetto_text "$tmp/perfetto"
		same "$(jq -n '[inputs | select(.event == "sched_switch")] | length' "$tmp/json")" \
			"$(grep -c ' sched_switch {' "$tmp/perfetto.txt" || true)" "switches"
	fi
}

@test "style folded prints stacks" {
	record_all
	[ -e "$instance/options/stacktrace" ] || skip "this kernel has no option stacktrace in instances"
	show folded
	show json
	at_least 1 "$(awk '$NF > 0 { n += $NF } END { print n }' < <(grep -v '^\[lost\]' "$tmp/folded"))"
	# The number of stack records.
	same "$(jq -n '[inputs | select(.event == "kernel_stack")] | length' "$tmp/json")" \
		"$(grep -v '^\[lost\]' "$tmp/folded" | awk '{ n += $NF } END { print n }')" "stacks"
	same '' "$(grep -v '^\[lost\]' "$tmp/folded" | grep -vE '^[^ ]+;[^ ]+ [0-9]+$')" "other lines"
}

@test "style json prints losses in their place, with status 3" {
	set_param debug_mb=1 debug=trace
	start dd if=/dev/zero of=/dev/null bs=1 status=none
	until_true overwrites 0
	kill "$pid"
	set_param debug=0
	run -3 --separate-stderr dktrace show --style json
	printf '%s\n' "$output" >"$tmp/json"
	has "$stderr" "$(jq -n '[inputs.lost // 0] | add' "$tmp/json") records were lost before they were read"
	run -3 --separate-stderr dktrace dk --style json
	# How far the clocks are apart is looked at each time, and the kernel forgets names of processes.
	cmp <(jq -c 'del(.wall, .comm)' "$tmp/json") <(printf '%s\n' "$output" | jq -c 'del(.wall, .comm)')
}
