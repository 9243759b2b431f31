/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads dumps of namespaces, and finds in each resource which lock blocks which others. */
#include "compat/lustre_log/lock_dump.h"

#include "compat/lustre_log/lock_text.h"

/* The locks of a resource that are compared, so that a made-up dump does not take for ever. */
#define COMPARED_MAX 4096

enum kind {
	BEGINS, /* a namespace, a resource, or its granted locks */
	WAITS, /* the locks that follow are not granted, or not as they want to be */
	CUT, /* Lustre leaves out the other granted locks */
	LOCK,
	NONE,
};

static const struct {
	const char *words;
	enum kind kind;
} lines[] = {
	{ "--- Namespace: ", BEGINS }, { "--- Resource: ", BEGINS }, { "Granted locks", BEGINS },
	{ "Converting locks", WAITS }, { "Waiting locks", WAITS },   { "only dump ", CUT },
	{ "### ### ns: ", LOCK },
};

static enum kind kind_of(const struct part *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (part_begins(text, lines[i].words))
			return lines[i].kind;
	return NONE;
}

bool dkl_lock_dump_wanted(const char *text)
{
	return kind_of(&(struct part){ text, strlen(text) }) != NONE;
}

struct lock_dump_lock {
	bool waiting;
	uint32_t nid, mode, pid;
	uint64_t handle;
	unsigned int mode_bit, allows; /* modes that others may have at the same time */
	struct lock_range range;
};

/* ---- modes ---- */

enum {
	EX = 1,
	PW = 2,
	PR = 4,
	CW = 8,
	CR = 16,
	NL = 32,
	GROUP = 64,
	COS = 128,
};

static void set_mode(struct lock_dump_lock *lock, const struct part *mode)
{
	/* As ldlm_lock.c has it: each mode allows what stronger ones do. */
	static const struct {
		const char *name;
		unsigned int bit, allows;
	} modes[] = {
		{ "EX", EX, NL },
		{ "PW", PW, NL | CR },
		{ "PR", PR, NL | CR | PR },
		{ "CW", CW, NL | CR | CW },
		{ "CR", CR, NL | CR | CW | PR | PW },
		{ "NL", NL, NL | CR | CW | PR | PW | EX | GROUP },
		{ "GROUP", GROUP, NL | GROUP },
		{ "COS", COS, COS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (part_is(mode, modes[i].name)) {
			lock->mode_bit = modes[i].bit;
			lock->allows = modes[i].allows;
		}
}

static bool conflict(const struct lock_dump_lock *a, const struct lock_dump_lock *b)
{
	/* A mode that is unknown allows none. */
	return !(a->allows & b->mode_bit) && lock_range_meets(&a->range, &b->range);
}

/* ---- one resource ---- */

static void add_waiter(struct lock_block *block, const struct lock_dump_lock *lock,
		       const struct lock_dump_lock *waiter)
{
	if (lock) {
		block->known = true;
		block->granted = !lock->waiting;
		block->nid = lock->nid;
		block->mode = lock->mode;
		block->pid = lock->pid;
		block->handle = lock->handle;
	}
	if (block->n_waiters < LOCK_BLOCK_FIRST)
		block->waiters[block->n_waiters] = waiter->nid;
	block->n_waiters++;
}

/* Adds the waiter to each granted lock that it waits for, otherwise to the one before it in the queue. */
static void add_to_blocks(const struct lock_dump_res *res, size_t waiter, struct lock_block *blocks)
{
	const struct lock_dump_lock *locks = res->locks;
	bool found = false;

	/* Granted locks come first. */
	for (size_t i = 0; i < waiter && i < COMPARED_MAX; i++) {
		if ((found && locks[i].waiting) || !conflict(&locks[i], &locks[waiter]))
			continue;
		add_waiter(&blocks[i], &locks[i], &locks[waiter]);
		found = true;
	}
	if (!found)
		add_waiter(&blocks[res->n], NULL, &locks[waiter]);
}

static int keep_blocks(struct lock_dump *dump, const struct lock_dump_res *res, uint32_t entry)
{
	struct lock_block *blocks __cleanup(free) = calloc(res->n + 1, sizeof(*blocks));
	int err = blocks ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < res->n; i++)
		if (res->locks[i].waiting)
			add_to_blocks(res, i, blocks);
	for (size_t i = 0; !err && i <= res->n; i++) {
		if (!blocks[i].n_waiters)
			continue;
		blocks[i].entry = entry;
		blocks[i].host = res->host;
		blocks[i].ns = res->ns;
		blocks[i].res = res->res;
		blocks[i].time = res->time;
		err = dkt__append(dump->list, dump->n, blocks[i]);
	}
	return err;
}

/* Later dumps of the resource replace this one, also if nothing waits any more. */
static int end_res(struct lock_dump *dump, struct lock_dump_res *res)
{
	bool added;
	uint32_t entry;
	int err = 0;

	if (res->n) {
		entry = dkt__keymap_add(&dump->last, (uint64_t[]){ res->host, res->ns, res->res },
					&added);
		if (entry == DKT__KEYMAP_NONE ||
		    (added && dkt__append(dump->times, dump->n_times, UINT64_C(0))))
			return -ENOMEM;
		dump->times[entry] = res->time;
		err = keep_blocks(dump, res, entry);
	}
	res->n = 0;
	res->waiting = false;
	return err;
}

/* ---- lines ---- */

static int add_lock(struct lock_dump *dump, const struct lock_text *text, struct lock_dump_res *res)
{
	struct lock_dump_lock lock = { .waiting = res->waiting,
				       .pid = text->pid,
				       .handle = text->handle,
				       .range = text->range };
	/* A lock that waits for a stronger mode is among the waiting ones. */
	const struct part *mode = res->waiting ? &text->wanted : &text->granted;

	set_mode(&lock, mode);
	lock.nid = dkl_name_number(dump->names, text->nid);
	lock.mode = dkl_name_number(dump->names, *mode);
	res->ns = dkl_name_number(dump->names, text->ns);
	res->res = dkl_name_number(dump->names, text->res);
	if (lock.nid == UINT32_MAX || lock.mode == UINT32_MAX || res->ns == UINT32_MAX ||
	    res->res == UINT32_MAX)
		return -ENOMEM;
	dump->locks++;
	return dkt__append(res->locks, res->n, lock);
}

static struct lock_dump_res *reading(struct lock_dump *dump, const struct log_line *line)
{
	bool added;
	uint32_t entry = dkt__keymap_add(&dump->threads,
					 (uint64_t[]){ line->host, (uint64_t)line->pid }, &added);

	if (entry == DKT__KEYMAP_NONE ||
	    (added && dkt__append(dump->reading, dump->n_reading,
				  (struct lock_dump_res){ .host = line->host })))
		return NULL;
	return &dump->reading[entry];
}

int dkl_lock_dump_add(struct lock_dump *dump, const struct log_line *line, bool *part)
{
	const enum kind kind = kind_of(&line->text);
	struct lock_dump_res *res = kind == NONE ? NULL : reading(dump, line);
	struct lock_text text;

	*part = kind != NONE;
	if (!res)
		return kind == NONE ? 0 : -ENOMEM;
	switch (kind) {
	case LOCK:
		return dkl_lock_text_read(line->text.p, line->text.len, &text) ?
			       add_lock(dump, &text, res) :
			       0;
	case WAITS:
		res->waiting = true;
		return 0;
	case CUT:
		dump->cut++;
		return 0;
	default:
		break;
	}
	if (end_res(dump, res))
		return -ENOMEM;
	res->time = line->time;
	return 0;
}

int dkl_lock_dump_end(struct lock_dump *dump)
{
	int err = 0;

	for (size_t i = 0; !err && i < dump->n_reading; i++)
		err = end_res(dump, &dump->reading[i]);
	return err;
}

bool dkl_lock_dump_is_last(const struct lock_dump *dump, const struct lock_block *block)
{
	return dump->times[block->entry] == block->time;
}

void dkl_lock_dump_init(struct lock_dump *dump, struct name_table *names)
{
	*dump = (struct lock_dump){ .names = names, .threads.n_words = 2, .last.n_words = 3 };
}

void dkl_lock_dump_clear(struct lock_dump *dump)
{
	for (size_t i = 0; i < dump->n_reading; i++)
		free(dump->reading[i].locks);
	free(dump->reading);
	free(dump->times);
	free(dump->list);
	dkt__keymap_clear(&dump->threads);
	dkt__keymap_clear(&dump->last);
	*dump = (struct lock_dump){ 0 };
}
