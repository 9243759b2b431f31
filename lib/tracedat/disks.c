/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The option with the names of the disks, which only dktrace knows. It has a table for each host: the number of
 * tables (4); for each the number of its buffers (4) and their names, each with its NUL; the number of its disks (4),
 * and for each disk its number in the records (4) and its name with a NUL. A table without buffers is of all.
 */
#include "lib/base/buf.h"
#include "lib/tracedat/write.h"

struct dkt__dat_disks {
	const char **buffers; /* names */
	uint32_t n_buffers;
	struct dkt__disks its;
};

/* ---- reading ---- */

void dkt__dat_disks_clear(struct dkt__dat *dat)
{
	for (uint32_t i = 0; i < dat->n_disks; i++) {
		free(dat->disks[i].buffers);
		dkt__disks_clear(&dat->disks[i].its);
	}
	free(dat->disks);
	dat->disks = NULL;
	dat->n_disks = 0;
}

static int read_table(struct dkt_ctx *ctx, struct dkt__cursor *option, struct dkt__dat_disks *table)
{
	const uint32_t n_buffers = (uint32_t)dkt__cursor_number(option, 4);
	uint32_t n;
	int err = 0;

	option->bad |= n_buffers > DKT__DAT_BUFFERS;
	for (uint32_t i = 0; !err && i < n_buffers && !option->bad; i++) {
		const char *name = dkt__cursor_string(option);

		/* The bytes of a pipe do not stay. */
		name = dkt__ctx_strndup(ctx, name, strlen(name));
		err = name ? dkt__append(table->buffers, table->n_buffers, name) : -ENOMEM;
	}
	n = (uint32_t)dkt__cursor_number(option, 4);
	for (uint32_t i = 0; !err && i < n && !option->bad; i++) {
		const uint64_t dev = dkt__cursor_number(option, 4);
		const char *name = dkt__cursor_string(option);

		err = dkt__disks_add(&table->its, dev, name, strlen(name));
	}
	dkt__disks_sort(&table->its);
	return err;
}

int dkt__dat_disks(struct dkt__dat *dat, struct dkt__cursor *option)
{
	const uint32_t n = (uint32_t)dkt__cursor_number(option, 4);
	int err = 0;

	dkt__dat_disks_clear(dat);
	option->bad |= n > DKT__DAT_BUFFERS;
	for (uint32_t i = 0; !err && i < n && !option->bad; i++) {
		struct dkt__dat_disks table = { 0 };

		err = read_table(dat->ctx, option, &table);
		if (!err)
			err = dkt__append(dat->disks, dat->n_disks, table);
		if (err) {
			free(table.buffers);
			dkt__disks_clear(&table.its);
		}
	}
	if (option->bad)
		dkt__streams_damage(&dat->streams, "the names of its disks are invalid");
	return err;
}

static bool is_of(const struct dkt__dat_disks *table, const char *buffer)
{
	if (!table->n_buffers)
		return true;
	for (uint32_t i = 0; i < table->n_buffers; i++)
		if (!strcmp(table->buffers[i], buffer))
			return true;
	return false;
}

const struct dkt__disks *dkt__dat_disks_of(const struct dkt_source *source, uint32_t nr)
{
	const struct dkt__dat *dat = (const struct dkt__dat *)source;

	for (uint32_t i = 0; nr < dat->n_buffers && i < dat->n_disks; i++)
		if (is_of(&dat->disks[i], dat->buffers[nr].name))
			return &dat->disks[i].its;
	return NULL;
}

/* ---- writing ---- */

static const struct dkt__disks *disks_of(const struct dkt_tracedat *out, size_t nr)
{
	const struct dkt__disks *disks = dkt__source_disks(out->source, (uint32_t)nr);

	return disks && disks->n ? disks : NULL;
}

static bool are_same(const struct dkt_tracedat *out, size_t nr, const struct dkt__disks *disks)
{
	return disks_of(out, nr) && dkt__disks_same(disks_of(out, nr), disks);
}

/* True if all streams of the source have these disks. */
static bool are_of_all(const struct dkt_tracedat *out, const struct dkt__disks *disks)
{
	for (uint32_t i = 0; dkt_source_stream(out->source, i); i++)
		if (!are_same(out, i, disks))
			return false;
	return true;
}

/* Returns the first stream that has the same disks. */
static size_t first_of(const struct dkt_tracedat *out, size_t nr)
{
	size_t i = 0;

	while (i < nr && !are_same(out, i, disks_of(out, nr)))
		i++;
	return i;
}

static void put_table(const struct dkt_tracedat *out, struct dkt_buf *buf, size_t nr)
{
	const struct dkt__disks *disks = disks_of(out, nr);
	const size_t end = are_of_all(out, disks) ? nr : out->n_streams;
	size_t n = 0;

	for (size_t i = nr; i < end; i++)
		n += are_same(out, i, disks);
	dkt__tdw_number(out, buf, n, 4);
	for (size_t i = nr; i < end; i++)
		if (are_same(out, i, disks))
			dkt__tdw_string(buf, out->streams[i].name);
	dkt__tdw_number(out, buf, disks->n, 4);
	for (size_t i = 0; i < disks->n; i++) {
		dkt__tdw_number(out, buf, disks->list[i].dev, 4);
		dkt__tdw_string(buf, disks->list[i].name);
	}
}

void dkt__tdw_disks(const struct dkt_tracedat *out, struct dkt_buf *buf)
{
	struct dkt_buf tables = { 0 }, option = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < out->n_streams; i++) {
		if (!disks_of(out, i) || first_of(out, i) != i)
			continue;
		put_table(out, &tables, i);
		n++;
	}
	dkt__tdw_number(out, &option, n, 4);
	dkt__buf_add(&option, tables.data, tables.len);
	if (tables.err || option.err)
		buf->err = -ENOMEM;
	else if (n)
		dkt__tdw_option(out, buf, DAT_DISKS, option.data, option.len);
	free(tables.data);
	free(option.data);
}
