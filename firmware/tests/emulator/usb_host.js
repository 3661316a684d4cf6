// SPDX-License-Identifier: Apache-2.0
/**
 * A USB host for a device with one CDC ACM port: it enumerates, sets DTR, and polls the bulk
 * endpoint as slowly as it is told. What rp2040js hands over at once, it takes when it comes to it:
 * the device hears that a packet was taken only then, as on a wire.
 */
import { US } from "./pico.js";

const RESET_NS = 12 * 1_000_000;
const STEP_NS = 200 * US;
/** A packet on a full-speed bus takes some 50 us. */
const FASTEST_NS = 50 * US;
const GET_DESCRIPTOR = 6;
const SET_ADDRESS = 5;
const SET_CONFIGURATION = 9;
const SET_CONTROL_LINE_STATE = 0x22;
const CDC_DATA = 10;

function setup(type, request, value, index, length) {
  const packet = new Uint8Array(8);
  new DataView(packet.buffer).setUint16(2, value, true);
  new DataView(packet.buffer).setUint16(4, index, true);
  new DataView(packet.buffer).setUint16(6, length, true);
  packet.set([type, request]);
  return packet;
}

/** The numbers of the bulk endpoints of the CDC data interface. */
function bulkEndpoints(descriptors) {
  const found = { in: 0, out: 0 };
  let isData = false;
  for (let at = 0; at + 1 < descriptors.length && descriptors[at] > 1; at += descriptors[at]) {
    const [, type, address, attributes] = descriptors.slice(at, at + 4);
    if (type === 4) {
      isData = descriptors[at + 5] === CDC_DATA;
    } else if (type === 5 && isData && (attributes & 3) === 2) {
      found[address & 0x80 ? "in" : "out"] = address & 0x0f;
    }
  }
  return found;
}

export class UsbHost {
  /** @param pico the board whose port this is */
  constructor(pico) {
    this.pico = pico;
    this.usb = pico.mcu.usbCtrl;
    /** How long the host lets a packet wait before it takes it [ns]. */
    this.takesAfterNs = FASTEST_NS;
    this.bulk = { in: 0, out: 0 };
    this.received = [];
    this.enabled = false;
    this._control = [];
    this._toSend = [];
    this._room = 0;
    this._waiting = [];
    this._plugged = false;
    this._answered = this.usb.indicateBufferReady.bind(this.usb);
    this.usb.indicateBufferReady = (endpoint, out) => this._handed(endpoint, out);
    this.usb.onUSBEnabled = () => {
      this.enabled = true;
    };
    this.usb.onResetReceived = () => {};
    this.usb.onEndpointWrite = (endpoint, bytes) => this._arrived(endpoint, bytes);
    this.usb.onEndpointRead = (endpoint, room) => this._asked(endpoint, room);
  }

  /** Plug in: reset the bus, enumerate, set DTR. Throws when the device does not follow. */
  plug() {
    const { pico } = this;
    if (!this.enabled && !pico.run(2e9, () => this.enabled)) {
      throw new Error("the device does not switch its USB on within 2 s");
    }
    this._waiting = [];
    this._plugged = true;
    this.usb.resetDevice();
    pico.run(RESET_NS);
    this._ask(setup(0x00, SET_ADDRESS, 1, 0, 0));
    const head = this._ask(setup(0x80, GET_DESCRIPTOR, 0x0200, 0, 9), 9);
    const length = head[2] | (head[3] << 8);
    const descriptors = this._ask(setup(0x80, GET_DESCRIPTOR, 0x0200, 0, length), length);
    this.bulk = bulkEndpoints(descriptors);
    this._ask(setup(0x00, SET_CONFIGURATION, 1, 0, 0));
    this._ask(setup(0x21, SET_CONTROL_LINE_STATE, 3, 0, 0));
    pico.run(STEP_NS);
  }

  /** Unplug: the host takes nothing any more, and forgets what it had to send. */
  unplug() {
    this._plugged = false;
    this._toSend = [];
    this.received = [];
  }

  /** Send bytes to the port, as the device takes them. */
  send(bytes) {
    this._toSend.push(...bytes);
    this._offer();
  }

  /** One control transfer; returns what came, `length` bytes of it at least. */
  _ask(packet, length = 0) {
    this._control = [];
    this._acknowledged = false;
    this.usb.sendSetupPacket(packet);
    const done = () => (length ? this._control.length >= length : this._acknowledged);
    if (!this.pico.run(100e6, done)) {
      throw new Error(`no answer to the control request ${packet[1]} within 100 ms`);
    }
    if (length) {
      this.usb.endpointReadDone(0, new Uint8Array(0)); // the status stage
    }
    this.pico.run(STEP_NS);
    return this._control;
  }

  /** The device filled or freed a buffer. */
  _handed(endpoint, out) {
    if (out || endpoint !== this.bulk.in || endpoint === 0) {
      this._answered(endpoint, out);
      return;
    }
    // Whoever polls slowly is not heard to have taken it before.
    this._waiting.push(endpoint);
    this.pico.at(this.pico.now + this.takesAfterNs, () => {
      if (this._plugged && this._waiting.length > 0) {
        this._answered(this._waiting.shift(), false);
      }
    });
  }

  _arrived(endpoint, bytes) {
    if (endpoint === 0) {
      this._control.push(...bytes);
      this._acknowledged ||= bytes.length === 0;
    } else if (endpoint === this.bulk.in && this._plugged) {
      this.received.push(...bytes);
    }
  }

  _asked(endpoint, room) {
    if (endpoint === this.bulk.out && endpoint !== 0) {
      this._room = room;
      this._offer();
    }
  }

  _offer() {
    if (this._room > 0 && this._toSend.length > 0 && this._plugged) {
      const packet = new Uint8Array(this._toSend.splice(0, this._room));
      this._room = 0;
      this.usb.endpointReadDone(this.bulk.out, packet, FASTEST_NS / US);
    }
  }
}
