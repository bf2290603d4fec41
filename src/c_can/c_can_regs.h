/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of the Bosch C_CAN and D_CAN
 *
 * Sources: Bosch C_CAN User's Manual r1.2 (section 3), Bosch D_CAN User's
 * Manual r1.11 (section 3), TI SPNU563A (DCAN chapter) for TI's additions.
 */
#ifndef C_CAN_REGS_H
#define C_CAN_REGS_H

#include <linux/bits.h>

/* CTRL: CAN control register */
#define C_CAN_CTRL_INIT		BIT(0)
#define C_CAN_CTRL_IE		BIT(1)
#define C_CAN_CTRL_SIE		BIT(2)
#define C_CAN_CTRL_EIE		BIT(3)
#define C_CAN_CTRL_DAR		BIT(5)
#define C_CAN_CTRL_CCE		BIT(6)
#define C_CAN_CTRL_TEST		BIT(7)
/* TI: 5 turns the parity check of the message RAM off, anything else is on */
#define C_CAN_CTRL_TI_PMD_MASK	GENMASK(13, 10)
#define C_CAN_CTRL_TI_PMD_OFF	5
/* TI: reset the module; needs Init, clears itself */
#define C_CAN_CTRL_TI_SWR	BIT(15)

/* STS (D_CAN: ES): error and status register */
#define C_CAN_STS_LEC_MASK	GENMASK(2, 0)
#define C_CAN_STS_LEC_NONE	0
#define C_CAN_STS_LEC_STUFF	1
#define C_CAN_STS_LEC_FORM	2
#define C_CAN_STS_LEC_ACK	3
#define C_CAN_STS_LEC_BIT1	4
#define C_CAN_STS_LEC_BIT0	5
#define C_CAN_STS_LEC_CRC	6
#define C_CAN_STS_LEC_UNCHANGED	7
#define C_CAN_STS_TXOK		BIT(3)
#define C_CAN_STS_RXOK		BIT(4)
#define C_CAN_STS_EPASS		BIT(5)
#define C_CAN_STS_EWARN		BIT(6)
#define C_CAN_STS_BOFF		BIT(7)
#define D_CAN_STS_PER		BIT(8)

/* ERRCNT: error counters */
#define C_CAN_ERRCNT_TEC_MASK	GENMASK(7, 0)
#define C_CAN_ERRCNT_REC_MASK	GENMASK(14, 8)
#define C_CAN_ERRCNT_RP		BIT(15)

/* BTR: bit timing; D_CAN has the BRP extension in the same word */
#define C_CAN_BTR_BRP_MASK	GENMASK(5, 0)
#define C_CAN_BTR_SJW_MASK	GENMASK(7, 6)
#define C_CAN_BTR_TSEG1_MASK	GENMASK(11, 8)
#define C_CAN_BTR_TSEG2_MASK	GENMASK(14, 12)
#define D_CAN_BTR_BRPE_MASK	GENMASK(19, 16)

/* INT: the pending cause of the highest priority */
#define C_CAN_INT_STATUS	0x8000
#define C_CAN_INT_ID_MASK	GENMASK(15, 0)

/* TEST: writable while CTRL.Test is set */
#define C_CAN_TEST_SILENT	BIT(3)
#define C_CAN_TEST_LBACK	BIT(4)

/* Bosch D_CAN: CAN function register, hardware configuration status */
#define D_CAN_CFR_RAMINIT	BIT(3)
#define D_CAN_HWS_OBJECTS_MASK	GENMASK(1, 0)

/* IFx command: the mask (C_CAN: COMMASK, D_CAN: CMD bits 23:16) */
#define C_CAN_CMD_WRITE		BIT(7)
#define C_CAN_CMD_MASK		BIT(6)
#define C_CAN_CMD_ARB		BIT(5)
#define C_CAN_CMD_CONTROL	BIT(4)
#define C_CAN_CMD_CLRINTPND	BIT(3)
#define C_CAN_CMD_NEWDAT	BIT(2)	/* read: clear NewDat */
#define C_CAN_CMD_TXRQST	BIT(2)	/* write: set TxRqst and NewDat */
#define C_CAN_CMD_DATA_A	BIT(1)
#define C_CAN_CMD_DATA_B	BIT(0)
#define C_CAN_CMD_DATA		(C_CAN_CMD_DATA_A | C_CAN_CMD_DATA_B)
#define D_CAN_CMD_SHIFT		16

/* IFx command request: object number and busy flag */
#define C_CAN_COMREQ_BUSY	BIT(15)

/* IFx arbitration, 32 bits (C_CAN: ARB1 is the lower half) */
#define C_CAN_ARB_MSGVAL	BIT(31)
#define C_CAN_ARB_XTD		BIT(30)
#define C_CAN_ARB_DIR		BIT(29)	/* 1: transmit */
#define C_CAN_ARB_STD_SHIFT	18

/* IFx message control */
#define C_CAN_MCTRL_NEWDAT	BIT(15)
#define C_CAN_MCTRL_MSGLST	BIT(14)
#define C_CAN_MCTRL_INTPND	BIT(13)
#define C_CAN_MCTRL_UMASK	BIT(12)
#define C_CAN_MCTRL_TXIE	BIT(11)
#define C_CAN_MCTRL_RXIE	BIT(10)
#define C_CAN_MCTRL_TXRQST	BIT(8)
#define C_CAN_MCTRL_EOB		BIT(7)
#define C_CAN_MCTRL_DLC_MASK	GENMASK(3, 0)

#endif
