// SPDX-License-Identifier: Apache-2.0
/**
 * The UF2 with bootloader and image in rp2040js: MCUboot checks the image and starts it, and an
 * image is uploaded while the flash stands still. RESUME_RIG_PICO_MERGED names the UF2 and
 * RESUME_RIG_PICO_SIGNED the signed image; without them there is nothing to test.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { MS, OUTPUTS, Pico, S } from "./pico.js";
import { Smp } from "./smp.js";
import { UsbHost } from "./usb_host.js";

const MERGED = process.env.RESUME_RIG_PICO_MERGED;
const SIGNED = process.env.RESUME_RIG_PICO_SIGNED;
const RIG = { info: 0, time: 1, press: 4, lid: 5, faults: 9 };
const IMAGE = { state: 0, upload: 1 };
const CHUNK = 1_024;
const SLOT_1 = 0x90000;

test("MCUboot starts the image of the UF2, and takes an update", { skip: !MERGED && "no merged UF2" }, () => {
  const pico = new Pico(MERGED);
  pico.stopPio();
  const host = new UsbHost(pico);
  const smp = new Smp(host);
  // The signature takes the bootloader some hundred million cycles.
  assert.ok(pico.run(20 * S, () => host.enabled), "no USB within 20 s");
  host.plug();
  assert.equal(smp.read("rig", RIG.info, {}).board, "rpi_pico/rp2040");
  const [running] = smp.read("image", IMAGE.state, {}).images;
  assert.ok(running.active && running.confirmed && running.bootable);

  pico.run(100 * MS); // the start counts as a release
  smp.act(RIG.lid, { closed: true, tok: 1 });
  assert.ok(pico.isDriven("LID"));
  let presses = 0;
  pico.mcu.gpio[OUTPUTS.BUTTON].addListener(() => {
    presses += pico.isDriven("BUTTON") ? 1 : 0;
  });
  // Due in the middle of the erase, when nobody could end it.
  const { tx } = smp.read("rig", RIG.time, {});
  assert.ok(smp.act(RIG.press, { act: 0, dur: 50 * MS, at: tx + S, tok: 2 }).end);
  // Longer than the watchdog waits otherwise (1 s), so it has to be patient for this.
  pico.rom.eraseNs = 3 * S;
  const image = readFileSync(SIGNED);
  const first = { image: 0, off: 0, len: image.length, data: image.subarray(0, CHUNK) };
  assert.equal(smp.permitted("image", IMAGE.upload, first, 20 * S).off, CHUNK);
  assert.ok(!pico.isDriven("LID"), "outputs are let go before the flash stands still");
  assert.equal(pico.watchdogResets, 0);
  pico.rom.eraseNs = 45 * MS;
  for (let off = CHUNK; off < 8 * CHUNK; off += CHUNK) {
    smp.permitted("image", IMAGE.upload, { off, data: image.subarray(off, off + CHUNK) });
  }
  assert.deepEqual(pico.mcu.flash.subarray(SLOT_1, SLOT_1 + 8 * CHUNK), new Uint8Array(image.subarray(0, 8 * CHUNK)));
  // The usual patience is back.
  const { wdt } = smp.read("rig", RIG.faults, {});
  assert.equal(wdt, 0);
  assert.equal(pico.watchdogResets, 0);
  assert.equal(presses, 0, "what was scheduled is let go of, too");

  // A sector that takes longer than any data sheet says: the watchdog ends it, and nothing is driven.
  smp.act(RIG.lid, { closed: true, tok: 3 });
  assert.ok(pico.isDriven("LID"));
  let drivenAtReset = null;
  pico.mcu.peripherals[0x40058].onWatchdogTrigger = () => {
    drivenAtReset = pico.isDriven("LID") || pico.isDriven("BUTTON");
    throw new Error("the watchdog resets the board"); // which is not emulated
  };
  pico.rom.eraseNs = 9 * S;
  const off = 8 * CHUNK;
  assert.throws(
    () => smp.permitted("image", IMAGE.upload, { off, data: image.subarray(off, off + CHUNK) }, 20 * S),
    /the watchdog resets the board/,
  );
  assert.equal(drivenAtReset, false);
});
