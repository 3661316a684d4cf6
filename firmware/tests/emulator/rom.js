// SPDX-License-Identifier: Apache-2.0
/**
 * As much of the boot ROM as the image calls (RP2040 datasheet, section 2.8.3): the lookup of a
 * function by its code, and those that erase and write the flash. They are done here and not in
 * machine code: the CPU that comes to one of their addresses finds it done and returns.
 */
const LOOKUP = 0x100;
const FIRST = 0x200;
const ROM_BYTES = 0x4000;
/** A sector is erased in 45 ms at most usually (W25Q16JV), a page written in 0.4 ms. */
const ERASE_NS = 45_000_000;
const WRITE_NS = 400_000;
const SECTOR = 4096;
const PAGE = 256;

const code = (text) => text.charCodeAt(0) | (text.charCodeAt(1) << 8);

export class Rom {
  constructor(mcu, spend) {
    this.mcu = mcu;
    /** How long a sector takes to erase [ns]. */
    this.eraseNs = ERASE_NS;
    /** The image has left for the bootloader that shows a drive. */
    this.bootsel = false;
    const nothing = () => {};
    this.functions = [
      ["IF", nothing],
      ["EX", nothing],
      ["FC", nothing],
      ["CX", nothing],
      [
        "UB",
        () => {
          this.bootsel = true;
        },
      ],
      [
        "RE",
        (at, count) => {
          mcu.flash.fill(0xff, at, at + count);
          spend((count / SECTOR) * this.eraseNs);
        },
      ],
      [
        "RP",
        (at, from, count) => {
          for (let i = 0; i < count; i++) {
            mcu.flash[at + i] &= mcu.readUint8(from + i); // flash only loses ones
          }
          spend((count / PAGE) * WRITE_NS);
        },
      ],
    ];
    mcu.bootrom[0x14 >> 2] = FIRST;
    mcu.bootrom[0x18 >> 2] = LOOKUP | 1;
  }

  /** Do what the CPU came here for, and return from it; false when it is not in the ROM. */
  serve() {
    const { core } = this.mcu;
    if (core.PC >= ROM_BYTES) {
      return false;
    }
    const [r0, r1, r2] = core.registers;
    if (core.PC === LOOKUP) {
      const index = this.functions.findIndex(([name]) => code(name) === r1);
      core.registers[0] = index < 0 ? 0 : (FIRST + 4 * index) | 1;
    } else {
      const index = (core.PC - FIRST) / 4;
      if (!(index in this.functions)) {
        throw new Error(`the image jumped to 0x${core.PC.toString(16)}, where there is no function`);
      }
      this.functions[index][1](r0, r1, r2);
    }
    core.PC = core.LR & ~1;
    return true;
  }
}
