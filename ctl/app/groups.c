/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options that several commands share. */
#include "ctl/app/groups.h"

OPT_VALUES(select);
OPT_VALUES(input);
OPT_VALUES(sink);
OPT_VALUES(what);
OPT_VALUES(print);
OPT_VALUES(live);
OPT_VALUES(watch);
OPT_VALUES(background);

const char *const print_styles[] = { "text", "svg", NULL };

OPT_TABLE(select,
	{ "class", 'c', "NAMES", AT(select, classes), "select records of these classes: rpctrace+ioctl", .joint = ',', .flags = OPT_FAR, .offers = OFFER_CLASSES },
	{ "event", 'e', "GLOBS", AT(select, events), "select records of these events: 'sched:*,sys_enter[id == 1]'", .joint = ',', .flags = OPT_FAR, .offers = OFFER_EVENTS },
	{ "rate", 0, "CLASS=N", AT(select, rate), "select at most N records of a class per second: rpctrace=100,vfstrace=10", .flags = OPT_FAR },
	{ "subsystem", 'u', "NAMES", AT(select, subsystems), "select records of these subsystems: osd+ldlm", .joint = ',', .flags = OPT_FAR, .offers = OFFER_SUBSYSTEMS },
);

OPT_TABLE(thread,
	{ "comm", 0, "GLOBS", AT(select, comm), "select records of these programs: dd,ll_ost*", .check = value_programs, .flags = OPT_FAR },
	{ "cpu", 'C', "LIST", AT(select, cpu), "select records of these CPUs: 0-3,5", .check = value_cpus, .flags = OPT_FAR },
	{ "filter", 'f', "EXPR", AT(select, filter), "select records that match EXPR, in the kernel's filter language", .check = value_filter, .flags = OPT_FAR },
);

OPT_TABLE(time,
	{ "since", 's', "TIME", AT(select, since), "select records from TIME on: HH:MM[:SS], 'YYYY-MM-DD HH:MM[:SS]', @SECONDS, -N[smhd] (ago), or SECONDS of the trace's clock", .flags = OPT_FAR },
	{ "until", 'U', "TIME", AT(select, until), "select records up to TIME", .flags = OPT_FAR },
);

OPT_TABLE(thread_select,
	{ "pid", 'p', "LIST", AT(select, pid), "select records of the threads with these IDs: 1,42", .check = value_numbers, .flags = OPT_FAR },
);

OPT_TABLE(live_file,
	{ "pid", 'p', "LIST", AT(select, pid), "live: of these processes, with the threads that they have now; of a file: select records of the threads with these IDs: 1,42", .check = value_numbers },
	{ "style", 'S', "STYLE", AT(sink, style), "print as text (default), or as svg: a picture", .words = print_styles },
);

OPT_TABLE(input,
	{ "input", 'i', "FILE", AT_APP(input), "read FILE, which can also be an argument" },
);

OPT_TABLE(live_input,
	{ "input", 'i', "FILE", AT_APP(input), "read a recording or a saved tree instead of the kernel" },
);

OPT_TABLE(vmlinux,
	{ "symbols", 0, "DIR", AT(input, symbols), "look for recorded programs in DIR first: what dktrace archive or perf archive packed" },
	{ "vmlinux", 0, "FILE", AT(input, vmlinux), "take what a vmcore lacks, and the code of the kernel, from the kernel's vmlinux FILE" },
);

OPT_TABLE(offset,
	{ "offset", 0, "LIST", AT(input, offset), "add these times to the times of files: b.dat=-1500ns,c.dat=3ms" },
);

OPT_TABLE(write,
	{ "format", 'F', "FORMAT", AT(sink, format), "write trace.dat, trace.dat-6, sqlite or a style; default: by the name of the file", .offers = OFFER_FORMATS },
);

OPT_TABLE(copy,
	{ "format", 'F', "FORMAT", AT(sink, format), "write FILE as trace.dat, trace.dat-6 or a style, all or nothing", .offers = OFFER_FORMATS },
);

OPT_TABLE(compression,
	{ "compression", 0, "NAME", AT(sink, compression), "compress trace.dat with zstd (default), zlib or none", .check = value_compression, .words = value_compressions },
);

OPT_TABLE(what,
	{ "class", 'c', "NAMES", AT(what, classes), "record the events of these classes: iotrace+ioctl", .check = value_classes, .joint = ',', .flags = OPT_FAR, .offers = OFFER_CLASSES },
	{ "event", 'e', "EVENTS", AT(what, events), "record these events: 'sched:*,block_rq_issue[bytes > 4096]'", .check = value_events, .joint = ',', .flags = OPT_FAR, .offers = OFFER_EVENTS },
	{ "filter", 'f', "EXPR", AT(what, filter), "let the kernel record only what matches EXPR, if the event has its fields", .check = value_filter, .flags = OPT_FAR },
	{ "probe", 0, "PROBE", AT(what, probes), "record this probe, as 'dktrace probe add' defines it; one per line", .joint = '\n' },
	{ "stack", 0, "EVENTS", AT(what, stacks), "record the kernel's stack with these events: 'block_rq_*' or all", .check = value_events, .joint = ',', .flags = OPT_FAR, .offers = OFFER_EVENTS },
	{ "subsystem", 'u', "NAMES", AT(what, subsystems), "record only these subsystems of the classes: osd+ldlm", .check = value_subsystems, .joint = ',', .flags = OPT_FAR, .offers = OFFER_SUBSYSTEMS },
);

OPT_TABLE(program,
	{ "comm", 0, "GLOBS", AT(what, comm), "record only these programs: dd,ll_ost*", .check = value_programs, .flags = OPT_FAR },
	{ "cpu", 'C', "LIST", AT(what, cpu), "record only these CPUs: 0-3,5", .check = value_cpus, .flags = OPT_FAR },
);

OPT_TABLE(process,
	{ "children", 0, NULL, AT(what, children), "with --pid: also record processes that these start later", .flags = OPT_FAR },
	{ "pid", 'p', "LIST", AT(what, pid), "record only these processes, with all their threads: 1234,1240", .check = value_processes, .flags = OPT_FAR },
);

OPT_TABLE(table,
	{ "csv", 0, NULL, AT(print, csv), "print CSV", .flags = OPT_FAR },
	{ "json", 'J', NULL, AT(print, json), "print JSON", .flags = OPT_FAR },
);

OPT_TABLE(raw_text,
	{ "raw-text", 0, NULL, AT(print, raw_text), "print text as recorded; do not escape control characters", .flags = OPT_FAR },
);

OPT_TABLE(top_rows,
	{ "top", 'n', "N", AT(print, top), "show the first N rows", .flags = OPT_FAR },
);

OPT_TABLE(duration,
	{ "duration", 't', "TIME", AT(live, duration), "stop after TIME: 30, 5m, 1h", .flags = OPT_FAR },
	{ .name = "time", .now = "duration" },
);

OPT_TABLE(background,
	{ "foreground", 0, NULL, AT(background, foreground), "do not go into the background" },
);
