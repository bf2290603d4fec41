// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests with several CPUs: hold up the CPU that calls a function of the kernel or of a driver,
 * as a hypervisor or firmware may do it at any instruction. Nothing is changed in what is held up.
 *
 *	modprobe rig-hold symbol=can_put_echo_skb ms=30
 *	echo 5 >/sys/module/rig_hold/parameters/nth	at the fifth call from now; 0: at none
 *	cat /sys/module/rig_hold/parameters/holds	how often it has happened
 *	echo 50 >/sys/module/rig_hold/parameters/bh	no softirqs on this CPU for 50 ms
 */
#include <linux/atomic.h>
#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "function whose caller is held up");

static unsigned int ms = 10;
module_param(ms, uint, 0644);
MODULE_PARM_DESC(ms, "for how long");

static unsigned int holds;
module_param(holds, uint, 0444);
MODULE_PARM_DESC(holds, "how often it has happened");

static atomic_t left = ATOMIC_INIT(0);

static int hold_set_nth(const char *value, const struct kernel_param *param)
{
	unsigned int nth;
	int err = kstrtouint(value, 0, &nth);

	if (!err)
		atomic_set(&left, nth);
	return err;
}

static int hold_get_nth(char *buffer, const struct kernel_param *param)
{
	return sprintf(buffer, "%d\n", atomic_read(&left));
}

static const struct kernel_param_ops hold_nth_ops = {
	.set = hold_set_nth,
	.get = hold_get_nth,
};

module_param_cb(nth, &hold_nth_ops, NULL, 0644);
MODULE_PARM_DESC(nth, "at the n-th call from now");

/* Interrupts come, softirqs (so poll functions) do not: other softirqs may take as long. */
static int hold_bh(const char *value, const struct kernel_param *param)
{
	unsigned int length;
	int err = kstrtouint(value, 0, &length);

	if (err)
		return err;
	local_bh_disable();
	mdelay(length);
	local_bh_enable();
	return 0;
}

static const struct kernel_param_ops hold_bh_ops = {
	.set = hold_bh,
};

module_param_cb(bh, &hold_bh_ops, NULL, 0200);
MODULE_PARM_DESC(bh, "no softirqs on this CPU for so many ms");

static int hold_called(struct kprobe *probe, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&left) == 0) {
		mdelay(ms);
		holds++;
	}
	return 0;
}

static struct kprobe hold_probe = {
	.pre_handler = hold_called,
};

static int __init hold_init(void)
{
	if (!symbol)
		return 0;
	hold_probe.symbol_name = symbol;
	return register_kprobe(&hold_probe);
}
module_init(hold_init);

static void __exit hold_exit(void)
{
	if (symbol)
		unregister_kprobe(&hold_probe);
}
module_exit(hold_exit);

MODULE_DESCRIPTION("hold up the caller of a function (tests only)");
MODULE_LICENSE("GPL");
