// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test only: an SPI device for what spidev cannot do: several messages at once,
 * buffers of any alignment and in any kind of memory, messages from a hard
 * interrupt. What is behind its chip select must be a loopback (slave=loopback).
 *
 * Written to "run" of the device in sysfs:
 *	sync N LEN HZ US	N messages one after the other, US us apart
 *	burst N LEN HZ US K	N times K messages at once, US us apart
 *	hardirq N LEN HZ US K	the same, submitted in a hard interrupt
 *	mix N LEN HZ US K	bursts of 1 to K messages of 1 to 4 transfers of 1 to LEN
 *				bytes, full duplex or one way, with and without cs_change
 *	pause N LEN HZ US	as sync, without any message: what the rest costs
 *	align N LEN HZ FROM	all alignments of both buffers, all lengths from FROM to LEN,
 *				also across pages and in vmalloc memory, N times
 * With the parameter check=0 data is left as it is, and not looked at.
 * The write fails when a message does. "result" then says how many messages,
 * bytes, wrong bytes and messages out of order there were, and the shortest, mean
 * and longest time of a round in ns.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>
#include <linux/vmalloc.h>

static bool check = true;
module_param(check, bool, 0644);
MODULE_PARM_DESC(check, "fill and compare the data (default: yes)");

#define MAX_LEN		16384
#define MAX_MESSAGES	16
#define MAX_TRANSFERS	4

struct client_message {
	struct spi_message msg;
	struct spi_transfer xfer[MAX_TRANSFERS];
	struct client *client;
	unsigned int transfers;
	u8 *tx;
	u8 *rx;
};

struct client {
	struct spi_device *spi;
	struct mutex lock;		/* one run at a time */
	struct client_message m[MAX_MESSAGES];
	struct irq_work work;
	unsigned int queue;		/* messages of the round under way */
	atomic_t left;			/* of them */
	atomic_t finished;
	struct completion done;
	int error;
	u32 random;
	u64 id;
	u64 messages;
	u64 bytes;
	u64 wrong;
	u64 disorder;
	u64 rounds;
	s64 min_ns;
	s64 max_ns;
	s64 sum_ns;
};

static u8 client_pattern(u64 id, unsigned int i)
{
	return ((id << 20 ^ i) * 0x9e3779b97f4a7c15ull) >> 56;
}

/* The same sequence in every run. */
static u32 client_random(struct client *c, u32 below)
{
	c->random = c->random * 1664525 + 1013904223;
	return (c->random >> 8) % below;
}

static void client_complete(void *arg)
{
	struct client_message *m = arg;
	struct client *c = m->client;

	/* messages of one device end in the order in which they were queued */
	if (atomic_inc_return(&c->finished) - 1 != m - c->m)
		c->disorder++;
	if (m->msg.status && !c->error)
		c->error = m->msg.status;
	if (atomic_dec_and_test(&c->left))
		complete(&c->done);
}

static void client_init_message(struct client *c, unsigned int i)
{
	struct client_message *m = &c->m[i];

	spi_message_init(&m->msg);
	memset(m->xfer, 0, sizeof(m->xfer));
	m->client = c;
	m->transfers = 0;
	m->msg.complete = client_complete;
	m->msg.context = m;
}

static void client_add(struct client_message *m, u8 *tx, u8 *rx, unsigned int len, u32 hz,
		       bool cs_change)
{
	struct spi_transfer *t = &m->xfer[m->transfers++];

	t->tx_buf = tx;
	t->rx_buf = rx;
	t->len = len;
	t->speed_hz = hz;
	t->cs_change = cs_change;
	spi_message_add_tail(t, &m->msg);
}

static void client_fill(struct client *c, struct client_message *m)
{
	unsigned int k, i;

	if (!check)
		return;
	c->id++;
	for (k = 0; k < m->transfers; k++) {
		u8 *tx = (u8 *)m->xfer[k].tx_buf, *rx = m->xfer[k].rx_buf;

		for (i = 0; i < m->xfer[k].len; i++) {
			u8 value = client_pattern(c->id + k, i);

			if (tx)
				tx[i] = value;
			if (rx)
				rx[i] = ~value;
		}
	}
}

static void client_check(struct client *c, struct client_message *m)
{
	unsigned int k, i;

	for (k = 0; k < m->transfers; k++) {
		const u8 *tx = m->xfer[k].tx_buf, *rx = m->xfer[k].rx_buf;

		for (i = 0; check && rx && i < m->xfer[k].len; i++)
			c->wrong += rx[i] != (tx ? tx[i] : 0);
		c->bytes += m->xfer[k].len;
	}
	c->messages++;
}

static void client_submit(struct client *c)
{
	unsigned int i;

	for (i = 0; i < c->queue; i++) {
		int ret = spi_async(c->spi, &c->m[i].msg);

		if (!ret)
			continue;
		c->m[i].msg.status = ret;
		client_complete(&c->m[i]);
	}
}

static void client_irq_work(struct irq_work *work)
{
	client_submit(container_of(work, struct client, work));
}

/* The messages 0 to queue - 1, at once; until all have ended. */
static int client_round(struct client *c, bool hardirq)
{
	unsigned int i;
	ktime_t begin;
	s64 ns;

	for (i = 0; i < c->queue; i++)
		client_fill(c, &c->m[i]);
	atomic_set(&c->left, c->queue);
	atomic_set(&c->finished, 0);
	reinit_completion(&c->done);
	begin = ktime_get();
	if (hardirq)
		irq_work_queue(&c->work);
	else
		client_submit(c);
	/* no interruption: the messages are on the bus */
	wait_for_completion(&c->done);
	ns = ktime_to_ns(ktime_sub(ktime_get(), begin));
	c->rounds++;
	c->sum_ns += ns;
	c->min_ns = min(c->min_ns, ns);
	c->max_ns = max(c->max_ns, ns);
	if (c->error)
		return c->error;
	for (i = 0; i < c->queue; i++)
		client_check(c, &c->m[i]);
	return 0;
}

static int client_sync_round(struct client *c)
{
	ktime_t begin;
	s64 ns;
	int ret;

	client_fill(c, &c->m[0]);
	c->m[0].msg.complete = NULL;
	begin = ktime_get();
	ret = spi_sync(c->spi, &c->m[0].msg);
	ns = ktime_to_ns(ktime_sub(ktime_get(), begin));
	c->rounds++;
	c->sum_ns += ns;
	c->min_ns = min(c->min_ns, ns);
	c->max_ns = max(c->max_ns, ns);
	if (!ret)
		client_check(c, &c->m[0]);
	return ret;
}

static int client_bursts(struct client *c, unsigned int n, unsigned int len, u32 hz,
			 unsigned int us, unsigned int queue, bool hardirq)
{
	unsigned int i;
	int ret = 0;

	while (n-- && !ret) {
		c->queue = queue;
		for (i = 0; i < queue; i++) {
			client_init_message(c, i);
			client_add(&c->m[i], c->m[i].tx, c->m[i].rx, len, hz, false);
		}
		ret = client_round(c, hardirq);
		if (us)
			usleep_range(us, us);
	}
	return ret;
}

static int client_sync(struct client *c, unsigned int n, unsigned int len, u32 hz,
		       unsigned int us, bool pause)
{
	int ret = 0;

	while (n-- && !ret) {
		client_init_message(c, 0);
		client_add(&c->m[0], c->m[0].tx, c->m[0].rx, len, hz, false);
		if (!pause)
			ret = client_sync_round(c);
		if (us)
			usleep_range(us, us);
	}
	return ret;
}

static int client_mix(struct client *c, unsigned int n, unsigned int max_len, u32 hz,
		      unsigned int us, unsigned int max_queue)
{
	unsigned int i, k;
	int ret = 0;

	max_len = min(max_len, MAX_LEN / MAX_TRANSFERS);
	while (n-- && !ret) {
		c->queue = 1 + client_random(c, max_queue);
		for (i = 0; i < c->queue; i++) {
			struct client_message *m = &c->m[i];
			unsigned int at = 0, transfers = 1 + client_random(c, MAX_TRANSFERS);

			client_init_message(c, i);
			for (k = 0; k < transfers; k++) {
				unsigned int len = 1 + client_random(c, max_len);
				unsigned int way = client_random(c, 4);

				client_add(m, way == 1 ? NULL : m->tx + at,
					   way == 2 ? NULL : m->rx + at, len, hz,
					   k + 1 < transfers && client_random(c, 2));
				at += len;
			}
		}
		ret = client_round(c, false);
		if (us)
			usleep_range(us, us);
	}
	return ret;
}

static int client_align(struct client *c, unsigned int n, unsigned int max_len, u32 hz,
			unsigned int min_len)
{
	unsigned int len, t, r, where;
	u8 *virt[2];
	int ret = 0;

	virt[0] = vmalloc(MAX_LEN);
	virt[1] = vmalloc(MAX_LEN);
	if (!virt[0] || !virt[1])
		ret = -ENOMEM;
	max_len = min_t(unsigned int, max_len, MAX_LEN - PAGE_SIZE - 8);
	while (n-- && !ret) {
		for (where = 0; where < 64 && !ret; where++) {
			t = where & 3;
			r = where >> 2 & 3;
			for (len = max(min_len, 1U); len <= max_len && !ret; len++) {
				u8 *tx = where & 16 ? virt[0] : c->m[0].tx;
				u8 *rx = where & 16 ? virt[1] : c->m[0].rx;

				if (where & 32) {
					/* the middle is on a page's border */
					tx += PAGE_SIZE - len / 2;
					rx += PAGE_SIZE - len / 2;
				}
				client_init_message(c, 0);
				client_add(&c->m[0], tx + t, rx + r, len, hz, false);
				ret = client_sync_round(c);
			}
		}
	}
	vfree(virt[0]);
	vfree(virt[1]);
	return ret;
}

static int client_run(struct client *c, const char *text)
{
	unsigned int n = 1, len = 1, us = 0, queue = 1;
	char what[16];
	u32 hz = 0;

	if (sscanf(text, "%15s %u %u %u %u %u", what, &n, &len, &hz, &us, &queue) < 4)
		return -EINVAL;
	if (!len || len > MAX_LEN || !queue || queue > MAX_MESSAGES)
		return -EINVAL;
	if (!strcmp(what, "sync"))
		return client_sync(c, n, len, hz, us, false);
	if (!strcmp(what, "pause"))
		return client_sync(c, n, len, hz, us, true);
	if (!strcmp(what, "burst"))
		return client_bursts(c, n, len, hz, us, queue, false);
	if (!strcmp(what, "hardirq"))
		return client_bursts(c, n, len, hz, us, queue, true);
	if (!strcmp(what, "mix"))
		return client_mix(c, n, len, hz, us, queue);
	if (!strcmp(what, "align"))
		return client_align(c, n, len, hz, us);
	return -EINVAL;
}

static ssize_t run_store(struct device *dev, struct device_attribute *attr, const char *buf,
			 size_t count)
{
	struct client *c = dev_get_drvdata(dev);
	int ret;

	mutex_lock(&c->lock);
	c->messages = 0;
	c->bytes = 0;
	c->wrong = 0;
	c->disorder = 0;
	c->rounds = 0;
	c->error = 0;
	c->random = 1;
	c->min_ns = S64_MAX;
	c->max_ns = 0;
	c->sum_ns = 0;
	ret = client_run(c, buf);
	mutex_unlock(&c->lock);
	return ret ?: count;
}
static DEVICE_ATTR_WO(run);

static ssize_t result_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct client *c = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%llu %llu %llu %llu %lld %lld %lld\n", c->messages, c->bytes,
			  c->wrong, c->disorder, c->rounds ? c->min_ns : 0,
			  c->rounds ? div64_s64(c->sum_ns, c->rounds) : 0, c->max_ns);
}
static DEVICE_ATTR_RO(result);

static struct attribute *client_attrs[] = {
	&dev_attr_run.attr,
	&dev_attr_result.attr,
	NULL
};
ATTRIBUTE_GROUPS(client);

static int client_probe(struct spi_device *spi)
{
	struct client *c;
	unsigned int i;

	c = devm_kzalloc(&spi->dev, sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	for (i = 0; i < MAX_MESSAGES; i++) {
		c->m[i].tx = devm_kmalloc(&spi->dev, MAX_LEN, GFP_KERNEL);
		c->m[i].rx = devm_kmalloc(&spi->dev, MAX_LEN, GFP_KERNEL);
		if (!c->m[i].tx || !c->m[i].rx)
			return -ENOMEM;
	}
	c->spi = spi;
	mutex_init(&c->lock);
	init_completion(&c->done);
	c->work = IRQ_WORK_INIT_HARD(client_irq_work);
	spi_set_drvdata(spi, c);
	return 0;
}

static const struct of_device_id client_of_match[] = {
	{ .compatible = "canpipe,rig-spi-client" },
	{ }
};
MODULE_DEVICE_TABLE(of, client_of_match);

static const struct spi_device_id client_ids[] = {
	{ "rig-spi-client" },
	{ }
};
MODULE_DEVICE_TABLE(spi, client_ids);

static struct spi_driver client_driver = {
	.driver = {
		.name = "rig-spi-client",
		.of_match_table = client_of_match,
		.dev_groups = client_groups,
	},
	.id_table = client_ids,
	.probe = client_probe,
};
module_spi_driver(client_driver);

MODULE_DESCRIPTION("canpipe test rig: SPI client");
MODULE_LICENSE("GPL");
