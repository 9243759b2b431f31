# SPDX-License-Identifier: LGPL-2.1-or-later
# reset restores everything, whatever was set, also after kill -9 at any point of a change.
# modules: null_blk
# shellcheck shell=sh disable=SC2154
# kernel: 6.1

# Settings of other programs must be the same afterwards.
echo 1 >"$tracing/events/sched/sched_process_exec/enable"
echo 'common_pid > 1' >"$tracing/events/sched/sched_process_exec/filter"
mkdir "$tracing/instances/other"
echo 1 >"$tracing/instances/other/events/syscalls/sys_enter_openat/enable"
before=$(knobs)

same_machine()
{
	same "$before" "$(knobs)" "$1" || { knobs >now; echo "$before" | diff - now; }
}

set_param debug=-1 subsystem_debug=-1 debug_mb=20 debug_filter='common_pid != 1' printk=-1
run dktrace reset
status_is 0 "reset after everything"
same_machine "all is as it was"
run dktrace reset
status_is 0 "reset of nothing"

# As long as the change itself takes, so that the points lie all over it.
how_long lctl set_param -n debug=-1 subsystem_debug=osd+echo+llite+libcfs debug_mb=8
dktrace reset

for i in $(seq 5); do
	kill_change 'dktrace reset' lctl set_param -n debug=-1 subsystem_debug=osd+echo+llite+libcfs debug_mb=8
	dktrace reset || fail "reset after kill $i"
	[ "$before" = "$(knobs)" ] || same_machine "all is as it was after kill $i" || break
done
same_machine "all is as it was"

# Killed on top of other settings: the next change takes it back to those, also a tracer.
set_param debug=vfstrace+ioctl subsystem_debug=osd+echo+llite+libcfs debug_mb=4 debug_filter='common_pid != 1'
state()
{
	(cd "$instance" && cat set_event current_tracer tracing_on buffer_size_kb && head -n 1 set_ftrace_filter &&
		grep -Hv '^none$' events/syscalls/*/filter events/kmem/*/filter)
}
state >good
for i in $(seq 4); do
	kill_change 'lctl set_param -n debug=vfstrace+ioctl debug_mb=4' lctl set_param -n debug=-1 debug_mb=8
	if ! lctl set_param -n printk=0 2>err; then
		fail "the next change after kill $i: $(cat err)"
		break
	fi
	# The change may have been complete when it was killed.
	[ "$(lctl get_param -n debug_mb)" = 8 ] && lctl set_param -n debug=vfstrace+ioctl debug_mb=4 2>/dev/null
	[ "$(lctl get_param -n debug)" = 'vfstrace ioctl' ] || lctl set_param -n debug=vfstrace+ioctl 2>/dev/null
	state >now
	cmp -s good now || { fail "as before after kill $i"; diff good now; break; }
done
same 4 "$i" "changes on top of others were killed and taken back"
run dktrace status
run dktrace reset
status_is 0 "reset ends well"
same_machine "all is as it was"
echo 0 >"$tracing/events/sched/sched_process_exec/enable"
