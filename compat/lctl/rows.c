/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of lctl's commands, and the search in it for a name or an abbreviation. */
#include "lctl/rows.h"

#include <ctype.h>
#include <strings.h>

#include "base/util.h"
#include "io/say.h"
#include "lctl/cmd.h"

/* Lustre's lctl handles all commands that are not about parameters or the debug log. */
#define HANDED_ON(name)                                                                            \
	{                                                                                          \
		name, lctl_hand_on, NULL                                                           \
	}

#define HEADING(text)                                                                              \
	{                                                                                          \
		text, NULL, NULL                                                                   \
	}

/* All that a client's lctl lists, since abbreviations depend on all of it. */
static const struct lctl_row rows[] = {
	/* clang-format off */
	{ "quit", lctl_cmd_quit,
	  "quit" },
	{ "exit", lctl_cmd_quit,
	  "exit" },
	{ "help", lctl_cmd_help,
	  "provide useful information about a command" },
	{ "--help", lctl_cmd_help,
	  "provide useful information about a command" },
	{ "version", lctl_cmd_version,
	  "show program version" },
	{ "--version", lctl_cmd_version,
	  "show program version" },
	{ "list-commands", lctl_cmd_list_commands,
	  "list available commands" },
	{ "--list-commands", lctl_cmd_list_commands,
	  "list available commands" },
	{ "--ignore_errors", lctl_cmd_ignore_errors,
	  "ignore errors that occur during script processing" },
	{ "ignore_errors", lctl_cmd_ignore_errors,
	  "ignore errors that occur during script processing" },
	HEADING("===== metacommands ======="),
	HANDED_ON("--device"),
	HEADING("======== control ========="),
	HANDED_ON("lustre_build_version"),
	HEADING("===== network config ====="),
	HANDED_ON("--net"),
	HANDED_ON("network"),
	HANDED_ON("net"),
	HANDED_ON("list_nids"),
	HANDED_ON("which_nid"),
	HANDED_ON("replace_nids"),
	HANDED_ON("interface_list"),
	HANDED_ON("peer_list"),
	HANDED_ON("conn_list"),
	HANDED_ON("route_list"),
	HANDED_ON("show_route"),
	HANDED_ON("ping"),
	HANDED_ON("net_drop_add"),
	HANDED_ON("net_drop_del"),
	HANDED_ON("net_drop_reset"),
	HANDED_ON("net_drop_list"),
	HANDED_ON("net_drop"),
	HANDED_ON("net_delay_add"),
	HANDED_ON("net_delay_del"),
	HANDED_ON("net_delay_reset"),
	HANDED_ON("net_delay_list"),
	HANDED_ON("net_delay"),
	HEADING("==== obd device selection ===="),
	HANDED_ON("device"),
	HANDED_ON("cfg_device"),
	{ "device_list", lctl_cmd_device_list,
	  "show all devices\n"
	  "usage: device_list [--target|-t] [--yaml|-y]" },
	{ "dl", lctl_cmd_device_list,
	  "show all devices, same as 'device_list'\n"
	  "usage: dl [--target|-t] [--yaml|-y]" },
	HEADING("==== obd device operations ===="),
	HANDED_ON("activate"),
	HANDED_ON("deactivate"),
	HANDED_ON("abort_recovery"),
	HANDED_ON("abort_recovery_mdt"),
	HANDED_ON("recover"),
	HANDED_ON("conf_param"),
	{ "get_param", lctl_cmd_get_param,
	  "get the Lustre or LNET parameter\n"
	  "get value of Lustre or LNet parameter(s) from specified path,\n"
	  "which can contain shell-style filename patterns.\n"
	  "usage: get_param [--dshbak|-b] [--color|-c auto|always|never] [--classify|-F]\n"
	  "                 [--header|-H] [--links|-l] [--no-links|-L]\n"
	  "                 [--merge|-m] [--no-merge|-M] [--no-name|-n] [--only-name|-N]\n"
	  "                 [--module|-o] [--path|-p] [--readable|-r] [--recursive|-R]\n"
	  "                 [--only-tunable|-t] [--writable|-w] [--yaml|-y]\n"
	  "                 PARAM1 [PARAM2 ...]\n" },
	{ "set_param", lctl_cmd_set_param,
	  "set the Lustre or LNET parameter\n"
	  "set the value of the Lustre or LNET parameter at the specified path.\n"
	  "usage: set_param [--client|-C[FSNAME]] [--delete|-d]\n"
	  "                 [--file|-F YAML_PARAM_FILE] [--no-name|-n] [--module|-o]\n"
	  "                 [--permanent|-P] [--thread|-t[THREAD_COUNT]]\n"
	  "                 PARAM1=VALUE1 [PARAM2=VALUE2 ...]\n" },
	HANDED_ON("apply_yaml"),
	{ "list_param", lctl_cmd_list_param,
	  "list the name of Lustre or LNet parameter from the specified path.\n"
	  "usage: list_param [--dshbak|-b] [--color|-c auto|always|never]\n"
	  "                  [--only-dir|-D] [--classify|-F] [--links|-l] [--no-links|-L]\n"
	  "                  [--merge|-m] [--no-merge|-M] [--module|-o] [--path|-p]\n"
	  "                  [--readable|-r] [--recursive|-R] [--only-tunable|-t]\n"
	  "                  [--writable|-w] PARAM1 [PARAM2 ...]\n" },
	{ "find_param", lctl_cmd_find_param,
	  "search recursively for parameters matching the given pattern(s).\n"
	  "usage: find_param [--dshbak|-b] [--color|-c auto|always|never] [--links|-l]\n"
	  "                  [--no-links|-L] [--merge|-m] [--no-merge|-M] [--path|-p]\n"
	  "                  [--no-name|-n] [--only-name|-N] PATTERN1 [PATTERN2 ...]\n" },
	HANDED_ON("help_param"),
	HANDED_ON("del_ost"),
	HEADING("==== debugging control ===="),
	{ "debug_daemon", lctl_cmd_debug_daemon,
	  "debug daemon control and dump to a file\n"
	  "usage: debug_daemon {start file [#MB]|stop}" },
	{ "debug_kernel", lctl_cmd_dk,
	  "get debug buffer and dump to a file, same as 'dk'\n"
	  "usage: debug_kernel [file] [raw]" },
	{ "dk", lctl_cmd_dk,
	  "get debug buffer and dump to a file, same as 'debug_kernel'\n"
	  "usage: dk [file] [raw]" },
	{ "debug_file", lctl_cmd_df,
	  "convert a binary debug file dumped by the kernel to ASCII text\n"
	  "usage: debug_file <input> [output]" },
	{ "df", lctl_cmd_df,
	  "read debug log from input convert to ASCII, same as 'debug_file'\n"
	  "usage: df <input> [output]" },
	{ "clear", lctl_cmd_clear,
	  "clear kernel debug buffer\n"
	  "usage: clear" },
	{ "mark", lctl_cmd_mark,
	  "insert marker text in kernel debug buffer\n"
	  "usage: mark <text>" },
	{ "filter", lctl_cmd_filter,
	  "filter message type\n"
	  "usage: filter <subsystem id/debug mask>" },
	{ "show", lctl_cmd_show,
	  "Show specific type of messages\n"
	  "usage: show <subsystem id/debug mask>" },
	{ "debug_list", lctl_cmd_debug_list,
	  "list subsystem and debug types\n"
	  "usage: debug_list <subs/types>" },
	{ "modules", lctl_cmd_modules,
	  "provide gdb-friendly module information\n"
	  "usage: modules <path>" },
	HEADING("===  Pools =="),
	HANDED_ON("pool_new"),
	HANDED_ON("pool_add"),
	HANDED_ON("pool_remove"),
	HANDED_ON("pool_destroy"),
	HANDED_ON("pool_list"),
	HEADING("=== Nodemap ==="),
	HANDED_ON("nodemap_activate"),
	HANDED_ON("nodemap_add"),
	HANDED_ON("nodemap_new"),
	HANDED_ON("nodemap_del"),
	HANDED_ON("nodemap_add_range"),
	HANDED_ON("nodemap_del_range"),
	HANDED_ON("nodemap_banlist_add"),
	HANDED_ON("nodemap_banlist_del"),
	HANDED_ON("nodemap_fileset_add"),
	HANDED_ON("nodemap_fileset_del"),
	HANDED_ON("nodemap_fileset_modify"),
	HANDED_ON("nodemap_modify"),
	HANDED_ON("nodemap_add_offset"),
	HANDED_ON("nodemap_del_offset"),
	HANDED_ON("nodemap_add_idmap"),
	HANDED_ON("nodemap_del_idmap"),
	HANDED_ON("nodemap_set_fileset"),
	HANDED_ON("nodemap_set_sepol"),
	HANDED_ON("nodemap_set_cap"),
	HANDED_ON("nodemap_test_nid"),
	HANDED_ON("nodemap_test_id"),
	HANDED_ON("nodemap_info"),
	HANDED_ON("nodemap"),
	HEADING("===  Changelogs =="),
	HANDED_ON("changelog_register"),
	HANDED_ON("changelog_deregister"),
	HANDED_ON("changelog"),
	HEADING("=== Persistent Client Cache ==="),
	HANDED_ON("pcc"),
	HEADING("== device setup (these are not normally used post 1.4) =="),
	HANDED_ON("attach"),
	HANDED_ON("detach"),
	HANDED_ON("setup"),
	HANDED_ON("cleanup"),
	HEADING("==== obsolete (DANGEROUS) ===="),
	HANDED_ON("add_interface"),
	HANDED_ON("del_interface"),
	HANDED_ON("add_route"),
	HANDED_ON("del_route"),
	HANDED_ON("set_route"),
	HEADING("==== testing (DANGEROUS) ===="),
	HANDED_ON("--threads"),
	HANDED_ON("lookup"),
	HANDED_ON("readonly"),
	HANDED_ON("add_uuid"),
	HANDED_ON("del_uuid"),
	HANDED_ON("add_peer"),
	HANDED_ON("del_peer"),
	HANDED_ON("add_conn "),
	HANDED_ON("del_conn "),
	HANDED_ON("disconnect"),
	HANDED_ON("push"),
	HANDED_ON("mynid"),
	HANDED_ON("fail"),
	HANDED_ON("test_create"),
	HANDED_ON("test_mkdir"),
	HANDED_ON("test_destroy"),
	HANDED_ON("test_rmdir"),
	HANDED_ON("test_lookup"),
	HANDED_ON("test_setxattr"),
	HANDED_ON("test_md_getattr"),
	HANDED_ON("getattr"),
	HANDED_ON("setattr"),
	HANDED_ON("create"),
	HANDED_ON("destroy"),
	HANDED_ON("test_getattr"),
	HANDED_ON("test_setattr"),
	HANDED_ON("test_brw"),
	HANDED_ON("getobjversion"),
	/* clang-format on */
};

const struct lctl_row *lctl_row_next(const struct lctl_row *row)
{
	const struct lctl_row *next = row ? row + 1 : rows;

	return next < rows + ARRAY_SIZE(rows) ? next : NULL;
}

const struct lctl_row *lctl_row_find(const char *name)
{
	const struct lctl_row *row = NULL;

	while ((row = lctl_row_next(row)))
		if (row->run && !strcmp(row->name, name))
			return row;
	return NULL;
}

/* ---- abbreviations ---- */

static size_t word_len(const char *line)
{
	size_t len = 0;

	while (line[len] && !isspace((unsigned char)line[len]))
		len++;
	return len;
}

/* The first row after this one that begins with the word. */
static const struct lctl_row *next_like(const struct lctl_row *row, const char *word, size_t len)
{
	while ((row = lctl_row_next(row)))
		if (!strncasecmp(row->name, word, len))
			return row;
	return NULL;
}

enum lctl_match lctl_row_match(const char *line, const struct lctl_row **row)
{
	size_t len = word_len(line);
	const struct lctl_row *first = len ? next_like(NULL, line, len) : NULL;
	bool one = true;

	*row = first;
	if (!first)
		return LCTL_NONE;
	/* A heading, which has blanks in it, can be typed in full. */
	for (const struct lctl_row *other = first; other; other = next_like(other, line, len)) {
		if (!strncasecmp(line, other->name, strlen(other->name))) {
			*row = other;
			return LCTL_UNIQUE;
		}
		one = other == first;
	}
	return one ? LCTL_UNIQUE : LCTL_AMBIGUOUS;
}

void lctl_tell_ambiguous(const char *line, const struct lctl_row *first)
{
	size_t len = word_len(line);

	say_line(stderr, "Ambiguous command '%s'", line);
	fprintf(stderr, "Options: ");
	for (; first; first = next_like(first, line, len))
		fprintf(stderr, "%s ", first->name);
	fprintf(stderr, "\n");
}
