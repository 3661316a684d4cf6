/* SPDX-License-Identifier: Apache-2.0 */
#include "pio_machine.h"

#include "pio_edges.h"
#include "pio_program.h"

#include <errno.h>
#include <hardware/gpio.h>
#include <hardware/pio_instructions.h>
#include <hardware/timer.h>
#include <zephyr/drivers/misc/pio_rpi_pico/pio_rpi_pico.h>
#include <zephyr/irq.h>
#include <zephyr/sys/util.h>

/** How far ahead a microsecond is chosen, so that it is not over before it is waited for. */
#define AHEAD_US 3u

static const struct pio_program program = {
	.instructions = pio_words,
	.length = ARRAY_SIZE(pio_words),
	.origin = -1,
};

/**
 * Set bits of a register when a microsecond begins. In RAM, as a miss of the flash's cache may last
 * longer than that.
 */
static __ramfunc void set_at(uint32_t at_us, volatile uint32_t *set_alias, uint32_t bits)
{
	while ((int32_t)(timer_hw->timerawl - at_us) < 0) {
	}
	*set_alias = bits;
}

int pio_machine_init(struct pio_machine *machine, const struct device *pio)
{
	int ret;

	if (!device_is_ready(pio)) {
		return -ENODEV;
	}
	machine->pio = pio_rpi_pico_get_pio(pio);
	if (!pio_can_add_program(machine->pio, &program)) {
		return -ENOMEM;
	}
	ret = pio_rpi_pico_allocate_sm(pio, &machine->index);
	if (ret < 0) {
		return ret;
	}
	machine->offset = pio_add_program(machine->pio, &program);
	return dma_ring_claim(&machine->dma);
}

void pio_machine_close_others(uint32_t inputs)
{
	for (uint32_t i = 0; i < NUM_BANK0_GPIOS; i++) {
		if ((inputs & BIT(i)) == 0u) {
			hw_clear_bits(&padsbank0_hw->io[i], PADS_BANK0_GPIO0_IE_BITS);
		}
	}
}

static pio_sm_config describe(const struct pio_machine *machine)
{
	pio_sm_config config = pio_get_default_sm_config();

	sm_config_set_in_pins(&config, 0);
	sm_config_set_in_shift(&config, false, true, PIO_PUSH_BITS);
	sm_config_set_wrap(&config, machine->offset + PIO_LOOP,
			   machine->offset + program.length - 1u);
	return config;
}

static void start_dma(struct pio_machine *machine)
{
	const struct dma_ring_config config = {
		.from = &machine->pio->rxf[machine->index],
		.ring = machine->ring,
		.size_bits = machine->ring_bits,
		.item_bits = LOG2(sizeof(machine->ring[0])),
		.request = (uint8_t)pio_get_dreq(machine->pio, machine->index, false),
	};

	dma_ring_start(&machine->dma, &config);
}

/** Let it remember the inputs as they are; what they are. */
static uint32_t look(const struct pio_machine *machine)
{
	pio_sm_exec(machine->pio, machine->index, pio_encode_mov(pio_y, pio_pins));
	pio_sm_exec(machine->pio, machine->index, pio_encode_in(pio_y, PIO_PUSH_BITS));
	return pio_sm_get_blocking(machine->pio, machine->index);
}

static void set_counter(const struct pio_machine *machine, uint32_t counter)
{
	pio_sm_put(machine->pio, machine->index, counter);
	pio_sm_exec(machine->pio, machine->index, pio_encode_pull(false, true));
	pio_sm_exec(machine->pio, machine->index, pio_encode_mov(pio_x, pio_osr));
}

uint32_t pio_machine_start(struct pio_machine *machine, uint32_t ticks_per_us)
{
	pio_sm_config config = describe(machine);
	io_rw_32 *enable = hw_set_alias_untyped(&machine->pio->ctrl);
	unsigned int key = irq_lock();
	uint32_t at_us;
	uint32_t inputs;

	dma_ring_stop(&machine->dma);
	pio_sm_init(machine->pio, machine->index, machine->offset + PIO_LOOP, &config);
	inputs = look(machine);
	at_us = timer_hw->timerawl + AHEAD_US;
	set_counter(machine, pio_edges_reverse(ticks_per_us * at_us));
	/* It is sent nothing any more: both halves of the FIFO are for records. */
	hw_set_bits(&machine->pio->sm[machine->index].shiftctrl, PIO_SM0_SHIFTCTRL_FJOIN_RX_BITS);
	pio_machine_forget(machine);
	start_dma(machine);
	set_at(at_us, enable, BIT(machine->index) << PIO_CTRL_SM_ENABLE_LSB);
	irq_unlock(key);
	return inputs;
}

void pio_machine_stop(const struct pio_machine *machine)
{
	pio_sm_set_enabled(machine->pio, machine->index, false);
	pio_machine_interrupt(machine, false);
}

bool pio_machine_has_stalled(const struct pio_machine *machine)
{
	return (machine->pio->fdebug & (BIT(machine->index) << PIO_FDEBUG_RXSTALL_LSB)) != 0u;
}

void pio_machine_interrupt(const struct pio_machine *machine, bool on)
{
	pio_set_irq0_source_enabled(machine->pio, pis_interrupt0 + machine->index, on);
}

void pio_machine_forget(const struct pio_machine *machine)
{
	machine->pio->irq = BIT(machine->index);
}

uint32_t pio_machine_mark(uint32_t gpio)
{
	io_rw_32 *override = hw_set_alias_untyped(&iobank0_hw->io[gpio].ctrl);
	unsigned int key = irq_lock();
	uint32_t at_us = timer_hw->timerawl + AHEAD_US;

	set_at(at_us, override, GPIO_OVERRIDE_HIGH << IO_BANK0_GPIO0_CTRL_INOVER_LSB);
	irq_unlock(key);
	return at_us;
}

void pio_machine_unmark(uint32_t gpio)
{
	hw_clear_bits(&iobank0_hw->io[gpio].ctrl, IO_BANK0_GPIO0_CTRL_INOVER_BITS);
}
