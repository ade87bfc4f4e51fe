/** Changes to the files of a trace, by kind and seed: so a case is a short list, and any of it can be left out. */
import { basename, dirname, join } from 'node:path/posix';
import { joinBytes } from '../../src/engine/base/byte-arrays.ts';
import { isPacketised, joinPackets } from '../../src/engine/ctf/metadata/packetised.ts';
import type { MemoryFiles } from '../support/memory-files.ts';
import { randomOf, type Random } from '../support/simulator/random.ts';
import { boundaryValue } from './boundary-values.ts';
import { BYTE_CHANGES, putInteger } from './byte-mutations.ts';
import { indexPath, type DataPlaces, type FieldPlace, type PacketPlace } from './field-places.ts';
import { TOKEN_CHANGES, tokensOf } from './text-mutations.ts';

export interface Mutation {
  readonly kind: string;
  readonly seed: number;
}

/** What changes may look at beside the files as they are. */
export interface Surroundings {
  /** Of the files before any change. */
  readonly places: ReadonlyMap<string, DataPlaces>;
  /** Another trace, to take pieces of. */
  readonly other: MemoryFiles;
}

type ChangeFiles = (files: Map<string, Uint8Array>, random: Random, around: Surroundings) => void;

export function mutated(
  files: MemoryFiles,
  mutations: readonly Mutation[],
  around: Surroundings,
): Map<string, Uint8Array> {
  const changed = new Map(files);
  for (const { kind, seed } of mutations) CHANGES[kind]?.(changed, randomOf(seed), around);
  return changed;
}

/** A kind as often as it finds something. */
export function randomMutation(random: Random): Mutation {
  const kinds = random.pick([
    METADATA_KINDS,
    METADATA_KINDS,
    DATA_KINDS,
    DATA_KINDS,
    FIELD_KINDS,
    FIELD_KINDS,
    FILE_KINDS,
  ]);
  return { kind: random.pick(kinds), seed: random.between(0, 2 ** 31) };
}

const FIELD_CHANGES: Readonly<Record<string, ChangeFiles>> = {
  'field: boundary': (files, random, { places }) => changeField(files, random, places, allFields),
  'field: of a packet': (files, random, { places }) => changeField(files, random, places, fieldsOfHeads),
  'field: id or time': (files, random, { places }) => changeField(files, random, places, fieldsWithRoles),
  'field: length or tag': (files, random, { places }) =>
    changeField(files, random, places, fieldsWithoutRoles),
};

const PACKET_CHANGES: Readonly<Record<string, ChangeFiles>> = {
  'packet: dropped': (files, random, { places }) =>
    changePackets(files, random, places, (bytes, { offset, size }) =>
      joinBytes([bytes.subarray(0, offset), bytes.subarray(offset + size)]),
    ),
  'packet: doubled': (files, random, { places }) =>
    changePackets(files, random, places, (bytes, { offset, size }) =>
      joinBytes([bytes.subarray(0, offset + size), bytes.subarray(offset)]),
    ),
  'packet: moved to the end': (files, random, { places }) =>
    changePackets(files, random, places, (bytes, { offset, size }) =>
      joinBytes([
        bytes.subarray(0, offset),
        bytes.subarray(offset + size),
        bytes.subarray(offset, offset + size),
      ]),
    ),
  'packet: of another': (files, random, { places, other }) =>
    changePackets(files, random, places, (bytes, { offset }) => {
      const theirs = other.get(pickPath(other, random, isData) ?? '') ?? new Uint8Array(0);
      return joinBytes([
        bytes.subarray(0, offset),
        theirs.subarray(0, random.pick([100, 4096, 1e9])),
        bytes.subarray(offset),
      ]);
    }),
};

const FILE_CHANGES: Readonly<Record<string, ChangeFiles>> = {
  'file: removed': (files, random) => {
    const path = pickPath(files, random, () => true);
    if (path !== undefined) files.delete(path);
  },
  'file: emptied': (files, random) => {
    const path = pickPath(files, random, () => true);
    if (path !== undefined) files.set(path, new Uint8Array(0));
  },
  'file: copied': (files, random) => {
    const path = pickPath(files, random, isData);
    if (path !== undefined) files.set(`${path}_1`, files.get(path) ?? new Uint8Array(0));
  },
  'file: of another': (files, random, { other }) => {
    const path = pickPath(files, random, () => true);
    const theirs = pickPath(other, random, (name) => isData(name) === isData(path ?? ''));
    if (path !== undefined) files.set(path, other.get(theirs ?? '') ?? new Uint8Array(0));
  },
  'file: another trace beside': (files, _, { other }) => {
    for (const [path, bytes] of other) if (!files.has(path)) files.set(path, bytes);
  },
  'folder: copied': (files, random) => {
    const folder = dirname(pickPath(files, random, isMetadata) ?? '');
    for (const [path, bytes] of [...files]) {
      if (path.startsWith(`${folder}/`)) files.set(`${folder}-2/${path.slice(folder.length + 1)}`, bytes);
    }
  },
  'index: field': (files, random) => {
    changeFile(files, random, isIndex, (bytes) => {
      const copy = bytes.slice();
      const words = Math.floor((copy.length - 16) / 8);
      const at = random.chance(0.2)
        ? random.pick([0, 4, 8, 12])
        : 16 + 8 * random.between(0, Math.max(0, words - 1));
      const size = at < 16 ? 32 : 64;
      if (at + size / 8 <= copy.length) putInteger(copy, at * 8, size, false, boundaryValue(random));
      return copy;
    });
  },
  'index: made up': (files, random) => {
    const path = pickPath(files, random, isData);
    const index = pickPath(files, random, isIndex);
    if (path !== undefined && index !== undefined)
      files.set(indexPath(path), files.get(index) ?? new Uint8Array(0));
  },
};

const CHANGES: Readonly<Record<string, ChangeFiles>> = Object.fromEntries([
  ...Object.entries(TOKEN_CHANGES).map(([name, change]) => {
    const changeText: ChangeFiles = (files, random, { other }) =>
      changeFile(files, random, isMetadata, (bytes) => {
        const tokens = tokensOf(textOf(bytes));
        change(tokens, random, () => tokensOf(textOf(other.get(pickPath(other, random, isMetadata) ?? ''))));
        return new Uint8Array(Buffer.from(tokens.join(''), 'latin1'));
      });
    return [`metadata ${name}`, changeText];
  }),
  ...Object.entries(BYTE_CHANGES).flatMap(([name, change]) => [
    [`metadata ${name}`, byteChange(isMetadata, change)],
    [`data ${name}`, byteChange(isData, change)],
    [`index ${name}`, byteChange(isIndex, change)],
  ]),
  ...Object.entries(FIELD_CHANGES),
  ...Object.entries(PACKET_CHANGES),
  ...Object.entries(FILE_CHANGES),
  [
    'metadata packet: header',
    (files: Map<string, Uint8Array>, random: Random) => changeMetadataHeader(files, random),
  ],
]) as Record<string, ChangeFiles>;

const METADATA_KINDS = Object.keys(CHANGES).filter((kind) => kind.startsWith('metadata '));
const FIELD_KINDS = Object.keys(FIELD_CHANGES);
const DATA_KINDS = [
  ...Object.keys(BYTE_CHANGES).map((name) => `data ${name}`),
  ...Object.keys(PACKET_CHANGES),
];
const FILE_KINDS = [
  ...Object.keys(FILE_CHANGES),
  ...Object.keys(BYTE_CHANGES).map((name) => `index ${name}`),
];

function byteChange(
  isWanted: (path: string) => boolean,
  change: (bytes: Uint8Array, random: Random) => Uint8Array,
) {
  return (files: Map<string, Uint8Array>, random: Random): void =>
    changeFile(files, random, isWanted, (bytes) => change(bytes, random));
}

function isMetadata(path: string): boolean {
  return basename(path) === 'metadata';
}

function isIndex(path: string): boolean {
  return path.endsWith('.idx');
}

function isData(path: string): boolean {
  return !isMetadata(path) && !isIndex(path);
}

function pickPath(
  files: MemoryFiles,
  random: Random,
  isWanted: (path: string) => boolean,
): string | undefined {
  const paths = [...files.keys()].filter(isWanted);
  return paths.length === 0 ? undefined : random.pick(paths);
}

function changeFile(
  files: Map<string, Uint8Array>,
  random: Random,
  isWanted: (path: string) => boolean,
  change: (bytes: Uint8Array) => Uint8Array,
): void {
  const path = pickPath(files, random, isWanted);
  const bytes = files.get(path ?? '');
  if (path !== undefined && bytes !== undefined) files.set(path, change(bytes));
}

/** The text, a character for each byte. */
function textOf(bytes: Uint8Array = new Uint8Array(0)): string {
  const joinedText = isPacketised(bytes) ? joinPackets(bytes, 'metadata') : undefined;
  return Buffer.from(joinedText?.ok === true ? joinedText.value.text : bytes).toString('latin1');
}

/** CTF 1.8.3 section 7.1: fields of the header, in bits from its begin. */
const METADATA_HEADER: readonly (readonly [position: number, size: number])[] = [
  [0, 32],
  [32, 64],
  [160, 32],
  [192, 32],
  [224, 32],
  [256, 8],
  [264, 8],
  [272, 8],
  [280, 8],
  [288, 8],
];

function changeMetadataHeader(files: Map<string, Uint8Array>, random: Random): void {
  changeFile(files, random, isMetadata, (bytes) => {
    const copy = bytes.slice();
    const [position, size] = random.pick(METADATA_HEADER);
    const isOne = isPacketised(bytes) && copy.length * 8 >= position + size;
    if (isOne) putInteger(copy, position, size, copy[0] === 0x57, boundaryValue(random));
    return copy;
  });
}

type Places = ReadonlyMap<string, DataPlaces>;
type PickFields = (places: DataPlaces) => readonly FieldPlace[];

const allFields: PickFields = ({ fields }) => fields;
const fieldsWithRoles: PickFields = ({ fields }) => fields.filter(({ type }) => hasKind(type));
const fieldsWithoutRoles: PickFields = ({ fields }) => fields.filter(({ type }) => !hasKind(type));
/** The first integers of packets. */
const fieldsOfHeads: PickFields = ({ fields, packets }) =>
  fields.filter(({ position }) =>
    packets.some(({ offset }) => position >= offset * 8 && position < (offset + HEAD_BYTES) * 8),
  );
const HEAD_BYTES = 96;

function hasKind({ roles, clock }: FieldPlace['type']): boolean {
  return clock !== undefined || (roles?.length ?? 0) > 0;
}

function changeField(files: Map<string, Uint8Array>, random: Random, places: Places, pick: PickFields): void {
  changeKnown(files, random, places, (bytes, known) => {
    const fields = pick(known);
    if (fields.length === 0) return bytes;
    const { position, type } = random.pick(fields);
    const copy = bytes.slice();
    if (position + type.size <= copy.length * 8) {
      putInteger(copy, position, type.size, type.byteOrder === 'le', valueFor(type.size, random));
    }
    return copy;
  });
}

/** Boundaries, also those of the field itself. */
function valueFor(size: number, random: Random): bigint {
  if (random.chance(0.6)) return boundaryValue(random);
  return random.pick([
    -1n,
    1n << BigInt(size - 1),
    (1n << BigInt(size - 1)) - 1n,
    BigInt(random.between(0, 255)),
  ]);
}

function changePackets(
  files: Map<string, Uint8Array>,
  random: Random,
  places: Places,
  change: (bytes: Uint8Array, packet: PacketPlace) => Uint8Array,
): void {
  changeKnown(files, random, places, (bytes, { packets }) =>
    packets.length === 0 ? bytes : change(bytes, random.pick(packets)),
  );
}

/** Changes a data file; the index of packets goes, half of the time. */
function changeKnown(
  files: Map<string, Uint8Array>,
  random: Random,
  places: Places,
  change: (bytes: Uint8Array, known: DataPlaces) => Uint8Array,
): void {
  const path = pickPath(files, random, (name) => places.has(name));
  const known = places.get(path ?? '');
  const bytes = files.get(path ?? '');
  if (path === undefined || known === undefined || bytes === undefined) return;
  files.set(path, change(bytes, known));
  if (random.chance(0.5)) files.delete(join(dirname(path), 'index', `${basename(path)}.idx`));
}
