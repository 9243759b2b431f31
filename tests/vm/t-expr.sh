# SPDX-License-Identifier: LGPL-2.1-or-later
# Filter expressions mean the same in user space and in the kernel; 6.1 does not know CPUS{}.
# programs: test_expr_kernel
# shellcheck shell=sh

ip link set lo up
test_expr_kernel >out 2>&1
rc=$?
cat out
same 0 "$rc" "expressions agree with the kernel"
