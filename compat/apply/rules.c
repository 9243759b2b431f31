/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters on sets of events. */
#include "compat/apply/rules.h"

#include "lib/base/buf.h"

void dkl_rules_free(struct rules *rules)
{
	for (size_t i = 0; rules && i < rules->n; i++) {
		dkl_select_free(rules->list[i].select);
		dkt_expr_free(rules->list[i].expr);
	}
	if (rules)
		free(rules->list);
	free(rules);
}

static int read_rule(struct dkt_ctx *ctx, const struct class_map *map, const struct entry *entry,
		     struct rule *rule)
{
	int err;

	rule->entry = entry;
	err = dkl_select_new(ctx, map, entry->events, &rule->select);
	return err ? err : dkl_mask_expr(ctx, entry->text, &rule->expr);
}

int dkl_rules_new(struct dkt_ctx *ctx, const struct class_map *map, const struct entries *entries,
		  struct rules **out)
{
	struct rules *rules = calloc(1, sizeof(*rules));
	int err;

	*out = NULL;
	if (rules)
		rules->list = calloc(entries->n + 1, sizeof(*rules->list));
	err = rules && rules->list ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < entries->n; i++) {
		rules->n++;
		err = read_rule(ctx, map, &entries->list[i], &rules->list[i]);
	}
	if (err) {
		dkl_rules_free(rules);
		return err;
	}
	*out = rules;
	return 0;
}

int dkl_conditions_add(struct conditions *all, const char *condition)
{
	char *text;

	if (!*condition)
		return 0;
	if (!all->n)
		text = strdup(condition);
	else if (all->n == 1)
		text = dkt__format("(%s) && (%s)", all->text, condition);
	else
		text = dkt__format("%s && (%s)", all->text, condition);
	if (!text)
		return -ENOMEM;
	free(all->text);
	all->text = text;
	all->n++;
	return 0;
}

/* If an event only partly belongs to the set, its other records pass. */
static int add_rule(const struct rule *rule, struct dkt_event *event, struct conditions *all)
{
	char *belongs __cleanup(free) = NULL;
	char *text __cleanup(free) = NULL;
	char *whole __cleanup(free) = NULL;
	int err = dkl_select_condition(rule->select, event, &belongs);

	if (!err)
		err = dkt_expr_text(rule->expr, event, &text);
	if (err || !*belongs)
		return err ? err : dkl_conditions_add(all, text);
	whole = dkt__format("!(%s) || (%s)", belongs, text);
	return whole ? dkl_conditions_add(all, whole) : -ENOMEM;
}

int dkl_rules_add(const struct rules *rules, struct dkt_event *event, struct conditions *all)
{
	int err = 0;

	for (size_t i = 0; !err && i < rules->n; i++) {
		const struct rule *rule = &rules->list[i];

		if (!dkl_select_has(rule->select, event))
			continue;
		err = dkt_expr_check(rule->expr, event);
		if (!err)
			err = add_rule(rule, event, all);
		else if (err == -ENOENT || err == -EINVAL)
			err = 0;
	}
	return err;
}
