# SPDX-License-Identifier: LGPL-2.1-or-later
# build-modules: libcfs
# apply at boot, before and after Lustre is loaded; with Lustre, its masks count.
# shellcheck shell=sh disable=SC2154
# kernel: 6.12

conf=/etc/dktrace/dktrace.conf
floor='neterror warning error emerg ha'

load()
{
	insmod /vm/modules/libcfs.ko "$@" || fail "libcfs can be loaded" || exit
}

# logs ERE DESCRIPTION: checks the classes that status prints.
logs()
{
	dktrace status >status.txt
	has_line "$1" status.txt "$2" || cat status.txt
}

mkdir -p /etc/dktrace

# At boot, before Lustre is loaded.
printf '# of this site\ndebug = +rpctrace+dlmtrace\ndebug_mb = 8\n' >$conf
run dktrace apply
status_is 0 "apply before Lustre is loaded"
has_line '^debug=\+rpctrace\+dlmtrace$' "$out" "what was set is printed"
logs "^debug .* dlmtrace .* rpctrace" "the log has it"
same "" "$(cat $tracing/kprobe_events)" "there is nothing to probe"

# Lustre comes with a mask of its own; udev, systemd or modprobe.d run apply again.
load libcfs_debug=0x130e0580
same "ioctl $floor config console lfsck" "$(sed 's/  */ /g' $lnet/debug)" "Lustre has its own mask"
run dktrace apply
status_is 0 "apply when Lustre is loaded"
has_line 'dlmtrace .* rpctrace' $lnet/debug "Lustre has the mask of the file"
has_line '^p:dktrace/cdebug ' $tracing/kprobe_events "its messages are probed"
lctl clear
emit catalogue
same_log "messages of what the file says"

# A part that fails: Lustre's masks are put back too.
before=$(cat $lnet/debug $lnet/subsystem_debug)
printf 'debug = all\nsubsystem_debug = osd\ndebug_filter = cmd ==\n' >wrong.conf
run dktrace apply wrong.conf
status_is 22 "a wrong part"
has_line 'wrong.conf:3:16: ' "$err" "is named with its place"
same "$before" "$(cat $lnet/debug $lnet/subsystem_debug)" "Lustre's masks are as they were"
printf 'debug = all\nsubsystem_debug = osdd\n' >wrong.conf
run dktrace apply wrong.conf
status_is 22 "a mask that Lustre refuses"
has_line 'wrong.conf:2:19: unknown mask .osdd.; did you mean osd\?' "$err" "is named with its place"
same "$before" "$(cat $lnet/debug $lnet/subsystem_debug)" "Lustre's masks are as they were"
logs "^debug .* dlmtrace .* rpctrace" "so is the log's"
logs "^subsystem_debug +all" "and its other mask"
run dktrace save saved.conf
has_line '^debug = .* dlmtrace .* rpctrace' saved.conf "it can be saved"

# No mask is set: Lustre's own masks count, from its parameters.
run dktrace reset
rmmod libcfs || fail "libcfs can be unloaded" || exit
load libcfs_debug=0x00100040 libcfs_subsystem_debug=0x104
logs '^debug +info rpctrace$' "a module parameter, by nobody else"
logs '^subsystem_debug +mds rpc$' "another one"
set_param debug_mb=4
logs '^debug +info rpctrace$' "setting something else begins with it"
has_line '^debug 0x00100040$' /run/dktrace/dktrace/settings "as what the log has"
same "info rpctrace" "$(cat $lnet/debug)" "Lustre's own is not touched"
emit catalogue
same_log "messages of what the parameters say"

# One mask is set and the other is not: each counts by itself.
run dktrace reset
printf 'subsystem_debug = ldlm\n' >$conf
run dktrace apply
status_is 0 "a file with one mask"
logs '^debug +info rpctrace$' "the other one is the module parameter's"
same ldlm "$(cat $lnet/subsystem_debug)" "the one is Lustre's too"

# Set for the log before: Lustre comes with another one, which counts from the next change on.
run dktrace reset
rmmod libcfs || fail "libcfs can be unloaded" || exit
set_param debug=+vfstrace
load libcfs_debug=0x40
logs "^debug .* vfstrace" "what was set stays until then"
set_param debug_mb=4
has_line "Lustre's debug was changed, and the log takes it over: '0x00000040'" "$err" "it says so"
logs "^debug +info$" "the log has Lustre's"
same info "$(cat $lnet/debug)" "and Lustre its own"
set_param debug=+rpctrace
same "info rpctrace" "$(cat $lnet/debug)" "a sign is about what Lustre has"
logs '^debug +info rpctrace$' "and the log follows"
run dktrace reset
