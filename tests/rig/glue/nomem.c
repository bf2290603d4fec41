// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: no memory for received CAN frames. Debian's kernels have no fault injection, so
 * alloc_can_skb() returns NULL here before it begins.
 *
 *	modprobe rig-nomem
 *	echo 3 >/sys/module/rig_nomem/parameters/every	each third call fails; 0: none
 *	cat /sys/module/rig_nomem/parameters/failures	how many have
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static unsigned int every;
module_param(every, uint, 0644);
MODULE_PARM_DESC(every, "each so many-th call fails (0: none)");

static unsigned int failures;
module_param(failures, uint, 0444);
MODULE_PARM_DESC(failures, "how many calls have failed");

static unsigned int calls;

static int nomem_called(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned int n = READ_ONCE(every);

	if (!n || ++calls % n)
		return 0;
	failures++;
	/* back to the caller, whose address the first instruction has not yet saved */
	regs->regs[0] = 0;
	instruction_pointer_set(regs, regs->regs[30]);
	return 1;
}

static struct kprobe nomem_probe = {
	.symbol_name = "alloc_can_skb",
	.pre_handler = nomem_called,
};

static int __init nomem_init(void)
{
	return register_kprobe(&nomem_probe);
}
module_init(nomem_init);

static void __exit nomem_exit(void)
{
	unregister_kprobe(&nomem_probe);
}
module_exit(nomem_exit);

MODULE_DESCRIPTION("no memory for received CAN frames (tests only)");
MODULE_LICENSE("GPL");
