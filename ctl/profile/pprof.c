/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a profile for pprof: https://github.com/google/pprof/blob/main/proto/profile.proto */
#include <zlib.h>

#include "ctl/profile/profile.h"
#include "lib/base/proto.h"
#include "lib/base/when.h"

/* The numbers of the fields. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STRING = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3 };

struct pprof {
	const struct profile *profile;
	struct dkt_buf *buf;
	struct dkt__intern strings; /* number 0 is "" */
	struct dkt_buf numbers; /* of a list that is written as one field */
	bool *mapped; /* by string: it is the file of a mapping */
	size_t n_mapped;
	bool no_memory;
};

static uint64_t string_of(struct pprof *pprof, const char *text)
{
	const uint32_t number = dkt__intern(&pprof->strings, text, (uint32_t)strlen(text));

	pprof->no_memory |= number == UINT32_MAX;
	return pprof->no_memory ? 0 : number;
}

static void put_type(struct pprof *pprof, uint32_t field, const char *type, const char *unit)
{
	const uint64_t type_number = string_of(pprof, type), unit_number = string_of(pprof, unit);
	const size_t at = dkt__proto_open(pprof->buf, field);

	dkt__proto_uint(pprof->buf, TYPE_TYPE, type_number);
	dkt__proto_uint(pprof->buf, TYPE_UNIT, unit_number);
	dkt__proto_close(pprof->buf, at);
}

/* ---- functions: each is a location, too, since its addresses are not kept ---- */

/* Returns the number of the mapping of a library, a module or the kernel; 0: that is not known. */
static uint64_t mapping_of(struct pprof *pprof, const char *where)
{
	const uint64_t file = *where ? string_of(pprof, where) : 0;
	bool *mapped = dkt__reach(pprof->mapped, pprof->n_mapped, file);
	size_t at;

	pprof->no_memory |= !mapped;
	if (!file || !mapped || *mapped)
		return file;
	*mapped = true;
	at = dkt__proto_open(pprof->buf, PROFILE_MAPPING);
	dkt__proto_uint(pprof->buf, MAPPING_ID, file);
	dkt__proto_uint(pprof->buf, MAPPING_FILE, file);
	dkt__proto_uint(pprof->buf, MAPPING_HAS_FUNCTIONS, true);
	dkt__proto_close(pprof->buf, at);
	return file;
}

static void put_function(struct pprof *pprof, uint32_t number)
{
	const struct profile_names *names = &pprof->profile->names;
	const uint64_t id = (uint64_t)number + 1;
	const uint64_t name = string_of(pprof, profile_names_text(names, number));
	const uint64_t mapping = mapping_of(pprof, profile_names_where(names, number));
	size_t at = dkt__proto_open(pprof->buf, PROFILE_LOCATION), line;

	dkt__proto_uint(pprof->buf, LOCATION_ID, id);
	if (mapping)
		dkt__proto_uint(pprof->buf, LOCATION_MAPPING, mapping);
	line = dkt__proto_open(pprof->buf, LOCATION_LINE);
	dkt__proto_uint(pprof->buf, LINE_FUNCTION, id);
	dkt__proto_close(pprof->buf, line);
	dkt__proto_close(pprof->buf, at);
	at = dkt__proto_open(pprof->buf, PROFILE_FUNCTION);
	dkt__proto_uint(pprof->buf, FUNCTION_ID, id);
	dkt__proto_uint(pprof->buf, FUNCTION_NAME, name);
	dkt__proto_uint(pprof->buf, FUNCTION_SYSTEM_NAME, name);
	dkt__proto_close(pprof->buf, at);
}

static void put_functions(struct pprof *pprof)
{
	const struct profile_names *names = &pprof->profile->names;

	for (uint32_t i = 0; i < names->n; i++)
		if (!profile_kind_groups(names->list[i].kind))
			put_function(pprof, i);
}

/* ---- samples ---- */

static void add_number(struct pprof *pprof, uint64_t number)
{
	char *p = dkt__buf_room(&pprof->numbers, 10);

	if (p)
		pprof->numbers.len = (size_t)(dkt__proto_put(p, number) - pprof->numbers.data);
}

static void put_numbers(struct pprof *pprof, uint32_t field)
{
	dkt__proto_bytes(pprof->buf, field, pprof->numbers.data, pprof->numbers.len);
	pprof->no_memory |= pprof->numbers.err != 0;
	dkt_buf_reset(&pprof->numbers);
}

/* The key of what stacks are grouped by, for the i-th group from the root. */
static const char *key_of(unsigned int by, uint32_t i)
{
	static const char *const keys[] = { "event", "comm", "tid", "cpu", "state" };

	for (size_t bit = 0; bit < ARRAY_SIZE(keys); bit++)
		if (by >> bit & 1 && !i--)
			return keys[bit];
	return "group";
}

static void put_label(struct pprof *pprof, uint32_t node)
{
	const struct profile *profile = pprof->profile;
	const uint32_t depth = profile_tree_depth(&profile->tree, node);
	const uint64_t key = string_of(pprof, key_of(profile->opts.by, depth - 1));
	const uint64_t text = string_of(pprof, profile_names_text(&profile->names,
								  profile->tree.nodes[node].name));
	const size_t at = dkt__proto_open(pprof->buf, SAMPLE_LABEL);

	dkt__proto_uint(pprof->buf, LABEL_KEY, key);
	dkt__proto_uint(pprof->buf, LABEL_STRING, text);
	dkt__proto_close(pprof->buf, at);
}

static void put_sample(struct pprof *pprof, uint32_t node)
{
	const struct profile *profile = pprof->profile;
	const struct profile_node *nodes = profile->tree.nodes;
	const struct profile_value *self = &nodes[node].self[PROFILE_NOW];
	const size_t at = dkt__proto_open(pprof->buf, PROFILE_SAMPLE);

	for (; node && !profile_kind_groups(profile->names.list[nodes[node].name].kind);
	     node = nodes[node].parent)
		add_number(pprof, (uint64_t)nodes[node].name + 1);
	put_numbers(pprof, SAMPLE_LOCATION);
	add_number(pprof, self->samples);
	if (profile->weighs)
		add_number(pprof, self->weight);
	put_numbers(pprof, SAMPLE_VALUE);
	for (; node; node = nodes[node].parent)
		put_label(pprof, node);
	dkt__proto_close(pprof->buf, at);
}

/* ---- the whole ---- */

static void put_times(struct pprof *pprof, const struct profile_view *view)
{
	const struct profile_facts *facts = &pprof->profile->facts[PROFILE_NOW];

	if (view->info->has_wall)
		dkt__proto_uint(pprof->buf, PROFILE_TIME,
				(uint64_t)dkt__wall_time(facts->first, view->info->wall));
	dkt__proto_uint(pprof->buf, PROFILE_DURATION, facts->last - facts->first);
}

static void put_profile(struct pprof *pprof, const struct profile_view *view)
{
	const struct profile *profile = pprof->profile;
	const char *unit = profile->is_time ? "nanoseconds" : "count";
	const char *type = profile->is_time ? "cpu" : profile_unit(profile);

	string_of(pprof, "");
	put_type(pprof, PROFILE_SAMPLE_TYPE, "samples", "count");
	if (profile->weighs)
		put_type(pprof, PROFILE_SAMPLE_TYPE, type, unit);
	for (uint32_t i = 0; i < profile->tree.n; i++)
		if (profile->tree.nodes[i].self[PROFILE_NOW].samples)
			put_sample(pprof, i);
	put_functions(pprof);
	put_times(pprof, view);
	put_type(pprof, PROFILE_PERIOD_TYPE, type, unit);
	dkt__proto_uint(pprof->buf, PROFILE_COMMENT, string_of(pprof, view->path));
	dkt__proto_uint(pprof->buf, PROFILE_DEFAULT_TYPE,
			string_of(pprof, profile->weighs ? type : "samples"));
	for (uint32_t i = 0; i < pprof->strings.n; i++) {
		uint32_t len;
		const char *text = dkt__interned(&pprof->strings, i, &len);

		dkt__proto_utf8(pprof->buf, PROFILE_STRING, text, len);
	}
}

/* Compresses as gzip does, which all readers of these files expect. */
static int put_packed(const char *bytes, size_t n, FILE *f)
{
	z_stream z = { .next_in = (Bytef *)bytes, .avail_in = (uInt)n };
	const int gzip = 16;
	Bytef out[1 << 14];
	int rc = n > UINT32_MAX ? Z_MEM_ERROR :
				  deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
					       MAX_WBITS + gzip, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY);

	if (rc != Z_OK)
		return -ENOMEM;
	while (rc == Z_OK) {
		z.next_out = out;
		z.avail_out = sizeof(out);
		rc = deflate(&z, Z_FINISH);
		fwrite(out, 1, sizeof(out) - z.avail_out, f);
	}
	deflateEnd(&z);
	return rc == Z_STREAM_END ? 0 : -ENOMEM;
}

int profile_write_pprof(const struct profile_view *view, FILE *f)
{
	struct pprof pprof = { .profile = view->profile };
	int err = dkt_buf_new(&pprof.buf);
	const char *bytes;
	size_t n;

	if (!err)
		put_profile(&pprof, view);
	if (!err)
		err = pprof.no_memory ? -ENOMEM : dkt_buf_error(pprof.buf);
	if (!err) {
		bytes = dkt_buf_data(pprof.buf, &n);
		err = put_packed(bytes, n, f);
	}
	free(pprof.numbers.data);
	free(pprof.mapped);
	dkt__intern_clear(&pprof.strings);
	dkt_buf_free(pprof.buf);
	return err;
}
