/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a number's name, which the event's print format has, as a column beside the number. */
#include "lib/style.h"

/* The names that a print format has for a field. */
struct dkt__names {
	const struct dkt__step *step; /* SYMBOLIC or FLAGS */
	const char *otherwise; /* printed if no flag is set */
	uint32_t otherwise_len;
	uint32_t room; /* maximum length of a name */
};

/* Returns the offset of the field that the value is computed from; UINT32_MAX: not one field. */
static uint32_t place_of(const struct dkt__value *value)
{
	uint32_t place = UINT32_MAX;

	if (value->load == DKT__LOAD_CONST)
		return UINT32_MAX;
	if (value->load != DKT__LOAD_CODE)
		return value->offset;
	for (uint32_t i = 0; i < value->n_code; i++) {
		const struct dkt__code *code = &value->code[i];

		if (code->op == DKT__CODE_INDEX || code->op == DKT__CODE_DYN_LEN)
			return UINT32_MAX;
		if (code->op != DKT__CODE_LOAD)
			continue;
		if (place != UINT32_MAX && place != code->bytes.offset)
			return UINT32_MAX;
		place = code->bytes.offset;
	}
	return place;
}

/* A table is empty if it has only enums of the kernel, whose values the format does not give. */
static bool has_names(const struct dkt__step *step)
{
	return (step->op == DKT__STEP_SYMBOLIC || step->op == DKT__STEP_FLAGS) && step->table->n;
}

/* Finds "R" in REC->state ? __print_flags(REC->state, ...) : "R". */
static void find_otherwise(const struct dkt__plan *plan, uint32_t i, struct dkt__names *names)
{
	const struct dkt__step *other;
	uint32_t at;

	names->otherwise = "";
	if (!i || plan->steps[i - 1].op != DKT__STEP_UNLESS ||
	    place_of(&plan->steps[i - 1].value) != place_of(&plan->steps[i].value))
		return;
	at = plan->steps[i - 1].target;
	if (at >= plan->n_steps || plan->steps[i + 1].op != DKT__STEP_JUMP)
		return;
	other = &plan->steps[at];
	if (other->op != DKT__STEP_TEXT)
		return;
	names->otherwise = other->literal;
	names->otherwise_len = other->literal_len;
}

/* Enough for all names at once, each with its delimiter, and a number. */
static uint32_t room_of(const struct dkt__names *names)
{
	const struct dkt__table *table = names->step->table;
	uint32_t room = names->otherwise_len + table->delim_len + 32;

	for (uint32_t i = 0; i < table->n; i++)
		room += table->names[i].len + table->delim_len;
	return room;
}

int dkt__style_names(struct dkt_style *style, struct dkt__form *form,
		     const struct dkt__column *column, struct dkt__column *to)
{
	const struct dkt__plan *plan = dkt__plan_get(form->event);
	struct dkt__names *names;
	char *name;
	uint32_t i = 0;

	if (!plan || plan->way != DKT__PLAN_STEPS || column->kind > DKT__COLUMN_UINT)
		return 1;
	while (i < plan->n_steps && !(has_names(&plan->steps[i]) &&
				      place_of(&plan->steps[i].value) == column->bytes.offset))
		i++;
	if (i >= plan->n_steps || plan->need > form->need)
		return 1;
	names = dkt__style_alloc(style, sizeof(*names));
	name = dkt__style_alloc(style, strlen(column->name) + 8);
	if (!names || !name)
		return -ENOMEM;
	stpcpy(stpcpy(name, column->name), "_str");
	names->step = &plan->steps[i];
	find_otherwise(plan, i, names);
	names->room = room_of(names);
	*to = (struct dkt__column){ .kind = DKT__COLUMN_NAMES, .name = name, .names = names };
	to->bytes.size = form->need;
	form->room += names->room * 7 + 64;
	return 0;
}

char *dkt__put_names(char *p, const struct dkt__column *column, const uint8_t *data, uint32_t len)
{
	const struct dkt__names *names = column->names;
	/* Leaves room before it for the escaped text. */
	char *text = p + names->room * 6 + 32;
	struct dkt__run run = { .data = data, .size = len, .p = text, .end = text + names->room };

	if (names->step->op == DKT__STEP_FLAGS)
		dkt__run_flags(&run, names->step);
	else
		dkt__run_symbolic(&run, names->step);
	if (run.p == text)
		return dkt__put_json(p, names->otherwise, names->otherwise_len);
	return dkt__put_json(p, text, (size_t)(run.p - text));
}
