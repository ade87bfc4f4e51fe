/** The files of a part of a trace, with recorded texts replaced by others. */
import type { ZipMember } from '../../archive/pack-zip.ts';
import { type Fault, ok, type Result } from '../../base/fault.ts';
import { maskEnvironment } from '../../ctf/metadata/mask-environment.ts';
import { packetNumber, type PacketTable } from '../../ctf/packets/packet-table.ts';
import type { ByteSource, SourceOpener } from '../../io/byte-source.ts';
import { memorySource } from '../../io/memory-source.ts';
import { joinedSource } from '../../io/joined-source.ts';
import type { Trace } from '../../trace/types.ts';
import type { Cut, CutFile, CutPacket } from './cut.ts';
import * as ctf from '../../ctf/model.ts';
import { contentEnd, EventFinder } from '../../ctf/decode/rows/event-finder.ts';
import { takeBytes, takeCount, type Tape } from '../../ctf/decode/rows/values.ts';

/** Overwrites a text without null code units. */
type Disguise = (text: Uint8Array, encoding: ctf.TextEncoding) => void;

/**
 * Mask of the texts in packets of one stream class: texts are replaced by others of the same size; blobs and everything
 * after the last event become zeros. Numbers, sizes and places of fields do not change.
 */
class TextMask {
  readonly #finder: EventFinder;
  readonly #eventContext: ctf.StructClass | undefined;

  /** @param streamClass index in `model.streams` */
  constructor(
    model: ctf.TraceModel,
    streamClass: number,
    private readonly disguise: Disguise,
  ) {
    const whole = withWholeTexts(model, streamClass);
    this.#finder = new EventFinder(whole, streamClass);
    this.#eventContext = whole.streams[streamClass].eventContext;
  }

  /**
   * @param bytes of the packet, padding included
   * @returns false: an event could not be decoded, so that the places of texts are not known. The bytes must then be
   * dropped
   */
  mask(bytes: Uint8Array, table: PacketTable, packet: number): boolean {
    let ended = table.eventsBits[packet];
    const reached = this.#finder.walk(bytes, table, packet, ({ event, from, to, body }) => {
      // A tracer does not write alignment gaps: they hold whatever was in its memory.
      clearBits(bytes, ended, from);
      ended = to;
      for (const scope of [this.#eventContext, event.context, event.payload])
        if (scope !== undefined) this.#maskField(body, scope);
      return true;
    });
    const end = contentEnd(bytes, table, packet);
    if (reached < end || end < Math.min(table.contentBits[packet], 8 * bytes.length)) return false;
    bytes.fill(0, Math.ceil(end / 8));
    return true;
  }

  /** Masks the fields on a tape, see `values.ts`. */
  #maskField(tape: Tape, type: ctf.FieldClass): void {
    switch (type.kind) {
      case 'integer':
      case 'bits':
      case 'float':
        tape.at += type.size <= 32 ? 1 : 2;
        break;
      case 'string':
        this.disguise(takeBytes(tape), type.encoding);
        break;
      case 'blob':
        this.#maskBlob(takeBytes(tape), ENCODINGS.get(type.mediaType ?? ''));
        break;
      case 'text':
        throw new Error('texts with a length are blobs here');
      case 'struct':
        for (const member of type.members) this.#maskField(tape, member.type);
        break;
      case 'array': {
        const count = typeof type.length === 'number' ? type.length : takeCount(tape);
        for (let i = 0; i < count; i++) this.#maskField(tape, type.element);
        break;
      }
      case 'variant':
        this.#maskField(tape, type.options[takeCount(tape)].type);
        break;
      case 'optional':
        if (takeCount(tape) === 1) this.#maskField(tape, type.content);
    }
  }

  /** @param encoding of the text that the blob holds; undefined: it holds none */
  #maskBlob(bytes: Uint8Array, encoding: ctf.TextEncoding | undefined): void {
    const length = encoding === undefined ? 0 : lengthOfText(bytes, ctf.unitOf(encoding));
    if (encoding !== undefined) this.disguise(bytes.subarray(0, length), encoding);
    // Bytes after the first null of a text may be left over from before.
    bytes.fill(0, length);
  }
}

/** Type of blobs that stand for texts with a length: no metadata can have it. */
const typeOfText = (encoding: ctf.TextEncoding) => `\0${encoding}`;

const ENCODINGS = new Map(ctf.TEXT_ENCODINGS.map((encoding) => [typeOfText(encoding), encoding]));

/** The model with texts of known length as blobs, which are decoded to their last byte. */
function withWholeTexts(model: ctf.TraceModel, streamClass: number): ctf.TraceModel {
  const streams = model.streams.map((stream, i) => {
    if (i !== streamClass) return stream;
    const { eventContext, events } = stream;
    const whole = events.map((event) => ({
      ...event,
      ...(event.context && { context: wholeStruct(event.context) }),
      ...(event.payload && { payload: wholeStruct(event.payload) }),
    }));
    return { ...stream, events: whole, ...(eventContext && { eventContext: wholeStruct(eventContext) }) };
  });
  return { ...model, streams };
}

function wholeStruct(type: ctf.StructClass): ctf.StructClass {
  return { ...type, members: type.members.map((member) => ({ ...member, type: wholeType(member.type) })) };
}

function wholeType(type: ctf.FieldClass): ctf.FieldClass {
  switch (type.kind) {
    case 'text':
      return {
        kind: 'blob',
        length: type.length,
        align: type.align,
        mediaType: typeOfText(type.encoding),
      };
    case 'struct':
      return wholeStruct(type);
    case 'array':
      return { ...type, element: wholeType(type.element) };
    case 'optional':
      return { ...type, content: wholeType(type.content) };
    case 'variant':
      return {
        ...type,
        options: type.options.map((option) => ({ ...option, type: wholeType(option.type) })),
      };
    default:
      return type;
  }
}

/** Bytes before the first null code unit. */
function lengthOfText(bytes: Uint8Array, unit: number): number {
  for (let at = 0; at + unit <= bytes.length; at += unit)
    if (bytes.subarray(at, at + unit).every((byte) => byte === 0)) return at;
  return bytes.length;
}

/** Sets the bits [from, to) to 0; a byte that also has other bits stays as it is. */
function clearBits(bytes: Uint8Array, from: number, to: number): void {
  const [begin, end] = [Math.ceil(from / 8), Math.floor(to / 8)];
  if (begin < end) bytes.fill(0, begin, end);
}

/** Names of folders that tell the kind of trace, as LTTng writes them. */
const KIND_OF_FOLDER = /^(kernel|ust|uid|pid|\d+(-bit)?|trace|)$/;

/** The members, in no particular order. */
export function maskedMembers({ metadata, files }: Cut, open: SourceOpener): ZipMember[] {
  const pseudonyms = new Pseudonyms();
  const masks = new Map<Trace, TextMask[]>();
  const maskOf = ({ of, streamClass }: CutPacket) => {
    const known = masks.get(of) ?? [];
    masks.set(of, known);
    return (known[streamClass] ??= new TextMask(of.model, streamClass, pseudonyms.disguise));
  };
  const pathOf = (path: string) => {
    const [file = '', ...folders] = path.split('/').reverse();
    const masked = folders.map((folder) => (KIND_OF_FOLDER.test(folder) ? folder : pseudonyms.of(folder)));
    return [...masked.reverse(), file].join('/');
  };
  return [
    ...metadata.map((ref): ZipMember => {
      const path = pathOf(ref.path);
      return {
        path,
        open: () =>
          maskedMetadata(
            ref.path,
            () => open(ref),
            (text) => pseudonyms.of(text),
          ),
      };
    }),
    ...files.map((file): ZipMember => {
      return { path: pathOf(file.source.path), open: () => maskedPackets(file, open, maskOf) };
    }),
  ];
}

async function maskedMetadata(
  path: string,
  open: () => Promise<Result<ByteSource>>,
  disguise: (text: string) => string,
): Promise<Result<ByteSource>> {
  const opened = await open();
  if (!opened.ok) return opened;
  const { value: source } = opened;
  const read = await source.read(0, source.size);
  await source.close?.();
  if (!read.ok) return read;
  const masked = await maskEnvironment(read.value, path, disguise);
  return masked.ok ? ok(memorySource(path, masked.value)) : masked;
}

async function maskedPackets(
  { source, pieces }: CutFile,
  open: SourceOpener,
  maskOf: (packet: CutPacket) => TextMask,
): Promise<Result<ByteSource>> {
  const opened = await open(source);
  if (!opened.ok) return opened;
  const mask = (bytes: Uint8Array, piece: CutPacket) =>
    maskOf(piece).mask(bytes, piece.table, piece.packet) ? undefined : notDecoded(source.path, piece);
  return ok(joinedSource(opened.value, pieces, mask));
}

function notDecoded(file: string, { table, packet, offset }: CutPacket): Fault {
  return {
    code: 'unsupported',
    place: { file, packet: packetNumber(table, packet), byte: offset },
    expected: 'packets whose events can all be decoded, as it is not known else where texts are',
    found: 'a packet that is damaged, or an event that cannot be decoded',
  };
}

const FIRST_LETTER = 97;
const LETTERS = 26;
/** Total bytes of texts that get a pseudonym of their own; later texts share one. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Pseudonyms of texts: of the same size, the same for the same text, and revealing nothing else of it. */
class Pseudonyms {
  /** Number of each text, by its bytes, in order of first use. */
  readonly #numbers = new Map<string, number>();
  readonly #key = new TextDecoder('latin1');
  #bytes = 0;

  /** The letters count texts in order of first use. */
  readonly disguise: Disguise = (text, encoding) => {
    let number = this.#numberOf(text);
    const unit = ctf.unitOf(encoding);
    const place = encoding.endsWith('be') ? unit - 1 : 0;
    text.fill(0);
    for (let at = text.length - unit; at >= 0; at -= unit) {
      text[at + place] = FIRST_LETTER + (number % LETTERS);
      number = Math.floor(number / LETTERS);
    }
  };

  of(text: string): string {
    const bytes = new TextEncoder().encode(text);
    this.disguise(bytes, 'utf-8');
    return new TextDecoder().decode(bytes);
  }

  #numberOf(text: Uint8Array): number {
    const key = this.#key.decode(text);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (this.#bytes + text.length > MOST_BYTES) return number;
    this.#bytes += text.length;
    this.#numbers.set(key, number);
    return number;
  }
}
