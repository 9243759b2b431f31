/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands and their own options, for the table of commands. */
#pragma once

#include "ctl/app/app.h"

int hist_find_file(const struct app *app, int n, char **argv);
int latency_find_file(const struct app *app, int n, char **argv);

command_fn cmd_analyze, cmd_annotate, cmd_apply, cmd_archive, cmd_boot_config, cmd_collect,
	cmd_complete, cmd_convert, cmd_daemon, cmd_dk, cmd_doctor, cmd_filter, cmd_flight,
	cmd_function, cmd_help, cmd_hist, cmd_info, cmd_lami, cmd_last_boot, cmd_latency, cmd_lctl,
	cmd_list, cmd_load, cmd_lustre, cmd_merge, cmd_probe, cmd_profile, cmd_record, cmd_recover,
	cmd_remote, cmd_report, cmd_reset, cmd_save, cmd_snapshot, cmd_split, cmd_sql, cmd_start,
	cmd_stat, cmd_status, cmd_strace, cmd_top, cmd_trigger, cmd_view;

extern const struct opt analyze_opts[], annotate_opts[], archive_opts[], boot_config_opts[],
	collect_opts[], daemon_opts[], flight_opts[], follow_opts[], function_opts[], graph_opts[],
	hist_opts[], lami_opts[], last_boot_opts[], latency_opts[], load_opts[], log_input_opts[],
	log_opts[], lustre_opts[], merge_opts[], period_opts[], probe_opts[], profile_opts[],
	record_opts[], recover_opts[], remote_opts[], report_opts[], reset_opts[], sample_opts[],
	server_opts[], split_opts[], stat_opts[], strace_opts[], top_opts[], trigger_opts[],
	view_opts[];
