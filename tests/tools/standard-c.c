/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options as a program of plain C or C++ declares them; tests/abi compiles it. */
#include <dktrace/dktrace.h>

int count_options(void);

int count_options(void)
{
	DKT_OPTS(dkt_ctx_opts, none);
#ifdef __cplusplus
	DKT_OPTS(dkt_ctx_opts, some);
	some.root = "/";
#else
	DKT_OPTS(dkt_ctx_opts, some, .root = "/", .log = NULL);
#endif

	return !none.root + !!some.root;
}
