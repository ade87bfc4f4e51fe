import { describe, expect, test } from 'vitest';
import { Emitter, PACKET_START } from '../program/emitter.ts';
import { Machine } from './interpreter.ts';
import { FAULT_BEYOND, OP_ALIGN, OP_END, POSITION_LIMIT } from '../program/program.ts';

/** Runs a program in a packet of as many bits as positions reach; none of them is read. */
function runAt(position: number, ...code: number[]): number {
  const machine = new Machine(Int32Array.from(code), 0, undefined);
  machine.begin(new Uint8Array(0), 0, 0, POSITION_LIMIT - 1);
  return machine.run(0, position);
}

describe('positions near the greatest one', () => {
  test('alignment beyond it is a fault', () => {
    const largest = 2 ** 28;
    expect(runAt(7 * largest - 1, OP_ALIGN, largest, OP_END)).toBe(7 * largest);
    expect(runAt(7 * largest + 1, OP_ALIGN, largest, OP_END)).toBe(FAULT_BEYOND);
  });

  test('a run that is longer than any packet is a fault wherever it begins', () => {
    for (const bits of [2 ** 31 - 1, 2 ** 31, 2 ** 40]) {
      const emitter = new Emitter(PACKET_START);
      emitter.skip(bits);
      emitter.write(OP_END);
      expect(runAt(0, ...emitter.code)).toBe(FAULT_BEYOND);
    }
  });
});
