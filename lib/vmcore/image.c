/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the pages of a dump with libkdumpfile. The library is loaded when a dump is opened: linked, it
 * would make each start of the tool half as long again, because it brings libstdc++ along.
 */
#include <dlfcn.h>
#include <sys/stat.h>

#include "lib/base/io.h"
#include "lib/base/library.h"
#include "lib/vmcore/image.h"

#ifndef LIBKDUMPFILE

int dkt__vm_image_open(struct dkt_ctx *ctx, const struct dkt__file *file, struct vm_image **image)
{
	*image = NULL;
	return dkt_fail(
		ctx, -EOPNOTSUPP,
		"read %s: the dump of a kernel is read with libkdumpfile, which libdktrace was built"
		" without",
		file->name);
}

void dkt__vm_image_close(struct vm_image *image)
{
	(void)image;
}

#else

#include <libkdumpfile/kdumpfile.h>

/* The calls that are used. */
struct calls {
	__typeof__(kdump_new) *new;
	__typeof__(kdump_free) *free;
	__typeof__(kdump_open_fdset) *open_fdset;
	__typeof__(kdump_set_attr) *set_attr;
	__typeof__(kdump_get_typed_attr) *get_attr;
	__typeof__(kdump_read) *read;
	__typeof__(kdump_get_err) *get_err;
	__typeof__(kdump_vmcoreinfo_raw) *info;
};

#define PAGE         4096
#define PAGES        512 /* a power of two */

/* So many unreadable pages are looked at one by one; then the rest is not read. */
#define RENEWALS_MAX 1000

/* A page that was read; the walks of lists read the same ones again and again. */
struct page {
	uint64_t at; /* its address plus 1, 0: none */
	uint8_t bytes[PAGE];
};

struct dump {
	struct vm_image image; /* first: the image is cast to this struct */
	void *library;
	struct calls calls;
	kdump_ctx_t *kdump;
	int fd; /* of the file put in order; -1: the caller's is read */
	bool elf;
	char *lost; /* why it did not find the kernel; NULL: it did */
	unsigned int renewed; /* times that kdump was opened again */
	struct page *pages;
};

static int read_error(kdump_status status)
{
	switch (status) {
	case KDUMP_ERR_NODATA:
		return -ENODATA;
	case KDUMP_ERR_SYSTEM:
	case KDUMP_ERR_CORRUPT:
	case KDUMP_ERR_EOF:
		return -EIO;
	default:
		return -EFAULT;
	}
}

static int set_attr(struct dump *dump, const char *key, kdump_attr_t attr)
{
	return dump->calls.set_attr(dump->kdump, key, &attr) == KDUMP_OK ? 0 : -EINVAL;
}

/* Gets an attribute of the type that attr has. */
static bool get_attr(struct dump *dump, const char *key, kdump_attr_t *attr)
{
#if KDUMPFILE_VERSION >= KDUMPFILE_MKVER(0, 5, 6)
	return dump->calls.get_attr(dump->kdump, key, attr->type, &attr->val) == KDUMP_OK;
#else
	return dump->calls.get_attr(dump->kdump, key, attr) == KDUMP_OK;
#endif
}

/* Where the header of a compressed dump has the name of the machine (struct new_utsname). */
#define MACHINE_AT 272

/* libkdumpfile 0.5.1 does not take the machine from the header that qemu writes. */
static void set_machine(struct dump *dump, int fd)
{
	kdump_attr_t attr = { .type = KDUMP_STRING };
	char name[65] = "";

	if (get_attr(dump, KDUMP_ATTR_ARCH_NAME, &attr))
		return;
	if (dkt__pread_all(fd, name, sizeof(name) - 1, MACHINE_AT) <= 0 || !*name)
		return;
	attr.val.string = name;
	set_attr(dump, KDUMP_ATTR_ARCH_NAME, attr);
}

/* Returns libkdumpfile's words about the last call, which has failed. */
static const char *words(const struct dump *dump)
{
	const char *text = dump->calls.get_err(dump->kdump);

	return text ? text : "unknown error";
}

/* Opens the file with libkdumpfile. dump->kdump NULL: memory is out. */
static kdump_status attach(struct dump *dump)
{
	kdump_status status;

	dump->kdump = dump->calls.new();
	if (!dump->kdump)
		return KDUMP_ERR_SYSTEM;
	/* A mapping of a file that another program truncates would kill this one. */
	set_attr(dump, KDUMP_ATTR_FILE_MMAP_POLICY,
		 (kdump_attr_t){ .type = KDUMP_NUMBER, .val.number = KDUMP_MMAP_NEVER });
	status = dump->calls.open_fdset(dump->kdump, 1, &dump->image.fd);
	if (status != KDUMP_OK)
		return status;
	if (!dump->elf)
		set_machine(dump, dump->image.fd);
	/* Knowing the system, it finds the note and the page tables. */
	free(dump->lost);
	dump->lost = NULL;
	if (set_attr(dump, KDUMP_ATTR_OSTYPE,
		     (kdump_attr_t){ .type = KDUMP_STRING, .val.string = "linux" }))
		dump->lost = strdup(words(dump));
	return KDUMP_OK;
}

/*
 * After a page that it cannot read, libkdumpfile 0.5.1 may hand out memory that it does not have, and
 * crashes: its cache keeps the entry of that page. So it begins anew, which takes a few ms.
 */
static void renew(struct dump *dump)
{
	dump->calls.free(dump->kdump);
	dump->kdump = NULL;
	if (dump->renewed++ >= RENEWALS_MAX || attach(dump) == KDUMP_OK)
		return;
	/* It crashes, too, when it frees what could not be opened. */
	dump->kdump = NULL;
}

static int read_dump(struct dump *dump, uint64_t address, void *bytes, size_t n)
{
	size_t got = n;
	kdump_status status =
		dump->kdump ? dump->calls.read(dump->kdump, KDUMP_KVADDR, address, bytes, &got) :
			      KDUMP_ERR_CORRUPT;
	int err = status != KDUMP_OK ? read_error(status) : got != n ? -EIO : 0;

	if (err == -EIO && dump->kdump)
		renew(dump);
	/* Perhaps the page tables are in the part that is missing. */
	return err == -EFAULT && dump->image.cut ? -EIO : err;
}

static int image_read(struct vm_memory *memory, uint64_t address, void *bytes, size_t n)
{
	struct dump *dump = (struct dump *)memory;
	uint8_t *to = bytes;

	while (n) {
		uint64_t at = address / PAGE * PAGE;
		struct page *page = &dump->pages[address / PAGE % PAGES];
		size_t part = DKT__MIN(n, PAGE - address % PAGE);
		int err;

		if (page->at != at + 1) {
			page->at = 0;
			err = read_dump(dump, at, page->bytes, PAGE);
			if (err)
				return err;
			page->at = at + 1;
		}
		memcpy(to, page->bytes + address % PAGE, part);
		to += part;
		address += part;
		n -= part;
	}
	return 0;
}

static int load_library(struct dkt_ctx *ctx, struct dump *dump, const char *name)
{
	const struct dkt__call table[] = {
		{ "kdump_new", &dump->calls.new },
		{ "kdump_free", &dump->calls.free },
		{ "kdump_open_fdset", &dump->calls.open_fdset },
		{ "kdump_set_attr", &dump->calls.set_attr },
		{ "kdump_get_typed_attr", &dump->calls.get_attr },
		{ "kdump_read", &dump->calls.read },
		{ "kdump_get_err", &dump->calls.get_err },
		{ "kdump_vmcoreinfo_raw", &dump->calls.info },
	};
	const char *missing;

	dump->library = dlopen(LIBKDUMPFILE, RTLD_NOW | RTLD_LOCAL);
	if (!dump->library)
		return dkt_fail(ctx, -EOPNOTSUPP,
				"read %s: the dump of a kernel is read with libkdumpfile, which "
				"cannot be loaded; install it (%s)",
				name, dlerror());
	missing = dkt__find_calls(dump->library, table, ARRAY_SIZE(table));
	if (missing)
		return dkt_fail(ctx, -EOPNOTSUPP, "read %s: %s has no %s", name, LIBKDUMPFILE,
				missing);
	return 0;
}

static int no_info(struct dkt_ctx *ctx, const struct dkt__file *file)
{
	return dkt_fail(ctx, -EOPNOTSUPP,
			"read %s: it has no VMCOREINFO note, which says where the kernel is in "
			"memory; a dump by qemu has one if the guest has -device vmcoreinfo and "
			"the module qemu_fw_cfg",
			file->name);
}

/* Numbers are read in this machine's order and size. */
static int check_machine(struct dkt_ctx *ctx, struct dump *dump, const char *name)
{
	const kdump_num_t order = DKT__BIG_ENDIAN ? KDUMP_BIG_ENDIAN : KDUMP_LITTLE_ENDIAN;
	kdump_attr_t attr = { .type = KDUMP_NUMBER };

	if (!get_attr(dump, KDUMP_ATTR_BYTE_ORDER, &attr) || attr.val.number != order ||
	    !get_attr(dump, KDUMP_ATTR_PTR_SIZE, &attr) || attr.val.number != sizeof(uint64_t))
		return dkt__vm_unsupported(ctx, name);
	attr = (kdump_attr_t){ .type = KDUMP_STRING };
	return dkt__ctx_machine(ctx,
				get_attr(dump, KDUMP_ATTR_ARCH_NAME, &attr) ? attr.val.string : "");
}

/* Returns libkdumpfile's words, without the name of the attribute that was to be set. */
static const char *reason(const struct dump *dump)
{
	const char *text = words(dump), *colon = strstr(text, "fd: ");

	return colon ? colon + strlen("fd: ") : text;
}

static int open_dump(struct dkt_ctx *ctx, struct dump *dump, const struct dkt__file *file)
{
	kdump_status status;

	dump->elf = dkt__vm_form(file->data, file->size) == VM_ELF;
	status = attach(dump);
	if (!dump->kdump)
		return dkt__no_memory(ctx);
	if (status != KDUMP_OK) {
		dkt_fail(ctx, -EBADMSG, "read %s: %s", file->name, reason(dump));
		/* libkdumpfile 0.5.1 crashes when it frees what a damaged header left behind. */
		dump->kdump = NULL;
		dump->library = NULL;
		return -EBADMSG;
	}
	status = dump->calls.info(dump->kdump, &dump->image.info);
	if (status != KDUMP_OK || !dump->image.info)
		return no_info(ctx, file);
	if (dump->lost)
		return dkt_fail(ctx, -EBADMSG, "read %s: the kernel is not found in its memory: %s",
				file->name, dump->lost);
	return check_machine(ctx, dump, file->name);
}

int dkt__vm_image_open(struct dkt_ctx *ctx, const struct dkt__file *file, struct vm_image **out)
{
	struct dump *dump = calloc(1, sizeof(*dump));
	struct stat st;
	int err = 0;

	*out = NULL;
	if (!dump)
		return dkt__no_memory(ctx);
	dump->image.memory.read = image_read;
	dump->fd = -1;
	dump->image.cut = dkt__vm_elf_is_cut(file);
	dump->pages = calloc(PAGES, sizeof(*dump->pages));
	if (!dump->pages)
		err = dkt__no_memory(ctx);
	else if (dkt__vm_elf_is_program(file))
		err = dkt_fail(ctx, -EINVAL,
			       "read %s: it is the core file of a program, not of a kernel",
			       file->name);
	if (!err)
		err = dkt__vm_elf_check(ctx, file);
	if (!err)
		err = load_library(ctx, dump, file->name);
	if (!err && dkt__vm_form(file->data, file->size) == VM_FLAT)
		err = dkt__vm_unflatten(ctx, file, &dump->fd, &dump->image.cut);
	dump->image.fd = dump->fd < 0 ? file->fd : dump->fd;
	if (!err && !dump->image.cut && !fstat(dump->image.fd, &st))
		dump->image.cut = dkt__vm_kdump_is_cut(dump->image.fd, (uint64_t)st.st_size);
	if (!err)
		err = open_dump(ctx, dump, file);
	if (err && dump->image.cut)
		err = dkt__fail_in(ctx, err, "the file is truncated");
	if (err)
		dkt__vm_image_close(&dump->image);
	else
		*out = &dump->image;
	return err;
}

void dkt__vm_image_close(struct vm_image *image)
{
	struct dump *dump = (struct dump *)image;

	if (!dump)
		return;
	if (dump->kdump)
		dump->calls.free(dump->kdump);
	if (dump->library)
		dlclose(dump->library);
	if (dump->fd >= 0)
		close(dump->fd);
	free(dump->image.info);
	free(dump->lost);
	free(dump->pages);
	free(dump);
}

#endif
