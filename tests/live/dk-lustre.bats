#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# dk merges Lustre's own buffer and the log by time.
# shellcheck disable=SC2154,SC2016 # set by bats and helper/live.bash; for another shell

load ../helper/live

# Marks before and after the time of Lustre's records.
mark_around()
{
	lctl clear && lctl mark before || return
	second=$(($(date +%s) + 1))
	"$tools/gen-records" one 2 1 "$second" >"$tmp/lustre/buffer"
	until_true eval '[ "$(date +%s)" -gt "$second" ]' && lctl mark after
}

@test "dk merges Lustre's records and the kernel's by time" {
	need_namespace
	export FAKE_LUSTRE=$tmp/lustre
	mkdir "$FAKE_LUSTRE"
	lctl set_param debug=+ioctl
	only_ours
	while_clock_runs mark_around
	run -0 --separate-stderr lustre lctl dk
	printf '%s\n' "$output" | sed -n 's/.*MARKER: //p; s/.*([a-z_]*\.c:.*/lustre/p' | uniq >"$tmp/order"
	same "before
lustre
after" "$(cat "$tmp/order")" "order"
	has "$output" "Debug log: "
}

@test "dk reports messages missing in the kernel's records and prints Lustre's" {
	need_namespace
	export FAKE_LUSTRE=$tmp/lustre
	mkdir "$FAKE_LUSTRE"
	lctl set_param debug=+ioctl
	"$tools/gen-records" one 5 >"$tmp/lustre/buffer"
	# Another process reads the log.
	start dktrace follow >/dev/null 2>&1
	follow=$pid
	until_true test -s "/run/dktrace/$DKTRACE_INSTANCE/spool/lock"
	run -0 --separate-stderr lustre lctl dk
	kill -TERM $follow
	wait $follow || true
	has "$output" "Debug log: 5 lines, 5 kept, 0 dropped, 0 bad."
	has "$stderr" "only Lustre's own buffer is shown: process $follow is reading these buffers"
}
