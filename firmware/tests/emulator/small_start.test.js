// SPDX-License-Identifier: Apache-2.0
/**
 * The image of the small start (firmware/boards/small_start.overlay) in rp2040js: the steps of
 * docs/how-to/start-small.md that need no transistor. RESUME_RIG_PICO_SMALL names its UF2; without
 * it there is nothing to test.
 */
import assert from "node:assert/strict";
import { test } from "node:test";

import { MS, Pico } from "./pico.js";
import { Smp } from "./smp.js";
import { UsbHost } from "./usb_host.js";

const IMAGE = process.env.RESUME_RIG_PICO_SMALL;
const RIG = { info: 0, edges: 2, levels: 3, press: 4, light: 7, selftest: 8 };

test("the small start has a button, an LED, PWR_OK and light, and its press ends", { skip: !IMAGE && "no image" }, async (t) => {
  const pico = new Pico(IMAGE);
  const host = new UsbHost(pico);
  const smp = new Smp(host);
  host.plug();
  const info = smp.read("rig", RIG.info, {});
  const led = info.ch.findIndex(([name]) => name === "LED");
  const button = info.ch.findIndex(([name]) => name === "BUTTON");

  const powerOk = info.ch.findIndex(([name]) => name === "PWR_OK");

  await t.test("it reports what is wired and nothing else, with the transistors' delays", () => {
    assert.deepEqual(info.ch.map(([name]) => name).sort(), ["BUTTON", "LED", "PWR_OK"]);
    assert.deepEqual(info.act.map(([name]) => name), ["BUTTON"]);
    assert.ok(info.lring > 0);
    assert.deepEqual(info.ch[led].slice(2), [2_000, 3_800]);
    assert.deepEqual(info.ch[button].slice(2), [8_000, 90_800]);
    assert.deepEqual(info.ch[powerOk].slice(2), [2_000, 3_600_800]);
  });

  await t.test("a transistor inverts: a pin that is low is a wire that is high", () => {
    const level = (channel) => (smp.read("rig", RIG.levels, {}).lv >> channel) & 1;
    for (const [name, channel] of [["LED", led], ["BUTTON", button], ["PWR_OK", powerOk]]) {
      pico.set(name, true);
      pico.run(MS);
      assert.equal(level(channel), 0);
      pico.set(name, false);
      pico.run(MS);
      assert.equal(level(channel), 1);
    }
  });

  await t.test("the case's button is seen to go down and up", () => {
    const first = smp.read("rig", RIG.edges, { from: 0, max: 0 }).next;
    pico.at(pico.now + 5 * MS, () => pico.set("BUTTON", true));
    pico.at(pico.now + 55 * MS, () => pico.set("BUTTON", false));
    pico.run(60 * MS);
    const { e } = smp.read("rig", RIG.edges, { from: first });
    const seen = e.filter((_value, i) => i % 2 === 1);
    assert.deepEqual(seen, [(button << 1) | 0, (button << 1) | 1]);
    assert.ok(Math.abs(e[2] - e[0] - 50 * MS) < 10_000, `${e[2] - e[0]} ns`);
  });

  await t.test("it measures itself", () => {
    const { checks } = smp.write("rig", RIG.selftest, {});
    // How far PIO and timer lie apart when they start is the emulator's, which steps them in turn.
    assert.deepEqual(checks.filter(([name, ok]) => !ok && name !== "counter_offset_ns"), []);
    pico.stopPio();
  });

  await t.test("a press drives GP14 for its time and no longer than the board's limit", () => {
    const { start, end } = smp.act(RIG.press, { act: 0, dur: 150 * MS, tok: 1 });
    assert.equal(end - start, 150 * MS);
    assert.ok(pico.isDriven("BUTTON"));
    const begun = pico.now;
    assert.ok(pico.run(160 * MS, () => !pico.isDriven("BUTTON")));
    assert.ok(pico.now - begun > 145 * MS && pico.now - begun < 151 * MS);
    const longest = info.act[0][1];
    pico.run(200 * MS);
    assert.ok(smp.act(RIG.press, { act: 0, dur: longest + MS, tok: 2 }).err);
    assert.ok(!pico.isDriven("BUTTON"));
  });

  await t.test("white and black at the module are seen", () => {
    pico.shine(100);
    smp.write("rig", RIG.light, { dur: 40 * MS });
    pico.at(pico.now + 20 * MS, () => pico.shine(2_000));
    pico.run(45 * MS);
    const { b } = smp.read("rig", RIG.light, { from: 0 });
    const most = b.filter((_value, i) => i % 4 === 3);
    assert.deepEqual([Math.min(...most), Math.max(...most)], [100, 2_000]);
  });
});
