#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The cost of a flight recorder for the workload: nobody reads, beside a bare ring buffer; a condition on the
# latency of all system calls, which the recorder pairs itself, beside latency live, in CPU seconds of both.
# Medians of interleaved runs of dd, in dd's own seconds.
# usage: flight.sh BUILD [COUNT [ROUNDS]]
set -eu

# shellcheck source=tests/bench/recorders.sh
. "$(dirname "$0")/recorders.sh"
count=${2:-3000000}
rounds=${3:-5}

# usage: work FILE
work()
{
	dd if=/dev/zero of=/dev/null bs=1 count="$count" 2>"$tmp/dd"
	sed -n 's/.*copied, \([0-9.]*\) s.*/\1/p' "$tmp/dd" >>"$tmp/$1"
}

in_flight()
{
	dktrace flight start -e 'raw_syscalls:*' --size "$(($(nproc --all) * 32))M" --dir "$tmp" 2>/dev/null
	work flight
	dktrace flight stop
}

in_condition()
{
	dktrace flight start -e sched:sched_process_exit --size 1M --dir "$tmp" --when 'syscall > 1h' 2>/dev/null
	work condition
	# The buffers still hold records to read.
	sleep 0.5
	cpu_of "$(status_of flight pid)" >>"$tmp/condition.cpu"
	dktrace flight stop
}

in_latency()
{
	rm -f "$tmp/latency.err"
	dktrace latency syscall >"$tmp/latency.out" 2>"$tmp/latency.err" &
	pid=$!
	until grep -qs Ctrl-C "$tmp/latency.err"; do sleep 0.05; done
	work latency
	sleep 0.5
	cpu_of $pid >>"$tmp/latency.cpu"
	kill -INT $pid
	wait $pid || :
}

for _ in $(seq "$rounds"); do
	work none
	in_bare 32768 work bare
	in_flight
	in_condition
	in_latency
done
awk -v none="$(median none)" -v bare="$(median bare)" -v flight="$(median flight)" -v when="$(median condition)" \
	-v latency="$(median latency)" -v wcpu="$(median condition.cpu)" -v lcpu="$(median latency.cpu)" 'BEGIN {
	printf "dd bs=1: alone %.2f s, bare ring buffer %.2f s\n", none, bare
	printf "  flight, nobody reads: %.2f s, %.3f times the bare ring buffer (asked: 1.02)\n", flight, flight / bare
	printf "  flight --when \"syscall > 1h\": %.2f s, recorder %.2f CPU s; latency syscall: %.2f s, %.2f CPU s\n",
		when, wcpu, latency, lcpu
}'
