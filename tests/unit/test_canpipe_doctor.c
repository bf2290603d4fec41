// SPDX-License-Identifier: GPL-2.0-only
/* What doctor decides, at the edges of its rules, and what it says. */
#include "doctor.h"
#include "test_canpipe.h"

static struct link before, now;
static struct iface iface_before, iface_now;
static struct system sys;
static struct watched w;
static char *no_devices[] = { NULL };
static char *one_device[] = { "spi0.0", NULL };
static struct module modules[1];

/* an MCP2515 at 500 kbit/s with everything as it should be */
static void healthy(void)
{
	now = (struct link){
		.name = "can0", .kind = "can", .is_can = true, .up = true, .index = 3,
		.has_state = true, .has_berr = true, .has_restart_ms = true,
		.state = CAN_STATE_ERROR_ACTIVE, .restart_ms = 100, .clock = 8000000,
		.txqueuelen = 1000, .qdisc = "pfifo_fast",
		.timing = { .bitrate = 500000 },
		.limits = { .tseg1_min = 3, .tseg1_max = 16, .tseg2_min = 2, .tseg2_max = 8,
			    .brp_min = 1, .brp_max = 64, .brp_inc = 1 },
	};
	before = now;
	iface_now = (struct iface){
		.link = &now, .bus = BUS_SPI, .device = "spi0.0", .driver = "mcp251x",
		.module = "mcp251x", .compatible = "microchip,mcp2515", .ours = true,
		.crystal_hz = 16000000, .trigger = TRIGGER_LEVEL,
		.spi = { .controller = "3f204000.spi", .driver = "spi-bcm2835dma",
			 .asked_hz = 10000000, .limit_hz = 10000000, .core_hz = 250000000,
			 .real_hz = 9615384, .by_dma = true },
		.irq = { .number = 25, .chip = "gpio", .count = 10, .pin = 1 },
	};
	iface_before = iface_now;
	iface_before.link = &before;
	modules[0] = (struct module){ .name = "mcp251x", .loaded = true,
		.id = { "0.1.0", "AA" }, .file_id = { "0.1.0", "AA" }, .file = "/m/mcp251x.ko",
		.file_read = true };
	sys = (struct system){
		.release = "6.1.0-50-arm64", .kernel_arch = "aarch64", .user_arch = "arm64",
		.modules_there = true, .package = "0.1.0", .built = true, .modules = modules,
		.module_count = 1, .rmem_default = 2097152, .rmem_max = 8388608,
		.unbound = no_devices, .mcp251x_there = true,
	};
	w = (struct watched){ .before = &iface_before, .now = &iface_now, .seconds = 1 };
}

/* ids and certainties of all findings, sorted as they are shown */
static const char *examine(bool interfaces)
{
	static const char *const sure[] = { "?", "~", "!" };
	static char text[1024];
	struct findings f = { 0 };
	size_t i;

	doctor_system(&sys, &w, interfaces, &f);
	doctor_config(&sys, interfaces, &f);
	if (interfaces) {
		doctor_bus(&sys, &w, &f);
		doctor_queue(&sys, &w, &f);
		doctor_spi(&sys, &w, &f);
	}
	f_sort(&f);
	text[0] = 0;
	for (i = 0; i < f.count; i++) {
		if (!f.list[i].seen || !f.list[i].means || !f.list[i].fix)
			strcat(text, "UNTOLD ");
		sprintf(text + strlen(text), "%s%s%s", i ? " " : "", f.list[i].id,
			sure[f.list[i].sure]);
	}
	f_free(&f);
	return text;
}

#define says(want, ...)	same(examine(true), want, __VA_ARGS__)

static void queue(void)
{
	healthy();
	says("", "healthy: silent");
	now.txqueuelen = 32;
	says("", "a queue of 32");
	now.txqueuelen = 31;
	says("txqueue-short~", "a queue of 31");
	now.txqueuelen = 4096;
	says("", "a queue of 4096");
	now.txqueuelen = 4097;
	says("txqueue-long?", "a queue of 4097");
	healthy();
	strcpy(now.qdisc, "fq_codel");
	says("qdisc~", "fq_codel");
	strcpy(now.qdisc, "pfifo");
	says("", "pfifo");
	strcpy(now.qdisc, "mq");
	says("", "mq");
	healthy();
	now.qdisc_drops = 1;
	says("tx-dropped!", "one dropped");
	healthy();
	now.stats.rx_over_errors = 1;
	says("rx-lost!", "an overrun");
	/* 521 frames of 48 bits last 50 ms */
	healthy();
	sys.rmem_default = 700 * 521;
	says("", "room for 50 ms at 500 kbit/s");
	sys.rmem_default = 700 * 520;
	says("rmem-small?", "room for less");
	now.timing.bitrate = 250000;
	says("", "... is enough at 250 kbit/s");
	now.up = false;
	says("interface-down!", "... and no matter while it is down");
}

static void rates(void)
{
	healthy();
	now.timing.bitrate = 500049;
	says("", "rounded");
	now.timing.bitrate = 500060;
	says("rate-inexact?", "a little off");
	now.timing.bitrate = 502600;
	says("rate-inexact~", "more than half a percent off");
	now.timing.bitrate = 550000;
	says("", "a rate of somebody's own");
	w.bitrate = 550000;
	says("rate-impossible!", "... that is asked for, and cannot be had");
	healthy();
	w.bitrate = 250000;
	says("rate-differs!", "not the one of the bus");
	healthy();
	now.up = false;
	now.timing.bitrate = 0;
	says("interface-down!", "16 MHz can do 1 Mbit/s");
	now.clock = 4000000;
	says("interface-down! rate-impossible?", "8 MHz cannot");
	sys.log.lines = (char *[]){ "mcp251x spi0.0 can0: bitrate error 33.3% too high" };
	sys.log.count = 1;
	says("interface-down! rate-impossible~", "... and has been asked to");
	sys.log.lines = (char *[]){ "mcp251x spi0.1 can1: bitrate error 33.3% too high" };
	says("interface-down! rate-impossible?", "... another one has");
	healthy();
	iface_now.crystal_khz = 8100;
	says("crystal-wrong!", "a crystal that was measured");
}

static void bus(void)
{
	healthy();
	now.state = CAN_STATE_ERROR_PASSIVE;
	now.berr.txerr = 128;
	says("no-ack~", "passive by what is sent");
	now.stats.rx_packets = 1;
	says("", "... and hears others");
	now.stats.rx_packets = 0;
	now.berr.txerr = 20;
	now.berr.rxerr = 128;
	says("rate-wrong~", "passive by what is received");
	now.berr.txerr = 130;
	says("no-ack~", "both");
	now.has_berr = false;
	says("no-ack~", "a driver without counters");
	now.state = CAN_STATE_ERROR_WARNING;
	says("", "warning is not enough");
	now.state = CAN_STATE_BUS_OFF;
	says("", "bus-off, and it comes back by itself");
	now.restart_ms = 0;
	says("bus-off-stays!", "bus-off for good");
	now.up = false;
	says("interface-down!", "... is over when it is down");
	healthy();
	now.can_stats.bus_off = before.can_stats.bus_off = 5;
	says("", "bus-off long ago");
	now.can_stats.bus_off = 6;
	says("bus-off-repeats~", "bus-off now");
	healthy();
	now.ctrlmode = CAN_CTRLMODE_LOOPBACK | CAN_CTRLMODE_LISTENONLY;
	says("mode-loopback~ mode-listen-only?", "modes");
}

static void spi(void)
{
	healthy();
	iface_now.spi.asked_hz = 10000001;
	says("spi-too-fast?", "too fast, ours takes less");
	iface_now.ours = false;
	says("spi-too-fast~", "too fast, the kernel's takes it");
	healthy();
	iface_now.spi.limit_hz = 0;
	iface_now.spi.asked_hz = iface_now.spi.real_hz = 1000000;
	iface_now.trigger = TRIGGER_EDGE;
	says("", "a chip that nothing is known of");
	healthy();
	/* 160 bits in 96 us less 15 */
	iface_now.spi.real_hz = 1975308;
	says("", "just fast enough for 500 kbit/s");
	iface_now.spi.real_hz = 1975307;
	says("spi-too-slow~", "not fast enough");
	iface_now.spi.core_now_hz = 50000000;
	says("spi-core-clock!", "... as the core clock is low");
	iface_now.spi.core_now_hz = 250000000;
	says("spi-too-slow~", "... with a core clock as it should be");
	healthy();
	now.timing.bitrate = 1000000;
	sys.model = "Raspberry Pi 4 Model B Rev 1.4";
	sys.config.path = "/boot/firmware/config.txt";
	says("spi-core-clock?", "a Pi 4 may run at 40 percent at 1 Mbit/s");
	iface_now.spi.core_now_hz = 500000000;
	says("", "... but is known to run at full speed");
	iface_now.spi.core_now_hz = 0;
	sys.config.lines = (char *[]){ "core_freq=500", "core_freq_min=500" };
	sys.config.count = 2;
	says("", "... but has been told not to");
	sys.config.lines = (char *[]){ "force_turbo=1" };
	sys.config.count = 1;
	says("", "... or by force_turbo");
	sys.config.count = 0;
	now.timing.bitrate = 500000;
	says("", "... 40 percent are enough at 500 kbit/s");
}

static void interrupts(void)
{
	struct link_counter counters[] = { { "irq_lost", 0 }, { "irq_storms", 0 } };
	struct link_counter earlier[] = { { "irq_lost", 0 }, { "irq_storms", 0 } };

	healthy();
	iface_now.trigger = TRIGGER_EDGE;
	says("irq-edge?", "an edge, ours");
	iface_now.wanted_trigger = TRIGGER_LEVEL;
	says("", "... while frames come fast: a level by the device tree");
	iface_now.ours = false;
	says("irq-edge~", "an edge, the kernel's own");
	healthy();
	iface_before.irq.pin = iface_now.irq.pin = 0;
	says("irq-stuck!", "low, and no interrupt");
	w.seconds = 0.01;
	says("", "... for a moment");
	w.seconds = 1;
	iface_now.irq.count++;
	says("", "... and one came");
	iface_now.irq.count--;
	iface_before.irq.pin = 1;
	says("", "... only in the end");
	iface_before.irq.pin = -1;
	iface_now.irq.pin = -1;
	says("", "nobody knows the pin");

	healthy();
	now.up = false;
	sys.log.lines = (char *[]){
		"genirq: Flags mismatch irq 25. 00002008 (spi0.0) vs. 00002008 (spi0.1)"
	};
	sys.log.count = 1;
	says("interface-down! irq-taken~", "the interrupt of another one");
	sys.log.lines = (char *[]){
		"genirq: Flags mismatch irq 25. 00002008 (spi0.1) vs. 00002008 (spi0.0)"
	};
	says("interface-down!", "... that came second");

	healthy();
	now.qdisc_backlog = before.qdisc_backlog = 4;
	says("irq-silent~", "frames wait, and no interrupt");
	now.state = CAN_STATE_ERROR_PASSIVE;
	says("no-ack~", "... as nobody acknowledges");
	now.state = CAN_STATE_ERROR_ACTIVE;
	now.stats.tx_packets = 1;
	says("", "... and go");

	healthy();
	now.counters = counters;
	before.counters = earlier;
	now.counter_count = before.counter_count = 2;
	counters[0].value = earlier[0].value = 3;
	says("", "lost interrupts long ago");
	counters[0].value = 4;
	says("irq-lost~", "a lost interrupt now");
	iface_now.irq.count = iface_before.irq.count = 0;
	says("irq-dead!", "none has ever come");
	counters[0].value = 0;
	iface_now.irq.pin = iface_before.irq.pin = 0;
	counters[1].value = 1;
	says("irq-storm~", "low without end");
}

static void kernel(void)
{
	healthy();
	sys.headers = HEADERS_MISSING;
	says("headers-missing!", "no headers");
	sys.headers_of = "6.1.0-49-arm64";
	says("headers-other!", "headers of another kernel");
	sys.headers = HEADERS_WRONG;
	says("headers-wrong!", "in the wrong place");
	sys.modules_there = false;
	says("kernel-gone!", "the kernel was removed");
	sys.package = NULL;
	says("", "without the package nobody needs headers");
	healthy();
	sys.built = false;
	says("module-not-built!", "nothing was built");
	sys.placeholder = true;
	says("kernel-without-can!", "nothing can be built");
	healthy();
	sys.user_arch = "armhf";
	says("userland-32bit!", "32 bits on 64");
	sys.kernel_arch = "armv7l";
	says("", "32 bits on 32");
	healthy();
	modules[0].file_id.srcversion = "BB";
	says("module-stale!", "another source on the disk");
	modules[0].id = (struct module_id){ NULL, NULL };
	says("module-in-tree!", "the kernel's own is loaded");
	modules[0].loaded = false;
	says("", "none is loaded");
	sys.log.lines = (char *[]){ "Loading of module with unavailable key is rejected" };
	sys.log.count = 1;
	says("", "... and another module's key is not known, as there is an interface");
	same(examine(false), "no-interface! module-rejected~", "... there is none");
	sys.log.lines = (char *[]){ "Lockdown: modprobe: unsigned module loading is restricted; see" };
	same(examine(false), "no-interface! module-rejected~", "... it has no signature");
	modules[0].file_id.version = NULL;
	same(examine(false), "no-interface!", "... and it is not ours");
	sys.log.count = 0;
	modules[0].loaded = true;
	modules[0].file_read = false;
	says("", "a file that cannot be read");
}

static void config(void)
{
	healthy();
	same(examine(false), "no-interface!", "no interface");
	sys.unbound = one_device;
	same(examine(false), "chip-not-found~", "a device without a driver");
	sys.log.lines = (char *[]){ "mcp251x spi0.0: reset: no chip answers, MISO reads all ones" };
	sys.log.count = 1;
	same(examine(false), "chip-not-found!", "... and the kernel says why");
	sys.log.lines = (char *[]){
		"mcp251x spi0.0: reset: no chip answers, MISO reads all ones",
		"mcp251x spi0.0 can0: MCP2515 at spi0.0: SPI clock up to 10000000 Hz",
	};
	sys.log.count = 2;
	same(examine(false), "chip-not-found~", "... what it said before is over");
	sys.mcp251x_there = false;
	same(examine(false), "driver-missing!", "no driver is loaded");
	healthy();
	sys.config.path = "/boot/firmware/config.txt";
	same(examine(false), "overlay-missing~", "nothing in config.txt");
	sys.config.lines = (char *[]){ "dtoverlay=mcp2515-can0" };
	sys.config.count = 1;
	same(examine(false), "no-interface!", "... something is there");
	says("", "a good config.txt");
	sys.config.lines = (char *[]){ "dtoverlay=spi0-hw-cs", "dtoverlay=spi-bcm2835-overlay,x" };
	sys.config.count = 2;
	says("config-old-recipe! config-old-recipe!", "old recipes");
	sys.config.lines = (char *[]){ "core_freq=250" };
	sys.config.count = 1;
	says("config-old-recipe!", "a slow core");
	sys.config.lines = (char *[]){ "core_freq=500" };
	says("", "a fast core");
}

static void printed(void)
{
	struct findings f = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct finding *x = f_add(&f, "b", SURE_POSSIBLE, "can0");

	f_seen(x, "one %s", "two");
	f_means(x, "%s", "words words words words words words words words words words words words words");
	f_fix(x, "fix");
	x = f_add(&f, "a", SURE_CERTAIN, NULL);
	f_seen(x, "\"quoted\"");
	f_means(x, "m");
	f_fix(x, "f");
	f_sort(&f);
	f_print(&f, out);
	fflush(out);
	same(text,
	     "system: a\n  seen:    \"quoted\"\n  means:   m\n  sure:    certain\n  mend:    f\n\n"
	     "can0: b\n  seen:    one two\n"
	     "  means:   words words words words words words words words words words words\n"
	     "           words words\n  sure:    possible\n  mend:    fix\n", "as text");
	rewind(out);
	f_print_json(&f, out);
	fclose(out);
	ok(strstr(text, "\"seen\": \"\\\"quoted\\\"\"") && strstr(text, "\"interface\": null") &&
	   strstr(text, "\"interface\": \"can0\""), "as JSON");
	ok(f_find(&f, "b") && !f_find(&f, "c"), "by its id");
	free(text);

	f_seen(&f.list[0], "\xff quoted \xc3\xa9");
	out = open_memstream(&text, &size);
	f_print_json(&f, out);
	fclose(out);
	ok(strstr(text, "? quoted ??"), "what is no UTF-8, as JSON");
	free(text);
	f_free(&f);
}

int main(void)
{
	queue();
	rates();
	bus();
	spi();
	interrupts();
	kernel();
	config();
	printed();
	return tap_done();
}
