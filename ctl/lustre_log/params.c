/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lustre params: what fills space, grants and caches, from saved parameters. */
#include <inttypes.h>

#include "compat/lustre_log/names.h"
#include "compat/lustre_log/saved_params.h"
#include "ctl/lustre_log/lustre_log.h"
#include "lib/base/buf.h"
#include "lib/base/keyed.h"
#include "lib/base/memory.h"
#include "lib/base/parse.h"

#define KB    UINT64_C(1024)
#define MB    (1024 * KB)
#define USUAL 20

/* ---- the parameters that are known ---- */

enum table { TARGETS, GRANTS, DEVICES, CACHES, LOCKS, TABLES };

#define MOST_COLUMNS 9

/* The first two columns of a table: what a '*' of the name stands for. */
enum { HOST, NAME, OTHER, VALUES };

enum target_column { TOTAL = VALUES, FREE, AVAILABLE, GRANTED, DIRTY, PENDING };
enum grant_column { CLIENT_GRANTED = VALUES, CLIENT_DIRTY, CLIENT_PENDING };
enum device_column { GRANT = VALUES, LOST, OWN_DIRTY, MOST_DIRTY, IN_FLIGHT, TIMEOUTS };
enum cache_column { USED = VALUES, MOST, UNEVICTABLE, UNSTABLE };
enum lock_column { HELD = VALUES, UNUSED, LRU, POOL };

static const struct table_layout {
	const char *name;
	size_t n; /* columns */
	size_t sort;
	struct column columns[MOST_COLUMNS];
} layouts[TABLES] = {
	/* clang-format off */
	[TARGETS] = { "targets", PENDING + 1, GRANTED, {
		[NAME] = { .key = "target" },
		[TOTAL] = { .key = "size", .type = COL_BYTES, .none = "-", .flags = COL_SPARE },
		[FREE] = { .key = "free", .type = COL_BYTES, .none = "-" },
		[AVAILABLE] = { .key = "available", .type = COL_BYTES, .none = "-" },
		[GRANTED] = { .key = "granted", .type = COL_BYTES, .none = "-" },
		[DIRTY] = { .key = "dirty", .type = COL_BYTES, .none = "-" },
		[PENDING] = { .key = "pending", .type = COL_BYTES, .none = "-", .flags = COL_SPARE } } },
	[GRANTS] = { "grants", CLIENT_PENDING + 1, CLIENT_GRANTED, {
		[NAME] = { .key = "target" }, [OTHER] = { .key = "client" },
		[CLIENT_GRANTED] = { .key = "granted", .type = COL_BYTES, .none = "-" },
		[CLIENT_DIRTY] = { .key = "dirty", .type = COL_BYTES, .none = "-" },
		[CLIENT_PENDING] = { .key = "pending", .type = COL_BYTES, .none = "-" } } },
	[DEVICES] = { "devices", TIMEOUTS + 1, OWN_DIRTY, {
		[NAME] = { .key = "device" }, [OTHER] = { .key = "state", .none = "-" },
		[GRANT] = { .key = "grant", .type = COL_BYTES, .none = "-" },
		[LOST] = { .key = "lost_grant", .type = COL_BYTES, .none = "-", .heading = "LOST", .flags = COL_SPARE },
		[OWN_DIRTY] = { .key = "dirty", .type = COL_BYTES, .none = "-" },
		[MOST_DIRTY] = { .key = "max_dirty", .type = COL_BYTES, .none = "-", .heading = "OF" },
		[IN_FLIGHT] = { .key = "in_flight", .type = COL_NUMBER, .none = "-", .heading = "RPCS" },
		[TIMEOUTS] = { .key = "timeouts", .type = COL_NUMBER, .none = "-" } } },
	[CACHES] = { "caches", UNSTABLE + 1, USED, {
		[NAME] = { .key = "mount" },
		[USED] = { .key = "used", .type = COL_BYTES, .none = "-" },
		[MOST] = { .key = "max", .type = COL_BYTES, .none = "-", .heading = "OF" },
		[UNEVICTABLE] = { .key = "unevictable", .type = COL_BYTES, .none = "-" },
		[UNSTABLE] = { .key = "unstable", .type = COL_BYTES, .none = "-" } } },
	[LOCKS] = { "locks", POOL + 1, HELD, {
		[NAME] = { .key = "namespace" },
		[HELD] = { .key = "locks", .type = COL_NUMBER, .none = "-" },
		[UNUSED] = { .key = "unused", .type = COL_NUMBER, .none = "-" },
		[LRU] = { .key = "lru_size", .type = COL_NUMBER, .none = "-", .heading = "LRU" },
		[POOL] = { .key = "pool_limit", .type = COL_NUMBER, .none = "-", .heading = "LIMIT" } } },
	/* clang-format on */
};

/*
 * Where a parameter belongs. Each '*' of the name is the text of a column, NAME and OTHER. key: the value has lines
 * "KEY: NUMBER", of which this one counts. Names are those of Lustre 2.12 to 2.17.
 */
static const struct known {
	const char *name;
	const char *key;
	enum table table;
	unsigned int column;
	uint64_t unit;
} knowns[] = {
	/* clang-format off */
	{ "obdfilter.*.kbytestotal", NULL, TARGETS, TOTAL, KB },
	{ "obdfilter.*.kbytesfree", NULL, TARGETS, FREE, KB },
	{ "obdfilter.*.kbytesavail", NULL, TARGETS, AVAILABLE, KB },
	{ "obdfilter.*.tot_granted", NULL, TARGETS, GRANTED, 1 },
	{ "obdfilter.*.tot_dirty", NULL, TARGETS, DIRTY, 1 },
	{ "obdfilter.*.tot_pending", NULL, TARGETS, PENDING, 1 },
	{ "mdt.*.tot_granted", NULL, TARGETS, GRANTED, 1 },
	{ "mdt.*.tot_dirty", NULL, TARGETS, DIRTY, 1 },
	{ "mdt.*.tot_pending", NULL, TARGETS, PENDING, 1 },
	{ "osd-ldiskfs.*.kbytestotal", NULL, TARGETS, TOTAL, KB },
	{ "osd-ldiskfs.*.kbytesfree", NULL, TARGETS, FREE, KB },
	{ "osd-ldiskfs.*.kbytesavail", NULL, TARGETS, AVAILABLE, KB },
	{ "osd-zfs.*.kbytestotal", NULL, TARGETS, TOTAL, KB },
	{ "osd-zfs.*.kbytesfree", NULL, TARGETS, FREE, KB },
	{ "osd-zfs.*.kbytesavail", NULL, TARGETS, AVAILABLE, KB },
	{ "obdfilter.*.exports.*.grant_cur", NULL, GRANTS, CLIENT_GRANTED, 1 },
	{ "obdfilter.*.exports.*.grant_dirty", NULL, GRANTS, CLIENT_DIRTY, 1 },
	{ "obdfilter.*.exports.*.grant_pending", NULL, GRANTS, CLIENT_PENDING, 1 },
	{ "obdfilter.*.exports.*.export", "granted", GRANTS, CLIENT_GRANTED, 1 },
	{ "obdfilter.*.exports.*.export", "dirty", GRANTS, CLIENT_DIRTY, 1 },
	{ "obdfilter.*.exports.*.export", "pending", GRANTS, CLIENT_PENDING, 1 },
	{ "osc.*.cur_grant_bytes", NULL, DEVICES, GRANT, 1 },
	{ "osc.*.cur_lost_grant_bytes", NULL, DEVICES, LOST, 1 },
	{ "osc.*.cur_dirty_bytes", NULL, DEVICES, OWN_DIRTY, 1 },
	{ "osc.*.max_dirty_mb", NULL, DEVICES, MOST_DIRTY, MB },
	{ "osc.*.import", "state", DEVICES, OTHER, 1 },
	{ "osc.*.import", "inflight", DEVICES, IN_FLIGHT, 1 },
	{ "osc.*.import", "timeouts", DEVICES, TIMEOUTS, 1 },
	{ "mdc.*.cur_grant_bytes", NULL, DEVICES, GRANT, 1 },
	{ "mdc.*.cur_lost_grant_bytes", NULL, DEVICES, LOST, 1 },
	{ "mdc.*.cur_dirty_bytes", NULL, DEVICES, OWN_DIRTY, 1 },
	{ "mdc.*.max_dirty_mb", NULL, DEVICES, MOST_DIRTY, MB },
	{ "mdc.*.import", "state", DEVICES, OTHER, 1 },
	{ "mdc.*.import", "inflight", DEVICES, IN_FLIGHT, 1 },
	{ "mdc.*.import", "timeouts", DEVICES, TIMEOUTS, 1 },
	{ "llite.*.max_cached_mb", "max_cached_mb", CACHES, MOST, MB },
	{ "llite.*.max_cached_mb", "used_mb", CACHES, USED, MB },
	{ "llite.*.max_cached_mb", "unevict_mb", CACHES, UNEVICTABLE, MB },
	{ "llite.*.unstable_stats", "unstable_mb", CACHES, UNSTABLE, MB },
	{ "ldlm.namespaces.*.pool.limit", NULL, LOCKS, POOL, 1 },
	{ "ldlm.namespaces.*.lock_count", NULL, LOCKS, HELD, 1 },
	{ "ldlm.namespaces.*.lock_unused_count", NULL, LOCKS, UNUSED, 1 },
	{ "ldlm.namespaces.*.lru_size", NULL, LOCKS, LRU, 1 },
	/* clang-format on */
};

/* ---- lines ---- */

/* A line of a table: what is known of one device. */
struct line {
	enum table table;
	uint32_t words[VALUES]; /* HOST, NAME, OTHER: numbers of names; 0: none */
	uint64_t values[MOST_COLUMNS];
	bool has[MOST_COLUMNS];
};

enum { LINE_KEY = 1 + VALUES }; /* the table and the words */

struct view {
	struct lustre *lustre;
	const char *file; /* that is read */
	struct name_table names;
	struct dkt__keyed lines;
	uint64_t n_params;
	bool hosts; /* the hosts of some parameters are known */
};

/* Returns the line, created if necessary; NULL: memory is out. */
static struct line *find_line(struct view *view, enum table table, const uint32_t *words)
{
	const uint64_t key[LINE_KEY] = { table, words[HOST], words[NAME], words[OTHER] };
	bool added;
	struct line *line = dkt__keyed_add(&view->lines, key, &added);

	if (line && added) {
		line->table = table;
		memcpy(line->words, words, sizeof(line->words));
	}
	return line;
}

/* ---- reading ---- */

/*
 * Compares a name with a pattern, and gives what each '*' stands for: as little as possible, or the rest before the
 * end of the pattern. A name of a device or a NID has dots of its own.
 */
static bool match(const char *pattern, const char *name, struct part *stars)
{
	for (const char *star; (star = strchr(pattern, '*')); stars++) {
		const size_t before = (size_t)(star - pattern);
		const char *next, *after = star + 1;
		size_t len = strcspn(after, "*");
		char *text __cleanup(free) = strndup(after, len);

		if (!text || strncmp(pattern, name, before) != 0)
			return false;
		name += before;
		/* The last one reaches up to the end of the pattern. */
		if (!after[len]) {
			const size_t rest = strlen(name);

			if (rest <= len || strcmp(name + rest - len, text) != 0)
				return false;
			*stars = (struct part){ name, rest - len };
			return true;
		}
		next = strstr(name, text);
		if (!next || next == name)
			return false;
		*stars = (struct part){ name, (size_t)(next - name) };
		name = next;
		pattern = after;
	}
	return false;
}

/* Returns the text after "KEY:", with which a line begins, perhaps after spaces; NULL: no line does. */
static const char *value_of(const char *text, const char *key)
{
	const size_t len = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, " \t\n");
		if (!strncmp(line, key, len) && line[len] == ':')
			return line + len + 1 + strspn(line + len + 1, " \t");
	}
	return NULL;
}

static int set(struct view *view, struct line *line, const struct known *known, const char *text)
{
	uint64_t number;

	if (known->column == OTHER) {
		const struct part word = { text, strcspn(text, " \t\n") };

		line->words[OTHER] = dkl_name_number(&view->names, word);
		return line->words[OTHER] == UINT32_MAX ? -ENOMEM : 0;
	}
	if (dkt__take_u64(&text, NULL, DKT__DEC, &number))
		return 0;
	line->values[known->column] = number * known->unit;
	line->has[known->column] = true;
	return 0;
}

/* The host is who pdsh names, or the file if there are several. */
static struct part host_of(const struct view *view, const struct saved_param *param)
{
	const char *host = *param->host || view->lustre->n_files < 2 ? param->host : view->file;

	return (struct part){ host, strlen(host) };
}

static int take(struct view *view, const struct known *known, const struct saved_param *param)
{
	struct part parts[VALUES] = { host_of(view, param) };
	const char *text;
	uint32_t words[VALUES];
	struct line *line;

	if (!match(known->name, param->name, &parts[NAME]))
		return 0;
	text = known->key ? value_of(param->value, known->key) : param->value;
	if (!text)
		return 0;
	for (size_t i = 0; i < VALUES; i++) {
		words[i] = dkl_name_number(&view->names, parts[i]);
		if (words[i] == UINT32_MAX)
			return -ENOMEM;
	}
	view->hosts |= words[HOST] != 0;
	line = find_line(view, known->table, words);
	return line ? set(view, line, known, text) : -ENOMEM;
}

static int add_param(void *data, const struct saved_param *param)
{
	struct view *view = data;
	int err = 0;

	view->n_params++;
	for (size_t i = 0; !err && i < ARRAY_SIZE(knowns); i++)
		err = take(view, &knowns[i], param);
	return err;
}

/* ---- findings ---- */

/* A limit that is reached, or nearly. */
static const struct limit {
	enum table table;
	unsigned int used, most; /* columns */
	unsigned int percent; /* of the limit, from which on it is printed */
	const char *words;
} limits[] = {
	/* clang-format off */
	{ TARGETS, GRANTED, AVAILABLE, 50, "of the space that is available is granted: a client without a grant writes synchronously" },
	{ TARGETS, DIRTY, GRANTED, 80, "of what is granted is dirty at clients: they will soon write synchronously" },
	{ DEVICES, OWN_DIRTY, MOST_DIRTY, 90, "of the dirty pages that are allowed: programs that write wait for the server" },
	{ DEVICES, OWN_DIRTY, GRANT, 80, "of its grant is dirty: writes wait until the server gives more" },
	{ CACHES, USED, MOST, 95, "of the page cache is used: what is read next takes the place of other pages" },
	{ CACHES, UNEVICTABLE, USED, 50, "of the cached pages cannot be given back: programs have locked them" },
	{ CACHES, UNSTABLE, USED, 50, "of the cached pages wait for the server's commit" },
	{ LOCKS, HELD, POOL, 90, "of the locks that the pool allows" },
	{ LOCKS, UNUSED, LRU, 95, "of the lru_size is used: locks are cancelled to make room" },
	/* clang-format on */
};

/* A target with less than this is as good as full. */
#define FULL_PERCENT 5

/* A write of a client needs this much, in bytes: one RPC of the smallest usual size. */
#define RPC_BYTES MB

/* The host comes first, where hosts are known. Takes the words. */
static void add_finding(const struct view *view, const struct line *line, struct rows *rows,
			char *words)
{
	struct json_object *const values[] = {
		val_words(name_text(&view->names, line->words[HOST])),
		val_text(name_text(&view->names, line->words[NAME])),
		val_text(words),
	};

	if (!words && rows)
		rows->err = -ENOMEM;
	rows_add_values(rows, values + !view->hosts);
	free(words);
}

static void find_limits(const struct view *view, const struct line *line, struct rows *rows)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct limit *limit = &limits[i];
		const uint64_t most = line->values[limit->most];
		uint64_t percent;

		if (limit->table != line->table || !line->has[limit->used] ||
		    !line->has[limit->most] || !most)
			continue;
		percent = (uint64_t)((double)line->values[limit->used] * 100 / (double)most);
		if (percent >= limit->percent)
			add_finding(view, line, rows,
				    dkt__format("%" PRIu64 " %% %s", percent, limit->words));
	}
}

static void find_full(const struct view *view, const struct line *line, struct rows *rows)
{
	const uint64_t available = line->values[AVAILABLE], total = line->values[TOTAL];

	if (line->has[AVAILABLE] && line->has[TOTAL] && total &&
	    (double)available * 100 < (double)total * FULL_PERCENT)
		add_finding(view, line, rows,
			    dkt__format("%.1f %% of the space is available",
					(double)available * 100 / (double)total));
}

static void find_trouble(const struct view *view, const struct line *line, struct rows *rows)
{
	const char *state = name_text(&view->names, line->words[OTHER]);

	if (line->has[GRANT] && line->values[GRANT] < RPC_BYTES)
		add_finding(view, line, rows,
			    strdup("its grant is less than 1 MB: it writes synchronously"));
	if (*state && strcmp(state, "FULL") != 0 && strcmp(state, "IDLE") != 0)
		add_finding(view, line, rows,
			    dkt__format("not connected: the state of its import is %s", state));
	if (line->values[TIMEOUTS])
		add_finding(view, line, rows,
			    dkt__format("%" PRIu64 " requests timed out", line->values[TIMEOUTS]));
}

static void find_all(const struct view *view, struct rows *rows)
{
	for (uint32_t i = 0; i < view->lines.n_values; i++) {
		const struct line *line = dkt__keyed_at(&view->lines, i);

		find_limits(view, line, rows);
		if (line->table == TARGETS)
			find_full(view, line, rows);
		if (line->table == DEVICES)
			find_trouble(view, line, rows);
	}
}

/* ---- output ---- */

/* The columns of a table without those that it does not have; of[] has the number of each. */
struct shown {
	struct column columns[MOST_COLUMNS];
	size_t of[MOST_COLUMNS];
	size_t n;
};

static void show_column(struct shown *shown, const struct column *column, size_t nr)
{
	shown->columns[shown->n] = *column;
	shown->of[shown->n++] = nr;
}

static void choose_columns(const struct view *view, const struct table_layout *layout,
			   struct shown *shown)
{
	static const struct column host = { .key = "host", .none = "-" };

	shown->n = 0;
	if (view->hosts)
		show_column(shown, &host, HOST);
	for (size_t i = NAME; i < layout->n; i++)
		if (layout->columns[i].key)
			show_column(shown, &layout->columns[i], i);
}

static void add_row(const struct view *view, const struct line *line, const struct shown *shown,
		    struct rows *rows)
{
	struct json_object *values[MOST_COLUMNS];

	for (size_t i = 0; i < shown->n; i++) {
		const size_t nr = shown->of[i];

		if (nr < VALUES)
			values[i] = val_words(name_text(&view->names, line->words[nr]));
		else
			values[i] = line->has[nr] ? val_number(line->values[nr]) : NULL;
	}
	rows_add_values(rows, values);
}

static void put_table(const struct view *view, enum table table, struct out *out)
{
	const struct table_layout *layout = &layouts[table];
	struct lustre_order order = { 0, true };
	struct rows *rows;
	struct shown shown;

	choose_columns(view, layout, &shown);
	rows = rows_new(layout->name, shown.columns, shown.n);
	for (uint32_t i = 0; i < view->lines.n_values; i++) {
		const struct line *line = dkt__keyed_at(&view->lines, i);

		if (line->table == table)
			add_row(view, line, &shown, rows);
	}
	for (size_t i = 0; i < shown.n; i++)
		if (shown.of[i] == layout->sort)
			order.column = i;
	if (out->form == OUT_TEXT && !rows_count(rows))
		rows_free(rows);
	else
		lustre_put(view->lustre, out, rows, &order, USUAL);
}

static int print(const struct view *view)
{
	static const struct column columns[] = {
		{ .key = "host", .none = "-" },
		{ .key = "device" },
		{ .key = "finding", .flags = COL_FOLD },
	};
	struct rows *findings =
		rows_new("findings", columns + !view->hosts, ARRAY_SIZE(columns) - !view->hosts);
	struct out out;

	print_begin(view->lustre->app, &out, 0);
	out_json(&out, "parameters", val_number(view->n_params));
	find_all(view, findings);
	if (out.form == OUT_TEXT && !rows_count(findings))
		rows_free(findings);
	else
		out_rows(&out, findings);
	for (enum table table = 0; table < TABLES; table++)
		put_table(view, table, &out);
	return out_end(&out) ? -ENOMEM : 0;
}

int lustre_params(struct lustre *lustre)
{
	struct view view = { .lustre = lustre,
			     .lines = { .keys.n_words = LINE_KEY, .size = sizeof(struct line) } };
	uint64_t unread = 0;
	int err = 0;

	dkl_name_table_init(&view.names);
	for (size_t i = 0; !err && i < lustre->n_files; i++) {
		view.file = lustre->files[i];
		err = dkl_saved_params_read(lustre->app->ctx, view.file, add_param, &view, &unread);
	}
	lustre_tell(unread, "file", "could not be read");
	if (!err && !view.lines.n_values)
		app_say(view.n_params ?
				"no parameters about space, grants, caches and locks" :
				"no parameters: give the output of 'lctl get_param', or a saved tree");
	if (!err)
		err = print(&view);
	dkt__keyed_clear(&view.lines);
	dkl_name_table_clear(&view.names);
	return err;
}
