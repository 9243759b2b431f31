/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Views on logs of intervals: the same answers as those of the analyses of the same names. */
#include "answers/sql/writing.h"

/* ---- columns of groups ---- */

static const struct result_column *group_column(const struct span_set *set, size_t i)
{
	return i < SPAN_GROUPS && set->by[i] >= 0 ? &set->columns[set->by[i]] : NULL;
}

/* The columns that tell a group from others: of a process its number, since PIDs are used again. */
static void put_keys(struct database *db, const struct span_set *set)
{
	const struct result_column *column;

	dkt_buf_str(db->sql, "host");
	for (size_t i = 0; i < SPAN_GROUPS; i++) {
		column = group_column(set, i);
		if (!column)
			continue;
		dkt_buf_printf(db->sql, ", \"%s%s\"", column->key,
			       column->type == RESULT_PROCESS ? "_nr" : "");
		if (column->number_key && column->type != RESULT_PROCESS)
			dkt_buf_printf(db->sql, ", \"%s\"", column->number_key);
	}
}

/* The columns that the view shows of a group, from its last interval. */
static void put_shown(struct database *db, const struct span_set *set)
{
	const struct result_column *column;

	for (size_t i = 0; i < SPAN_GROUPS; i++) {
		column = group_column(set, i);
		if (!column)
			continue;
		dkt_buf_printf(db->sql, ", l.\"%s\"", column->key);
		if (column->number_key)
			dkt_buf_printf(db->sql, ", l.\"%s\"", column->number_key);
	}
}

/* ---- views ---- */

struct view_of {
	struct database *db;
	const struct answer *log;
};

/*
 * Equal durations are counted first, which leaves less to sort. SQLite sorts by an integer several times as
 * fast as by a list, so that the duration is the first key. The rank of a quantile is rounded up, as in
 * the analyses. Theirs differ by up to 0.4 %, since they keep no list of durations.
 */
static void put_stats(struct database *db, const struct answer *log)
{
	dkt_buf_str(db->sql, "WITH equal AS MATERIALIZED (SELECT ");
	put_keys(db, log->set);
	dkt_buf_str(db->sql, ", duration, count(*) AS n, max(seq) AS last FROM ");
	database_quote(db->sql, log->name);
	dkt_buf_str(db->sql, " GROUP BY duration, ");
	put_keys(db, log->set);
	dkt_buf_str(db->sql, "), ranked AS (SELECT *, sum(n) OVER (PARTITION BY ");
	put_keys(db, log->set);
	dkt_buf_str(db->sql, " ORDER BY duration) AS rank, sum(n) OVER (PARTITION BY ");
	put_keys(db, log->set);
	dkt_buf_str(db->sql, ") AS of FROM equal) SELECT l.host");
	put_shown(db, log->set);
	dkt_buf_str(db->sql, ", g.count, g.min, g.mean");
	for (size_t i = 0; i < ANSWER_QUANTILES; i++)
		dkt_buf_printf(db->sql, ", g.\"%s\"", answer_quantiles[i].key);
	dkt_buf_str(db->sql, ", g.max, g.total FROM (SELECT max(last) AS last, sum(n) AS count,"
			     " min(duration) AS min, sum(n * duration) / sum(n) AS mean");
	for (size_t i = 0; i < ANSWER_QUANTILES; i++)
		dkt_buf_printf(db->sql,
			       ", min(CASE WHEN rank >= %s * of THEN duration END) AS \"%s\"",
			       answer_quantiles[i].part, answer_quantiles[i].key);
	dkt_buf_str(db->sql, ", max(duration) AS max, sum(n * duration) AS total FROM ranked"
			     " GROUP BY ");
	put_keys(db, log->set);
	dkt_buf_str(db->sql, ") AS g JOIN ");
	database_quote(db->sql, log->name);
	dkt_buf_str(db->sql, " AS l ON l.seq = g.last ORDER BY g.total DESC, g.last");
}

static void put_top(struct database *db, const struct answer *log)
{
	dkt_buf_str(db->sql, "SELECT * FROM ");
	database_quote(db->sql, log->name);
	dkt_buf_str(db->sql, " ORDER BY duration DESC, seq LIMIT " ANSWER_TOP);
}

/* Rows for the powers of two from the shortest to the longest, as in the analyses. */
static void put_freq(struct database *db, const struct answer *log)
{
	dkt_buf_str(db->sql, "WITH RECURSIVE powers(below) AS (SELECT 2 UNION ALL SELECT below * 2"
			     " FROM powers WHERE below < 4611686018427387904),"
			     " bounds AS (SELECT host, min(duration) AS least, max(duration) AS"
			     " most FROM ");
	database_quote(db->sql, log->name);
	dkt_buf_str(db->sql, " GROUP BY host) SELECT b.host, CASE p.below WHEN 2 THEN 0 ELSE"
			     " p.below / 2 END AS \"from\", p.below AS below, (SELECT count(*)"
			     " FROM ");
	database_quote(db->sql, log->name);
	dkt_buf_str(db->sql, " AS l WHERE l.host = b.host AND l.duration < p.below AND (p.below = 2"
			     " OR l.duration >= p.below / 2)) AS count FROM bounds AS b JOIN"
			     " powers AS p ON p.below > b.least AND (p.below / 2 <= b.most OR"
			     " p.below = 2) ORDER BY 1, 2");
}

static int create(void *data, const struct analysis *view, const char *name)
{
	struct database *db = ((struct view_of *)data)->db;
	const struct answer *log = ((struct view_of *)data)->log;

	dkt_buf_str(db->sql, "CREATE VIEW ");
	database_quote(db->sql, name);
	dkt_buf_str(db->sql, " AS ");
	if (view->view == VIEW_STATS)
		put_stats(db, log);
	else if (view->view == VIEW_TOP)
		put_top(db, log);
	else
		put_freq(db, log);
	dkt_buf_str(db->sql, ";");
	return database_run(db);
}

int views_create(struct database *db, const struct answer *log)
{
	struct view_of of = { db, log };

	return answers_each_view(&db->answers, log, create, &of);
}
