/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects rows until they are a block. */
#include "answers/load/loading.h"

/* A block is sent when it has so much, and the largest one when all have so much. */
#define BLOCK_ROWS   (1u << 20)
#define BLOCK_BYTES  (16u << 20)
#define WAITING_MOST (64u << 20)

/* Rows after which the bytes are counted. */
#define COUNTED_ROWS 64

#define DAY_SECONDS 86400

/* ---- sending ---- */

static int set_count(struct load *load, struct target *target)
{
	size_t *files __cleanup(free) = calloc(load->n_all, sizeof(*files));

	if (!files)
		return -ENOMEM;
	for (size_t i = 0; i < load->n_all; i++)
		if (target->parts[i].in) {
			files[target->parts[i].in - 1] = i;
			target->parts[i].in = 0;
		}
	return target_count_text(load, target, files, target->block->n_parts,
				 &target->block->count);
}

static int sender_failed(struct load *load, const struct sender *sender, int err)
{
	if (err == -ESTALE)
		return load_fail(load, err,
				 "a part of an insertion was written; load the file again, which"
				 " completes it");
	return load_fail(load, err, sender_words(sender));
}

int block_send(struct load *load, struct target *target)
{
	struct sender *sender = load->senders[target->sender];
	struct block *block = target->block;
	int err;

	if (!block)
		return 0;
	load->waiting -= target->waiting;
	target->waiting = 0;
	load->rows += block->rows->rows;
	err = set_count(load, target);
	if (!err)
		err = columns_pack(block->rows, target->columns, &block->pieces, &block->n_pieces);
	block->insert = strdup(target->insert);
	target->block = NULL;
	if (err || !block->insert) {
		block_free(block);
		return dkt__no_memory(load->ctx);
	}
	if (load->opts.say) {
		block_free(block);
		return 0;
	}
	err = sender_put(sender, block);
	return err ? sender_failed(load, sender, err) : 0;
}

static int send_largest(struct load *load)
{
	struct target *most = NULL;

	for (size_t i = 0; i < load->n_targets; i++) {
		struct target *target = load->targets[i];

		if (target->block && (!most || target->waiting > most->waiting))
			most = target;
	}
	return most ? block_send(load, most) : 0;
}

int blocks_send_all(struct load *load)
{
	int err = 0;

	for (size_t i = 0; !err && i < load->n_targets; i++)
		err = block_send(load, load->targets[i]);
	for (size_t i = 0; !load->opts.say && i < SENDERS; i++) {
		int late = sender_wait(load->senders[i]);

		if (!err && late)
			err = sender_failed(load, load->senders[i], late);
	}
	return err;
}

/* ---- rows ---- */

static int new_block(struct load *load, struct target *target)
{
	struct block *block = calloc(1, sizeof(*block));

	if (!block)
		return dkt__no_memory(load->ctx);
	if (columns_new(load->chunks, target->columns, target->n, &block->rows)) {
		free(block);
		return dkt__no_memory(load->ctx);
	}
	block->chunks = load->chunks;
	target->block = block;
	return 0;
}

static int new_part(struct load *load, struct target *target, size_t file)
{
	struct target_part *part = &target->parts[file];
	struct block *block = target->block;
	struct block_part block_part = { .load = load->files[file].id, .before = part->seen - 1 };

	if (dkt__append(block->parts, block->n_parts, block_part))
		return dkt__no_memory(load->ctx);
	part->in = block->n_parts;
	return 0;
}

/* Seconds since the epoch. */
static uint32_t time_of(const struct load *load, uint64_t ts)
{
	int64_t time = (int64_t)ts + load->wall;

	return time < 0 ? 0 : (uint32_t)((uint64_t)time / 1000000000);
}

/* Files of hosts that have sent nothing follow those with records. */
static const char *name_of(const struct load *load, size_t file)
{
	return file < load->n ? load->p->parts[file].name : load->p->absent[file - load->n].path;
}

/* The first rows of the file are there already; they must be those that it has now. */
static int skip(struct load *load, struct target *target, size_t file, uint64_t seq)
{
	const struct target_part *part = &target->parts[file];

	load->there++;
	if (part->seen < part->there || seq == part->last)
		return 0;
	return dkt_fail(load->ctx, -EEXIST,
			"%s: the table %s has other rows of %s than this release makes: row %llu is"
			" number %llu, not %llu",
			load->server.url, target->name, name_of(load, file),
			(unsigned long long)part->seen, (unsigned long long)part->last,
			(unsigned long long)seq);
}

int block_row(struct load *load, struct target *target, size_t file, uint64_t seq, uint64_t ts,
	      struct columns **row)
{
	struct target_part *part = &target->parts[file];
	uint32_t time = time_of(load, ts);
	const char *host = load->files[file].host;
	int err = 0;

	*row = NULL;
	if (part->seen++ < part->there)
		return skip(load, target, file, seq);
	if (dkt__unlikely(target->block && target->day != time / DAY_SECONDS))
		err = block_send(load, target);
	if (!err && dkt__unlikely(!target->block))
		err = new_block(load, target);
	if (!err && dkt__unlikely(!part->in))
		err = new_part(load, target, file);
	if (err)
		return err;
	target->day = time / DAY_SECONDS;
	target->block->parts[part->in - 1].n++;
	*row = target->block->rows;
	(*row)->at = 0;
	row_u64(*row, load->files[file].id);
	row_u64(*row, seq);
	row_u32(*row, time);
	row_text(*row, host, strlen(host));
	return 0;
}

int block_end(struct load *load, struct target *target)
{
	const struct columns *rows = target->block->rows;

	if (dkt__likely(++target->block->rows->rows % COUNTED_ROWS))
		return 0;
	load->waiting -= target->waiting;
	target->waiting = columns_size(rows);
	load->waiting += target->waiting;
	if (rows->rows >= BLOCK_ROWS || target->waiting >= BLOCK_BYTES)
		return block_send(load, target);
	return load->waiting >= WAITING_MOST ? send_largest(load) : 0;
}
