// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spare pins as GPIO lines: TX0RTS, TX1RTS, TX2RTS are inputs, RX0BF, RX1BF outputs
 *
 * Where the device node is a gpio-controller. The pins work whether the interface is up or
 * down; asleep, the chip keeps its registers and its outputs (10.2). Numbers in parentheses
 * are sections of DS20001801J.
 */

#include "mcp251x.h"

#include <linux/bitfield.h>
#include <linux/gpio/driver.h>
#include <linux/property.h>

#include "../compat/gpio.h"

#ifdef CONFIG_GPIOLIB
/* Lines of the chip */
#define MCP251X_GPIO_INPUTS	3
#define MCP251X_GPIO_IN_MASK	GENMASK(2, 0)
#define MCP251X_GPIO_OUT_MASK	GENMASK(4, 3)

#define MCP251X_TXRTSCTRL_RTS_MASK	GENMASK(5, 3)
#define MCP251X_BFPCTRL_BFS_MASK	GENMASK(5, 4)

static const char *const mcp251x_gpio_names[] = {
	"TX0RTS", "TX1RTS", "TX2RTS", "RX0BF", "RX1BF",
};

static bool mcp251x_gpio_is_input(unsigned int line)
{
	return line < MCP251X_GPIO_INPUTS;
}

/* BFPCTRL as it is wanted, and in the chip (4.4); BnBFM = 0: the level is BnBFS */
static int mcp251x_gpio_update(struct mcp251x_priv *priv, u8 mask, u8 val)
{
	int err;

	mutex_lock(&priv->core_lock);
	priv->bfpctrl = (priv->bfpctrl & ~mask) | (val & mask);
	err = mcp251x_reg_modify(priv, MCP251X_BFPCTRL, mask, val);
	mutex_unlock(&priv->core_lock);
	return err;
}

static int mcp251x_gpio_request(struct gpio_chip *gpio, unsigned int line)
{
	u8 enable = MCP251X_BFPCTRL_BFE(line - MCP251X_GPIO_INPUTS);

	if (mcp251x_gpio_is_input(line))
		return 0;
	return mcp251x_gpio_update(gpiochip_get_data(gpio), enable, enable);
}

static void mcp251x_gpio_free(struct gpio_chip *gpio, unsigned int line)
{
	if (!mcp251x_gpio_is_input(line))
		mcp251x_gpio_update(gpiochip_get_data(gpio),
				    MCP251X_BFPCTRL_BFE(line - MCP251X_GPIO_INPUTS), 0);
}

static int mcp251x_gpio_get_direction(struct gpio_chip *gpio, unsigned int line)
{
	return mcp251x_gpio_is_input(line) ? GPIO_LINE_DIRECTION_IN : GPIO_LINE_DIRECTION_OUT;
}

static int mcp251x_gpio_get_multiple(struct gpio_chip *gpio, unsigned long *mask,
				     unsigned long *bits)
{
	struct mcp251x_priv *priv = gpiochip_get_data(gpio);
	u8 in = 0;
	int err = 0;

	bits[0] = 0;
	mutex_lock(&priv->core_lock);
	if (mask[0] & MCP251X_GPIO_IN_MASK)
		err = mcp251x_reg_read(priv, MCP251X_TXRTSCTRL, &in, 1);
	bits[0] |= FIELD_PREP(MCP251X_GPIO_IN_MASK, FIELD_GET(MCP251X_TXRTSCTRL_RTS_MASK, in));
	bits[0] |= FIELD_PREP(MCP251X_GPIO_OUT_MASK,
			      FIELD_GET(MCP251X_BFPCTRL_BFS_MASK, priv->bfpctrl));
	mutex_unlock(&priv->core_lock);
	bits[0] &= mask[0];
	return err;
}

static int mcp251x_gpio_get(struct gpio_chip *gpio, unsigned int line)
{
	unsigned long mask = BIT(line), bits;
	int err;

	err = mcp251x_gpio_get_multiple(gpio, &mask, &bits);
	return err ? err : !!bits;
}

static int mcp251x_gpio_set_multiple(struct gpio_chip *gpio, unsigned long *mask,
				     unsigned long *bits)
{
	unsigned int out = FIELD_GET(MCP251X_GPIO_OUT_MASK, mask[0]);

	if (!out)
		return 0;
	return mcp251x_gpio_update(gpiochip_get_data(gpio),
				   FIELD_PREP(MCP251X_BFPCTRL_BFS_MASK, out),
				   FIELD_PREP(MCP251X_BFPCTRL_BFS_MASK,
					      FIELD_GET(MCP251X_GPIO_OUT_MASK, bits[0])));
}

static int mcp251x_gpio_set(struct gpio_chip *gpio, unsigned int line, int value)
{
	unsigned long mask = BIT(line), bits = value ? mask : 0;

	return mcp251x_gpio_set_multiple(gpio, &mask, &bits);
}

CANPIPE_GPIO_SET(mcp251x_gpio_set)
CANPIPE_GPIO_SET_MULTIPLE(mcp251x_gpio_set_multiple)

/**
 * mcp251x_gpio_restore() - the chip has lost its pins' state: write it again
 * @priv: interface
 *
 * Context: process, may sleep, core_lock held
 * Return: 0 or the negative error of the SPI controller
 */
int mcp251x_gpio_restore(struct mcp251x_priv *priv)
{
	return mcp251x_reg_write(priv, MCP251X_BFPCTRL, &priv->bfpctrl, 1);
}

/**
 * mcp251x_gpio_setup() - register the GPIO chip, if the device node is one
 * @priv: interface
 *
 * The pins go away with the SPI device.
 *
 * Context: probe
 * Return: 0 or a negative error, which has been reported
 */
int mcp251x_gpio_setup(struct mcp251x_priv *priv)
{
	struct gpio_chip *gpio = &priv->gpio;
	struct device *device = &priv->spi->dev;
	int err;

	if (!device_property_present(device, "gpio-controller"))
		return 0;

	gpio->label = priv->spi->modalias;
	gpio->parent = device;
	gpio->owner = THIS_MODULE;
	gpio->request = mcp251x_gpio_request;
	gpio->free = mcp251x_gpio_free;
	gpio->get_direction = mcp251x_gpio_get_direction;
	gpio->get = mcp251x_gpio_get;
	gpio->get_multiple = mcp251x_gpio_get_multiple;
	gpio->canpipe_set = canpipe_mcp251x_gpio_set;
	gpio->canpipe_set_multiple = canpipe_mcp251x_gpio_set_multiple;
	gpio->base = -1;
	gpio->ngpio = ARRAY_SIZE(mcp251x_gpio_names);
	gpio->names = mcp251x_gpio_names;
	gpio->can_sleep = true;

	err = gpiochip_add_data(gpio, priv);
	if (err)
		return dev_err_probe(device, err, "cannot register the GPIO lines\n");
	priv->gpio_registered = true;
	return 0;
}

/**
 * mcp251x_gpio_cleanup() - undo mcp251x_gpio_setup()
 * @priv: interface
 *
 * Context: process, may sleep
 */
void mcp251x_gpio_cleanup(struct mcp251x_priv *priv)
{
	if (priv->gpio_registered)
		gpiochip_remove(&priv->gpio);
}
#else
int mcp251x_gpio_restore(struct mcp251x_priv *priv)
{
	return 0;
}

int mcp251x_gpio_setup(struct mcp251x_priv *priv)
{
	return 0;
}

void mcp251x_gpio_cleanup(struct mcp251x_priv *priv)
{
}
#endif
