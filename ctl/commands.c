/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of commands, for help and completion. */
#include "ctl/app/commands.h"

#include "ctl/app/file_argument.h"
#include "ctl/app/groups.h"

const struct command app_commands[] = {
	/* clang-format off */
	{ "analyze",   cmd_analyze, GROUP_ANSWERS, CMD_READ_NAMED | CMD_MEASURES | CMD_RECORD | CMD_COMMAND, 0, -1, "[NAME [FILE...]] [-- COMMAND...]", "answer a question from records: who uses the CPUs, what waits, what is slow", .options = { analyze_opts, duration_opts, offset_opts, period_opts, raw_text_opts, table_opts, time_opts, top_rows_opts, live_input_opts, vmlinux_opts } },
	{ "apply",     cmd_apply,  GROUP_SETTINGS, 0,        0, 1,  "[FILE]", "apply a configuration file, all of it or none of it", .options = { NULL } },
	{ "boot-config", cmd_boot_config, GROUP_SETTINGS, CMD_TREE, 0, -1, "[PARAMETER=VALUE...]", "print boot settings that make the kernel record from boot on", .options = { boot_config_opts } },
	{ "clear",     cmd_lctl,   GROUP_LOG, CMD_LCTL | CMD_TREE, 0, 0,  "", "empty the log", .options = { NULL } },
	{ "collect",   cmd_collect, GROUP_HOSTS, CMD_WRAP, 1, -1, "-w NODES|--hosts FILE COMMAND [ARGUMENT...]", "run record, dk, status, set_param ... on many hosts at once, by ssh", .options = { collect_opts, server_opts, table_opts } },
	{ "convert",   cmd_convert, GROUP_READING, CMD_FORMAT | CMD_READ_FIRST | CMD_WRITE_LAST, 2, 2, "IN OUT", "write the records of a file, or the log, in another format", .options = { write_opts, compression_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts, input_opts, vmlinux_opts } },
	{ "daemon",    cmd_daemon, GROUP_RECORDING, CMD_PRIVATE, 1, 1, "start|status|reload|stop", "record all the time into a directory of segments", .options = { daemon_opts, background_opts, table_opts, what_opts, program_opts, process_opts } },
	{ "dk",        cmd_dk,     GROUP_LOG, CMD_RECORD | CMD_WRITE_LAST, 0, 1,  "[FILE]", "print the log and empty it", .options = { copy_opts, compression_opts, log_input_opts, log_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts }, .find_file = file_argument_find_tree },
	{ "doctor",    cmd_doctor, GROUP_MACHINE, CMD_TREE, 0, 0,  "", "show what this kernel, your privileges and this Lustre support", .options = { table_opts } },
	{ "filter",    cmd_filter, GROUP_SETTINGS, CMD_TREE, 1, -1, "set|list|clear [EVENTS [EXPR]]", "restrict recording by expression, process, program or CPU", .options = { process_opts, program_opts, table_opts } },
	{ "flight",    cmd_flight, GROUP_RECORDING, CMD_PRIVATE | CMD_EMPTY, 1, 2, "start|status|dump|file|follow|stop [REASON|NAME]", "record all the time into memory; write a file when something happens", .options = { flight_opts, background_opts, table_opts, what_opts, program_opts, process_opts } },
	{ "follow",    cmd_dk,     GROUP_LOG, CMD_RECORD,  0, 0,  "", "print the log as it grows, until Ctrl-C", .options = { follow_opts, duration_opts, log_input_opts, log_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts }, .find_file = file_argument_find_tree },
	{ "function",  cmd_function, GROUP_SETTINGS, CMD_TREE | CMD_COMMAND, 0, -1, "[GLOB...] [-- COMMAND...]|off", "record calls of kernel functions", .options = { function_opts, process_opts } },
	{ "get_param", cmd_lctl,   GROUP_LOG, CMD_LCTL | CMD_TREE, 1, -1, "[-n|-N] PARAMETER...", "print debug, subsystem_debug, debug_sources, printk, debug_mb, debug_filter", .options = { NULL } },
	{ "graph",     cmd_function, GROUP_SETTINGS, CMD_TREE | CMD_COMMAND, 0, -1, "[GLOB...] [-- COMMAND...]|off", "record entry and exit of kernel functions", .options = { graph_opts, function_opts, process_opts } },
	{ "help",      cmd_help,   GROUP_MACHINE, 0,        0, -1, "[COMMAND|WORDS...]", "print this help, the help of a command, or the commands for a task", .options = { NULL } },
	{ "hist",      cmd_hist,   GROUP_ANSWERS, CMD_RECORD | CMD_COMMAND, 0, -1, "[COUNT | EVENT|CLASS [--keys FIELDS] | --sql STATEMENT] [FILE] [-- COMMAND...]", "count records by their fields, in the kernel if possible", .options = { hist_opts, live_file_opts, duration_opts, raw_text_opts, select_opts, thread_opts, time_opts, table_opts, top_rows_opts, live_input_opts, vmlinux_opts }, .find_file = hist_find_file },
	{ "info",      cmd_info,   GROUP_READING, CMD_READ_ALL, 1, -1, "FILE...", "show the contents of recordings: events, times, CPUs, losses", .options = { thread_select_opts, select_opts, thread_opts, time_opts, input_opts, vmlinux_opts, table_opts } },
	{ "lami",      cmd_lami,   GROUP_ANSWERS, CMD_READ_NAMED | CMD_MEASURES | CMD_RECORD, 1, 2, "NAME [FILE]", "run an analysis for Trace Compass: LAMI 1.0", .options = { lami_opts, period_opts, input_opts, vmlinux_opts } },
	{ "last-boot", cmd_last_boot, GROUP_LOG, CMD_RECORD | CMD_WRITE_LAST, 0, 1, "[FILE]", "print what the boot before this one recorded until it crashed", .options = { last_boot_opts, copy_opts, compression_opts, log_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts } },
	{ "latency",   cmd_latency, GROUP_ANSWERS, CMD_MEASURES | CMD_RECORD | CMD_COMMAND, 0, -1, "[PAIR | BEGIN END --match FIELDS] [FILE] [-- COMMAND...]", "measure the time from one event to another", .options = { latency_opts, live_file_opts, duration_opts, raw_text_opts, select_opts, thread_opts, time_opts, table_opts, top_rows_opts, live_input_opts, vmlinux_opts }, .find_file = latency_find_file },
	{ "list",      cmd_list,   GROUP_MACHINE, CMD_READ_TREE, 1, -1, "classes|subsystems|events|fields|counts [GLOB...]", "list classes, subsystems, events, fields and the counts of hist", .options = { table_opts } },
	{ "load",      cmd_load,   GROUP_READING, CMD_MEASURES | CMD_READ_ALL | CMD_NEEDS_NETWORK, 1, -1, "--clickhouse URL FILE...", "load recordings into ClickHouse, for questions over many hosts and days", .options = { load_opts, offset_opts, server_opts, input_opts, vmlinux_opts } },
	{ "lustre",    cmd_lustre, GROUP_LUSTRE, CMD_READ_NAMED, 0, -1, "[rpc|locks|evictions|leaks|messages|masks FILE... | timeline WORD FILE...]", "answer questions from Lustre's debug logs, also of several hosts", .options = { lustre_opts, offset_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts, input_opts, vmlinux_opts, table_opts, top_rows_opts } },
	{ "mark",      cmd_lctl,   GROUP_LOG, CMD_LCTL | CMD_TREE, 0, -1, "[TEXT...]", "write a marker into the log", .options = { NULL } },
	{ "merge",     cmd_merge,  GROUP_READING, CMD_FORMAT | CMD_READ_ALL, 1, -1, "FILE...", "merge recordings, also of several hosts, into one file", .options = { merge_opts, offset_opts, write_opts, compression_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts, input_opts, vmlinux_opts } },
	{ "probe",     cmd_probe,  GROUP_SETTINGS, CMD_NEEDS_KERNEL | CMD_TREE, 1, -1, "add|list|enable|disable|del [ARGUMENT...]", "create events on functions, source lines, programs and tracepoints", .options = { probe_opts, table_opts } },
	{ "record",    cmd_record, GROUP_RECORDING, CMD_PRIVATE | CMD_WRITE_TRACE | CMD_NAMES | CMD_RECORD | CMD_COMMAND, 0, -1, "-c CLASSES | -e EVENTS [-o FILE] [-- COMMAND...]", "record events into a file for trace-cmd, KernelShark and dktrace", .options = { record_opts, duration_opts, what_opts, program_opts, process_opts } },
	{ "recover",   cmd_recover, GROUP_RECORDING, CMD_WRITE_IN_PLACE | CMD_READ_FIRST | CMD_NEEDS_KERNEL, 1, 1, "FILE", "complete a recording whose writer was killed", .options = { recover_opts } },
	{ "remote",    cmd_remote, GROUP_HOSTS, 0, 0, 0, "", "answer 'dktrace collect' on another host; ssh starts it", .options = { remote_opts } },
	{ "report",    cmd_report, GROUP_READING, CMD_READ_ALL, 1, -1, "FILE...", "print the records of files such as trace.dat", .options = { report_opts, copy_opts, compression_opts, offset_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts, input_opts, vmlinux_opts } },
	{ "reset",     cmd_reset,  GROUP_LOG, 0, 0, 0,  "", "remove all settings and records and restore the machine", .options = { reset_opts } },
	{ "save",      cmd_save,   GROUP_SETTINGS, 0,        0, 1,  "[FILE]", "write the settings to a configuration file", .options = { NULL } },
	{ "set_param", cmd_lctl,   GROUP_LOG, CMD_LCTL | CMD_TREE, 1, -1, "[-n] PARAMETER=VALUE...", "set debug, subsystem_debug, debug_sources, printk, debug_mb, debug_filter", .options = { NULL } },
	{ "show",      cmd_dk,     GROUP_LOG, CMD_RECORD | CMD_WRITE_LAST, 0, 1,  "[FILE]", "print the log and keep it", .options = { copy_opts, compression_opts, log_input_opts, log_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts }, .find_file = file_argument_find_tree },
	{ "snapshot",  cmd_snapshot, GROUP_LOG, CMD_RECORD, 1, 2, "take|show|free [FILE]", "keep the log of a moment in the kernel, and print it", .options = { copy_opts, compression_opts, log_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts } },
	{ "split",     cmd_split,  GROUP_READING, CMD_FORMAT | CMD_NAMES | CMD_READ_FIRST | CMD_WRITE_LAST, 2, 2, "FILE OUT", "split a recording into several files", .options = { split_opts, table_opts, write_opts, compression_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts, input_opts, vmlinux_opts } },
	{ "sql",       cmd_sql,    GROUP_READING, CMD_NEEDS_TEMPORARY | CMD_MEASURES | CMD_READ_ALL, 1, -1, "FILE... ['SELECT ...']", "answer a statement in SQL from recordings, or list their tables", .options = { offset_opts, raw_text_opts, thread_select_opts, select_opts, thread_opts, time_opts, input_opts, vmlinux_opts, table_opts } },
	{ "start",     cmd_start,  GROUP_LOG, CMD_TREE, 0, 0,  "", "start recording again, after stop or a traceoff trigger", .options = { NULL } },
	{ "status",    cmd_status, GROUP_LOG, CMD_TREE, 0, 0,  "", "show what is enabled, how full the buffers are and what was lost", .options = { table_opts } },
	{ "stop",      cmd_start,  GROUP_LOG, CMD_TREE, 0, 0,  "", "stop recording; keep settings and records", .options = { NULL } },
	{ "strace",    cmd_strace, GROUP_ANSWERS, CMD_READ_ALL | CMD_STRACE | CMD_MEASURES | CMD_RECORD | CMD_COMMAND, 0, -1, "[FILE...] [-- COMMAND...]", "print system calls with their times, arguments and results", .options = { strace_opts, duration_opts, offset_opts, table_opts, thread_opts, time_opts, top_rows_opts, live_input_opts, vmlinux_opts } },
	{ "top",       cmd_top,    GROUP_ANSWERS, CMD_RECORD, 0, 0, "", "show what the machine does now: processes, system calls, disks, events", .options = { top_opts, duration_opts } },
	{ "trigger",   cmd_trigger, GROUP_SETTINGS, CMD_TREE, 1, -1, "add|list|del|rearm [EVENTS|message TEXT] [ACTION]", "make the kernel act on an event or on a message of Lustre", .options = { trigger_opts, table_opts } },
	{ "view",      cmd_view,   GROUP_READING, CMD_MEASURES | CMD_READ_ALL, 1, -1, "FILE... -o PAGE.html", "write a page of pictures: rates, latencies, stacks, processes", .options = { view_opts, offset_opts, thread_select_opts, select_opts, thread_opts, time_opts, input_opts, vmlinux_opts } },
	{ "__complete", cmd_complete, 0, CMD_HIDDEN, 0, -1, "PROGRAM WORDS...", "print words for the shell's completion", .options = { NULL } },
	/* clang-format on */
	{ .name = NULL },
};
