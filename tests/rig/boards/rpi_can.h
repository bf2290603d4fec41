/* SPDX-License-Identifier: GPL-2.0-only */
/* CAN controllers behind the SPI of the board rpi: MCP2515 and its kin. */
#ifndef RPI_CAN_H
#define RPI_CAN_H

#include "bcm2835_soc.h"
#include "boards.h"
#include "mcp2515.h"

/**
 * struct rpi_can_options - what `--boardopt name=value` says about these chips
 * @chip: switches ("can-errata=repeat+errif-sticky") and "mode-delay" (ns)
 * @osc: what the device tree says of the crystal ("osc")
 * @crystal: what it really is, Hz; 0: the same ("crystal")
 */
struct rpi_can_options {
	struct mcp2515_config chip;
	uint32_t osc;
	uint32_t crystal;
};

#define RPI_CAN_OSC	16000000u
#define RPI_CAN_KINDS	"mcp2515, mcp2510, mcp25625"
#define RPI_CAN_ERRATA	"none, osc-runs, txb-corrupt, id-dominant, repeat, errif-sticky, " \
			"bare-read-keeps, read-rx-ends, bus-off-drops, reset-spoils, joined by +"

/* What a test may do to the wire of an INT pin. */
enum rpi_can_int {
	RPI_CAN_INT_WIRED,
	RPI_CAN_INT_HIGH,	/* it stays high */
	RPI_CAN_INT_LOW,	/* it stays low */
	RPI_CAN_INT_HIDE,	/* its next time low is not seen */
	RPI_CAN_INT_COUNT
};

/* What a test may do to its SO. */
enum rpi_can_so {
	RPI_CAN_SO_WIRED,
	RPI_CAN_SO_LOW,
	RPI_CAN_SO_HIGH,
	RPI_CAN_SO_COUNT
};

struct rpi_can;

bool rpi_can_type(const char *kind, enum mcp2515_type *type);
/* "a+b+c"; false when a name is not known */
bool rpi_can_errata(struct rpi_can_options *o, const char *text);

/* Chip @n of the board: its INT is wired to @pin. */
struct rpi_can *rpi_can_new(struct sim *sim, struct canbus *bus, struct bcm2835_soc *soc,
			    const struct rpi_can_options *o, enum mcp2515_type type,
			    unsigned int pin);
void rpi_can_free(struct rpi_can *c);
struct mcp2515 *rpi_can_chip(struct rpi_can *c);
struct spi_slave *rpi_can_slave(struct rpi_can *c);
void rpi_can_int(struct rpi_can *c, enum rpi_can_int what);
/* The two pins are one wire, which is low when one of them is (as with two diodes). */
void rpi_can_share_int(struct rpi_can *a, struct rpi_can *b);
void rpi_can_so(struct rpi_can *c, enum rpi_can_so what);
/* One bit of every @period-th byte is wrong, of SO and of SI in turn; 0: none. */
void rpi_can_flip(struct rpi_can *c, uint32_t period);
void rpi_can_counters_reset(struct rpi_can *c);
/* Counters as JSON members: "can0_instr_read": 1, ... */
void rpi_can_counters(const struct rpi_can *c, const char *prefix, FILE *out);

#endif
