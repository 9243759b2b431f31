/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libbpf's calls that write types. Before its version 0.6 one has another name, and pointers cannot have marks. */
#ifndef TESTS_BTF_H
#define TESTS_BTF_H

#include <bpf/btf.h>

#if !__has_include(<bpf/libbpf_version.h>)
#define btf__raw_data                      btf__get_raw_data
#define btf__add_type_tag(btf, name, type) (type)
#endif

#endif
