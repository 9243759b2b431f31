/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of commands, from which help and completion come. */
#include "app/app.h"

const struct command app_commands[] = {
	/* clang-format off */
	{ "apply",     cmd_apply,  0,        0, 1,  "[FILE]", "set what a configuration file says, all of it or nothing" },
	{ "boot-config", cmd_boot_config, CMD_BOOT, 0, -1, "[PARAMETER=VALUE...]", "print what makes the kernel record from boot on" },
	{ "clear",     cmd_lctl,   CMD_LCTL, 0, 0,  "", "empty the log" },
	{ "convert",   cmd_convert, CMD_WRITE | CMD_PICK | CMD_READ_FIRST | CMD_WRITE_LAST, 2, 2, "IN OUT", "write a file of records, or the log, as a file of another kind" },
	{ "dk",        cmd_dk,     CMD_LOG | CMD_DAT | CMD_RECORD | CMD_WRITE_LAST, 0, 1,  "[FILE]", "print the log and empty it" },
	{ "doctor",    cmd_doctor, CMD_LIST, 0, 0,  "", "show what this kernel, these rights and this Lustre allow" },
	{ "filter",    cmd_filter, CMD_LIST | CMD_FILTER, 1, -1, "set|list|clear [EVENTS [EXPR]]", "record only what an expression, threads, programs or CPUs let through" },
	{ "follow",    cmd_dk,     CMD_LOG | CMD_RECORD,  0, 0,  "", "print the log as it grows, until Ctrl-C" },
	{ "function",  cmd_function, CMD_FUNCTION, 0, -1, "[GLOB...] [-- COMMAND...]|off", "record calls of the kernel's functions" },
	{ "get_param", cmd_lctl,   CMD_LCTL, 1, -1, "PARAMETER...", "print debug, subsystem_debug, debug_sources, printk, debug_mb, debug_filter" },
	{ "graph",     cmd_function, CMD_FUNCTION | CMD_GRAPH, 0, -1, "[GLOB...] [-- COMMAND...]|off", "record entry and exit of the kernel's functions" },
	{ "help",      cmd_help,   0,        0, 1,  "[COMMAND]", "print this help, or that of a command" },
	{ "hist",      cmd_hist,   CMD_HIST | CMD_RECORD, 0, -1, "[EVENT|CLASS [--keys FIELDS] | --sql STATEMENT] [-- COMMAND...]", "count records by their fields, in the kernel where it can" },
	{ "info",      cmd_info,   CMD_LIST | CMD_PICK | CMD_READ_ALL, 1, -1, "FILE...", "show what is in files of records: events, times, CPUs, losses" },
	{ "latency",   cmd_latency, CMD_LATENCY | CMD_RECORD, 0, -1, "[PAIR | BEGIN END --key FIELDS] [-- COMMAND...]", "show how long it takes from one event to another" },
	{ "list",      cmd_list,   CMD_LIST, 1, -1, "classes|subsystems|events|fields [GLOB...]", "show what can be switched on, by name or glob" },
	{ "mark",      cmd_lctl,   CMD_LCTL, 0, -1, "[TEXT...]", "write a marker into the log" },
	{ "merge",     cmd_merge,  CMD_WRITE | CMD_PICK | CMD_MERGE | CMD_READ_ALL, 1, -1, "FILE...", "write the records of several files, also of several hosts, as one file" },
	{ "probe",     cmd_probe,  CMD_PROBE, 1, -1, "add|list|enable|disable|del [ARGUMENT...]", "make events of functions, source lines, programs and tracepoints" },
	{ "report",    cmd_report, CMD_REPORT | CMD_READ_ALL, 1, -1, "FILE...", "print the records of files such as trace.dat" },
	{ "reset",     cmd_reset,  0,        0, 0,  "", "forget all settings and records: the machine as it was before" },
	{ "save",      cmd_save,   0,        0, 1,  "[FILE]", "write what is set into a configuration file" },
	{ "set_param", cmd_lctl,   CMD_LCTL, 1, -1, "PARAMETER=VALUE...", "set debug, subsystem_debug, debug_sources, printk, debug_mb, debug_filter" },
	{ "show",      cmd_dk,     CMD_LOG | CMD_DAT | CMD_RECORD, 0, 1,  "[FILE]", "print the log and keep it" },
	{ "split",     cmd_split,  CMD_WRITE | CMD_PICK | CMD_SPLIT | CMD_LIST | CMD_READ_FIRST | CMD_WRITE_LAST, 2, 2, "FILE OUT", "write the records of a file as several files" },
	{ "start",     cmd_start,  0,        0, 0,  "", "record again, after stop or a traceoff trigger" },
	{ "status",    cmd_status, CMD_LIST, 0, 0,  "", "show what is on, how full the buffers are and what was lost" },
	{ "stop",      cmd_start,  0,        0, 0,  "", "stop recording; settings and records stay" },
	{ "trigger",   cmd_trigger, CMD_LIST | CMD_TRIGGER, 1, -1, "add|list|del|rearm [EVENTS|message TEXT] [ACTION]", "let the kernel act when an event happens or a message of Lustre comes" },
	{ "__complete", cmd_complete, CMD_HIDDEN, 0, -1, "PROGRAM WORDS...", "words for the shell's completion" },
	/* clang-format on */
	{ .name = NULL },
};
