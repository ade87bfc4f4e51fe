/** Faults with a place, by the machine's fault numbers. */
import type { Fault, FaultCode } from '../../../base/fault.ts';
import type { EventClass } from '../../model.ts';
import type { Machine } from './interpreter.ts';
import * as op from '../program/program.ts';

export interface FaultInput {
  /** FAULT_*. */
  readonly fault: number;
  readonly machine: Machine;
  readonly event: EventClass | undefined;
  /** Byte in the file that the machine's positions count from. */
  readonly windowByte: number;
  /** Bits left in the packet where it happened. */
  readonly left: number;
  /** Whether all of the packet from there on is zero: a tracer's buffer that was not filled. */
  readonly isEmpty: boolean;
  /** True when the packet claims content beyond that end: the file is cut. */
  readonly incomplete: boolean;
}

/** A fault without file and packet, which the caller knows. */
export function decodeFault(input: FaultInput): Fault {
  const { fault, machine, event, windowByte, incomplete } = input;
  // Alignment may lead behind the end, even that of the file.
  const position = machine.faultAt + Math.min(input.left, 0);
  const place = { byte: windowByte + (position >>> 3), event: event?.name };
  const left = `${Math.max(input.left, 0)} bits left in the packet`;
  const beyond: FaultCode = incomplete ? 'truncated' : 'event-beyond-packet';
  switch (fault) {
    case op.FAULT_BEYOND:
      return { code: beyond, place, expected: `${machine.wanted} bits`, found: left };
    case op.FAULT_ARRAY:
      return {
        code: incomplete ? 'truncated' : 'array-too-long',
        place,
        expected: `${machine.wanted} elements`,
        found: left,
      };
    case op.FAULT_STRING:
      return {
        code: incomplete ? 'truncated' : 'unterminated-string',
        place,
        expected: 'a null before the end of the packet',
        found: left,
      };
    case op.FAULT_OPTION: {
      const tag = registerText(machine, machine.wanted);
      return { code: 'no-variant-option', place, expected: 'a tag that chooses an option', found: tag };
    }
    case op.FAULT_ORDER:
      return { code: 'unsupported', place, expected: 'one byte order inside a byte', found: 'two' };
    case op.FAULT_PROGRESS:
      return {
        code: 'no-progress',
        place,
        expected: 'an event of at least one bit',
        found: 'an event of no size',
      };
    case op.FAULT_LIMIT:
      return {
        code: 'over-limit',
        place,
        expected: 'a packet whose values fit in memory',
        found: 'more values',
      };
    case op.FAULT_OVERSIZED: {
      const expected = 'a variable-length integer of at most 64 bits';
      return { code: 'integer-too-long', place, expected, found: 'a longer one' };
    }
    case op.FAULT_UNKNOWN_CLASS: {
      const id = registerText(machine, op.registerOfRole('event-class-id'));
      const found = input.isEmpty
        ? `${id}, in zeros up to the end of the packet: room of a buffer that no event was written to`
        : id;
      return { code: 'unknown-event-id', place, expected: 'the id of an event class', found };
    }
    case op.FAULT_TIME: {
      const expected = 'a time at most 584 years from the begin of its host';
      return { code: 'over-limit', place, expected, found: 'one further away' };
    }
    default:
      return {
        code: 'unsupported',
        place,
        expected: 'a layout of fields within limits',
        found: 'one beyond',
      };
  }
}

function registerText({ registers }: Machine, register: number): string {
  const high = BigInt(registers[2 * register + 1]);
  return String((high << 32n) | BigInt(registers[2 * register] >>> 0));
}
