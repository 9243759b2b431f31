# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: passes, with a module loaded and a program of the host.
# shellcheck shell=sh
# modules: loop xfs
# programs: jq

has_line "^xfs " /proc/modules "the module is loaded"
run jq --version
status_is 0 "the program runs"
