/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of styles, and a style's state for each event. */
#include <time.h>

#include "lib/base/ticks.h"
#include "lib/event.h"
#include "lib/style.h"

static const struct dkt__style_ops *const styles[] = {
	/* clang-format off */
	&dkt__style_trace_ops,
	&dkt__style_raw_ops,
	&dkt__style_json_ops,
	&dkt__style_csv_ops,
	&dkt__style_folded_ops,
	&dkt__style_ctf_ops,
	&dkt__style_ctf2_ops,
	&dkt__style_ctf_lttng_ops,
	&dkt__style_perfetto_ops,
	/* clang-format on */
};

int dkt_style_get(size_t i, struct dkt_style_info *info, size_t sz)
{
	if (!dkt__blank(info, sz))
		return -EINVAL;
	if (i >= ARRAY_SIZE(styles))
		return 1;
	return dkt__fill(info, sz,
			 &((struct dkt_style_info){ .name = styles[i]->name,
						    .words = styles[i]->words,
						    .traits = styles[i]->traits }));
}

static const struct dkt__style_ops *find_style(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(styles); i++)
		if (!strcmp(styles[i]->name, name))
			return styles[i];
	return NULL;
}

/* ---- memory ---- */

void *dkt__style_alloc(struct dkt_style *style, size_t n)
{
	return dkt__arena_alloc(&style->memory, n);
}

const char *dkt__style_keep(struct dkt_style *style, const char *text, size_t len)
{
	char *copy = dkt__style_alloc(style, (len + 16) & ~(size_t)15);

	if (copy && len)
		memcpy(copy, text, len);
	return copy;
}

/* ---- a style ---- */

/* Replaces *text by a copy; false if memory is out. */
static bool copy_text(struct dkt_style *style, const char **text)
{
	if (!*text)
		return true;
	*text = dkt__style_keep(style, *text, strlen(*text));
	return *text;
}

static int keep_opts(struct dkt_style *style, const struct dkt_style_opts *opts)
{
	const char **fields;
	bool copied;
	int err = dkt__opts_take(style->ctx, dkt_style_opts, &style->opts, opts);

	if (!err)
		err = dkt__opts_take(style->ctx, dkt_source_info, &style->source,
				     style->opts.source);
	if (err)
		return err;
	style->ticks = !style->opts.wall && dkt__clock_ticks(style->source.clock);
	style->opts.source = NULL;
	copied = copy_text(style, &style->opts.dir) && copy_text(style, &style->source.kind) &&
		 copy_text(style, &style->source.host) && copy_text(style, &style->source.clock) &&
		 copy_text(style, &style->source.kernel);
	fields = dkt__style_alloc(style, (style->opts.n_fields + 1) * sizeof(*fields));
	if (!copied || !fields)
		return dkt__no_memory(style->ctx);
	for (size_t i = 0; i < style->opts.n_fields; i++) {
		fields[i] = style->opts.fields[i];
		if (!copy_text(style, &fields[i]))
			return dkt__no_memory(style->ctx);
	}
	style->opts.fields = fields;
	return 0;
}

int dkt_style_new(struct dkt_ctx *ctx, const char *name, const struct dkt_style_opts *opts,
		  struct dkt_style **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx && name);

	const struct dkt__style_ops *ops = find_style(name);
	struct dkt_style *style;
	int err;

	if (!ops)
		return dkt_fail(ctx, -ENOENT, "there is no style '%s'", name);
	style = calloc(1, ops->size);
	if (!style)
		return dkt__no_memory(ctx);
	style->ops = ops;
	style->ctx = ctx;
	style->wall_ms = UINT64_MAX;
	style->events.n_words = 1;
	err = keep_opts(style, opts);
	/* The formats of other programs say that times are ns. */
	if (!err && ops->traits & DKT_STYLE_BINARY && dkt__clock_ticks(style->source.clock))
		err = dkt_fail(ctx, -EINVAL,
			       "the style %s has times in ns, which the clock %s does not count",
			       name, style->source.clock);
	if (!err && ops->open)
		err = ops->open(style);
	if (err) {
		dkt_style_free(style);
		return dkt__with_words(ctx, err);
	}
	*out = style;
	return 0;
}

void dkt_style_free(struct dkt_style *style)
{
	if (!style)
		return;
	if (style->ops->close)
		style->ops->close(style);
	dkt__arena_free(&style->memory);
	dkt__keymap_clear(&style->events);
	free(style->forms);
	free(style);
}

int dkt_style_begin(struct dkt_style *style, struct dkt_buf *buf)
{
	dkt__needs(style ? style->ctx : NULL, style && buf);

	return style->ops->begin ? dkt__with_words(style->ctx, style->ops->begin(style, buf)) : 0;
}

int dkt_style_record(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		     struct dkt_buf *buf)
{
	dkt__needs(style ? style->ctx : NULL, style && record && buf);

	if (dkt__unlikely(record->stacks))
		return dkt__with_words(style->ctx,
				       dkt__style_with_stacks(style, record, comm, buf));
	return dkt__with_words(style->ctx, style->ops->record(style, record, comm, buf));
}

int dkt__style_flush(struct dkt_style *style, struct dkt_buf *buf)
{
	dkt__needs(style ? style->ctx : NULL, style && buf);

	return style->ops->flush ? dkt__with_words(style->ctx, style->ops->flush(style, buf)) : 0;
}

int dkt_style_end(struct dkt_style *style, struct dkt_buf *buf)
{
	dkt__needs(style ? style->ctx : NULL, style && buf);

	return style->ops->end ? dkt__with_words(style->ctx, style->ops->end(style, buf)) : 0;
}

/* ---- events ---- */

static struct dkt__form *form_new(struct dkt_style *style, struct dkt_event *event)
{
	struct dkt__form *form = dkt__style_alloc(style, sizeof(*form));

	if (!form)
		return NULL;
	form->event = event;
	if (dkt__style_columns(style, form) ||
	    (style->ops->learn && style->ops->learn(style, form)))
		return NULL;
	return form;
}

struct dkt__form *dkt__style_learn(struct dkt_style *style, struct dkt_event *event)
{
	const uint64_t key = (uintptr_t)event;
	uint32_t entry = dkt__keymap_find(&style->events, &key);
	struct dkt__form *form;
	bool added;

	if (entry != DKT__KEYMAP_NONE) {
		form = style->forms[entry];
	} else {
		form = form_new(style, event);
		if (!form || dkt__append(style->forms, style->n_forms, form))
			return NULL;
		if (dkt__keymap_add(&style->events, &key, &added) == DKT__KEYMAP_NONE) {
			style->n_forms--;
			return NULL;
		}
	}
	style->recent[event->id & (DKT__FORMS_RECENT - 1)] = form;
	return form;
}

/* ---- text, times, flags ---- */

void dkt__style_text(const struct dkt_style *style, const struct dkt_record *record,
		     struct dkt_buf *buf)
{
	size_t from = buf->len;

	if (!style->opts.text || !style->opts.text(style->opts.data, record, buf)) {
		dkt_record_text(record, buf);
		return;
	}
	while (buf->len > from && buf->data[buf->len - 1] == '\n')
		buf->len--;
}

char *dkt__style_cut(struct dkt_buf *buf, size_t from)
{
	size_t len = buf->len - from;
	char *copy = buf->err ? NULL : malloc(len + 1);

	if (!copy)
		return NULL;
	memcpy(copy, buf->data + from, len);
	copy[len] = '\0';
	buf->len = from;
	return copy;
}

int dkt__style_escape(struct dkt_buf *buf, size_t from,
		      char *(*put)(char *p, const char *text, size_t len))
{
	size_t len = buf->len - from;
	char *text __cleanup(free) = dkt__style_cut(buf, from);
	char *p = text ? dkt__buf_room(buf, len * 6 + 32) : NULL;

	if (!p)
		return -ENOMEM;
	buf->len = (size_t)(put(p, text, len) - buf->data);
	return 0;
}

char *dkt__style_put_ts(struct dkt_style *style, char *p, uint64_t ts)
{
	uint64_t ms = ts / 1000000;

	if (dkt__unlikely(!ms))
		return dkt__put_dec(p, ts);
	if (dkt__unlikely(ms != style->ms)) {
		style->ms = ms;
		style->ms_len = (uint32_t)(dkt__put_dec(style->ms_text, ms) - style->ms_text);
	}
	memcpy(p, style->ms_text, 16);
	return dkt__put_six(p + style->ms_len, (uint32_t)(ts % 1000000));
}

static void set_date(struct dkt_style *style, uint64_t ms)
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm = { 0 };
	size_t len;

	gmtime_r(&t, &tm);
	len = strftime(style->date, sizeof(style->date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(style->date + len, sizeof(style->date) - len, ".%03u", (unsigned int)(ms % 1000));
	style->wall_ms = ms;
}

char *dkt__style_put_wall(struct dkt_style *style, char *p, uint64_t ts)
{
	uint64_t ns = ts + (uint64_t)style->source.wall, ms = ns / 1000000;

	if (dkt__unlikely(ms != style->wall_ms))
		set_date(style, ms);
	memcpy(p, style->date, 23);
	p = dkt__put_six(p + 23, (uint32_t)(ns % 1000000));
	*p = 'Z';
	return p + 1;
}

static char interrupt_letter(const struct dkt_record *record)
{
	bool hard = record->flags & DKT_REC_HARDIRQ, soft = record->flags & DKT_REC_SOFTIRQ;

	if (record->flags & DKT_REC_NMI)
		return hard ? 'Z' : 'z';
	if (hard)
		return soft ? 'H' : 'h';
	return soft ? 's' : '.';
}

char *dkt__style_put_flags(char *p, const struct dkt_record *record)
{
	bool irqs = record->flags & DKT_REC_IRQS_OFF, bh = record->flags & DKT_REC_BH_OFF;
	bool soon = record->flags & DKT_REC_NEED_RESCHED;
	bool lazily = record->flags & DKT_REC_NEED_RESCHED_LAZY;
	unsigned int depth = record->preempt & 0xf;

	*p++ = irqs && bh ? 'D' : irqs ? 'd' : bh ? 'b' : '.';
	*p++ = soon && lazily ? 'B' : soon ? 'N' : lazily ? 'l' : '.';
	*p++ = interrupt_letter(record);
	*p++ = depth ? "0123456789abcdef"[depth] : '.';
	return p;
}
