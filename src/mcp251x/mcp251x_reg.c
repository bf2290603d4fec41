// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers, for all that is not in a hurry
 *
 * While the machine runs it is asked, else spi_sync() does.
 */

#include "mcp251x.h"

/* While the machine does not run, with chip select for each instruction on its own */
static int mcp251x_reg_direct(struct mcp251x_priv *priv, struct mcp251x_request *request)
{
	u8 tx[2 + MCP251X_REQUEST_MAX] = { request->insn, request->reg };

	if (request->insn == MCP251X_INSN_READ)
		return spi_write_then_read(priv->spi, tx, 2, request->data, request->len);
	memcpy(tx + 2, request->data, request->len);
	return spi_write_then_read(priv->spi, tx, 2 + request->len, NULL, 0);
}

static int mcp251x_reg_request(struct mcp251x_priv *priv, struct mcp251x_request *request)
{
	int err = mcp251x_irq_ask(priv, request);

	/* the machine does not run */
	if (err == -ENETDOWN)
		err = mcp251x_reg_direct(priv, request);
	return err;
}

/**
 * mcp251x_reg_read() - read registers
 * @priv: interface
 * @reg: the first one
 * @data: where to put them
 * @len: how many, up to MCP251X_REQUEST_MAX
 *
 * Context: process, may sleep; nobody may start or stop the machine meanwhile
 * Return: 0 or a negative error
 */
int mcp251x_reg_read(struct mcp251x_priv *priv, u8 reg, void *data, unsigned int len)
{
	struct mcp251x_request request = { .insn = MCP251X_INSN_READ, .reg = reg, .len = len };
	int err;

	if (WARN_ON(len > sizeof(request.data)))
		return -EINVAL;
	err = mcp251x_reg_request(priv, &request);
	if (!err)
		memcpy(data, request.data, len);
	return err;
}

/**
 * mcp251x_reg_write() - write registers
 * @priv: interface
 * @reg: the first one
 * @data: what to put there
 * @len: how many, up to MCP251X_REQUEST_MAX
 *
 * Context: as mcp251x_reg_read()
 * Return: 0 or a negative error
 */
int mcp251x_reg_write(struct mcp251x_priv *priv, u8 reg, const void *data, unsigned int len)
{
	struct mcp251x_request request = { .insn = MCP251X_INSN_WRITE, .reg = reg, .len = len };

	if (WARN_ON(len > sizeof(request.data)))
		return -EINVAL;
	memcpy(request.data, data, len);
	return mcp251x_reg_request(priv, &request);
}

/**
 * mcp251x_reg_modify() - change bits of a register
 * @priv: interface
 * @reg: one of those that know BIT MODIFY (DS20001801J, table 11-1)
 * @mask: bits to change
 * @value: what they shall be
 *
 * Context: as mcp251x_reg_read()
 * Return: 0 or a negative error
 */
int mcp251x_reg_modify(struct mcp251x_priv *priv, u8 reg, u8 mask, u8 value)
{
	struct mcp251x_request request = {
		.insn = MCP251X_INSN_BIT_MODIFY,
		.reg = reg,
		.len = 2,
		.data = { mask, value },
	};

	return mcp251x_reg_request(priv, &request);
}

/**
 * mcp251x_spi_reset() - reset the controller
 * @priv: interface; the machine does not run. Its oscillator has to start again then.
 *
 * Context: process, may sleep
 * Return: 0 or a negative error
 */
int mcp251x_spi_reset(struct mcp251x_priv *priv)
{
	u8 insn = MCP251X_INSN_RESET;

	return spi_write_then_read(priv->spi, &insn, 1, NULL, 0);
}
