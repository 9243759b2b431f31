/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads Lustre's messages of the class malloc. */
#include "compat/lustre_log/malloc_text.h"

/*
 * Takes "kmalloced", "vmalloced", "slab-alloced", "alloced", "kfreed", "vfreed", "slab-freed",
 * "kfreed_rcu" or "rcu", which frees, too, and the space and quote after it.
 */
static bool take_how(struct rest *rest, struct malloc_text *out)
{
	const char *from = rest->p;

	if (!take_word(rest, "km") && !take_word(rest, "vm") && !take_word(rest, "k") &&
	    !take_word(rest, "v"))
		take_word(rest, "slab-");
	if (take_word(rest, "rcu")) {
		out->frees = true;
	} else if (take_word(rest, "alloc")) {
		take_word(rest, "ed");
	} else if (take_word(rest, "free")) {
		out->frees = true;
		take_word(rest, "d");
		take_word(rest, "_rcu");
	} else {
		return false;
	}
	out->how = (struct part){ from, (size_t)(rest->p - from) };
	return take_word(rest, " '");
}

bool dkl_malloc_text_read(const char *text, size_t len, struct malloc_text *out)
{
	struct rest rest = { text, text + len };
	const char *quote;

	*out = (struct malloc_text){ 0 };
	if (!take_how(&rest, out))
		return false;
	/* The name is an expression of C, which can have quotes: the last one ends it. */
	quote = memrchr(rest.p, '\'', rest_len(&rest));
	if (!quote)
		return false;
	out->name = (struct part){ rest.p, (size_t)(quote - rest.p) };
	rest.p = quote + 1;
	/* Old versions write "of size", and no size of an object of a slab. */
	if (take_word(&rest, ": ") || take_word(&rest, " of size ")) {
		if (!take_number(&rest, &out->size))
			return false;
	}
	if (!take_word(&rest, " at "))
		return false;
	out->hidden = take_word(&rest, "(____ptrval____)");
	return out->hidden || take_hex(&rest, &out->address);
}

bool dkl_malloc_text_wanted(const char *text)
{
	return *text && strchr("kvsafr", *text);
}
