/**
 * Reads packet headers and contexts of any layout with the same programs as events, and checks what identifies them:
 * magic number, uuid of the trace, stream class, sizes.
 */
import type { Fault, FaultCode } from '../../base/fault.ts';
import { hexText } from '../../base/byte-arrays.ts';
import { wideOf } from '../../base/wide-integer.ts';
import { Machine } from '../decode/run/interpreter.ts';
import { REGISTER_SEEN, registerOfRole, type RegisterRole } from '../decode/program/program.ts';
import { compilePacketScopes } from '../decode/program/stream-programs.ts';
import type { TraceModel } from '../model.ts';

/** Values in a packet's header and context; undefined: absent. */
export interface PacketHead {
  readonly streamClass: number;
  readonly streamId?: bigint;
  /** Bits. */
  readonly totalBits?: bigint;
  readonly contentBits?: bigint;
  /** Bits from the packet's begin to the first event header. */
  readonly eventsBits: number;
  /** Cycles. */
  readonly begin?: bigint;
  readonly end?: bigint;
  readonly discarded?: bigint;
  readonly sequence?: bigint;
  readonly cpu: number;
}

/** `short`: the head does not end within the given bytes. */
type HeadOutcome =
  | { readonly kind: 'head'; readonly head: PacketHead; readonly warning?: Fault }
  | { readonly kind: 'short' }
  | { readonly kind: 'fault'; readonly fault: Fault };

/**
 * Magic number (CTF 1.8.3, 5.1), in the trace's byte order: swapped it shows that the metadata state the wrong order.
 * In CTF 2 each field has its own byte order, so that a swapped magic proves nothing of others; if they are wrong
 * too, sizes are impossible.
 */
const PACKET_MAGIC = 0xc1fc1fc1n;
const PACKET_MAGIC_TURNED = 0xc11ffcc1n;

export type PacketHeadReader = ReturnType<typeof createPacketHeadReader>;

export function createPacketHeadReader(model: TraceModel) {
  const createHeadMachine = (streamClass: number | undefined) => {
    const program = compilePacketScopes(model, streamClass);
    return { program, machine: new Machine(program.code, program.registers, undefined) };
  };
  const header = createHeadMachine(undefined);
  const whole = model.streams.map((_, index) => createHeadMachine(index));
  const uuid = uuidBytes(model.uuid);

  return {
    /** Whether all heads of a stream class have the same size. */
    hasConstantSize: (streamClass: number): boolean => whole[streamClass].program.constant,
    /** Reads the packet that begins at `offset` of `bytes`. Faults have no place. */
    read(bytes: Uint8Array, offset: number): HeadOutcome {
      const length = bytes.length - offset;
      header.machine.begin(bytes, offset, length, length * 8);
      if (header.machine.run(0, 0) < 0) return { kind: 'short' };
      const values = readRoles(header.machine);
      const wrong = checkMagic(model, values('packet-magic'));
      if (wrong !== undefined) return wrong;
      const warning = checkUuid(model, uuid, values('trace-uuid'), bytes);
      const id = values('stream-class-id');
      const streamClass = findStreamClass(model, id);
      if (streamClass < 0)
        return fault('unknown-stream-id', 'the id of a stream class', String(id ?? 'none'));
      const { machine } = whole[streamClass];
      machine.begin(bytes, offset, length, length * 8);
      const eventsBits = machine.run(0, 0);
      if (eventsBits < 0) return { kind: 'short' };
      return { kind: 'head', head: headOf(readRoles(machine), streamClass, eventsBits), warning };
    },
  };
}

function fault(code: FaultCode, expected: string, found: string): HeadOutcome {
  return { kind: 'fault', fault: { code, place: {}, expected, found } };
}

function checkMagic({ version }: TraceModel, magic: bigint | undefined): HeadOutcome | undefined {
  const isTurned = magic === PACKET_MAGIC_TURNED;
  if (magic === undefined || magic === PACKET_MAGIC || (isTurned && version === '2.0')) return undefined;
  const found = `0x${magic.toString(16)}`;
  const expected = `0x${PACKET_MAGIC.toString(16)}`;
  return fault('bad-magic', expected, isTurned ? `${found}, that of the other byte order` : found);
}

/** Warns of another trace's uuid: readers take such packets, and excerpts of other traces have them. */
function checkUuid(
  model: TraceModel,
  uuid: Uint8Array | undefined,
  place: bigint | undefined,
  bytes: Uint8Array,
): Fault | undefined {
  if (place === undefined || uuid === undefined) return undefined;
  const found = bytes.subarray(Number(place), Number(place) + uuid.length);
  if (uuid.every((byte, index) => byte === found[index])) return undefined;
  return {
    code: 'bad-uuid',
    place: {},
    expected: `the uuid of the trace, ${model.uuid}`,
    found: hexText(found),
  };
}

type RoleValues = (role: RegisterRole) => bigint | undefined;

function readRoles({ registers }: Machine): RoleValues {
  return (role) => {
    const register = registerOfRole(role);
    if ((registers[2 * REGISTER_SEEN] & (1 << register)) === 0) return undefined;
    return wideOf(registers[2 * register], registers[2 * register + 1]);
  };
}

function headOf(value: RoleValues, streamClass: number, eventsBits: number): PacketHead {
  const begin = value('packet-begin');
  const end = value('packet-end');
  const cpu = value('cpu-id');
  return {
    streamClass,
    streamId: value('stream-id'),
    totalBits: value('packet-total-size'),
    contentBits: value('packet-content-size'),
    eventsBits,
    begin,
    // Tracers that were stopped within a packet leave 0.
    end: end !== undefined && end >= (begin ?? 0n) ? end : undefined,
    discarded: value('discarded-events'),
    sequence: value('packet-sequence'),
    cpu: cpu !== undefined && cpu < 2n ** 31n ? Number(cpu) : -1,
  };
}

/** A header without id means the only stream class, or the one with id 0. */
function findStreamClass({ streams }: TraceModel, id: bigint | undefined): number {
  if (id === undefined && streams.length === 1) return 0;
  return streams.findIndex((stream) => stream.id === (id ?? 0n));
}

function uuidBytes(uuid: string | undefined): Uint8Array | undefined {
  const digits = uuid?.replaceAll('-', '') ?? '';
  return digits.length === 32
    ? Uint8Array.from({ length: 16 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16))
    : undefined;
}
