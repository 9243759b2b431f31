# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: takes the kernel down.
# shellcheck shell=sh

ok "so far"
echo c >/proc/sysrq-trigger
