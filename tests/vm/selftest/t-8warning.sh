# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: every check is good, but the kernel warns.
# shellcheck shell=sh

echo "WARNING: CPU: 0 PID: 1 at nowhere.c:1" >/dev/kmsg
ok "all is well"
