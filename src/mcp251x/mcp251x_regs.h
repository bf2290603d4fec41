/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MCP2510, MCP2515, MCP25625: SPI instructions and registers
 *
 * Numbers in comments are sections of the MCP2515 data sheet, DS20001801J.
 */
#ifndef MCP251X_REGS_H
#define MCP251X_REGS_H

/* SPI instructions (12.0) */
#define MCP251X_INSN_RESET		0xc0
#define MCP251X_INSN_READ		0x03	/* address, data in... */
#define MCP251X_INSN_WRITE		0x02	/* address, data out... */
#define MCP251X_INSN_BIT_MODIFY		0x05	/* address, mask, data */
#define MCP251X_INSN_READ_STATUS	0xa0
#define MCP251X_INSN_RX_STATUS		0xb0
/* From SIDH or from D0; RXnIF is cleared when the chip select rises (12.4) */
#define MCP251X_INSN_READ_RX(n)		(0x90 | (n) << 2)
#define MCP251X_INSN_READ_RX_DATA(n)	(0x92 | (n) << 2)
/* From SIDH (12.6) */
#define MCP251X_INSN_LOAD_TX(n)		(0x40 | (n) << 1)
#define MCP251X_INSN_RTS(mask)		(0x80 | (mask))

/* READ STATUS (figure 12-8) */
#define MCP251X_STATUS_RX0IF		0x01
#define MCP251X_STATUS_RX1IF		0x02
#define MCP251X_STATUS_TXREQ(n)		(0x04 << 2 * (n))
#define MCP251X_STATUS_TXIF(n)		(0x08 << 2 * (n))

/* Acceptance filters and masks: SIDH, SIDL, EID8, EID0; configuration mode only (4.5) */
static inline unsigned int mcp251x_rxf(unsigned int n)
{
	return n < 3 ? 4 * n : 0x10 + 4 * (n - 3);
}

#define MCP251X_RXM(n)			(0x20 + 4 * (n))
#define MCP251X_RXF_COUNT		6
#define MCP251X_RXF_SIDL_EXIDE		0x08

#define MCP251X_BFPCTRL			0x0c
#define MCP251X_BFPCTRL_BFS(n)		(0x10 << (n))
#define MCP251X_BFPCTRL_BFE(n)		(0x04 << (n))
#define MCP251X_BFPCTRL_BFM(n)		(0x01 << (n))

#define MCP251X_TXRTSCTRL		0x0d
#define MCP251X_TXRTSCTRL_RTS(n)	(0x08 << (n))
#define MCP251X_TXRTSCTRL_RTSM(n)	(0x01 << (n))

#define MCP251X_CANSTAT			0x0e
#define MCP251X_CANCTRL			0x0f
#define MCP251X_CANCTRL_REQOP_MASK	0xe0	/* CANSTAT: OPMODE */
#define MCP251X_CANCTRL_REQOP_NORMAL	0x00
#define MCP251X_CANCTRL_REQOP_SLEEP	0x20
#define MCP251X_CANCTRL_REQOP_LOOPBACK	0x40
#define MCP251X_CANCTRL_REQOP_LISTEN	0x60
#define MCP251X_CANCTRL_REQOP_CONFIG	0x80
#define MCP251X_CANCTRL_ABAT		0x10
#define MCP251X_CANCTRL_OSM		0x08
#define MCP251X_CANCTRL_CLKEN		0x04
#define MCP251X_CANCTRL_CLKPRE_MASK	0x03

#define MCP251X_TEC			0x1c
#define MCP251X_REC			0x1d

/* Bit timing; configuration mode only (5.0) */
#define MCP251X_CNF3			0x28
#define MCP251X_CNF3_SOF		0x80
#define MCP251X_CNF3_WAKFIL		0x40
#define MCP251X_CNF3_PHSEG2_MASK	0x07
#define MCP251X_CNF2			0x29
#define MCP251X_CNF2_BTLMODE		0x80
#define MCP251X_CNF2_SAM		0x40
#define MCP251X_CNF2_PHSEG1_MASK	0x38
#define MCP251X_CNF2_PRSEG_MASK		0x07
#define MCP251X_CNF1			0x2a
#define MCP251X_CNF1_SJW_MASK		0xc0
#define MCP251X_CNF1_BRP_MASK		0x3f

/* CANINTE and CANINTF have the same bits (7.0). */
#define MCP251X_CANINTE			0x2b
#define MCP251X_CANINTF			0x2c
#define MCP251X_INT_MERR		0x80
#define MCP251X_INT_WAK			0x40
#define MCP251X_INT_ERR			0x20
#define MCP251X_INT_TX(n)		(0x04 << (n))
#define MCP251X_INT_TX_MASK		0x1c
#define MCP251X_INT_TX_SHIFT		2
#define MCP251X_INT_RX(n)		(0x01 << (n))
#define MCP251X_INT_RX_MASK		0x03

#define MCP251X_EFLG			0x2d
#define MCP251X_EFLG_RX1OVR		0x80
#define MCP251X_EFLG_RX0OVR		0x40
#define MCP251X_EFLG_OVR_MASK		0xc0
#define MCP251X_EFLG_TXBO		0x20
#define MCP251X_EFLG_TXEP		0x10
#define MCP251X_EFLG_RXEP		0x08
#define MCP251X_EFLG_TXWAR		0x04
#define MCP251X_EFLG_RXWAR		0x02
#define MCP251X_EFLG_EWARN		0x01

/* Transmit buffers: CTRL, SIDH, SIDL, EID8, EID0, DLC, D0..D7 (3.0) */
#define MCP251X_TXBCTRL(n)		(0x30 + 0x10 * (n))
#define MCP251X_TXBCTRL_ABTF		0x40
#define MCP251X_TXBCTRL_MLOA		0x20
#define MCP251X_TXBCTRL_TXERR		0x10
#define MCP251X_TXBCTRL_TXREQ		0x08
#define MCP251X_TXBCTRL_TXP_MASK	0x03
#define MCP251X_TXB_COUNT		3

/* Receive buffers: CTRL, SIDH, SIDL, EID8, EID0, DLC, D0..D7 (4.0) */
#define MCP251X_RXBCTRL(n)		(0x60 + 0x10 * (n))
#define MCP251X_RXBCTRL_RXM_MASK	0x60
#define MCP251X_RXBCTRL_RXM_ANY		0x60
#define MCP251X_RXBCTRL_RXM_FILTER	0x00
#define MCP251X_RXBCTRL_BUKT		0x04	/* of RXB0 */
#define MCP251X_RXBSIDH(n)		(0x61 + 0x10 * (n))
#define MCP251X_RXB_COUNT		2

/* A buffer's frame, from SIDH on */
#define MCP251X_BUF_SIDH		0
#define MCP251X_BUF_SIDL		1
#define MCP251X_BUF_EID8		2
#define MCP251X_BUF_EID0		3
#define MCP251X_BUF_DLC			4
#define MCP251X_BUF_DATA		5
#define MCP251X_BUF_SIZE		13

#define MCP251X_SIDL_SID_SHIFT		5
#define MCP251X_SIDL_SRR		0x10	/* received standard frame: remote */
#define MCP251X_SIDL_IDE		0x08	/* sent: EXIDE */
#define MCP251X_SIDL_EID_MASK		0x03
#define MCP251X_DLC_RTR			0x40	/* sent, or received extended frame */
#define MCP251X_DLC_MASK		0x0f

#endif
