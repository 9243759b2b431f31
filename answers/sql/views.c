/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Views on logs of intervals: the same answers as those of the analyses of the same names. */
#include "answers/sql/writing.h"

#define OF_GROUP(nr, key, part) ", g.\"" key "\""
#define BY_RANK(nr, key, part)                                                                     \
	", min(CASE WHEN rank >= " part " * of THEN duration END) AS \"" key "\""

/*
 * Equal durations are counted first, which leaves less to sort. SQLite sorts by an integer several times as
 * fast as by a list, so that the duration is the first key. The rank of a quantile is rounded up, as in
 * the analyses. Theirs differ by up to 0.4 %, since they keep no list of durations.
 */
static void put_stats(struct dkt_buf *sql, const char *keys, const char *log, const char *shown)
{
	dkt_buf_printf(
		sql,
		"WITH equal AS MATERIALIZED (SELECT %1$s, duration, count(*) AS n, max(seq) AS"
		" last FROM %2$s GROUP BY duration, %1$s), ranked AS (SELECT *, sum(n) OVER"
		" (PARTITION BY %1$s ORDER BY duration) AS rank, sum(n) OVER (PARTITION BY"
		" %1$s) AS of FROM equal) SELECT l.host%3$s, g.count, g.min, g.mean",
		keys, log, shown);
	dkt_buf_str(sql, ANSWER_QUANTILES(OF_GROUP));
	dkt_buf_str(sql, ", g.max, g.total FROM (SELECT max(last) AS last, sum(n) AS count,"
			 " min(duration) AS min, sum(n * duration) / sum(n) AS mean");
	dkt_buf_str(sql, ANSWER_QUANTILES(BY_RANK));
	dkt_buf_printf(sql,
		       ", max(duration) AS max, sum(n * duration) AS total FROM ranked GROUP BY %s)"
		       " AS g JOIN %s AS l ON l.seq = g.last ORDER BY g.total DESC, g.last",
		       keys, log);
}

/* Rows for the powers of two from the shortest to the longest, as in the analyses. */
static void put_freq(struct dkt_buf *sql, const char *log)
{
	dkt_buf_printf(sql,
		       "WITH RECURSIVE powers(below) AS (SELECT 2 UNION ALL SELECT below * 2 FROM"
		       " powers WHERE below < 4611686018427387904), bounds AS (SELECT host,"
		       " min(duration) AS least, max(duration) AS most FROM %1$s GROUP BY host)"
		       " SELECT b.host, CASE p.below WHEN 2 THEN 0 ELSE p.below / 2 END AS"
		       " \"from\", p.below AS below, (SELECT count(*) FROM %1$s AS l WHERE"
		       " l.host = b.host AND l.duration < p.below AND (p.below = 2 OR l.duration >="
		       " p.below / 2)) AS count FROM bounds AS b JOIN powers AS p ON p.below >"
		       " b.least AND (p.below / 2 <= b.most OR p.below = 2) ORDER BY 1, 2",
		       log);
}

struct view_of {
	struct database *db;
	char *log; /* quoted */
	char *keys, *shown; /* columns of groups */
};

static int create(void *data, const struct analysis *view, const char *name)
{
	const struct view_of *of = data;
	struct dkt_buf *sql = of->db->sql;

	dkt_buf_str(sql, "CREATE VIEW ");
	database_quote(sql, name);
	dkt_buf_str(sql, " AS ");
	if (view->view == VIEW_STATS)
		put_stats(sql, of->keys, of->log, of->shown);
	else if (view->view == VIEW_TOP)
		dkt_buf_printf(sql,
			       "SELECT * FROM %s ORDER BY duration DESC, seq LIMIT " ANSWER_TOP,
			       of->log);
	else
		put_freq(sql, of->log);
	dkt_buf_str(sql, ";");
	return database_run(of->db);
}

int views_create(struct database *db, const struct answer *log)
{
	struct answer_group groups[ANSWER_GROUPS];
	const size_t n = answer_groups(log, groups);
	struct dkt_buf name = { 0 }, keys = { 0 }, shown = { 0 };
	struct view_of of = { .db = db };
	int err;

	database_quote(&name, log->name);
	dkt_buf_str(&keys, "host");
	for (size_t i = 0; i < n; i++) {
		if (*groups[i].key) {
			dkt_buf_str(&keys, ", ");
			database_quote(&keys, groups[i].key);
		}
		dkt_buf_str(&shown, ", l.");
		database_quote(&shown, groups[i].shown);
	}
	of.log = dkt__buf_take(&name);
	of.keys = dkt__buf_take(&keys);
	of.shown = dkt__buf_take(&shown);
	err = of.log && of.keys && of.shown ? answers_each_view(&db->answers, log, create, &of) :
					      -ENOMEM;
	free(of.log);
	free(of.keys);
	free(of.shown);
	return dkt__with_words(db->ctx, err);
}
