/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the C_CAN model share. Nothing of this is for others.
 *
 * All three types are kept in the D_CAN's layout of 32-bit words; the C_CAN's
 * 16-bit registers are halves of these words (c_can_map.c). Object numbers are
 * those of the manuals, 1 .. objects.
 *
 *	c_can.c		life cycle, counters, resets
 *	c_can_map.c	where a register is: offsets, lanes, counting
 *	c_can_regs.c	control, status, bit timing, test and the flag registers
 *	c_can_irq.c	status bits and interrupt lines
 *	c_can_if.c	IF1 and IF2, and the basic mode of the C_CAN
 *	c_can_if3.c	TI's IF3
 *	c_can_handler.c	acceptance filter, storing, sending
 *	c_can_power.c	power down, wake up, RAM initialisation, parity
 */
#ifndef C_CAN_INTERNAL_H
#define C_CAN_INTERNAL_H

#include "c_can.h"

#define C_CAN_MAX_OBJECTS 128

/* CTRL */
#define CTRL_INIT	0x00000001u
#define CTRL_IE		0x00000002u
#define CTRL_SIE	0x00000004u
#define CTRL_EIE	0x00000008u
#define CTRL_DAR	0x00000020u
#define CTRL_CCE	0x00000040u
#define CTRL_TEST	0x00000080u
#define CTRL_ABO	0x00000200u	/* TI */
#define CTRL_PMD	0x00003c00u	/* TI; 5: parity off, all else: on */
#define CTRL_PMD_OFF	0x00001400u
#define CTRL_SWR	0x00008000u	/* TI */
#define CTRL_IE1	0x00020000u	/* TI */
#define CTRL_MIL	0x00020000u	/* Bosch D_CAN: objects on line 1 */
#define CTRL_DE1	0x00040000u
#define CTRL_DE2	0x00080000u
#define CTRL_DE3	0x00100000u	/* TI */
#define CTRL_PDR	0x01000000u	/* TI */
#define CTRL_WUBA	0x02000000u	/* TI */

/* STS */
#define STS_LEC		0x007u
#define STS_LEC_UNUSED	0x007u
#define STS_TXOK	0x008u
#define STS_RXOK	0x010u
#define STS_EPASS	0x020u
#define STS_EWARN	0x040u
#define STS_BOFF	0x080u
#define STS_PER		0x100u
#define STS_WAKEUP	0x200u		/* TI */
#define STS_PDA		0x400u		/* TI */

/* TEST */
#define TEST_BASIC	0x004u		/* C_CAN */
#define TEST_SILENT	0x008u
#define TEST_LBACK	0x010u
#define TEST_TX		0x060u		/* what drives the pin */
#define TEST_TX_DOM	0x040u
#define TEST_TX_REC	0x060u
#define TEST_RX		0x080u
#define TEST_EXL	0x100u		/* TI */
#define TEST_RDA	0x200u		/* TI */

/* CFR of Bosch's D_CAN */
#define CFR_CLKSTACK	0x1u
#define CFR_CLKSTREQ	0x2u
#define CFR_RAMINIT	0x8u

/* IFx command: the C_CAN's command mask is the upper half */
#define CMD_CLRAUTOINC	0x20000000u	/* Bosch D_CAN */
#define CMD_BUSY	0x00008000u
#define CMD_DMAACTIVE	0x00004000u	/* D_CAN */
#define CMD_AUTOINC	0x00002000u	/* Bosch D_CAN */
#define CMD_MASK_SHIFT	16
#define CMD_WR		0x80u
#define CMD_MASK	0x40u
#define CMD_ARB		0x20u
#define CMD_CONTROL	0x10u
#define CMD_CLRINTPND	0x08u
#define CMD_NEWDAT	0x04u		/* write: TxRqst */
#define CMD_DATAA	0x02u
#define CMD_DATAB	0x01u

#define MASK_MXTD	0x80000000u
#define MASK_MDIR	0x40000000u
#define MASK_ONE	0x20000000u	/* always reads as one */
#define ARB_MSGVAL	0x80000000u
#define ARB_XTD		0x40000000u
#define ARB_DIR		0x20000000u
#define ARB_ID		0x1fffffffu
#define ARB_STD		0x1ffc0000u	/* 11-bit identifiers */
#define ARB_STD_SHIFT	18

#define MCTRL_NEWDAT	0x8000u
#define MCTRL_MSGLST	0x4000u
#define MCTRL_INTPND	0x2000u
#define MCTRL_UMASK	0x1000u
#define MCTRL_TXIE	0x0800u
#define MCTRL_RXIE	0x0400u
#define MCTRL_RMTEN	0x0200u
#define MCTRL_TXRQST	0x0100u
#define MCTRL_EOB	0x0080u
#define MCTRL_DLC	0x000fu
#define MCTRL_ALL	0xff8fu

#define INT_STATUS	0x8000u

/* A message object; its words have the layout of the IF registers. */
struct c_can_object {
	uint32_t mask;
	uint32_t arb;
	uint32_t mctrl;
	uint8_t data[8];
	bool bad_parity;	/* never written since the power came */
	uint64_t stale_until;	/* STALE_NEWDAT: NEWDAT still lists it */
};

/* IF1 or IF2. */
struct c_can_if {
	uint32_t cmdmask;
	uint32_t number;	/* as written */
	uint32_t mask;
	uint32_t arb;
	uint32_t mctrl;
	uint8_t data[8];
	bool busy;
	bool dma_active;
	bool dma_request;
	bool autoinc;
};

struct c_can_if3 {
	uint32_t obs;		/* sections that must be read */
	uint32_t left[5];	/* bytes not yet read, by section: bit masks */
	bool upd;
	bool dma_request;
	uint32_t mask;
	uint32_t arb;
	uint32_t mctrl;
	uint8_t data[8];
	uint32_t update[C_CAN_MAX_OBJECTS / 32];
};

/* The frame that is being received. */
struct c_can_rx {
	bool pending;		/* header seen, frame not over yet */
	bool valid;		/* over, waits to be stored */
	bool lost;		/* eaten by an erratum */
	unsigned int target;	/* chosen at the header, 0: none */
	struct canbus_frame frame;
};

enum c_can_power {
	C_CAN_POWER_ON,
	C_CAN_POWER_WAIT,	/* requested: pending frames, then bus idle */
	C_CAN_POWER_DOWN,
};

struct c_can {
	struct sim *sim;
	struct c_can_config config;
	unsigned int objects;
	struct canbus_node node;
	struct canbus *bus;
	void (*irq)(void *arg, bool level);
	void *irq_arg;
	struct c_can_stats stats;

	uint32_t ctrl;		/* all but Init */
	bool init;		/* Init as it is in effect */
	bool init_wanted;	/* Init as last written (LATE_INIT) */
	uint32_t sts;		/* all but EPass, EWarn, BOff */
	uint32_t errors;	/* EPass, EWarn, BOff */
	uint32_t btr;
	uint32_t test;
	uint32_t cfr;
	uint32_t perr;
	uint32_t abotr;
	uint32_t tioc;
	uint32_t rioc;
	uint32_t intmux[C_CAN_MAX_OBJECTS / 32];

	bool status_int;	/* the cause 0x8000 */
	bool line[2];

	struct c_can_object object[C_CAN_MAX_OBJECTS + 1];

	struct c_can_if iface[2];
	int if_active;		/* the one that is transferring, -1: none */
	int if_queued;		/* the one that waits for it, -1: none */
	uint64_t if_started;
	uint64_t ram_busy_until;
	struct c_can_if3 if3;

	struct c_can_rx rx;
	struct canbus_frame shift;	/* last frame received (basic mode) */
	unsigned int tx_object;		/* on the wire, 0: none */
	bool tx_basic;			/* basic mode: IF1 is to be sent */
	bool tx_basic_wire;		/* ... and is on the wire */

	enum c_can_power power;
	bool monitor;			/* asleep, listens for bus activity */
	unsigned int monitor_tec, monitor_rec;
	bool ram_start;			/* level of the RAMINIT signal */
	bool ram_done;

	struct sim_event init_event;
	struct sim_event if_event;
	struct sim_event store_event;
	struct sim_event abo_event;
	struct sim_event power_event;
	struct sim_event wake_event;
	struct sim_event ram_event;
};

static inline bool c_can_is_d_can(const struct c_can *c)
{
	return c->config.type != C_CAN_BOSCH;
}

static inline bool c_can_is_ti(const struct c_can *c)
{
	return c->config.type == D_CAN_TI;
}

static inline bool c_can_has_erratum(const struct c_can *c, unsigned int erratum)
{
	return c->config.errata & erratum;
}

/* The test register counts only while CTRL.Test is set. */
static inline uint32_t c_can_test(const struct c_can *c)
{
	return c->ctrl & CTRL_TEST ? c->test : 0;
}

static inline bool c_can_basic(const struct c_can *c)
{
	return c_can_test(c) & TEST_BASIC;
}

static inline uint32_t c_can_bytes_word(const uint8_t *b)
{
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline void c_can_word_bytes(uint8_t *b, uint32_t word)
{
	b[0] = word;
	b[1] = word >> 8;
	b[2] = word >> 16;
	b[3] = word >> 24;
}

/* c_can.c */
uint64_t c_can_clocks_ns(const struct c_can *c, uint64_t clocks);
void c_can_reset_registers(struct c_can *c);

/* c_can_regs.c: @lanes has a one for each bit of the word that is accessed */
uint32_t c_can_ctrl_read(struct c_can *c);
void c_can_ctrl_write(struct c_can *c, uint32_t value, uint32_t lanes);
uint32_t c_can_sts_read(struct c_can *c, uint32_t lanes);
void c_can_sts_write(struct c_can *c, uint32_t value, uint32_t lanes);
uint32_t c_can_errcnt_read(const struct c_can *c);
void c_can_btr_write(struct c_can *c, uint32_t value, uint32_t lanes);
uint32_t c_can_test_read(const struct c_can *c);
void c_can_test_write(struct c_can *c, uint32_t value, uint32_t lanes);
uint32_t c_can_hws_read(const struct c_can *c);
uint32_t c_can_rel_read(const struct c_can *c);
enum c_can_flag {
	C_CAN_FLAG_TXRQST, C_CAN_FLAG_NEWDAT, C_CAN_FLAG_INTPND, C_CAN_FLAG_MSGVAL,
};
uint32_t c_can_flags_read(const struct c_can *c, enum c_can_flag flag, unsigned int word);
uint32_t c_can_flags_x_read(const struct c_can *c, enum c_can_flag flag);
uint32_t c_can_bit_ns(const struct c_can *c);
void c_can_set_init(struct c_can *c, bool init);
void c_can_init_late(void *arg);

/* c_can_irq.c */
void c_can_update_irq(struct c_can *c);
uint32_t c_can_int_read(const struct c_can *c);
void c_can_status_event(struct c_can *c, uint32_t set, int lec);
void c_can_error_state(struct c_can *c);

/* c_can_if.c */
uint32_t c_can_if_read(struct c_can *c, unsigned int i, unsigned int word, uint32_t lanes);
void c_can_if_write(struct c_can *c, unsigned int i, unsigned int word, uint32_t value,
		    uint32_t lanes);
void c_can_if_done(void *arg);
void c_can_if_reset(struct c_can *c);
void c_can_ram_access(struct c_can *c);
uint64_t c_can_if_max_ns(const struct c_can *c);
void c_can_basic_store(struct c_can *c, const struct canbus_frame *frame);

/* c_can_if3.c */
uint32_t c_can_if3_read(struct c_can *c, unsigned int word, uint32_t lanes);
void c_can_if3_write(struct c_can *c, unsigned int word, uint32_t value, uint32_t lanes);
void c_can_if3_update_write(struct c_can *c, unsigned int word, uint32_t value,
			    uint32_t lanes);
void c_can_if3_poll(struct c_can *c);
void c_can_if3_reset(struct c_can *c);

/* c_can_handler.c */
extern const struct canbus_node_ops c_can_node_ops;
enum c_can_touch {
	C_CAN_TOUCH_WRITE,	/* written through an IF */
	C_CAN_TOUCH_READ,	/* read, and flags cleared by the same transfer */
	C_CAN_TOUCH_CLEAR,	/* flags cleared by a transfer that reads nothing */
};
void c_can_object_touched(struct c_can *c, unsigned int n, enum c_can_touch how, bool freed);
void c_can_store(void *arg);
bool c_can_tx_wanted(const struct c_can *c);
void c_can_kick(struct c_can *c);
void c_can_handler_stop(struct c_can *c);

/* c_can_power.c */
bool c_can_parity_check(struct c_can *c, unsigned int n, unsigned int word);
bool c_can_parity_on(const struct c_can *c);
void c_can_power_request(struct c_can *c, bool down);
void c_can_power_check(void *arg);
void c_can_power_monitor(struct c_can *c);
void c_can_activity(struct c_can *c);
void c_can_wake(void *arg);
void c_can_cfr_write(struct c_can *c, uint32_t value, uint32_t lanes);
void c_can_ram_ready(void *arg);
void c_can_abo_fire(void *arg);

#endif
