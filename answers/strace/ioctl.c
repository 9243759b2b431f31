/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names of the ioctls that many programs use. */
#include <linux/fs.h>
#include <linux/sockios.h>
#include <linux/tty.h>
#include <sys/ioctl.h>

#include "answers/strace/word_lists.h"
#include "lib/base/util.h"

#define W(name)                                                                                    \
	{                                                                                          \
		(uint32_t)(name), #name                                                            \
	}

const char *call_ioctl_name(uint32_t number)
{
	/* clang-format off */
	static const struct call_word list[] = {
		W(TCGETS), W(TCSETS), W(TCSETSW), W(TCSETSF), W(TCSBRK), W(TCXONC), W(TCFLSH), W(TIOCEXCL), W(TIOCSCTTY),
		W(TIOCGPGRP), W(TIOCSPGRP), W(TIOCOUTQ), W(TIOCSTI), W(TIOCGWINSZ), W(TIOCSWINSZ), W(FIONREAD),
		W(TIOCNOTTY), W(TIOCGSID), W(TIOCGPTN), W(TIOCSPTLCK), W(FIONBIO), W(FIOCLEX), W(FIONCLEX), W(FIOASYNC),
		W(FIGETBSZ), W(FIBMAP), W(FIFREEZE), W(FITHAW), W(FITRIM), W(FICLONE), W(FICLONERANGE), W(FIDEDUPERANGE),
		W(FS_IOC_GETFLAGS), W(FS_IOC_SETFLAGS), W(FS_IOC_GETVERSION), { 0xc020660b, "FS_IOC_FIEMAP" }, W(FS_IOC_FSGETXATTR),
		W(FS_IOC_FSSETXATTR), W(BLKROSET), W(BLKROGET), W(BLKRRPART), W(BLKGETSIZE), W(BLKFLSBUF), W(BLKSSZGET),
		W(BLKBSZGET), W(BLKGETSIZE64), W(BLKDISCARD), W(BLKPBSZGET), W(BLKZEROOUT), W(SIOCGIFNAME), W(SIOCGIFCONF),
		W(SIOCGIFFLAGS), W(SIOCSIFFLAGS), W(SIOCGIFADDR), W(SIOCGIFMTU), W(SIOCGIFHWADDR), W(SIOCGIFINDEX),
		W(SIOCETHTOOL), { 0x8906, "SIOCGSTAMP_OLD" }, W(SIOCATMARK),
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		if (list[i].value == number)
			return list[i].name;
	return NULL;
}
