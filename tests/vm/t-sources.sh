# SPDX-License-Identifier: LGPL-2.1-or-later
# modules: loop
# build-modules: libcfs lustre_debug
# kernel: 6.1
# status shows the sources of records, why others are not used, and which modules came and went.
# shellcheck shell=sh disable=SC2154

# says ERE DESCRIPTION: checks status, with its lines joined, and doctor too for changes in the kernel.
says()
{
	dktrace status | tr -s '\n ' ' ' >status.txt
	has_line "$1" status.txt "$2" || cat status.txt
}

silent()
{
	no_line attention status.txt "$1"
}

set_param debug=+info+rpctrace
says 'sources kernel: [0-9]+ events functions: not used: debug is without trace lustre_debug, cdebug, libcfs: not used: Lustre.s libcfs is not loaded' \
	"without Lustre"
silent "nothing to tell"

# Lustre comes: its masks are its own until the next command.
load_built libcfs
says "attention Lustre's own debug differs: ioctl neterror" "another mask of Lustre's is told"
says 'cdebug: not used: none before set_param' "the probe is not made by looking"
run dktrace doctor
has_line "Lustre's own debug differs" "$out" "doctor tells it too"
set_param debug=+rpctrace
says 'lustre_debug: not used: this Lustre has no trace event cdebug: a probe on Lustre.s messages libcfs: Lustre.s own buffer' \
	"with Lustre"
silent "nothing to tell"
# Not every bit has a name, so the number is read.
set_param subsystem_debug=osd subsystem_debug=-1
says 'subsystem_debug all ' "all bits of a mask are taken, as Lustre has them"
silent "nothing to tell"
emit catalogue
same_log "messages by the probe"

# --rate prints at most so many records of a class per second and reports the dropped ones.
echo clear >$lnet/debug_marker
lctl clear
set_param debug=+info
lctl clear
emit "flood 400"
dktrace show >flood 2>/dev/null
all=$(count 'emit_flood' flood)
at_least 400 "$all" "a flood of messages"
class=$(grep -m 1 'emit_flood' flood | cut -d : -f 2)
name=$(dktrace list classes | awk -v mask="$class" '$2 == mask { print $1 }')
run dktrace show --subsystem rpc --rate "$name=50"
shown=$(count emit_flood)
seconds=$(grep emit_flood flood | cut -d : -f 4 | cut -d . -f 1 | sort -u | wc -l)
at_least 50 "$shown" "$name: 50 in the first second"
at_least "$shown" $((50 * (seconds + 1))) "at most 50 in each of $seconds"
has_line "^dktrace: $((all - shown)) records dropped by --rate$" "$err" "the others are told"
run dktrace dk --subsystem rpc --rate "$name=50"
status_is 0 "dk, with the module's own buffer"
has_line 'dropped by --rate' "$err" "is limited too"

# It goes with the probe on it, and comes again: nothing is wedged.
for _ in 1 2 3; do
	rmmod libcfs || fail "libcfs can be unloaded" || exit
	says 'cdebug: a probe on Lustre.s messages, when libcfs is loaded again' "the probe waits for it"
	run dktrace dk
	status_is 0 "dk without it"
	insmod /vm/modules/libcfs.ko libcfs_debug=0x00100040
	says "attention Lustre's own debug differs: 0x00100040" "its mask is the one that it was loaded with"
	set_param debug=rpctrace+info
	emit catalogue
	same_log "messages after it came again"
done
emit "flood 2000" "cpus 200" >/dev/null 2>&1 &
rmmod libcfs 2>/dev/null
wait
rmmod libcfs 2>/dev/null
says 'libcfs: not used' "unloaded while it was emitting"
run dktrace reset
status_is 0 "reset ends well"
same "" "$(cat $tracing/kprobe_events)" "and leaves no probe"

# The probe is refused: status keeps the reason.
load_built libcfs
echo >$tracing/kprobe_events
mount --bind /proc/version $tracing/kprobe_events || fail "cannot make it refuse"
set_param debug=+rpctrace
says 'cdebug: not used: messages of Lustre are not recorded: ' "why there is no probe"
umount $tracing/kprobe_events
set_param debug=+rpctrace
says 'cdebug: a probe on' "with the next command there is"
run dktrace reset

# Lustre with a trace event.
load_built libcfs lustre_debug
set_param debug=+rpctrace
says 'lustre_debug: Lustre.s own trace event for its messages cdebug: not used: not needed: Lustre has a trace event' \
	"a trace event of Lustre's"
rmmod lustre_debug || fail "it can be unloaded"
says 'attention events of lustre_debug no longer exist: their module was unloaded' "which goes with its module"
set_param debug=+rpctrace
says 'cdebug: a probe on' "then the probe is made"
silent "nothing to tell"
run dktrace reset
