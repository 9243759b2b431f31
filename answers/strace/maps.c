/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions behind the addresses of this machine's processes. libdwfl reads the maps, and finds the
 * symbols of stripped files in the debug information of the same build ID.
 */
#include "answers/strace/maps.h"

#include <elfutils/libdwfl.h>

#include "compat/log/threads.h"
#include "lib/base/buf.h"
#include "lib/base/keyed.h"
#include "lib/base/util.h"
#include "lib/base/when.h"
#include "lib/inside/debug.h"

/* Each process takes memory for its symbols: beyond this number, the others are read again. */
#define PROCESSES_MAX 256

/*
 * Programs map libraries when they begin: an unknown address has the maps read again. Code that no file
 * has is unknown each time; after these reads, some time must pass.
 */
#define READS_SOON 16
#define AGAIN_NS   INT64_C(100000000)

struct mapped {
	Dwfl *dwfl; /* NULL: nothing is known */
	int32_t pid;
	unsigned int reads;
	int64_t read; /* the last one, on a clock that only goes forward */
};

struct maps {
	Dwfl_Callbacks callbacks;
	struct dkt__keyed threads; /* from their IDs to a uint32_t: the index in list */
	struct mapped *list;
	size_t n;
};

/* ---- processes ---- */

static int is_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, void *any)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	*(bool *)any = true;
	return DWARF_CB_ABORT;
}

/* Keeps what is known if the process has ended meanwhile. */
static void read_maps(struct maps *maps, struct mapped *mapped)
{
	Dwfl *dwfl = dwfl_begin(&maps->callbacks);
	bool any = false;

	mapped->reads++;
	mapped->read = dkt__monotonic_ns();
	if (dwfl && !dwfl_linux_proc_report(dwfl, mapped->pid) &&
	    !dwfl_report_end(dwfl, NULL, NULL))
		dwfl_getmodules(dwfl, is_module, &any, 0);
	dwfl_end(any ? mapped->dwfl : dwfl);
	if (any)
		mapped->dwfl = dwfl;
}

static void forget_all(struct maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		dwfl_end(maps->list[i].dwfl);
	maps->n = 0;
	dkt__keymap_empty(&maps->threads.keys);
}

static struct mapped *find(const struct maps *maps, int32_t tid)
{
	const uint32_t *nr = dkt__keyed_find(&maps->threads, &(uint64_t){ (uint32_t)tid });

	return nr ? &maps->list[*nr] : NULL;
}

/* Sets *i to the process's place in the list. */
static int find_process(struct maps *maps, int32_t pid, uint32_t *i)
{
	int err;

	for (*i = 0; *i < maps->n; ++*i)
		if (maps->list[*i].pid == pid)
			return 0;
	err = dkt__append(maps->list, maps->n, (struct mapped){ .pid = pid });
	if (!err)
		read_maps(maps, &maps->list[*i]);
	return err;
}

/* Reads what the process of the thread has mapped, if that is unknown. Returns 0 or -ENOMEM. */
static int learn(struct maps *maps, int32_t tid)
{
	uint32_t process, *nr;
	bool added;
	int err;

	if (find(maps, tid))
		return 0;
	if (maps->n >= PROCESSES_MAX)
		forget_all(maps);
	err = find_process(maps, dkl_thread_process(tid) ?: tid, &process);
	if (err)
		return err;
	nr = dkt__keyed_add(&maps->threads, &(uint64_t){ (uint32_t)tid }, &added);
	if (!nr)
		return -ENOMEM;
	*nr = process;
	return 0;
}

void maps_forget(struct maps *maps, int32_t tid)
{
	struct mapped *mapped = find(maps, tid);

	if (!mapped)
		return;
	/* Another thread that ends leaves the process as it is. */
	if (mapped->pid == tid) {
		dwfl_end(mapped->dwfl);
		*mapped = (struct mapped){ .pid = tid };
		read_maps(maps, mapped);
	} else {
		dkt__keyed_remove(&maps->threads, &(uint64_t){ (uint32_t)tid });
	}
}

/* ---- addresses ---- */

static Dwfl_Module *find_module(struct maps *maps, struct mapped *mapped, uint64_t address)
{
	Dwfl_Module *module = mapped->dwfl ? dwfl_addrmodule(mapped->dwfl, address) : NULL;

	if (module ||
	    (mapped->reads >= READS_SOON && dkt__monotonic_ns() - mapped->read < AGAIN_NS))
		return module;
	read_maps(maps, mapped);
	return mapped->dwfl ? dwfl_addrmodule(mapped->dwfl, address) : NULL;
}

int maps_learn_at(struct maps *maps, int32_t tid, uint64_t address)
{
	struct mapped *mapped;
	int err = learn(maps, tid);

	mapped = err ? NULL : find(maps, tid);
	if (mapped)
		find_module(maps, mapped, address);
	return err;
}

bool maps_find(struct maps *maps, int32_t tid, uint64_t address, struct map_place *place)
{
	struct mapped *mapped = find(maps, tid);
	Dwfl_Module *module = mapped ? find_module(maps, mapped, address) : NULL;
	const char *path, *slash;
	Dwarf_Addr start;
	GElf_Off offset;
	GElf_Sym symbol;

	if (!module)
		return false;
	path = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL);
	slash = path ? strrchr(path, '/') : NULL;
	place->module = slash ? slash + 1 : path;
	place->function = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
	place->offset = place->function ? offset : address - start;
	return place->module;
}

/* ---- all ---- */

struct maps *maps_new(void)
{
	struct maps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return NULL;
	maps->threads.keys.n_words = 1;
	maps->threads.size = sizeof(uint32_t);
	maps->callbacks = (Dwfl_Callbacks){ .find_elf = dwfl_linux_proc_find_elf,
					    .find_debuginfo = dkt__find_debuginfo };
	return maps;
}

void maps_free(struct maps *maps)
{
	if (!maps)
		return;
	forget_all(maps);
	free(maps->list);
	dkt__keyed_clear(&maps->threads);
	free(maps);
}
