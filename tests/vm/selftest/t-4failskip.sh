# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: a skip does not hide a failed check.
# shellcheck shell=sh

fail "this failed"
skip "no more of it"
