# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: dies of an unset variable after a good check.
# shellcheck shell=sh

ok "so far"
# shellcheck disable=SC2154
echo "$no_such_variable"
