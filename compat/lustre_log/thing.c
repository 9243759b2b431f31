/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thing that messages are about: a FID, a NID, an XID, a thread, or any word or number. */
#include "compat/lustre_log/thing.h"

#include <ctype.h>
#include <inttypes.h>

#include "compat/lustre_log/rpc_text.h"
#include "lib/base/buf.h"

/* Numbers below are PIDs: 2^22 is the kernel's limit, and XIDs are far above. */
#define PID_END (1 << 22)

/* ---- the words of users ---- */

/* Reads a FID: three hexadecimal numbers, in brackets or not. */
static bool read_fid(const char *text, struct thing *thing)
{
	struct rest rest = { text, text + strlen(text) };
	uint64_t part[3];
	bool bracket = take_word(&rest, "[");

	for (size_t i = 0; i < ARRAY_SIZE(part); i++)
		if ((i && !take_word(&rest, ":")) || !take_hex(&rest, &part[i]))
			return false;
	if ((bracket && !take_word(&rest, "]")) || rest_len(&rest))
		return false;
	thing->kind = THING_FID;
	thing->text =
		dkt__format("0x%" PRIx64 ":0x%" PRIx64 ":0x%" PRIx64, part[0], part[1], part[2]);
	return true;
}

/* Reads a NID. The number 0 of a network is not printed: tcp0 is tcp. */
static bool read_nid(const char *text, struct thing *thing)
{
	struct part nid = dkl_nid_part((struct part){ text, strlen(text) });
	const char *at = memchr(nid.p, '@', nid.len);

	if (!at)
		return false;
	if (nid.len > 2 && nid.p[nid.len - 1] == '0' &&
	    !isdigit((unsigned char)nid.p[nid.len - 2]) && nid.p[nid.len - 2] != '@')
		nid.len--;
	thing->kind = THING_NID;
	thing->text = strndup(nid.p, nid.len);
	return true;
}

static bool read_number(const char *text, struct thing *thing)
{
	bool x = *text == 'x';
	uint64_t number;

	if (dkt__parse_u64(text + x, DKT__DEC, &number))
		return false;
	thing->kind = x || number >= PID_END ? THING_XID : THING_PID;
	thing->pid = (int32_t)number;
	thing->text = dkt__format("%" PRIu64, number);
	return true;
}

int dkl_thing_read(struct thing *thing, const char *text)
{
	*thing = (struct thing){ .kind = THING_WORD, .threads.n_words = 2 };
	if (!*text)
		return -EINVAL;
	if (!read_number(text, thing) && !read_fid(text, thing) && !read_nid(text, thing))
		thing->text = strdup(text);
	thing->len = thing->text ? strlen(thing->text) : 0;
	return thing->text ? 0 : -ENOMEM;
}

void dkl_thing_clear(struct thing *thing)
{
	free(thing->text);
	dkt__keymap_clear(&thing->threads);
	*thing = (struct thing){ 0 };
}

/* ---- lines ---- */

/* True if the text continues a name or number, so that what is beside it is only a part. */
static bool continues(const struct thing *thing, char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c == '.' && thing->kind == THING_NID);
}

static bool ends_after(const struct thing *thing, const char *p, const char *end)
{
	/* A network may be printed with its number 0. */
	if (thing->kind == THING_NID && p < end && *p == '0')
		p++;
	/* A NID can end a sentence. */
	if (p < end && *p == '.' && (p + 1 == end || !isalnum((unsigned char)p[1])))
		return true;
	return p == end || !continues(thing, *p);
}

static bool has_text(const struct thing *thing, struct part text)
{
	const char *end = text.p + text.len, *p = text.p;

	while ((p = memmem(p, (size_t)(end - p), thing->text, thing->len))) {
		/* XIDs have an x before them on servers. */
		bool begins = p == text.p || !continues(thing, p[-1]) ||
			      (thing->kind == THING_XID && p[-1] == 'x');

		if (begins && ends_after(thing, p + thing->len, end))
			return true;
		p++;
	}
	return false;
}

int dkl_thing_learn(struct thing *thing, const struct log_line *line)
{
	struct rpc_text rpc;
	bool added;

	if (thing->kind != THING_WORD || !dkl_rpc_text_read(line->text.p, line->text.len, &rpc) ||
	    !part_is(&rpc.thread, thing->text))
		return 0;
	return dkt__keymap_add(&thing->threads, (uint64_t[]){ line->host, (uint64_t)line->pid },
			       &added) == DKT__KEYMAP_NONE ?
		       -ENOMEM :
		       0;
}

bool dkl_thing_is_in(const struct thing *thing, const struct log_line *line)
{
	if (thing->kind == THING_PID && line->pid == thing->pid)
		return true;
	if (thing->kind == THING_WORD &&
	    dkt__keymap_find(&thing->threads, (uint64_t[]){ line->host, (uint64_t)line->pid }) !=
		    DKT__KEYMAP_NONE)
		return true;
	return has_text(thing, line->text);
}
