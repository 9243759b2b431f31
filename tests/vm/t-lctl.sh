# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# lctl's debug commands on a kernel that has Lustre's files and a real buffer behind them.
# shellcheck shell=sh disable=SC2154,SC2086,SC2015
# kernel: 6.12

need lctl dktrace
load_built libcfs
cd /tmp || exit

set_param debug_sources=lustre+kernel
run lctl set_param debug=+net+info+vfstrace subsystem_debug=all
status_is 0 "set_param writes through"
has_line '^debug=.*net.*vfstrace' "$out" "and says what it set"
grep -q vfstrace $lnet/debug && ok "Lustre's own mask has it" || fail "Lustre's own mask: $(cat $lnet/debug)"

# Events that debug names are kept by the log, and never go to Lustre.
mask=$(cat $lnet/debug)
run lctl set_param 'debug=+sched:sched_switch[prev_pid > 0]'
status_is 0 "set_param names an event"
same "$mask" "$(cat $lnet/debug)" "Lustre's own mask is as before"
same "$mask sched:sched_switch[prev_pid > 0]" "$(lctl get_param -n debug)" "get_param prints it after the mask"
same "prev_pid > 0" "$(cat "$instance/events/sched/sched_switch/filter")" "the event has the filter"
run lctl set_param debug=+rpctrace,-sched:sched_switch
status_is 0 "a class and an event in one value"
has_line 'rpctrace' $lnet/debug "the class goes to Lustre"
no_line 'sched' $lnet/debug "the event does not"
same "$(cat $lnet/debug)" "$(lctl get_param -n debug)" "without a name get_param is Lustre's"
run lctl set_param 'subsystem_debug=+sched:*'
status_is 22 "subsystem_debug refuses an event"
has_line 'only debug can' "$err" "and says why"
echo "$mask" >$lnet/debug

# A marker is in both buffers, and in the text once or twice, by its own location.
run lctl mark both of them
status_is 0 "mark"
emit catalogue
dd if=/dev/zero of=/tmp/x bs=512 count=4 2>/dev/null
run lctl dk /tmp/log
status_is 0 "dk FILE"
has_line '^Debug log: [0-9]+ lines, [0-9]+ kept, 0 dropped, 0 bad\.$' "$out" "its summary"
has_line 'DEBUG MARKER: both of them' /tmp/log "the marker"
has_line '\(emit.c:[0-9]+:' /tmp/log "Lustre's messages"
has_line 'sys_enter_write' /tmp/log "and the kernel's events"
cut -d: -f4 /tmp/log | grep -E '^[0-9]+\.[0-9]{6}$' >/tmp/times
sort -n -s /tmp/times >/tmp/sorted
cmp -s /tmp/times /tmp/sorted && ok "in one order of time" || fail "not in order of time"
same "$(stat -c %a /tmp/log)" 600 "the file is private"

# A FILE that cannot be made is found before the buffer is emptied.
emit catalogue
run lctl dk /nowhere/log
status_is 1 "dk into a missing directory"
run lctl dk
has_line '\(emit.c:[0-9]+:' "$out" "nothing was taken by it"
ls /tmp/lustre-log* /tmp/dktrace* 2>/dev/null && fail "a raw dump is left" || ok "no raw dump is left"

# df reads a raw dump.
emit catalogue
run lctl dk /tmp/raw 1
status_is 0 "dk FILE 1"
run lctl df /tmp/raw /tmp/text
has_line 'kept, 0 dropped, 0 bad' "$out" "df reads the raw dump"
has_line '\(emit.c:[0-9]+:' /tmp/text "and has its messages"

emit catalogue
run lctl clear
status_is 0 "clear"
run lctl dk
no_line '\(emit.c:[0-9]+:' "$out" "clear empties Lustre's buffer as well"

# The daemon: Lustre's own gets the command, and ours writes too.
run lctl debug_daemon start /tmp/daemon 20
status_is 0 "debug_daemon start"
same "$(cat $lnet/daemon_file)" /tmp/daemon "Lustre's own has the file"
dd if=/dev/zero of=/tmp/x bs=512 count=50 2>/dev/null
run lctl debug_daemon status
status_is 0 "debug_daemon status"
run lctl debug_daemon stop
status_is 0 "debug_daemon stop"
run lctl df /tmp/daemon.dktrace /tmp/text
has_line 'kept, 0 dropped, 0 bad' "$out" "df reads what ours wrote"
has_line 'sys_enter_write' /tmp/text "the work is in it"

run dktrace reset
status_is 0 "reset"
