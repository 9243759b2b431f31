# SPDX-License-Identifier: LGPL-2.1-or-later
# modules: nfsd
# The ready-made counts of hist: the kernel counts each of them, and known workloads give known counts.
# shellcheck shell=sh disable=SC2154

need dktrace

# The sum of the counts. usage: hits
hits()
{
	sed 1d "$out" | awk -F , '{ n += $NF } END { print n + 0 }'
}

run dktrace list counts --csv
no_line '^[a-km-z].*does not have the events' "$out" "this kernel and these modules have the events of all but Lustre's"
sed -n '/^lustre/d; s/^\([a-z-]*\),.*/\1/p' "$out" | grep -v '^name$' >names
at_least 15 "$(wc -l <names)" "ready-made counts"
while read -r name; do
	run dktrace hist "$name" --csv -- true
	status_is 0 "$name: its events have the fields"
	if [ -e "$tracing/events/sched/sched_switch/hist" ]; then
		no_line 'in user space' "$err" "$name: the kernel counts"
	else
		has_line 'in user space' "$err" "$name: counted in user space"
	fi
done <names

run dktrace hist fsyncs --csv -- sh -c 'for i in 1 2 3; do dd if=/dev/zero of=img bs=4k count=1 conv=fsync 2>/dev/null; done; sync'
same 4 "$(hits)" "three fsyncs and a sync"
run dktrace hist failed-calls --csv -f 'ret == -40' -- sh -c 'ln -s loop loop; cat loop'
at_least 1 "$(hits)" "a path in a circle"
run dktrace hist signals --csv -f 'sig == 10' -- sh -c 'trap : USR1; kill -USR1 $$'
same 1 "$(hits)" "one signal"
