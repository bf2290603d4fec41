/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files mcp2515*.c share; nobody else includes this. */
#ifndef MCP2515_INTERNAL_H
#define MCP2515_INTERNAL_H

#include "mcp2515.h"

/* Addresses (DS20001801J, table 11-1). */
#define REGISTERS	0x80
#define ADDR_MASK	0x7f
#define BFPCTRL		0x0c
#define TXRTSCTRL	0x0d
#define CANSTAT		0x0e	/* in every row */
#define CANCTRL		0x0f	/* in every row */
#define TEC		0x1c
#define REC		0x1d
#define RXM0		0x20
#define RXM1		0x24
#define CNF3		0x28
#define CNF2		0x29
#define CNF1		0x2a
#define CANINTE		0x2b
#define CANINTF		0x2c
#define EFLG		0x2d
#define TXB(n)		(0x30 + 0x10 * (n))
#define RXB(n)		(0x60 + 0x10 * (n))

/* Offsets within a buffer. */
#define SIDH	1
#define SIDL	2
#define EID8	3
#define EID0	4
#define DLC	5
#define DATA	6

#define SIDL_SRR	0x10
#define SIDL_IDE	0x08	/* EXIDE in transmit buffers and filters */
#define DLC_RTR		0x40

#define CTRL_REQOP	0xe0
#define CTRL_REQOP_SHIFT 5
#define CTRL_ABAT	0x10
#define CTRL_OSM	0x08
#define CTRL_CLKEN	0x04
#define CTRL_CLKPRE	0x03
#define CTRL_RESET	0x87

#define CNF3_SOF	0x80
#define CNF2_BTLMODE	0x80

#define INT_MERR	0x80
#define INT_WAK		0x40
#define INT_ERR		0x20
#define INT_TX0		0x04
#define INT_RX0		0x01
#define INT_RX(n)	(INT_RX0 << (n))
#define INT_TX(n)	(INT_TX0 << (n))

#define EFLG_RXOVR(n)	(0x40 << (n))
#define EFLG_OVR	0xc0
#define EFLG_TXBO	0x20
#define EFLG_TXEP	0x10
#define EFLG_RXEP	0x08
#define EFLG_TXWAR	0x04
#define EFLG_RXWAR	0x02
#define EFLG_EWARN	0x01

#define TXB_ABTF	0x40
#define TXB_MLOA	0x20
#define TXB_TXERR	0x10
#define TXB_TXREQ	0x08
#define TXB_TXP		0x03

#define RXB_RXM		0x60
#define RXB_RXM_ALL	0x60
#define RXB_RXM_EXT	0x40	/* DS21801: extended frames only, by the filters */
#define RXB_RXM_STD	0x20
#define RXB_RXRTR	0x08
#define RXB_BUKT	0x04
#define RXB_BUKT1	0x02

enum mcp2515_mode {
	MODE_NORMAL, MODE_SLEEP, MODE_LOOPBACK, MODE_LISTEN, MODE_CONFIG, MODE_INVALID,
};

#define TX_BUFFERS	3
#define NO_BUFFER	-1
#define BUFFER_BYTES	13	/* SIDH to D7 */
#define OST_CLOCKS	128
#define SLEEP_CLOCKS	16	/* CLKOUT goes on that long */
#define MIN_DESELECT_NS	50

/**
 * struct mcp2515_spi - the instruction under way
 * @selected: chip select is low
 * @mode_11: the byte is clocked in SPI mode 1,1
 * @deaf: what comes until chip select rises is ignored
 * @count: complete bytes so far
 * @kind: after the first one
 * @addr: the address pointer
 * @mask: of BIT MODIFY
 * @acknowledge: RXnIF to clear when chip select rises
 * @read_end: the byte after this address is beyond the receive buffer
 * @held: buffers whose request erratum 5 keeps pending
 */
struct mcp2515_spi {
	bool selected;
	bool mode_11;
	bool deaf;
	unsigned int count;
	enum mcp2515_instruction kind;
	uint8_t addr;
	uint8_t mask;
	uint8_t acknowledge;
	uint8_t read_end;
	uint8_t held;
	uint64_t deselected_at;
};

/**
 * struct mcp2515 - the chip
 * @reg: the registers as they are stored; what is computed is not kept here
 * @mab: message assembly buffer, laid out like a receive buffer from SIDH on. Bytes that a
 *	frame does not have keep what they held
 * @mode: OPMODE
 * @mode_asked: a change of mode waits
 * @mode_from: ... until this time at least
 * @wire_busy: ... and an error frame is on the wire until then
 * @busy_until: the oscillator starts until then
 * @sof_at: the frame on the wire began then
 * @intermission_at: the last frame ended then
 * @tx: the buffer that is on the wire, or NO_BUFFER
 * @tx_asked_at: when TXREQ was set
 * @eflg: the bits that follow the counters, to see which are new
 */
struct mcp2515 {
	struct sim *sim;
	struct mcp2515_config config;
	struct mcp2515_stats stats;
	struct canbus_node node;
	struct spi_slave slave;
	struct mcp2515_spi spi;
	uint8_t reg[REGISTERS];
	uint8_t mab[BUFFER_BYTES];
	enum mcp2515_mode mode;
	bool mode_asked;
	uint64_t mode_from;
	uint64_t wire_busy;
	uint64_t busy_until;
	uint64_t clkout_until;
	uint64_t sof_at;
	uint64_t intermission_at;
	int tx;
	uint64_t tx_asked_at[TX_BUFFERS];
	uint8_t eflg;
	bool in_reset;
	bool standby;
	bool rts[TX_BUFFERS];
	bool level[MCP2515_PIN_COUNT];
	void (*pin)(void *arg, enum mcp2515_pin pin, bool high);
	void *arg;
	struct sim_event mode_event;
	struct sim_event wake_event;
};

static inline bool mcp2515_has(const struct mcp2515 *m, unsigned int switches)
{
	return m->config.switches & switches;
}

/* A number of oscillator periods. */
static inline uint64_t mcp2515_clocks_ns(const struct mcp2515 *m, unsigned int clocks)
{
	return ((uint64_t)clocks * 1000000000 + m->config.osc_hz - 1) / m->config.osc_hz;
}

/* mcp2515.c */
void mcp2515_soft_reset(struct mcp2515 *m);

/* mcp2515_spi.c */
extern const struct spi_slave_ops mcp2515_spi_ops;

/* mcp2515_regs.c */
uint8_t mcp2515_read(const struct mcp2515 *m, uint8_t addr);
void mcp2515_write(struct mcp2515 *m, uint8_t addr, uint8_t value);
void mcp2515_modify(struct mcp2515 *m, uint8_t addr, uint8_t mask, uint8_t value);
void mcp2515_regs_reset(struct mcp2515 *m, bool power_up);
uint8_t mcp2515_read_status(const struct mcp2515 *m);
uint8_t mcp2515_rx_status(const struct mcp2515 *m);

/* mcp2515_irq.c */
uint8_t mcp2515_eflg(const struct mcp2515 *m);
uint8_t mcp2515_icod(const struct mcp2515 *m);
void mcp2515_set_flags(struct mcp2515 *m, uint8_t flags);
void mcp2515_clear_flags(struct mcp2515 *m, uint8_t flags);
void mcp2515_write_flags(struct mcp2515 *m, uint8_t value);
void mcp2515_error_state(struct mcp2515 *m);
void mcp2515_update_pins(struct mcp2515 *m);
void mcp2515_drive(struct mcp2515 *m, enum mcp2515_pin pin, bool high);

/* mcp2515_rx.c */
void mcp2515_rx_frame(struct mcp2515 *m, const struct canbus_frame *frame);

/* mcp2515_tx.c */
bool mcp2515_tx_pending(const struct mcp2515 *m);
void mcp2515_tx_control(struct mcp2515 *m, unsigned int n, uint8_t value);
void mcp2515_tx_request(struct mcp2515 *m, unsigned int n);
void mcp2515_tx_rts(struct mcp2515 *m, unsigned int buffers);
void mcp2515_tx_abort_all(struct mcp2515 *m);
void mcp2515_tx_bus_off(struct mcp2515 *m);
void mcp2515_tx_kick(struct mcp2515 *m);
bool mcp2515_want_tx(void *arg, struct canbus_frame *frame);
void mcp2515_tx_done(void *arg, const struct canbus_frame *frame);
void mcp2515_tx_failed(struct mcp2515 *m, uint8_t flag);

/* mcp2515_mode.c */
uint32_t mcp2515_bit_ns(const struct mcp2515 *m);
void mcp2515_ask_mode(struct mcp2515 *m);
void mcp2515_check_mode(void *arg);
void mcp2515_check_mode_soon(struct mcp2515 *m);
void mcp2515_set_mode(struct mcp2515 *m, enum mcp2515_mode mode);
void mcp2515_wake(struct mcp2515 *m);
void mcp2515_awake(void *arg);
void mcp2515_error_frame(struct mcp2515 *m);
bool mcp2515_busy(const struct mcp2515 *m);

/* mcp2515_node.c */
extern const struct canbus_node_ops mcp2515_node_ops;

#endif
