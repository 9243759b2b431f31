/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the call trace that the kernel printed of a thread, and finds what the thread waits for. */
#include "compat/lustre_log/trace_text.h"

/* The beginnings of the names of functions that only put the thread to sleep. */
static const char *const scheduler[] = {
	"__schedule",
	"schedule",
	"__switch_to",
	"context_switch",
	"__wait_for_common",
	"wait_for_compl",
	"__cv_",
	"cv_wait",
	"__traceiter_",
	"wait_woken",
	"prepare_to_wait",
	"preempt_schedule",
	"_cond_resched",
	"__cond_resched",
	"out_of_line_wait",
	"__wait_on_bit",
	"bit_wait",
	"kthread",
	"ret_from_fork",
	"__might_sleep",
	"dump_stack",
	"show_stack",
	"sched_show_task",
	"libcfs_call_trace",
	"libcfs_debug_dump",
	"dump_trace",
	"save_stack_trace_",
	"wait_var_event",
};

/* The reasons for a wait in a function, by the beginning of its name. The innermost of them counts. */
static const struct {
	const char *function, *waits_for;
} reasons[] = {
	/* Lustre's locks */
	{ "ldlm_completion_ast", "lock" },
	{ "ldlm_completion_tail", "lock" },
	{ "ldlm_flock_completion_ast", "lock" },
	{ "ldlm_cli_cancel_unused_resource", "lock" },
	/* other hosts */
	{ "ptlrpc_set_wait", "reply" },
	{ "ptlrpc_queue_wait", "reply" },
	{ "cl_sync_io_wait", "reply" },
	{ "osc_extent_wait", "reply" },
	{ "ptlrpc_abort_bulk", "transfer" },
	{ "ptlrpc_unregister_bulk", "transfer" },
	{ "target_bulk_io", "transfer" },
	{ "osc_enter_cache", "cache" },
	{ "cl_lru", "cache" },
	{ "osc_lru", "cache" },
	{ "obd_get_request_slot", "RPC slot" },
	{ "obd_get_mod_rpc_slot", "RPC slot" },
	{ "osp_precreate_reserve", "objects" },
	{ "osp_sync", "other targets" },
	{ "top_trans_wait_result", "other targets" },
	{ "qsd_", "quota" },
	{ "qmt_", "quota" },
	{ "target_recovery", "recovery" },
	{ "target_queue_recovery", "recovery" },
	{ "check_for_next", "recovery" },
	{ "ptlrpc_wait_event", "request" },
	/* the file system of a target */
	{ "jbd2_log_wait", "journal" },
	{ "__jbd2_log_wait", "journal" },
	{ "jbd2_complete_transaction", "journal" },
	{ "wait_transaction", "journal" },
	{ "start_this_handle", "journal" },
	{ "add_transaction_credits", "journal" },
	{ "do_get_write_access", "journal" },
	{ "txg_wait", "transaction group" },
	{ "dmu_tx_wait", "transaction group" },
	{ "dmu_tx_assign", "transaction group" },
	{ "zil_commit", "transaction group" },
	{ "zio_wait", "disk" },
	/* the kernel */
	{ "io_schedule", "disk" },
	{ "submit_bio_wait", "disk" },
	{ "rq_qos_wait", "disk" },
	{ "blk_mq_get_tag", "disk" },
	{ "__wait_on_buffer", "disk" },
	{ "balance_dirty_pages", "memory" },
	{ "shrink_", "memory" },
	{ "try_to_free_", "memory" },
	{ "__alloc_pages", "memory" },
	{ "throttle_direct_reclaim", "memory" },
	{ "__mutex_lock", "mutex" },
	{ "mutex_lock", "mutex" },
	{ "rwsem_down_", "rwsem" },
	{ "__rwsem_down_", "rwsem" },
	{ "call_rwsem_down_", "rwsem" },
	{ "down_read", "rwsem" },
	{ "down_write", "rwsem" },
	{ "__down", "semaphore" },
	{ "down", "semaphore" },
	{ "native_queued_spin_lock", "spinlock" },
	{ "queued_spin_lock", "spinlock" },
	{ "_raw_spin_lock", "spinlock" },
	{ "synchronize_rcu", "RCU" },
};

static bool is_scheduler(const struct part *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(scheduler); i++)
		if (part_begins(function, scheduler[i]))
			return true;
	return false;
}

static const char *reason(const struct part *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (part_begins(function, reasons[i].function))
			return reasons[i].waits_for;
	return NULL;
}

/*
 * Reads "[<0>] func+0x12/0x34 [module]", " func+0x12/0x34" or "[<ffffffff81234567>] func+0x12/0x34". False:
 * no frame, or one that the kernel is not sure of, "? func+0x12/0x34".
 */
static bool read_frame(struct rest line, struct part *function)
{
	struct rest offset;
	uint64_t number;

	while (take_word(&line, " ") || take_word(&line, "\t"))
		;
	if (take_word(&line, "[<") && !take_to(&line, ">] "))
		return false;
	while (take_word(&line, " "))
		;
	if (take_word(&line, "? "))
		return false;
	offset = line;
	if (!take_until(&offset, '+', function) || !function->len ||
	    memchr(function->p, ' ', function->len))
		return false;
	return take_word(&offset, "0x") && take_hex(&offset, &number) && take_word(&offset, "/0x");
}

bool dkl_trace_text_read(const char *text, size_t len, struct trace_text *trace)
{
	struct rest rest = { text, text + len };
	struct part line, function;
	bool any = false;

	*trace = (struct trace_text){ 0 };
	/* The first line is the message. */
	if (!take_until(&rest, '\n', &line))
		return false;
	while (rest_len(&rest)) {
		if (!take_until(&rest, '\n', &line)) {
			line = (struct part){ rest.p, rest_len(&rest) };
			rest.p = rest.end;
		}
		if (!read_frame((struct rest){ line.p, line.p + line.len }, &function))
			continue;
		any = true;
		trace->waits_for = trace->waits_for ?: reason(&function);
		if (trace->n < TRACE_SHOWN && !is_scheduler(&function))
			trace->functions[trace->n++] = function;
	}
	return any;
}
