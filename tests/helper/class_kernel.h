/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Class maps on catalogues of events: from text or from a fixture, each in a directory of its own. */
#ifndef TEST_CLASS_KERNEL_H
#define TEST_CLASS_KERNEL_H

#include "compat/lustre/class.h"
#include "tests/helper/check.h"
#include "tests/helper/tree.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define SHIPPED_MAP "share/classes.d"

#define TYPE(name)      dkl_mask_bit(MASK_DEBUG, name, strlen(name))
#define SUBSYSTEM(name) dkl_mask_bit(MASK_SUBSYSTEM, name, strlen(name))

static inline struct dkt_ctx *ctx_new(const char *root)
{
	DKT_OPTS(dkt_ctx_opts, opts, .root = root);
	struct dkt_ctx *ctx;

	assert_int_equal(dkt_ctx_new(&opts, &ctx), 0);
	return ctx;
}

/* ---- a catalogue of events, in a directory of its own ---- */

struct kernel {
	char dir[TREE_NAME];
	struct dkt_ctx *ctx;
	struct dkt_event *const *events;
	size_t n;
};

static inline void kernel_open(struct kernel *k, const char *names)
{
	assert_int_equal(tree_make(k->dir), 0);
	assert_int_equal(tree_text(k->dir, "available_events", names), 0);
	k->ctx = tree_ctx(k->dir);
	assert_non_null(k->ctx);
	assert_ok(k->ctx, dkt_events(k->ctx, &k->events, &k->n));
}

static inline void kernel_open_fixture(struct kernel *k, const char *release)
{
	static char names[1 << 20];
	char path[64];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "tests/fixture/available_events-%s", release);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	len = fread(names, 1, sizeof(names) - 1, f);
	names[len] = '\0';
	fclose(f);
	kernel_open(k, names);
}

static inline void kernel_close(struct kernel *k)
{
	dkt_ctx_free(k->ctx);
	assert_int_equal(tree_remove(k->dir), 0);
}

static inline struct class_map *map_of_dirs(struct kernel *k, const char *const *dirs, size_t n)
{
	struct class_map *map;

	assert_ok(k->ctx, dkl_class_map_load_dirs(k->ctx, dirs, n, &map));
	assert_int_equal(dkl_class_map_resolve(map, k->events, k->n), 0);
	return map;
}

static inline struct class_map *map_of_text(struct kernel *k, const char *text)
{
	struct class_map *map;

	assert_ok(k->ctx, dkl_class_map_load_text(k->ctx, "map", text, strlen(text), &map));
	assert_int_equal(dkl_class_map_resolve(map, k->events, k->n), 0);
	return map;
}

static inline struct class_map *shipped_map(struct kernel *k)
{
	static const char *const dirs[] = { SHIPPED_MAP };

	return map_of_dirs(k, dirs, 1);
}

static inline const struct class_bits *bits_of(const struct kernel *k, const struct class_map *map,
					       const char *system, const char *name)
{
	struct dkt_event *event = dkt_event_find(k->ctx, system, name);

	if (!event)
		fail_msg("no event %s:%s", system, name);
	return dkl_class_map_event(map, event);
}

#endif
