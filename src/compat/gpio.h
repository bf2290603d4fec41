/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * canpipe: one face for the GPIO chips of the kernels from 5.10 on
 *
 * As compat.h, for drivers that offer GPIO lines.
 */
#ifndef CANPIPE_COMPAT_GPIO_H
#define CANPIPE_COMPAT_GPIO_H

#include <linux/gpio/driver.h>

/*
 * Setting a line may fail: since 6.15 as a function of another name, since 6.17 under the
 * old name. CANPIPE_GPIO_SET(f) makes canpipe_f, which goes to the member canpipe_set.
 */
#if defined(CANPIPE_HAVE_GPIO_SET_INT)
#define canpipe_set		set
#define canpipe_set_multiple	set_multiple
#elif defined(CANPIPE_HAVE_GPIO_SET_RV)
#define canpipe_set		set_rv
#define canpipe_set_multiple	set_multiple_rv
#else
#define canpipe_set		set
#define canpipe_set_multiple	set_multiple
#endif

#if defined(CANPIPE_HAVE_GPIO_SET_INT) || defined(CANPIPE_HAVE_GPIO_SET_RV)
#define CANPIPE_GPIO_SET(f)						\
static int canpipe_##f(struct gpio_chip *gpio, unsigned int line, int value) \
{									\
	return f(gpio, line, value);					\
}

#define CANPIPE_GPIO_SET_MULTIPLE(f)					\
static int canpipe_##f(struct gpio_chip *gpio, unsigned long *mask,	\
		       unsigned long *bits)				\
{									\
	return f(gpio, mask, bits);					\
}
#else
#define CANPIPE_GPIO_SET(f)						\
static void canpipe_##f(struct gpio_chip *gpio, unsigned int line, int value) \
{									\
	f(gpio, line, value);						\
}

#define CANPIPE_GPIO_SET_MULTIPLE(f)					\
static void canpipe_##f(struct gpio_chip *gpio, unsigned long *mask,	\
			unsigned long *bits)				\
{									\
	f(gpio, mask, bits);						\
}
#endif

#endif
