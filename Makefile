# SPDX-License-Identifier: LGPL-2.1-or-later
# One Makefile, no configure step. Usual variables: O= (build directory), V=1, DESTDIR, PREFIX,
# SAN=address,undefined, CC, CPPFLAGS, CFLAGS, LDFLAGS (come last). `make help` lists the targets.

VERSION := $(shell sed -n 's/^.define DKT_VERSION_[MP][A-Z]* //p' include/dktrace/dktrace.h | paste -sd .)
SOVER := 0

O ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share/dktrace
DOCDIR ?= $(PREFIX)/share/doc/dktrace
COMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
CONFDIR ?= /etc/dktrace
UNITDIR ?= $(PREFIX)/lib/systemd/system
UDEVDIR ?= $(PREFIX)/lib/udev/rules.d
CLANG ?= clang
PKG_CONFIG ?= pkg-config
# With -flto, objects are code of the compiler, and its own ar lists their symbols.
ifeq ($(origin AR)$(findstring -flto,$(CFLAGS)),default-flto)
AR := $(if $(findstring clang,$(CC)),llvm-ar,gcc-ar)
endif

LIB_PKGS := libtraceevent libcap libnl-genl-3.0 libzstd zlib libbpf libdw libelf \
	libseccomp yaml-0.1
TOOL_PKGS := smartcols json-c ncursesw liblzma

# Libraries that serve one feature each: capstone the instructions of annotate, curl servers of load, d3 the charts of
# view's page, edit the history of lctl's sessions, kdumpfile dumps of kernels, sqlite the command sql and its files,
# tracefs (since its version 1.3) hist --sql and other statements for the kernel.
# WITHOUT='curl d3' leaves out those two; the features say so.
OPTIONAL := capstone curl d3 edit kdumpfile sqlite tracefs
WITHOUT ?=
unknown := $(filter-out $(OPTIONAL),$(WITHOUT))
$(if $(unknown),$(error WITHOUT: unknown library $(unknown); these can be left out: $(OPTIONAL)))
HAVE := $(filter-out $(WITHOUT),$(OPTIONAL))
# with NAME,TEXT: the text, unless the library is left out.
with = $(if $(filter $(1),$(HAVE)),$(2))
PKG_capstone := capstone
HAS_curl := 'libcurl >= 7.62'
HAS_tracefs := 'libtracefs >= 1.3'
PKG_curl := libcurl
PKG_edit := libedit
PKG_kdumpfile := libkdumpfile
PKG_sqlite := sqlite3
PKG_tracefs := libtracefs
LIB_PKGS += $(call with,tracefs,$(PKG_tracefs))
TOOL_PKGS += $(call with,edit,$(PKG_edit)) $(call with,sqlite,$(PKG_sqlite))

# A library that is loaded when needed, not linked, by the name of the interface that its header describes.
soname = $(shell readlink -f "$$($(PKG_CONFIG) --variable=libdir $(1) 2>/dev/null)/$(or $(2),$(1)).so" \
	| sed 's|.*/||; s|\(\.so\.[0-9]*\)\..*|\1|')

# The charts of view's page. The program contains it.
# The tarball of "make dist" has it, for systems without a package of it.
ifneq ($(filter d3,$(HAVE)),)
D3 ?= $(or $(wildcard share/view/d3.min.js),/usr/share/nodejs/d3/dist/d3.min.js)
D3_LICENSE := share/view/d3-license.js
else
override D3 := share/view/without-d3.js
D3_LICENSE := /dev/null
endif

# Compiling again what was compiled before, in any clone, takes no time where there is ccache; CCACHE= does without.
CCACHE ?= $(if $(shell command -v ccache),CCACHE_NOHASHDIR=1 ccache)
# It asks the machine once, not at each use.
$(eval CCACHE := $(CCACHE))

# Without its packages a build would fail later, at a file that says nothing of them. These targets need none.
PACKLESS := clean help dist lint check-bare check-builds check-packages uninstall alternatives no-alternatives
ifneq ($(filter-out $(PACKLESS),$(or $(MAKECMDGOALS),all)),)
with_tests := $(filter tests check%,$(MAKECMDGOALS))
needed := $(LIB_PKGS) $(TOOL_PKGS) $(foreach name,$(HAVE),$(or $(HAS_$(name)),$(PKG_$(name)))) $(if $(with_tests),cmocka)
ifeq ($(shell $(PKG_CONFIG) --exists $(needed) 2>/dev/null && [ -e $(D3) ] && \
	command -v $(firstword $(CC)) >/dev/null && echo complete),)
groups := build$(if $(with_tests), check)
lacking := $(strip $(shell WITHOUT='$(WITHOUT)' scripts/deps --list $(groups)))
is_there = $(shell $(if $(PKG_$(1)),$(PKG_CONFIG) --exists $(or $(HAS_$(1)),$(PKG_$(1))) 2>/dev/null,[ -e $(D3) ]) && echo yes)
spare := $(strip $(WITHOUT) $(foreach name,$(HAVE),$(if $(call is_there,$(name)),,$(name))))
$(error packages are missing, run scripts/deps $(groups): $(or $(lacking),one of $(needed) \
	$(D3))$(if $(spare),; to build without those that can be left out: make WITHOUT='$(spare)'))
endif
ifeq ($(shell $(CC) $(CFLAGS) -dM -E - </dev/null 2>/dev/null | grep __SIZEOF_INT128__),)
$(error dktrace needs a 64-bit machine, for numbers of 128 bits; $(CC) has none)
endif
endif

Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n' $(1) $(2))

WARN := -Wall -Wextra -Wshadow -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wwrite-strings -Wundef -Wcast-align -Wpointer-arith
# gcc up to 10 warns of it also where a member is initialized by a statement expression or a compound literal.
WARN += $(if $(filter 7 8 9 10,$(firstword $(subst ., ,$(shell $(CC) -dumpversion 2>/dev/null)))),-Wno-missing-field-initializers)
# Undefined behaviour is an illegal instruction, whose place asan's handle_sigill=2 prints: with the data of
# messages the program is half as large again, and the search for leaks at each end reads them all.
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer \
	-fsanitize-undefined-trap-on-error)
# The tests start the tool thousands of times. Without relocations and without gcc's shared library of the
# sanitizer a start takes little more than half of the time.
SAN_LINK := $(if $(SAN),-no-pie $(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan))
OPT := $(if $(SAN),-O1,-O2)
BASE := -std=gnu11 -D_GNU_SOURCE -g $(OPT) $(WARN) $(SANFLAGS) -Iinclude -I.
# Calls of banned functions do not compile, but in tests.
BANNED := -include lib/base/banned.h
# A shared library exports only the functions that its header marks.
PIC := -fPIC -fvisibility=hidden
LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIB_PKGS) 2>/dev/null)
TOOL_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(TOOL_PKGS) 2>/dev/null)
# Its header does not tell its version.
LIB_CFLAGS += -DLIBTRACEEVENT_VERSION=$(shell printf %d%02d%02d $$($(PKG_CONFIG) --modversion libtraceevent 2>/dev/null | tr . ' '))
# loaded NAME,FILE: the flags for such a library.
loaded = $(call with,$(1),-DLIB$(shell echo $(1) | tr a-z A-Z)='"$(call soname,$(PKG_$(1)),$(2))"' \
	$(shell $(PKG_CONFIG) --cflags $(PKG_$(1)) 2>/dev/null))
LIB_CFLAGS += $(call loaded,kdumpfile,libkdumpfile) $(call loaded,capstone,libcapstone)
LIB_LIBS := $(shell $(PKG_CONFIG) --libs $(LIB_PKGS) 2>/dev/null)
YAML_LIBS := $(shell $(PKG_CONFIG) --libs yaml-0.1 2>/dev/null)
# Before glibc 2.34 dlopen() is in a library of its own.
LIB_LIBS += -ldl -liberty
TOOL_CFLAGS += $(call loaded,curl,libcurl) $(call with,edit,-DHAVE_LIBEDIT)
# bzip2 has no file for pkg-config on Debian 12.
TOOL_LIBS := $(shell $(PKG_CONFIG) --libs $(TOOL_PKGS) 2>/dev/null) -lbz2 -lm

# The layers between the library and the tool, and the sources of a layer.
LAYERS := compat answers recording fleet
sources = $(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c)
# Where a library is left out, without_NAME.c of a room stands for the sources that use it.
USES_curl := answers/load/curl.c answers/load/server.c ctl/archive/servers.c tests/unit/test_clickhouse.c tests/fuzz/rowbinary.c
USES_sqlite := $(filter-out %/without_sqlite.c,$(wildcard answers/sql/*.c ctl/sql/*.c)) tests/unit/test_database.c \
	tests/fuzz/answers.c
USES_tracefs := lib/synth_sql/translate.c tests/unit/test_sql.c tests/fuzz/sql.c
NOT_BUILT := $(foreach name,$(WITHOUT),$(USES_$(name))) $(foreach name,$(HAVE),$(wildcard */*/without_$(name).c))
LIB_SRC := $(filter-out $(NOT_BUILT),$(call sources,lib))
LAYERS_SRC := $(filter-out $(NOT_BUILT),$(foreach layer,$(LAYERS),$(call sources,$(layer))))
CTL_SRC := $(filter-out $(NOT_BUILT),$(call sources,ctl))
UNIT_SRC := $(filter-out $(NOT_BUILT),$(wildcard tests/unit/*.c))
FUZZ_SRC := $(filter-out $(NOT_BUILT),$(wildcard tests/fuzz/*.c))
LIVE_SRC := $(wildcard tests/live/*.c)
BENCH_SRC := $(wildcard tests/bench/*.c)
EXAMPLE_SRC := $(wildcard examples/*.c)

LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
LAYERS_OBJ := $(LAYERS_SRC:%.c=$(O)/%.o)
CTL_OBJ := $(CTL_SRC:%.c=$(O)/%.o)
UNIT_BIN := $(UNIT_SRC:%.c=$(O)/%)
FUZZ_BIN := $(FUZZ_SRC:%.c=$(O)/%)
LIVE_BIN := $(LIVE_SRC:%.c=$(O)/%)
BENCH_BIN := $(BENCH_SRC:%.c=$(O)/%)
EXAMPLE_BIN := $(EXAMPLE_SRC:%.c=$(O)/%)

UNITS := $(notdir $(wildcard share/systemd/*.service))

TEST_TOOLS := $(addprefix $(O)/tests/tools/,gen-records gen-disks gen-journal gen-perfdata gen-perfdir gen-probe-tree \
	gen-sequence cost transcribe break-out.so fake-lustre.so count-compares.so fail-calls.so fail-writes.so probe-target probe-target-O0 marker-target profile-target wall-target zone-target)
TEST_TOOLS += $(shell $(PKG_CONFIG) --exists libtracecmd 2>/dev/null && echo $(O)/tests/tools/read-tracedat)

SO := $(O)/libdktrace.so.$(VERSION)
LUSTRE_SO := $(O)/libdktrace-lustre.so.$(VERSION)
ARCHIVES := $(O)/libdktrace-lustre.a $(O)/libdktrace.a
TOOL_ARCHIVES := $(O)/libdktrace-tool.a $(ARCHIVES)
DESCRIPTIONS := $(O)/libdktrace.json $(O)/libdktrace-lustre.json

.DELETE_ON_ERROR:
.PHONY: all lib tests check check-unit check-cli check-live check-vm check-fuzz check-abi check-san \
	check-analysis check-clang check-bare check-builds check-failures check-kernels check-packages build-san build-clang abi-baseline lint bench fuzz fuzz-all fuzz-keep fuzz-targets demo install alternatives no-alternatives \
	uninstall ldconfig dist clean help FORCE

all: $(O)/dktrace $(O)/lctl lib

lib: $(SO) $(LUSTRE_SO) $(ARCHIVES) $(O)/libdktrace.pc $(O)/libdktrace-lustre.pc $(DESCRIPTIONS)

tests: $(UNIT_BIN) $(FUZZ_BIN) $(LIVE_BIN) $(EXAMPLE_BIN) $(TEST_TOOLS) $(if $(SAN),,$(O)/tests/vm/dktrace)

help:
	@echo 'all            build/dktrace, build/lctl, the libraries'
	@echo 'check          every test; check-unit -cli -live -vm -fuzz -abi -san -clang: a part'
	@echo '               T=name: the tests of that name'
	@echo 'check-analysis gcc -fanalyzer over the sources that have changed since its last run'
	@echo 'check-bare     build and test in a new minimal Debian system, by hand before a release'
	@echo 'check-packages build and try Debian packages in new systems, by hand before a release'
	@echo 'check-builds   build and test with other C libraries, compilers and machines, by hand before a release'
	@echo 'check-failures each call of the tool that can fail fails once, by hand before a release'
	@echo 'check-kernels  every VM test on all kernels that Debian installs, by hand; KERNELS="6.16 7.2": on these'
	@echo 'lint           format, shell, spelling and man page checks'
	@echo 'abi-baseline   renew the interface that check-abi compares with, after it has grown'
	@echo 'demo, bench    the two-minute tour; speed beside other tools'
	@echo 'doc/latency.svg   renew the picture of README'
	@echo 'fuzz           TARGET=name SECONDS=n: run one fuzz target with libFuzzer'
	@echo 'fuzz-all       MINUTES=n: run each of them for n minutes; fuzz-keep TARGET=name: keep what it found'
	@echo 'install        DESTDIR=, PREFIX=; uninstall, dist, clean'
	@echo 'alternatives   make the installed program lctl as well; no-alternatives: no longer'

# ---- objects: only lib/ sees lib's insides; the others the installed header, lib/base and inside.h ----

# Objects are built again if the flags change. PREFIX and the paths in it are not among them: after "make",
# "make install PREFIX=/usr" compiles nothing again.
FLAGS = $(CC) $(BASE) $(PIC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(HAVE) $(CONFDIR)
PATHS = $(PREFIX) $(LIBDIR) $(DATADIR)
quoted = '$(subst ','\'',$(1))'

$(O)/gen/flags: FORCE
	@mkdir -p $(@D)
	@echo $(call quoted,$(FLAGS)) | cmp -s - $@ || echo $(call quoted,$(FLAGS)) >$@

$(O)/gen/paths: FORCE
	@mkdir -p $(@D)
	@echo $(call quoted,$(PATHS)) | cmp -s - $@ || echo $(call quoted,$(PATHS)) >$@

FORCE:

$(LIB_OBJ) $(LAYERS_OBJ) $(CTL_OBJ): $(O)/gen/flags
$(O)/libdktrace.pc $(O)/libdktrace-lustre.pc: $(O)/gen/paths

# Where data is installed, as an object of lib.
$(O)/gen/datadir.o: $(O)/gen/paths Makefile
	$(call say,AS,$@)
	$(Q)printf '%s\n' '.section .rodata' '.globl dkt__data_dir' '.hidden dkt__data_dir' \
		'dkt__data_dir: .asciz "$(DATADIR)"' '.section .note.GNU-stack,"",%progbits' | \
		$(CC) $(filter -m%,$(CFLAGS)) -x assembler -c -o $@ -

LIB_FLAGS := $(LIB_CFLAGS) -DCONFDIR='"$(CONFDIR)"'
LAYERS_FLAGS := $(TOOL_CFLAGS) $(shell $(PKG_CONFIG) --cflags libnl-genl-3.0 2>/dev/null) \
	-DCONFDIR='"$(CONFDIR)"'
CTL_FLAGS := $(TOOL_CFLAGS) -DCONFDIR='"$(CONFDIR)"' -DD3='"$(D3)"' -DD3_LICENSE='"$(D3_LICENSE)"' -DBUILT_WITH='"$(HAVE)"' -DBUILT_WITHOUT='"$(sort $(WITHOUT))"'
TEST_FLAGS := $(LIB_CFLAGS) $(TOOL_CFLAGS)
# The flags of a source, by the directory that it is in.
flags_of = $(or $(if $(filter lib/%,$(1)),$(LIB_FLAGS)),$(if $(filter $(LAYERS:%=%/%),$(1)),$(LAYERS_FLAGS)),$(if \
	$(filter ctl/%,$(1)),$(CTL_FLAGS)),$(if $(filter tests/%,$(1)),$(TEST_FLAGS) $(if \
	$(filter tests/fuzz/%,$(1)),-DDKT_REPLAY)))

$(O)/lib/%.o: lib/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CC) $(BASE) $(BANNED) $(LIB_FLAGS) $(PIC) -MMD -MP $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(LAYERS_OBJ): $(O)/%.o: %.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CC) $(BASE) $(BANNED) $(LAYERS_FLAGS) $(PIC) -MMD -MP $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(O)/ctl/%.o: ctl/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CC) $(BASE) $(BANNED) $(CTL_FLAGS) -MMD -MP $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(O)/ctl/view/assets.o: $(wildcard share/view/*) $(D3)
$(O)/answers/load/layout.o: $(wildcard share/clickhouse/*.sql)

# ---- libraries ----

$(SO): $(LIB_OBJ) $(O)/gen/datadir.o lib/libdktrace.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANFLAGS) -Wl,-soname,libdktrace.so.$(SOVER) \
		-Wl,--version-script,lib/libdktrace.map $(if $(SAN),,-Wl,-z,defs) \
		$(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIB_LIBS)
	$(Q)ln -sf $(@F) $(O)/libdktrace.so.$(SOVER)
	$(Q)ln -sf $(@F) $(O)/libdktrace.so

$(O)/libdktrace.a: $(LIB_OBJ) $(O)/gen/datadir.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Only calls of liblustre are public; the names of all others in compat begin with dkl_.
$(O)/libdktrace-lustre.a: $(filter $(O)/compat/%,$(LAYERS_OBJ))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The layers that only the tool has.
$(O)/libdktrace-tool.a: $(filter-out $(O)/compat/%,$(LAYERS_OBJ))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The base layer and what it needs. From an archive of the whole library, the linker takes everything with -flto.
$(O)/gen/base.a: $(filter $(O)/lib/base/%,$(LIB_OBJ)) $(O)/gen/datadir.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Uses the shared libdktrace, and has a copy of its base layer, which that library hides.
$(LUSTRE_SO): $(filter $(O)/compat/liblustre/%,$(LAYERS_OBJ)) $(SO) $(O)/libdktrace-lustre.a $(O)/gen/base.a compat/liblustre/libdktrace-lustre.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(SANFLAGS) -Wl,-soname,libdktrace-lustre.so.$(SOVER) \
		-Wl,--version-script,compat/liblustre/libdktrace-lustre.map $(if $(SAN),,-Wl,-z,defs) \
		$(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(O)/libdktrace-lustre.a -L$(O) -ldktrace $(O)/gen/base.a $(YAML_LIBS)
	$(Q)ln -sf $(@F) $(O)/libdktrace-lustre.so.$(SOVER)
	$(Q)ln -sf $(@F) $(O)/libdktrace-lustre.so

# The libraries stand in the files by name: with Requires.private, pkg-config --cflags would need their packages.
$(O)/libdktrace.pc: lib/libdktrace.pc.in
$(O)/libdktrace.pc: private PRIVATE_LIBS = $(LIB_LIBS)
$(O)/libdktrace-lustre.pc: compat/liblustre/libdktrace-lustre.pc.in
$(O)/libdktrace-lustre.pc: private PRIVATE_LIBS = $(YAML_LIBS)
$(O)/libdktrace.pc $(O)/libdktrace-lustre.pc: Makefile include/dktrace/dktrace.h
	@mkdir -p $(@D)
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@LIBS@|$(PRIVATE_LIBS)|' \
		$(filter %.pc.in,$^) >$@

# The headers as data, for bindings.
$(O)/libdktrace.json: $(addprefix include/dktrace/,dktrace.h records.h recording.h measure.h)
$(O)/libdktrace-lustre.json: include/dktrace/lustre.h
$(DESCRIPTIONS): $(O)/%.json: lib/describe.py
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)lib/describe.py $*.so.$(SOVER) $(filter %.h,$^) >$@

# ---- tool: linked with the archive, so that build/dktrace runs where it stands ----

$(O)/dktrace: $(CTL_OBJ) $(TOOL_ARCHIVES)
	$(call say,LD,$@)
	$(Q)$(CC) $(SANFLAGS) $(SAN_LINK) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS) $(LIB_LIBS)

$(O)/lctl: $(O)/dktrace
	$(Q)ln -sf dktrace $@

# ---- tests ----

# The tool for virtual machines has in itself what there is as an archive. An emulated CPU spends two thirds of
# each start on the search for symbols of shared libraries. tests/deps reads which archives were opened.
found = $(filter /%,$(shell $(CC) -print-file-name=lib$(1)))
archived = $(foreach l,$(patsubst -l%,%,$(1)),$(if $(call found,$l.a),-l:lib$l.a,$(if $(call found,$l.so),-l$l)))
STATIC_LIBS = $(shell $(PKG_CONFIG) --static --libs $(LIB_PKGS) $(TOOL_PKGS) 2>/dev/null) -liberty
SYSTEM_LIBS := -lm -ldl -lpthread

$(O)/tests/vm/dktrace: $(CTL_OBJ) $(TOOL_ARCHIVES)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(filter -L%,$(STATIC_LIBS)) -Wl,--start-group \
		$(call archived,$(sort $(filter-out $(SYSTEM_LIBS),$(filter -l%,$(STATIC_LIBS))))) -Wl,--end-group $(SYSTEM_LIBS) \
		-Wl,-t,-t >$@.inputs

TEST_CC = $(CC) $(BASE) $(TEST_FLAGS) -MMD -MP $(CPPFLAGS) $(CFLAGS) \
	$(SAN_LINK) $(LDFLAGS) -o $@ $<

$(O)/tests/unit/%: tests/unit/%.c $(TOOL_ARCHIVES)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(WRAPPED) $(TOOL_ARCHIVES) $(TOOL_LIBS) $(LIB_LIBS) -lcmocka

# It lets each allocation of the library fail.
comma := ,
$(O)/tests/unit/test_api: private WRAPPED := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc \
	reallocarray strdup strndup open_memstream asprintf vasprintf)

$(O)/tests/live/%: tests/live/%.c $(TOOL_ARCHIVES)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(TOOL_ARCHIVES) $(TOOL_LIBS) $(LIB_LIBS) -lcmocka

$(O)/tests/bench/%: tests/bench/%.c $(TOOL_ARCHIVES)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(TOOL_ARCHIVES) $(TOOL_LIBS) $(LIB_LIBS)

$(O)/tests/tools/gen-%: tests/tools/gen-%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(LIB_LIBS)

$(O)/tests/tools/cost: tests/tools/cost.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(LIB_LIBS)

$(O)/tests/tools/gen-disks $(O)/tests/tools/gen-journal: $(O)/tests/tools/%: tests/tools/%.c $(TOOL_ARCHIVES)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) $(TOOL_ARCHIVES) $(TOOL_LIBS) $(LIB_LIBS)

# It starts a thousand times, so it is without sanitizers.
$(O)/tests/tools/transcribe: tests/tools/transcribe.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -g $(WARN) -o $@ $<

# The programs that tests probe are compiled without the tests' flags.
TARGET_CC = $(CC) -std=gnu11 -g -I. $(WARN) -Wno-missing-prototypes -o $@ $<

$(O)/tests/tools/profile-target $(O)/tests/tools/wall-target: TARGET_CC += -fno-omit-frame-pointer -pthread

$(O)/tests/tools/%-target: tests/tools/%-target.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TARGET_CC) -O2

$(O)/tests/tools/%-target-O0: tests/tools/%-target.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TARGET_CC) -O0

# trace-cmd's own reader, beside which files are looked at; what it leaks is not ours to find.
$(O)/tests/tools/read-tracedat: tests/tools/read-tracedat.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 $(WARN) -o $@ $< $(shell $(PKG_CONFIG) --cflags --libs libtracecmd)

# Preloaded, one does what a kernel with Lustre does, one counts, one has a full disk, and break-out.so acts as a
# parser that a file has taken over; functions of the C library stay calls in them.
$(O)/tests/tools/%.so: tests/tools/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -fno-builtin $(WARN) -fPIC -shared -o $@ $<

# The tool without its main(), for fuzz targets of what only commands do.
$(O)/libctl.a: $(filter-out $(O)/ctl/main.o,$(CTL_OBJ))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Without libFuzzer the same file replays the files that it is given.
FUZZ_LINK = $(O)/libctl.a $(TOOL_ARCHIVES)
$(O)/tests/fuzz/%: tests/fuzz/%.c $(wildcard tests/fuzz/*.h) $(FUZZ_LINK)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(TEST_CC) -DDKT_REPLAY $(FUZZ_LINK) $(TOOL_LIBS) $(LIB_LIBS)

# With what is installed and nothing else: the headers and the shared libraries.
$(O)/examples/%: examples/%.c $(SO) $(LUSTRE_SO)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) -MMD -MP $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< -L$(O) -Wl,-rpath,'$$ORIGIN/..' \
		$(if $(findstring lustre,$<),-ldktrace-lustre) -ldktrace

# tests/run has the suites side by side, and prints the sum. The longest suites, cli and live, are run once:
# with what the sanitizers see. Of cli, those tests are run again that check more without them. The virtual
# machines use what was built without sanitizers. T=name runs the tests of that name, of any suite.
only = $(if $(T),--only '$(subst ','\'',$(T))')
check: all tests
	$(Q)tests/run $(only) $(O) lint clang vm abi unit fuzz cli-plain \
		san-unit san-fuzz san-cli san-live

check-abi check-cli check-live check-vm: tests
check-unit: $(UNIT_BIN) $(TEST_TOOLS)
check-fuzz: $(FUZZ_BIN)
check-unit check-fuzz check-abi check-cli check-live check-vm: check-%: all
	$(Q)tests/run $(only) $(O) $*

# The suites that the sanitizers can check.
check-san: all
	$(Q)tests/run $(O) san-unit san-fuzz san-cli san-live

check-clang: build-clang

# check builds these beside its first tests. Nobody runs what clang compiles, so it only reads it.
build-san:
	$(Q)$(MAKE) --no-print-directory O=$(O)/san SAN=address,undefined CFLAGS=-Werror all tests

CLANG_SRC := $(LIB_SRC) $(LAYERS_SRC) $(CTL_SRC) $(UNIT_SRC) $(FUZZ_SRC) $(LIVE_SRC) $(BENCH_SRC) $(EXAMPLE_SRC)
build-clang: $(CLANG_SRC:%.c=$(O)/gen/clang/%.ok)

$(O)/gen/clang/%.ok: %.c
	$(call say,CLANG,$<)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BASE) $(if $(filter lib/% $(LAYERS:%=%/%) ctl/%,$<),$(BANNED)) $(call flags_of,$<) -Werror \
		-fsyntax-only -MMD -MP -MF $(@:.ok=.d) -MT $@ $<
	@touch $@

# It makes the system anew and installs all packages.
check-bare:
	$(Q)tests/bare $(O)

# It makes new systems of two suites of Debian.
check-packages:
	$(Q)tests/packages $(O)

# It takes cross compilers, emulators, and systems of other releases.
check-builds:
	$(Q)tests/builds $(O)

# Each call that can fail does so in one run: thousands of them.
check-failures: all $(TEST_TOOLS)
	$(Q)tests/failures $(O)

# It takes hours, and downloads what tests/vm/fetch finds.
check-kernels: all tests
	$(Q)tests/kernels $(O) $(KERNELS)

# The interface that check-abi compares with; it may only grow, see "Stability" in libdktrace(3).
abi-baseline: $(SO) $(LUSTRE_SO)
	$(call say,GEN,lib/libdktrace.abi)
	$(Q)tests/tools/abi-dump $(SO) >lib/libdktrace.abi
	$(call say,GEN,compat/liblustre/libdktrace-lustre.abi)
	$(Q)tests/tools/abi-dump $(LUSTRE_SO) >compat/liblustre/libdktrace-lustre.abi

lint:
	$(Q)tests/lint $(O)

# The targets under a fuzzer, whose main() they get: libFuzzer's, or that of FUZZ_ENGINE.
FUZZ_ENGINE ?= -fsanitize=fuzzer
fuzz-targets: $(FUZZ_SRC:tests/fuzz/%.c=$(O)/fuzz-targets/%)
$(O)/fuzz-targets/%: tests/fuzz/%.c $(wildcard tests/fuzz/*.h) $(FUZZ_LINK)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) $(TEST_FLAGS) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(FUZZ_LINK) $(FUZZ_ENGINE) \
		$(TOOL_LIBS) $(LIB_LIBS)

# One target under libFuzzer: make fuzz TARGET=expr SECONDS=600
TARGET ?= expr
SECONDS ?= 60
fuzz:
	$(Q)$(MAKE) --no-print-directory O=$(O)/fuzz CC=$(CLANG) SAN=address,undefined \
		CFLAGS=-fsanitize=fuzzer-no-link $(O)/fuzz/fuzz-targets/$(TARGET)
	@mkdir -p $(O)/fuzz/corpus/$(TARGET)
	$(Q)LSAN_OPTIONS=suppressions=tests/leaks $(O)/fuzz/fuzz-targets/$(TARGET) -artifact_prefix=$(O)/fuzz/$(TARGET)- \
		$(addprefix -dict=,$(wildcard tests/fuzz/dict/$(TARGET).dict)) -max_total_time=$(SECONDS) \
		$(O)/fuzz/corpus/$(TARGET) tests/fuzz/corpus/$(TARGET)

# Each target in turn. What it finds is in $(O)/fuzz/TARGET-crash-* and the like; inputs that reach new code are in
# $(O)/fuzz/corpus/TARGET, and make fuzz-keep TARGET=name adds the fewest that reach all of it to the corpus.
MINUTES ?= 1
fuzz-all:
	$(Q)bad=; for target in $(notdir $(FUZZ_SRC:.c=)); do \
		$(MAKE) --no-print-directory fuzz TARGET=$$target SECONDS=$$((60 * $(MINUTES))) \
			>$(O)/fuzz-$$target.log 2>&1 || bad="$$bad $$target"; \
		printf '%-16s %s\n' $$target "$$(grep -a -E 'cov: ' $(O)/fuzz-$$target.log | tail -n 1)"; done; \
		[ -z "$$bad" ] || { echo "fuzz-all: see $(O)/fuzz-NAME.log of:$$bad"; exit 1; }

fuzz-keep:
	@rm -rf $(O)/fuzz/least && mkdir -p $(O)/fuzz/least
	$(Q)$(O)/fuzz/fuzz-targets/$(TARGET) -set_cover_merge=1 -max_len=4096 $(O)/fuzz/least tests/fuzz/corpus/$(TARGET) \
		$(O)/fuzz/corpus/$(TARGET)
	$(Q)for file in $(O)/fuzz/least/*; do \
		for old in tests/fuzz/corpus/$(TARGET)/*; do ! cmp -s $$file $$old || continue 2; done; \
		cp $$file tests/fuzz/corpus/$(TARGET)/found-$$(basename $$file | cut -c 1-8); done

# gcc follows the paths through each source that has changed since the last time. It does not see that a call in another
# source returns an error, or fills what its argument points to, nor who frees what is stored in a struct of the caller:
# what it says of NULL, uninitialized and lost memory is not true here.
ANALYZED := $(LIB_SRC) $(LAYERS_SRC) $(CTL_SRC)
ANALYZE := -fanalyzer $(addprefix -Wno-analyzer-,malloc-leak null-argument null-dereference possible-null-argument \
	possible-null-dereference use-of-uninitialized-value)
check-analysis: $(ANALYZED:%.c=$(O)/gen/analyzed/%.ok)

$(O)/gen/analyzed/%.ok: %.c
	$(call say,ANALYZE,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(BASE) $(BANNED) $(call flags_of,$<) $(ANALYZE) -Werror -MMD -MP -MF $(@:.ok=.d) -MT $@ -c -o /dev/null $<
	@touch $@

bench: all $(BENCH_BIN) $(addprefix $(O)/tests/tools/,probe-target profile-target cost)
	$(Q)tests/bench/run $(O)

# The picture of README. A test compares it with what the command writes.
doc/latency.svg: $(O)/dktrace
	$(Q)DKTRACE_CLASSES=share/classes.d DKTRACE_INTERVALS=share/intervals.d TZ=UTC LC_ALL=C $(O)/dktrace latency syscall \
		--input tests/fixture/capture --style svg >$@

demo: all
	$(Q)scripts/demo $(O)

# ---- installing: never over a real lctl; lctl-dktrace is what alternatives point at ----

# The functions that a page of the library describes: "man/PAGE.3 FUNCTION" each. man finds it by both.
MAN_NAMES = awk '/^\.Sh DESCRIPTION/ { nextfile } /^\.Fn/ { print FILENAME, $$2 }' man/*.3

install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include/dktrace \
		$(DESTDIR)$(DATADIR)/classes.d $(DESTDIR)$(DATADIR)/intervals.d \
		$(DESTDIR)$(COMPDIR) $(DESTDIR)$(MANDIR)/man1 \
		$(DESTDIR)$(MANDIR)/man3 $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man7 \
		$(DESTDIR)$(MANDIR)/man8
	install -m 755 $(O)/dktrace $(DESTDIR)$(BINDIR)/dktrace
	ln -sf dktrace $(DESTDIR)$(BINDIR)/lctl-dktrace
	install -m 755 $(SO) $(LUSTRE_SO) $(DESTDIR)$(LIBDIR)/
	for lib in libdktrace libdktrace-lustre; do \
		ln -sf $$lib.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$$lib.so.$(SOVER); \
		ln -sf $$lib.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$$lib.so; done
	install -m 644 $(ARCHIVES) $(DESTDIR)$(LIBDIR)/
	install -m 644 $(O)/libdktrace.pc $(O)/libdktrace-lustre.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -m 644 include/dktrace/*.h $(DESTDIR)$(PREFIX)/include/dktrace/
	install -m 644 share/classes.d/*.yaml $(DESTDIR)$(DATADIR)/classes.d/
	install -m 644 share/intervals.d/*.yaml $(DESTDIR)$(DATADIR)/intervals.d/
	install -m 644 $(DESCRIPTIONS) $(DESTDIR)$(DATADIR)/
	install -d $(DESTDIR)$(DATADIR)/clickhouse
	install -m 644 share/clickhouse/*.sql $(DESTDIR)$(DATADIR)/clickhouse/
	install -d $(DESTDIR)$(DOCDIR)/examples
	install -m 644 $(EXAMPLE_SRC) $(DESTDIR)$(DOCDIR)/examples/
	install -m 644 share/apparmor/dktrace-daemon $(DESTDIR)$(DOCDIR)/examples/apparmor
	install -m 644 share/sudoers/dktrace $(DESTDIR)$(DOCDIR)/examples/sudoers
	install -m 644 ctl/dktrace.bash $(DESTDIR)$(COMPDIR)/dktrace
	install -d $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(UNITDIR) $(DESTDIR)$(UDEVDIR)
	install -m 644 ctl/dktrace.zsh $(DESTDIR)$(ZSHDIR)/_dktrace
	for unit in $(UNITS); do sed 's|@BINDIR@|$(BINDIR)|; s|@CONFDIR@|$(CONFDIR)|' share/systemd/$$unit \
		>$(DESTDIR)$(UNITDIR)/$$unit; done
	install -m 644 share/udev/60-dktrace.rules $(DESTDIR)$(UDEVDIR)/
	ln -sf dktrace $(DESTDIR)$(COMPDIR)/lctl-dktrace
	for n in 1 3 5 7 8; do install -m 644 man/*.$$n $(DESTDIR)$(MANDIR)/man$$n/; done
	$(MAN_NAMES) | while read -r page name; do \
		[ $$page = man/$$name.3 ] || ln -sf $${page#man/} $(DESTDIR)$(MANDIR)/man3/$$name.3; done
	@$(MAKE) -s ldconfig

# Lets the loader find new libraries, unless they are for another system.
ldconfig:
	@[ -n '$(DESTDIR)' ] || PATH=$$PATH:/sbin ldconfig || \
		echo "run 'ldconfig' as root, so that programs find the libraries in $(LIBDIR)"

# Makes this program the lctl of a directory that comes before Lustre's in PATH. A lctl that is
# there as a file stays.
ALTERNATIVES ?= update-alternatives
alternatives:
	mkdir -p $(DESTDIR)$(PREFIX)/sbin
	$(ALTERNATIVES) --install $(DESTDIR)$(PREFIX)/sbin/lctl lctl $(DESTDIR)$(BINDIR)/lctl-dktrace 20

no-alternatives:
	$(ALTERNATIVES) --remove lctl $(DESTDIR)$(BINDIR)/lctl-dktrace

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/dktrace $(DESTDIR)$(BINDIR)/lctl-dktrace $(DESTDIR)$(LIBDIR)/libdktrace.* \
		$(DESTDIR)$(LIBDIR)/libdktrace-lustre.* $(DESTDIR)$(LIBDIR)/pkgconfig/libdktrace.pc \
		$(DESTDIR)$(LIBDIR)/pkgconfig/libdktrace-lustre.pc $(DESTDIR)$(COMPDIR)/dktrace \
		$(DESTDIR)$(COMPDIR)/lctl-dktrace $(DESTDIR)$(ZSHDIR)/_dktrace $(UNITS:%=$(DESTDIR)$(UNITDIR)/%) \
		$(DESTDIR)$(UDEVDIR)/60-dktrace.rules
	rm -rf $(DESTDIR)$(PREFIX)/include/dktrace $(DESTDIR)$(DATADIR) $(DESTDIR)$(DOCDIR)
	for page in $(notdir $(wildcard man/*)); do rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; done
	$(MAN_NAMES) | while read -r page name; do rm -f $(DESTDIR)$(MANDIR)/man3/$$name.3; done

dist:
	@mkdir -p $(O)
	git archive --prefix=dktrace-$(VERSION)/share/view/ --add-file=$(D3) --prefix=dktrace-$(VERSION)/ \
		-o $(O)/dktrace-$(VERSION).tar.gz HEAD

clean:
	rm -rf $(O)

-include $(LIB_OBJ:.o=.d) $(LAYERS_OBJ:.o=.d) $(CTL_OBJ:.o=.d) $(UNIT_BIN:%=%.d) $(FUZZ_BIN:%=%.d) \
	$(LIVE_BIN:%=%.d) $(BENCH_BIN:%=%.d) $(EXAMPLE_BIN:%=%.d) $(TEST_TOOLS:%=%.d) $(CLANG_SRC:%.c=$(O)/gen/clang/%.d) \
	$(ANALYZED:%.c=$(O)/gen/analyzed/%.d)
