/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of system calls: the calls that are not public. */
#pragma once

/* More than the number of any system call but those of MIPS, which have no names here. */
#define DKT__SYSCALLS 1024
