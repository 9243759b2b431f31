/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks and clears Lustre's buffer by ioctl, as Lustre did before it had parameters for that. */
#pragma once

/* Both print lctl's error messages, and return 0 or -errno. */
int dkl_lnet_ioctl_clear(void);
int dkl_lnet_ioctl_mark(const char *text);
