/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The actions of flight that need more than a call. They return exit statuses. */
#pragma once

#include "ctl/app/app.h"

struct flight_options {
	const char *after, *dir, *exec, *groups, *keep_time, *max_dumps, *max_size, *size, *when;
	bool dump, freeze;
};
extern const struct opt_values flight_values;

int flight_action_start(struct app *app);
int flight_action_status(struct app *app);
int flight_action_follow(struct app *app);
