/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the messages of Lustre's client about a call of a program, of the class vfstrace or iotrace. */
#include "compat/lustre_log/call_text.h"

/*
 * Versions before 2.16 write "VFS Op" for all calls, and nothing at their end; but 2.15 writes "file f9:[FID],
 * ppos: 0" at the beginning of a read or write, and "COMPLETED" at its end.
 */
#define OPERATION "VFS Op:"
#define POSITION  "], ppos: "
#define START     "START file"
#define COMPLETED "COMPLETED"

/* Takes the FID in brackets, wherever it is. */
static void take_fid(struct rest rest, struct part *fid)
{
	const char *from;

	if (!take_to(&rest, "[0x"))
		return;
	from = rest.p - strlen("[0x");
	if (take_until(&rest, ']', fid))
		*fid = (struct part){ from, (size_t)(rest.p - from) };
}

/* Takes the name of "name=NAME, ..." or "NAME:[FID]...". */
static void take_name(struct rest rest, struct part *name)
{
	struct rest at = rest;
	const char *end;

	if (take_to(&at, "name=")) {
		end = memmem(at.p, rest_len(&at), ", ", 2);
		*name = (struct part){ at.p, end ? (size_t)(end - at.p) : rest_len(&at) };
		return;
	}
	take_word(&rest, " ");
	end = memmem(rest.p, rest_len(&rest), ":[0x", 4);
	if (end)
		*name = (struct part){ rest.p, (size_t)(end - rest.p) };
}

bool dkl_call_text_read(const char *text, size_t len, struct call_text *call)
{
	struct rest rest = { text, text + len };

	*call = (struct call_text){ .ends = false };
	if (take_word(&rest, COMPLETED)) {
		take_word(&rest, ":");
		if (!take_word(&rest, " file"))
			return false;
		call->ends = call->paired = true;
	} else if (take_word(&rest, START)) {
		call->paired = true;
	} else if (memmem(text, len, POSITION, strlen(POSITION)) && take_word(&rest, "file")) {
		call->paired = true;
	} else if (!take_word(&rest, OPERATION)) {
		return false;
	}
	take_fid(rest, &call->fid);
	take_name(rest, &call->name);
	return true;
}

struct part dkl_call_name(struct part function)
{
	static const struct {
		const char *function, *name;
	} calls[] = {
		{ "ll_file_open", "open" },        { "ll_atomic_open", "open" },
		{ "ll_file_release", "close" },    { "ll_lookup_it", "lookup" },
		{ "ll_lookup_nd", "lookup" },      { "ll_revalidate_dentry", "lookup" },
		{ "ll_file_read_iter", "read" },   { "ll_file_write_iter", "write" },
		{ "do_file_read_iter", "read" },   { "do_file_write_iter", "write" },
		{ "ll_getattr_dentry", "stat" },   { "ll_getattr", "stat" },
		{ "ll_inode_revalidate", "stat" }, { "ll_setattr_raw", "setattr" },
		{ "ll_file_seek", "lseek" },       { "ll_file_flock", "flock" },
		{ "ll_create_nd", "create" },      { "ll_iterate", "readdir" },
		{ "ll_dir_ioctl", "ioctl" },       { "ll_file_ioctl", "ioctl" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (part_is(&function, calls[i].function))
			return (struct part){ calls[i].name, strlen(calls[i].name) };
	/* ll_unlink, ll_fsync, do_mkdir and others have the name of the call. */
	if (part_begins(&function, "ll_") || part_begins(&function, "do_"))
		return (struct part){ function.p + 3, function.len - 3 };
	return function;
}

bool dkl_call_text_leaves(const char *text, size_t len)
{
	const struct part part = { text, len };

	return part_begins(&part, "Process leaving");
}

bool dkl_call_is_inner(struct part function, const char *outer)
{
	/* These read the inode that a reply brought, or drop the one of a file that was removed. */
	if (part_is(&function, "ll_create_it") || part_is(&function, "ll_read_inode2") ||
	    part_is(&function, "ll_clear_inode"))
		return true;
	if (part_is(&function, "ll_direct_IO"))
		return !strcmp(outer, "read") || !strcmp(outer, "write");
	if (part_is(&function, "ll_inode_revalidate"))
		return !strcmp(outer, "stat");
	return part_is(&function, "ll_lookup_it") &&
	       (!strcmp(outer, "open") || !strcmp(outer, "lookup"));
}
