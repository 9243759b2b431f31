# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: hangs, in a child as well.
# shellcheck shell=sh
# timeout: 3

ok "so far"
sleep 1000 &
wait
