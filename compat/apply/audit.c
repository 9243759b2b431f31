/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tells the journal who changed which setting of a debug log. */
#include "compat/apply/audit.h"

#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/statfs.h>

#include "compat/io/journal.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"

/* The entries are found by it: journalctl MESSAGE_ID=... */
#define MESSAGE_ID "2b4ade11e00e4d70b47c927a36e7fcf7"

struct entry_place {
	struct dkt_ctx *ctx; /* of its own: the log's keeps the messages of the change */
	const char *log;
	int fd;
};

static void put(struct dkt_buf *buf, const char *name, const char *value)
{
	dkl_journal_field(buf, name, value, strlen(value));
}

/*
 * The journal itself adds who sent the entry, and by which login; _UID, _AUDIT_LOGINUID, _PID, _CMDLINE. No process can
 * forge these.
 */
void dkl_audit_fields(struct dkt_buf *buf, const char *log, const char *setting, const char *before,
		      const char *after)
{
	char *text __cleanup(free) =
		setting ? dkt__format("debug log %s: %s is now '%s', was '%s'", log, setting, after,
				      before) :
			  dkt__format("debug log %s: all settings and records were removed", log);

	put(buf, "SYSLOG_IDENTIFIER", "dktrace");
	/* LOG_NOTICE */
	put(buf, "PRIORITY", "5");
	put(buf, "MESSAGE_ID", MESSAGE_ID);
	put(buf, "MESSAGE", text ?: "out of memory");
	put(buf, "DKTRACE_INSTANCE", log);
	if (!setting)
		return;
	put(buf, "DKTRACE_SETTING", setting);
	put(buf, "DKTRACE_BEFORE", before);
	put(buf, "DKTRACE_AFTER", after);
}

static void send_entry(const char *setting, const char *before, const char *after, void *arg)
{
	const struct entry_place *place = arg;
	struct dkt_buf *buf;

	if (dkt_buf_new(&buf))
		return;
	dkl_audit_fields(buf, place->log, setting, before, after);
	dkl_journal_send(place->ctx, place->fd, buf);
	dkt_buf_free(buf);
}

/* A copy of tracefs is no kernel that was changed. */
static bool begin(const struct debuglog *log, struct entry_place *place)
{
	const char *dir = dkt_tracefs_dir(log->ctx);
	struct statfs at;

	*place = (struct entry_place){ .log = log->name, .fd = -1 };
	if (statfs(dir, &at) || at.f_type != TRACEFS_MAGIC || dkt_ctx_new(NULL, &place->ctx))
		return false;
	place->fd = dkl_journal_open(place->ctx, SOCK_NONBLOCK);
	return place->fd >= 0;
}

static void end(struct entry_place *place)
{
	if (place->fd >= 0)
		close(place->fd);
	dkt_ctx_free(place->ctx);
}

void dkl_audit_change(const struct debuglog *log, const struct settings *before,
		      const struct settings *after)
{
	struct entry_place place;

	if (begin(log, &place))
		dkl_settings_compare(before, after, send_entry, &place);
	end(&place);
}

void dkl_audit_one(const struct debuglog *log, const char *setting, const char *before,
		   const char *after)
{
	struct entry_place place;

	if (begin(log, &place))
		send_entry(setting, before, after, &place);
	end(&place);
}
