/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translates a static marker's arguments, assembler operands, to fetch arguments of a probe. */
#include <ctype.h>

#include "lib/base/parse.h"
#include "lib/debuginfo/sdt.h"

#define NO_OPERAND "its place is invalid"

/* ---- splitting ---- */

/*
 * Moves *at to the next argument and returns its length, 0 at the end. Spaces separate arguments,
 * except inside the brackets of arm64.
 */
static size_t next_arg(const char **at)
{
	size_t n = 0;
	bool inside = false;

	*at += strspn(*at, " \t");
	while ((*at)[n] && (inside || ((*at)[n] != ' ' && (*at)[n] != '\t'))) {
		inside = (*at)[n] == '[' || (inside && (*at)[n] != ']');
		n++;
	}
	return n;
}

unsigned int dkt__sdt_args(const char *args)
{
	unsigned int count = 0;
	size_t n;

	for (; (n = next_arg(&args)); args += n)
		count++;
	return count;
}

/* ---- operands ---- */

static void put_constant(struct sdt_arg *arg, int64_t value)
{
	snprintf(arg->fetch, sizeof(arg->fetch), "\\%lld", (long long)value);
}

static void put_memory(struct sdt_arg *arg, int64_t offset, const char *name)
{
	snprintf(arg->fetch, sizeof(arg->fetch), "%+lld(%%%s)", (long long)offset, name);
}

/* Maps "eax", "r8d", "sil" to the kernel's "ax", "r8", "si". False: the kernel has no such register. */
static bool x86_register(const char *name, size_t len, char to[8])
{
	static const char *const words[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip" };

	if (len >= 2 && name[0] == 'r' && isdigit((unsigned char)name[1])) {
		size_t n = 1 + strspn(name + 1, "0123456789");

		if (n > 3 || (n < len && (n + 1 != len || !strchr("dwb", name[n]))))
			return false;
		snprintf(to, 8, "%.*s", (int)n, name);
		return dkt__abi_is_register(DKT__X86_64, to);
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *word = words[i];
		bool whole = len >= 2 && !memcmp(name + len - 2, word, 2) &&
			     (len == 2 || (len == 3 && strchr("re", name[0])));
		/* al, bl; sil, dil, bpl, spl. */
		bool low =
			(len == 2 && i < 4 && name[0] == word[0] && name[1] == 'l') ||
			(len == 3 && i >= 4 && i < 8 && !memcmp(name, word, 2) && name[2] == 'l');

		if (!whole && !low)
			continue;
		snprintf(to, 8, "%s", word);
		return true;
	}
	return false;
}

/* "%edi", "$5", "-20(%rbp)", "(%rax)" */
static const char *read_x86(const char *text, struct sdt_arg *arg)
{
	const char *p = text;
	char name[8];
	int64_t number = 0;
	size_t n;

	if (*p == '$')
		return !dkt__parse_s64(p + 1, DKT__AS_C, &number) ?
			       (put_constant(arg, number), NULL) :
			       "it is an address that only the linker knows";
	if (*p == '%') {
		n = strlen(p + 1);
		if (!strncmp(p + 1, "xmm", 3) || !strncmp(p + 1, "st", 2))
			return "it is a floating point register";
		if (!x86_register(p + 1, n, name))
			return "the kernel does not fetch that register";
		snprintf(arg->fetch, sizeof(arg->fetch), "%%%s", name);
		return NULL;
	}
	if (*p != '(' && dkt__take_s64(&p, NULL, DKT__AS_C, &number))
		return "it is the address of a symbol";
	if (*p != '(' || p[1] != '%')
		return NO_OPERAND;
	n = strcspn(p + 2, "),");
	if (p[2 + n] == ',')
		return "it is memory by two registers, which the kernel cannot add";
	if (p[2 + n] != ')' || p[3 + n])
		return NO_OPERAND;
	if (!x86_register(p + 2, n, name) || !strcmp(name, "ip"))
		return "the kernel does not fetch by that register";
	put_memory(arg, number, name);
	return NULL;
}

/* Maps "x0", "w3", "sp" to the kernel's names, and xzr, which is always 0, to "". */
static bool arm64_register(const char *name, size_t len, char to[8])
{
	if (len < 2 || len > 3)
		return false;
	snprintf(to, 8, "%.*s", (int)len, name);
	if (!strcmp(to, "xzr") || !strcmp(to, "wzr")) {
		*to = '\0';
		return true;
	}
	if (*to == 'w')
		*to = 'x';
	return dkt__abi_is_register(DKT__ARM64, to);
}

/* "x0", "5", "[sp, 16]", "[x1]" */
static const char *read_arm64(const char *text, struct sdt_arg *arg)
{
	const char *p = text;
	char name[8];
	int64_t number = 0;
	size_t n;

	if (*p != '[') {
		if (isdigit((unsigned char)*p) || *p == '-')
			return !dkt__parse_s64(p, DKT__AS_C, &number) ?
				       (put_constant(arg, number), NULL) :
				       NO_OPERAND;
		if (!arm64_register(p, strlen(p), name))
			return "the kernel does not fetch that register";
		if (*name)
			snprintf(arg->fetch, sizeof(arg->fetch), "%%%s", name);
		else
			put_constant(arg, 0);
		return NULL;
	}
	n = strcspn(++p, ",]");
	if (!arm64_register(p, n, name) || !*name)
		return "the kernel does not fetch by that register";
	p += n;
	if (*p == ',') {
		p += 1 + strspn(p + 1, " #");
		if (dkt__take_s64(&p, NULL, DKT__AS_C, &number))
			return "it is memory by two registers, which the kernel cannot add";
	}
	if (strcmp(p, "]") != 0)
		return NO_OPERAND;
	put_memory(arg, number, name);
	return NULL;
}

/* ---- sizes ---- */

/* Parses "-4@": signed, 4 bytes. Returns the operand after it, or NULL and sets *why. */
static const char *read_size(const char *text, struct sdt_arg *arg, const char **why)
{
	const char *at = strchr(text, '@');
	int64_t size;

	*why = NO_OPERAND;
	*arg->type = '\0';
	if (!at)
		return text;
	if (dkt__take_s64(&text, NULL, DKT__AS_C, &size))
		return NULL;
	*why = "it is a floating point number";
	if (*text == 'f')
		return NULL;
	*why = "the kernel records integers of 1, 2, 4 and 8 bytes only";
	if (text != at || (size != 1 && size != 2 && size != 4 && size != 8 && size != -1 &&
			   size != -2 && size != -4 && size != -8))
		return NULL;
	snprintf(arg->type, sizeof(arg->type), "%c%d", size < 0 ? 's' : 'u',
		 (int)(size < 0 ? -size : size) * 8);
	return at + 1;
}

const char *dkt__sdt_arg(enum dkt__machine machine, const char *args, unsigned int n,
			 struct sdt_arg *arg)
{
	char *text __cleanup(free) = NULL;
	const char *operand, *why;
	size_t len = 0;

	*arg = (struct sdt_arg){ 0 };
	while (n && (len = next_arg(&args)) && --n)
		args += len;
	if (n || !len)
		return "there is no argument of that number";
	text = strndup(args, len);
	if (!text)
		return strerror(ENOMEM);
	operand = read_size(text, arg, &why);
	if (!operand)
		return why;
	return machine == DKT__X86_64 ? read_x86(operand, arg) :
	       machine == DKT__ARM64  ? read_arm64(operand, arg) :
					"the registers of that machine are unknown";
}
