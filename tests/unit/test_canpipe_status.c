// SPDX-License-Identifier: GPL-2.0-only
/* What status says: with everything known, with nothing known, with texts that are no text. */
#include "status.h"
#include "test_canpipe.h"

static char *print(json_t *tree)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	status_print(tree, out);
	fclose(out);
	return text;
}

static json_t *one(const struct system *s, const struct iface *iface)
{
	json_t *list = json_array();

	if (iface)
		json_array_append_new(list, status_iface(iface));
	return json_pack("{s:o, s:o}", "system", status_system(s), "interfaces", list);
}

#define has(text, want)	ok(strstr(text, want), "%.*s", (int)strcspn(want, "\n"), want)

static void nothing(void)
{
	struct link link = { 0 };
	struct iface iface = { .link = &link, .irq = { .number = -1, .pin = -1 } };
	struct system s = { 0 };
	json_t *tree = one(&s, NULL);
	char *text = print(tree);

	has(text, "There is no CAN interface");
	has(text, "canpipe-dkms is not installed");
	ok(json_is_null(json_object_get(json_object_get(tree, "system"), "config")),
	   "no config.txt is null");
	free(text);
	json_decref(tree);

	tree = one(&s, &iface);
	text = print(tree);
	has(text, "driver none");
	has(text, "lost       nothing\n");
	ok(!strstr(text, "(null)"), "nothing is printed as (null)");
	ok(json_is_null(json_object_get(json_array_get(json_object_get(tree, "interfaces"), 0), "can")),
	   "no controller is null");
	free(text);
	json_decref(tree);
}

static void everything(void)
{
	struct link_counter counters[] = { { "rx_overflows", 7 }, { "irq_lost", 0 },
					   { "\xff\xfe", 1 } };
	struct link link = {
		.name = "can0", .kind = "can", .up = true, .is_can = true, .has_state = true,
		.has_berr = true, .has_restart_ms = true, .state = CAN_STATE_BUS_OFF,
		.berr = { .txerr = 248, .rxerr = 1 }, .clock = 8000000, .restart_ms = 100,
		.timing = { .bitrate = 500000, .sample_point = 875 },
		.ctrlmode = CAN_CTRLMODE_ONE_SHOT | CAN_CTRLMODE_CC_LEN8_DLC,
		.qdisc = "pfifo_fast", .txqueuelen = 1000, .qdisc_backlog = 3, .qdisc_drops = 2,
		.stats = { .rx_packets = 1ULL << 40 }, .can_stats = { .bus_off = 4 },
		.counters = counters, .counter_count = 3,
	};
	struct iface iface = {
		.link = &link, .bus = BUS_SPI, .device = "spi0.0", .driver = "mcp251x",
		.compatible = "microchip,mcp2515", .ours = true, .crystal_hz = 16000000,
		.crystal_khz = 8000, .trigger = TRIGGER_EDGE,
		.spi = { .controller = "3f204000.spi", .driver = "spi-bcm2835dma", .chip_select = 1,
			 .asked_hz = 10000000, .limit_hz = 10000000, .core_hz = 400000000,
			 .core_now_hz = 250000000, .real_hz = 6250000, .by_dma = true },
		.irq = { .number = 184, .chip = "gpio", .count = 12345678901, .pin = 0 },
	};
	struct module_param params[] = { { "coalesce", "1" }, { "secret", NULL } };
	struct module module = {
		.name = "mcp251x", .loaded = true, .id = { "0.1.0", "AA" },
		.file_id = { "0.2.0", "BB" }, .file = "/new.ko", .file_read = true, .loaded_file = "/old.ko",
		.params = params, .param_count = 2,
	};
	struct system s = {
		.release = "6.1", .kernel_arch = "aarch64", .user_arch = "arm64", .package = "0.2.0",
		.headers = HEADERS_WRONG, .headers_of = "6.6", .modules = &module,
		.module_count = 1, .model = "bad \xff text",
		.config = { .path = "/boot/firmware/config.txt", .count = 2,
			    .lines = (char *[]){ "dtoverlay=mcp2515-can0", "gpu_mem=16" } },
	};
	json_t *tree = one(&s, &iface);
	char *text = print(tree);

	has(text, "can0: up, bus-off\n");
	has(text, "headers wrong (those of 6.6 are there)");
	has(text, "/boot/firmware/config.txt\n  dtoverlay=mcp2515-can0\nmodules\n");
	has(text, "mcp251x         canpipe's, stale, version 0.1.0\n");
	has(text, "loaded from /old.ko, the next time from /new.ko\n");
	has(text, "coalesce=1 secret=? \n");
	has(text, "microchip,mcp2515 at spi0.0 on the spi bus, driver mcp251x of canpipe");
	has(text, "3f204000.spi, driver spi-bcm2835dma by DMA, chip select 1\n");
	has(text, "clock 6250000 Hz, asked for 10000000 Hz, the chip stands 10000000 Hz; core clock 400000000 Hz, now 250000000 Hz\n");
	has(text, "184 of gpio, edge, 12345678901 so far, the pin is low\n");
	has(text, "500000 bit/s, sample point 87.5 %, clock 8000000 Hz (crystal 16000000 Hz), MEASURED 8000000 Hz\n");
	has(text, "modes      one-shot, cc-len8-dlc\n");
	has(text, "counters tx 248, rx 1; restart-ms 100\n");
	has(text, "events     bus off 4\n");
	has(text, "queue      pfifo_fast, length 1000, 3 wait\n");
	has(text, "counters   rx frames 1099511627776\n");
	has(text, "lost       rx controller full 7, tx queue full 2\n");
	has(text, "driver     rx overflows 7\n");
	ok(json_is_null(json_object_get(json_object_get(tree, "system"), "model")),
	   "a text that is no text is null");
	free(text);
	json_decref(tree);

	/* a name can be any bytes but a slash */
	strcpy(link.name, "\xff");
	tree = one(&s, &iface);
	ok(json_is_object(json_array_get(json_object_get(tree, "interfaces"), 0)),
	   "an interface whose name is no text");
	json_decref(tree);
}

int main(void)
{
	nothing();
	everything();
	return tap_done();
}
