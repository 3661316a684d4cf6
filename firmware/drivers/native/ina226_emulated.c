/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An INA226 (SBOS547A, 7.6) on the emulated I2C bus of native_sim, in the supply of the DUT
 * outside. It measures what the DUT draws when it is read; its own errors are none.
 */
#define DT_DRV_COMPAT ti_ina226

#include "outside.h"

#include <errno.h>

#include <zephyr/drivers/emul.h>
#include <zephyr/drivers/i2c.h>
#include <zephyr/drivers/i2c_emul.h>
#include <zephyr/sys/byteorder.h>
#include <zephyr/sys/util.h>

enum {
	CONFIG = 0x00,
	SHUNT = 0x01,
	BUS = 0x02,
	POWER = 0x03,
	CURRENT = 0x04,
	CALIBRATION = 0x05,
	MANUFACTURER = 0xfe,
	DIE = 0xff,
};

#define BUS_UV UINT64_C(19000000)
#define BUS_LSB_UV 1250u
#define SHUNT_LSB_NV 2500u
/** Current is the shunt's register times the calibration over so much. */
#define CALIBRATION_UNIT 2048u

struct ina226_emulated_config {
	uint32_t shunt_uohm;
};

struct ina226_emulated_data {
	uint16_t config;
	uint16_t calibration;
};

static uint16_t shunt_counts(const struct ina226_emulated_config *config)
{
	uint64_t current_ua = (uint64_t)outside_load_mw() * 1000u * 1000000u / BUS_UV;
	uint64_t shunt_nv = current_ua * config->shunt_uohm / 1000u;

	return (uint16_t)MIN((shunt_nv + SHUNT_LSB_NV / 2u) / SHUNT_LSB_NV, INT16_MAX);
}

static uint16_t current_counts(const struct emul *target)
{
	const struct ina226_emulated_data *data = target->data;
	uint32_t counts = shunt_counts(target->cfg) * (uint32_t)data->calibration;

	return (uint16_t)MIN(counts / CALIBRATION_UNIT, INT16_MAX);
}

static int read_register(const struct emul *target, uint8_t address, uint16_t *value)
{
	const struct ina226_emulated_data *data = target->data;
	uint32_t bus = BUS_UV / BUS_LSB_UV;

	switch (address) {
	case CONFIG:
		*value = data->config;
		return 0;
	case SHUNT:
		*value = shunt_counts(target->cfg);
		return 0;
	case BUS:
		*value = (uint16_t)bus;
		return 0;
	case POWER:
		*value = (uint16_t)(current_counts(target) * bus / 20000u);
		return 0;
	case CURRENT:
		*value = current_counts(target);
		return 0;
	case CALIBRATION:
		*value = data->calibration;
		return 0;
	case MANUFACTURER:
		*value = 0x5449;
		return 0;
	case DIE:
		*value = 0x2260;
		return 0;
	default:
		return -EIO;
	}
}

static int write_register(const struct emul *target, uint8_t address, uint16_t value)
{
	struct ina226_emulated_data *data = target->data;

	switch (address) {
	case CONFIG:
		data->config = value;
		return 0;
	case CALIBRATION:
		data->calibration = value;
		return 0;
	default:
		return -EIO;
	}
}

/** Register pointer and two bytes in one message, or the pointer and then a read of two bytes. */
static int transfer(const struct emul *target, struct i2c_msg *messages, int count, int address)
{
	uint16_t value;
	int ret;

	if (count == 1 && messages[0].len == 3u) {
		return write_register(target, messages[0].buf[0],
				      sys_get_be16(&messages[0].buf[1]));
	}
	if (count != 2 || messages[0].len != 1u || messages[1].len != 2u ||
	    (messages[1].flags & I2C_MSG_READ) == 0u) {
		return -EIO;
	}
	ret = read_register(target, messages[0].buf[0], &value);
	if (ret == 0) {
		sys_put_be16(value, messages[1].buf);
	}
	return ret;
}

static const struct i2c_emul_api bus_api = {.transfer = transfer};

static int ina226_emulated_init(const struct emul *target, const struct device *parent)
{
	return 0;
}

#define INA226(inst)                                                                               \
	static struct ina226_emulated_data data_##inst;                                            \
	static const struct ina226_emulated_config config_##inst = {                               \
		.shunt_uohm = DT_INST_PROP(inst, rshunt_micro_ohms),                               \
	};                                                                                         \
	EMUL_DT_INST_DEFINE(inst, ina226_emulated_init, &data_##inst, &config_##inst, &bus_api,    \
			    NULL)

DT_INST_FOREACH_STATUS_OKAY(INA226)
