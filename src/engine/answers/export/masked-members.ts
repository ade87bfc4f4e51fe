/** The files of a part of a trace, with other texts in place of those that were recorded. */
import type { ZipMember } from '../../archive/pack-zip.ts';
import { type Fault, ok, type Result } from '../../base/fault.ts';
import { type Disguise, TextMask } from './text-mask.ts';
import { maskEnvironment } from '../../ctf/metadata/mask-environment.ts';
import { packetNumber } from '../../ctf/packets/packet-table.ts';
import type { ByteSource, SourceOpener } from '../../io/byte-source.ts';
import { memorySource } from '../../io/memory-source.ts';
import { joinedSource } from '../../io/joined-source.ts';
import type { Trace } from '../../trace/types.ts';
import type { Cut, CutFile, CutPacket } from './cut.ts';
import { unitOf } from '../../ctf/model.ts';

/** Folders that say what kind of trace is in them, as LTTng names them. */
const KIND_OF_FOLDER = /^(kernel|ust|uid|pid|\d+(-bit)?|trace|)$/;

/** Not in order. */
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

/** The packets of a file one after the other. */
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
/** Bytes of texts that have one of their own; what comes later is the same for all. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Other texts for texts: of the same size, the same one for the same text, and with nothing else of it. */
class Pseudonyms {
  /** Number of texts that came before each, by its bytes. */
  readonly #numbers = new Map<string, number>();
  readonly #key = new TextDecoder('latin1');
  #bytes = 0;

  /** The letters count texts in the order in which they come. */
  readonly disguise: Disguise = (text, encoding) => {
    let number = this.#numberOf(text);
    const unit = unitOf(encoding);
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
