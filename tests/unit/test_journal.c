/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recordings in progress: whole, growing, cut at any byte, with invalid sections. */
#include <sys/mman.h>

#include "lib/inside.h"
#include "tests/helper/check.h"
#include "tests/helper/journal.h"

struct reading {
	int fd;
	struct dkt_ctx *ctx;
	struct dkt_source *source;
};

static void store(struct reading *r, const struct made_journal *j, size_t n)
{
	r->fd = memfd_create("journal", MFD_CLOEXEC);
	assert_true(r->fd >= 0 && write(r->fd, j->data, n) == (ssize_t)n);
}

static int open_it(struct reading *r, const char *buffer)
{
	DKT_OPTS(dkt_source_opts, opts, .fd = r->fd + 1, .buffer = buffer,
		 .flags = buffer ? 0 : DKT_SOURCE_ALL);

	assert_int_equal(dkt_ctx_new(NULL, &r->ctx), 0);
	return dkt_source_open(r->ctx, "journal", &opts, &r->source);
}

static void close_it(struct reading *r)
{
	dkt_source_close(r->source);
	dkt_ctx_free(r->ctx);
	r->source = NULL;
}

/* Values are times: those of each stream's CPU rise, and all are in order. Returns how many. */
static size_t count(struct dkt_source *source, uint64_t from)
{
	struct dkt_record record;
	uint64_t last = 0;
	size_t n = 0;

	for (; !dkt_source_next(source, &record); n++) {
		uint64_t value;

		assert_int_equal(record.size, 16);
		memcpy(&value, (const uint8_t *)record.data + 8, sizeof(value));
		assert_int_equal(record.ts, value);
		assert_true(record.ts >= from && record.ts > last);
		last = record.ts;
	}
	return n;
}

static uint64_t lost_of(struct dkt_source *source, int cpu)
{
	struct dkt_loss loss;

	assert_int_equal(dkt_source_get_loss(source, cpu, &loss, sizeof(loss)), 0);
	return loss.lost;
}

static void all_of_it_is_read(void **state)
{
	struct dkt_record record;
	struct made_journal j;
	struct reading r;
	char text[200];

	(void)state;
	journal_make(&j, 512, 1024);
	store(&r, &j, j.n);
	assert_ok(r.ctx, open_it(&r, NULL));
	assert_null(dkt_source_info(r.source)->damage);
	assert_false(dkt_source_info(r.source)->growing);
	assert_string_equal(dkt_source_info(r.source)->clock, "mono");
	assert_int_equal(dkt_source_info(r.source)->cpus, 2);
	assert_string_equal(dkt_source_stream(r.source, 0), "");
	assert_string_equal(dkt_source_stream(r.source, 1), "other");
	assert_int_equal(count(r.source, 0), j.n_pages * JOURNAL_RECORDS);
	assert_int_equal(lost_of(r.source, 0), 0);
	assert_int_equal(lost_of(r.source, 1), 9);
	/* Any time can be sought, in packed pages and in others. */
	for (uint64_t from = 1000; from <= j.next; from++) {
		assert_ok(r.ctx, dkt_source_seek(r.source, from, 0));
		assert_int_equal(count(r.source, from), j.next - from);
	}
	assert_ok(r.ctx, dkt_source_seek(r.source, 0, 0));
	assert_int_equal(dkt_source_next(r.source, &record), 0);
	assert_string_equal(dkt_source_comm(r.source, &record), "worker");
	record.pid = 43;
	assert_string_equal(dkt_source_comm(r.source, &record), "other");
	snprintf(text, sizeof(text), "%s:%s", dkt_event_system(record.event),
		 dkt_event_name(record.event));
	assert_string_equal(text, "made:up");
	close_it(&r);
	close(r.fd);
}

static void one_buffer_is_read(void **state)
{
	struct made_journal j;
	struct reading r;

	(void)state;
	journal_make(&j, 512, 1024);
	store(&r, &j, j.n);
	assert_ok(r.ctx, open_it(&r, "other"));
	assert_int_equal(count(r.source, 0), JOURNAL_RECORDS);
	close_it(&r);
	assert_ok(r.ctx, open_it(&r, ""));
	assert_int_equal(count(r.source, 0), (j.n_pages - 1) * JOURNAL_RECORDS);
	close_it(&r);
	assert_int_equal(open_it(&r, "none"), -ENOENT);
	dkt_ctx_free(r.ctx);
	close(r.fd);
}

/* Returns how many records a file of n bytes has. */
static size_t wanted(const struct made_journal *j, size_t n)
{
	size_t pages = 0;

	for (size_t i = 0; i < j->n_pages; i++)
		pages += j->pages[i] <= n;
	return pages * JOURNAL_RECORDS;
}

static bool is_whole(const struct made_journal *j, size_t n)
{
	for (size_t i = 0; i < j->n_sections; i++)
		if (j->sections[i] == n)
			return true;
	return false;
}

static void each_cut_keeps_what_is_before_it(void **state)
{
	struct made_journal j;
	struct reading r;

	(void)state;
	journal_make(&j, 512, 1024);
	store(&r, &j, j.n);
	for (size_t n = j.n - 1; n > 0; n--) {
		const struct dkt_source_info *info;

		assert_int_equal(ftruncate(r.fd, (off_t)n), 0);
		if (open_it(&r, NULL)) {
			assert_true(n < j.head);
			dkt_ctx_free(r.ctx);
			continue;
		}
		info = dkt_source_info(r.source);
		if (n >= j.head) {
			assert_true(info->growing);
			assert_int_equal(!info->damage, is_whole(&j, n));
		}
		assert_int_equal(count(r.source, 0), wanted(&j, n));
		close_it(&r);
	}
	close(r.fd);
}

/* Opens the file with other bytes at a place; the damage is as told. Returns the records. */
static size_t damaged(const struct made_journal *j, size_t at, const void *bytes, size_t n,
		      const char *damage)
{
	struct made_journal bad = *j;
	struct reading r;
	size_t records;

	memcpy(bad.data + at, bytes, n);
	store(&r, &bad, bad.n);
	assert_ok(r.ctx, open_it(&r, NULL));
	assert_string_equal(dkt_source_info(r.source)->damage, damage);
	records = count(r.source, 0);
	close_it(&r);
	close(r.fd);
	return records;
}

static void damage_is_told(void **state)
{
	static const uint8_t zeros[4096];
	static const uint32_t far = 77777;
	static const uint16_t odd = 0x4477;
	struct made_journal j;
	size_t pages, mark;
	char text[160];

	(void)state;
	journal_make(&j, 512, 1024);
	/* The sections: options, formats, 2 buffers, names, pages. */
	pages = j.sections[4];
	mark = j.sections[8];
	snprintf(text, sizeof(text),
		 "there are zeros at byte %zu; the last %zu bytes cannot be read", mark,
		 j.n - mark);
	assert_int_equal(damaged(&j, mark, zeros, j.n - mark, text), 5 * JOURNAL_RECORDS);
	snprintf(text, sizeof(text), "the section at byte %zu is invalid", pages);
	/* A buffer or a CPU that does not exist. */
	assert_int_equal(damaged(&j, pages + 16, &far, 4, text), 5 * JOURNAL_RECORDS);
	assert_int_equal(damaged(&j, pages + 20, &far, 4, text), 5 * JOURNAL_RECORDS);
	snprintf(text, sizeof(text),
		 "the section at byte %zu is invalid; the last %zu bytes cannot be read", pages,
		 j.n - pages);
	assert_int_equal(damaged(&j, pages, &odd, 2, text), 0);
	/* Packed bytes of another size. */
	snprintf(text, sizeof(text), "the section at byte %zu is invalid", j.sections[5]);
	assert_int_equal(damaged(&j, j.sections[5] + 24, &far, 4, text), 5 * JOURNAL_RECORDS);
	assert_int_equal(damaged(&j, j.sections[5] + 28, &far, 4, text), 5 * JOURNAL_RECORDS);
}

/* ---- sealing ---- */

static int seal(struct reading *r, struct reading *sealed, unsigned int version,
		const char *compression)
{
	DKT_OPTS(dkt_tracedat_opts, opts, .version = version, .compression = compression);
	int err;

	sealed->fd = memfd_create("sealed", MFD_CLOEXEC);
	assert_int_equal(dkt_ctx_new(NULL, &r->ctx), 0);
	err = dkt__tracedat_seal(r->ctx, r->fd, sealed->fd, &opts);
	dkt_ctx_free(r->ctx);
	return err;
}

static void a_sealed_file_has_the_same(void **state)
{
	static const char *const compressions[] = { NULL, "none", "zstd", "zlib" };
	struct reading r, sealed;
	struct dkt_record record;
	struct made_journal j;

	(void)state;
	journal_make(&j, 512, 1024);
	store(&r, &j, j.n);
	for (size_t i = 0; i < ARRAY_SIZE(compressions); i++) {
		assert_int_equal(seal(&r, &sealed, 7, compressions[i]), 0);
		assert_ok(sealed.ctx, open_it(&sealed, NULL));
		assert_null(dkt_source_info(sealed.source)->damage);
		assert_false(dkt_source_info(sealed.source)->growing);
		assert_string_equal(dkt_source_info(sealed.source)->clock, "mono");
		assert_string_equal(dkt_source_stream(sealed.source, 1), "other");
		assert_int_equal(count(sealed.source, 0), j.n_pages * JOURNAL_RECORDS);
		assert_int_equal(lost_of(sealed.source, 0), 0);
		assert_int_equal(lost_of(sealed.source, 1), 9);
		assert_ok(sealed.ctx, dkt_source_seek(sealed.source, 0, 0));
		assert_int_equal(dkt_source_next(sealed.source, &record), 0);
		assert_string_equal(dkt_source_comm(sealed.source, &record), "worker");
		assert_string_equal(dkt_event_name(record.event), "up");
		record.pid = 43;
		assert_string_equal(dkt_source_comm(sealed.source, &record), "other");
		close_it(&sealed);
		/* A finished file is left alone. */
		assert_int_equal(seal(&sealed, &r, 7, NULL), 1);
		close(r.fd);
		store(&r, &j, j.n);
		close(sealed.fd);
	}
	/* Version 6 has one size of pages. */
	assert_int_equal(seal(&r, &sealed, 6, NULL), -EINVAL);
	close(sealed.fd);
	close(r.fd);
	journal_make(&j, 512, 512);
	store(&r, &j, j.n);
	assert_int_equal(seal(&r, &sealed, 6, NULL), 0);
	assert_ok(sealed.ctx, open_it(&sealed, NULL));
	assert_int_equal(count(sealed.source, 0), j.n_pages * JOURNAL_RECORDS);
	close_it(&sealed);
	close(sealed.fd);
	close(r.fd);
}

static void a_cut_one_can_be_sealed(void **state)
{
	struct reading r, sealed;
	struct made_journal j;

	(void)state;
	journal_make(&j, 512, 1024);
	store(&r, &j, j.n);
	for (size_t n = j.n - 1; n >= j.head; n -= 7) {
		assert_int_equal(ftruncate(r.fd, (off_t)n), 0);
		assert_int_equal(seal(&r, &sealed, 7, n % 2 ? "zstd" : NULL), 0);
		assert_ok(sealed.ctx, open_it(&sealed, NULL));
		assert_null(dkt_source_info(sealed.source)->damage);
		assert_int_equal(count(sealed.source, 0), wanted(&j, n));
		close_it(&sealed);
		close(sealed.fd);
	}
	close(r.fd);
}

static void errors_of_sealing_have_words(void **state)
{
	DKT_OPTS(dkt_tracedat_opts, opts, .compression = "nosuch");
	struct made_journal j;
	struct reading r;
	int pipe_fds[2];

	(void)state;
	journal_make(&j, 512, 1024);
	store(&r, &j, j.n);
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(dkt_ctx_new(NULL, &r.ctx), 0);
	assert_fails(r.ctx, -ESPIPE, "write output: Illegal seek",
		     dkt__tracedat_seal(r.ctx, r.fd, pipe_fds[1], NULL));
	assert_fails(r.ctx, -EINVAL,
		     "compression 'nosuch' is not supported; use zstd, zlib or none",
		     dkt__tracedat_seal(r.ctx, r.fd, pipe_fds[1], &opts));
	assert_int_equal(dkt__tracedat_seal(NULL, r.fd, pipe_fds[1], NULL), -EINVAL);
	assert_int_equal(dkt__tracedat_seal(r.ctx, -1, pipe_fds[1], NULL), -EINVAL);
	dkt_ctx_free(r.ctx);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	close(r.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_is_read),
		cmocka_unit_test(one_buffer_is_read),
		cmocka_unit_test(each_cut_keeps_what_is_before_it),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(a_sealed_file_has_the_same),
		cmocka_unit_test(a_cut_one_can_be_sealed),
		cmocka_unit_test(errors_of_sealing_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
