/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every call, also those of lib/inside.h: X(name, nulls, call). nulls has a letter for each pointer
 * argument, which says what the call does if that is NULL: E returns -EINVAL with a message, 0
 * nothing else than without, n returns NULL, false or 0 or does nothing. call is 0, or 1 for such a
 * nothing, or the negative error.
 */
#ifndef TESTS_API_CALLS_H
#define TESTS_API_CALLS_H

#include "lib/base/buf.h"
#include "lib/inside.h"
#include "tests/helper/api_calls_more.h"

#define NOTHING 1

/* The pointer argument of that position. */
#define A(i, value) (r->null == (i) ? NULL : (value))

/* A call that gives an object, or memory, which is let go of at once. */
#define GIVES(type, let_go, call)                                                                  \
	({                                                                                         \
		type *out = NULL;                                                                  \
		int gives_err = call;                                                              \
                                                                                                   \
		let_go(out);                                                                       \
		gives_err;                                                                         \
	})

/* A call that fills a struct of the size in a header of r->age, and no byte beyond it. */
#define FILLS(type, call)                                                                          \
	({                                                                                         \
		union {                                                                            \
			struct type it;                                                            \
			uint8_t bytes[sizeof(struct type) + 8];                                    \
		} out;                                                                             \
		const size_t same = sizeof(out.it);                                                \
		const size_t sz = r->age < 0 ? 8 : r->age ? sizeof(out) : same;                    \
		int fills_err;                                                                     \
                                                                                                   \
		memset(&out, 0xa5, sizeof(out));                                                   \
		fills_err = call;                                                                  \
		for (size_t i = DKT__MIN(sz, same); i < sizeof(out) && r->null < 0; i++)           \
			if (out.bytes[i] != (i < sz ? 0 : 0xa5))                                   \
				abort();                                                           \
		fills_err;                                                                         \
	})

#define GIVES_NOT(call) ((call) ? 0 : NOTHING)
#define DOES(call)                                                                                 \
	({                                                                                         \
		call;                                                                              \
		0;                                                                                 \
	})

static inline bool api_wants(void *data, struct dkt_event *event)
{
	(void)data;
	(void)event;
	return true;
}

static inline int api_rest(void *data)
{
	(void)data;
	return 0;
}

static inline int api_marker(void *data, const struct dkt__marker *marker)
{
	(void)data;
	(void)marker;
	return 0;
}

static inline int api_function(void *data, const char *module, const char *name)
{
	(void)data;
	(void)module;
	(void)name;
	return 0;
}

static inline int api_netlink(void *data, const void *attrs, size_t len)
{
	(void)data;
	(void)attrs;
	(void)len;
	return 0;
}

static inline int api_record(void *data, const struct dkt_record *record, const char *comm,
			     struct dkt_buf *buf)
{
	(void)data;
	(void)record;
	(void)comm;
	(void)buf;
	return 0;
}

static inline DKT_PRINTF(1, 2) int api_words(const char *fmt, ...)
{
	char *words;
	va_list ap;

	va_start(ap, fmt);
	words = dkt__words(fmt, ap);
	va_end(ap);
	free(words);
	return words ? 0 : NOTHING;
}

static inline void api_keep(void *out)
{
	(void)out;
}

/* A change of everything; each time another one, as steps add up. */
static inline int api_commit(struct room *r)
{
	static const char *const only[] = { "vfs_read" };
	DKT_OPTS(dkt_tracer_opts, opts, .only = only, .n_only = 1, .optional = true);
	struct dkt_change *change;
	int err = dkt_change_new(r->in, &change);

	if (!err)
		err = dkt_change_events(change, &r->event, 1);
	if (!err)
		err = dkt_change_filter(change, r->event, "v == 1");
	if (!err)
		err = dkt_change_trigger(change, r->event, "traceoff");
	if (!err)
		err = dkt_change_tracer(change, "function", &opts);
	if (!err)
		err = dkt_change_commit(A(0, change));
	dkt_change_free(change);
	return err;
}

static const char *const api_args[] = { "ret=$retval" };

#define API_CALLS(X)                                                                               \
	/* context */                                                                              \
	X(dkt_version, "0", ({                                                                     \
		  const char *text;                                                                \
		  GIVES_NOT(dkt_version(A(0, &text)));                                             \
	  }))                                                                                      \
	X(dkt_ctx_new, "0e", GIVES(struct dkt_ctx, dkt_ctx_free, ({                                \
					   DKT_OPTS(dkt_ctx_opts, opts, .root = r->root);          \
					   dkt_ctx_new(A(0, &opts), A(1, &out));                   \
				   })))                                                            \
	X(dkt_ctx_free, "n", DOES(dkt_ctx_free(A(0, NULL))))                                       \
	X(dkt_error, "n", GIVES_NOT(*dkt_error(A(0, r->fresh))))                                   \
	X(dkt__error_take, "n", ({                                                                 \
		  char *words = dkt__error_take(A(0, r->fresh));                                   \
		  free(words);                                                                     \
		  GIVES_NOT(words);                                                                \
	  }))                                                                                      \
	X(dkt__error_give, "00", dkt__error_give(A(0, r->fresh), 0, A(1, NULL)))                   \
	X(dkt_fail, "0", dkt_fail(A(0, r->fresh), -EIO, "%d", 1))                                  \
	X(dkt__fail_in, "0", dkt__fail_in(A(0, r->fresh), -EIO, "%d", 1))                          \
	X(dkt__log, "n", DOES(dkt__log(A(0, r->fresh), DKT_LOG_INFO, "%d", 1)))                    \
	X(dkt__progress, "nn", DOES(dkt__progress(A(0, r->fresh), A(1, "events"), 1, 1)))          \
	/* tracefs, capabilities */                                                                \
	X(dkt_tracefs_open, "E", dkt_tracefs_open(A(0, r->fresh), 0))                              \
	X(dkt_tracefs_dir, "n", GIVES_NOT(*dkt_tracefs_dir(A(0, r->ctx))))                         \
	X(dkt_feature_get, "EE",                                                                   \
	  FILLS(dkt_feature, dkt_feature_get(A(0, r->fresh), 1, A(1, &out.it), sz)))               \
	X(dkt_caps_check, "E", dkt_caps_check(A(0, r->fresh), DKT_NEED_CONTROL))                   \
	X(dkt__caps_limit, "E", dkt__caps_limit(A(0, r->fresh), 1u << 30))                         \
	X(dkt__caps_lower, "E", ({                                                                 \
		  int err = dkt__caps_lower(A(0, r->fresh), DKT__LOWER_ALL);                       \
		  dkt__caps_raise(r->fresh);                                                       \
		  err;                                                                             \
	  }))                                                                                      \
	X(dkt__caps_raise, "E", dkt__caps_raise(A(0, r->fresh)))                                   \
	X(dkt__caps_get, "EE",                                                                     \
	  FILLS(dkt__cap, dkt__caps_get(A(0, r->fresh), 0, A(1, &out.it), sz)))                    \
	/* instances */                                                                            \
	X(dkt__instance_check_name, "E0", dkt__instance_check_name(A(0, r->fresh), A(1, "i")))     \
	X(dkt_instance_open, "E00E",                                                               \
	  GIVES(struct dkt_instance, dkt_instance_close, ({                                        \
			DKT_OPTS(dkt_instance_opts, opts, .spool = r->spool);                      \
			dkt_instance_open(A(0, r->fresh), A(1, "i"), A(2, &opts), A(3, &out));     \
		})))                                                                               \
	X(dkt_instance_close, "n", DOES(dkt_instance_close(A(0, NULL))))                           \
	X(dkt__instance_is_new, "n", GIVES_NOT(dkt__instance_is_new(A(0, r->in))))                 \
	X(dkt_instance_name, "n", GIVES_NOT(dkt_instance_name(A(0, r->in))))                       \
	X(dkt_instance_remove, "EE", dkt_instance_remove(A(0, r->fresh), A(1, "none")))            \
	X(dkt_instance_n_cpus, "n", GIVES_NOT(dkt_instance_n_cpus(A(0, r->in))))                   \
	X(dkt_instance_info, "EE",                                                                 \
	  FILLS(dkt_instance_info, dkt_instance_info(A(0, r->in), A(1, &out.it), sz)))             \
	X(dkt__instance_get_size, "EE", ({                                                         \
		  uint64_t bytes;                                                                  \
		  dkt__instance_get_size(A(0, r->in), A(1, &bytes));                               \
	  }))                                                                                      \
	X(dkt_instance_set_size, "E", dkt_instance_set_size(A(0, r->in), 4096))                    \
	X(dkt__instance_get_clock, "EE",                                                           \
	  GIVES(char, free, dkt__instance_get_clock(A(0, r->in), A(1, &out))))                     \
	X(dkt_instance_set_clock, "EE", dkt_instance_set_clock(A(0, r->in), A(1, "mono")))         \
	X(dkt__instance_get_wall, "EE", ({                                                         \
		  int64_t offset;                                                                  \
		  dkt__instance_get_wall(A(0, r->in), A(1, &offset));                              \
	  }))                                                                                      \
	X(dkt_instance_get_now, "EE", ({                                                           \
		  uint64_t now;                                                                    \
		  dkt_instance_get_now(A(0, r->in), A(1, &now));                                   \
	  }))                                                                                      \
	X(dkt__instance_set_skipped_pids, "EE", ({                                                 \
		  pid_t pid = 1;                                                                   \
		  dkt__instance_set_skipped_pids(A(0, r->in), A(1, &pid), 1);                      \
	  }))                                                                                      \
	X(dkt__instance_get_pids, "EEEE",                                                          \
	  GIVES(pid_t, free, ({                                                                    \
			bool children;                                                             \
			size_t n;                                                                  \
			dkt__instance_get_pids(A(0, r->in), A(1, &out), A(2, &n),                  \
					       A(3, &children));                                   \
		})))                                                                               \
	X(dkt__instance_get_cpus, "EE",                                                            \
	  GIVES(char, free, dkt__instance_get_cpus(A(0, r->in), A(1, &out))))                      \
	X(dkt_instance_set_option, "EE",                                                           \
	  dkt_instance_set_option(A(0, r->in), A(1, "stacktrace"), true))                          \
	X(dkt__instance_get_on, "EE", ({                                                           \
		  bool on;                                                                         \
		  dkt__instance_get_on(A(0, r->in), A(1, &on));                                    \
	  }))                                                                                      \
	X(dkt_instance_set_on, "E", dkt_instance_set_on(A(0, r->in), true))                        \
	X(dkt_instance_clear, "E", dkt_instance_clear(A(0, r->spooled)))                           \
	X(dkt__instance_snapshot_get, "EE", ({                                                     \
		  enum dkt__snapshot_state state;                                                  \
		  dkt__instance_snapshot_get(A(0, r->in), A(1, &state));                           \
	  }))                                                                                      \
	X(dkt_instance_snapshot_take, "E", dkt_instance_snapshot_take(A(0, r->in)))                \
	X(dkt_instance_snapshot_free, "E", dkt_instance_snapshot_free(A(0, r->in)))                \
	X(dkt__instance_last_boot_find, "EE",                                                      \
	  GIVES(char, free, dkt__instance_last_boot_find(A(0, r->fresh), A(1, &out))))             \
	X(dkt__instance_last_boot_get, "EE",                                                       \
	  FILLS(dkt__boot_before, dkt__instance_last_boot_get(A(0, r->in), A(1, &out.it), sz)))    \
	X(dkt__instance_last_boot_mark, "E", dkt__instance_last_boot_mark(A(0, r->in)))            \
	X(dkt__instance_last_boot_clear, "E", dkt__instance_last_boot_clear(A(0, r->in)))          \
	X(dkt_instance_mark, "EE", dkt_instance_mark(A(0, r->in), A(1, "text")))                   \
	X(dkt_instance_get_stats, "EE",                                                            \
	  FILLS(dkt_cpu_stats, dkt_instance_get_stats(A(0, r->in), 0, A(1, &out.it), sz)))         \
	X(dkt_instance_get_events, "EEE",                                                          \
	  GIVES(struct dkt_event *, free, ({                                                       \
			size_t n;                                                                  \
			dkt_instance_get_events(A(0, r->in), A(1, &out), A(2, &n));                \
		})))                                                                               \
	X(dkt_instance_get_filter, "EEE",                                                          \
	  GIVES(char, free, dkt_instance_get_filter(A(0, r->in), A(1, r->event), A(2, &out))))     \
	X(dkt__instance_try_filter, "EE", dkt__instance_try_filter(A(0, r->in), A(1, "v == 1")))   \
	X(dkt_instance_own, "EEE",                                                                 \
	  GIVES(struct dkt_instance, dkt_instance_close,                                           \
		dkt_instance_own(A(0, r->fresh), A(1, "own"), A(2, &out))))                        \
	X(dkt_instance_own_group, "EEE",                                                           \
	  GIVES(char, free, dkt_instance_own_group(A(0, r->fresh), A(1, "own"), A(2, &out))))      \
	X(dkt__instance_sweep, "EE0", ({                                                           \
		  size_t n;                                                                        \
		  dkt__instance_sweep(A(0, r->fresh), A(1, "own"), A(2, &n));                      \
	  }))                                                                                      \
	X(dkt__instance_names_to_sweep, "EEE",                                                     \
	  GIVES(char, free,                                                                        \
		dkt__instance_names_to_sweep(A(0, r->fresh), A(1, "own"), A(2, &out))))            \
	X(dkt__instance_run_stopped, "EE0",                                                        \
	  dkt__instance_run_stopped(A(0, r->spooled), A(1, api_rest), A(2, r)))                    \
	X(dkt__instance_retire_events, "EE0",                                                      \
	  dkt__instance_retire_events(A(0, r->spooled), A(1, &r->event), 1))                       \
	X(dkt__instance_start_stopped, "E", dkt__instance_start_stopped(A(0, r->spooled)))         \
	X(dkt__spool_bytes, "EE", ({                                                               \
		  uint64_t bytes;                                                                  \
		  dkt__spool_bytes(A(0, r->spooled), A(1, &bytes));                                \
	  }))                                                                                      \
	X(dkt__spool_return, "EE", dkt__spool_return(A(0, r->fresh), A(1, r->spool)))              \
	/* events */                                                                               \
	X(dkt_events, "EEE", ({                                                                    \
		  struct dkt_event *const *events;                                                 \
		  size_t n;                                                                        \
		  dkt_events(A(0, r->fresh), A(1, &events), A(2, &n));                             \
	  }))                                                                                      \
	X(dkt_event_find, "nnn",                                                                   \
	  GIVES_NOT(dkt_event_find(A(0, r->fresh), A(1, "made"), A(2, "up"))))                     \
	X(dkt__event_by_id, "n", GIVES_NOT(dkt__event_by_id(A(0, r->fresh), 7)))                   \
	X(dkt__event_define, "EEEEE",                                                              \
	  GIVES(struct dkt_event, api_keep,                                                        \
		dkt__event_define(A(0, r->fresh), A(1, "own"), A(2, "own"), A(3, API_FORMAT),      \
				  A(4, &out))))                                                    \
	X(dkt_event_system, "n", GIVES_NOT(dkt_event_system(A(0, r->event))))                      \
	X(dkt_event_name, "n", GIVES_NOT(dkt_event_name(A(0, r->event))))                          \
	X(dkt__event_index, "n", GIVES_NOT(dkt__event_index(A(0, r->event))))                      \
	X(dkt_event_id, "E", api_error(dkt_event_id(A(0, r->event))))                              \
	X(dkt_event_fields, "EEE", ({                                                              \
		  const struct dkt_field *const *fields;                                           \
		  size_t n;                                                                        \
		  dkt_event_fields(A(0, r->event), A(1, &fields), A(2, &n));                       \
	  }))                                                                                      \
	X(dkt_event_field, "nn", GIVES_NOT(dkt_event_field(A(0, r->event), A(1, "v"))))            \
	X(dkt__event_print_format, "n", GIVES_NOT(dkt__event_print_format(A(0, r->event))))        \
	X(dkt_events_forget, "n", DOES(dkt_events_forget(A(0, r->fresh))))                         \
	/* probes, triggers */                                                                     \
	X(dkt_probe_define, "EEE0E",                                                               \
	  GIVES(struct dkt_probes, dkt_probes_free,                                                \
		dkt_probe_define(A(0, r->fresh), A(1, "vfs_read%return"), A(2, api_args), 1,       \
				 A(3, NULL), A(4, &out))))                                         \
	X(dkt_probe_create, "EE",                                                                  \
	  dkt_probe_create(A(0, r->fresh), A(1, dkt_probes_at(r->probes, 0))))                     \
	X(dkt__probe_add_place, "EE",                                                              \
	  dkt__probe_add_place(A(0, r->fresh), A(1, dkt_probes_at(r->probes, 0))))                 \
	X(dkt__probe_refused, "EE",                                                                \
	  dkt__probe_refused(A(0, r->fresh), A(1, dkt_probes_at(r->probes, 0)),                    \
			     dkt_fail(r->fresh, -EIO, "refused")))                                 \
	X(dkt_probe_remove, "EEE", dkt_probe_remove(A(0, r->fresh), A(1, "own"), A(2, "two")))     \
	X(dkt_probes_read, "EE",                                                                   \
	  GIVES(struct dkt_probes, dkt_probes_free, dkt_probes_read(A(0, r->fresh), A(1, &out))))  \
	X(dkt_probes_free, "n", DOES(dkt_probes_free(A(0, NULL))))                                 \
	X(dkt_probes_at, "n", GIVES_NOT(dkt_probes_at(A(0, r->probes), 0)))                        \
	X(dkt__probes_find, "nnn",                                                                 \
	  GIVES_NOT(dkt__probes_find(A(0, r->probes), A(1, "own"), A(2, "two"))))                  \
	X(dkt__probe_text, "EEE",                                                                  \
	  GIVES(char, free,                                                                        \
		dkt__probe_text(A(0, r->fresh), A(1, dkt_probes_at(r->probes, 0)), A(2, &out))))   \
	X(dkt__probe_from_text, "EEE",                                                             \
	  GIVES(struct dkt_probes, dkt_probes_free,                                                \
		dkt__probe_from_text(A(0, r->fresh), A(1, "p:a/b vfs_read"), A(2, &out))))         \
	X(dkt__probe_same, "nn",                                                                   \
	  GIVES_NOT(dkt__probe_same(A(0, dkt_probes_at(r->probes, 0)),                             \
				    A(1, dkt_probes_at(r->probes, 0)))))                           \
	X(dkt__markers, "EEE0",                                                                    \
	  dkt__markers(A(0, r->fresh), A(1, "/bin/true"), A(2, api_marker), A(3, r)))              \
	X(dkt__kernel_functions, "EEE0",                                                           \
	  dkt__kernel_functions(A(0, r->fresh), A(1, "vfs_re"), A(2, api_function), A(3, r)))      \
	X(dkt__trigger_parse, "EEE",                                                               \
	  GIVES(struct dkt_trigger, free,                                                          \
		dkt__trigger_parse(A(0, r->fresh), A(1, "traceoff"), A(2, &out))))                 \
	X(dkt__trigger_same, "nn",                                                                 \
	  GIVES_NOT(dkt__trigger_same(A(0, r->trigger), A(1, r->trigger))))                        \
	X(dkt_instance_get_triggers, "EEEE",                                                       \
	  GIVES(struct dkt_trigger *, free, ({                                                     \
			size_t n;                                                                  \
			dkt_instance_get_triggers(A(0, r->in), A(1, r->event), A(2, &out),         \
						  A(3, &n));                                       \
		})))                                                                               \
	X(dkt__instance_check_trigger, "EEE",                                                      \
	  dkt__instance_check_trigger(A(0, r->in), A(1, r->event), A(2, "traceoff")))              \
	/* changes */                                                                              \
	X(dkt_change_new, "EE",                                                                    \
	  GIVES(struct dkt_change, dkt_change_free, dkt_change_new(A(0, r->in), A(1, &out))))      \
	X(dkt_change_free, "n", DOES(dkt_change_free(A(0, NULL))))                                 \
	X(dkt_change_events, "EE", dkt_change_events(A(0, r->change), A(1, &r->event), 1))         \
	X(dkt_change_filter, "EEE",                                                                \
	  dkt_change_filter(A(0, r->change), A(1, r->event), A(2, "v == 1")))                      \
	X(dkt_change_trigger, "EEE",                                                               \
	  dkt_change_trigger(A(0, r->change), A(1, r->event), A(2, "traceoff")))                   \
	X(dkt_change_no_trigger, "EEE",                                                            \
	  dkt_change_no_trigger(A(0, r->change), A(1, r->event), A(2, "traceoff")))                \
	X(dkt_change_pids, "EE", ({                                                                \
		  pid_t pid = 1;                                                                   \
		  dkt_change_pids(A(0, r->change), A(1, &pid), 1, false);                          \
	  }))                                                                                      \
	X(dkt_change_cpus, "E0", dkt_change_cpus(A(0, r->change), A(1, "0")))                      \
	X(dkt_change_user_data, "E", dkt_change_user_data(A(0, r->change), 0))                     \
	X(dkt_change_tracer, "E00", ({                                                             \
		  DKT_OPTS(dkt_tracer_opts, opts);                                                 \
		  dkt_change_tracer(A(0, r->change), A(1, "function"), A(2, &opts));               \
	  }))                                                                                      \
	X(dkt_change_commit, "E", api_commit(r))                                                   \
	X(dkt_change_refused, "n", GIVES_NOT(dkt_change_refused(A(0, r->change))))                 \
	X(dkt__instance_borrows_top, "n", GIVES_NOT(dkt__instance_borrows_top(A(0, r->spooled))))  \
	/* records */                                                                              \
	X(dkt_record_int, "nn", GIVES_NOT(dkt_record_int(A(0, &r->record), A(1, r->field))))       \
	X(dkt_record_bytes, "nn0", ({                                                              \
		  size_t len;                                                                      \
		  GIVES_NOT(dkt_record_bytes(A(0, &r->record), A(1, r->field), A(2, &len)));       \
	  }))                                                                                      \
	X(dkt_record_stack, "ee", ({                                                               \
		  struct dkt_record stack;                                                         \
		  dkt_record_stack(A(0, &r->record), 0, A(1, &stack));                             \
	  }))                                                                                      \
	X(dkt_record_text, "nn", DOES(dkt_record_text(A(0, &r->record), A(1, r->buf))))            \
	X(dkt__record_line, "nn", DOES(dkt__record_line(A(0, &r->record), A(1, r->buf))))          \
	API_CALLS_MORE(X)

#endif
