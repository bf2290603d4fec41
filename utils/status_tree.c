// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe status: the tree. Names are part of the interface; what is unknown is null.
 */

#include "status.h"

#include <string.h>

/* not in the headers of Debian 11 */
#ifndef CAN_CTRLMODE_CC_LEN8_DLC
#define CAN_CTRLMODE_CC_LEN8_DLC	0x100
#endif

static json_t *text(const char *s)
{
	json_t *value = s && *s ? json_string(s) : NULL;

	/* a text that is not UTF-8 comes from a broken device tree; null is all that can be said */
	return value ? value : json_null();
}

/* zero means unknown */
static json_t *known(long long n)
{
	return n ? json_integer(n) : json_null();
}

static json_t *module_tree(const struct module *m)
{
	json_t *params = json_object();
	const char *state = "not loaded";
	size_t i;

	for (i = 0; i < m->param_count; i++)
		json_object_set_new(params, m->params[i].name, text(m->params[i].value));
	if (m->loaded)
		state = module_is_stale(m) ? "stale" : "loaded";
	return json_pack("{s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "state", state,
			 "version", text(m->id.version),
			 "canpipe", module_id_ours(m->loaded ? &m->id : &m->file_id),
			 "srcversion", text(m->id.srcversion),
			 "loaded_from", text(m->loaded_file),
			 "file", text(m->file),
			 "file_version", text(m->file_id.version),
			 "file_srcversion", text(m->file_id.srcversion),
			 "parameters", params);
}

/* what config.txt asks of the firmware that matters here */
static json_t *config_tree(const struct config *c)
{
	static const char *const words[] = { "can", "mcp251", "spi", "core_freq", "force_turbo",
		"arm_64bit" };
	json_t *lines;
	size_t i, j;

	if (!c->path)
		return json_null();
	lines = json_array();
	for (i = 0; i < c->count; i++) {
		for (j = 0; j < sizeof(words) / sizeof(words[0]); j++) {
			if (strstr(c->lines[i], words[j])) {
				json_array_append_new(lines, text(c->lines[i]));
				break;
			}
		}
	}
	return json_pack("{s:s, s:o}", "file", c->path, "lines", lines);
}

json_t *status_system(const struct system *s)
{
	static const char *const headers[] = {
		[HEADERS_THERE] = "installed",
		[HEADERS_MISSING] = "missing",
		[HEADERS_WRONG] = "wrong",
	};
	json_t *modules = json_object();
	size_t i;

	for (i = 0; i < s->module_count; i++)
		if (s->modules[i].loaded || s->modules[i].file)
			json_object_set_new(modules, s->modules[i].name,
					    module_tree(&s->modules[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "kernel", text(s->release),
			 "kernel_architecture", text(s->kernel_arch),
			 "user_architecture", text(s->user_arch),
			 "model", text(s->model),
			 "headers", headers[s->headers],
			 "headers_of", text(s->headers_of),
			 "canpipe_dkms", text(s->package),
			 "rmem_default", known(s->rmem_default),
			 "rmem_max", known(s->rmem_max),
			 "config", config_tree(&s->config),
			 "modules", modules);
}

static json_t *spi_tree(const struct iface *iface)
{
	const struct iface_spi *spi = &iface->spi;

	if (iface->bus != BUS_SPI)
		return json_null();
	return json_pack("{s:o, s:o, s:i, s:b, s:o, s:o, s:o, s:o, s:o}",
			 "controller", text(spi->controller),
			 "driver", text(spi->driver),
			 "chip_select", spi->chip_select,
			 "prepared_dma", spi->by_dma,
			 "asked_hz", known(spi->asked_hz),
			 "limit_hz", known(spi->limit_hz),
			 "core_hz", known(spi->core_hz),
			 "core_now_hz", known(spi->core_now_hz),
			 "effective_hz", known(spi->real_hz));
}

static json_t *irq_tree(const struct iface *iface)
{
	static const char *const triggers[] = {
		[TRIGGER_UNKNOWN] = "", [TRIGGER_LEVEL] = "level", [TRIGGER_EDGE] = "edge",
	};
	const struct iface_irq *irq = &iface->irq;

	if (irq->number < 0)
		return json_pack("{s:n, s:n, s:o, s:n, s:n}", "number", "chip",
				 "trigger", text(triggers[iface->trigger]), "count", "pin");
	return json_pack("{s:i, s:o, s:o, s:I, s:o}",
			 "number", irq->number,
			 "chip", text(irq->chip),
			 "trigger", text(triggers[iface->trigger]),
			 "count", (json_int_t)irq->count,
			 "pin", irq->pin < 0 ? json_null() : json_integer(irq->pin));
}

static json_t *timing_tree(const struct link *link)
{
	const struct can_bittiming *t = &link->timing;

	if (!t->bitrate)
		return json_null();
	return json_pack("{s:i, s:f, s:i, s:i, s:i, s:i, s:i, s:i}",
			 "bitrate", t->bitrate,
			 "sample_point", t->sample_point / 1000.0,
			 "tq_ns", t->tq,
			 "prop_seg", t->prop_seg,
			 "phase_seg1", t->phase_seg1,
			 "phase_seg2", t->phase_seg2,
			 "sjw", t->sjw,
			 "brp", t->brp);
}

static json_t *modes_tree(uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} modes[] = {
		{ CAN_CTRLMODE_LOOPBACK, "loopback" },
		{ CAN_CTRLMODE_LISTENONLY, "listen-only" },
		{ CAN_CTRLMODE_3_SAMPLES, "triple-sampling" },
		{ CAN_CTRLMODE_ONE_SHOT, "one-shot" },
		{ CAN_CTRLMODE_BERR_REPORTING, "berr-reporting" },
		{ CAN_CTRLMODE_FD, "fd" },
		{ CAN_CTRLMODE_PRESUME_ACK, "presume-ack" },
		{ CAN_CTRLMODE_FD_NON_ISO, "fd-non-iso" },
		{ CAN_CTRLMODE_CC_LEN8_DLC, "cc-len8-dlc" },
	};
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (flags & modes[i].flag)
			json_array_append_new(list, json_string(modes[i].name));
	return list;
}

static const char *state_name(const struct link *link)
{
	static const char *const names[] = {
		[CAN_STATE_ERROR_ACTIVE] = "error-active",
		[CAN_STATE_ERROR_WARNING] = "error-warning",
		[CAN_STATE_ERROR_PASSIVE] = "error-passive",
		[CAN_STATE_BUS_OFF] = "bus-off",
		[CAN_STATE_STOPPED] = "stopped",
		[CAN_STATE_SLEEPING] = "sleeping",
	};

	if (!link->has_state || link->state >= sizeof(names) / sizeof(names[0]))
		return NULL;
	return names[link->state];
}

static json_t *can_tree(const struct iface *iface)
{
	const struct link *link = iface->link;
	const struct can_device_stats *c = &link->can_stats;

	if (!link->is_can)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:i, s:i, s:i, s:i, s:i, s:i}}",
			 "state", text(state_name(link)),
			 "tx_errors", link->has_berr ? json_integer(link->berr.txerr) : json_null(),
			 "rx_errors", link->has_berr ? json_integer(link->berr.rxerr) : json_null(),
			 "restart_ms", link->has_restart_ms ? json_integer(link->restart_ms) :
			 json_null(),
			 "crystal_hz", known(iface->crystal_hz),
			 "crystal_measured_hz", known(iface->crystal_khz * 1000LL),
			 "clock_hz", known(link->clock),
			 "bit_timing", timing_tree(link),
			 "modes", modes_tree(link->ctrlmode),
			 "events",
			 "restarts", c->restarts,
			 "bus_errors", c->bus_error,
			 "arbitration_lost", c->arbitration_lost,
			 "error_warning", c->error_warning,
			 "error_passive", c->error_passive,
			 "bus_off", c->bus_off);
}

static json_t *counters_tree(const struct link *link)
{
	const struct rtnl_link_stats64 *n = &link->stats;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "rx_frames", (json_int_t)n->rx_packets,
			 "rx_bytes", (json_int_t)n->rx_bytes,
			 "rx_errors", (json_int_t)n->rx_errors,
			 "rx_dropped", (json_int_t)n->rx_dropped,
			 "tx_frames", (json_int_t)n->tx_packets,
			 "tx_bytes", (json_int_t)n->tx_bytes,
			 "tx_errors", (json_int_t)n->tx_errors,
			 "tx_dropped", (json_int_t)n->tx_dropped);
}

/* the counter of ethtool if the driver has it, or else that of the interface */
static json_t *cause(const struct link *link, const char *name, uint64_t otherwise)
{
	const struct link_counter *c = link_counter(link, name);

	return json_integer(c ? c->value : otherwise);
}

/* where frames were lost: in the controller, in the driver, on the way to it */
static json_t *losses_tree(const struct link *link)
{
	const struct rtnl_link_stats64 *n = &link->stats;
	const char *chip = link_counter(link, "rx_overruns") ? "rx_overruns" : "rx_overflows";

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I}",
			 "rx_controller_full", cause(link, chip, n->rx_over_errors),
			 "rx_stack_slow", cause(link, "rx_ring_full", n->rx_missed_errors),
			 "rx_no_memory", cause(link, "rx_nomem", 0),
			 "tx_given_up", cause(link, "tx_one_shot_failed", n->tx_aborted_errors),
			 "tx_flushed", cause(link, "tx_flushed", 0),
			 "tx_queue_full", (json_int_t)link->qdisc_drops);
}

static json_t *driver_counters_tree(const struct link *link)
{
	json_t *all = json_object();
	size_t i;

	for (i = 0; i < link->counter_count; i++)
		json_object_set_new(all, link->counters[i].name,
				    json_integer(link->counters[i].value));
	return all;
}

json_t *status_iface(const struct iface *iface)
{
	static const char *const buses[] = {
		[BUS_NONE] = "", [BUS_SPI] = "spi", [BUS_PCI] = "pci",
		[BUS_PLATFORM] = "platform", [BUS_OTHER] = "other",
	};
	const struct link *link = iface->link;

	return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:i, s:o, s:I, s:I, s:o, s:o, s:o, s:o}",
			 "name", text(link->name),
			 "kind", text(link->kind),
			 "up", link->up,
			 "bus", text(buses[iface->bus]),
			 "device", text(iface->device),
			 "compatible", text(iface->compatible),
			 "driver", text(iface->driver ? iface->driver : link->driver),
			 "driver_version", text(link->driver_version),
			 "module", text(iface->module),
			 "canpipe", iface->ours,
			 "chip", text(link->firmware),
			 "spi", spi_tree(iface),
			 "interrupt", irq_tree(iface),
			 "txqueuelen", link->txqueuelen,
			 "qdisc", text(link->qdisc),
			 "queued", (json_int_t)link->qdisc_backlog,
			 "mtu", (json_int_t)link->mtu,
			 "can", can_tree(iface),
			 "counters", counters_tree(link),
			 "losses", losses_tree(link),
			 "driver_counters", driver_counters_tree(link));
}
