# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs lustre_debug
# timeout: 300
# The cost of a message for its caller: with the probe, with Lustre's trace event, with Lustre's buffer alone.
# shellcheck shell=sh disable=SC2154,SC2086

messages=10000

# Nanoseconds of the kernel's clock; busybox has no better one.
now()
{
	awk '/^now at/ { print $3 }' /proc/timer_list | head -n 1
}

# cost WHAT: ns a message, and bytes that it takes in the trace buffer, into files of such numbers.
cost()
{
	echo clear >$lnet/debug_marker
	lctl clear
	from=$(now)
	echo "flood $messages" >$lnet/emit
	echo $((($(now) - from) / messages)) >>"cost.$1"
	echo $(($(stat_sum bytes) / messages)) >"bytes.$1"
}

median()
{
	sort -n "cost.$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# compare WHAT EVENTS: switched on and off in turn.
compare_cost()
{
	for _ in 1 2 3 4 5; do
		echo 1 >$instance/events/$2/enable
		cost $1
		echo 0 >$instance/events/$2/enable
		cost $1-off
	done
	echo "bench: $1: $(median $1) ns a message, $(cat bytes.$1) bytes; Lustre's buffer alone:" \
		"$(median $1-off) ns; ratio" \
		"$(awk -v a="$(median $1)" -v b="$(median $1-off)" 'BEGIN { printf "%.1f", a / b }')"
}

load_built libcfs
set_param debug=info debug_mb=64
echo 64 >$lnet/debug
compare_cost cdebug dktrace
run dktrace reset
unload_built
load_built libcfs lustre_debug
set_param debug=info debug_mb=64
echo 64 >$lnet/debug
compare_cost lustre_debug lustre_debug
run dktrace reset
at_least 1 "$(median cdebug)" "ns by the probe"
at_least 1 "$(median lustre_debug)" "ns by the trace event"
