/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options: one row each, for parsing, help and completion. */
#include "ctl/app/opt.h"

#include <getopt.h>
#include <stddef.h>

#include "compat/io/say.h"
#include "ctl/app/foreign.h"
#include "ctl/app/old_options.h"
#include "ctl/app/value.h"
#include "ctl/out/fold.h"
#include "lib/base/buf.h"
#include "lib/base/parse.h"

struct opt {
	const char *name;
	char letter; /* 0: none */
	const char *arg; /* NULL: the option has no value; "[=X]": the value is optional */
	size_t offset; /* of a const char * in struct app, or of a bool if there is no value */
	uint64_t commands; /* flags of the commands that take it; 0: all commands */
	const char *help;
};

/* The commands that select records. */
#define CMD_SELECT (CMD_LOG | CMD_REPORT | CMD_PICK | CMD_HIST | CMD_LATENCY)

#define AT(member) offsetof(struct app, member)

static const struct opt opts[] = {
	/* clang-format off */
	{ "address",   0,   "ADDRESS", AT(address),   CMD_BOOT, "with --persistent: use memory at ADDRESS, for kernels without reserve_mem" },
	{ "after",     0,   "TIME",   AT(after),      CMD_FLIGHT, "record on for TIME after an incident, before the dump" },
	{ "all",       0,   NULL,     AT(all),        CMD_CAPTURE, "with a command: record all processes, not only those of the command" },
	{ "all",       0,   NULL,     AT(all),        CMD_RESET, "also end what runs: the daemon, the flight recorder, the debug daemon" },
	{ "allow",     0,   "COMMANDS", AT(allow),    CMD_REMOTE, "run only these commands, without arguments that name files or programs: 'status,dk,flight dump'" },
	{ "begin",     0,   "NS",     AT(begin),      CMD_LAMI, "begin at NS since the epoch (or of the clock of the trace, if the wall clock is unknown)" },
	{ "batch",     'b', NULL,     AT(batch),      CMD_TOP, "print frames as text, for a file or a pipe" },
	{ "buffer-size", 0, "BYTES",  AT(buffer_size), CMD_CAPTURE | CMD_DAEMON, "use BYTES of memory for each CPU (default 64M, and for all 1/16 of what is available)" },
	{ "calls",     'e', "CALLS",  AT(calls),      CMD_STRACE, "print these system calls: 'open*,read'; all but these: '!futex,read'" },
	{ "ca",        0,   "FILE",   AT(ca),         CMD_LOAD | CMD_COLLECT, "trust the certificates in FILE, in place of those of the system" },
	{ "children",  0,   NULL,     AT(children),   CMD_FILTER | CMD_FUNCTION | CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON | CMD_STRACE, "with --pid: also record processes that these start later" },
	{ "class",     'c', "NAMES",  AT(classes),      CMD_SELECT, "select records of these classes: rpctrace+ioctl" },
	{ "class",     'c', "NAMES",  AT(classes),    CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON, "record the events of these classes: iotrace+ioctl" },
	{ "comm",      0,   "GLOBS",  AT(comm),       CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON | CMD_FILTER, "record only these programs: dd,ll_ost*" },
	{ "compression", 0, "NAME",   AT(compression), CMD_CAPTURE, "compress the records with zstd or zlib (default none)" },
	{ "compression", 0, "NAME",   AT(compression), CMD_DAEMON, "compress segments that have ended with zstd (default), zlib or none" },
	{ "compression", 0, "NAME",   AT(compression), CMD_LOAD, "send the rows compressed with zlib, or none (default zlib; none to a server on this machine)" },
	{ "compression", 0, "NAME",   AT(compression), CMD_RECOVER, "write the records with zstd, zlib or none (default: as they are)" },
	{ "cpu",       'C', "LIST",   AT(cpu),        CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON | CMD_FILTER, "record only these CPUs: 0-3,5" },
	{ "comm",      0,   "GLOBS",  AT(comm),       CMD_SELECT | CMD_STRACE, "select records of these programs: dd,ll_ost*" },
	{ "comm",      0,   "GLOBS",  AT(comm),       CMD_ANALYZE, "show rows of these programs: dd,ll_ost*" },
	{ "compression", 0, "NAME",   AT(compression), CMD_WRITE | CMD_DAT | CMD_REPORT, "compress trace.dat with zstd (default), zlib or none" },
	{ "clear",     0,   NULL,     AT(clear),      CMD_LAST, "remove the records once they are printed" },
	{ "clickhouse", 0,  "URL",    AT(clickhouse), CMD_LOAD, "load into the server http[s]://[USER@]HOST:8123/DATABASE" },
	{ "clock-error", 0, NULL,    AT(clock_error), CMD_REPORT | CMD_MERGE, "show how far the time of each record can be off, and whether its order is certain" },
	{ "cmdline",   0,   NULL,     AT(cmdline),    CMD_BOOT, "print kernel command line parameters, for kernels without bootconfig" },
	{ "cpu",       'C', "LIST",   AT(cpu),        CMD_SELECT | CMD_STRACE, "select records of these CPUs: 0-3,5" },
	{ "csv",       0,   NULL,     AT(csv),        CMD_COLLECT | CMD_LIST | CMD_HIST | CMD_LATENCY | CMD_STRACE | CMD_PROBE, "print CSV" },
	{ "count",     0,   "N",      AT(count),      CMD_SPLIT, "write N records to each file" },
	{ "delay",     0,   "TIME",   AT(delay),      CMD_COLLECT, "follow: print a line after TIME, so that earlier ones of other hosts come before it (default 1s)" },
	{ "delay",     'd', "SECONDS", AT(delay),    CMD_TOP, "show a frame every SECONDS (default 1)" },
	{ "depth",     0,   "N",      AT(depth),      CMD_GRAPH, "record at most N nested calls" },
	{ "diff",      0,   "FILE",   AT(diff),       CMD_HIST, "show what changed since --json wrote FILE" },
	{ "do",        0,   "ACTIONS", AT(actions),   CMD_HIST, "let the kernel also run ACTIONS: onmax($VAR).save(FIELD)" },
	{ "event",     'e', "GLOBS",  AT(events),     CMD_SELECT, "select records of these events: 'sched:*,sys_enter[id == 1]'" },
	{ "event",     'e', "EVENTS", AT(events),     CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON, "record these events: 'sched:*,block_rq_issue[bytes > 4096]'" },
	{ "debug-file", 0,  "FILE",   AT(debug_file), CMD_PROBE, "read the debug information from FILE" },
	{ "dir",       0,   "DIR",    AT(dir),        CMD_FLIGHT, "write dumps to DIR (default /var/log/dktrace)" },
	{ "dir",       0,   "DIR",    AT(dir),        CMD_DAEMON, "write segments to DIR (default /var/log/dktrace)" },
	{ "dry-run",   0,   NULL,     AT(dry_run),    CMD_PROBE, "print the definitions; create nothing" },
	{ "dry-run",   0,   NULL,     AT(dry_run),    CMD_LOAD, "print the statements that create tables and views; load nothing" },
	{ "dump",      0,   NULL,     AT(dump),       CMD_FLIGHT, "with stop: make a last dump" },
	{ "duration",  't', "TIME",   AT(duration),   CMD_TIMED, "stop after TIME: 30, 5m, 1h" },
	{ "enable",    0,   NULL,     AT(enable),     CMD_PROBE, "enable the probe in the instance" },
	{ "end",       0,   "NS",     AT(end),        CMD_LAMI, "end at NS since the epoch" },
	{ "errors",    0,   NULL,     AT(errors),     CMD_STRACE, "print calls that failed" },
	{ "every",     0,   "TIME",   AT(every),      CMD_SPLIT, "start a new file every TIME: 500ms, 10s, 5m, 1h" },
	{ "exec",      'x', "FILE",   AT(exec),       CMD_PROBE, "probe the program or library FILE instead of the kernel" },
	{ "exec",      0,   "COMMAND", AT(exec),      CMD_FLIGHT, "run COMMAND after each dump, with its name in $DKTRACE_FLIGHT_FILE" },
	{ "fanout",    'f', "N",      AT(fanout),     CMD_COLLECT, "connect to at most N hosts at the same time (default 64)" },
	{ "far-program", 0, "COMMAND", AT(far_program), CMD_COLLECT, "run COMMAND on each host (default 'dktrace remote')" },
	{ "fields",     0,  "NAMES",  AT(fields),     CMD_REPORT, "print these fields in raw, json and csv" },
	{ "filter",    'f', "EXPR",   AT(filter),     CMD_SELECT | CMD_STRACE, "select records that match EXPR, in the kernel's filter language" },
	{ "filter",    'f', "EXPR",   AT(filter),     CMD_TRIGGER, "act only on events that match EXPR, in the kernel's filter language" },
	{ "filter",    'f', "EXPR",   AT(filter),     CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON, "let the kernel record only what matches EXPR, if the event has its fields" },
	{ "folded",    0,   NULL,     AT(folded),     CMD_HIST, "print each stack on one line, for flame graphs" },
	{ "force",     0,   NULL,     AT(force),      CMD_PROBE, "add: also inside an instruction, which crashes the program" },
	{ "force",     0,   NULL,     AT(force),      CMD_SPLIT, "write more than 1,000 files" },
	{ "force",     0,   NULL,     AT(force),      CMD_LAST, "print records of another kernel as if they were of this one" },
	{ "foreground", 0,  NULL,     AT(foreground), CMD_FLIGHT | CMD_DAEMON, "do not go into the background" },
	{ "format",    'F', "FORMAT", AT(format),     CMD_WRITE, "write trace.dat, trace.dat-6, sqlite or a style; default: by the name of the file" },
	{ "format",    'F', "FORMAT", AT(format),     CMD_REPORT | CMD_DAT, "write FILE as trace.dat, trace.dat-6 or a style, all or nothing" },
	{ "frames",    'n', "N",      AT(frames),     CMD_TOP, "end after N frames" },
	{ "freeze",    0,   NULL,     AT(freeze),     CMD_FLIGHT, "with follow: freeze the buffers at each line of standard input, which is the reason" },
	{ "group",     'g', "GROUP",  AT(group),      CMD_PROBE, "create the event in GROUP (default dktrace)" },
	{ "group",     'g', "NAME=WORDS", AT(groups), CMD_FLIGHT, "record these classes or events in buffers of their own: net=sunrpc:*,rpctrace" },
	{ "help",      'h', NULL,     AT(help),       0,        "print this help" },
	{ "here",      0,   NULL,     AT(here),       CMD_HIST, "read and count in user space, even if the kernel could count" },
	{ "hosts",     0,   "FILE",   AT(hosts),      CMD_COLLECT, "run on the hosts that FILE names, one on a line" },
	{ "input",     'i', "DIR",    AT(input),      CMD_INPUT, "print the log of a saved tree; 'dktrace report' prints recordings" },
	{ "input",     'i', "FILE",   AT(input),      CMD_HIST | CMD_LATENCY | CMD_STRACE, "read a recording or a saved tree instead of the kernel" },
	{ "instance",  'B', "NAME",   AT(instance),   0,        "use the instance NAME (default dktrace, or $DKTRACE_INSTANCE)" },
	{ "jobs",      'j', "N",      AT(jobs),       CMD_REPORT, "read and print with N threads" },
	{ "journal",   0,   NULL,     AT(journal),    CMD_LOG, "write to systemd's journal, each record as an entry with fields" },
	{ "json",      'J', NULL,     AT(json),       CMD_COLLECT | CMD_LIST | CMD_HIST | CMD_LATENCY | CMD_STRACE | CMD_PROBE | CMD_TOP, "print JSON" },
	{ "keep",      0,   NULL,     AT(keep),       CMD_HIST, "continue to count after the command; 'dktrace hist' shows the table" },
	{ "keep",      0,   "TIME",   AT(keep_time),  CMD_FLIGHT, "delete dumps after TIME: 7d (default never)" },
	{ "keep",      0,   "TIME",   AT(keep_time),  CMD_DAEMON, "delete segments after TIME: 7d (default never)" },
	{ "keep-recording", 0, NULL,  AT(go_on),      CMD_DAEMON, "with stop: let the kernel record on for the next daemon" },
	{ "kernel",    0,   NULL,     AT(kernel),     CMD_LATENCY, "pair and count in the kernel: a table by powers of two" },
	{ "keep",      0,   "BYTES",  AT(keep_size),  CMD_COLLECT, "let each host keep BYTES of output while its connection is broken (default 64M)" },
	{ "layout",    0,   "LAYOUT", AT(layout),     CMD_LOAD | CMD_COLLECT, "create tables as single (default), recent, replicated or distributed, or by the statements in the file LAYOUT" },
	{ "load",      0,   "URL",    AT(clickhouse), CMD_COLLECT, "load what comes into the ClickHouse server http[s]://[USER@]HOST:8123/DATABASE" },
	{ "keys",      'k', "FIELDS", AT(keys),       CMD_HIST, "count by FIELDS: id.syscall,common_pid (default event)" },
	{ "keys",      'k', "FIELD",  AT(keys),       CMD_LATENCY, "group by FIELD, as in hist; 'none': do not group" },
	{ "keys",      'k', "FIELD",  AT(keys),       CMD_LUSTRE, "rpc: group by one or two of opcode (default), nid, job, thread, client; or none" },
	{ "keys",      'k', "COLUMNS", AT(keys),      CMD_ANALYZE, "group intervals by one or two columns: process,cpu; 'none': do not group" },
	{ "kind",      0,   "KIND",   AT(kind),       CMD_PROBE, "choose the kind: kprobe, uprobe, fprobe, tracepoint, event, synthetic" },
	{ "limit",     0,   "N",      AT(limit),      CMD_LAMI, "print at most N rows of a table; unlimited: all (default)" },
	{ "match",     0,   "FIELDS", AT(match),      CMD_LATENCY, "pair records that agree in FIELDS; BEGIN=END if the names differ" },
	{ "max",       0,   "N",      AT(max),        CMD_PROBE, "fail if a glob or a line needs more than N probes (default 100)" },
	{ "max-dumps", 0,   "N",      AT(max_dumps),  CMD_FLIGHT | CMD_COLLECT, "make at most N dumps an hour of incidents (default 12)" },
	{ "max-size",  0,   "BYTES",  AT(max_size),   CMD_CAPTURE, "stop when the file has BYTES: 10G" },
	{ "max-size",  0,   "BYTES",  AT(max_size),   CMD_FLIGHT, "delete the oldest dumps when all have more than BYTES (default 1G)" },
	{ "max-size",  0,   "BYTES",  AT(max_size),   CMD_DAEMON, "delete the oldest segments when all have more than BYTES (default a tenth of the disk)" },
	{ "metadata",  0,   NULL,     AT(metadata),   CMD_LAMI, "describe the tables of the analysis" },
	{ "metrics",   0,   "DIR",    AT(metrics),    CMD_DAEMON, "write metrics for Prometheus to DIR, that of node_exporter; '': none" },
	{ "mi-version", 0,  NULL,     AT(mi_version), CMD_LAMI, "print the version of LAMI" },
	{ "name",      0,   "NAME",   AT(name),       CMD_PROBE, "name the event (default: after the place)" },
	{ "notrace",   'x', "GLOBS",  AT(notrace),    CMD_FUNCTION, "exclude these functions" },
	{ "output",    'o', "FILE",   AT(output),     CMD_LOG,  "write to FILE; open it before a record is removed from the log" },
	{ "output",    'o', "FILE",   AT(output),     CMD_REPORT, "write to FILE" },
	{ "output",    'o', "FILE",   AT(output),     CMD_RECOVER, "write to FILE (default: in place of the recording)" },
	{ "output",    'o', "FILE",   AT(output),     CMD_CAPTURE, "write to FILE (default trace.dat); '-': standard output" },
	{ "output-progress", 0, NULL, AT(output_progress), CMD_LAMI, "print lines of progress before the result" },
	{ "persistent", 0,  "SIZE",   AT(persistent), CMD_BOOT, "record into SIZE of memory that survives a reboot, for last-boot: 64M" },
	{ "pid",       'p', "LIST",   AT(pid),        CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON, "record only these processes, with all their threads: 1234,1240" },
	{ "probe",     0,   "PROBE",  AT(probes),     CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON, "record this probe, as 'dktrace probe add' defines it; one per line" },
	{ "pid",       'p', "LIST",   AT(pid),        CMD_LOG | CMD_REPORT | CMD_PICK, "select records of the threads with these IDs: 1,42" },
	{ "pid",       'p', "LIST",   AT(pid),        CMD_HIST | CMD_LATENCY, "live: of these processes, with the threads that they have now; of a file: select records of the threads with these IDs: 1,42" },
	{ "pid",       'p', "LIST",   AT(pid),        CMD_STRACE, "live: trace these processes, with all their threads; of a file: print calls of the threads with these IDs: 1,42" },
	{ "pid",       'p', "LIST",   AT(pid),        CMD_ANALYZE, "show rows of the threads with these IDs: 1,42" },
	{ "offset",    0,   "LIST",   AT(offset),     CMD_SQL | CMD_LOAD | CMD_MERGE | CMD_REPORT | CMD_LUSTRE | CMD_VIEW | CMD_ANALYZE | CMD_STRACE, "add these times to the times of files: b.dat=-1500ns,c.dat=3ms" },
	{ "nodes",     'w', "NODES",  AT(nodes),      CMD_COLLECT, "run on these hosts: oss[01-40],mds1; a node set or group of ClusterShell" },
	{ "output",    'o', "DIR",    AT(output),     CMD_COLLECT, "write a file for each host, and collection.json, to the new directory DIR" },
	{ "output",    'o', "FILE",   AT(output),     CMD_MERGE, "write to FILE" },
	{ "output",    'o', "FILE",   AT(output),     CMD_STRACE, "write the calls to FILE; the command's own output stays where it is" },
	{ "output",    'o', "FILE",   AT(output),     CMD_VIEW, "write the page to FILE, whole or not at all; '-': standard output" },
	{ "period",    0,   "DEFINITION", AT(periods), CMD_ANALYZE | CMD_LAMI, "define a period: 'NAME: begin EVENTS; end EVENTS[FIELD == $begin.FIELD]; show FIELDS', or the name of a pair of latency" },
	{ "pid",       'p', "LIST",   AT(pid),        CMD_FILTER | CMD_FUNCTION, "record only these processes, with all their threads: 1234,1240" },
	{ "log",       0,   NULL,     AT(count_log),  CMD_TOP, "also count what the debug log records, by class and event" },
	{ "panel",     0,   "NAMES",  AT(panels),     CMD_TOP, "with --batch or --json: print these panels: processes,calls,disks,classes,events,buffers" },
	{ "pid",       'p', "PID",    AT(pid),        CMD_TOP, "show the threads and system calls of process PID" },
	{ "pid",       'p', "PID",    AT(pid),        CMD_PROBE, "probe the program of process PID; with --exec: find FILE as PID sees it" },
	{ "rate",      0,   "CLASS=N",  AT(rate),     CMD_SELECT, "select at most N records of a class per second: rpctrace=100,vfstrace=10" },
	{ "raw-text",  0,   NULL,     AT(raw_text),   CMD_SQL | CMD_LOG | CMD_REPORT | CMD_WRITE | CMD_HIST | CMD_LATENCY | CMD_ANALYZE | CMD_LUSTRE, "print text as recorded; do not escape control characters" },
	{ "reconnect", 0,   "TIME",   AT(reconnect),  CMD_COLLECT, "try for TIME to reach a host again after its connection broke (default 60s)" },
	{ "reconnect", 0,   "TIME",   AT(reconnect),  CMD_LOAD, "try for TIME to reach the server again after an error (default 60s)" },
	{ "root",      'R', "DIR",    AT(root),       0,        "use DIR in place of tracefs (default $DKTRACE_ROOT)" },
	{ "rows",      0,   "N",      AT(n_rows),     CMD_TOP, "with --batch or --json: print N rows of each panel (default 10); 0: all" },
	{ "segment-size", 0, "BYTES", AT(segment_size), CMD_DAEMON, "begin a new segment after BYTES of records (default 256M)" },
	{ "segment-time", 0, "TIME",  AT(segment_time), CMD_DAEMON, "begin a new segment after TIME (default 1h)" },
	{ "settings",  0,   "FILE",   AT(settings),   CMD_DAEMON, "read these options from FILE; reload reads it again" },
	{ "since",     's', "TIME",   AT(since),      CMD_SELECT | CMD_ANALYZE | CMD_STRACE, "select records from TIME on: HH:MM[:SS], 'YYYY-MM-DD HH:MM[:SS]', @SECONDS, -N[smhd] (ago), or SECONDS of the trace's clock" },
	{ "size",      0,   "BYTES",  AT(size),       CMD_SPLIT, "write about BYTES of records to each file: 100M, 1G" },
	{ "size",      0,   "N",      AT(size),       CMD_HIST, "use a table of N entries, a power of two (default 2048; 131072 in user space)" },
	{ "size",      0,   "BYTES",  AT(size),       CMD_FLIGHT, "use BYTES of memory for each group (default: by the memory of the machine)" },
	{ "slowest",   0,   "N",      AT(slowest),    CMD_LATENCY, "show the N slowest with their records (default 5)" },
	{ "slowest",   0,   "N",      AT(slowest),    CMD_LUSTRE, "show the N slowest and the N oldest that did not end (default 5)" },
	{ "sort",      0,   "COLUMNS", AT(sort),      CMD_HIST, "sort by COLUMN[.descending], at most two" },
	{ "sort",      0,   "COLUMN", AT(sort),       CMD_TOP, "sort panels by COLUMN[.ascending]: cpu, calls, written, time ..." },
	{ "sort",      0,   "COLUMN", AT(sort),       CMD_LATENCY, "sort groups by COLUMN[.descending] (default total.descending)" },
	{ "sort",      0,   "COLUMN", AT(sort),       CMD_LUSTRE, "sort by COLUMN[.ascending]" },
	{ "sort",      0,   "COLUMN", AT(sort),       CMD_ANALYZE, "sort tables by COLUMN[.descending]" },
	{ "sql",       0,   "STATEMENT", AT(sql),     CMD_HIST, "count by STATEMENT, not by EVENT and --keys: SELECT prev_comm FROM sched_switch" },
	{ "sql",       0,   "STATEMENT", AT(sql),     CMD_PROBE, "create an event from two: SELECT ... FROM EVENT AS start JOIN EVENT AS end ON ...; with --name" },
	{ "ssh",       0,   "COMMAND", AT(ssh),       CMD_COLLECT, "reach hosts by COMMAND (default ssh): 'ssh -F FILE', 'ssh -l root'" },
	{ "stack",     0,   NULL,     AT(stack),      CMD_STRACE, "print where calls waited in the kernel, and who called them" },
	{ "stack",     0,   "EVENTS", AT(stacks),     CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON, "record the kernel's stack with these events: 'block_rq_*' or all" },
	{ "stamp",     0,   NULL,     AT(stamp),      CMD_FOLLOW, "begin each line with its time in ns since the host was booted, for programs" },
	{ "start",     0,   NULL,     AT(start),      CMD_LAST, "then record this boot" },
	{ "style",     'S', "STYLE",  AT(style),      CMD_LOG,  "print as legacy (default), trace, raw, json, csv, folded, ctf, ctf-lttng, perfetto: dktrace-styles(7)" },
	{ "style",     'S', "STYLE",  AT(style),      CMD_REPORT, "print as trace (default), legacy, raw, json, csv, folded, ctf, ctf-lttng, perfetto: dktrace-styles(7)" },
	{ "summary",   0,   NULL,     AT(summary),    CMD_STRACE, "count calls and errors, and measure times, by thread and call" },
	{ "style",     'S', "STYLE",  AT(style),      CMD_HIST | CMD_LATENCY, "print as text (default), or as svg: a picture" },
	{ "subsystem", 'u', "NAMES",  AT(subsystems), CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON, "record only these subsystems of the classes: osd+ldlm" },
	{ "subsystem", 'u', "NAMES",  AT(subsystems), CMD_SELECT, "select records of these subsystems: osd+ldlm" },
	{ "test-compatibility", 0, NULL, AT(test_compatibility), CMD_LAMI, "check only whether FILE can be analyzed" },
	{ "threshold", 0,   "TIME",   AT(threshold),  CMD_GRAPH, "record only calls longer than TIME, without their entry: 100us, 5ms" },
	{ "took",      0,   "TIME",   AT(took),       CMD_STRACE, "print calls that took longer than TIME, '>10ms', or shorter, '<1ms'" },
	{ "took",      0,   "TIME",   AT(took),       CMD_ANALYZE | CMD_LAMI, "take intervals that are longer than TIME, '>10ms', or shorter, '<1ms'" },
	{ "top",       'n', "N",      AT(top),        CMD_HIST | CMD_LATENCY | CMD_ANALYZE | CMD_LUSTRE | CMD_STRACE, "show the first N rows" },
	{ "timeout",   0,   "TIME",   AT(timeout),    CMD_COLLECT, "give a host up if it does not answer for TIME (default 15s)" },
	{ "timeout",   0,   "TIME",   AT(server_timeout), CMD_LOAD, "take it for an error if the server does not answer within TIME (default 5m)" },
	{ "under",     0,   "GLOBS",  AT(under),      CMD_GRAPH, "record only calls made within these functions" },
	{ "until",     'U', "TIME",   AT(until),      CMD_SELECT | CMD_ANALYZE | CMD_STRACE, "select records up to TIME" },
	{ "vals",      0,   "FIELDS", AT(vals),       CMD_HIST, "sum FIELDS; .percent and .graph show parts and bars" },
	{ "var",       0,   "NAME=EXPR", AT(vars),    CMD_HIST, "define variables of the kernel's histogram" },
	{ "version",   'V', NULL,     AT(version),    0,        "print the version" },
	{ "vmlinux",   0,   "FILE",   AT(vmlinux),    CMD_LOAD | CMD_REPORT | CMD_PICK | CMD_HIST | CMD_LATENCY | CMD_ANALYZE | CMD_LAMI | CMD_STRACE, "for a vmcore: take symbols and types that it lacks from the kernel's vmlinux FILE" },
	{ "watch",     'w', "[=SECONDS]", AT(watch),  CMD_HIST, "show the table and rates every second, or every SECONDS" },
	{ "watch",     'w', "[=SECONDS]", AT(watch),  CMD_LATENCY, "show the table every second, or every SECONDS" },
	{ "when",      0,   "CONDITION", AT(when),    CMD_FLIGHT, "make a dump at an event, a 'message TEXT' or a latency: 'fsync > 100ms'" },
	{ "xid",       0,   "NUMBER", AT(xid),        CMD_LUSTRE, "rpc: print every message about the request NUMBER" },
	/* clang-format on */
};

#define N_OPTS ARRAY_SIZE(opts)

/* At least as many as there are old names. */
#define MAX_OLD 8

/* getopt_long() returns this plus the row's index for a long option; it is above all letters. */
#define FIRST 256

/* The same for old names. */
#define FIRST_OLD (FIRST + (int)N_OPTS)

/* The column at which the help of an option begins. */
#define HELP_COLUMN 25

static bool goes_with(const struct opt *opt, const struct command *command)
{
	return !opt->commands || (command && opt->commands & command->flags);
}

static int has_arg(const struct opt *opt)
{
	if (!opt->arg)
		return no_argument;
	return opt->arg[0] == '[' ? optional_argument : required_argument;
}

static const struct opt *opt_by_name(const struct command *command, const char *name)
{
	for (size_t i = 0; i < N_OPTS; i++)
		if (goes_with(&opts[i], command) && !strcmp(opts[i].name, name))
			return &opts[i];
	return NULL;
}

/* Adds the old names that no other option of the command has. Returns how many. */
static size_t build_old(const struct command *command, struct option longs[MAX_OLD])
{
	size_t n = 0;

	for (int i = 0; command && old_options[i].name; i++)
		if (old_options[i].commands & command->flags &&
		    !opt_by_name(command, old_options[i].name))
			longs[n++] = (struct option){ .name = old_options[i].name,
						      .has_arg = required_argument,
						      .val = FIRST_OLD + i };
	return n;
}

/* Builds the arrays for getopt_long(). stop: parsing ends at the first argument. */
static void build(const struct command *command, bool stop, char letters[3 * N_OPTS + 2],
		  struct option longs[N_OPTS + MAX_OLD + 1])
{
	size_t n = 0;
	char *p = letters;

	if (stop)
		*p++ = '+';
	for (size_t i = 0; i < N_OPTS; i++) {
		if (!goes_with(&opts[i], command))
			continue;
		longs[n++] = (struct option){ .name = opts[i].name,
					      .has_arg = has_arg(&opts[i]),
					      .val = FIRST + (int)i };
		if (!opts[i].letter)
			continue;
		*p++ = opts[i].letter;
		if (has_arg(&opts[i]) != no_argument)
			*p++ = ':';
		if (has_arg(&opts[i]) == optional_argument)
			*p++ = ':';
	}
	n += build_old(command, longs + n);
	longs[n] = (struct option){ 0 };
	*p = '\0';
}

/* The letter alone is not enough: two commands may use it for different options. */
static const struct opt *opt_by_letter(const struct command *command, char letter)
{
	const struct opt *opt = opts;

	while (opt->letter != letter || !goes_with(opt, command))
		opt++;
	return opt;
}

/* Returns the character that joins the values of an option that is given again; 0: the last one counts. */
static char joint(const struct opt *opt)
{
	static const size_t lists[] = { AT(classes), AT(subsystems), AT(events), AT(stacks) };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (opt->offset == lists[i])
			return ',';
	/* PERIOD_SEPARATOR: a definition may have newlines. */
	if (opt->offset == AT(periods))
		return '\x1f';
	if (opt->offset == AT(probes) || opt->offset == AT(groups) || opt->offset == AT(when))
		return '\n';
	return '\0';
}

/* An empty name is the buffer without a name in a file, and an empty directory of metrics is none. */
static bool may_be_empty(const struct opt *opt)
{
	return opt->offset == AT(instance) || opt->offset == AT(metrics);
}

/* Returns -ENOMEM, or 0. */
static int store(struct app *app, const struct opt *opt, const char *value)
{
	void *at = (char *)app + opt->offset;
	const char **text = at;
	char *both;

	if (!opt->arg) {
		*(bool *)at = true;
		return 0;
	}
	if (!*text || !joint(opt)) {
		*text = value ? value : "";
		return 0;
	}
	both = dkt__format("%s%c%s", *text, joint(opt), value);
	*text = both;
	return dkt__strings_take(&app->joined, both);
}

/* Returns the row of what getopt_long() returned, by its present name. */
static const struct opt *opt_of(const struct command *command, int c)
{
	const struct opt *opt = c >= FIRST_OLD ? NULL :
				c >= FIRST     ? &opts[c - FIRST] :
						 opt_by_letter(command, (char)c);
	const struct old_option *old = opt ? old_option_find(command, opt->name, optarg) :
					     &old_options[c - FIRST_OLD];

	if (!old)
		return opt;
	old_option_say(old);
	return opt_by_name(command, old->now);
}

/* Suggests a name for an unknown long option. */
static void hint(const struct command *command, const char *word)
{
	struct dkt__guess guess;

	if (strncmp(word, "--", 2))
		return;
	dkt__guess_start(&guess, word + 2, strcspn(word + 2, "="));
	for (size_t i = 0; i < N_OPTS; i++)
		if (goes_with(&opts[i], command) &&
		    strncmp(opts[i].name, guess.word, strlen(guess.word)))
			dkt__guess_try(&guess, opts[i].name);
	if (guess.best[0])
		app_say("did you mean --%s?", guess.best);
}

/* True if the option lacks its value, because its letter is one of strace's that takes none. */
static bool is_of_strace(const struct command *command, const struct opt *opt, const char *value)
{
	return value && (*value == '-' || *value == opt->letter) && opt->letter &&
	       foreign_option(command, opt->letter);
}

int opt_parse(struct app *app, const struct command *command, int argc, char **argv)
{
	char letters[3 * N_OPTS + 2];
	struct option longs[N_OPTS + MAX_OLD + 1];
	char name[] = "dktrace", *self = argv[0];
	const struct opt *opt;
	int c;

	/* getopt's messages begin with argv[0]. */
	argv[0] = name;
	build(command, !command || command->flags & CMD_WRAP, letters, longs);
	optind = 0; /* restart getopt, which main() has already used */
	while ((c = dkl_say_getopt(argc, argv, letters, longs)) != -1) {
		if (c == '?') {
			if (!optopt)
				hint(command, argv[optind - 1]);
			else
				foreign_option(command, (char)optopt);
			fprintf(stderr, "Try 'dktrace %s%s--help'.\n", command ? command->name : "",
				command ? " " : "");
			argv[0] = self;
			return -1;
		}
		opt = opt_of(command, c);
		if (c < FIRST && is_of_strace(command, opt, optarg)) {
			argv[0] = self;
			return -1;
		}
		if (optarg && !*optarg && !may_be_empty(opt)) {
			app_say("--%s: the value is empty; write --%s %s", opt->name, opt->name,
				opt->arg);
			argv[0] = self;
			return -1;
		}
		if (store(app, opt, optarg)) {
			app_say("out of memory");
			argv[0] = self;
			return -1;
		}
	}
	argv[0] = self;
	return optind;
}

int opt_check(const struct app *app)
{
	static const uint64_t records = CMD_CAPTURE | CMD_FLIGHT | CMD_DAEMON;
	static const uint64_t writes = CMD_CAPTURE | CMD_DAEMON | CMD_RECOVER | CMD_WRITE |
				       CMD_DAT | CMD_REPORT;
	static const struct {
		const char *name;
		size_t offset;
		uint64_t commands;
		value_check *check;
	} checks[] = {
		{ "class", AT(classes), records, value_classes },
		{ "subsystem", AT(subsystems), records, value_subsystems },
		{ "event", AT(events), records, value_events },
		{ "stack", AT(stacks), records, value_events },
		{ "pid", AT(pid), records | CMD_FILTER | CMD_FUNCTION, value_processes },
		{ "pid", AT(pid), CMD_SELECT | CMD_STRACE | CMD_ANALYZE, value_numbers },
		{ "comm", AT(comm), records | CMD_FILTER | CMD_SELECT | CMD_STRACE | CMD_ANALYZE,
		  value_programs },
		{ "cpu", AT(cpu), records | CMD_FILTER | CMD_SELECT | CMD_STRACE, value_cpus },
		{ "filter", AT(filter), records | CMD_TRIGGER | CMD_SELECT | CMD_STRACE,
		  value_filter },
		{ "compression", AT(compression), writes, value_compression },
		{ "clickhouse", AT(clickhouse), CMD_LOAD, value_server },
		{ "load", AT(clickhouse), CMD_COLLECT, value_server },
		{ "depth", AT(depth), CMD_GRAPH, value_depth },
		{ "threshold", AT(threshold), CMD_GRAPH, value_threshold },
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		const char *text;

		memcpy(&text, (const char *)app + checks[i].offset, sizeof(text));
		if (text && checks[i].commands & app->command->flags &&
		    checks[i].check(app->ctx, checks[i].name, text))
			return app_usage("%s", dkt_error(app->ctx));
	}
	return 0;
}

void opt_help(const struct command *command, FILE *out)
{
	size_t width = fold_width();

	for (size_t i = 0; i < N_OPTS; i++) {
		char letter[] = { '-', opts[i].letter, ',', '\0' };
		char left[40];

		if (!goes_with(&opts[i], command))
			continue;
		snprintf(left, sizeof(left), "%-3s --%s%s%s", opts[i].letter ? letter : "",
			 opts[i].name, has_arg(&opts[i]) == required_argument ? " " : "",
			 opts[i].arg ? opts[i].arg : "");
		/* Without two spaces between, the help begins on the next line. */
		if (strlen(left) <= HELP_COLUMN - 4)
			fprintf(out, "  %-*s", HELP_COLUMN - 2, left);
		else
			fprintf(out, "  %s\n%*s", left, HELP_COLUMN, "");
		fold_print(out, opts[i].help, HELP_COLUMN, width ? width : 80);
	}
}

void opt_each(const struct command *command, void (*fn)(void *data, const char *name), void *data)
{
	for (size_t i = 0; i < N_OPTS; i++)
		if (goes_with(&opts[i], command))
			fn(data, opts[i].name);
}

/* A layout is a name of dktrace's own, or a file. */
static bool names_input(const struct opt *opt)
{
	static const char *const words[] = { "FILE", "DIR", "LAYOUT" };

	for (size_t i = 0; opt->arg && i < ARRAY_SIZE(words); i++)
		if (!strcmp(opt->arg, words[i]))
			return opt->offset != AT(output);
	return false;
}

int opt_each_input(const struct app *app, int (*fn)(void *data, const char *path), void *data)
{
	int err = 0;

	for (size_t i = 0; !err && i < N_OPTS; i++) {
		const void *at = (const char *)app + opts[i].offset;
		const char *const *path = at;

		if (goes_with(&opts[i], app->command) && names_input(&opts[i]) && *path)
			err = fn(data, *path);
	}
	return err;
}

const char *opt_takes(const struct command *command, const char *word)
{
	if (*word++ != '-')
		return NULL;
	for (size_t i = 0; i < N_OPTS; i++) {
		if (!goes_with(&opts[i], command) || has_arg(&opts[i]) != required_argument)
			continue;
		if ((word[0] && word[0] == opts[i].letter && !word[1]) ||
		    (word[0] == '-' && !strcmp(word + 1, opts[i].name)))
			return opts[i].name;
	}
	for (const struct old_option *old = old_options; command && old->name; old++)
		if (old->commands & command->flags && word[0] == '-' &&
		    !strcmp(word + 1, old->name))
			return old->now;
	return NULL;
}
