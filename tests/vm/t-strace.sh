# SPDX-License-Identifier: LGPL-2.1-or-later
# kernel: 6.1
# strace reads paths by event probes, names descriptors by them, and leaves no probe behind.
# shellcheck shell=sh disable=SC2154,SC2086

need dktrace

echo text >/tmp/read-me
run dktrace strace -e openat,read,write -- wc -c /tmp/read-me /tmp/none
status_is 1 "the command's status"
# Paths are read by probes on events, which RHEL 8's kernel does not have.
grep -q ' e\[:' $tracing/README || {
	has_line 'openat\(AT_FDCWD, 0x[0-9a-f]*, O_RDONLY.*\) = 3$' "$out" "a path is an address"
	run dktrace strace -e openat -p 1 --duration 0.1
	has_line "tracing with paths as addresses for 0.1 s" "$err" "and told so"
	skip "no probes on events in this kernel; it has the rest"
}
has_line 'openat\(AT_FDCWD, "/tmp/read-me", O_RDONLY.*\) = 3</tmp/read-me>$' "$out" "a path"
has_line 'openat\(AT_FDCWD, "/tmp/none", O_RDONLY.*\) = -1 ENOENT ' "$out" "a path that does not exist"
has_line ' wc/[0-9]* read\(3</tmp/read-me>, [0-9]*\) = 5$' "$out" "the file behind a descriptor"
no_line 'lost|incomplete' "$err" "no losses"
run dktrace strace -e openat -p 1 --duration 0.1
from='read by event probes'
! grep -q __filename_val $tracing/events/syscalls/sys_enter_openat/format || from='recorded by the kernel'
has_line "tracing with paths $from for 0.1 s" "$err" "where paths come from"
same "" "$(made_events)" "no probe is left"
