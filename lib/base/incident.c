/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incidents: how often they may happen, and the identity of each. */
#include "lib/base/incident.h"

#include <inttypes.h>
#include <sys/random.h>

#include "lib/base/util.h"
#include "lib/base/when.h"

#define HOUR (3600 * (uint64_t)DKT__NSEC_PER_SEC)

int dkt__hourly_init(struct hourly *hourly, size_t most)
{
	*hourly = (struct hourly){ .most = most, .times = calloc(most + 1, sizeof(uint64_t)) };
	return hourly->times ? 0 : -ENOMEM;
}

bool dkt__hourly_allows(struct hourly *hourly, uint64_t now)
{
	size_t old = 0;

	while (old < hourly->n && now - hourly->times[old] >= HOUR)
		old++;
	hourly->n -= old;
	memmove(hourly->times, hourly->times + old, hourly->n * sizeof(*hourly->times));
	return hourly->n < hourly->most;
}

void dkt__hourly_count(struct hourly *hourly, uint64_t now)
{
	hourly->times[hourly->n++] = now;
}

void dkt__hourly_clear(struct hourly *hourly)
{
	free(hourly->times);
	*hourly = (struct hourly){ 0 };
}

/* ---- identities ---- */

#define DIGITS "0123456789abcdef"

int dkt__identity_new(char id[IDENTITY_SIZE])
{
	uint64_t bits;

	if (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
		return -errno;
	snprintf(id, IDENTITY_SIZE, "%016" PRIx64, bits);
	return 0;
}

bool dkt__identity_is(const char *text)
{
	return strlen(text) == IDENTITY_SIZE - 1 && strspn(text, DIGITS) == IDENTITY_SIZE - 1;
}

char *dkt__identity_cut(char *line)
{
	char *tab = strrchr(line, '\t');

	if (!tab || !dkt__identity_is(tab + 1))
		return NULL;
	*tab = '\0';
	return tab + 1;
}

bool dkt__identity_in(const char *list, const char *id)
{
	for (; *list; list += strspn(list, " ")) {
		const size_t len = strcspn(list, " ");

		if (len == strlen(id) && !memcmp(list, id, len))
			return true;
		list += len;
	}
	return false;
}
