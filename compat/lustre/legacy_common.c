/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that many lines of the legacy style share, built once. */
#include "compat/lustre/legacy_common.h"

#include <inttypes.h>

#include "lib/base/buf.h"
#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/base/when.h"

/* 0 process, 1 softirq, 2 hardirq. */
static char context_type(const struct dkt_record *rec)
{
	if (rec->flags & (DKT_REC_HARDIRQ | DKT_REC_NMI))
		return '2';
	/* Lustre, too, prints a process that has disabled soft interrupts as softirq. */
	return rec->flags & (DKT_REC_SOFTIRQ | DKT_REC_BH_OFF) ? '1' : '0';
}

/* Builds the text that all lines of a process on a CPU share. */
static void build_context(struct legacy_context *context, const struct dkt_record *rec, char type)
{
	*context = (struct legacy_context){
		.known = true, .cpu = rec->cpu, .pid = rec->pid, .type = type
	};
	context->n_before = (size_t)snprintf(context->before, sizeof(context->before),
					     "%" PRIu32 ".%c:", rec->cpu, type);
	context->n_after = (size_t)snprintf(context->after, sizeof(context->after),
					    ":0:%" PRIu32 ":0:", (uint32_t)rec->pid);
}

static void put_time(struct legacy_common *common, uint64_t us, struct dkt_buf *buf)
{
	const uint64_t second = us / 1000000;

	if (!common->n_second || common->second != second) {
		common->second = second;
		common->n_second = (size_t)snprintf(common->seconds, sizeof(common->seconds),
						    "%" PRIu64 ".", second);
	}
	dkt__put_six(common->seconds + common->n_second, (uint32_t)(us - second * 1000000));
	dkt__buf_add(buf, common->seconds, common->n_second + 6);
}

void dkl_legacy_put_context(struct legacy_common *common, const struct dkt_record *rec,
			    int64_t wall, struct dkt_buf *buf)
{
	struct legacy_context *context = &common->contexts[rec->cpu % ARRAY_SIZE(common->contexts)];
	char type = context_type(rec);

	if (!context->known || context->cpu != rec->cpu || context->pid != rec->pid ||
	    context->type != type)
		build_context(context, rec, type);
	if (rec->first) {
		dkt__buf_add(buf, context->before, context->n_before - 1);
		dkt__buf_add(buf, "F:", 2);
	} else {
		dkt__buf_add(buf, context->before, context->n_before);
	}
	if (dkt__unlikely(common->ticks))
		dkt__buf_u64(buf, rec->ts, 0, ' ');
	else
		put_time(common, (uint64_t)dkt__wall_time(rec->ts, wall) / 1000, buf);
	dkt__buf_add(buf, context->after, context->n_after);
}

void dkl_legacy_put_rc(struct legacy_common *common, int64_t rc, struct dkt_buf *buf)
{
	struct legacy_rc *text = &common->rcs[(uint64_t)rc % ARRAY_SIZE(common->rcs)];

	/* Keep the text, because most calls return one of few values. */
	if (text->rc != rc || !text->len) {
		text->rc = rc;
		text->len = (size_t)snprintf(text->text, sizeof(text->text),
					     " (rc=%" PRIu64 " : %" PRId64 " : %" PRIx64 ")\n",
					     (uint64_t)rc, rc, (uint64_t)rc);
	}
	dkt__buf_add(buf, text->text, text->len);
}
