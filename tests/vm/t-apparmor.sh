# SPDX-License-Identifier: LGPL-2.1-or-later
# The daemons work below their AppArmor profile, which denies them nothing that they need, and other files.
# programs: apparmor_parser
# host-files: /etc/apparmor.d/abi /etc/apparmor.d/tunables /etc/apparmor.d/abstractions/base /etc/apparmor.d/abstractions/crypto
# kernel: 6.12
# shellcheck shell=sh disable=SC2154

# Runs the command below the profile, as AppArmorProfile= of a service does, and in the same process.
cat >/bin/below <<'END'
#!/bin/sh
echo "exec dktrace-daemon" >/proc/self/attr/exec && exec "$@"
END
chmod +x /bin/below

denied()
{
	dmesg | grep 'apparmor="DENIED"'
}

mount -t securityfs securityfs /sys/kernel/security
[ -d /sys/kernel/security/apparmor ] || skip "this kernel has no AppArmor, or it is off"
run apparmor_parser --skip-cache --replace /usr/share/dktrace/apparmor/dktrace-daemon
status_is 0 "the profile is loaded" || exit
mkdir -p -m 700 /var/log/dktrace
set_param debug=+vfstrace printk=+vfstrace
below lctl debug_daemon run /var/log/dktrace/debug.bin 20 0 &
daemon=$!
until_true test -s /var/log/dktrace/debug.bin
holds "the debug daemon writes its file" test -s /var/log/dktrace/debug.bin
same "dktrace-daemon (enforce)" "$(cat /proc/$daemon/attr/current)" "it runs below the profile"
kill -TERM $daemon
wait $daemon
same 0 $? "the debug daemon ends"
run below lctl debug_daemon run /tmp/work/other.bin 20 0
status_is 1 "a file elsewhere is refused"
has_line '/tmp/work.*Permission denied' "$err" "by the profile"
at_least 1 "$(denied | grep -c '/tmp/work')" "which the kernel tells"
dmesg -c >/dev/null
below dktrace daemon start --foreground -c vfstrace -e sched:sched_switch --dir /var/log/dktrace/segments >daemon.out 2>&1 &
daemon=$!
until_true sh -c 'dktrace daemon status >/dev/null 2>&1'
cat /etc/passwd >/dev/null
run dktrace daemon status
has_line 'records, 0 lost' "$out" "the daemon records"
run dktrace daemon stop
status_is 0 "and stops"
wait $daemon
same 0 $? "the daemon ends: $(tail -n 1 daemon.out)"
run sh -c 'dktrace report /var/log/dktrace/segments | grep -c sys_enter_openat'
at_least 1 "$(cat "$out")" "its segments are whole"
same "" "$(denied)" "nothing else was denied"
run dktrace reset
