/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Views on logs of intervals, with the same names and answers as those of sql/views.c. */
#include "answers/load/loading.h"

#define NAMED(nr, key, part) ", quantiles[" nr "] AS `" key "`"
#define PART(nr, key, part)  ", " part

/* The columns that a group is shown by. A key is that of each of its intervals. */
static void put_shown(const struct answer_group *groups, size_t n, struct dkt_buf *sql)
{
	for (size_t i = 0; i < n; i++) {
		const bool key = !strcmp(groups[i].key, groups[i].shown);

		dkt_buf_str(sql, key ? ", " : ", argMax(");
		layout_quote(sql, groups[i].shown, "");
		dkt_buf_printf(sql, "%s AS shown_%zu", key ? "" : ", seq)", i);
	}
}

/*
 * The rank of a quantile is rounded up, as in the analyses: of the functions for quantiles, only the one with
 * weights does that. It counts equal durations, which takes a fifth of the time of sorting all. Columns get
 * other names within, because a name that is given hides the column of that name.
 */
static void put_stats(const struct load *load, const struct answer *log, struct dkt_buf *sql)
{
	static const char parts[] = ANSWER_QUANTILES(PART);
	struct answer_group groups[ANSWER_GROUPS];
	size_t n = answer_groups(log, groups);

	dkt_buf_str(sql, "SELECT common_load, host");
	for (size_t i = 0; i < n; i++) {
		dkt_buf_printf(sql, ", shown_%zu AS ", i);
		layout_quote(sql, groups[i].shown, "");
	}
	dkt_buf_str(sql, ", n AS count, least AS min, intDiv(sum_of, n) AS mean");
	dkt_buf_str(sql, ANSWER_QUANTILES(NAMED));
	dkt_buf_str(sql, ", most AS max, sum_of AS total FROM (SELECT common_load, host");
	put_shown(groups, n, sql);
	dkt_buf_str(sql, ", max(seq) AS last, count() AS n, min(duration) AS least,"
			 " quantilesExactWeighted(");
	dkt_buf_str(sql, parts + strlen(", "));
	dkt_buf_str(sql, ")(duration, 1) AS quantiles, max(duration) AS most,"
			 " sum(duration) AS sum_of FROM ");
	targets_put_name(load, log->name, sql);
	dkt_buf_str(sql, " GROUP BY common_load, host");
	for (size_t i = 0; i < n; i++)
		if (*groups[i].key) {
			dkt_buf_str(sql, ", ");
			layout_quote(sql, groups[i].key, "");
		}
	dkt_buf_str(sql, ") ORDER BY sum_of DESC, last");
}

/*
 * The other columns are read only where a duration is one of the longest, which takes a third of the time.
 * With GLOBAL the server that is asked finds those of all servers, once.
 */
static void put_top(const struct load *load, const struct answer *log, struct dkt_buf *sql)
{
	dkt_buf_str(sql, "SELECT * FROM ");
	targets_put_name(load, log->name, sql);
	dkt_buf_str(sql, " PREWHERE duration GLOBAL IN (SELECT duration FROM ");
	targets_put_name(load, log->name, sql);
	dkt_buf_str(sql, " ORDER BY duration DESC LIMIT " ANSWER_TOP
			 ") ORDER BY duration DESC, seq LIMIT " ANSWER_TOP);
}

/*
 * Rows for the powers of two from the shortest to the longest, as in the analyses. ClickHouse 18.16 cannot
 * read an element of a tuple again that has an index, and then does not start: so there is no tuple.
 */
static void put_freq(const struct load *load, const struct answer *log, struct dkt_buf *sql)
{
	dkt_buf_str(sql, "SELECT common_load, host, lower AS `from`, if(lower = 0, 2, lower * 2)"
			 " AS below, counts[indexOf(powers, lower)] AS count FROM (SELECT"
			 " common_load, host, powers, counts, shortest, longest,"
			 " arrayJoin(arrayMap(i -> if(i = 0, toInt64(0), toInt64(exp2(i))),"
			 " range(62))) AS lower FROM (SELECT common_load, host, groupArray(power)"
			 " AS powers, groupArray(n) AS counts, min(power) AS shortest, max(power)"
			 " AS longest FROM (SELECT common_load, host, power, count() AS n FROM"
			 " (SELECT common_load, host, if(duration < 2, toInt64(0),"
			 " roundToExp2(duration)) AS power FROM ");
	targets_put_name(load, log->name, sql);
	dkt_buf_str(sql,
		    ") GROUP BY common_load, host, power) GROUP BY common_load, host)) WHERE"
		    " lower >= shortest AND lower <= longest ORDER BY common_load, host, lower");
}

/* ---- creating ---- */

struct view_of {
	struct load *load;
	const struct answer *log;
};

static int create(void *data, const struct analysis *analysis, const char *name)
{
	const struct view_of *of = data;
	struct dkt_buf *sql;
	int err = dkt_buf_new(&sql);

	if (err)
		return err;
	if (analysis->view == VIEW_STATS)
		put_stats(of->load, of->log, sql);
	else if (analysis->view == VIEW_TOP)
		put_top(of->load, of->log, sql);
	else
		put_freq(of->load, of->log, sql);
	err = targets_create_view(of->load, of->log->name, name, sql);
	dkt_buf_free(sql);
	return err;
}

int load_views(struct load *load, const struct load_file *file, const struct answer *log)
{
	struct view_of of = { load, log };

	return answers_each_view(&file->answers, log, create, &of);
}
