/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes that belong to one process, in a group of its own. */
#include "compat/set/wanted/own_probes.h"

#include "compat/set/probes/probe_words.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

/* A killed command's probes are found by their group, so it cannot be chosen. */
static int check_words(struct dkt_ctx *ctx, const struct probe_words *words)
{
	if (words->defined)
		return dkt_fail(ctx, -EINVAL,
				"expected PLACE [ARGUMENT...], not the kernel's own language");
	if (words->opts.group || words->off)
		return dkt_fail(ctx, -EINVAL, "%s is not possible here",
				words->off ? "--off" : "--group");
	return 0;
}

static int create_one(struct dkt_ctx *ctx, const struct dkt_probe *probe, struct own_probes *probes)
{
	int err = dkt_probe_create(ctx, probe);

	if (err)
		return dkt__probe_refused(ctx, probe, err);
	return dkt__with_words(ctx, dkt__strings_add(&probes->names, probe->name));
}

static int create_line(struct dkt_ctx *ctx, const char *line, struct own_probes *probes)
{
	const struct dkt_probe *probe;
	struct dkt_probes *list = NULL;
	struct probe_words words;
	int err = dkl_probe_words_read(ctx, line, &words);

	if (!err)
		err = check_words(ctx, &words);
	words.opts.group = probes->group;
	if (!err)
		err = dkl_probe_words_define(ctx, &words, &list);
	for (size_t i = 0; !err && (probe = dkt_probes_at(list, i)); i++)
		err = create_one(ctx, probe, probes);
	dkt_probes_free(list);
	dkl_probe_words_clear(&words);
	return err ? dkt__fail_in(ctx, err, "--probe '%s'", line) : 0;
}

int dkl_own_probes_create(struct dkt_ctx *ctx, const char *owner, const char *lines,
			  struct own_probes *probes)
{
	char *copy __cleanup(free) = strdup(lines);
	char *save = NULL;
	int err = copy ? dkt_instance_own_group(ctx, owner, &probes->group) : dkt__no_memory(ctx);

	for (char *line = copy ? strtok_r(copy, "\n", &save) : NULL; line && !err;
	     line = strtok_r(NULL, "\n", &save))
		err = create_line(ctx, line, probes);
	return err;
}

void dkl_own_probes_remove(struct dkt_ctx *ctx, struct own_probes *probes)
{
	for (size_t i = 0; i < probes->names.n; i++)
		if (dkt_probe_remove(ctx, probes->group, probes->names.list[i]))
			dkt__log(ctx, DKT_LOG_WARN, "%s; 'dktrace reset' will remove it",
				 dkt_error(ctx));
	dkt__strings_clear(&probes->names);
	free(probes->group);
	probes->group = NULL;
}

bool dkl_own_probes_have(const struct own_probes *probes, const struct dkt_event *event)
{
	return probes->group && !strcmp(dkt_event_system(event), probes->group) &&
	       dkt__strings_has(&probes->names, dkt_event_name(event));
}
