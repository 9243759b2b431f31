/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sampler's perf.data. At each moment the header has the size of the records that are complete, so that
 * what a killed process leaves can be read. The table of features must follow the records: it is written
 * again behind each round, and the header has none while its place is overwritten.
 */
#include <limits.h>
#include <sys/uio.h>

#include "lib/base/io.h"
#include "lib/base/perf_magic.h"
#include "lib/sampler.h"

/* struct perf_file_header of tools/perf/util/header.h. */
struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct dkt__sampler_section attrs, data, event_types;
	uint64_t features[4];
};

struct file_attr {
	uint8_t attr[PERF_ATTR_SIZE_VER5];
	struct dkt__sampler_section ids;
};

static int fail(struct dkt__sampler *sampler, int err)
{
	return dkt_fail(sampler->ctx, err, "write the profile: %s%s", strerror(-err),
			dkt__full_advice(err));
}

static int write_at(struct dkt__sampler *sampler, const void *bytes, size_t size, uint64_t at)
{
	int err = dkt__pwrite_all(sampler->file.fd, bytes, size, at);

	return err ? fail(sampler, err) : 0;
}

static unsigned int count_bits(const struct dkt__sampler_file *file)
{
	return (unsigned int)__builtin_popcountll(file->bits);
}

/* Writes the parts of the header that change, in one page and so at once. */
static int write_header(struct dkt__sampler *sampler, bool features)
{
	const struct dkt__sampler_file *file = &sampler->file;
	struct file_header header = {
		.size = sizeof(header),
		.attr_size = sizeof(struct file_attr),
		.attrs = { .at = file->attrs_at, .size = file->attrs_size },
		.data = { .at = file->data_at, .size = file->size },
	};

	memcpy(header.magic, DKT__PERF_MAGIC, sizeof(header.magic));
	header.features[0] = features ? file->bits : 0;
	return write_at(sampler, &header, sizeof(header), 0);
}

/* Writes the table of features behind the records, and lets the header have both. */
static int publish(struct dkt__sampler *sampler)
{
	struct dkt__sampler_section table[DKT__FEATURES];
	const struct dkt__sampler_file *file = &sampler->file;
	size_t n = 0;
	int err, failed;

	for (unsigned int i = 0; i < DKT__FEATURES; i++)
		if (file->bits >> i & 1)
			table[n++] = file->table[i];
	failed = write_at(sampler, table, n * sizeof(*table), file->data_at + file->size);
	err = write_header(sampler, !failed);
	return failed ?: err;
}

/* Puts the content of the features that are known, at the offset in the file that the buffer has. */
static void put_features(struct dkt__sampler *sampler, struct dkt_buf *buf)
{
	struct dkt__sampler_file *file = &sampler->file;

	for (enum dkt__sampler_feature i = 0; i < DKT__FEATURES; i++) {
		const uint64_t at = buf->len;

		if (!dkt__sampler_feature_put(sampler, i, buf))
			continue;
		file->bits |= UINT64_C(1) << i;
		file->table[i] = (struct dkt__sampler_section){ .at = at, .size = buf->len - at };
	}
}

static void put_attrs(const struct dkt__sampler *sampler, struct dkt_buf *buf)
{
	uint64_t ids_at = sizeof(struct file_header);

	for (size_t i = 0; i < sampler->n_events; i++)
		for (size_t fd = 0; fd < sampler->events[i].n; fd++)
			dkt__buf_add(buf, &sampler->events[i].fds[fd].id, sizeof(uint64_t));
	for (size_t i = 0; i < sampler->n_events; i++) {
		const struct dkt__sampler_event *event = &sampler->events[i];
		struct file_attr attr = { .ids = { .at = ids_at,
						   .size = event->n * sizeof(uint64_t) } };

		memcpy(attr.attr, &event->attr, sizeof(attr.attr));
		/* Only off_cpu writes formats of tracepoints: as another event, a call keeps its data and its period. */
		if (sampler->opts.calls && event->attr.type == PERF_TYPE_TRACEPOINT)
			memcpy(attr.attr, &(uint32_t){ PERF_TYPE_RAW }, sizeof(uint32_t));
		dkt__buf_add(buf, &attr, sizeof(attr));
		ids_at += attr.ids.size;
	}
}

int dkt__sampler_file_begin(struct dkt__sampler *sampler, int fd)
{
	static const uint8_t zeroes[sizeof(struct file_header)];
	struct dkt__sampler_file *file = &sampler->file;
	struct dkt_buf buf = { 0 };
	int err;

	file->fd = fd;
	file->table = calloc(DKT__FEATURES, sizeof(*file->table));
	dkt__buf_add(&buf, zeroes, sizeof(struct file_header));
	put_attrs(sampler, &buf);
	file->attrs_size = sampler->n_events * sizeof(struct file_attr);
	file->attrs_at = buf.len - file->attrs_size;
	if (file->table)
		put_features(sampler, &buf);
	dkt__buf_add(&buf, zeroes, -buf.len % 8);
	file->data_at = buf.len;
	err = buf.err || !file->table ? dkt__no_memory(sampler->ctx) :
					write_at(sampler, buf.data, buf.len, 0);
	free(buf.data);
	return err ? err : publish(sampler);
}

/* pwritev(), until all is written. The pieces change. */
static int write_pieces(int fd, struct iovec *pieces, int n, uint64_t at)
{
	while (n) {
		ssize_t done = pwritev(fd, pieces, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		at += (uint64_t)done;
		while (n && (size_t)done >= pieces->iov_len) {
			done -= (ssize_t)pieces->iov_len;
			pieces++;
			n--;
		}
		if (n) {
			pieces->iov_base = (uint8_t *)pieces->iov_base + done;
			pieces->iov_len -= (size_t)done;
		}
	}
	return 0;
}

int dkt__sampler_file_add(struct dkt__sampler *sampler, struct iovec *pieces, int n)
{
	struct dkt__sampler_file *file = &sampler->file;
	uint64_t size = 0;
	int err = write_header(sampler, false);

	for (int i = 0; i < n; i++)
		size += pieces[i].iov_len;
	if (err)
		return err;
	err = write_pieces(file->fd, pieces, n, file->data_at + file->size);
	if (err)
		return fail(sampler, err);
	file->size += size;
	return publish(sampler);
}

/* Writes a feature that is known only now, behind the table, in which it has a place already. */
static int add_feature(struct dkt__sampler *sampler, enum dkt__sampler_feature feature,
		       const void *bytes, size_t size, uint64_t *at)
{
	int err = write_at(sampler, bytes, size, *at);

	sampler->file.table[feature] = (struct dkt__sampler_section){ .at = *at, .size = size };
	*at += size;
	return err;
}

int dkt__sampler_file_end(struct dkt__sampler *sampler)
{
	struct dkt__sampler_file *file = &sampler->file;
	const uint64_t times[] = { sampler->first, sampler->last };
	struct dkt_buf builds = { 0 };
	uint64_t at;
	int err;

	dkt__sampler_builds_put(sampler, &builds);
	if (builds.len)
		file->bits |= UINT64_C(1) << DKT__FEATURE_BUILD_ID;
	if (sampler->result.samples)
		file->bits |= UINT64_C(1) << DKT__FEATURE_SAMPLE_TIME;
	at = file->data_at + file->size + count_bits(file) * sizeof(*file->table);
	/* Its place is that of the table before. */
	err = write_header(sampler, false);
	if (!err && builds.len)
		err = add_feature(sampler, DKT__FEATURE_BUILD_ID, builds.data, builds.len, &at);
	if (!err && sampler->result.samples)
		err = add_feature(sampler, DKT__FEATURE_SAMPLE_TIME, times, sizeof(times), &at);
	if (!err)
		err = publish(sampler);
	if (!err && ftruncate(file->fd, (off_t)at))
		err = fail(sampler, -errno);
	sampler->result.bytes = at;
	free(builds.data);
	return err;
}

void dkt__sampler_file_clear(struct dkt__sampler *sampler)
{
	free(sampler->file.table);
	sampler->file = (struct dkt__sampler_file){ .fd = -1 };
}
