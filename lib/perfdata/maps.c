/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory layout in a perf.data file: the files that each process has mapped, and functions that the
 * kernel added later.
 */
#include <inttypes.h>
#include <search.h>

#include "lib/debuginfo/demangle.h"
#include "lib/perfdata.h"
#include "lib/symbol.h"

/* The function or file of an address that nothing is known about, as perf script prints it. */
#define UNKNOWN "[unknown]"

/* The number of maps of a process that are searched, the last ones first. */
#define MAX_LOOK 4096

/* Names that are remembered. */
#define MAX_FRAMES (1u << 17)

/* Addresses that are remembered, by the lower bits of their hash. */
#define NAMED_BITS 15

/*
 * A new process starts with its parent's maps. The maps of its previous program stay, because exec
 * is recorded while the last calls of that program are still on the stack.
 */
struct dkt__perf_map {
	const struct dkt__perf_map *before; /* the previous map of the process */
	struct dkt__perf_map *next; /* of all maps, whatever their process */
	uint64_t start, length, offset;
	struct dkt__perf_program *program; /* NULL: not a file */
	int32_t pid; /* of the process that mapped it */
	uint32_t name_len;
	bool is_function;
	bool is_anonymous; /* code without a file, of a just-in-time compiler */
	char name[]; /* without a NUL */
};

struct process {
	int32_t pid;
	const struct dkt__perf_map *last;
};

static int process_cmp(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Most frames are of a few processes. */
const struct dkt__perf_map *dkt__perf_maps_of(struct dkt__perf *perf, int32_t pid)
{
	struct dkt__perf_recent *recent = &perf->recent[(uint32_t)pid % ARRAY_SIZE(perf->recent)];
	struct process key = { .pid = pid };
	struct process *const *found;

	if (recent->known && recent->pid == pid)
		return recent->maps;
	found = tfind(&key, &perf->processes, process_cmp);
	*recent = (struct dkt__perf_recent){ .pid = pid,
					     .known = true,
					     .maps = found ? (*found)->last : NULL };
	return recent->maps;
}

static int set_maps(struct dkt__perf *perf, int32_t pid, const struct dkt__perf_map *last)
{
	struct process *process = malloc(sizeof(*process)), **found;

	if (!process)
		return -ENOMEM;
	*process = (struct process){ .pid = pid };
	perf->recent[(uint32_t)pid % ARRAY_SIZE(perf->recent)].known = false;
	found = tsearch(process, &perf->processes, process_cmp);
	if (!found || *found != process)
		free(process);
	if (!found)
		return -ENOMEM;
	(*found)->last = last;
	return 0;
}

static int add_map(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	const char *name = (const char *)item->data, *end = name + item->size, *slash;
	struct dkt__perf_program *program = NULL;
	/* "//anon" */
	const bool is_anonymous = item->size > 1 && name[0] == '/' && name[1] == '/';
	struct dkt__perf_map *map;
	size_t len;

	if (!item->size)
		return 0;
	if (!is_anonymous && item->type != PERF_RECORD_KSYMBOL && item->pid >= 0 &&
	    dkt__perf_program_find(perf, item, &program))
		return -ENOMEM;
	slash = memrchr(name, '/', item->size);
	name = slash ? slash + 1 : name;
	len = (size_t)(end - name);
	map = malloc(sizeof(*map) + len);
	if (!map)
		return -ENOMEM;
	*map = (struct dkt__perf_map){ .before = dkt__perf_maps_of(perf, item->pid),
				       .next = perf->maps,
				       .start = item->start,
				       .length = item->length,
				       .offset = item->offset,
				       .program = program,
				       .pid = item->pid,
				       .is_anonymous = is_anonymous,
				       .name_len = (uint32_t)len,
				       .is_function = item->type == PERF_RECORD_KSYMBOL };
	memcpy(map->name, name, len);
	perf->maps = map;
	return set_maps(perf, item->pid, map);
}

/* "snd_hda_intel" for the kernel's map of ".../snd-hda-intel.ko.xz"; 0: another map, or a long name. */
static size_t module_name(const struct dkt__perf_item *item, char *name, size_t room)
{
	const char *path = (const char *)item->data;
	const char *slash = memrchr(path, '/', item->size);
	const size_t n = slash ? (size_t)(path + item->size - slash) - 1 : 0;
	const char *end = memmem(path + item->size - n, n, ".ko", strlen(".ko"));
	const size_t len = end ? (size_t)(end - slash) - 1 : 0;

	if (len > room)
		return 0;
	for (size_t i = 0; i < len; i++)
		name[i] = slash[1 + i] == '-' ? '_' : slash[1 + i];
	return len;
}

/* The kernel's symbols tell more, if they are known. */
static int add_kernel_map(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	struct dkt__perf_item module = *item;
	char name[64];

	if (perf->has_symbols)
		return 0;
	module.size = module_name(item, name, sizeof(name));
	module.data = (const uint8_t *)name;
	return add_map(perf, &module);
}

int dkt__perf_maps_apply(struct dkt__perf *perf, const struct dkt__perf_item *item)
{
	switch (item->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (item->misc & PERF_RECORD_MISC_MMAP_DATA)
			return 0;
		return item->pid >= 0 ? add_map(perf, item) : add_kernel_map(perf, item);
	case PERF_RECORD_KSYMBOL:
		return add_map(perf, item);
	case PERF_RECORD_FORK:
		return item->pid != item->parent ?
			       set_maps(perf, item->pid, dkt__perf_maps_of(perf, item->parent)) :
			       0;
	default:
		return 0;
	}
}

void dkt__perf_maps_clear(struct dkt__perf *perf)
{
	dkt__keymap_clear(&perf->frames);
	free(perf->frame_names);
	perf->frame_names = NULL;
	perf->n_frames = 0;
	free(perf->named);
	free(perf->places);
	perf->named = NULL;
	perf->places = NULL;
	memset(perf->recent, 0, sizeof(perf->recent));
	tdestroy(perf->processes, free);
	perf->processes = NULL;
	while (perf->maps) {
		struct dkt__perf_map *next = perf->maps->next;

		free(perf->maps);
		perf->maps = next;
	}
}

/* ---- names ---- */

/* The kernel appends this to the name of a deleted file. */
#define DELETED " (deleted)"

int dkt__perf_put_name(const char *name, size_t n, char *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (unsigned char)name[i] < ' ' || strchr(";\x7f", name[i]) ? '_' : name[i];
	return (int)n;
}

static int put_file(const struct dkt__perf_map *map, char *to)
{
	size_t n = map->name_len, suffix = strlen(DELETED);

	if (n > suffix && !memcmp(map->name + n - suffix, DELETED, suffix))
		n -= suffix;
	return dkt__perf_put_name(map->name, n, to);
}

/* A version, as in "read@GLIBC_2.2.5", is no part of the name; "strcmp@plt" is another function. */
static size_t name_len(const char *name)
{
	const size_t len = strcspn(name, "@");

	return strcmp(name + len, "@plt") ? len : strlen(name);
}

/* "read+0x10 [libc.so.6]"; 0: the function is unknown. */
static uint64_t function_of(struct dkt__perf *perf, const struct dkt__perf_map *map, uint64_t at)
{
	uint64_t offset;
	const char *symbol = dkt__perf_function(perf, map->program, at, &offset);
	char *plain __cleanup(free) = symbol ? dkt__demangle(symbol) : NULL;
	const char *name = plain ? plain : symbol;
	const size_t len = plain ? strlen(plain) : name ? name_len(name) : 0;
	char text[1024];
	int n;

	if (!len || len + map->name_len > sizeof(text) - 32)
		return 0;
	n = dkt__perf_put_name(name, len, text);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "+0x%" PRIx64 " [", offset);
	n += put_file(map, text + n);
	text[n++] = ']';
	return dkt__symbol_create(perf->streams.base.ctx, text, (size_t)n);
}

/* "java.lang.String::hashCode+0x1c [perf-4711.map]"; without a name, the file is that of perf script. */
static uint64_t compiled_of(struct dkt__perf *perf, const struct dkt__perf_map *map, uint64_t at)
{
	uint64_t offset;
	size_t len;
	const char *name = dkt__perf_jit_function(perf, map->pid, map->start + at, &len, &offset);
	char text[1024];
	int n;

	if (!name || len > sizeof(text) - 64) {
		n = snprintf(text, sizeof(text), "perf-%d.map", map->pid);
		return dkt__symbol_create_file(perf->streams.base.ctx, text, (size_t)n, at);
	}
	n = dkt__perf_put_name(name, len, text);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "+0x%" PRIx64 " [perf-%d.map]", offset,
		      map->pid);
	return dkt__symbol_create(perf->streams.base.ctx, text, (size_t)n);
}

/* "program+0x12f0"; a function that the kernel added has a name, but belongs to no file. */
static uint64_t file_of(struct dkt__perf *perf, const struct dkt__perf_map *map, uint64_t at)
{
	char text[512];
	int n;

	if (map->name_len > sizeof(text) - 32)
		return 0;
	n = put_file(map, text);
	return map->is_function ?
		       dkt__symbol_create_whole(perf->streams.base.ctx, text, (size_t)n) :
		       dkt__symbol_create_file(perf->streams.base.ctx, text, (size_t)n, at);
}

static uint64_t name_of(struct dkt__perf *perf, const struct dkt__perf_map *map, uint64_t at)
{
	uint64_t made;

	if (map->is_anonymous)
		return compiled_of(perf, map, at);
	made = map->is_function ? 0 : function_of(perf, map, at);
	return made ? made : file_of(perf, map, at);
}

/* Returns the place of the name for a key, 0 for a new one; NULL: memory is out. */
static uint64_t *name_for(struct dkt__perf *perf, const void *of, uint64_t at)
{
	const uint64_t key[] = { (uintptr_t)of, at };
	uint32_t entry;
	bool added;

	perf->frames.n_words = ARRAY_SIZE(key);
	if (perf->frames.n >= MAX_FRAMES)
		dkt__keymap_empty(&perf->frames);
	entry = dkt__keymap_add(&perf->frames, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (!dkt__reach(perf->frame_names, perf->n_frames, entry)) {
		dkt__keymap_remove(&perf->frames, key);
		return NULL;
	}
	if (added)
		perf->frame_names[entry] = 0;
	return &perf->frame_names[entry];
}

/* Processes that run the same program have the same names. */
static uint64_t name_in(struct dkt__perf *perf, const struct dkt__perf_map *map, uint64_t address)
{
	const uint64_t at = address - map->start + (map->is_anonymous ? 0 : map->offset);
	uint64_t *name = name_for(perf, map->program ? (const void *)map->program : map, at);

	if (name && !*name)
		*name = name_of(perf, map, at);
	return name && *name ? *name : address;
}

static const struct dkt__perf_map *find_map(const struct dkt__perf_map *map, uint64_t address)
{
	for (int i = 0; map && i < MAX_LOOK; i++, map = map->before)
		if (address >= map->start && address - map->start < map->length)
			return map;
	return NULL;
}

struct dkt__perf_program *dkt__perf_maps_program(const struct dkt__perf_map *maps, uint64_t address,
						 uint64_t *at)
{
	const struct dkt__perf_map *map = find_map(maps, address);

	*at = map ? map->offset + address - map->start : 0;
	return map ? map->program : NULL;
}

/* The same addresses come again and again; a process with other maps has another last one. */
static struct dkt__perf_named *named_at(struct dkt__perf *perf, const struct dkt__perf_map *last,
					uint64_t address)
{
	const uint64_t hash = dkt__mix((uintptr_t)last, address);

	if (!perf->named)
		perf->named = calloc(1u << NAMED_BITS, sizeof(*perf->named));
	return perf->named ? &perf->named[hash & ((1u << NAMED_BITS) - 1)] : NULL;
}

uint64_t dkt__perf_maps_name(struct dkt__perf *perf, int32_t pid, uint64_t address)
{
	const struct dkt__perf_map *last = dkt__perf_maps_of(perf, pid);
	const struct dkt__perf_map *map;
	struct dkt__perf_named *named;
	uint64_t found;

	/* An address that stands for a name takes eight bytes. */
	if (!last || perf->streams.base.ctx->long_size != 8)
		return address;
	named = named_at(perf, last, address);
	if (named && named->maps == last && named->address == address)
		return named->name;
	map = find_map(last, address);
	found = map ? name_in(perf, map, address) : address;
	if (named)
		*named = (struct dkt__perf_named){ last, address, found };
	return found;
}

/* ---- places of samples ---- */

/* Places that are remembered, by the lower bits of their hash. */
#define PLACE_BITS 13

static struct dkt__perf_word word_of(const char *text)
{
	return (struct dkt__perf_word){ text, (uint32_t)strlen(text) };
}

/* A file has brackets in place of a function's name; modules and mappings of the kernel have them always. */
static struct dkt__perf_word dso_of(const char *file, bool kernel)
{
	static const char *const kernels[] = { "[vdso]", "[vsyscall]", "[vectors]",
					       "[heap]", "[stack]",    "[uprobes]" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		if (!strcmp(file, kernels[i]))
			return word_of(kernels[i]);
	if (kernel)
		return word_of(file);
	return (struct dkt__perf_word){ file + 1, (uint32_t)strlen(file) - 2 };
}

static void find_place(struct dkt__perf *perf, const struct dkt__perf_item *item,
		       struct dkt__perf_name *name)
{
	const uint64_t ip = item->values[DKT__PERF_IP];
	const bool kernel = dkt__perf_is_kernel(item);
	struct dkt__place place;
	int err = dkt__symbol_place(perf->streams.base.ctx,
				    dkt__perf_maps_name(perf, kernel ? -1 : item->pid, ip), &place);

	name->sym = word_of(UNKNOWN);
	/* Code beyond the kernel, such as a program of BPF, is in no file. */
	name->dso = word_of(kernel && err != -ENOENT ? DKT__PERF_KERNEL_MAP : UNKNOWN);
	/* The kernel's symbols have no addresses of programs. */
	if (err || (!kernel && !place.module && !dkt__symbol_is_file(place.name)))
		return;
	name->offset = place.offset;
	if (dkt__symbol_is_file(place.name)) {
		name->dso = dso_of(place.name, kernel);
		return;
	}
	name->sym = word_of(place.name);
	if (place.module)
		name->dso = word_of(place.module);
	name->in_module = kernel && place.module;
}

void dkt__perf_maps_place(struct dkt__perf *perf, const struct dkt__perf_item *item,
			  struct dkt__perf_name *name)
{
	const uint64_t ip = item->values[DKT__PERF_IP];
	const bool kernel = dkt__perf_is_kernel(item);
	const uint64_t where = (uintptr_t)dkt__perf_maps_of(perf, kernel ? -1 : item->pid) | kernel;
	struct dkt__perf_name *had;

	if (!perf->places)
		perf->places = calloc(1u << PLACE_BITS, sizeof(*perf->places));
	had = perf->places ? &perf->places[dkt__mix(where, ip) & ((1u << PLACE_BITS) - 1)] : NULL;
	if (had && had->sym.text && had->where == where && had->ip == ip) {
		*name = *had;
		return;
	}
	*name = (struct dkt__perf_name){ .where = where, .ip = ip };
	find_place(perf, item, name);
	if (had)
		*had = *name;
}
