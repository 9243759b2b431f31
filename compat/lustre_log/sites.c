/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts messages by the source line that wrote them. */
#include "compat/lustre_log/sites.h"

#include "compat/lustre/binary.h"
#include "lib/base/memory.h"

void dkl_sites_init(struct sites *sites, struct dkt_ctx *ctx)
{
	*sites = (struct sites){ .ctx = ctx, .map.n_words = 4 };
	dkl_name_table_init(&sites->names);
}

void dkl_sites_clear(struct sites *sites)
{
	dkt__keymap_clear(&sites->map);
	dkl_name_table_clear(&sites->names);
	free(sites->list);
	*sites = (struct sites){ 0 };
}

static void count(struct sites *sites, const struct log_line *line, struct message_site *site)
{
	/* The header, two names with their NULs, the text with its newline and NUL. */
	uint64_t bytes = sizeof(struct record_head) + line->file.len + line->function.len +
			 line->text.len + 4;

	site->count++;
	site->bytes += bytes;
	sites->count++;
	sites->bytes += bytes;
	if (sites->count == 1)
		sites->first = line->time;
	sites->last = line->time;
	sites->classes |= line->classes;
	sites->subsystems |= line->subsystems;
	for (uint32_t bits = line->classes; bits; bits &= bits - 1)
		sites->by_class[__builtin_ctz(bits)]++;
}

int dkl_sites_add(struct sites *sites, const struct log_line *line)
{
	uint32_t file = dkl_name_number(&sites->names, line->file), entry, function;
	uint64_t key[] = { file, line->number, line->classes, line->subsystems };
	bool added;

	entry = file == UINT32_MAX ? DKT__KEYMAP_NONE : dkt__keymap_add(&sites->map, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return dkt__no_memory(sites->ctx);
	function = added ? dkl_name_number(&sites->names, line->function) : 0;
	if (added && (function == UINT32_MAX ||
		      dkt__append(sites->list, sites->n,
				  (struct message_site){ .file = file,
							 .function = function,
							 .line = line->number,
							 .classes = line->classes,
							 .subsystems = line->subsystems })))
		return dkt__no_memory(sites->ctx);
	count(sites, line, &sites->list[entry]);
	return 0;
}
