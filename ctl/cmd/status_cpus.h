/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The buffers of the CPUs in what status shows. */
#ifndef CTL_STATUS_CPUS_H
#define CTL_STATUS_CPUS_H

#include <json-c/json.h>

#include "app/app.h"
#include "log/debuglog.h"

struct status_cpu {
	struct dkt_cpu_stats stats;
	uint64_t lost;
	bool offline; /* now; the records that it left can be read all the same */
};

struct status_cpus {
	struct status_cpu *list;
	int n;
	int offline;
};

int status_cpus_read(const struct app *app, struct debuglog *log, struct status_cpus *cpus);
void status_cpus_clear(struct status_cpus *cpus);

/* "for 4 CPUs, 2 of them offline", without a newline. */
void status_cpus_count(const struct status_cpus *cpus);

/* The table. */
int status_cpus_print(const struct status_cpus *cpus);

/* Adds "cpus", an array, to what is printed. */
void status_cpus_json(const struct status_cpus *cpus, struct json_object *root);

#endif
