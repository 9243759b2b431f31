/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes over masks that another program set in Lustre after the log was set: Lustre's lctl, a write
 * to Lustre's files, a module that was loaded or removed. Lustre's masks win, and the log's filters
 * are built from them again.
 */
#include "compat/apply/apply.h"
#include "compat/apply/applying.h"

#include "compat/log/directory.h"
#include "compat/lustre/lustre_masks.h"
#include "lib/base/util.h"
#include "lib/inside.h"

static const char *const names[] = {
	[MASK_DEBUG] = "debug",
	[MASK_SUBSYSTEM] = "subsystem_debug",
	[MASK_PRINTK] = "printk",
};

/* Gets Lustre's mask, or the default of debug_sources. -ENOENT: the user chose the sources. */
static int wanted(enum mask_kind kind, const struct settings *s, uint32_t *value)
{
	if (kind != MASK_SOURCES)
		return dkl_lustre_mask_read(kind, value);
	if (s->chosen & 1u << MASK_SOURCES)
		return -ENOENT;
	*value = dkl_lustre_sources(dkl_lustre_is_loaded());
	return 0;
}

uint32_t dkl_follow_differ(struct settings *s)
{
	uint32_t value, differ = 0;

	for (enum mask_kind kind = MASK_DEBUG; kind <= MASK_SOURCES; kind++)
		if (!wanted(kind, s, &value) && value != *dkl_settings_mask(s, kind))
			differ |= 1u << kind;
	return differ;
}

uint32_t dkl_follow_masks(struct settings *s)
{
	uint32_t value, differ = dkl_follow_differ(s);

	for (enum mask_kind kind = MASK_DEBUG; kind <= MASK_SOURCES; kind++)
		if (differ & 1u << kind && !wanted(kind, s, &value))
			*dkl_settings_mask(s, kind) = value;
	return differ;
}

void dkl_follow_report(struct debuglog *log, struct settings *done)
{
	char text[MASK_TEXT_SIZE];

	for (enum mask_kind kind = MASK_DEBUG; kind <= MASK_SOURCES; kind++) {
		/* Skip a mask that the command itself has set. */
		if (!(log->followed & 1u << kind) ||
		    *dkl_settings_mask(done, kind) != *dkl_settings_mask(&log->set, kind))
			continue;
		dkl_mask_spell(kind, *dkl_settings_mask(done, kind), text);
		if (kind == MASK_SOURCES)
			dkt__log(log->ctx, DKT_LOG_WARN,
				 "Lustre's libcfs was %s: debug_sources is now '%s'%s",
				 done->lustre ? "loaded" : "unloaded", text,
				 done->lustre ? "; '+kernel' adds the events of the kernel" : "");
		else
			dkt__log(log->ctx, DKT_LOG_WARN,
				 "Lustre's %s was changed, and the log takes it over: '%s'",
				 names[kind], text);
	}
	log->followed = 0;
}

/*
 * True if Lustre's masks have changed. Does not open tracefs, to be fast. A user who cannot read the
 * settings cannot change them either.
 */
static bool is_behind(struct dkt_ctx *ctx, const char *name)
{
	struct settings set;
	uint32_t differ = 0;

	if (!dkl_lustre_is_loaded() || dkl_log_dir_settings(ctx, name, &set))
		return false;
	/* If Lustre was loaded, leave that to the next change: reading must not disable events. */
	if (set.has_instance && set.lustre)
		differ = dkl_follow_differ(&set) & ~(1u << MASK_SOURCES);
	dkl_settings_clear(&set);
	return differ;
}

void dkl_debuglog_follow(struct dkt_ctx *ctx, const char *name)
{
	struct debuglog *log = NULL;
	int err;

	if (!is_behind(ctx, name))
		return;
	err = dkl_debuglog_open(ctx, name, DEBUGLOG_CHANGE, &log);
	/* Another process may have done it meanwhile. */
	if (!err && log->in && log->followed)
		err = dkl_debuglog_reapply(log);
	if (err)
		dkt__log(ctx, DKT_LOG_WARN, "Lustre's masks were changed; take them over: %s",
			 err == -ENOMEM ? strerror(ENOMEM) : dkt_error(ctx));
	dkl_debuglog_close(log);
}
