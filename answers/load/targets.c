/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the server. */
#include "answers/load/loading.h"
#include "answers/load/rowbinary.h"

/* ---- asking ---- */

#define CUT_OFF "an answer was cut off"

static int ask(struct load *load, const char *text, const char *settings, struct row_reader *answer)
{
	struct statement statement = { .text = text, .settings = settings };
	int err = sender_insist(load->link, &statement, load->opts.patience);

	*answer = (struct row_reader){ 0 };
	if (err)
		return load_fail(load, err, link_words(load->link));
	answer->at = link_answer(load->link, &answer->left);
	return 0;
}

static const char *keep_text(struct load *load, struct row_reader *in)
{
	size_t len = 0;
	const char *text = row_take_text(in, &len);

	return text ? dkt__arena_strndup(&load->arena, text, len) : "";
}

static int ask_columns(struct load *load)
{
	struct row_reader in;
	int err = ask(load,
		      "SELECT table, name, type, default_kind FROM system.columns WHERE database ="
		      " currentDatabase() FORMAT RowBinary",
		      NULL, &in);

	while (!err && in.left && !in.bad) {
		struct known_column column = { .table = keep_text(load, &in),
					       .name = keep_text(load, &in),
					       .type = keep_text(load, &in) };
		const char *kind = keep_text(load, &in);

		column.alias = kind && !strcmp(kind, "ALIAS");
		if (!column.table || !column.name || !column.type || !kind ||
		    dkt__append(load->known, load->n_known, column))
			err = -ENOMEM;
	}
	return err ? err : in.bad ? load_fail(load, -EPROTO, CUT_OFF) : 0;
}

/*
 * A release refuses settings that it does not know. Those of 2018 need one for low cardinality. Those of 2026
 * write rows later, under another name and in any order, unless a setting forbids it.
 */
int targets_ask_settings(struct load *load)
{
	static const char low[] = "allow_experimental_low_cardinality_type";
	struct row_reader in;
	int err = ask(load,
		      "SELECT name FROM system.settings WHERE name IN ("
		      "'allow_experimental_low_cardinality_type', 'async_insert') FORMAT RowBinary",
		      NULL, &in);

	while (!err && in.left && !in.bad) {
		size_t len = 0;
		const char *name = row_take_text(&in, &len);

		if (!name)
			break;
		if (len == sizeof(low) - 1 && !memcmp(name, low, len))
			load->old_low = true;
		else
			load->insert_settings = INSERT_SETTINGS "&async_insert=0";
	}
	if (!err && !in.bad)
		err = ask(load, "SELECT currentDatabase() FORMAT RowBinary", NULL, &in);
	if (err)
		return err;
	load->database = keep_text(load, &in);
	if (in.bad)
		return load_fail(load, -EPROTO, CUT_OFF);
	return load->database ? 0 : -ENOMEM;
}

static const struct known_column *known(const struct load *load, const char *table,
					const char *column)
{
	for (size_t i = 0; i < load->n_known; i++)
		if (!strcmp(load->known[i].table, table) &&
		    (!column || !strcmp(load->known[i].name, column)))
			return &load->known[i];
	return NULL;
}

/*
 * If two systems have an event of one name, the table with that name is of the one whose file was loaded
 * first. The schema gives the same names if it gets the events in the same order.
 */
static int ask_names(struct load *load)
{
	struct row_reader in;
	int err;

	if (!known(load, "events", NULL))
		return 0;
	err = ask(load,
		  "SELECT system, event FROM events GROUP BY name, system, event ORDER BY"
		  " name = event DESC, name FORMAT RowBinary",
		  NULL, &in);
	while (!err && in.left && !in.bad) {
		const char *system = keep_text(load, &in), *event = keep_text(load, &in);

		if (!system || !event || !schema_table(&load->schema, system, event))
			err = -ENOMEM;
	}
	return err ? err : in.bad ? load_fail(load, -EPROTO, CUT_OFF) : 0;
}

/* ---- what the server has of the files ---- */

int target_count_text(const struct load *load, const struct target *target, const size_t *files,
		      size_t n, char **text)
{
	struct dkt_buf sql = { 0 };

	dkt_buf_str(&sql, "SELECT common_load, count(), max(seq) FROM ");
	layout_quote(&sql, target->name, "");
	dkt_buf_str(&sql, " WHERE host IN (");
	for (size_t i = 0; i < n; i++) {
		dkt_buf_str(&sql, i ? ", " : "");
		layout_quote_text(&sql, load->files[files ? files[i] : i].host);
	}
	dkt_buf_str(&sql, ") AND common_load IN (");
	for (size_t i = 0; i < n; i++)
		dkt_buf_printf(&sql, "%s%llu", i ? ", " : "",
			       (unsigned long long)load->files[files ? files[i] : i].id);
	dkt_buf_str(&sql, ") GROUP BY common_load FORMAT RowBinary");
	*text = dkt__buf_take(&sql);
	return *text ? 0 : -ENOMEM;
}

static int ask_counts(struct load *load, struct target *target)
{
	char *text __cleanup(free) = NULL;
	int err = target_count_text(load, target, NULL, load->n_all, &text);
	struct row_reader in;

	if (!err)
		err = ask(load, text, NULL, &in);
	while (!err && in.left && !in.bad) {
		uint64_t id = row_take_u64(&in), n = row_take_u64(&in), last = row_take_u64(&in);

		for (size_t i = 0; i < load->n_all; i++)
			if (load->files[i].id == id) {
				target->parts[i].there = n;
				target->parts[i].last = last;
			}
	}
	return err ? err : in.bad ? load_fail(load, -EPROTO, CUT_OFF) : 0;
}

/* ---- creating ---- */

int target_column(struct load *load, struct target *target, const char *name, const char *type)
{
	const char *kept = dkt__arena_strndup(&load->arena, name, strlen(name));
	struct column_type *columns =
		dkt__arena_grow(&load->arena, target->columns, target->n, sizeof(*columns));

	if (!kept || !columns)
		return -ENOMEM;
	target->columns = columns;
	columns[target->n++] = (struct column_type){ kept, type };
	return 0;
}

struct target *target_new(struct load *load, const char *name)
{
	struct target *target = dkt__arena_alloc(&load->arena, sizeof(*target));

	if (!target)
		return NULL;
	target->name = dkt__arena_strndup(&load->arena, name, strlen(name));
	target->parts = dkt__arena_alloc(&load->arena, (load->n_all + 1) * sizeof(*target->parts));
	target->sender = (unsigned int)(load->n_targets % SENDERS);
	if (!target->name || !target->parts ||
	    target_column(load, target, "common_load", "UInt64") ||
	    target_column(load, target, "seq", "UInt64") ||
	    target_column(load, target, "common_time", "DateTime('UTC')") ||
	    target_column(load, target, "host", "String") ||
	    dkt__append(load->targets, load->n_targets, target))
		return NULL;
	return target;
}

/* Seconds to wait for each server of a cluster. One that does not run creates the table when it comes back. */
#define CLUSTER "&distributed_ddl_task_timeout=15"

/* Runs the statement in load->sql. */
static int run(struct load *load)
{
	struct statement statement = {
		.settings = load->old_low ? "&allow_experimental_low_cardinality_type=1" CLUSTER :
					    CLUSTER,
		.text = load->sql->data,
	};
	int err;

	if (load->opts.say) {
		load->opts.say(load->opts.data, statement.text);
		return 0;
	}
	err = sender_insist(load->link, &statement, load->opts.patience);
	return err && err != -EINPROGRESS ? load_fail(load, err, link_words(load->link)) : 0;
}

/*
 * True if the table or view that the statement creates was there before. With ON CLUSTER it would wait for
 * servers that do not run.
 */
static bool is_made(const struct load *load, const char *statement)
{
	static const char words[] = " IF NOT EXISTS ";
	const char *name = strstr(statement, words);

	if (strncmp(statement, "CREATE ", 7) != 0 || !name)
		return false;
	name += sizeof(words) - 1;
	for (size_t i = 0; i < load->n_known; i++)
		if (layout_is_name(name, load->database, load->known[i].table))
			return true;
	return false;
}

int targets_run_section(struct load *load, enum layout_section section,
			const struct layout_values *values)
{
	struct layout_values all = *values;
	int err = 0;

	all.database = load->database;
	for (size_t i = 0; !err && i < load->layout.n[section]; i++) {
		layout_fill(load->layout.statements[section][i], &all, load->sql);
		dkt__buf_add(load->sql, "", 1);
		if (dkt_buf_error(load->sql))
			err = -ENOMEM;
		else if (!is_made(load, load->sql->data))
			err = run(load);
		dkt_buf_reset(load->sql);
	}
	return err;
}

int targets_create_view(struct load *load, const char *table, const char *view, struct dkt_buf *sql)
{
	struct layout_values values = { .table = table, .view = view };
	int err;

	dkt__buf_add(sql, "", 1);
	err = dkt_buf_error(sql);
	if (err)
		return err;
	values.select = sql->data;
	return targets_run_section(load, LAYOUT_VIEW, &values);
}

/* With ON CLUSTER, 18.16 looks for tables in the server's default database. */
void targets_put_name(const struct load *load, const char *name, struct dkt_buf *sql)
{
	if (load->layout.qualifies) {
		layout_quote(sql, load->database, "");
		dkt_buf_str(sql, ".");
	}
	layout_quote(sql, name, "");
}

static void put_column(struct dkt_buf *buf, const struct column_type *column)
{
	layout_quote(buf, column->name, "");
	dkt_buf_printf(buf, " %s", column->type);
}

static int create(struct load *load, struct target *target)
{
	struct layout_values values = { .table = target->name };
	struct column_type aliases[ALIASES_MOST];
	char *columns __cleanup(free) = NULL;
	struct dkt_buf buf = { 0 };
	size_t n_aliases = 0;
	int err = aliases_add(load, target, aliases, &n_aliases);

	for (size_t i = 0; i < target->n + n_aliases && !err; i++) {
		dkt_buf_str(&buf, i ? ", " : "");
		put_column(&buf, i < target->n ? &target->columns[i] : &aliases[i - target->n]);
	}
	values.columns = columns = dkt__buf_take(&buf);
	if (!columns)
		return -ENOMEM;
	return err ? err : targets_run_section(load, LAYOUT_TABLE, &values);
}

static int add_column(struct load *load, const struct target *target,
		      const struct column_type *column)
{
	struct layout_values values = { .table = target->name };
	struct dkt_buf buf = { 0 };
	char *text __cleanup(free) = NULL;

	put_column(&buf, column);
	values.column = text = dkt__buf_take(&buf);
	return text ? targets_run_section(load, LAYOUT_COLUMN, &values) : -ENOMEM;
}

/* Sets the part of a type that says what values there are. */
static size_t core_of(const char **type)
{
	static const char low[] = "LowCardinality(";
	const size_t n = sizeof(low) - 1;

	if (strncmp(*type, low, n) != 0)
		return strlen(*type);
	*type += n;
	return strlen(*type) - 1;
}

/* A text may have a dictionary or not, and a time any time zone: the server converts them. */
static bool is_alike(const char *wanted, const char *has)
{
	static const char time[] = "DateTime";
	size_t n;

	if (!strncmp(wanted, time, sizeof(time) - 1))
		return !strcmp(has, time) || !strncmp(has, "DateTime(", sizeof(time));
	n = core_of(&wanted);
	return core_of(&has) == n && !strncmp(wanted, has, n);
}

static int drop_aliases(struct load *load, struct target *target)
{
	struct layout_values values = { .table = target->name };
	const char *names[ALIASES_MOST];
	const size_t n = aliases_drop(load, target, names);
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		/* Names of aliases need no quotes. */
		values.column = names[i];
		err = targets_run_section(load, LAYOUT_DROP, &values);
	}
	return err;
}

static int add_aliases(struct load *load, struct target *target)
{
	struct column_type aliases[ALIASES_MOST];
	size_t n = 0;
	int err = aliases_add(load, target, aliases, &n);

	for (size_t i = 0; !err && i < n; i++)
		err = add_column(load, target, &aliases[i]);
	return err;
}

/* Compares the server's table with ours, and adds the columns that it lacks. */
static int complete(struct load *load, struct target *target)
{
	int err;

	if (!target->created)
		aliases_know(load, target);
	err = drop_aliases(load, target);
	for (size_t i = target->declared; !err && i < target->n; i++) {
		const struct column_type *column = &target->columns[i];
		const struct known_column *has = known(load, target->name, column->name);

		if (!has || has->alias)
			err = add_column(load, target, column);
		else if (!is_alike(column->type, has->type))
			return dkt_fail(load->ctx, -EEXIST,
					"%s: the column %s of the table %s has the type %s, not %s:"
					" the table is of another program or release; load into"
					" another database",
					load->server.url, column->name, target->name, has->type,
					column->type);
	}
	return err ? err : add_aliases(load, target);
}

static int set_insert(struct target *target)
{
	struct dkt_buf sql = { 0 };

	dkt_buf_str(&sql, "INSERT INTO ");
	layout_quote(&sql, target->name, "");
	for (size_t i = 0; i < target->n; i++) {
		dkt_buf_str(&sql, i ? ", " : " (");
		layout_quote(&sql, target->columns[i].name, "");
	}
	dkt_buf_str(&sql, ") FORMAT Native");
	free(target->insert);
	target->insert = dkt__buf_take(&sql);
	return target->insert ? 0 : -ENOMEM;
}

int target_create(struct load *load, struct target *target, enum layout_section section)
{
	const struct layout_values values = { .table = target->name };
	bool had = known(load, target->name, NULL);
	int err;

	if (target->created || had)
		err = complete(load, target);
	else
		err = create(load, target);
	if (!err && !target->created && section != LAYOUT_TABLE)
		err = targets_run_section(load, section, &values);
	if (!err && !target->created && had && !load->opts.joins)
		err = ask_counts(load, target);
	target->created = true;
	target->declared = target->n;
	return err ? err : set_insert(target);
}

/* Rows that only another replica has yet would be missing in the counts, and be loaded twice. */
static int wait_for_replica(struct load *load)
{
	int err = sender_catch_up(load->link, load->opts.patience);

	return err ? load_fail(load, err,
			       err == -ESTALE ?
				       "this replica lacks rows that others have; load into"
				       " another replica, or when all run" :
				       link_words(load->link)) :
		     0;
}

int targets_ask(struct load *load)
{
	int err = ask_columns(load);

	if (!err)
		err = wait_for_replica(load);
	return err ? err : ask_names(load);
}
