# SPDX-License-Identifier: LGPL-2.1-or-later
# One Makefile, no configure step. Usual variables: O= (build directory), V=1, DESTDIR, PREFIX,
# SAN=address,undefined, CC, CFLAGS (come last). `make help` lists the targets.

VERSION := 0.1.0
SOVER := 0

O ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share/dktrace
COMPDIR ?= $(PREFIX)/share/bash-completion/completions
CONFDIR ?= /etc/dktrace
CLANG ?= clang
PKG_CONFIG ?= pkg-config

LIB_PKGS := libtracefs libtraceevent libcap libnl-genl-3.0
TOOL_PKGS := yaml-0.1 smartcols json-c

Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n' $(1) $(2))

WARN := -Wall -Wextra -Wshadow -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wwrite-strings -Wundef -Wcast-align -Wpointer-arith
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
OPT := $(if $(SAN),-O1,-O2)
BASE := -std=gnu11 -D_GNU_SOURCE -g $(OPT) $(WARN) $(SANFLAGS) -Iinclude -I$(O)/gen
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIB_PKGS) 2>/dev/null)
TOOL_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(TOOL_PKGS) 2>/dev/null)
LIB_LIBS := $(shell $(PKG_CONFIG) --libs $(LIB_PKGS) 2>/dev/null)
TOOL_LIBS := $(shell $(PKG_CONFIG) --libs $(TOOL_PKGS) 2>/dev/null)

LIB_SRC := $(wildcard lib/*.c)
COMPAT_SRC := $(wildcard compat/*.c)
CTL_SRC := $(wildcard ctl/*.c)
UNIT_SRC := $(wildcard tests/unit/*.c)
FUZZ_SRC := $(wildcard tests/fuzz/*.c)
LIVE_SRC := $(wildcard tests/live/*.c)
BENCH_SRC := $(wildcard tests/bench/*.c)

LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
COMPAT_OBJ := $(COMPAT_SRC:%.c=$(O)/%.o)
CTL_OBJ := $(CTL_SRC:%.c=$(O)/%.o)
UNIT_BIN := $(UNIT_SRC:%.c=$(O)/%)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(O)/%)
LIVE_BIN := $(LIVE_SRC:%.c=$(O)/%)
BENCH_BIN := $(BENCH_SRC:%.c=$(O)/%)

SO := $(O)/libdktrace.so.$(VERSION)

.PHONY: all lib tests check check-unit check-cli check-live check-vm check-fuzz check-abi check-san \
	check-clang lint bench fuzz demo install uninstall dist clean help

all: $(O)/dktrace $(O)/lctl lib

lib: $(SO) $(O)/libdktrace.a $(O)/libdktrace.pc

tests: $(UNIT_BIN) $(FUZZ_BIN) $(LIVE_BIN)

help:
	@echo 'all            build/dktrace, build/lctl, the library'
	@echo 'check          every test; check-unit -cli -live -vm -fuzz -abi -san -clang: a part'
	@echo 'lint           format, shell, spelling and man page checks'
	@echo 'demo, bench    the two-minute tour; speed beside other tools'
	@echo 'fuzz           TARGET=name SECONDS=n: run one fuzz target with libFuzzer'
	@echo 'install        DESTDIR=, PREFIX=; uninstall, dist, clean'

# ---- objects: only lib/ sees lib's insides; compat/ and ctl/ use the installed header ----

$(O)/lib/%.o: lib/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) $(LIB_CFLAGS) -fPIC -fvisibility=hidden -MMD -MP $(CFLAGS) -c -o $@ $<

$(O)/compat/%.o: compat/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) $(TOOL_CFLAGS) $(shell $(PKG_CONFIG) --cflags libnl-genl-3.0 2>/dev/null) \
		-DDATADIR='"$(DATADIR)"' -DCONFDIR='"$(CONFDIR)"' -MMD -MP $(CFLAGS) -c -o $@ $<

$(O)/ctl/%.o: ctl/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) $(TOOL_CFLAGS) -Icompat -MMD -MP $(CFLAGS) -c -o $@ $<

# System call names of the machine that it is built for, from the C library's headers.
$(O)/gen/syscall_names.inc:
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)echo '#include <sys/syscall.h>' | $(CC) -E -dM - | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) [0-9].*/[__NR_\1] = "\1",/p' | sort >$@

$(O)/lib/syscall.o: $(O)/gen/syscall_names.inc

# ---- library ----

$(SO): $(LIB_OBJ) lib/libdktrace.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANFLAGS) -Wl,-soname,libdktrace.so.$(SOVER) \
		-Wl,--version-script,lib/libdktrace.map $(if $(SAN),,-Wl,-z,defs) \
		$(LDFLAGS) -o $@ $(LIB_OBJ) $(LIB_LIBS)
	$(Q)ln -sf $(@F) $(O)/libdktrace.so.$(SOVER)
	$(Q)ln -sf $(@F) $(O)/libdktrace.so

$(O)/libdktrace.a: $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/libcompat.a: $(COMPAT_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/libdktrace.pc: lib/libdktrace.pc.in Makefile
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

# ---- tool: linked with the archive, so that build/dktrace runs where it stands ----

$(O)/dktrace: $(CTL_OBJ) $(O)/libcompat.a $(O)/libdktrace.a
	$(call say,LD,$@)
	$(Q)$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) $(LIB_LIBS)

$(O)/lctl: $(O)/dktrace
	$(Q)ln -sf dktrace $@

# ---- tests ----

TEST_LINK = $(O)/libcompat.a $(O)/libdktrace.a
TEST_CC = $(CC) $(BASE) $(LIB_CFLAGS) $(TOOL_CFLAGS) -Ilib -Icompat -Itests -MMD -MP $(CFLAGS) \
	$(LDFLAGS) -o $@ $<

$(O)/tests/unit/%: tests/unit/%.c $(TEST_LINK)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(TEST_LINK) $(TOOL_LIBS) $(LIB_LIBS) -lcmocka

$(O)/tests/live/%: tests/live/%.c $(TEST_LINK)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(TEST_LINK) $(TOOL_LIBS) $(LIB_LIBS) -lcmocka

$(O)/tests/bench/%: tests/bench/%.c $(TEST_LINK)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(TEST_LINK) $(TOOL_LIBS) $(LIB_LIBS)

# Without libFuzzer the same file replays the files that it is given.
$(O)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.h $(TEST_LINK)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) -DDKT_REPLAY $(TEST_LINK) $(TOOL_LIBS) $(LIB_LIBS)

clean:
	rm -rf $(O)

-include $(LIB_OBJ:.o=.d) $(COMPAT_OBJ:.o=.d) $(CTL_OBJ:.o=.d) $(UNIT_BIN:%=%.d) $(FUZZ_BIN:%=%.d) \
	$(LIVE_BIN:%=%.d) $(BENCH_BIN:%=%.d)
