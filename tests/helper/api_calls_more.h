/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Public calls that work on records: sources, trace.dat, expressions, histograms, pairs, styles, text. */
#ifndef TESTS_API_CALLS_MORE_H
#define TESTS_API_CALLS_MORE_H

#include "lib/base/buf.h"
#include "lib/inside.h"
#include "tests/helper/api_room.h"

static const struct dkt_interval api_interval = { .name = "x",
						  .begin = "made:up",
						  .end = "made:up" };

#define API_CALLS_MORE(X)                                                                          \
	/* sources */                                                                              \
	X(dkt_source_open, "EE0E",                                                                 \
	  GIVES(struct dkt_source, dkt_source_close,                                               \
		dkt_source_open(A(0, r->fresh), A(1, api_saved_text(r)), A(2, NULL), A(3, &out)))) \
	X(dkt_source_close, "n", DOES(dkt_source_close(A(0, NULL))))                               \
	X(dkt_source_info, "n", GIVES_NOT(dkt_source_info(A(0, r->source))))                       \
	X(dkt_source_next, "EE", ({                                                                \
		  struct dkt_record record;                                                        \
		  dkt_source_next(A(0, r->source), A(1, &record));                                 \
	  }))                                                                                      \
	X(dkt_source_comm, "nn", GIVES_NOT(dkt_source_comm(A(0, r->source), A(1, &r->record))))    \
	X(dkt_source_get_loss, "EE",                                                               \
	  FILLS(dkt_loss, dkt_source_get_loss(A(0, r->live), 0, A(1, &out.it), sz)))               \
	X(dkt_source_stream, "n", GIVES_NOT(dkt_source_stream(A(0, r->source), 0)))                \
	X(dkt__source_peer, "EE",                                                                  \
	  FILLS(dkt__source_peer, dkt__source_peer(A(0, r->source), 0, A(1, &out.it), sz)))        \
	X(dkt__source_clock, "EE",                                                                 \
	  FILLS(dkt_source_clock, dkt__source_clock(A(0, r->source), 0, A(1, &out.it), sz)))       \
	X(dkt__source_disk, "n", ({                                                                \
		  dkt__source_disk(A(0, r->source), 0, 1);                                         \
		  0;                                                                               \
	  }))                                                                                      \
	X(dkt__source_disk_at, "EE",                                                               \
	  FILLS(dkt__source_disk, dkt__source_disk_at(A(0, r->live), 0, 0, A(1, &out.it), sz)))    \
	X(dkt_source_seek, "E", dkt_source_seek(A(0, r->source), 1, 2))                            \
	X(dkt__source_slice, "EE", ({                                                              \
		  uint64_t to;                                                                     \
		  dkt__source_slice(A(0, r->source), 0, 4096, A(1, &to));                          \
	  }))                                                                                      \
	X(dkt_source_select, "EE0", dkt_source_select(A(0, r->live), A(1, api_wants), A(2, r)))    \
	X(dkt__source_filter, "EE", dkt__source_filter(A(0, r->live), A(1, r->expr)))              \
	X(dkt__source_get_bytes, "EEE", ({                                                         \
		  uint64_t done, of;                                                               \
		  dkt__source_get_bytes(A(0, r->source), A(1, &done), A(2, &of));                  \
	  }))                                                                                      \
	X(dkt_source_merge, "ee",                                                                  \
	  GIVES(struct dkt_source, dkt_source_close, ({                                            \
			struct dkt_merge_part part = { .sz = sizeof(part),                         \
						       .source = r->source,                        \
						       .name = "one" };                            \
			dkt_source_merge(A(0, &part), 1, A(1, &out));                              \
		})))                                                                               \
	X(dkt__source_series, "EE0EE",                                                             \
	  GIVES(struct dkt_source, dkt_source_close, ({                                            \
			const struct dkt__series_item file = {                                     \
				.sz = sizeof(file), .path = "tests/fuzz/corpus/tracedat/v7"        \
			};                                                                         \
			size_t taken;                                                              \
			dkt__source_series(A(0, r->fresh), A(1, &file), 1, A(2, NULL),             \
					   A(3, &taken), A(4, &out));                              \
		})))                                                                               \
	X(dkt_source_pipe, "E0EE",                                                                 \
	  GIVES(struct dkt_source, dkt_source_close, ({                                            \
			int err, rest;                                                             \
			int fd = open("tests/fuzz/corpus/journal/whole", O_RDONLY);                \
			err = dkt_source_pipe(A(0, r->fresh), fd, A(1, NULL), A(2, &rest),         \
					      A(3, &out));                                         \
			close(fd);                                                                 \
			err;                                                                       \
		})))                                                                               \
	X(dkt__source_make, "EE000E",                                                              \
	  GIVES(struct dkt_source, dkt_source_close, ({                                            \
			DKT_OPTS(dkt__source_calls, calls, .next = api_no_more);                   \
			dkt__source_make(A(0, r->fresh), A(1, &calls), A(2, NULL), A(3, NULL),     \
					 A(4, NULL), A(5, &out));                                  \
		})))                                                                               \
	X(dkt_source_live, "E0E",                                                                  \
	  GIVES(struct dkt_source, dkt_source_close, ({                                            \
			DKT_OPTS(dkt_live_opts, opts, .flags = DKT_LIVE_FOLLOW);                   \
			dkt_source_live(A(0, r->spooled), A(1, &opts), A(2, &out));                \
		})))                                                                               \
	X(dkt_source_wait, "E", dkt_source_wait(A(0, r->live), 0))                                 \
	X(dkt_source_fd, "E", api_error(dkt_source_fd(A(0, r->live))))                             \
	X(dkt__source_wake, "E", dkt__source_wake(A(0, r->live)))                                  \
	X(dkt_source_done, "E", dkt_source_done(A(0, r->live)))                                    \
	/* trace.dat */                                                                            \
	X(dkt_tracedat_new, "EE0E",                                                                \
	  GIVES(struct dkt_tracedat, dkt_tracedat_free,                                            \
		dkt_tracedat_new(A(0, r->ctx), A(1, r->source), r->fd, A(2, NULL), A(3, &out))))   \
	X(dkt_tracedat_add, "EE", dkt_tracedat_add(A(0, r->tracedat), A(1, &r->record)))           \
	X(dkt_tracedat_finish, "E", ({                                                             \
		  dkt_tracedat_add(r->tracedat, &r->record);                                       \
		  dkt_tracedat_finish(A(0, r->tracedat));                                          \
	  }))                                                                                      \
	X(dkt_tracedat_free, "n", DOES(dkt_tracedat_free(A(0, NULL))))                             \
	X(dkt__tracedat_seal, "E000",                                                              \
	  api_error(dkt__tracedat_seal(A(0, r->ctx), r->journal, r->fd, A(3, NULL))))              \
	/* recordings */                                                                           \
	X(dkt_recorder_new, "E0E",                                                                 \
	  GIVES(struct dkt_recorder, dkt_recorder_free,                                            \
		dkt_recorder_new(A(0, r->ctx), A(1, NULL), A(2, &out))))                           \
	X(dkt_recorder_add, "EEE", dkt_recorder_add(A(0, r->recorder), A(1, r->in), A(2, "more"))) \
	X(dkt_recorder_begin, "E", dkt_recorder_begin(A(0, r->recorder), r->fd))                   \
	X(dkt__recorder_resume, "E", dkt__recorder_resume(A(0, r->recorder), r->fd))               \
	X(dkt_recorder_wait, "E", dkt_recorder_wait(A(0, r->recording), 0))                        \
	X(dkt_recorder_read, "E", dkt_recorder_read(A(0, r->recording)))                           \
	X(dkt__recorder_formats, "E", dkt__recorder_formats(A(0, r->recording)))                   \
	X(dkt_recorder_end, "E", dkt_recorder_end(A(0, r->recording)))                             \
	X(dkt_recorder_get_counts, "EE",                                                           \
	  FILLS(dkt_recorder_counts,                                                               \
		dkt_recorder_get_counts(A(0, r->recording), A(1, &out.it), sz)))                   \
	X(dkt__recorder_count_events, "E", dkt__recorder_count_events(A(0, r->recording)))         \
	X(dkt__recorder_event_counts, "EE",                                                        \
	  FILLS(dkt__event_counts,                                                                 \
		dkt__recorder_event_counts(A(0, r->recording), 0, 1, A(1, &out.it), sz)))          \
	X(dkt__recorder_rescue, "E0E", ({                                                          \
		  uint64_t records;                                                                \
		  int err = dkt__recorder_rescue(A(0, r->ctx), r->journal, A(2, &records));        \
		  api_error(err);                                                                  \
	  }))                                                                                      \
	X(dkt_recorder_free, "n", DOES(dkt_recorder_free(A(0, NULL))))                             \
	/* expressions */                                                                          \
	X(dkt_expr_new, "EE0E",                                                                    \
	  GIVES(struct dkt_expr, dkt_expr_free,                                                    \
		dkt_expr_new(A(0, r->fresh), A(1, "v == 1 && COMM ~ \"a*\""), A(2, NULL),          \
			     A(3, &out))))                                                         \
	X(dkt_expr_free, "n", DOES(dkt_expr_free(A(0, NULL))))                                     \
	X(dkt_expr_check, "EE", dkt_expr_check(A(0, r->expr), A(1, r->event)))                     \
	X(dkt__expr_check_match, "EE", dkt__expr_check_match(A(0, r->expr), A(1, r->event)))       \
	X(dkt__expr_check_any, "EE", dkt__expr_check_any(A(0, r->expr), A(1, &r->event), 1, 0))    \
	X(dkt_expr_text, "EEE",                                                                    \
	  GIVES(char, free, dkt_expr_text(A(0, r->expr), A(1, r->event), A(2, &out))))             \
	X(dkt_expr_match, "nn0",                                                                   \
	  GIVES_NOT(dkt_expr_match(A(0, r->expr), A(1, &r->record), A(2, "comm"))))                \
	X(dkt__expr_equality, "EE",                                                                \
	  FILLS(dkt__equality, dkt__expr_equality(A(0, r->expr), 0, A(1, &out.it), sz)))           \
	/* histograms */                                                                           \
	X(dkt_hist_new, "EEE",                                                                     \
	  GIVES(struct dkt_hist, dkt_hist_free, ({                                                 \
			DKT_OPTS(dkt_hist_opts, opts, .keys = "v.log2,common_pid", .vals = "v");   \
			dkt_hist_new(A(0, r->fresh), A(1, &opts), A(2, &out));                     \
		})))                                                                               \
	X(dkt_hist_free, "n", DOES(dkt_hist_free(A(0, NULL))))                                     \
	X(dkt_hist_event, "EE", dkt_hist_event(A(0, r->hist), A(1, r->event)))                     \
	X(dkt__hist_fits_none, "EE", dkt__hist_fits_none(A(0, r->hist), A(1, &r->event), 1))       \
	X(dkt__hist_filter, "EEE", dkt__hist_filter(A(0, r->hist), A(1, r->event), A(2, r->expr))) \
	X(dkt__hist_trigger, "EEE",                                                                \
	  GIVES(char, free, dkt__hist_trigger(A(0, r->hist), A(1, r->event), A(2, &out))))         \
	X(dkt_hist_start, "EE", dkt_hist_start(A(0, r->hist), A(1, r->in)))                        \
	X(dkt_hist_read, "E0E", ({                                                                 \
		  int err = GIVES(struct dkt_table, dkt_table_free,                                \
				  dkt_hist_read(A(0, r->hist), NULL, A(2, &out)));                 \
		  err ? err :                                                                      \
			GIVES(struct dkt_table, dkt_table_free,                                    \
			      dkt_hist_read(A(0, r->hist), A(1, r->in), A(2, &out)));              \
	  }))                                                                                      \
	X(dkt_hist_add, "E0E", dkt_hist_add(A(0, r->hist), A(1, r->source), A(2, &r->record)))     \
	X(dkt__table_parse, "EEE",                                                                 \
	  GIVES(struct dkt_table, dkt_table_free,                                                  \
		dkt__table_parse(A(0, r->fresh), A(1, API_HIST), strlen(API_HIST), A(2, &out))))   \
	X(dkt_table_free, "n", DOES(dkt_table_free(A(0, NULL))))                                   \
	X(dkt__instance_get_hist, "EEE",                                                           \
	  GIVES(struct dkt_table, dkt_table_free,                                                  \
		dkt__instance_get_hist(A(0, r->in), A(1, r->event), A(2, &out))))                  \
	X(dkt_table_info, "n", GIVES_NOT(dkt_table_info(A(0, r->table))))                          \
	X(dkt_table_sort, "E0", dkt_table_sort(A(0, r->table), A(1, "hitcount")))                  \
	X(dkt_table_value, "n", GIVES_NOT(dkt_table_value(A(0, r->table), 0, 1)))                  \
	X(dkt_table_more, "n", GIVES_NOT(dkt_table_more(A(0, r->table), 0)))                       \
	X(dkt_table_text, "nn", DOES(dkt_table_text(A(0, r->table), 0, 0, A(1, r->buf))))          \
	X(dkt__sql_new, "EE0E",                                                                    \
	  GIVES(const struct dkt__sql, dkt__sql_free,                                              \
		dkt__sql_new(A(0, r->fresh), A(1, "SELECT v FROM up"), A(2, NULL), A(3, &out))))   \
	X(dkt__sql_free, "n", DOES(dkt__sql_free(A(0, NULL))))                                     \
	/* dumps: none is open, so the others only refuse it */                                    \
	X(dkt__dump_open, "EE0E",                                                                  \
	  GIVES(struct dkt__dump, dkt__dump_close,                                                 \
		dkt__dump_open(A(0, r->fresh), A(1, "/dev/null"), A(2, NULL), A(3, &out))))        \
	X(dkt__dump_close, "n", DOES(dkt__dump_close(A(0, NULL))))                                 \
	X(dkt__dump_symbol, "n0nn", ({                                                             \
		  uint64_t address;                                                                \
		  GIVES_NOT(!dkt__dump_symbol(A(0, NULL), A(1, NULL), A(2, "x"), A(3, &address))); \
	  }))                                                                                      \
	X(dkt__dump_read, "nn", ({                                                                 \
		  char byte;                                                                       \
		  GIVES_NOT(!dkt__dump_read(A(0, NULL), 0, A(1, &byte), 1));                       \
	  }))                                                                                      \
	X(dkt__dump_size, "nnn", ({                                                                \
		  uint64_t size;                                                                   \
		  GIVES_NOT(!dkt__dump_size(A(0, NULL), A(1, "x"), A(2, &size)));                  \
	  }))                                                                                      \
	X(dkt__dump_page, "nnn", ({                                                                \
		  uint64_t address;                                                                \
		  uint32_t size;                                                                   \
		  GIVES_NOT(!dkt__dump_page(A(0, NULL), 0, A(1, &address), A(2, &size)));          \
	  }))                                                                                      \
	X(dkt__dump_why, "", GIVES_NOT(dkt__dump_why(-EIO)))                                       \
	/* pairs */                                                                                \
	X(dkt_interval_list, "EEE", ({                                                             \
		  const struct dkt_interval *list;                                                 \
		  size_t n;                                                                        \
		  dkt_interval_list(A(0, r->fresh), A(1, &list), A(2, &n));                        \
	  }))                                                                                      \
	X(dkt_interval_find, "nn", GIVES_NOT(dkt_interval_find(A(0, r->fresh), A(1, "wakeup"))))   \
	X(dkt_interval_roles, "nn",                                                                \
	  GIVES_NOT(dkt_interval_roles(A(0, &api_interval), A(1, r->event))))                      \
	X(dkt_intervals_new, "EEE", GIVES(struct dkt_intervals, dkt_intervals_free, ({             \
						  DKT_OPTS(dkt_intervals_opts, opts, .key = "v",   \
							   .by = "common_pid", .slowest = 2);      \
						  dkt_intervals_new(A(0, r->fresh), A(1, &opts),   \
								    A(2, &out));                   \
					  })))                                                     \
	X(dkt_intervals_free, "n", DOES(dkt_intervals_free(A(0, NULL))))                           \
	X(dkt_intervals_event, "EE",                                                               \
	  dkt_intervals_event(A(0, r->pairs), A(1, r->event), DKT_INTERVAL_BEGIN))                 \
	X(dkt_intervals_bind, "EEE", ({                                                            \
		  struct dkt_event *events[] = { r->event };                                       \
		  dkt_intervals_bind(A(0, r->pairs), A(1, &api_interval), A(2, events), 1);        \
	  }))                                                                                      \
	X(dkt_intervals_add, "E0E",                                                                \
	  dkt_intervals_add(A(0, r->pairs), A(1, r->source), A(2, &r->record)))                    \
	X(dkt_intervals_finish, "E", dkt_intervals_finish(A(0, r->pairs)))                         \
	X(dkt_intervals_start, "EEEEE",                                                            \
	  dkt_intervals_start(A(0, r->pairs), A(1, r->in), A(2, r->event), A(3, r->event),         \
			      A(4, "both")))                                                       \
	X(dkt_intervals_watch, "EEEE", ({                                                          \
		  struct dkt_event *events[] = { r->event };                                       \
		  dkt_intervals_watch(A(0, r->pairs), A(1, r->in), A(2, events), 1, 5,             \
				      A(3, "slow"));                                               \
	  }))                                                                                      \
	X(dkt_intervals_read, "EEEE",                                                              \
	  GIVES(struct dkt_table, dkt_table_free,                                                  \
		dkt_intervals_read(A(0, r->pairs), A(1, r->in), A(2, "both"), A(3, &out))))        \
	X(dkt_intervals_info, "nn",                                                                \
	  FILLS(dkt_intervals_info, DOES(dkt_intervals_info(A(0, r->pairs), A(1, &out.it), sz))))  \
	X(dkt_intervals_group, "EE",                                                               \
	  FILLS(dkt_latency,                                                                       \
		dkt_intervals_group(A(0, r->pairs), DKT_INTERVALS_ALL, A(1, &out.it), sz)))        \
	X(dkt_intervals_quantile, "n",                                                             \
	  GIVES_NOT(dkt_intervals_quantile(A(0, r->pairs), DKT_INTERVALS_ALL, 0.5)))               \
	X(dkt_intervals_power, "n",                                                                \
	  GIVES_NOT(dkt_intervals_power(A(0, r->pairs), DKT_INTERVALS_ALL, 1)))                    \
	X(dkt_intervals_slow, "EE",                                                                \
	  FILLS(dkt_slow, dkt_intervals_slow(A(0, r->pairs), 0, A(1, &out.it), sz)))               \
	/* styles, text */                                                                         \
	X(dkt_style_get, "e", FILLS(dkt_style_info, dkt_style_get(0, A(0, &out.it), sz)))          \
	X(dkt_style_new, "EE0E",                                                                   \
	  GIVES(struct dkt_style, dkt_style_free,                                                  \
		dkt_style_new(A(0, r->fresh), A(1, "json"), A(2, NULL), A(3, &out))))              \
	X(dkt__style_make, "EE0E",                                                                 \
	  GIVES(struct dkt_style, dkt_style_free, ({                                               \
			DKT_OPTS(dkt__style_calls, calls, .record = api_record);                   \
			dkt__style_make(A(0, r->fresh), A(1, &calls), A(2, NULL), A(3, &out));     \
		})))                                                                               \
	X(dkt_style_free, "n", DOES(dkt_style_free(A(0, NULL))))                                   \
	X(dkt__style_field, "", GIVES_NOT(dkt__style_field((size_t)r->null & 0)))                  \
	X(dkt_style_begin, "EE", dkt_style_begin(A(0, r->style), A(1, r->buf)))                    \
	X(dkt_style_record, "EE0E",                                                                \
	  dkt_style_record(A(0, r->style), A(1, &r->record), A(2, "comm"), A(3, r->buf)))          \
	X(dkt__style_flush, "EE", dkt__style_flush(A(0, r->style), A(1, r->buf)))                  \
	X(dkt_style_end, "EE", dkt_style_end(A(0, r->style), A(1, r->buf)))                        \
	X(dkt_style_trace, "nnn",                                                                  \
	  DOES(dkt_style_trace(A(0, &r->record), A(1, "comm"), A(2, r->buf))))                     \
	X(dkt_buf_new, "e", GIVES(struct dkt_buf, dkt_buf_free, dkt_buf_new(A(0, &out))))          \
	X(dkt_buf_free, "n", DOES(dkt_buf_free(A(0, NULL))))                                       \
	X(dkt_buf_data, "n0", ({                                                                   \
		  size_t len;                                                                      \
		  GIVES_NOT(dkt_buf_data(A(0, r->buf), A(1, &len)));                               \
	  }))                                                                                      \
	X(dkt_buf_reset, "n", DOES(dkt_buf_reset(A(0, r->buf))))                                   \
	X(dkt_buf_error, "e", dkt_buf_error(A(0, r->buf)))                                         \
	X(dkt__buf_add, "nn", DOES(dkt__buf_add(A(0, r->buf), A(1, "a"), 1)))                      \
	X(dkt_buf_str, "nn", DOES(dkt_buf_str(A(0, r->buf), A(1, "a"))))                           \
	X(dkt__buf_u64, "n", DOES(dkt__buf_u64(A(0, r->buf), 1, 2, ' ')))                          \
	X(dkt__buf_hex, "n", DOES(dkt__buf_hex(A(0, r->buf), 1, 2, ' ')))                          \
	X(dkt_buf_printf, "n", DOES(dkt_buf_printf(A(0, r->buf), "%d", 1)))                        \
	X(dkt_buf_text, "nn", DOES(dkt_buf_text(A(0, r->buf), A(1, "a\n"), 2)))                    \
	X(dkt__buf_escape, "n", DOES(dkt__buf_escape(A(0, r->buf), 0)))                            \
	X(dkt__buf_cell, "nn", DOES(dkt__buf_cell(A(0, r->buf), A(1, "a\n"), 2)))                  \
	X(dkt__words, "", ((void)r, api_words("%d", 1)))                                           \
	X(dkt__buf_kprintf, "nn0", ({                                                              \
		  struct dkt__kprintf_args args = { .sz = sizeof(args) };                          \
		  DOES(dkt__buf_kprintf(A(0, r->buf), A(1, "%d"), 2, A(2, &args)));                \
	  }))                                                                                      \
	/* names, netlink */                                                                       \
	X(dkt_symbol_name, "n0", ({                                                                \
		  uint64_t offset;                                                                 \
		  GIVES_NOT(dkt_symbol_name(A(0, r->fresh), 0xffffffff81000000, A(1, &offset)));   \
	  }))                                                                                      \
	X(dkt__symbol_module, "n", GIVES_NOT(dkt__symbol_module(A(0, r->fresh), 1)))               \
	X(dkt_syscall_name, "n", GIVES_NOT(dkt_syscall_name(A(0, r->fresh), 1)))                   \
	X(dkt__netlink_family, "EE", ({                                                            \
		  int has = dkt__netlink_family(A(0, r->fresh), A(1, "nlctrl"));                   \
		  api_error(has);                                                                  \
	  }))                                                                                      \
	X(dkt__netlink_dump, "EEE0",                                                               \
	  dkt__netlink_dump(A(0, r->fresh), A(1, "nlctrl"), 3, 1, A(2, api_netlink), A(3, r)))

#endif
