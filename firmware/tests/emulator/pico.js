// SPDX-License-Identifier: Apache-2.0
/**
 * The image on an emulated RP2040: simulated time, pins, photodiode. The image is started where the
 * second stage of the boot would jump to, its vector table.
 *
 * Time is simulated [ns]; nothing here waits for the host's.
 */
import { readFileSync } from "node:fs";

import { GPIOPinState, Simulator } from "rp2040js";

import { Rom } from "./rom.js";

export const US = 1_000;
export const MS = 1_000_000;
export const S = 1_000_000_000;

const FLASH = 0x1000_0000;
/** Behind the 256 bytes of the second stage (Zephyr's rpi_pico: CONFIG_FLASH_LOAD_OFFSET). */
const VECTOR_TABLE = FLASH + 0x100;
const SYST_CVR = 0x18;
const CYCLE_NS = 8; // 125 MHz, as the image sets it
const UF2_BLOCK = 512;
const UF2_MAGIC = 0x0a32_4655;
/** The photodiode's input; 12 bits. */
const LIGHT_CHANNEL = 0;

/** Pins as in firmware/boards/rpi_pico.overlay. */
export const CHANNELS = {
  PWR_OK: 2,
  SLP_S3: 3,
  SLP_S4: 4,
  SLP_S5: 5,
  PLTRST: 6,
  BACKLIGHT: 7,
  LED: 8,
  BUTTON: 9,
  LID: 10,
};
export const OUTPUTS = { HEARTBEAT: 13, BUTTON: 14, LID: 15 };

function loadUf2(path, flash) {
  const file = readFileSync(path);
  for (let at = 0; at + UF2_BLOCK <= file.length; at += UF2_BLOCK) {
    if (file.readUInt32LE(at) !== UF2_MAGIC) {
      throw new Error(`${path} is no UF2: block ${at / UF2_BLOCK} has another magic number`);
    }
    const target = file.readUInt32LE(at + 12);
    const length = file.readUInt32LE(at + 16);
    flash.set(file.subarray(at + 32, at + 32 + length), target - FLASH);
  }
}

export class Pico {
  /** @param {string} image path of a UF2 */
  constructor(image) {
    const simulator = new Simulator();
    this.clock = simulator.clock;
    this.mcu = simulator.rp2040;
    const complain = (_where, text) => this.complaints.push(text);
    this.complaints = [];
    this.mcu.logger = { debug() {}, info() {}, warn: complain, error: complain };
    this.mendSysTick();
    this.rom = new Rom(this.mcu, (ns) => this.clock.tick(ns));
    loadUf2(image, this.mcu.flash);
    this.watchdogResets = 0;
    // rp2040js runs the state machines beside its own clock; here they take a step each cycle.
    this.mcu.pio.forEach((pio) => {
      pio.run = () => {};
    });
    this.pioRuns = true;
    this.mcu.peripherals[0x40058].onWatchdogTrigger = () => {
      this.watchdogResets += 1;
    };
    for (const pin of Object.values(CHANNELS)) {
      this.mcu.gpio[pin].setInputValue(true);
    }
    this.start();
  }

  /**
   * A write to SYST_CVR clears the counter, which then takes the reload value, and is no wrap
   * (ARMv6-M, B3.3.4); rp2040js 1.4.1 takes it for one and interrupts at once.
   */
  mendSysTick() {
    const { ppb } = this.mcu;
    const write = ppb.writeUint32.bind(ppb);
    ppb.writeUint32 = (offset, value) => {
      if (offset === SYST_CVR) {
        ppb.systickCountFlag = false;
        ppb.systickTimer.set(ppb.systickReload);
      } else {
        write(offset, value);
      }
    };
  }

  /** Start the image as the second stage of the boot does. */
  start() {
    const { core } = this.mcu;
    core.VTOR = VECTOR_TABLE;
    core.SP = this.mcu.readUint32(VECTOR_TABLE);
    core.PC = this.mcu.readUint32(VECTOR_TABLE + 4) & ~1;
  }

  get now() {
    return this.clock.nanos;
  }

  /** Let time go on by CPU cycles, and with them what runs beside the CPU. */
  spend(cycles) {
    if (!this.pioRuns) {
      this.clock.tick(cycles * CYCLE_NS);
      return;
    }
    for (let i = 0; i < cycles; i++) {
      this.clock.tick(CYCLE_NS);
      this.mcu.pio[0].step();
    }
  }

  /** Let time go on; `until` ends it early. Returns whether it did. */
  run(ns, until = () => false) {
    const end = this.now + ns;
    const { core } = this.mcu;
    while (this.now < end) {
      if (core.waiting) {
        const left = Math.min(this.clock.nanosToNextAlarm, end - this.now);
        this.spend(this.pioRuns ? 1 : Math.max(left / CYCLE_NS, 1));
        // What is pending ends the wait; of SysTick, rp2040js 1.4.1 does not say so itself.
        if (core.interruptsUpdated && core.checkForInterrupts()) {
          core.waiting = false;
        }
      } else if (this.rom.bootsel) {
        this.clock.tick(MS); // what the ROM does from then on is not emulated
      } else if (!this.rom.serve()) {
        this.spend(core.executeInstruction());
      }
      if (until()) {
        return true;
      }
    }
    return until();
  }

  /** From now on no edge is stamped, and a second takes seconds and not a minute. */
  stopPio() {
    this.pioRuns = false;
  }

  /** Do something at a simulated time. */
  at(ns, what) {
    this.clock.createAlarm(what).schedule(Math.max(ns - this.now, 0));
  }

  /** Put a level on a channel's pin, at once. */
  set(channel, level) {
    this.mcu.gpio[CHANNELS[channel]].setInputValue(level);
  }

  isDriven(output) {
    return this.mcu.gpio[OUTPUTS[output]].value === GPIOPinState.High;
  }

  /** Put counts on the photodiode's input, 0 to 4095. */
  shine(counts) {
    this.mcu.adc.channelValues[LIGHT_CHANNEL] = counts;
  }
}
