# SPDX-License-Identifier: LGPL-2.1-or-later
# The kernel has what dktrace relies on: probes, histograms, synthetic events, function_graph, instances.
# modules: ext4
# shellcheck shell=sh disable=SC2154,SC2016

for file in kprobe_events uprobe_events set_event_pid; do
	exists "$tracing/$file"
done
# dktrace does without these on older kernels.
for file in dynamic_events error_log buffer_percent; do
	[ -e "$tracing/$file" ] || echo "this kernel has no $file"
done
# Debian's 5.10 is built without both.
if [ -e "$tracing/synthetic_events" ]; then
	has_line '^[[:space:]]*(hist:|.*hist trigger)' "$tracing/README" "README tells of histograms"
fi
has_line '(^| )function_graph( |$)' "$tracing/available_tracers" "function_graph is there"
has_line '(^| |\[)mono(\]| |$)' "$tracing/trace_clock" "the mono clock is there"
for event in syscalls/sys_enter_write sched/sched_switch block/block_rq_issue ext4/ext4_sync_file_enter; do
	exists "$tracing/events/$event/format"
done

instance=$tracing/instances/vm-$$
mkdir "$instance" || fail "an instance can be made"
for file in buffer_size_kb trace_clock per_cpu/cpu1/trace_pipe_raw per_cpu/cpu1/stats; do
	exists "$instance/$file" "an instance has $file"
done
echo 'count == 512' >"$instance/events/syscalls/sys_enter_write/filter"
echo 1 >"$instance/events/syscalls/sys_enter_write/enable"
dd if=/dev/zero of=file bs=512 count=20 2>/dev/null
echo 0 >"$instance/events/syscalls/sys_enter_write/enable"
same 20 "$(grep -Ec 'sys_write\(.*count: (0x)?200\)' "$instance/trace")" "20 writes of 512 bytes were recorded"
rmdir "$instance"
gone "$instance" "the instance is gone"

name='+0($arg2):ustring'
# RHEL 8's kernel knows neither, and reads strings of programs and its own alike.
grep -q 'ustring' "$tracing/README" || name='+0(%si):string'
echo "p:vm_open do_sys_openat2 name=$name" >"$tracing/kprobe_events"
exists "$tracing/events/kprobes/vm_open" "a kprobe with an argument can be made"
echo 1 >"$tracing/events/kprobes/vm_open/enable"
cat /etc/passwd >/dev/null
echo 0 >"$tracing/events/kprobes/vm_open/enable"
has_line 'vm_open:.*name="/etc/passwd"' "$tracing/trace" "the kprobe fires and reads its string"
echo >"$tracing/kprobe_events"
gone "$tracing/events/kprobes/vm_open" "the kprobe is gone"
[ -e "$tracing/synthetic_events" ] || skip "no synthetic events and histograms; it has the rest"
