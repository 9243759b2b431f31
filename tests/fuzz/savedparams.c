/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzzes the reading of saved parameters of Lustre. */
#include <stdlib.h>
#include <string.h>

#include "compat/lustre_log/saved_params.h"
#include "tests/fuzz/replay.h"

static int take(void *data, const struct saved_param *param)
{
	size_t *left = data;
	size_t used = strlen(param->name) + strlen(param->value);

	must(*param->name && used <= *left);
	*left -= used;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	size_t left = size;

	must(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	must(!dkl_saved_params_text(text, take, &left));
	free(text);
	return 0;
}
