/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ways to mark and clear Lustre's buffer before there was a parameter for it. */
#pragma once

/* They tell what goes wrong, by lctl's words; 0 or -errno. */
int lnet_ioctl_clear(void);
int lnet_ioctl_mark(const char *text);
