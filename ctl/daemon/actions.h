/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The actions of daemon that need more than a call. They return exit statuses. */
#pragma once

#include "ctl/app/app.h"

struct daemon_options {
	const char *buffer_size, *compression, *dir, *keep_time, *max_size, *metrics, *segment_size,
		*segment_time, *settings;
	bool go_on;
};
extern const struct opt_values daemon_values;

int daemon_action_start(struct app *app);
int daemon_action_status(struct app *app);
int daemon_action_reload(struct app *app);
