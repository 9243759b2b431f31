# SPDX-License-Identifier: LGPL-2.1-or-later
# For the harness' own test: one check of two fails.
# shellcheck shell=sh

same 1 1 "one is one"
same 1 2 "one is two"
