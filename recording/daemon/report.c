/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports how the recording goes: to the log, to the service manager, and to status by the state. */
#include <stdlib.h>
#include <string.h>

#include "compat/io/notify.h"
#include "lib/base/buf.h"
#include "lib/inside.h"
#include "recording/daemon/running.h"

void archive_note_failure(struct archive *archive)
{
	const char *words = dkt_error(archive->ctx);
	bool same = archive->state.error && !strcmp(archive->state.error, words);
	char *lines __cleanup(free) = NULL;

	if (!same) {
		archive_state_text(&archive->state.error, words);
		dkt__log(archive->ctx, DKT_LOG_WARN, "%s", archive->state.error ?: words);
		lines = dkt__format("STATUS=%s", archive->state.error ?: words);
	}
	archive->failed_at = service_now();
	if (lines)
		dkl_notify(lines);
}

void archive_forget_failure(struct archive *archive)
{
	archive_state_text(&archive->state.error, NULL);
	dkt__log(archive->ctx, DKT_LOG_WARN, "writing goes on");
	dkl_notify("STATUS=recording");
}

void archive_save(struct archive *archive)
{
	if (archive_state_save(archive->ctx, archive->log, &archive->state))
		dkt__log(archive->ctx, DKT_LOG_WARN, "%s", dkt_error(archive->ctx));
}

void archive_update_state(struct archive *archive)
{
	struct archive_state *state = &archive->state;
	const struct segment *segment = &archive->writer.segment;
	bool same = segment->records >= state->records && segment->bytes >= state->bytes;

	state->records_rate = segment->records - (same ? state->records : 0);
	state->bytes_rate = segment->bytes - (same ? state->bytes : 0);
	state->records = segment->records;
	state->bytes = segment->bytes;
	state->lost = segment->lost;
	state->waiting = archive->worker.waiting;
	archive_save(archive);
}
