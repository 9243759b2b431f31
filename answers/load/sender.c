/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread that sends, and what it does after an error. */
#include "answers/load/sender.h"

#include <pthread.h>
#include <zlib.h>

#include "answers/load/rowbinary.h"
#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/base/stop.h"
#include "lib/base/when.h"

/* Blocks that wait, beside the one that is sent. */
#define QUEUE 2

/* Milliseconds before the first try after an error, and at most. */
#define FIRST_DELAY 100
#define MOST_DELAY  5000

/* Milliseconds between two looks whether a statement has ended. */
#define LOOK 20

struct sender {
	struct link *link;
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members below */
	pthread_cond_t turn;
	struct block *queue[QUEUE];
	unsigned int n; /* blocks in the queue */
	bool busy; /* a block is sent */
	bool over;
	int err; /* nothing more is sent */
	/* Those below are of the thread. */
	const char *run, *settings;
	double patience;
	bool squeezes;
	uint64_t nr; /* of the last statement */
};

void block_free(struct block *block)
{
	if (!block)
		return;
	free(block->insert);
	free(block->count);
	free(block->pieces);
	columns_free(block->rows);
	bytes_clear(&block->squeezed, block->chunks);
	free(block->parts);
	free(block);
}

/* ---- after an error ---- */

static double now(void)
{
	return (double)dkt__monotonic_ns() / 1e9;
}

/* Tries after an error. */
struct trial {
	double until;
	unsigned int delay; /* before the next one */
};

static struct trial trial_new(double patience)
{
	return (struct trial){ now() + patience, FIRST_DELAY };
}

/* Waits, and returns true, if the error may pass and there is time. */
static bool try_again(struct trial *trial, int err)
{
	if (err != -EAGAIN || dkt__stopped() || now() >= trial->until)
		return false;
	usleep(1000 * trial->delay);
	trial->delay = DKT__MIN(2 * trial->delay, (unsigned int)MOST_DELAY);
	return true;
}

static int end_of(int err)
{
	return err == -EAGAIN && dkt__stopped() ? -EINTR : err;
}

int sender_insist(struct link *link, const struct statement *statement, double patience)
{
	struct trial trial = trial_new(patience);
	int err = link_run(link, statement);

	while (try_again(&trial, err))
		err = link_run(link, statement);
	return end_of(err);
}

static int ask(struct link *link, const char *text, struct row_reader *answer)
{
	struct statement statement = { .text = text };
	int err = link_run(link, &statement);

	*answer = (struct row_reader){ 0 };
	if (!err)
		answer->at = link_answer(link, &answer->left);
	return err;
}

/* Appends the names of our statements that run, as a list of texts. */
static int list_running(struct link *link, struct dkt_buf *names)
{
	struct row_reader in;
	int err = ask(link,
		      "SELECT query_id FROM system.processes WHERE query_id LIKE 'dktrace-%'"
		      " FORMAT RowBinary",
		      &in);

	while (!err && in.left && !in.bad) {
		size_t len = 0;
		const char *name = row_take_text(&in, &len);

		/* Names of ours need no escapes. */
		if (name && !memchr(name, '\'', len) && !memchr(name, '\\', len))
			dkt_buf_printf(names, "%s'%.*s'", names->len ? "," : "", (int)len, name);
	}
	if (!err && in.bad)
		err = link_no_answer(link);
	return err ? err : dkt_buf_error(names);
}

/* Asks for one number. */
static int ask_number(struct link *link, const char *text, uint64_t *number)
{
	struct row_reader in;
	int err = ask(link, text, &in);

	if (err)
		return err;
	*number = row_take_u64(&in);
	return in.bad || in.left ? link_no_answer(link) : 0;
}

static int wait_for(struct link *link, const char *names, double patience)
{
	char *text __cleanup(free) =
		dkt__format("SELECT count() FROM system.processes WHERE query_id IN (%s)"
			    " FORMAT RowBinary",
			    names);
	const double until = now() + patience;
	uint64_t n = 0;
	int err = text ? ask_number(link, text, &n) : -ENOMEM;

	while (!err && n && !dkt__stopped() && now() < until) {
		usleep(1000 * LOOK);
		err = ask_number(link, text, &n);
	}
	if (err || !n)
		return err;
	return dkt__stopped() ? -EINTR : -EBUSY;
}

int sender_settle(struct link *link, double patience)
{
	struct dkt_buf *names = NULL;
	int err = dkt_buf_new(&names);

	if (!err)
		err = list_running(link, names);
	if (!err && names->len) {
		dkt__buf_add(names, "", 1);
		err = dkt_buf_error(names) ? -ENOMEM : wait_for(link, names->data, patience);
	}
	dkt_buf_free(names);
	return err;
}

int sender_catch_up(struct link *link, double patience)
{
	static const char text[] =
		"SELECT count() FROM system.replicas WHERE database = currentDatabase() AND"
		" (is_readonly OR inserts_in_queue > 0 OR log_pointer <= log_max_index AND"
		" log_max_index > 0)"
		" FORMAT RowBinary";
	struct trial trial = trial_new(patience);
	uint64_t n = 0;
	int err;

	do {
		err = ask_number(link, text, &n);
		if (!err && !n)
			return 0;
	} while ((!err || err == -EAGAIN) && try_again(&trial, -EAGAIN));
	return dkt__stopped() ? -EINTR : err ? err : -ESTALE;
}

/*
 * Sets whether the server has the rows of the block. -ESTALE: it has a part of them, which only a
 * loader that begins anew can complete.
 */
static int look_for(struct sender *sender, const struct block *block, bool *there)
{
	struct row_reader in;
	size_t before = 0, after = 0;
	int err = sender_settle(sender->link, sender->patience);

	if (!err)
		err = sender_catch_up(sender->link, sender->patience);
	/* It may be a part that another replica has, or that a statement still writes. */
	if (err == -ESTALE || err == -EBUSY)
		err = -EAGAIN;
	if (!err)
		err = ask(sender->link, block->count, &in);
	if (err)
		return err;
	for (size_t i = 0; i < block->n_parts; i++) {
		const struct block_part *part = &block->parts[i];
		struct row_reader rest = in;
		uint64_t n = 0;

		while (rest.left && !rest.bad) {
			uint64_t load = row_take_u64(&rest), rows = row_take_u64(&rest);

			row_take_u64(&rest);
			if (load == part->load)
				n = rows;
		}
		if (rest.bad)
			return link_no_answer(sender->link);
		before += n == part->before;
		after += n == part->before + part->n;
	}
	*there = after == block->n_parts;
	return *there || before == block->n_parts ? 0 : -ESTALE;
}

/* ---- sending ---- */

static int insert(struct sender *sender, const struct block *block)
{
	char *id __cleanup(free) =
		dkt__format("%s-%llu", sender->run, (unsigned long long)++sender->nr);
	struct statement statement = {
		.text = block->insert,
		.settings = sender->settings,
		.id = id,
		.pieces = block->pieces,
		.n_pieces = block->n_pieces,
		.squeezed = sender->squeezes,
	};

	return id ? link_run(sender->link, &statement) : -ENOMEM;
}

/* Columns compress well at the cheapest level: a higher one saves a tenth for three times the CPU. */
#define LEVEL 1

#define ROOM (16u << 10)

static int deflate_to(z_stream *stream, int flush, struct chunks *chunks, struct bytes *bytes)
{
	unsigned char out[ROOM];
	int rc;

	do {
		stream->next_out = out;
		stream->avail_out = sizeof(out);
		rc = deflate(stream, flush);
		if (rc == Z_STREAM_ERROR)
			return -ENOMEM;
		if (stream->avail_out < sizeof(out))
			bytes_add(bytes, chunks, out, sizeof(out) - stream->avail_out);
	} while (!stream->avail_out);
	return bytes->failed ? -ENOMEM : 0;
}

/* Compresses what is sent, as HTTP's deflate: the only method beside gzip that all releases know. */
static int squeeze(const struct statement_piece *pieces, size_t n, struct chunks *chunks,
		   struct bytes *bytes)
{
	z_stream stream = { 0 };
	int err = 0;

	if (deflateInit(&stream, LEVEL) != Z_OK)
		return -ENOMEM;
	for (size_t i = 0; !err && i < n; i++) {
		stream.next_in = (unsigned char *)pieces[i].data;
		stream.avail_in = (unsigned int)pieces[i].len;
		err = deflate_to(&stream, Z_NO_FLUSH, chunks, bytes);
	}
	if (!err)
		err = deflate_to(&stream, Z_FINISH, chunks, bytes);
	deflateEnd(&stream);
	bytes_close(bytes);
	return err;
}

/* Puts the compressed bytes of the rows in their place. */
static int squeeze_block(struct block *block)
{
	struct statement_piece *pieces = NULL;
	size_t n = 0;
	int err = squeeze(block->pieces, block->n_pieces, block->chunks, &block->squeezed);

	if (!err)
		err = statement_add_bytes(&pieces, &n, &block->squeezed);
	free(block->pieces);
	block->pieces = pieces;
	block->n_pieces = n;
	columns_free(block->rows);
	block->rows = NULL;
	return err;
}

static int send_block(struct sender *sender, struct block *block)
{
	struct trial trial = trial_new(sender->patience);
	bool there = false;
	int err = sender->squeezes ? squeeze_block(block) : 0;

	if (!err)
		err = insert(sender, block);

	while (try_again(&trial, err)) {
		err = look_for(sender, block, &there);
		if (!err && !there)
			err = insert(sender, block);
	}
	return end_of(err);
}

static struct block *next(struct sender *sender)
{
	struct block *block = NULL;

	pthread_mutex_lock(&sender->lock);
	sender->busy = false;
	pthread_cond_broadcast(&sender->turn);
	while (!sender->n && !sender->over)
		pthread_cond_wait(&sender->turn, &sender->lock);
	if (sender->n && !sender->over) {
		block = sender->queue[0];
		memmove(sender->queue, sender->queue + 1, (QUEUE - 1) * sizeof(struct block *));
		sender->n--;
		sender->busy = true;
		pthread_cond_broadcast(&sender->turn);
	}
	pthread_mutex_unlock(&sender->lock);
	return block;
}

static void *run(void *data)
{
	struct sender *sender = data;
	struct block *block;
	int err = 0;

	while ((block = next(sender))) {
		if (!err)
			err = send_block(sender, block);
		block_free(block);
		if (!err)
			continue;
		pthread_mutex_lock(&sender->lock);
		sender->err = err;
		pthread_mutex_unlock(&sender->lock);
	}
	return NULL;
}

/* ---- the caller ---- */

int sender_new(const struct server *server, const char *name, const char *settings, double patience,
	       bool squeezes, struct sender **to)
{
	struct sender *sender = calloc(1, sizeof(*sender));
	int err;

	*to = NULL;
	if (!sender)
		return -ENOMEM;
	sender->run = name;
	sender->settings = settings;
	sender->patience = patience;
	sender->squeezes = squeezes;
	pthread_mutex_init(&sender->lock, NULL);
	pthread_cond_init(&sender->turn, NULL);
	err = link_new(server, &sender->link);
	if (!err)
		err = -pthread_create(&sender->thread, NULL, run, sender);
	if (!err) {
		*to = sender;
		return 0;
	}
	link_free(sender->link);
	free(sender);
	return err;
}

int sender_put(struct sender *sender, struct block *block)
{
	int err;

	pthread_mutex_lock(&sender->lock);
	while (sender->n == QUEUE && !sender->err)
		pthread_cond_wait(&sender->turn, &sender->lock);
	err = sender->err;
	if (!err) {
		sender->queue[sender->n++] = block;
		pthread_cond_broadcast(&sender->turn);
	}
	pthread_mutex_unlock(&sender->lock);
	if (err)
		block_free(block);
	return err;
}

int sender_wait(struct sender *sender)
{
	int err;

	pthread_mutex_lock(&sender->lock);
	while (sender->n || sender->busy)
		pthread_cond_wait(&sender->turn, &sender->lock);
	err = sender->err;
	pthread_mutex_unlock(&sender->lock);
	return err;
}

const char *sender_words(const struct sender *sender)
{
	return link_words(sender->link);
}

void sender_free(struct sender *sender)
{
	if (!sender)
		return;
	pthread_mutex_lock(&sender->lock);
	sender->over = true;
	pthread_cond_broadcast(&sender->turn);
	pthread_mutex_unlock(&sender->lock);
	pthread_join(sender->thread, NULL);
	for (unsigned int i = 0; i < sender->n; i++)
		block_free(sender->queue[i]);
	pthread_cond_destroy(&sender->turn);
	pthread_mutex_destroy(&sender->lock);
	link_free(sender->link);
	free(sender);
}
