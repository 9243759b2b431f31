/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes on programs and libraries. */
#include <fnmatch.h>
#include <limits.h>

#include "lib/debuginfo/instruction.h"
#include "lib/probe/define.h"

/* ---- the file ---- */

/* Returns the path as the process sees it: the kernel accepts one through /proc/PID/root. */
static int program_path(struct probe_define *define, char **path, char **root)
{
	const struct dkt_probe_opts *opts = define->opts;
	char link[64], target[PATH_MAX];
	ssize_t n;

	*path = *root = NULL;
	if (!opts->pid) {
		*path = realpath(opts->exec, NULL);
		return *path ? 0 :
			       dkt_fail(define->ctx, -errno, "open %s: %s", opts->exec,
					strerror(errno));
	}
	*root = dkt__format("/proc/%d/root", opts->pid);
	if (!*root)
		return dkt__no_memory(define->ctx);
	if (opts->exec) {
		*path = dkt__format("%s%s%s", *root, *opts->exec == '/' ? "" : "/", opts->exec);
	} else {
		snprintf(link, sizeof(link), "/proc/%d/exe", opts->pid);
		n = readlink(link, target, sizeof(target) - 1);
		if (n < 0)
			return dkt_fail(define->ctx, -errno, "process %d: %s", opts->pid,
					errno == ENOENT ? "it does not exist" : strerror(errno));
		target[n] = '\0';
		*path = dkt__format("%s%s", *root, target);
	}
	return *path ? 0 : dkt__no_memory(define->ctx);
}

static int open_program(struct probe_define *define)
{
	char *path __cleanup(free) = NULL;
	char *root __cleanup(free) = NULL;
	int err = program_path(define, &path, &root);

	if (err)
		return err;
	if (path[strcspn(path, " \t\n#")])
		return dkt_fail(define->ctx, -EINVAL,
				"the kernel does not accept a path with a space: '%s'", path);
	return dkt__binary_open(define->ctx, path, define->opts->debug_file, root, &define->binary);
}

/* ---- instructions: the kernel checks places in its own code, but not in programs ---- */

/* A place as the user can write it: FUNCTION+OFFSET, or an offset in the file. */
static char *words(struct probe_define *define, uint64_t address)
{
	struct binary_symbol symbol;
	uint64_t offset = 0;

	dkt__binary_at(define->binary, address, &symbol);
	if (define->place.function && !define->place.has_line && symbol.name)
		return dkt__format("%s+%llu", define->place.function,
				   (unsigned long long)(address - symbol.address));
	dkt__binary_offset(define->binary, address, &offset);
	return dkt__format("0x%llx", (unsigned long long)offset);
}

static int refuse(struct probe_define *define, uint64_t address,
		  const struct instruction_place *place)
{
	char *at __cleanup(free) = words(define, address);
	char *before __cleanup(free) = words(define, place->before);
	char *after __cleanup(free) = words(define, place->after);

	if (!at || !before || !after)
		return dkt__no_memory(define->ctx);
	return dkt_fail(define->ctx, -EILSEQ,
			"%s of %s is inside an instruction, and a probe there would crash the"
			" program; instructions begin at %s and %s",
			at, define->binary->path, before, after);
}

int dkt__probe_check_instruction(struct probe_define *define, uint64_t address, bool given)
{
	struct instruction_place place;
	char *at __cleanup(free) = NULL;
	int err;

	if (define->opts->inside)
		return 0;
	err = dkt__instruction_at(define->binary, address, &place);
	if (!err && place.before != address)
		return refuse(define, address, &place);
	if (err != -EOPNOTSUPP)
		return err;
	at = words(define, address);
	if (given && at)
		dkt__log(define->ctx, DKT_LOG_WARN,
			 "%s of %s: not checked whether an instruction begins there, and a probe"
			 " inside one crashes the program: %s",
			 at, define->binary->path, dkt_error(define->ctx));
	return 0;
}

/* ---- arguments and results without debug information ---- */

int dkt__probe_word_argument(struct probe_scope *scope, unsigned int n, struct probe_value *value)
{
	struct abi_place place;

	dkt__abi_word(scope->machine, !scope->is_user && scope->features->arg, n - 1, &place);
	if (place.trouble)
		return dkt_fail(scope->ctx, -EOPNOTSUPP, "%s",
				scope->is_user ? "how programs of that machine pass arguments is"
						 " unknown" :
						 place.trouble);
	dkt__probe_set_place(value, &place);
	value->user = scope->is_user;
	return 0;
}

int dkt__probe_word_result(struct probe_scope *scope, struct probe_value *value)
{
	(void)scope, (void)value;
	return 0;
}

static int gone_variable(struct probe_scope *scope, const char *name, struct probe_value *value,
			 struct dkt__guess *guess)
{
	(void)value, (void)guess;
	return dkt_fail(
		scope->ctx, -EINVAL,
		"'%s' is not available on return, only $retval is; probe the entry to record %s",
		name, name);
}

static int gone_argument(struct probe_scope *scope, unsigned int n, struct probe_value *value)
{
	char name[16];

	snprintf(name, sizeof(name), "$arg%u", n);
	return gone_variable(scope, name, value, NULL);
}

void dkt__probe_return_scope(struct probe_scope *scope)
{
	scope->variable = gone_variable;
	scope->argument = gone_argument;
}

/* ---- one probe ---- */

static int add_address(struct probe_define *define, uint64_t address, const char *name,
		       const char *suffix, bool is_entry)
{
	struct dkt__binary *binary = define->binary;
	struct probe_scope scope = { .ctx = define->ctx,
				     .features = &define->features,
				     .machine = binary->machine,
				     .where = name,
				     .is_user = true };
	struct dwarf_place at = { 0 };
	char *place __cleanup(free) = NULL;
	char *why __cleanup(free) = NULL;
	uint64_t offset;
	int err = dkt__binary_offset(binary, address, &offset);

	if (!err && !is_entry)
		err = dkt__probe_check_instruction(define, address, !define->place.has_line);
	if (err)
		return err;
	place = dkt__format("%s:0x%llx", binary->path, (unsigned long long)offset);
	if (!place)
		return dkt__no_memory(define->ctx);
	if (define->n && !dkt__dwarf_place(binary, address, &at)) {
		dkt__probe_dwarf_scope(&scope, &at);
	} else if (define->n) {
		scope.no_types = why = dkt__error_take(define->ctx);
		scope.argument = is_entry ? dkt__probe_word_argument : NULL;
		scope.result = dkt__probe_word_result;
	}
	if (define->place.on_return)
		dkt__probe_return_scope(&scope);
	else
		scope.result = NULL;
	err = dkt__probe_add(define, &scope, place, name, suffix);
	dkt__dwarf_place_clear(&at);
	return err;
}

/* ---- globs ---- */

struct globbed {
	struct probe_define *define;
	struct binary_symbol *found;
	size_t n;
};

static int try_glob(void *data, const struct binary_symbol *symbol)
{
	struct globbed *globbed = data;
	uint64_t offset;

	if (symbol->chosen_late || strstr(symbol->name, ".cold") ||
	    fnmatch(globbed->define->place.function, symbol->name, 0) ||
	    dkt__binary_offset(globbed->define->binary, symbol->address, &offset))
		return 0;
	for (size_t i = 0; i < globbed->n; i++)
		if (globbed->found[i].address == symbol->address)
			return 0;
	return dkt__with_words(globbed->define->ctx,
			       dkt__append(globbed->found, globbed->n, *symbol));
}

static int add_glob(struct probe_define *define)
{
	struct globbed globbed = { .define = define };
	const char *suffix = define->place.on_return ? "__return" : "";
	int err = dkt__binary_functions(define->binary, try_glob, &globbed);

	if (!err && !globbed.n)
		err = dkt_fail(define->ctx, -ENOENT, "no function of %s matches '%s'",
			       define->binary->path, define->place.function);
	if (!err)
		err = dkt__probe_check_max(define, globbed.n, define->place.function);
	if (!err)
		qsort(globbed.found, globbed.n, sizeof(*globbed.found), dkt__by_first_text);
	for (size_t i = 0; !err && i < globbed.n; i++) {
		char *name __cleanup(free) =
			strndup(globbed.found[i].name, strcspn(globbed.found[i].name, "@"));

		err = name ? add_address(define, globbed.found[i].address, name, suffix, true) :
			     dkt__no_memory(define->ctx);
	}
	free(globbed.found);
	return err;
}

/* ---- places ---- */

static int add_line(struct probe_define *define, const struct binary_symbol *symbol,
		    uint64_t address, const char *suffix)
{
	return add_address(define, address, symbol->name ? symbol->name : "line", suffix, false);
}

static int add_offset(struct probe_define *define)
{
	struct binary_symbol symbol;
	uint64_t address;
	char suffix[32];
	int err = dkt__binary_address(define->binary, define->place.address, &address);

	if (err)
		return err;
	dkt__binary_at(define->binary, address, &symbol);
	snprintf(suffix, sizeof(suffix), "_0x%llx", (unsigned long long)define->place.address);
	return add_address(define, address, symbol.name ? symbol.name : "offset", suffix,
			   symbol.name && symbol.address == address);
}

static int no_function(struct probe_define *define, int err)
{
	char *words = dkt__error_take(define->ctx);
	char *where __cleanup(free) = NULL;
	bool inlined = err == -ENOENT &&
		       !dkt__dwarf_inlined(define->binary, define->place.function, &where) && where;

	dkt__error_give(define->ctx, err, words);
	if (inlined)
		return dkt_fail(
			define->ctx, err,
			"%s is inlined%s%s: it has no entry to probe; probe one of its source lines",
			define->place.function, *where ? " into " : " everywhere", where);
	return err;
}

int dkt__probe_program(struct probe_define *define)
{
	const struct probe_place *place = &define->place;
	struct binary_symbol symbol;
	char suffix[32] = "";
	int err = open_program(define);

	if (err)
		return err;
	if (place->module)
		return dkt__probe_marker(define);
	if (place->has_address)
		return add_offset(define);
	if (place->is_glob)
		return add_glob(define);
	if (place->has_line)
		return dkt__probe_lines(define, add_line);
	err = dkt__binary_function(define->binary, place->function, &symbol);
	if (err)
		return no_function(define, err);
	if (place->offset && symbol.size && place->offset >= symbol.size)
		return dkt_fail(define->ctx, -ERANGE, "%s has %llu bytes, and the offset is %llu",
				place->function, (unsigned long long)symbol.size,
				(unsigned long long)place->offset);
	if (place->offset)
		snprintf(suffix, sizeof(suffix), "_%llu", (unsigned long long)place->offset);
	return add_address(define, symbol.address + place->offset, place->function,
			   place->on_return ? "__return" : suffix, !place->offset);
}
