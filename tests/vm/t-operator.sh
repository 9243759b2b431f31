# SPDX-License-Identifier: LGPL-2.1-or-later
# The ways of dktrace-operator(7) to use dktrace without being root, as two users of the group 77 and a stranger.
# programs: setcap setpriv
# shellcheck shell=sh disable=SC2154

unset DKTRACE_CLASSES DKTRACE_INTERVALS
mkdir -p /usr/local/share
ln -s /usr/share/dktrace /usr/local/share/dktrace

# usage: as UID GROUP COMMAND...
as()
{
	uid=$1
	group=$2
	shift 2
	run /bin/setpriv --reuid="$uid" --regid="$uid" --groups="$group" timeout 600 "$@"
}

# ---- a program with capabilities for a group ----

mkdir -p -m 755 /opt/bin
cp /bin/dktrace /opt/bin/dktrace
chgrp 77 /opt/bin/dktrace
chmod 750 /opt/bin/dktrace
setcap cap_chown,cap_dac_override,cap_dac_read_search,cap_perfmon,cap_syslog=p /opt/bin/dktrace || exit
as 1000 77 /opt/bin/dktrace set_param debug=+vfstrace
status_is 0 "a member of the group sets the mask"
as 1001 77 /opt/bin/dktrace set_param debug=+ioctl
status_is 0 "so does another member"
stty </dev/ttyS0
as 1001 77 /opt/bin/dktrace dk
status_is 0 "the log belongs to both"
has_line sys_enter_ioctl "$out" "and has what all processes do"
as 1000 77 /opt/bin/dktrace record -e sched:sched_switch -o /tmp/work/o/own.dat -- true
status_is 1 "a file of its user needs a directory of its user"
mkdir -m 777 o
as 1000 77 /opt/bin/dktrace record -e sched:sched_switch -o /tmp/work/o/own.dat -- true
status_is 0 "a recording"
same 1000 "$(stat -c %u o/own.dat)" "belongs to its user"
echo 3 >/proc/sys/kernel/perf_event_paranoid
as 1000 77 /opt/bin/dktrace stat -e sched:sched_switch --duration 0.1
status_is 1 "the strictest setting of Debian's kernels refuses to count"
has_line 'perf_event_paranoid is 3.* asks for cap_sys_admin' "$err" "for a reason"
echo 2 >/proc/sys/kernel/perf_event_paranoid
as 1000 77 /opt/bin/dktrace stat -e sched:sched_switch --duration 0.1
status_is 0 "with the next one cap_perfmon is enough"
as 1002 1002 /opt/bin/dktrace status
same 126 "$rc" "no member, no program"
as 1001 77 /opt/bin/dktrace reset
status_is 0 "reset"
gone "$instance" "removes the log"

# ---- reading only, by the group of tracefs ----

mount -o remount,gid=77,mode=0750 $tracing || exit
as 1000 77 dktrace list events 'sched:*'
status_is 0 "the group of tracefs may list events"
as 1000 77 dktrace set_param debug=+vfstrace
status_is 1 "but not record them"
has_line 'no permission for /sys/kernel/tracing/instances' "$err" "for a reason"

# ---- an instance of their own ----

mkdir $tracing/instances/ops
echo mono >$tracing/instances/ops/trace_clock
chown -R 1000 $tracing/instances/ops
mkdir -p -m 711 /run/dktrace
mkdir -m 700 /run/dktrace/ops
chown 1000 /run/dktrace/ops
export DKTRACE_INSTANCE=ops
as 1000 77 dktrace set_param debug=vfstrace debug_filter='common_pid != 1' debug_mb=4
status_is 0 "the user of an instance sets the mask"
as 1000 77 dktrace status
same recording "$(sed -n 's/.*(\(recording\)).*/\1/p' "$out")" "status"
cat /etc/passwd >/dev/null
as 1000 77 dktrace show --comm cat
has_line 'sys_enter_openat' "$out" "show"
as 1000 77 dktrace mark hello
status_is 0 "mark"
as 1000 77 dktrace dk
status_is 0 "dk"
no_line 'no wall-clock time' "$err" "with times of the clock that root has set"
has_line 'sys_enter_openat' "$out" "takes the records"
has_line 'hello' "$out" "and the mark"
as 1000 77 dktrace clear
status_is 0 "clear"
as 1000 77 dktrace record -e sched:sched_switch -o o/own2.dat -- true
status_is 1 "an instance of its own for a recording is refused"
has_line 'no permission for /sys/kernel/tracing/instances ' "$err" "for a reason"
as 1001 1001 dktrace set_param debug=0
status_is 1 "a stranger is refused"
as 1000 77 dktrace set_param debug=0
status_is 0 "off"
as 1000 77 dktrace reset
status_is 1 "its removal is root's"
run dktrace reset
status_is 1 "root's command does not touch the log of another user"
has_line '/run/dktrace/ops: users other than root can write to it' "$err" "for a reason"
rm -r /run/dktrace
rmdir $tracing/instances/ops
mount -o remount,gid=0,mode=0700 $tracing
