# SPDX-License-Identifier: LGPL-2.1-or-later
# A tree saved from this kernel prints all its records, also of events whose formats are missing.
# shellcheck shell=sh disable=SC2154
# kernel: 6.12

set_param debug=vfstrace+ioctl+trace+iotrace
lctl clear
dd if=/dev/zero of=file bs=512 count=20 2>/dev/null &
pid=$!
wait "$pid"
lctl mark saved here
echo 0 >"$instance/tracing_on"
all=$(stat_sum entries)

# The kernel's cp: formats have no size, so they are read by cat.
mkdir tree
for file in available_events printk_formats saved_cmdlines events/header_page; do
	mkdir -p "tree/$(dirname "$file")"
	cat "$tracing/$file" >"tree/$file"
done
cat /proc/kallsyms >tree/kallsyms
cat "$instance/trace_clock" >tree/trace_clock
echo 1700000000000000000 >tree/wall_offset
sed 's/:/\//' "$instance/set_event" | sort >on
(cat on; cd "$tracing/events" && printf '%s\n' ftrace/*/) | while read -r event; do
	mkdir -p "tree/events/$event"
	cat "$tracing/events/$event/format" >"tree/events/$event/format" 2>/dev/null || rmdir "tree/events/$event"
done
sed 's/\//:/' on >tree/available_events
# True if the process has read all records of a CPU and has ended, or on older kernels waits for more.
# usage: has_all PID CPU
has_all()
{
	grep -q '^entries: 0$' "$instance/per_cpu/cpu$2/stats" &&
		{ [ ! -e "/proc/$1" ] || grep -q ring_buffer_wait "/proc/$1/stack"; }
}

for cpu in 0 1; do
	mkdir -p tree/per_cpu/cpu$cpu
	cat "$instance/per_cpu/cpu$cpu/stats" >tree/per_cpu/cpu$cpu/stats
	dd if="$instance/per_cpu/cpu$cpu/trace_pipe_raw" of=tree/per_cpu/cpu$cpu/trace_pipe_raw bs=4096 2>/dev/null &
	until_true has_all $! $cpu
	kill $! 2>/dev/null
	wait $!
done
run dktrace reset

run sh -c 'dktrace dk --input tree >legacy.txt'
status_is 0 "dk --input ends well"
same "Debug log: $all lines, $all kept, 0 dropped, 0 bad." "$(tail -n 1 legacy.txt)" "every record is there"
same "$all" "$(count "$legacy" legacy.txt)" "as a legacy line"
same 20 "$(count "^[^ ]*:0:$pid:0:\\(.*sys_enter_write.*count: 0x0*200$" legacy.txt)" "dd's 20 writes"
has_line 'DEBUG MARKER: saved here' legacy.txt "the mark"
has_line ':170000[0-9]*\.' legacy.txt "times by wall_offset"
same 0 "$(count 'unknown:' legacy.txt)" "no event is unknown"
run sh -c 'dktrace dk --input tree --style trace >trace2.txt'
has_line "dd-$pid " trace2.txt "names of processes are kept"
same "$all" "$(grep -c '\[00[01]\]' trace2.txt)" "every record as a trace line"
tail -n 4 trace2.txt

# Without the formats the records print all the same.
rm -r tree/events/syscalls
grep -v ^syscalls tree/available_events >a && mv a tree/available_events
run sh -c 'dktrace dk --input tree >legacy2.txt'
same "Debug log: $all lines, $all kept, 0 dropped, 0 bad." "$(tail -n 1 legacy2.txt)" "all but their names"
has_line '\(unknown:0:id_[0-9]*\(\)\)' legacy2.txt "which are unknown"
gone /run/dktrace "nothing is kept of it"
