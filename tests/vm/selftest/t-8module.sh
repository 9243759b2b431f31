# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: asks for a module that the kernel does not have.
# shellcheck shell=sh
# modules: ext4 nonesuch

ok "not to be reached"
