/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The buffers of the CPUs in what status shows. */
#include "cmd/status_cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "out/out.h"

#define SYS_CPU "/sys/devices/system/cpu"

/* tracefs has a buffer for every possible CPU; a CPU that is not present has no directory in sysfs. */
static bool is_offline(int cpu)
{
	char path[64], state = '1';
	int fd;

	snprintf(path, sizeof(path), SYS_CPU "/cpu%d", cpu);
	if (access(SYS_CPU, F_OK))
		return false;
	if (access(path, F_OK))
		return true;
	/* A CPU that cannot be taken offline has no such file. */
	snprintf(path, sizeof(path), SYS_CPU "/cpu%d/online", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, &state, 1) != 1)
		state = '1';
	close(fd);
	return state == '0';
}

int status_cpus_read(const struct app *app, struct debuglog *log, struct status_cpus *cpus)
{
	int cpu, err = 0;

	cpus->n = dkt_instance_cpus(log->in);
	cpus->list = calloc((size_t)cpus->n, sizeof(*cpus->list));
	if (!cpus->list)
		return -ENOMEM;
	for (cpu = 0; !err && cpu < cpus->n; cpu++) {
		struct status_cpu *line = &cpus->list[cpu];

		err = dkt_instance_get_stats(log->in, cpu, &line->stats);
		line->lost = line->stats.overrun + line->stats.commit_overrun + line->stats.dropped;
		/* A saved tree may be of another machine. */
		line->offline = !app->root && is_offline(cpu);
		cpus->offline += line->offline;
	}
	return err;
}

void status_cpus_clear(struct status_cpus *cpus)
{
	free(cpus->list);
	*cpus = (struct status_cpus){ 0 };
}

void status_cpus_count(const struct status_cpus *cpus)
{
	printf("for %d CPU%s", cpus->n, cpus->n == 1 ? "" : "s");
	if (cpus->offline)
		printf(", %d of them offline", cpus->offline);
}

int status_cpus_print(const struct status_cpus *cpus)
{
	static const struct column columns[] = {
		{ "CPU", COL_NUMBER },  { "RECORDS", COL_NUMBER },     { "BYTES", COL_NUMBER },
		{ "READ", COL_NUMBER }, { "OVERWRITTEN", COL_NUMBER }, { "DROPPED", COL_NUMBER },
	};
	struct table *table = table_new("cpus", columns, ARRAY_SIZE(columns), false);
	int cpu, err = table ? 0 : -ENOMEM;

	for (cpu = 0; !err && cpu < cpus->n; cpu++) {
		const struct dkt_cpu_stats *s = &cpus->list[cpu].stats;
		const uint64_t values[] = { (uint64_t)cpu, s->entries,
					    s->bytes,      s->read,
					    s->overrun,    s->commit_overrun + s->dropped };
		char text[ARRAY_SIZE(values)][24];
		const char *cells[ARRAY_SIZE(values)];
		size_t i;

		for (i = 0; i < ARRAY_SIZE(values); i++) {
			snprintf(text[i], sizeof(text[i]), "%" PRIu64, values[i]);
			cells[i] = text[i];
		}
		err = table_add(table, cells);
	}
	if (!err)
		err = table_print(table);
	table_free(table);
	return err;
}

void status_cpus_json(const struct status_cpus *cpus, struct json_object *root)
{
	struct json_object *all = json_object_new_array();
	int cpu;

	for (cpu = 0; cpu < cpus->n; cpu++) {
		const struct status_cpu *line = &cpus->list[cpu];
		const struct dkt_cpu_stats *s = &line->stats;
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "cpu", json_object_new_int(cpu));
		json_object_object_add(o, "online", json_object_new_boolean(!line->offline));
		json_object_object_add(o, "records", json_object_new_uint64(s->entries));
		json_object_object_add(o, "bytes", json_object_new_uint64(s->bytes));
		json_object_object_add(o, "read", json_object_new_uint64(s->read));
		json_object_object_add(o, "overwritten", json_object_new_uint64(s->overrun));
		json_object_object_add(o, "dropped",
				       json_object_new_uint64(s->commit_overrun + s->dropped));
		json_object_object_add(o, "lost", json_object_new_uint64(line->lost));
		json_object_array_add(all, o);
	}
	json_object_object_add(root, "cpus", all);
}
