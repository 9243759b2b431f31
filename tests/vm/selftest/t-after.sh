# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: never gets its turn after the crash.
# shellcheck shell=sh

ok "not to be reached"
