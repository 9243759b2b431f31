/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of lctl's commands, and the search in it for a name or an abbreviation. */
#include "compat/lctl/rows.h"

#include <ctype.h>
#include <strings.h>

#include "compat/io/say.h"
#include "compat/lctl/cmd.h"
#include "compat/lctl/forward.h"
#include "lib/base/util.h"

/* Lustre's lctl handles all commands that are not about parameters or the debug log. */
#define FORWARDED(name)                                                                            \
	{                                                                                          \
		name, dkl_lctl_forward, NULL                                                       \
	}

#define HEADING(text)                                                                              \
	{                                                                                          \
		text, NULL, NULL                                                                   \
	}

/* All commands that lctl lists on a client, because abbreviations depend on all of them. */
static const struct lctl_row rows[] = {
	/* clang-format off */
	{ "quit", dkl_lctl_cmd_quit,
	  "quit" },
	{ "exit", dkl_lctl_cmd_quit,
	  "exit" },
	{ "help", dkl_lctl_cmd_help,
	  "provide useful information about a command" },
	{ "--help", dkl_lctl_cmd_help,
	  "provide useful information about a command" },
	{ "version", dkl_lctl_cmd_version,
	  "show program version" },
	{ "--version", dkl_lctl_cmd_version,
	  "show program version" },
	{ "list-commands", dkl_lctl_cmd_list_commands,
	  "list available commands" },
	{ "--list-commands", dkl_lctl_cmd_list_commands,
	  "list available commands" },
	{ "--ignore_errors", dkl_lctl_cmd_ignore_errors,
	  "ignore errors that occur during script processing" },
	{ "ignore_errors", dkl_lctl_cmd_ignore_errors,
	  "ignore errors that occur during script processing" },
	HEADING("===== metacommands ======="),
	FORWARDED("--device"),
	HEADING("======== control ========="),
	FORWARDED("lustre_build_version"),
	HEADING("===== network config ====="),
	FORWARDED("--net"),
	FORWARDED("network"),
	FORWARDED("net"),
	FORWARDED("list_nids"),
	FORWARDED("which_nid"),
	FORWARDED("replace_nids"),
	FORWARDED("interface_list"),
	FORWARDED("peer_list"),
	FORWARDED("conn_list"),
	FORWARDED("route_list"),
	FORWARDED("show_route"),
	FORWARDED("ping"),
	FORWARDED("net_drop_add"),
	FORWARDED("net_drop_del"),
	FORWARDED("net_drop_reset"),
	FORWARDED("net_drop_list"),
	FORWARDED("net_drop"),
	FORWARDED("net_delay_add"),
	FORWARDED("net_delay_del"),
	FORWARDED("net_delay_reset"),
	FORWARDED("net_delay_list"),
	FORWARDED("net_delay"),
	HEADING("==== obd device selection ===="),
	FORWARDED("device"),
	FORWARDED("cfg_device"),
	{ "device_list", dkl_lctl_cmd_device_list,
	  "show all devices\n"
	  "usage: device_list [--target|-t] [--yaml|-y]" },
	{ "dl", dkl_lctl_cmd_device_list,
	  "show all devices, same as 'device_list'\n"
	  "usage: dl [--target|-t] [--yaml|-y]" },
	HEADING("==== obd device operations ===="),
	FORWARDED("activate"),
	FORWARDED("deactivate"),
	FORWARDED("abort_recovery"),
	FORWARDED("abort_recovery_mdt"),
	FORWARDED("recover"),
	FORWARDED("conf_param"),
	{ "get_param", dkl_lctl_cmd_get_param,
	  "get the Lustre or LNET parameter\n"
	  "get value of Lustre or LNet parameter(s) from specified path,\n"
	  "which can contain shell-style filename patterns.\n"
	  "usage: get_param [--dshbak|-b] [--color|-c auto|always|never] [--classify|-F]\n"
	  "                 [--header|-H] [--links|-l] [--no-links|-L]\n"
	  "                 [--merge|-m] [--no-merge|-M] [--no-name|-n] [--only-name|-N]\n"
	  "                 [--module|-o] [--path|-p] [--readable|-r] [--recursive|-R]\n"
	  "                 [--only-tunable|-t] [--writable|-w] [--yaml|-y]\n"
	  "                 PARAM1 [PARAM2 ...]\n" },
	{ "set_param", dkl_lctl_cmd_set_param,
	  "set the Lustre or LNET parameter\n"
	  "set the value of the Lustre or LNET parameter at the specified path.\n"
	  "usage: set_param [--client|-C[FSNAME]] [--delete|-d]\n"
	  "                 [--file|-F YAML_PARAM_FILE] [--no-name|-n] [--module|-o]\n"
	  "                 [--permanent|-P] [--thread|-t[THREAD_COUNT]]\n"
	  "                 PARAM1=VALUE1 [PARAM2=VALUE2 ...]\n" },
	FORWARDED("apply_yaml"),
	{ "list_param", dkl_lctl_cmd_list_param,
	  "list the name of Lustre or LNet parameter from the specified path.\n"
	  "usage: list_param [--dshbak|-b] [--color|-c auto|always|never]\n"
	  "                  [--only-dir|-D] [--classify|-F] [--links|-l] [--no-links|-L]\n"
	  "                  [--merge|-m] [--no-merge|-M] [--module|-o] [--path|-p]\n"
	  "                  [--readable|-r] [--recursive|-R] [--only-tunable|-t]\n"
	  "                  [--writable|-w] PARAM1 [PARAM2 ...]\n" },
	{ "find_param", dkl_lctl_cmd_find_param,
	  "search recursively for parameters matching the given pattern(s).\n"
	  "usage: find_param [--dshbak|-b] [--color|-c auto|always|never] [--links|-l]\n"
	  "                  [--no-links|-L] [--merge|-m] [--no-merge|-M] [--path|-p]\n"
	  "                  [--no-name|-n] [--only-name|-N] PATTERN1 [PATTERN2 ...]\n" },
	FORWARDED("help_param"),
	FORWARDED("del_ost"),
	HEADING("==== debugging control ===="),
	{ "debug_daemon", dkl_lctl_cmd_debug_daemon,
	  "debug daemon control and dump to a file\n"
	  "usage: debug_daemon {start file [#MB]|stop}" },
	{ "debug_kernel", dkl_lctl_cmd_dk,
	  "get debug buffer and dump to a file, same as 'dk'\n"
	  "usage: debug_kernel [file] [raw]" },
	{ "dk", dkl_lctl_cmd_dk,
	  "get debug buffer and dump to a file, same as 'debug_kernel'\n"
	  "usage: dk [file] [raw]" },
	{ "debug_file", dkl_lctl_cmd_df,
	  "convert a binary debug file dumped by the kernel to ASCII text\n"
	  "usage: debug_file <input> [output]" },
	{ "df", dkl_lctl_cmd_df,
	  "read debug log from input convert to ASCII, same as 'debug_file'\n"
	  "usage: df <input> [output]" },
	{ "clear", dkl_lctl_cmd_clear,
	  "clear kernel debug buffer\n"
	  "usage: clear" },
	{ "mark", dkl_lctl_cmd_mark,
	  "insert marker text in kernel debug buffer\n"
	  "usage: mark <text>" },
	{ "filter", dkl_lctl_cmd_filter,
	  "filter message type\n"
	  "usage: filter <subsystem id/debug mask>" },
	{ "show", dkl_lctl_cmd_show,
	  "Show specific type of messages\n"
	  "usage: show <subsystem id/debug mask>" },
	{ "debug_list", dkl_lctl_cmd_debug_list,
	  "list subsystem and debug types\n"
	  "usage: debug_list <subs/types>" },
	{ "modules", dkl_lctl_cmd_modules,
	  "provide gdb-friendly module information\n"
	  "usage: modules <path>" },
	HEADING("===  Pools =="),
	FORWARDED("pool_new"),
	FORWARDED("pool_add"),
	FORWARDED("pool_remove"),
	FORWARDED("pool_destroy"),
	FORWARDED("pool_list"),
	HEADING("=== Nodemap ==="),
	FORWARDED("nodemap_activate"),
	FORWARDED("nodemap_add"),
	FORWARDED("nodemap_new"),
	FORWARDED("nodemap_del"),
	FORWARDED("nodemap_add_range"),
	FORWARDED("nodemap_del_range"),
	FORWARDED("nodemap_banlist_add"),
	FORWARDED("nodemap_banlist_del"),
	FORWARDED("nodemap_fileset_add"),
	FORWARDED("nodemap_fileset_del"),
	FORWARDED("nodemap_fileset_modify"),
	FORWARDED("nodemap_modify"),
	FORWARDED("nodemap_add_offset"),
	FORWARDED("nodemap_del_offset"),
	FORWARDED("nodemap_add_idmap"),
	FORWARDED("nodemap_del_idmap"),
	FORWARDED("nodemap_set_fileset"),
	FORWARDED("nodemap_set_sepol"),
	FORWARDED("nodemap_set_cap"),
	FORWARDED("nodemap_test_nid"),
	FORWARDED("nodemap_test_id"),
	FORWARDED("nodemap_info"),
	FORWARDED("nodemap"),
	HEADING("===  Changelogs =="),
	FORWARDED("changelog_register"),
	FORWARDED("changelog_deregister"),
	FORWARDED("changelog"),
	HEADING("=== Persistent Client Cache ==="),
	FORWARDED("pcc"),
	HEADING("== device setup (these are not normally used post 1.4) =="),
	FORWARDED("attach"),
	FORWARDED("detach"),
	FORWARDED("setup"),
	FORWARDED("cleanup"),
	HEADING("==== obsolete (DANGEROUS) ===="),
	FORWARDED("add_interface"),
	FORWARDED("del_interface"),
	FORWARDED("add_route"),
	FORWARDED("del_route"),
	FORWARDED("set_route"),
	HEADING("==== testing (DANGEROUS) ===="),
	FORWARDED("--threads"),
	FORWARDED("lookup"),
	FORWARDED("readonly"),
	FORWARDED("add_uuid"),
	FORWARDED("del_uuid"),
	FORWARDED("add_peer"),
	FORWARDED("del_peer"),
	FORWARDED("add_conn "),
	FORWARDED("del_conn "),
	FORWARDED("disconnect"),
	FORWARDED("push"),
	FORWARDED("mynid"),
	FORWARDED("fail"),
	FORWARDED("test_create"),
	FORWARDED("test_mkdir"),
	FORWARDED("test_destroy"),
	FORWARDED("test_rmdir"),
	FORWARDED("test_lookup"),
	FORWARDED("test_setxattr"),
	FORWARDED("test_md_getattr"),
	FORWARDED("getattr"),
	FORWARDED("setattr"),
	FORWARDED("create"),
	FORWARDED("destroy"),
	FORWARDED("test_getattr"),
	FORWARDED("test_setattr"),
	FORWARDED("test_brw"),
	FORWARDED("getobjversion"),
	/* clang-format on */
};

/* Commands of a server's lctl, and of the releases from 2.10 on. An abbreviation does not depend on them. */
static const char *const elsewhere[] = {
	"barrier",       "barrier_freeze",  "barrier_rescan", "barrier_stat",    "barrier_thaw",
	"clear_conf",    "erase_lcfg",      "fork_lcfg",      "lcfg_clear",      "lcfg_erase",
	"lcfg_fork",     "lfsck",           "lfsck_query",    "lfsck_start",     "lfsck_stop",
	"llog",          "llog_cancel",     "llog_catlist",   "llog_check",      "llog_info",
	"llog_print",    "llog_remove",     "local_param",    "lov_getconfig",   "lqa",
	"lqa_add",       "lqa_destroy",     "lqa_list",       "lqa_new",         "lqa_remove",
	"notransno",     "set_timeout",     "snapshot",       "snapshot_create", "snapshot_destroy",
	"snapshot_list", "snapshot_modify", "snapshot_mount", "snapshot_umount",
};

const struct lctl_row *dkl_lctl_row_next(const struct lctl_row *row)
{
	const struct lctl_row *next = row ? row + 1 : rows;

	return next < rows + ARRAY_SIZE(rows) ? next : NULL;
}

const struct lctl_row *dkl_lctl_row_find(const char *name)
{
	const struct lctl_row *row = NULL;

	while ((row = dkl_lctl_row_next(row)))
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

/* Returns the next row whose name begins with the word, in any case. */
static const struct lctl_row *next_like(const struct lctl_row *row, const char *word, size_t len)
{
	while ((row = dkl_lctl_row_next(row)))
		if (!strncasecmp(row->name, word, len))
			return row;
	return NULL;
}

bool dkl_lctl_is_elsewhere(const char *line)
{
	size_t len = word_len(line);

	for (size_t i = 0; len && i < ARRAY_SIZE(elsewhere); i++)
		if (!strncasecmp(elsewhere[i], line, len))
			return true;
	return false;
}

enum lctl_match dkl_lctl_row_match(const char *line, const struct lctl_row **row)
{
	size_t len = word_len(line);
	const struct lctl_row *first = len ? next_like(NULL, line, len) : NULL;
	bool one = true;

	*row = first;
	if (!first)
		return LCTL_NONE;
	/* A whole name wins over a longer one. A heading, which has spaces, can match, too. */
	for (const struct lctl_row *other = first; other; other = next_like(other, line, len)) {
		if (!strncasecmp(line, other->name, strlen(other->name))) {
			*row = other;
			return LCTL_UNIQUE;
		}
		one = other == first;
	}
	return one ? LCTL_UNIQUE : LCTL_AMBIGUOUS;
}

void dkl_lctl_print_ambiguous(const char *line, const struct lctl_row *first)
{
	size_t len = word_len(line);

	dkl_say_line(stderr, "Ambiguous command '%s'", line);
	fprintf(stderr, "Options: ");
	for (; first; first = next_like(first, line, len))
		fprintf(stderr, "%s ", first->name);
	fprintf(stderr, "\n");
}
