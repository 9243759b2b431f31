/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A spool: a file with pages from a per-CPU buffer, which survives a killed reader.
 *
 * The kernel's read() copies a page straight into a shared mapping of the file, and state changes
 * are single aligned stores. So SIGKILL between any two instructions loses no record; at worst some
 * are shown again.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/base/gained.h"
#include "lib/base/io.h"
#include "lib/instance.h"
#include "lib/source/live/spool.h"

#define SPOOL_MAGIC "DKTSPL01"
#define SPOOL_HEAD  4096

static const char no_magic[8];

/* The spool grows by this number of pages. */
#define SPOOL_STEP 64

/* The number of pages must stay below this to fit in the state. */
#define MAX_PAGES (1u << 24)

struct dkt__spool_head {
	char magic[8];
	uint64_t page_size;
	uint64_t state; /* first page (24 bits), offset in it (16), pages (24): one store */
	uint64_t lost;
	uint64_t read;
	uint64_t emptied;
	uint64_t source; /* ID of the buffer whose counts these are */
	uint64_t owed;
};

struct state {
	struct dkt__spool_pos start;
	uint32_t pages;
};

static struct state state_unpack(uint64_t v)
{
	return (struct state){ .start = { .page = v >> 40, .offset = v >> 24 & 0xffff },
			       .pages = v & 0xffffff };
}

static struct state state_get(const struct dkt__spool *spool)
{
	return state_unpack(__atomic_load_n(&spool->head->state, __ATOMIC_ACQUIRE));
}

static void state_set(struct dkt__spool *spool, struct state s)
{
	uint64_t v = (uint64_t)s.start.page << 40 | (uint64_t)s.start.offset << 24 | s.pages;

	__atomic_store_n(&spool->head->state, v, __ATOMIC_RELEASE);
}

/* One extra page is mapped: a record's header may be read beyond the end. */
static size_t spool_len(const struct dkt__spool *spool, uint32_t pages)
{
	return SPOOL_HEAD + ((size_t)pages + 1) * spool->page_size;
}

/* Allocates space on disk for that many pages: the kernel's copy cannot fill a hole. */
static int spool_grow(struct dkt__spool *spool, uint32_t pages)
{
	size_t len = spool_len(spool, pages);
	void *map;
	int err;

	if (len <= spool->map_len)
		return 0;
	/*
	 * Mapped space is already allocated; allocating all of it again would take longer each
	 * time.
	 */
	err = posix_fallocate(spool->fd, (off_t)spool->map_len, (off_t)(len - spool->map_len));
	if (err)
		return -err;
	if (spool->map)
		map = mremap(spool->map, spool->map_len, len, MREMAP_MAYMOVE);
	else
		map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, spool->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	spool->map = map;
	spool->map_len = len;
	spool->head = map;
	return 0;
}

/* 1: the file has this layout, which is checked before any of it is mapped. 0: it has another one. */
static int file_is_good(const struct dkt__spool *spool, off_t size)
{
	struct dkt__spool_head head;
	const ssize_t n = dkt__pread_all(spool->fd, &head, sizeof(head), 0);
	struct state s;

	if (n < 0)
		return (int)n;
	if (n != (ssize_t)sizeof(head) || memcmp(head.magic, SPOOL_MAGIC, 8) ||
	    head.page_size != spool->page_size)
		return 0;
	s = state_unpack(head.state);
	return (off_t)spool_len(spool, s.pages) <= size && s.start.page <= s.pages &&
	       s.start.offset < spool->page_size && size <= (off_t)spool_len(spool, MAX_PAGES);
}

/* In one store, after what was stored before and before what is stored later. */
static void set_magic(struct dkt__spool_head *head, const char magic[static 8])
{
	uint64_t word;

	memcpy(&word, magic, sizeof(word));
	__atomic_store_n((uint64_t *)(void *)head->magic, word, __ATOMIC_SEQ_CST);
}

static void head_init(struct dkt__spool *spool)
{
	struct dkt__spool_head *head = spool->head;

	set_magic(head, no_magic);
	memset(head, 0, SPOOL_HEAD);
	head->page_size = spool->page_size;
	head->emptied = 1;
	head->source = spool->source;
	set_magic(head, SPOOL_MAGIC);
}

/* True if a reader was killed while it wrote the head of a spool without records. */
static bool file_is_empty(const struct dkt__spool *spool)
{
	char magic[sizeof(no_magic)];

	return pread(spool->fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, no_magic, sizeof(magic));
}

void dkt__spool_name(int cpu, char name[static 24])
{
	snprintf(name, 24, "cpu%d", cpu);
}

static int spool_open_fd(struct dkt_ctx *ctx, int dirfd, int cpu)
{
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_in(dirfd);
	char name[24];
	int fd;

	dkt__spool_name(cpu, name);
	if (dirfd < 0)
		fd = memfd_create(name, MFD_CLOEXEC);
	else
		fd = openat(dirfd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd >= 0 ? fd : dkt_fail(ctx, -errno, "open spool %s: %s", name, strerror(errno));
}

/* The room's time stamp is 0 until the kernel has copied a page there. */
static bool room_is_filled(const struct dkt__spool *spool, uint32_t page)
{
	uint64_t stamp;

	if (spool_len(spool, page + 1) > spool->map_len)
		return false;
	memcpy(&stamp, dkt__spool_page(spool, page), sizeof(stamp));
	return stamp;
}

/*
 * Continues from the state of an earlier reader. The kernel's counts are valid only for the same
 * buffer.
 */
static void resume(struct dkt__spool *spool)
{
	if (room_is_filled(spool, state_get(spool).pages))
		dkt__spool_commit(spool);
	if (spool->head->source != spool->source) {
		dkt__spool_set_base(spool, (struct dkt__spool_base){ .owed = spool->head->owed,
								     .emptied = true });
		spool->head->source = spool->source;
	}
}

int dkt__spool_open(struct dkt_ctx *ctx, struct dkt__spool *spool, int dirfd, int cpu,
		    uint32_t page_size, uint64_t source)
{
	uint32_t pages = SPOOL_STEP;
	struct stat st = { 0 };
	int good, err;

	*spool = (struct dkt__spool){ .page_size = page_size, .source = source };
	spool->fd = spool_open_fd(ctx, dirfd, cpu);
	if (spool->fd < 0)
		return spool->fd;
	good = fstat(spool->fd, &st) ? -errno : file_is_good(spool, st.st_size);
	/* Records that cannot be read may be whole. */
	if (good < 0) {
		dkt__spool_close(spool);
		return dkt_fail(ctx, good, "read the saved records of cpu %d: %s", cpu,
				strerror(-good));
	}
	if (!good && st.st_size) {
		if (!file_is_empty(spool))
			dkt__log(ctx, DKT_LOG_WARN,
				 "the saved records of cpu %d are damaged and were removed", cpu);
		if (ftruncate(spool->fd, 0))
			dkt__log(ctx, DKT_LOG_INFO, "spool of cpu %d: %s", cpu, strerror(errno));
	}
	if (good && st.st_size > (off_t)spool_len(spool, pages))
		pages = (uint32_t)((st.st_size - SPOOL_HEAD) / page_size - 1);
	err = spool_grow(spool, pages);
	if (err) {
		dkt__spool_close(spool);
		return dkt_fail(ctx, err, "create spool for cpu %d: %s", cpu, strerror(-err));
	}
	if (good)
		resume(spool);
	else
		head_init(spool);
	return 0;
}

void dkt__spool_close(struct dkt__spool *spool)
{
	if (spool->map)
		munmap(spool->map, spool->map_len);
	if (spool->fd >= 0)
		close(spool->fd);
	*spool = (struct dkt__spool){ .fd = -1 };
}

void dkt__spool_reset(struct dkt__spool *spool)
{
	head_init(spool);
	memset(dkt__spool_page(spool, 0), 0, 16);
}

uint32_t dkt__spool_pages(const struct dkt__spool *spool)
{
	return state_get(spool).pages;
}

struct dkt__spool_pos dkt__spool_start(const struct dkt__spool *spool)
{
	return state_get(spool).start;
}

void *dkt__spool_page(const struct dkt__spool *spool, uint32_t page)
{
	return spool->map + SPOOL_HEAD + (size_t)page * spool->page_size;
}

void *dkt__spool_room(struct dkt__spool *spool, int *err)
{
	uint32_t pages = state_get(spool).pages;
	void *room;

	*err = pages + 1 >= MAX_PAGES ? -EFBIG : 0;
	if (!*err && spool_len(spool, pages + 1) > spool->map_len)
		*err = spool_grow(spool, pages + SPOOL_STEP);
	if (*err)
		return NULL;
	room = dkt__spool_page(spool, pages);
	memset(room, 0, 16);
	return room;
}

void dkt__spool_commit(struct dkt__spool *spool)
{
	struct state s = state_get(spool);

	s.pages++;
	/* The next page must not look filled if we are killed before it is cleared. */
	if (spool_len(spool, s.pages + 1) <= spool->map_len)
		memset(dkt__spool_page(spool, s.pages), 0, 16);
	state_set(spool, s);
}

bool dkt__spool_release(struct dkt__spool *spool, struct dkt__spool_pos pos)
{
	struct state s = state_get(spool);
	bool empty = pos.page >= s.pages;

	s.start = pos;
	if (empty) {
		s = (struct state){ 0 };
		memset(dkt__spool_page(spool, 0), 0, 16);
	}
	state_set(spool, s);
	return empty;
}

struct dkt__spool_base dkt__spool_get_base(const struct dkt__spool *spool)
{
	return (struct dkt__spool_base){ .lost = spool->head->lost,
					 .read = spool->head->read,
					 .owed = spool->head->owed,
					 .emptied = spool->head->emptied };
}

void dkt__spool_set_base(struct dkt__spool *spool, struct dkt__spool_base base)
{
	spool->head->lost = base.lost;
	spool->head->read = base.read;
	spool->head->owed = base.owed;
	spool->head->emptied = base.emptied;
}

int dkt__spool_dir_sum(const struct dkt_instance *in, const char *sub, struct dkt__spool_sum *sum)
{
	char *path __cleanup(free) = in->spool ? dkt__format("%s%s", in->spool, sub) : NULL;
	struct dkt__gained gained __cleanup(gained_end) = dkt__gained_at(path);
	int dirfd __cleanup(close) = -1;
	int marked = 0;

	*sum = (struct dkt__spool_sum){ 0 };
	if (!path)
		return in->spool ? dkt__no_memory(in->ctx) : 0;
	dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dirfd < 0)
		return errno == ENOENT ?
			       0 :
			       dkt_fail(in->ctx, -errno, "open %s: %s", path, strerror(errno));
	for (int cpu = 0;; cpu++) {
		struct dkt__spool_head head;
		struct state s;
		char name[24];
		int fd __cleanup(close) = -1;

		dkt__spool_name(cpu, name);
		fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0) {
			sum->whole = cpu && marked == cpu;
			return 0;
		}
		if (read(fd, &head, sizeof(head)) != sizeof(head) ||
		    memcmp(head.magic, SPOOL_MAGIC, 8))
			continue;
		s = state_unpack(head.state);
		sum->bytes += (uint64_t)(s.pages - s.start.page) * head.page_size;
		marked += head.read != 0;
	}
}

int dkt__spool_bytes(const struct dkt_instance *in, uint64_t *bytes)
{
	dkt__needs(in ? in->ctx : NULL, dkt__clear(bytes) && in);

	struct dkt__spool_sum sum;
	int err = dkt__spool_dir_sum(in, "", &sum);

	*bytes = sum.bytes;
	return err;
}
