/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* filter, show, debug_list: the names of classes and subsystems, and those that a session shows. */
#include <fcntl.h>
#include <strings.h>

#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lustre/mask.h"
#include "lib/base/util.h"

/* The two kinds of names, in the order in which lctl searches them. */
static const struct kind {
	enum mask_kind kind;
	const char *all;
	const char *description;
	size_t hidden; /* offset of the hidden mask in struct lctl */
} kinds[] = {
	{ MASK_SUBSYSTEM, "all_subs", "from subsystem", offsetof(struct lctl, hidden_subsystems) },
	{ MASK_DEBUG, "all_types", "of type", offsetof(struct lctl, hidden_classes) },
};

static uint32_t *hidden_of(struct lctl *lctl, const struct kind *kind)
{
	return (uint32_t *)(void *)((char *)lctl + kind->hidden);
}

/* A name can be of both kinds. Returns false if it is of neither. */
static bool switch_name(struct lctl *lctl, const char *name, bool show)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		uint32_t *hidden = hidden_of(lctl, &kinds[i]);
		bool all = !strcasecmp(name, kinds[i].all);

		for (unsigned int bit = 0; bit < MASK_BITS; bit++) {
			const char *known = dkl_mask_name(kinds[i].kind, bit);

			if (!all && strcasecmp(name, known))
				continue;
			printf("%s output %s \"%s\"\n", show ? "Enabling" : "Disabling",
			       kinds[i].description, known);
			*hidden = show ? *hidden & ~(1u << bit) : *hidden | 1u << bit;
			found = true;
		}
	}
	return found;
}

static int switch_all(struct lctl *lctl, int argc, char **argv, bool show)
{
	if (argc < 2)
		dkl_say_line(stderr, "usage: %s <subsystem ID or debug mask>", argv[0]);
	for (int i = 1; i < argc; i++)
		if (!switch_name(lctl, argv[i], show))
			dkl_say_line(stderr, "Unknown subsystem or debug type: %s", argv[i]);
	return 0;
}

int dkl_lctl_cmd_filter(struct lctl *lctl, int argc, char **argv)
{
	return switch_all(lctl, argc, argv, false);
}

int dkl_lctl_cmd_show(struct lctl *lctl, int argc, char **argv)
{
	return switch_all(lctl, argc, argv, true);
}

/* ---- debug_list ---- */

static void list_names(const char *heading, const struct kind *kind)
{
	printf("%s: %s", heading, kind->all);
	for (unsigned int bit = 0; bit < MASK_BITS; bit++)
		if (*dkl_mask_name(kind->kind, bit))
			printf(", %s", dkl_mask_name(kind->kind, bit));
	putchar('\n');
}

/* Writes only Lustre's parameter: hiding classes in the output does not change the trace log. */
static void apply_mask(struct lctl *lctl, const char *name, uint32_t mask)
{
	char *path __cleanup(free) = NULL;
	int fd __cleanup(close) = -1;
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", (int32_t)mask) + 1;

	if (dkl_tree_first(&lctl->tree, name, &path)) {
		dkl_say_line(stderr, "invalid parameter '%s'", name);
		return;
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		dkl_say_line(stderr, "open '%s' failed: %s", path, strerror(errno));
	else if (write(fd, text, (size_t)len) != len)
		fprintf(stderr, "Write to %s failed: %s\n", name, strerror(errno));
}

int dkl_lctl_cmd_debug_list(struct lctl *lctl, int argc, char **argv)
{
	uint32_t classes = ~lctl->hidden_classes, subsystems = ~lctl->hidden_subsystems;

	if (argc != 2) {
		dkl_say_line(stderr, "usage: %s <subs || types>", argv[0]);
	} else if (!strcasecmp(argv[1], "subs")) {
		list_names("Subsystems", &kinds[0]);
	} else if (!strcasecmp(argv[1], "types")) {
		list_names("Types", &kinds[1]);
	} else if (!strcasecmp(argv[1], "applymasks")) {
		apply_mask(lctl, "subsystem_debug", subsystems);
		apply_mask(lctl, "debug", classes);
		printf("Applied subsystem_debug=%d, debug=%d to lnet\n", (int32_t)subsystems,
		       (int32_t)classes);
	}
	return 0;
}
