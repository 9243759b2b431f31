/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs the allocations and frees of Lustre's memory. */
#include "compat/lustre_log/leaks.h"

#include "lib/base/memory.h"

/* A piece of memory. After it was freed the entry stays, to recognise a second free. */
struct leak_piece {
	uint64_t size;
	uint32_t site; /* that allocated it */
	bool live;
};

void dkl_leaks_init(struct leaks *leaks, struct dkt_ctx *ctx)
{
	*leaks = (struct leaks){ .ctx = ctx, .site_map.n_words = 3, .map.n_words = 2 };
	dkl_name_table_init(&leaks->names);
}

void dkl_leaks_clear(struct leaks *leaks)
{
	dkt__keymap_clear(&leaks->site_map);
	dkt__keymap_clear(&leaks->map);
	dkl_name_table_clear(&leaks->names);
	free(leaks->sites);
	free(leaks->pieces);
	*leaks = (struct leaks){ 0 };
}

/* Returns the number of the line's site; UINT32_MAX: memory is out. */
static uint32_t find_site(struct leaks *leaks, const struct log_line *line, struct part name)
{
	uint32_t file = dkl_name_number(&leaks->names, line->file);
	uint32_t variable = dkl_name_number(&leaks->names, name), entry;
	uint64_t key[] = { file, line->number, variable };
	bool added;

	if (file == UINT32_MAX || variable == UINT32_MAX)
		return UINT32_MAX;
	entry = dkt__keymap_add(&leaks->site_map, key, &added);
	if (!added)
		return entry;
	if (dkt__append(leaks->sites, leaks->n_sites,
			(struct leak_site){ .file = file,
					    .function =
						    dkl_name_number(&leaks->names, line->function),
					    .name = variable,
					    .line = line->number }))
		return UINT32_MAX;
	return entry;
}

static void forget(struct leaks *leaks, struct leak_piece *piece)
{
	struct leak_site *site = &leaks->sites[piece->site];

	site->freed++;
	site->live_bytes -= piece->size;
	leaks->bytes -= piece->size;
	piece->live = false;
}

static void allocate(struct leaks *leaks, const struct malloc_text *text, uint32_t nr,
		     struct leak_piece *piece)
{
	struct leak_site *site = &leaks->sites[nr];

	leaks->allocs++;
	if (piece->live) {
		site->again++;
		leaks->again++;
		forget(leaks, piece);
	}
	*piece = (struct leak_piece){ .size = text->size, .site = nr, .live = true };
	site->allocated++;
	site->live_bytes += text->size;
	leaks->bytes += text->size;
	leaks->most = DKT__MAX(leaks->most, leaks->bytes);
}

static void release(struct leaks *leaks, const struct malloc_text *text, uint32_t nr, bool known,
		    struct leak_piece *piece)
{
	struct leak_site *site = &leaks->sites[nr];

	leaks->frees++;
	if (!known) {
		site->unknown++;
		leaks->unknown++;
	} else if (!piece->live) {
		site->twice++;
		leaks->twice++;
	} else {
		/* A size of 0 is not known. */
		if (text->size && piece->size && text->size != piece->size) {
			site->other_size++;
			leaks->other_size++;
		}
		forget(leaks, piece);
	}
}

void dkl_leaks_restart(struct leaks *leaks, uint32_t host)
{
	for (uint32_t i = 0; i < leaks->n_pieces; i++) {
		const uint64_t key[] = { host, dkt__keymap_key(&leaks->map, i)[1] };

		/* Another entry, or none, has the key of one of another host. */
		if (dkt__keymap_find(&leaks->map, key) != i)
			continue;
		if (leaks->pieces[i].live) {
			leaks->cut++;
			forget(leaks, &leaks->pieces[i]);
		}
		dkt__keymap_remove(&leaks->map, key);
	}
}

int dkl_leaks_add(struct leaks *leaks, const struct log_line *line)
{
	struct malloc_text text;
	uint64_t key[2];
	uint32_t site, entry;
	bool added;

	if (!dkl_malloc_text_read(line->text.p, line->text.len, &text))
		return 0;
	if (text.hidden) {
		leaks->hidden++;
		return 0;
	}
	site = find_site(leaks, line, text.name);
	key[0] = line->host;
	key[1] = text.address;
	entry = site == UINT32_MAX ? DKT__KEYMAP_NONE : dkt__keymap_add(&leaks->map, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return dkt__no_memory(leaks->ctx);
	if (entry == leaks->n_pieces &&
	    dkt__append(leaks->pieces, leaks->n_pieces, (struct leak_piece){ 0 }))
		return dkt__no_memory(leaks->ctx);
	if (added)
		leaks->pieces[entry] = (struct leak_piece){ 0 };
	if (text.frees)
		release(leaks, &text, site, !added, &leaks->pieces[entry]);
	else
		allocate(leaks, &text, site, &leaks->pieces[entry]);
	return 0;
}

/* ---- messages of the class malloc ---- */

/*
 * Takes "kmalloced", "vmalloced", "slab-alloced", "alloced", "kfreed", "vfreed", "slab-freed",
 * "kfreed_rcu" or "rcu", which frees, too, and the space and quote after it.
 */
static bool take_how(struct rest *rest, struct malloc_text *out)
{
	const char *from = rest->p;

	if (!take_word(rest, "km") && !take_word(rest, "vm") && !take_word(rest, "k") &&
	    !take_word(rest, "v"))
		take_word(rest, "slab-");
	if (take_word(rest, "rcu")) {
		out->frees = true;
	} else if (take_word(rest, "alloc")) {
		take_word(rest, "ed");
	} else if (take_word(rest, "free")) {
		out->frees = true;
		take_word(rest, "d");
		take_word(rest, "_rcu");
	} else {
		return false;
	}
	out->how = (struct part){ from, (size_t)(rest->p - from) };
	return take_word(rest, " '");
}

bool dkl_malloc_text_read(const char *text, size_t len, struct malloc_text *out)
{
	struct rest rest = { text, text + len };
	const char *quote;

	*out = (struct malloc_text){ 0 };
	if (!take_how(&rest, out))
		return false;
	/* The name is an expression of C, which can have quotes: the last one ends it. */
	quote = memrchr(rest.p, '\'', rest_len(&rest));
	if (!quote)
		return false;
	out->name = (struct part){ rest.p, (size_t)(quote - rest.p) };
	rest.p = quote + 1;
	/* Old versions write "of size", and no size of an object of a slab. */
	if (take_word(&rest, ": ") || take_word(&rest, " of size ")) {
		if (!take_number(&rest, &out->size))
			return false;
	}
	if (!take_word(&rest, " at "))
		return false;
	out->hidden = take_word(&rest, "(____ptrval____)");
	return out->hidden || take_hex(&rest, &out->address);
}

bool dkl_malloc_text_wanted(const char *text)
{
	return *text && strchr("kvsafr", *text);
}
