/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes trigger files: a line makes a command that reads back as the same trigger. */
#include "lib/instance/trigger.h"
#include "lib/inside.h"
#include "tests/fuzz/replay.h"

static void check_one(struct dkt_ctx *ctx, const struct dkt_trigger *trigger)
{
	struct dkt_trigger *again;
	int err = dkt__trigger_parse(ctx, trigger->text, &again);

	/* A file may hold more than the kernel takes in one command, and characters that end a line. */
	if (err == -E2BIG || strpbrk(trigger->text, "\r\n"))
		return;
	if (err || !dkt__trigger_same(trigger, again) || trigger->left != again->left ||
	    strcmp(trigger->text, again->text) != 0 || !trigger->filter != !again->filter ||
	    dkt__trigger_excludes(trigger, again))
		abort();
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct dkt_trigger **triggers = NULL;
	struct dkt_ctx *ctx = NULL;
	size_t n = 0, i;

	if (text && !dkt_ctx_new(NULL, &ctx) && !dkt__triggers_parse(text, &triggers, &n)) {
		for (i = 0; i < n; i++)
			check_one(ctx, triggers[i]);
		dkt__trigger_offered(text, "snapshot");
	}
	free(triggers);
	dkt_ctx_free(ctx);
	free(text);
	return 0;
}
