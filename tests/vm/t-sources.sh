# SPDX-License-Identifier: LGPL-2.1-or-later
# modules: loop
# build-modules: libcfs lustre_debug
# timeout: 120
# status tells where records come from, why not from elsewhere, and which modules came and went.
# shellcheck shell=sh disable=SC2154

# says ERE DESCRIPTION: status, with its lines joined, and doctor too if it is about what changed.
says()
{
	dktrace status | tr -s '\n ' ' ' >status.txt
	assert_grep "$1" status.txt "$2" || cat status.txt
}

silent()
{
	assert_no_grep attention status.txt "$1"
}

set_param debug=+info+rpctrace
says 'sources kernel: [0-9]+ events functions: not used: debug is without trace lustre_debug, cdebug, libcfs: not used: Lustre.s libcfs is not loaded' \
	"without Lustre"
silent "nothing to tell"

# Lustre comes: its masks are its own until the next command.
load_built libcfs
says "attention Lustre's own debug is another one: ioctl neterror" "another mask of Lustre's is told"
says 'cdebug: not used: none before set_param' "the probe is not made by looking"
run dktrace doctor
assert_grep "Lustre's own debug is another one" "$out" "doctor tells it too"
set_param debug=+rpctrace
says 'lustre_debug: not used: this Lustre has no trace event cdebug: a probe on Lustre.s messages libcfs: Lustre.s own buffer' \
	"with Lustre"
silent "nothing to tell"
emit catalogue
same "messages by the probe"

# It goes with the probe on it, and comes again: nothing is wedged.
for _ in 1 2 3; do
	rmmod libcfs || fail "libcfs can be unloaded" || exit
	says 'cdebug: a probe on Lustre.s messages, when libcfs is loaded again' "the probe waits for it"
	run dktrace dk
	assert_rc 0 "dk without it"
	insmod /vm/modules/libcfs.ko libcfs_debug=0x00100040
	says "attention Lustre's own debug is another one: 0x00100040" "its mask is the one that it was loaded with"
	set_param debug=rpctrace+info
	emit catalogue
	same "messages after it came again"
done
emit "flood 2000" "cpus 200" >/dev/null 2>&1 &
rmmod libcfs 2>/dev/null
wait
rmmod libcfs 2>/dev/null
says 'libcfs: not used' "unloaded while it was emitting"
run dktrace reset
assert_rc 0 "reset ends well"
assert_eq "" "$(cat $tracing/kprobe_events)" "and leaves no probe"

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
says 'attention events of lustre_debug have gone with their module' "which goes with its module"
set_param debug=+rpctrace
says 'cdebug: a probe on' "then the probe is made"
silent "nothing to tell"
run dktrace reset
