/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words about where and when the records of a picture are from. */
#include "ctl/out/origin.h"

#include <sys/utsname.h>

#include "lib/base/buf.h"
#include "lib/base/when.h"

/* Formats a time of a record. False: its time of day is not known. */
static bool when(const struct dkt_source_info *info, uint64_t time, char text[DKT__WHEN_SIZE])
{
	const int64_t wall = dkt__wall_time(time, info->wall);

	return info->has_wall && wall >= 0 && dkt__format_when(wall / DKT__NSEC_PER_SEC, text);
}

char *origin_text(const struct dkt_source_info *info, uint64_t first, uint64_t last)
{
	char from[DKT__WHEN_SIZE], to[DKT__WHEN_SIZE];
	const bool known = when(info, first, from) && when(info, last, to);

	if (!known)
		return info->host ? strdup(info->host) : NULL;
	return dkt__format("%s%s%s%s%s", info->host ?: "", info->host ? ", " : "", from,
			   strcmp(from, to) != 0 ? " to " : "", strcmp(from, to) != 0 ? to : "");
}

char *origin_here(uint64_t since)
{
	struct utsname names;
	const DKT_OPTS(dkt_source_info, info, .host = uname(&names) ? NULL : names.nodename,
		       .has_wall = true);

	return origin_text(&info, since, (uint64_t)dkt__wall_ns());
}

char *origin_clock(const struct dkt_source_info *info, uint64_t time)
{
	char text[DKT__WHEN_SIZE];
	const char *space = when(info, time, text) ? strrchr(text, ' ') : NULL;
	const int64_t ms = dkt__wall_time(time, info->wall) / 1000000 % 1000;

	return space ? dkt__format("%s.%03d", space + 1, (int)ms) : NULL;
}
