/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remembers the IDs of events from capture to capture. Asking the kernel opens a file for each
 * event, and the log that is read may record these opens.
 */
#include <fcntl.h>

#include "lib/base/gained.h"
#include "lib/base/parse.h"
#include "lib/event.h"
#include "lib/instance/ids.h"

#define IDS_FILE "ids"

void dkt__ids_load(struct dkt_ctx *ctx, int dirfd)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	int fd = openat(dirfd, IDS_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *f __cleanup(fclose) = fd < 0 ? NULL : fdopen(fd, "r");
	char *line __cleanup(free) = NULL;
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		const char *name = line;
		struct dkt_event *event;
		uint64_t id;
		char *colon;

		line[strcspn(line, "\n")] = '\0';
		colon = strchr(line, ':');
		if (dkt__take_u64(&name, NULL, DKT__DEC, &id) || *name++ != ' ' || !colon || !id ||
		    id >= MAX_ID)
			return;
		*colon = '\0';
		event = dkt_event_find(ctx, name, colon + 1);
		if (event)
			dkt__event_guess(event, (int)id);
	}
}

void dkt__ids_save(struct dkt_ctx *ctx, int dirfd)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	int fd = openat(dirfd, IDS_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
			0600);
	FILE *f __cleanup(fclose) = fd < 0 ? NULL : fdopen(fd, "w");

	for (int id = 1; f && id < MAX_ID; id++) {
		struct dkt_event *event = dkt__event_known(ctx, id);

		if (event)
			fprintf(f, "%d %s:%s\n", id, event->system, event->name);
	}
}
