/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds Lustre's messages in the dump of a kernel: libcfs has a list of pages for each CPU and context
 * (cfs_trace_data of libcfs/libcfs/tracefile.c), and the pages are full of binary records. Up to Lustre
 * 2.14, each CPU and context has a second list, of pages that the debug daemon has written to its file.
 * Otherwise the layout is the same in all versions of Lustre 2, and each part of it has its own CPU and
 * context in it, which is checked.
 */
#include "compat/lustre/log_source.h"

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

#define MODULE "libcfs"

/* Processes, soft interrupts, hard interrupts. */
#define CONTEXTS 3
#define CPUS_MAX 8192

/* struct cfs_trace_cpu_data is in a union that fills whole cache lines. */
#define CACHE_LINE UINT64_C(64)

#define PAGE_MAX 65536

/* struct cfs_trace_page */
struct trace_page {
	uint64_t page; /* address of its struct page */
	uint64_t next, prev; /* in the list, addresses of the member next */
	uint32_t used; /* bytes */
	uint16_t cpu;
	uint16_t context;
};

/* The offsets in struct cfs_trace_cpu_data, which begins with a spinlock. */
struct layout {
	uint64_t pages; /* the list's head */
	uint64_t written; /* the head of the list of written pages; 0: no such list */
	uint64_t cpu, context;
	uint64_t size; /* with what fills the cache line */
};

struct walk {
	struct dkt_ctx *ctx;
	struct dkt__dump *dump;
	struct spill *spill;
	struct layout at;
	unsigned int bad; /* lists that cannot be read, or not whole */
	uint16_t bad_cpu; /* of the first of them */
	int bad_err;
	uint8_t room[PAGE_MAX];
};

/* lock: the size of a spinlock; written: there is a list of written pages. */
static struct layout layout_of(uint64_t lock, bool written)
{
	/* A list is its head and the number of its pages. */
	const uint64_t list = 16 + 8;
	const uint64_t pages = ((lock + 7) & ~UINT64_C(7)) + 8;
	/* The lock and its flags; pages, written ones; the most; spare pages; four shorts. */
	const uint64_t counts = pages + list + (written ? list : 0) + 8 + list;

	return (struct layout){ .pages = pages,
				.written = written ? pages + list : 0,
				.cpu = counts + 2,
				.context = counts + 4,
				.size = (counts + 8 + CACHE_LINE - 1) & ~(CACHE_LINE - 1) };
}

static int read_number(const struct walk *walk, uint64_t address, size_t size, uint64_t *value)
{
	uint8_t bytes[sizeof(*value)] = { 0 };
	int err = dkt__dump_read(walk->dump, address, bytes, size);

	*value = dkt__get_number(bytes, size);
	return err;
}

static int copy_page(struct walk *walk, const struct trace_page *page)
{
	uint64_t address;
	uint32_t size;
	int err = dkt__dump_page(walk->dump, page->page, &address, &size);

	if (!err && (page->used > size || size > PAGE_MAX))
		err = -EINVAL;
	if (!err)
		err = dkt__dump_read(walk->dump, address, walk->room, page->used);
	if (err)
		return err;
	err = dkl_spill_add(walk->ctx, walk->spill, walk->room, page->used);
	return err ? -ENOSPC : 0;
}

/*
 * Copies the pages of a list, the oldest first. A list that turns in a circle is found when the mark,
 * which moves ever more rarely, is met again.
 */
static int copy_list(struct walk *walk, uint64_t head, uint16_t cpu, uint16_t context)
{
	uint64_t at, mark = 0, steps = 0, power = 1;
	int missing = 0, err = read_number(walk, head, sizeof(at), &at);

	while (!err && at != head) {
		struct trace_page page;

		err = at == mark ?
			      -ELOOP :
			      dkt__dump_read(walk->dump, at - offsetof(struct trace_page, next),
					     &page, sizeof(page));
		if (!err && (page.cpu != cpu || page.context != context))
			err = -EINVAL;
		if (err)
			break;
		err = copy_page(walk, &page);
		if (err == -ENOSPC)
			return err;
		missing = err ? err : missing;
		err = 0;
		if (++steps == power) {
			power *= 2;
			steps = 0;
			mark = at;
		}
		at = page.next;
	}
	return err ? err : missing;
}

/* True if this is the struct of that CPU and context. */
static int is_own(struct walk *walk, uint64_t place, uint16_t cpu, uint16_t context)
{
	uint64_t is_cpu, is_context;
	int err = read_number(walk, place + walk->at.cpu, sizeof(cpu), &is_cpu);

	if (!err)
		err = read_number(walk, place + walk->at.context, sizeof(context), &is_context);
	return err ? err : is_cpu == cpu && is_context == context;
}

/* The written pages are older. Those of the other list are copied even if they cannot be read. */
static int copy_lists(struct walk *walk, uint64_t place, uint16_t cpu, uint16_t context)
{
	int err, written = 0;

	if (walk->at.written)
		written = copy_list(walk, place + walk->at.written, cpu, context);
	if (written == -ENOSPC)
		return written;
	err = copy_list(walk, place + walk->at.pages, cpu, context);
	return written && err != -ENOSPC ? written : err;
}

/* A list that cannot be read is reported at the end. Returns only an error of writing. */
static int copy_cpu(struct walk *walk, uint64_t place, uint16_t cpu, uint16_t context)
{
	int err = is_own(walk, place, cpu, context);

	if (err >= 0)
		err = err ? copy_lists(walk, place, cpu, context) : -EINVAL;
	if (!err || err == -ENOSPC)
		return err;
	if (!walk->bad++) {
		walk->bad_cpu = cpu;
		walk->bad_err = err;
	}
	return 0;
}

static int count_cpus(const struct walk *walk, uint64_t *n)
{
	uint64_t at;
	int err = dkt__dump_symbol(walk->dump, NULL, "nr_cpu_ids", &at);

	*n = 0;
	if (!err)
		err = read_number(walk, at, sizeof(uint32_t), n);
	return !err && *n > CPUS_MAX ? -EINVAL : err;
}

/*
 * The first list tells whether the layout is a known one: 1: yes; 0: no. Where Lustre 2.14 has the CPU and
 * context of the first list, later ones have zeros, so the second context must be there, too.
 */
static int find_layout(struct walk *walk, uint64_t table)
{
	uint64_t lock, place, next;
	int err = dkt__dump_size(walk->dump, "spinlock", &lock), is;

	if (!err)
		err = read_number(walk, table, sizeof(place), &place);
	if (err)
		return err;
	walk->at = layout_of(lock, false);
	is = is_own(walk, place, 0, 0);
	if (is || read_number(walk, table + sizeof(place), sizeof(next), &next))
		return is;
	walk->at = layout_of(lock, true);
	return is_own(walk, place, 0, 0) == 1 && is_own(walk, next, 0, 1) == 1;
}

static int check_layout(struct walk *walk, uint64_t table, uint64_t *cpus, const char *path)
{
	int err = count_cpus(walk, cpus);

	if (!err)
		err = find_layout(walk, table);
	if (err > 0)
		return 0;
	return dkt_fail(walk->ctx, -EOPNOTSUPP,
			"read %s: Lustre's messages are not where Lustre 2 keeps them: %s", path,
			err ? dkt__dump_why(err) : "the first list is not that of CPU 0");
}

static int copy_all(struct walk *walk, uint64_t table, uint64_t cpus)
{
	uint64_t place;
	int err = 0;

	for (uint16_t context = 0; !err && context < CONTEXTS; context++) {
		if (read_number(walk, table + context * sizeof(place), sizeof(place), &place))
			break;
		for (uint16_t cpu = 0; !err && place && cpu < cpus; cpu++, place += walk->at.size)
			err = copy_cpu(walk, place, cpu, context);
	}
	return err;
}

static int note_damage(const struct walk *walk, char **damage)
{
	if (!walk->bad)
		return 0;
	*damage = dkt__format(
		"%u of Lustre's lists of messages cannot be read, the first of cpu %u: %s",
		walk->bad, walk->bad_cpu, dkt__dump_why(walk->bad_err));
	return *damage ? 0 : dkt__no_memory(walk->ctx);
}

static int find_table(const struct dkt__dump *dump, uint64_t *table)
{
	return dkt__dump_symbol(dump, MODULE, "cfs_trace_data", table);
}

bool dkl_dump_log_exists(const char *path, const struct dkt_source_opts *opts)
{
	struct dkt__dump *dump = NULL;
	struct dkt_ctx *ctx = NULL;
	uint64_t table;
	bool exists = !dkt_ctx_new(NULL, &ctx) && !dkt__dump_open(ctx, path, opts, &dump) &&
		      !find_table(dump, &table);

	dkt__dump_close(dump);
	dkt_ctx_free(ctx);
	return exists;
}

static int read_dump(struct walk *walk, const char *path)
{
	uint64_t table, cpus;
	int err = find_table(walk->dump, &table);

	if (err == -ENOENT)
		return dkt_fail(walk->ctx, err,
				"read %s: it has no messages of Lustre, whose module " MODULE
				" was not loaded",
				path);
	if (err)
		return dkt_fail(walk->ctx, err,
				"read %s: the symbols of the module " MODULE " are not found: %s",
				path, dkt__dump_why(err));
	err = check_layout(walk, table, &cpus, path);
	return err ? err : copy_all(walk, table, cpus);
}

int dkl_dump_log_read(struct dkt_ctx *ctx, const char *path, const struct dkt_source_opts *opts,
		      struct spill *spill, char **damage)
{
	struct walk *walk __cleanup(free) = calloc(1, sizeof(*walk));
	int err;

	if (!walk)
		return dkt__no_memory(ctx);
	walk->ctx = ctx;
	walk->spill = spill;
	err = dkt__dump_open(ctx, path, opts, &walk->dump);
	if (!err)
		err = read_dump(walk, opts->name ? opts->name : path);
	dkt__dump_close(walk->dump);
	if (!err)
		err = note_damage(walk, damage);
	return err ? err : dkl_spill_flush(ctx, spill);
}
