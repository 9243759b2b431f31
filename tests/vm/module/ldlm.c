// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks with a resource, laid out and named as Lustre's, and functions that are handed them: for
 * probes. Writing N to the parameter "conflicts" calls one N times and one twice, with values that are known.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

struct ldlm_res_id {
	u64 name[4];
};

struct ldlm_resource {
	struct list_head lr_hash;
	spinlock_t lr_lock;
	struct ldlm_res_id lr_name;
	atomic_t lr_refcount;
	char lr_tag[16];
};

struct obd_export {
	int exp_refs;
	struct {
		char uuid[40];
	} exp_client_uuid;
};

struct ldlm_lock {
	struct list_head l_link;
	struct ldlm_resource *l_resource;
	const char *l_client;
	unsigned int l_req_mode : 5;
	unsigned int l_granted_mode : 7;
	union {
		int l_readers;
		u64 l_flags;
	};
	struct obd_export *l_export;
	unsigned int l_pid;
};

/* It is inlined, so that it has no entry of its own. */
static __always_inline int ldlm_grant_one(struct ldlm_lock *lock)
{
	lock->l_readers++;
	return atomic_inc_return(&lock->l_resource->lr_refcount);
}

noinline int ldlm_handle_conflict_lock(struct ldlm_lock *lock, u64 *flags, int version)
{
	int granted = ldlm_grant_one(lock);

	*flags |= granted;
	return granted * 10 + version;
}
EXPORT_SYMBOL(ldlm_handle_conflict_lock);

noinline void ldlm_add_ast_work_item(struct ldlm_lock *lock, struct ldlm_lock *new,
				     struct list_head *work_list)
{
	list_add(new ? &new->l_link : &lock->l_link, work_list);
}
EXPORT_SYMBOL(ldlm_add_ast_work_item);

/* One lock blocks another one, and is granted. */
static void add_work(void)
{
	struct obd_export first = { .exp_client_uuid = { "571edfcd-9f90" } };
	struct obd_export second = { .exp_client_uuid = { "9140ddfa-a52f" } };
	struct ldlm_resource resource = { .lr_name = { { 0x280000400, 0x113 } } };
	struct ldlm_lock has = { .l_resource = &resource, .l_export = &first, .l_granted_mode = 2 };
	struct ldlm_lock wants = {
		.l_resource = &resource, .l_export = &second, .l_req_mode = 4, .l_pid = 476
	};
	LIST_HEAD(work);

	ldlm_add_ast_work_item(&has, &wants, &work);
	ldlm_add_ast_work_item(&has, NULL, &work);
}

static int conflicts_set(const char *value, const struct kernel_param *param)
{
	struct ldlm_resource resource = { .lr_name = { { 0xabcd1234, 7 } },
					  .lr_refcount = ATOMIC_INIT(40),
					  .lr_tag = "resource" };
	struct ldlm_lock lock = { .l_resource = &resource,
				  .l_client = "client@tcp",
				  .l_req_mode = 17,
				  .l_granted_mode = 99,
				  .l_readers = -3 };
	u64 flags = 0x1000;
	unsigned int n;
	int err = kstrtouint(value, 0, &n);

	for (; !err && n; n--)
		ldlm_handle_conflict_lock(&lock, &flags, 5);
	if (!err)
		add_work();
	return err;
}

static const struct kernel_param_ops conflicts_ops = { .set = conflicts_set };

module_param_cb(conflicts, &conflicts_ops, NULL, 0200);
MODULE_DESCRIPTION("Locks for probes");
MODULE_LICENSE("GPL");
