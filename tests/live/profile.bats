#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# profile of what this kernel records: the stacks that others print of the same file.
# shellcheck disable=SC2154 # set by bats and helper/live.bash

load ../helper/live

# Adds up the numbers of equal stacks.
sums()
{
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); all[$0] += n } END { for (stack in all) print stack, all[stack] }' | LC_ALL=C sort
}

# The functions of the kernel in folded text, from the outermost on. Of several names of one address, the first one.
of_kernel()
{
	awk '
	NR == FNR {
		if (!($1 in first))
			first[$1] = $3
		else
			same[$3] = first[$1]
		next
	}
	{
		n = split($0, frames, ";")
		count = frames[n]
		sub(/.* /, "", count)
		sub(/ [0-9]+$/, "", frames[n])
		text = frames[1]
		for (i = 2; i <= n; i++)
			if (sub(/_\[k\]$/, "", frames[i]))
				text = text ";" (frames[i] in same ? same[frames[i]] : frames[i])
		print text, count
	}' /proc/kallsyms - | sums
}

# The same of the output of perf script, as FlameGraph's stackcollapse-perf.pl counts it.
of_perf()
{
	awk '
	/^[^\t ]/ { comm = $0; sub(/ +$/, "", comm); gsub(/ /, "_", comm); calls = ""; any = 1; next }
	NF == 0 { if (any) print comm calls, 1; any = 0; next }
	/\[unknown\]/ { next }
	/\((\[kernel\.kallsyms\]|\[[a-z0-9_]+\])\)$/ { sub(/\+0x[0-9a-f]+$/, "", $2); calls = ";" $2 "_[k]" calls }
	END { if (any) print comm calls, 1 }'
}

@test "the stacks of a recording of perf are those of perf script" {
	command -v perf >/dev/null || skip "needs perf"
	perf record -q -m 8M -g -e sched:sched_switch -o "$tmp/perf.data" -- \
		sh -c 'ls -R /etc | sort | wc -l' >/dev/null 2>&1 || skip "perf may not record here"
	perf script -F comm,ip,sym,dso -i "$tmp/perf.data" 2>/dev/null | of_perf | of_kernel >"$tmp/wanted"
	at_least 1 "$(wc -l <"$tmp/wanted")" stacks
	has_line '__schedule' "$tmp/wanted"
	dktrace profile --style folded --mark-kernel "$tmp/perf.data" | of_kernel | diff "$tmp/wanted" -
}

@test "the stacks of a recording of one's own are those of the style folded" {
	dktrace record -e sched:sched_switch --stack sched_switch -o "$tmp/trace.dat" -- sh -c 'ls -R /etc | sort | wc -l' \
		>/dev/null 2>&1
	# The style has the event before the program, and the functions that record the event.
	dktrace report --style folded "$tmp/trace.dat" | grep -v '^\[lost\]' | sed 's/^[^;]*;//' |
		sed -E 's/(;(trace_event_|__traceiter_)[^; ]*)+ / /' | sums >"$tmp/wanted"
	at_least 1 "$(wc -l <"$tmp/wanted")" stacks
	dktrace profile --style folded "$tmp/trace.dat" | sums | diff "$tmp/wanted" -
	has "$(dktrace profile "$tmp/trace.dat")" __schedule
}

@test "samples of a clock weigh as much as their periods" {
	command -v perf >/dev/null || skip "needs perf"
	perf record -q -F 999 -g -e cpu-clock -o "$tmp/clock.data" -- sh -c 'ls -lR /usr/include | sort | md5sum' >/dev/null 2>&1 ||
		skip "perf may not record here"
	perf script -F period -i "$tmp/clock.data" 2>/dev/null | awk '{ n += $1 } END { printf "%d %.0f\n", NR, n }' >"$tmp/wanted"
	dktrace profile --json "$tmp/clock.data" | jq -r '"\(.samples) \(.weight)"' | diff "$tmp/wanted" -
	same 'nanoseconds cpu_clock' "$(dktrace profile --json "$tmp/clock.data" | jq -r '"\(.unit) \(.events[0].name)"')" "unit"
	dktrace profile --style folded "$tmp/clock.data" | awk '{ n += $NF } END { printf "%.0f\n", n }' |
		diff <(cut -d' ' -f2 "$tmp/wanted") -
	# Each sample counts one.
	dktrace profile --style folded --count "$tmp/clock.data" | awk '{ n += $NF } END { print n }' |
		diff <(cut -d' ' -f1 "$tmp/wanted") -
}
