/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows numbers by the tables of their words. */
#include "answers/strace/words.h"

#include <fnmatch.h>
#include <signal.h>
#include <sys/utsname.h>

#include "answers/strace/word_lists.h"
#include "lib/base/buf.h"
#include "lib/base/errno_names.h"
#include "lib/base/util.h"

/* ---- machines ---- */

enum call_machine call_machine(const char *kernel)
{
	static const struct {
		const char *glob;
		enum call_machine machine;
	} machines[] = {
		{ "arm*", MACHINE_ARM },      { "aarch64*", MACHINE_ARM },
		{ "ppc*", MACHINE_ARM },      { "mips*", MACHINE_OTHER },
		{ "sparc*", MACHINE_OTHER },  { "alpha*", MACHINE_OTHER },
		{ "parisc*", MACHINE_OTHER },
	};
	const char *space = kernel ? strrchr(kernel, ' ') : NULL;
	struct utsname uts;
	const char *name = space ? space + 1 : kernel;

	if (!kernel)
		name = uname(&uts) ? "" : uts.machine;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (!fnmatch(machines[i].glob, name, 0))
			return machines[i].machine;
	return MACHINE_GENERIC;
}

/* ---- words ---- */

static const struct call_word *find(const struct call_words *words, uint32_t value)
{
	for (size_t i = 0; i < words->n; i++)
		if (words->list[i].value == value)
			return &words->list[i];
	return NULL;
}

static void add(struct dkt_buf *buf, bool *any, const char *name)
{
	if (*any)
		dkt_buf_str(buf, "|");
	dkt_buf_str(buf, name);
	*any = true;
}

static void add_hex(struct dkt_buf *buf, bool *any, uint32_t value)
{
	add(buf, any, "0x");
	dkt__buf_hex(buf, value, 0, ' ');
}

/* The part under the mask is one of several values; the other bits are flags. */
static bool put_flags(const struct call_words *words, uint32_t value, struct dkt_buf *buf)
{
	const struct call_word *one = find(words, value & words->mask);
	uint32_t rest = value & ~words->mask;
	bool any = false;

	if (one && (words->mask || !value))
		add(buf, &any, one->name);
	else if (value & words->mask)
		add_hex(buf, &any, value & words->mask);
	/* Larger words may contain smaller ones, and come before them in the list. */
	for (size_t i = 0; i < words->n; i++) {
		uint32_t flag = words->list[i].value;

		if (!flag || flag & words->mask || (rest & flag) != flag)
			continue;
		add(buf, &any, words->list[i].name);
		rest &= ~flag;
	}
	if (rest)
		add_hex(buf, &any, rest);
	if (!any)
		dkt_buf_str(buf, "0");
	return true;
}

static bool put_signal(uint32_t value, struct dkt_buf *buf)
{
	const char *name = value < 64 ? dkt__signal_name((int)value) : NULL;

	if (name)
		dkt_buf_printf(buf, "SIG%s", name);
	else if (value >= 32 && value <= 64)
		dkt_buf_printf(buf, "SIGRT_%u", value - 32);
	return name || (value >= 32 && value <= 64);
}

bool call_words(enum call_arg kind, uint64_t value, enum call_machine machine, struct dkt_buf *buf)
{
	const struct call_words *words = call_word_list(kind, machine == MACHINE_ARM);
	const struct call_word *word;

	if (machine == MACHINE_OTHER && call_word_varies(kind))
		return false;
	if (kind == ARG_SIGNAL)
		return put_signal((uint32_t)value, buf);
	if (!words)
		return false;
	if (words->flags)
		return put_flags(words, (uint32_t)value, buf);
	word = find(words, (uint32_t)value);
	if (word)
		dkt_buf_str(buf, word->name);
	return word;
}

/* ---- ioctl ---- */

void call_ioctl(uint32_t number, struct dkt_buf *buf)
{
	static const char *const ways[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
					    "_IOC_READ|_IOC_WRITE" };
	const char *name = call_ioctl_name(number);

	if (name)
		dkt_buf_str(buf, name);
	else
		dkt_buf_printf(buf, "_IOC(%s, 0x%x, 0x%x, 0x%x)", ways[number >> 30],
			       number >> 8 & 0xff, number & 0xff, number >> 16 & 0x3fff);
}

/* ---- errors ---- */

const char *call_error(int error, enum call_machine machine, const char **words, bool *restarts)
{
	static const struct {
		int error;
		const char *name, *words;
	} hidden[] = {
		/* include/linux/errno.h; no program sees them */
		{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
		{ 513, "ERESTARTNOINTR", "To be restarted" },
		{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
		{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
	};
	const char *name;

	*restarts = false;
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		if (hidden[i].error == error) {
			*restarts = true;
			*words = hidden[i].words;
			return hidden[i].name;
		}
	name = machine == MACHINE_OTHER ? NULL : dkt__errno_name(error);
	*words = name ? strerror(error) : NULL;
	return name;
}
