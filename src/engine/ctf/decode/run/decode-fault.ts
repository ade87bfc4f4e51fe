/** Faults with a place from the machine's fault numbers. */
import type { Fault, FaultCode } from '../../../base/fault.ts';
import type { EventClass } from '../../model.ts';
import type { Machine } from './interpreter.ts';
import * as op from '../program/program.ts';

export interface FaultInput {
  /** FAULT_*. */
  readonly fault: number;
  readonly machine: Machine;
  readonly event: EventClass | undefined;
  /** Byte in the file at which the machine's positions begin. */
  readonly windowByte: number;
  /** Bits left in the packet at that position. */
  readonly left: number;
  /** Whether the packet is zero from there on: a tracer's buffer that was not filled. */
  readonly isEmpty: boolean;
  /** True when the packet claims content beyond that end: the file is cut. */
  readonly incomplete: boolean;
}

/** A fault without file and packet, which the caller adds. */
export function decodeFault(input: FaultInput): Fault {
  const { fault, machine, event, windowByte, incomplete } = input;
  // Alignment may lead beyond the end, even of the file.
  const position = machine.faultAt + Math.min(input.left, 0);
  const place = { byte: windowByte + (position >>> 3), event: event?.name };
  const faultOf = (code: FaultCode, expected: string, found: string): Fault => ({
    code,
    place,
    expected,
    found,
  });
  const left = `${Math.max(input.left, 0)} bits left in the packet`;
  /** Fault of a field that ends beyond the packet or the file. */
  const endsBehind = (code: FaultCode, expected: string): Fault =>
    faultOf(incomplete ? 'truncated' : code, expected, left);
  switch (fault) {
    case op.FAULT_BEYOND:
      return endsBehind('event-beyond-packet', `${machine.wanted} bits`);
    case op.FAULT_ARRAY:
      return endsBehind('array-too-long', `${machine.wanted} elements`);
    case op.FAULT_STRING:
      return endsBehind('unterminated-string', 'a null before the end of the packet');
    case op.FAULT_OPTION: {
      const tag = registerText(machine, machine.wanted);
      return faultOf('no-variant-option', 'a tag that chooses an option', tag);
    }
    case op.FAULT_ORDER:
      return faultOf('unsupported', 'one byte order inside a byte', 'two');
    case op.FAULT_PROGRESS:
      return faultOf('no-progress', 'an event of at least one bit', 'an event of no size');
    case op.FAULT_LIMIT:
      return faultOf('over-limit', 'a packet whose values fit in memory', 'more values');
    case op.FAULT_OVERSIZED:
      return faultOf('integer-too-long', 'a variable-length integer of at most 64 bits', 'a longer one');
    case op.FAULT_UNKNOWN_CLASS: {
      const id = registerText(machine, op.registerOfRole('event-class-id'));
      const zeros = ', in zeros up to the end of the packet: room of a buffer that no event was written to';
      return faultOf('unknown-event-id', 'the id of an event class', input.isEmpty ? id + zeros : id);
    }
    case op.FAULT_TIME:
      return faultOf('over-limit', 'a time at most 584 years from the begin of its host', 'one further away');
    default:
      return faultOf('unsupported', 'a layout of fields within limits', 'one beyond');
  }
}

function registerText({ registers }: Machine, register: number): string {
  const high = BigInt(registers[2 * register + 1]);
  return String((high << 32n) | BigInt(registers[2 * register] >>> 0));
}
