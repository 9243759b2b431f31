/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of commands, for help and completion. */
#include "app/app.h"

const struct command app_commands[] = {
	/* clang-format off */
	{ "apply",     cmd_apply,  0,        0, 1,  "[FILE]", "apply a configuration file, all of it or none of it" },
	{ "boot-config", cmd_boot_config, CMD_BOOT, 0, -1, "[PARAMETER=VALUE...]", "print boot settings that make the kernel record from boot on" },
	{ "clear",     cmd_lctl,   CMD_LCTL, 0, 0,  "", "empty the log" },
	{ "convert",   cmd_convert, CMD_WRITE | CMD_PICK | CMD_READ_FIRST | CMD_WRITE_LAST, 2, 2, "IN OUT", "write the records of a file, or the log, in another format" },
	{ "dk",        cmd_dk,     CMD_LOG | CMD_INPUT | CMD_DAT | CMD_RECORD | CMD_WRITE_LAST, 0, 1,  "[FILE]", "print the log and empty it" },
	{ "doctor",    cmd_doctor, CMD_LIST, 0, 0,  "", "show what this kernel, your privileges and this Lustre support" },
	{ "filter",    cmd_filter, CMD_LIST | CMD_FILTER, 1, -1, "set|list|clear [EVENTS [EXPR]]", "restrict recording by expression, process, program or CPU" },
	{ "flight",    cmd_flight, CMD_FLIGHT | CMD_LIST, 1, 2, "start|status|dump|stop [REASON]", "record all the time into memory; write a file when something happens" },
	{ "follow",    cmd_dk,     CMD_LOG | CMD_INPUT | CMD_RECORD,  0, 0,  "", "print the log as it grows, until Ctrl-C" },
	{ "function",  cmd_function, CMD_FUNCTION, 0, -1, "[GLOB...] [-- COMMAND...]|off", "record calls of kernel functions" },
	{ "get_param", cmd_lctl,   CMD_LCTL, 1, -1, "PARAMETER...", "print debug, subsystem_debug, debug_sources, printk, debug_mb, debug_filter" },
	{ "graph",     cmd_function, CMD_FUNCTION | CMD_GRAPH, 0, -1, "[GLOB...] [-- COMMAND...]|off", "record entry and exit of kernel functions" },
	{ "help",      cmd_help,   0,        0, 1,  "[COMMAND]", "print this help, or the help of a command" },
	{ "hist",      cmd_hist,   CMD_HIST | CMD_RECORD, 0, -1, "[EVENT|CLASS [--keys FIELDS] | --sql STATEMENT] [-- COMMAND...]", "count records by their fields, in the kernel if possible" },
	{ "info",      cmd_info,   CMD_LIST | CMD_PICK | CMD_READ_ALL, 1, -1, "FILE...", "show the contents of recordings: events, times, CPUs, losses" },
	{ "last-boot", cmd_last_boot, CMD_LOG | CMD_DAT | CMD_RECORD | CMD_WRITE_LAST | CMD_LAST, 0, 1, "[FILE]", "print what the boot before this one recorded until it crashed" },
	{ "latency",   cmd_latency, CMD_LATENCY | CMD_RECORD, 0, -1, "[PAIR | BEGIN END --key FIELDS] [-- COMMAND...]", "measure the time from one event to another" },
	{ "list",      cmd_list,   CMD_LIST, 1, -1, "classes|subsystems|events|fields [GLOB...]", "list classes, subsystems, events and fields, by name or glob" },
	{ "mark",      cmd_lctl,   CMD_LCTL, 0, -1, "[TEXT...]", "write a marker into the log" },
	{ "merge",     cmd_merge,  CMD_WRITE | CMD_PICK | CMD_MERGE | CMD_READ_ALL, 1, -1, "FILE...", "merge recordings, also of several hosts, into one file" },
	{ "probe",     cmd_probe,  CMD_PROBE, 1, -1, "add|list|enable|disable|del [ARGUMENT...]", "create events on functions, source lines, programs and tracepoints" },
	{ "record",    cmd_record, CMD_CAPTURE | CMD_RECORD, 0, -1, "-c CLASSES | -e EVENTS [-o FILE] [-- COMMAND...]", "record events into a file for trace-cmd, KernelShark and dktrace" },
	{ "recover",   cmd_recover, CMD_RECOVER | CMD_READ_FIRST, 1, 1, "FILE", "complete a recording whose writer was killed" },
	{ "report",    cmd_report, CMD_REPORT | CMD_READ_ALL, 1, -1, "FILE...", "print the records of files such as trace.dat" },
	{ "reset",     cmd_reset,  0,        0, 0,  "", "remove all settings and records and restore the machine" },
	{ "save",      cmd_save,   0,        0, 1,  "[FILE]", "write the settings to a configuration file" },
	{ "set_param", cmd_lctl,   CMD_LCTL, 1, -1, "PARAMETER=VALUE...", "set debug, subsystem_debug, debug_sources, printk, debug_mb, debug_filter" },
	{ "show",      cmd_dk,     CMD_LOG | CMD_INPUT | CMD_DAT | CMD_RECORD, 0, 1,  "[FILE]", "print the log and keep it" },
	{ "snapshot",  cmd_snapshot, CMD_LOG | CMD_DAT | CMD_RECORD, 1, 2, "take|show|free [FILE]", "keep the log of a moment in the kernel, and print it" },
	{ "split",     cmd_split,  CMD_WRITE | CMD_PICK | CMD_SPLIT | CMD_LIST | CMD_READ_FIRST | CMD_WRITE_LAST, 2, 2, "FILE OUT", "split a recording into several files" },
	{ "start",     cmd_start,  0,        0, 0,  "", "start recording again, after stop or a traceoff trigger" },
	{ "status",    cmd_status, CMD_LIST, 0, 0,  "", "show what is enabled, how full the buffers are and what was lost" },
	{ "stop",      cmd_start,  0,        0, 0,  "", "stop recording; keep settings and records" },
	{ "trigger",   cmd_trigger, CMD_LIST | CMD_TRIGGER, 1, -1, "add|list|del|rearm [EVENTS|message TEXT] [ACTION]", "make the kernel act on an event or on a message of Lustre" },
	{ "__complete", cmd_complete, CMD_HIDDEN, 0, -1, "PROGRAM WORDS...", "print words for the shell's completion" },
	/* clang-format on */
	{ .name = NULL },
};
