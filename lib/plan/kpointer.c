/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's printf: %p and its extensions.
 *
 * Extensions that print the data behind a pointer need the recorded data. Addresses are printed in
 * full; the kernel itself prints hashes.
 */
#include <sys/socket.h>

#include "lib/base/errno_names.h"
#include "lib/plan/kformat.h"
#include "lib/symbol.h"

/* Limits %pV in %pV; the kernel does not nest as deep. */
#define MAX_DEPTH 4

/* The size of a struct sockaddr_in without its padding, and of a struct sockaddr_in6. */
#define SOCKADDR_4 8
#define SOCKADDR_6 28

/* One "%p" with its letters and its argument. */
struct pointer {
	struct dkt__kconv *conv;
	const char *letters; /* after the 'p' */
	size_t n_letters;
	uint64_t address;
	size_t arg; /* the argument's number */
};

static char letter(const struct pointer *ptr, size_t i)
{
	return i < ptr->n_letters ? ptr->letters[i] : '\0';
}

/* ---- addresses and errors ---- */

static void put_address(struct dkt__kformat *k, const struct pointer *ptr)
{
	struct dkt__spec *spec = &ptr->conv->spec;

	spec->base = 16;
	if (spec->width < 0) {
		spec->width = 16 + (spec->alt ? 2 : 0);
		spec->zero = true;
	}
	dkt__kformat_number(k, spec, ptr->address);
}

const char *dkt__error_name(int err)
{
	/* The C library does not know the errors that never reach a process. */
	static const char *const names[] = {
		"ERESTARTSYS",
		"ERESTARTNOINTR",
		"ERESTARTNOHAND",
		"ENOIOCTLCMD",
		"ERESTART_RESTARTBLOCK",
		"EPROBE_DEFER",
		"EOPENSTALE",
		"ENOPARAM",
		NULL,
		"EBADHANDLE",
		"ENOTSYNC",
		"EBADCOOKIE",
		"ENOTSUPP",
		"ETOOSMALL",
		"ESERVERFAULT",
		"EBADTYPE",
		"EJUKEBOX",
		"EIOCBQUEUED",
		"ERECALLCONFLICT",
	};
	unsigned int i = (unsigned int)err - 512;

	return i < ARRAY_SIZE(names) ? names[i] : dkt__errno_name(err);
}

/* %pe */
static void put_error(struct dkt__kformat *k, const struct pointer *ptr)
{
	int err = (int)-ptr->address;
	char text[40] = "-";
	const char *name;

	if (ptr->address < (uint64_t)-4095) {
		put_address(k, ptr);
		return;
	}
	name = dkt__error_name(err);
	if (name) {
		memccpy(text + 1, name, 0, sizeof(text) - 1);
		dkt__kformat_text(k, ptr->conv, text, strlen(text));
		return;
	}
	ptr->conv->spec.is_signed = true;
	ptr->conv->spec.base = 10;
	dkt__kformat_number(k, &ptr->conv->spec, ptr->address);
}

/* ---- functions ---- */

/* Prints "name+0xOFFSET/0xSIZE [module]", or "name [module]" if short. */
static void put_place(struct dkt__kformat *k, const struct dkt__place *place, uint64_t offset,
		      bool is_short)
{
	struct dkt__run *run = &k->run;

	dkt__run_put(run, place->name, strlen(place->name));
	if (!is_short) {
		dkt__run_putc(run, '+');
		dkt__run_0x(run, offset);
		if (place->size) {
			dkt__run_putc(run, '/');
			dkt__run_0x(run, place->size);
		} else {
			dkt__run_put(run, "/0x?", 4);
		}
	}
	if (place->module) {
		dkt__run_put(run, " [", 2);
		dkt__run_put(run, place->module, strlen(place->module));
		dkt__run_putc(run, ']');
	}
}

/* %ps, %pS, %pB. The address for %pB is a return address: the one before it is in the caller. */
static bool put_symbol(struct dkt__kformat *k, const struct pointer *ptr)
{
	size_t mark = (size_t)(k->run.p - k->run.buf->data);
	bool back = letter(ptr, 0) == 'B',
	     is_short = letter(ptr, 0) == 's' || letter(ptr, 0) == 'f';
	struct dkt__place place;
	int err = -ENODATA;

	if (k->args->ctx)
		err = dkt__symbol_place(k->args->ctx, ptr->address - back, &place);
	if (err == -ENODATA || letter(ptr, 1) == 'b')
		return false;
	if (err)
		dkt__run_0x(&k->run, ptr->address);
	else
		put_place(k, &place, place.offset + back, is_short);
	dkt__kformat_pad(k, ptr->conv, mark);
	return true;
}

/* ---- bytes behind the pointer ---- */

/* Returns the size of a socket address by its family; 0: another family. */
static size_t sockaddr_len(const uint8_t *bytes, size_t len)
{
	sa_family_t family = AF_UNSPEC;

	if (len >= sizeof(family))
		memcpy(&family, bytes, sizeof(family));
	return family == AF_INET ? SOCKADDR_4 : family == AF_INET6 ? SOCKADDR_6 : 0;
}

/* Prints network addresses and UUIDs. */
static bool put_net(struct dkt__kformat *k, const struct pointer *ptr)
{
	size_t mark = (size_t)(k->run.p - k->run.buf->data), len, need;
	const uint8_t *bytes = dkt__kformat_raw(k, ptr->arg, &len);
	struct dkt__step step = { .op = DKT__STEP_NET };
	uint8_t whole[SOCKADDR_6] = { 0 };
	char letters[8] = { 0 };

	memcpy(letters, ptr->letters, DKT__MIN(ptr->n_letters, sizeof(letters) - 1));
	if (!bytes || !dkt__net_step(letters, &step))
		return false;
	need = step.kind == DKT__NET_IP4      ? 4 :
	       step.kind == DKT__NET_MAC      ? 6 :
	       step.kind == DKT__NET_SOCKADDR ? sockaddr_len(bytes, len) :
						16;
	/* The flow and scope of IPv6 addresses are not supported. */
	if (!need || need > len ||
	    (step.kind == DKT__NET_SOCKADDR && (strchr(letters, 'f') || strchr(letters + 2, 's'))))
		return false;
	memcpy(whole, bytes, need);
	step.bytes = (struct dkt__bytes){ .kind = DKT__BYTES_FIXED, .size = sizeof(whole) };
	k->run.data = whole;
	dkt__run_net(&k->run, &step);
	dkt__kformat_pad(k, ptr->conv, mark);
	return true;
}

/* %pd prints the last component of a path; %pd2 to %pd4, which print more, are not recorded. */
static bool put_dentry(struct dkt__kformat *k, const struct pointer *ptr)
{
	const struct dkt__kprintf_args *args = k->args;
	const void *name = NULL;
	size_t len = 0, n;

	if (args->sz > offsetof(struct dkt__kprintf_args, dentry_name) && args->dentry_name &&
	    (letter(ptr, 1) < '2' || letter(ptr, 1) > '4'))
		args->dentry_name(args->data, ptr->arg, &name, &len);
	n = len ? strnlen(name, len) : 0;
	/* A name is not empty and ends in a NUL. */
	if (!n || n == len)
		return false;
	dkt__kformat_text(k, ptr->conv, name, n);
	return true;
}

/* %*ph: the width is the number of bytes. */
static bool put_bytes(struct dkt__kformat *k, const struct pointer *ptr)
{
	struct dkt__step step = { .op = DKT__STEP_BYTES_HEX };
	int32_t n = ptr->conv->spec.width;
	char form = letter(ptr, 1);
	const uint8_t *bytes;
	size_t len;

	if (!n)
		return true;
	n = n < 0 ? 1 : DKT__MIN(n, 64);
	bytes = dkt__kformat_raw(k, ptr->arg, &len);
	if (!bytes || len < (size_t)n)
		return false;
	step.kind = form == 'C' ? ':' : form == 'D' ? '-' : form == 'N' ? 0 : ' ';
	step.bytes = (struct dkt__bytes){ .kind = DKT__BYTES_FIXED, .size = (uint32_t)n };
	k->run.data = bytes;
	dkt__run_hex(&k->run, &step);
	return true;
}

/* %pV: another format with its arguments; the kernel ignores width and precision. */
static bool put_format(struct dkt__kformat *k, const struct pointer *ptr)
{
	struct dkt__kprintf_args args = { .sz = sizeof(args), .ctx = k->args->ctx };
	struct dkt__kformat inner = { .args = &args, .depth = k->depth + 1, .run = k->run };
	const char *fmt;
	size_t len;

	if (k->depth >= MAX_DEPTH || !k->args->nested ||
	    !k->args->nested(k->args->data, ptr->arg, &fmt, &len, &args))
		return false;
	dkt__kformat_run(&inner, fmt, len);
	k->run = inner.run;
	return true;
}

/* ---- dispatch ---- */

/* Prints an extension for which the kernel checks the pointer first. */
static bool put_behind(struct dkt__kformat *k, const struct pointer *ptr)
{
	/* With a width of 0 the kernel reads no byte, so it accepts any pointer. */
	if ((letter(ptr, 0) != 'h' || ptr->conv->spec.width) &&
	    dkt__kformat_bad(k, ptr->conv, ptr->address))
		return true;
	switch (letter(ptr, 0)) {
	case 'h':
		return put_bytes(k, ptr);
	case 'V':
		return put_format(k, ptr);
	case 'd':
		return put_dentry(k, ptr);
	case 'M':
	case 'm':
	case 'I':
	case 'i':
	case 'U':
		return put_net(k, ptr);
	default:
		return false;
	}
}

/* False: dktrace does not support the extension, or its data were not recorded. */
static bool put_pointer(struct dkt__kformat *k, const struct pointer *ptr)
{
	switch (letter(ptr, 0)) {
	case 'S':
	case 's':
	case 'B':
		return put_symbol(k, ptr);
	case 'F':
	case 'f': /* in older kernels; %pfw is the name of a firmware node */
		return letter(ptr, 1) != 'w' && put_symbol(k, ptr);
	case 'e':
		put_error(k, ptr);
		return true;
	case 'C':
	case 'O':
	case 'A':
	case 'N':
		return false;
	default:
		if (ptr->n_letters && strchr("hVMmIiURrbE4adDtgG", letter(ptr, 0)))
			return put_behind(k, ptr);
		put_address(k, ptr);
		return true;
	}
}

void dkt__kformat_pointer(struct dkt__kformat *k, struct dkt__kconv *conv, const char *end)
{
	struct pointer ptr = { .conv = conv, .letters = conv->to, .arg = k->next };
	const char *p = conv->to;

	/* As in the kernel, letters and digits right after %p belong to it. */
	while (p < end && ((*p >= '0' && *p <= '9') || (*p | 32) - 'a' + 0U < 26))
		p++;
	conv->to = p;
	ptr.n_letters = (size_t)(p - ptr.letters);
	if (dkt__kformat_take(k, conv, &ptr.address) && !put_pointer(k, &ptr))
		dkt__kformat_unknown(k, conv, &ptr.address);
}
