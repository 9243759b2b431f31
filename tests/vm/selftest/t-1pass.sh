# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: passes, with a module loaded and a program of the host.
# shellcheck shell=sh
# modules: loop xfs
# programs: jq

assert_grep "^xfs " /proc/modules "the module is loaded"
run jq --version
assert_rc 0 "the program runs"
