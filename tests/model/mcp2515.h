/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Microchip MCP2515 (and MCP2510, MCP25625), byte by byte on its SPI side,
 * after the data sheets DS20001801J, DS21801D and DS21291F and the errata
 * DS80179G.
 */
#ifndef MCP2515_MODEL_H
#define MCP2515_MODEL_H

#include "canbus.h"
#include "spi_slave.h"

enum mcp2515_type {
	MCP2515,
	MCP2510,	/* no READ RX BUFFER, LOAD TX BUFFER, RX STATUS; no one-shot, no SOF */
	MCP25625,	/* an MCP2515 with a transceiver, see mcp2515_standby() */
};

/* Documented trouble of the silicon (DS80179G); off unless asked for. */

/* 1, before B2: the oscillator runs on in Sleep mode. */
#define MCP2515_ERRATUM_OSC_RUNS	0x01
/*
 * 2, before B2: an RTS for TXB1 or TXB2 in the first oscillator period of "selected bits"
 * (here: of any bit) of a frame that is being received corrupts that buffer.
 */
#define MCP2515_ERRATUM_TXB_CORRUPT	0x02
/*
 * 3, before B4: "under one condition" the first five identifier bits go out dominant. Which
 * one is not known to us; here: the request came during an intermission.
 */
#define MCP2515_ERRATUM_ID_DOMINANT	0x04
/*
 * 5: a request stays pending as long as chip select stays low after it, when it was made by
 * RTS in SPI mode 1,1 or by writing TXREQ in any mode: the frame is repeated.
 */
#define MCP2515_ERRATUM_REPEAT		0x08

/* What the data sheet leaves open, the other way round than the model's choice. */

/* An error flag cannot be cleared in CANINTF as long as EFLG tells its condition. */
#define MCP2515_OPEN_ERRIF_STICKY	0x0100
/* READ RX BUFFER without a complete data byte does not clear RXnIF. */
#define MCP2515_OPEN_BARE_READ_KEEPS	0x0200
/* What follows D7 in READ RX BUFFER is not CANSTAT, CANCTRL, ... but FFh. */
#define MCP2515_OPEN_READ_RX_ENDS	0x0400
/* Requests to send do not survive bus-off. */
#define MCP2515_OPEN_BUS_OFF_DROPS	0x0800
/* A reset spoils the transmit and receive buffers, filters and masks. */
#define MCP2515_OPEN_RESET_SPOILS	0x1000

enum mcp2515_pin {
	MCP2515_PIN_INT,
	MCP2515_PIN_RX0BF,	/* high when it is not driven */
	MCP2515_PIN_RX1BF,
	MCP2515_PIN_SOF,	/* CLKOUT as start-of-frame signal: a pulse */
	MCP2515_PIN_COUNT
};

/**
 * struct mcp2515_config - one chip and its surroundings
 * @type: the chip
 * @osc_hz: its crystal, 1 to 40 MHz
 * @switches: MCP2515_ERRATUM_... and MCP2515_OPEN_...
 * @undriven: what the master reads while the chip does not drive SO
 * @mode_delay_ns: a change of mode takes at least that long
 */
struct mcp2515_config {
	enum mcp2515_type type;
	uint32_t osc_hz;
	unsigned int switches;
	uint8_t undriven;
	uint64_t mode_delay_ns;
};

enum mcp2515_instruction {
	MCP2515_RESET, MCP2515_READ, MCP2515_READ_RX, MCP2515_WRITE, MCP2515_LOAD_TX, MCP2515_RTS,
	MCP2515_READ_STATUS, MCP2515_RX_STATUS, MCP2515_BIT_MODIFY, MCP2515_UNKNOWN,
	MCP2515_INSTRUCTIONS
};

extern const char *const mcp2515_instruction_name[MCP2515_INSTRUCTIONS];

struct mcp2515_stats {
	uint64_t instructions[MCP2515_INSTRUCTIONS];
	uint64_t spi_bytes;		/* complete ones, those that were ignored too */
	uint64_t spi_selects;		/* falling edges of chip select */
	uint64_t aborted;		/* bytes that were cut */
	uint64_t ignored;		/* bytes while the oscillator starts, or in reset */
	uint64_t short_deselect;	/* chip select was high for less than 50 ns */
	uint64_t fast_bytes;		/* SPI clock above 10 MHz (MCP2510: 5 MHz) */
	uint64_t tx_busy_writes;	/* to a transmit buffer whose TXREQ is set */
	uint64_t unsafe_reads;		/* READ RX BUFFER of a buffer that was empty at its start */
	uint64_t rx_valid;		/* valid frames on the bus (own ones in loopback mode) */
	uint64_t rx_stored[2];		/* put into RXB0, RXB1 */
	uint64_t rx_rollover;		/* of those in RXB1: accepted for RXB0 */
	uint64_t rx_overflow[2];	/* lost: RX0OVR, RX1OVR */
	uint64_t rx_filtered;
	uint64_t tx_sent;
	uint64_t tx_lost;		/* attempts that lost arbitration */
	uint64_t tx_errors;		/* attempts that met an error */
	uint64_t tx_repeated;		/* by erratum 5 */
	uint64_t int_edges;		/* falling edges of INT */
	uint64_t sof_pulses;
	uint64_t bus_off;
	uint64_t wakeups;
};

struct mcp2515;

/*
 * pin is called with the new level of an output at each change. The chip has just been powered
 * up: its oscillator starts, its buffers, filters and masks hold garbage.
 */
struct mcp2515 *mcp2515_new(struct sim *sim, struct canbus *bus,
			    const struct mcp2515_config *config,
			    void (*pin)(void *arg, enum mcp2515_pin pin, bool high), void *arg);
void mcp2515_free(struct mcp2515 *m);

/* Its SPI side: modes 0,0 and 1,1, chip select active low. */
struct spi_slave *mcp2515_slave(struct mcp2515 *m);

/* Input pins; all are high at power-up. */
void mcp2515_reset_pin(struct mcp2515 *m, bool high);
void mcp2515_rts_pin(struct mcp2515 *m, unsigned int buffer, bool high);
/* MCP25625: the transceiver sleeps, the controller is cut off from the bus. */
void mcp2515_standby(struct mcp2515 *m, bool standby);

/* The frequency at CLKOUT now; 0 if it is off, or stands still, or tells SOF. */
uint32_t mcp2515_clkout_hz(const struct mcp2515 *m);
bool mcp2515_pin_level(const struct mcp2515 *m, enum mcp2515_pin pin);
/* What READ would get now, without any effect; for tests. */
uint8_t mcp2515_peek(const struct mcp2515 *m, uint8_t addr);
/* What WRITE would do, at once; for tests. */
void mcp2515_poke(struct mcp2515 *m, uint8_t addr, uint8_t value);

const struct mcp2515_stats *mcp2515_stats(const struct mcp2515 *m);
void mcp2515_stats_reset(struct mcp2515 *m);
struct canbus_node *mcp2515_node(struct mcp2515 *m);

#endif
