// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test only: a client of spi-bcm2835dma's prepared messages. Its SPI device is to
 * be given to it by driver_override; behind the chip select must be a loopback.
 *
 * Written to "run" of the device in sysfs, words NAME=VALUE:
 *	n=N		messages in all (1)
 *	len=LEN		greatest length; each message has another one (14)
 *	fixed=1		... all have LEN, which is set once, and less than what was prepared
 *	k=K		messages prepared, and under way at once (1)
 *	us=US		0: complete() submits the message again. Else a timer in hard
 *			irq submits what is idle, each US
 *	hz=HZ		clock (10000000)
 *	xfers=X		transfers in a message, 1 or 2, with cs_change between (1)
 *	delay=US	after each transfer
 *	keep=1		the chip select stays active after the message
 *	quit=0		go on after an error (1)
 *	bg=1		the write ends at once; "end=1" does what is said next, "stop=1" with
 *			those that are under way
 *	opt=1		not prepared: n ordinary messages by spi_sync(), optimised once if the
 *			kernel can do that
 *	slow=US		complete() takes that long, with interrupts off
 *	silent=1	no interrupt at the end: the timer looks for it before it submits what is idle
 * The write ends when all messages have been run, and fails if one has failed or data was wrong.
 * "result" then tells what was seen, as words NAME=VALUE; "prepare" whether messages can be
 * prepared for the device.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>

#include "spi-bcm2835dma.h"

#define MAX_LEN		1024
#define MAX_MESSAGES	32
#define MAX_XFERS	2
#define UNTOUCHED	0x5a5aa5a5

struct client;

struct client_message {
	struct client *client;
	struct bcm2835dma_message *msg;
	u64 seq;			/* which of all it is now */
	bool flying;			/* from submission to the end of client_complete() */
	ktime_t begin;
	unsigned int len;
	unsigned int set;		/* what set_len() was told last */
	u32 sent[MAX_XFERS][MAX_LEN / 4];
};

struct client {
	struct spi_device *spi;
	const struct spi_bcm2835dma_ops *ops;
	struct mutex lock;		/* one run at a time */
	raw_spinlock_t state;		/* protects what follows, against the timer */
	struct client_message m[MAX_MESSAGES];
	struct hrtimer timer;
	struct completion finished;
	/* what was asked for */
	unsigned int n, len, fixed, k, us, hz, xfers, delay, keep, quit, bg, opt, slow, silent;
	bool running;
	/* what has happened */
	u64 issued;
	u64 over;
	unsigned int flying;
	bool stop;
	u64 wrong;
	u64 disorder;
	u64 not_hardirq;
	u64 irqs_on;
	u64 errors;
	int error;
	u64 refused;
	s64 min_ns;
	s64 max_ns;
	s64 sum_ns;
};

static unsigned int client_len(const struct client *c, u64 seq)
{
	return c->fixed ? c->len : 1 + (unsigned int)(seq * 7 % c->len);
}

static void client_fill(struct client *c, struct client_message *m)
{
	unsigned int x, i;

	m->len = client_len(c, m->seq);
	for (x = 0; x < c->xfers; x++) {
		u32 *tx = c->ops->tx(m->msg, x);

		for (i = 0; i < DIV_ROUND_UP(m->len, 4); i++) {
			u32 word = ((m->seq << 12 ^ x << 9 ^ i) * 0x9e3779b97f4a7c15ull) >> 32;

			m->sent[x][i] = word;
			tx[i] = word;
		}
		if (m->set != m->len && c->ops->set_len(m->msg, x, m->len))
			c->wrong++;
		if (c->fixed)
			((u32 *)c->ops->rx(m->msg, x))[DIV_ROUND_UP(m->len, 4)] = UNTOUCHED;
	}
	m->set = m->len;
}

/* With the lock held. Returns 0 if it is under way. */
static int client_submit(struct client *c, struct client_message *m)
{
	int err;

	m->seq = c->issued;
	client_fill(c, m);
	m->begin = ktime_get();
	m->flying = true;
	c->flying++;
	c->issued++;
	err = c->silent ? c->ops->submit_silent(m->msg) : c->ops->submit(m->msg);
	if (err) {
		c->issued--;
		m->flying = false;
		c->flying--;
		c->refused++;
		c->error = c->error ?: err;
		c->stop = true;
	}
	return err;
}

static void client_check(struct client *c, struct client_message *m)
{
	unsigned int x, i;
	s64 ns = ktime_to_ns(ktime_sub(ktime_get(), m->begin));

	c->sum_ns += ns;
	c->min_ns = min(c->min_ns, ns);
	c->max_ns = max(c->max_ns, ns);
	for (x = 0; x < c->xfers; x++) {
		const u32 *rx = c->ops->rx(m->msg, x);

		for (i = 0; i < m->len / 4; i++)
			c->wrong += rx[i] != m->sent[x][i];
		if (c->fixed)
			c->wrong += rx[DIV_ROUND_UP(m->len, 4)] != UNTOUCHED;
		if (m->len % 4)
			c->wrong += !!((rx[i] ^ m->sent[x][i]) & (BIT(m->len % 4 * 8) - 1));
	}
}

static void client_complete(void *context, int status)
{
	struct client_message *m = context;
	struct client *c = m->client;
	unsigned long flags;

	c->irqs_on += !irqs_disabled();
	if (c->slow)
		udelay(c->slow);
	raw_spin_lock_irqsave(&c->state, flags);
	c->not_hardirq += !status && !in_hardirq();
	/* messages of one device end in the order in which they were submitted */
	c->disorder += m->seq != c->over;
	c->over++;
	m->flying = false;
	c->flying--;
	if (!status) {
		client_check(c, m);
	} else {
		c->errors++;
		c->error = c->error ?: status;
		if (c->quit || status == -ESHUTDOWN)
			c->stop = true;
	}
	if (!c->us && !c->stop && c->issued < c->n)
		client_submit(c, m);
	if (!c->flying && (c->stop || c->issued >= c->n))
		complete(&c->finished);
	raw_spin_unlock_irqrestore(&c->state, flags);
}

/* What is idle is submitted. Returns true if there is more to come. */
static bool client_fly(struct client *c)
{
	unsigned long flags;
	unsigned int i;
	bool more;

	raw_spin_lock_irqsave(&c->state, flags);
	for (i = 0; i < c->k && !c->stop && c->issued < c->n; i++)
		if (!c->m[i].flying)
			client_submit(c, &c->m[i]);
	more = !c->stop && c->issued < c->n;
	if (!more && !c->flying)
		complete(&c->finished);
	more |= c->silent && c->flying;
	raw_spin_unlock_irqrestore(&c->state, flags);
	return more;
}

static void client_look(struct client *c)
{
	unsigned int i;

	for (i = 0; i < c->k; i++)
		if (READ_ONCE(c->m[i].flying))
			c->ops->look(c->m[i].msg);
}

static enum hrtimer_restart client_tick(struct hrtimer *timer)
{
	struct client *c = container_of(timer, struct client, timer);

	if (c->silent)
		client_look(c);
	if (!client_fly(c))
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(c->us * 1000ull));
	return HRTIMER_RESTART;
}

static int client_prepare(struct client *c)
{
	static const u8 some[MAX_LEN + 4];
	struct spi_transfer xfers[MAX_XFERS] = {};
	unsigned int i;

	for (i = 0; i < c->xfers; i++) {
		xfers[i].tx_buf = some;
		xfers[i].rx_buf = (void *)some;
		xfers[i].len = c->fixed ? round_up(c->len, 4) + 4 : c->len;
		xfers[i].speed_hz = c->hz;
		xfers[i].cs_change = i + 1 < c->xfers || c->keep;
		xfers[i].delay.value = c->delay;
		xfers[i].delay.unit = SPI_DELAY_UNIT_USECS;
	}
	for (i = 0; i < c->k; i++) {
		c->m[i].client = c;
		c->m[i].set = 0;
		c->m[i].msg = c->ops->prepare(c->spi, xfers, c->xfers, client_complete, &c->m[i]);
		if (IS_ERR(c->m[i].msg))
			return PTR_ERR(c->m[i].msg);
	}
	return 0;
}

static void client_unprepare(struct client *c)
{
	unsigned int i;

	for (i = 0; i < MAX_MESSAGES; i++) {
		c->ops->unprepare(c->m[i].msg);
		c->m[i].msg = NULL;
	}
}

static int client_start(struct client *c)
{
	int err;

	err = client_prepare(c);
	if (err) {
		client_unprepare(c);
		return err;
	}
	c->running = true;
	reinit_completion(&c->finished);
	if (c->us)
		hrtimer_start(&c->timer, 0, HRTIMER_MODE_REL_HARD);
	else
		client_fly(c);
	return 0;
}

static int client_end(struct client *c)
{
	if (!c->running)
		return -EINVAL;
	wait_for_completion(&c->finished);
	hrtimer_cancel(&c->timer);
	client_unprepare(c);
	c->running = false;
	if (c->wrong || c->disorder || c->not_hardirq || c->irqs_on)
		return c->error ?: -EIO;
	return c->error;
}

/* Ordinary messages, which the kernel has prepared as far as it can. */
static int client_optimized(struct client *c)
{
	struct spi_transfer xfer = { .len = c->len, .speed_hz = c->hz };
	u8 *tx = kmalloc(c->len, GFP_KERNEL), *rx = kmalloc(c->len, GFP_KERNEL);
	struct spi_message msg;
	unsigned int i;
	int err = -ENOMEM;

	if (!tx || !rx)
		goto out;
	xfer.tx_buf = tx;
	xfer.rx_buf = rx;
	spi_message_init_with_transfers(&msg, &xfer, 1);
#ifdef HAVE_SPI_OPTIMIZE_MESSAGE
	err = spi_optimize_message(c->spi, &msg);
	if (err)
		goto out;
#else
	err = 0;
#endif
	for (c->over = 0; c->over < c->n && !err; c->over++) {
		for (i = 0; i < c->len; i++)
			tx[i] = c->over * 37 + i * 11;
		memset(rx, 0, c->len);
		err = spi_sync(c->spi, &msg);
		c->wrong += !!memcmp(tx, rx, c->len);
	}
#ifdef HAVE_SPI_OPTIMIZE_MESSAGE
	spi_unoptimize_message(&msg);
#endif
out:
	kfree(tx);
	kfree(rx);
	return c->wrong ? -EIO : err;
}

static void client_clear(struct client *c)
{
	c->issued = 0;
	c->over = 0;
	c->flying = 0;
	c->stop = false;
	c->wrong = 0;
	c->disorder = 0;
	c->not_hardirq = 0;
	c->irqs_on = 0;
	c->errors = 0;
	c->error = 0;
	c->refused = 0;
	c->min_ns = S64_MAX;
	c->max_ns = 0;
	c->sum_ns = 0;
}

static void client_halt(struct client *c)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&c->state, flags);
	c->stop = true;
	if (!c->flying)
		complete(&c->finished);
	raw_spin_unlock_irqrestore(&c->state, flags);
}

static int client_stop(struct client *c, const char *text)
{
	if (strstarts(text, "stop=1"))
		client_halt(c);
	else if (!strstarts(text, "end=1"))
		return -EBUSY;
	return 0;
}

static int client_parse(struct client *c, char *text)
{
	const struct {
		const char *name;
		unsigned int *value, first, min, max;
	} words[] = {
		{ "n", &c->n, 1, 1, UINT_MAX },
		{ "len", &c->len, 14, 1, MAX_LEN },
		{ "fixed", &c->fixed, 0, 0, 1 },
		{ "k", &c->k, 1, 1, MAX_MESSAGES },
		{ "us", &c->us, 0, 0, 1000000 },
		{ "hz", &c->hz, 10000000, 1, UINT_MAX },
		{ "xfers", &c->xfers, 1, 1, MAX_XFERS },
		{ "delay", &c->delay, 0, 0, 60000 },
		{ "keep", &c->keep, 0, 0, 1 },
		{ "quit", &c->quit, 1, 0, 1 },
		{ "bg", &c->bg, 0, 0, 1 },
		{ "opt", &c->opt, 0, 0, 1 },
		{ "slow", &c->slow, 0, 0, 10000 },
		{ "silent", &c->silent, 0, 0, 1 },
	};
	unsigned int i;
	char *word, *value;

	if (c->running)
		return client_stop(c, text);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		*words[i].value = words[i].first;
	while ((word = strsep(&text, " \n"))) {
		if (!*word)
			continue;
		value = word;
		word = strsep(&value, "=");
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (!strcmp(word, words[i].name))
				break;
		if (i == ARRAY_SIZE(words) || !value || kstrtouint(value, 0, words[i].value) ||
		    *words[i].value < words[i].min || *words[i].value > words[i].max)
			return -EINVAL;
	}
	return 0;
}

static ssize_t run_store(struct device *dev, struct device_attribute *attr, const char *buf,
			 size_t count)
{
	struct client *c = dev_get_drvdata(dev);
	char *text = kstrdup(buf, GFP_KERNEL);
	int err;

	if (!text)
		return -ENOMEM;
	mutex_lock(&c->lock);
	err = client_parse(c, text);
	if (!err && !c->running) {
		client_clear(c);
		err = c->opt ? client_optimized(c) : client_start(c);
		if (!err && !c->bg && !c->opt)
			err = client_end(c);
	} else if (!err) {
		err = client_end(c);
	}
	mutex_unlock(&c->lock);
	kfree(text);
	return err ?: count;
}
static DEVICE_ATTR_WO(run);

static ssize_t result_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct client *c = dev_get_drvdata(dev);
	u64 good = c->over - c->errors;

	return sysfs_emit(buf,
			  "over=%llu wrong=%llu disorder=%llu not_hardirq=%llu irqs_on=%llu errors=%llu error=%d refused=%llu min=%lld mean=%lld max=%lld\n",
			  c->over, c->wrong, c->disorder, c->not_hardirq, c->irqs_on, c->errors,
			  c->error, c->refused, good ? c->min_ns : 0,
			  good ? div64_s64(c->sum_ns, good) : 0, c->max_ns);
}
static DEVICE_ATTR_RO(result);

static ssize_t prepare_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct client *c = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%d\n", c->ops->usable(c->spi));
}
static DEVICE_ATTR_RO(prepare);

static struct attribute *client_attrs[] = {
	&dev_attr_run.attr,
	&dev_attr_result.attr,
	&dev_attr_prepare.attr,
	NULL
};
ATTRIBUTE_GROUPS(client);

static void client_put(void *unused)
{
	spi_bcm2835dma_put();
}

static int client_probe(struct spi_device *spi)
{
	struct client *c;

	c = devm_kzalloc(&spi->dev, sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	c->ops = spi_bcm2835dma_get();
	if (!c->ops)
		return -ENODEV;
	c->spi = spi;
	mutex_init(&c->lock);
	raw_spin_lock_init(&c->state);
	init_completion(&c->finished);
	hrtimer_init(&c->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	c->timer.function = client_tick;
	spi_set_drvdata(spi, c);
	return devm_add_action_or_reset(&spi->dev, client_put, NULL);
}

static void client_remove(struct spi_device *spi)
{
	struct client *c = spi_get_drvdata(spi);

	client_halt(c);
	client_end(c);
	if (c->over)
		dev_info(&spi->dev, "removed: over=%llu wrong=%llu disorder=%llu error=%d\n",
			 c->over, c->wrong, c->disorder, c->error);
}

static const struct spi_device_id client_ids[] = {
	{ "rig-spi-prepared" },
	{ }
};
MODULE_DEVICE_TABLE(spi, client_ids);

static struct spi_driver client_driver = {
	.driver = {
		.name = "rig-spi-prepared",
		.dev_groups = client_groups,
	},
	.id_table = client_ids,
	.probe = client_probe,
	.remove = client_remove,
};
module_spi_driver(client_driver);

MODULE_DESCRIPTION("canpipe test rig: client of prepared SPI messages");
MODULE_LICENSE("GPL");
