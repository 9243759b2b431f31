/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The far side's parts: frames in any pieces, the kept end of a stream, and its way out. */
#include <fcntl.h>
#include <unistd.h>

#include "fleet/remote/outbox.h"
#include "tests/helper/check.h"

/* ---- frames ---- */

struct heard {
	char text[64];
	size_t len;
};

/* Notes a frame as its kind and its text: "E<words>". */
static int note(void *data, enum frame_kind kind, const uint8_t *bytes, size_t len)
{
	struct heard *heard = data;

	heard->len += (size_t)snprintf(heard->text + heard->len, sizeof(heard->text) - heard->len,
				       "%c<%.*s>", kind, (int)len, (const char *)bytes);
	return 0;
}

static void test_pieces(void **state)
{
	struct dkt_buf none = { 0 };
	struct outbox box = { .queue = none };
	struct kept kept = { 0 };

	(void)state;
	assert_int_equal(outbox_text(&box, FRAME_ERR, "words"), 0);
	assert_int_equal(outbox_text(&box, FRAME_RESUMED, ""), 0);
	assert_int_equal(outbox_text(&box, FRAME_REFUSED, "no"), 0);
	for (size_t piece = 1; piece <= box.queue.len; piece++) {
		struct frame_reader reader = { 0 };
		struct heard heard = { 0 };

		assert_int_equal(frame_read(&reader,
					    (const uint8_t *)"Welcome to dkt\n" FRAME_GREETING, 32,
					    note, &heard),
				 0);
		assert_true(reader.greeted);
		for (size_t at = 0; at < box.queue.len; at += piece)
			assert_int_equal(frame_read(&reader, (uint8_t *)box.queue.data + at,
						    DKT__MIN(piece, box.queue.len - at), note,
						    &heard),
					 0);
		assert_string_equal(heard.text, "E<words>C<>X<no>");
		frame_reader_clear(&reader);
	}
	outbox_clear(&box);
	assert_false(outbox_has(&box, &kept));
}

static void test_noise(void **state)
{
	struct frame_reader reader = { 0 };
	uint8_t noise[4096];
	struct heard heard = { 0 };
	int err = 0;

	(void)state;
	memset(noise, 'd', sizeof(noise));
	for (int i = 0; !err && i < 100; i++)
		err = frame_read(&reader, noise, sizeof(noise), note, &heard);
	assert_int_equal(err, -EPROTO);
	assert_int_equal(heard.len, 0);
}

/* ---- the kept end of a stream ---- */

/* Byte i of the stream. */
static uint8_t byte_at(uint64_t i)
{
	return (uint8_t)(i * 31 + i / 256);
}

static void fill(struct kept *kept)
{
	size_t room;
	uint8_t *place = kept_room(kept, &room);

	for (size_t i = 0; i < room; i++)
		place[i] = byte_at(kept->to + i);
	kept_add(kept, room);
}

static void test_kept(void **state)
{
	struct kept kept;
	size_t len;

	(void)state;
	assert_int_equal(kept_open(&kept, 3 * 4096), 0);
	/* Drops odd amounts, so that the ring wraps at every place. */
	for (uint64_t round = 0; round < 200; round++) {
		fill(&kept);
		fill(&kept);
		kept_room(&kept, &len);
		assert_int_equal(len, 0);
		assert_int_equal(kept.to - kept.from, kept.size);
		for (uint64_t at = kept.from; at < kept.to; at += len) {
			const uint8_t *bytes = kept_at(&kept, at, &len);

			for (size_t i = 0; i < len; i++)
				assert_int_equal(bytes[i], byte_at(at + i));
		}
		kept_drop(&kept, kept.from + 1 + round * 37 % kept.size);
		/* A place that is gone, or not there yet, changes nothing. */
		kept_drop(&kept, kept.from - 1);
		kept_drop(&kept, kept.to + 1);
	}
	kept_close(&kept);
}

/* ---- the way out ---- */

static void test_stream(void **state)
{
	struct outbox box = { 0 };
	struct frame_reader reader = { .greeted = true };
	struct heard heard = { 0 };
	struct kept kept;
	uint8_t bytes[256];
	int fds[2];
	ssize_t n;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(kept_open(&kept, 4096), 0);
	memcpy(kept_room(&kept, &(size_t){ 0 }), "output", 6);
	kept_add(&kept, 6);
	assert_int_equal(outbox_text(&box, FRAME_HELLO, "a=b"), 0);
	/* The other side has three bytes; they are not sent again. */
	box.sent = 3;
	assert_int_equal(outbox_write(&box, fds[1], &kept), 0);
	assert_false(outbox_has(&box, &kept));
	n = read(fds[0], bytes, sizeof(bytes));
	assert_true(n > 0);
	assert_int_equal(frame_read(&reader, bytes, (size_t)n, note, &heard), 0);
	assert_string_equal(heard.text, "H<a=b>O<put>");
	kept_close(&kept);
	outbox_clear(&box);
	frame_reader_clear(&reader);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
