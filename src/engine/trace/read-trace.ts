/**
 * One trace of an experiment: metadata, packet indexes, streams. What cannot be read is reported, the rest is kept.
 *
 * A trace may lie in several folders: LTTng writes the chunks of a rotated session and its snapshots each into their
 * own, with the same uuid. They are read as one, by the union of their metadata.
 */
import { append } from '../base/append.ts';
import { compare } from '../base/compare.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import { groupBy } from '../base/group-by.ts';
import { sha256Hex } from '../base/sha256.ts';
import { loadMetadata } from '../ctf/metadata/load-metadata.ts';
import type { StreamClass, TraceModel } from '../ctf/model.ts';
import { indexStreamFile } from '../ctf/packets/packet-index.ts';
import { reopenedSource, type SourceOpener, type SourceRef } from '../io/byte-source.ts';
import { isKind } from './event-kinds.ts';
import { splitPath, type TraceFiles } from './find-traces.ts';
import { fingerprint, markFile, type FileMark } from './fingerprint.ts';
import { commonFolder, patternOf, sessionFolder } from './recordings.ts';
import { assembleStreams, type AssembledStream } from './stream-assembly.ts';
import type { Domain, JoinedClock, StreamFile } from './types.ts';
import { MAX_EVENTS } from '../ctf/metadata/limits.ts';

/** A folder with metadata that could be read. */
export interface TraceFolder {
  readonly files: TraceFiles;
  readonly metadata: Uint8Array;
  readonly model: TraceModel;
  readonly warnings: readonly Fault[];
}

/** The folders that make one trace, and what all of them declare. */
export interface FolderGroup {
  readonly model: TraceModel;
  readonly folders: readonly TraceFolder[];
}

export interface ReadTrace {
  /** Name of the folder, with `*` in place of the part that distinguishes its folders. */
  readonly folder: string;
  readonly session: string;
  readonly model: TraceModel;
  readonly domain: Domain;
  readonly hostname: string;
  readonly fingerprint: string;
  readonly streams: readonly AssembledStream[];
  readonly faults: readonly Fault[];
  /** How its clock was joined to that of another trace of its host. Default: by itself. */
  readonly joined?: JoinedClock;
}

/** @param known folders read before: chunks of a trace mostly have the same metadata, which are parsed once */
export async function readFolder(
  files: TraceFiles,
  known: readonly TraceFolder[],
  open: SourceOpener,
): Promise<Result<TraceFolder>> {
  const bytes = await readWhole(files.metadata, open);
  if (!bytes.ok) return bytes;
  const twin = known.find(({ metadata }) => areEqual(metadata, bytes.value));
  // Its warnings were reported.
  if (twin !== undefined) return ok({ ...twin, files, warnings: [] });
  const metadata = await loadMetadata(bytes.value, files.metadata.path);
  return metadata.ok ? ok({ files, metadata: bytes.value, ...metadata.value }) : metadata;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** The folders of each trace, in order of their first. Those that contradict each other are no chunks of one trace. */
export function groupFolders(folders: readonly TraceFolder[]): FolderGroup[] {
  const identities = groupBy(folders, ({ model, files }) => identityOf(model) ?? files.folder);
  return [...identities.values()].flatMap(uniteFolders);
}

/** Begins with the metadata that declare most: mostly nothing is to be added to them. */
function uniteFolders(folders: readonly TraceFolder[]): FolderGroup[] {
  const groups: { model: TraceModel; readonly folders: TraceFolder[] }[] = [];
  for (const folder of [...folders].sort((a, b) => eventsOf(b.model) - eventsOf(a.model))) {
    const home = groups.find((group) => {
      const united = uniteModels(group.model, folder.model);
      group.model = united ?? group.model;
      return united !== undefined;
    });
    if (home === undefined) groups.push({ model: folder.model, folders: [folder] });
    else home.folders.push(folder);
  }
  for (const group of groups) group.folders.sort((a, b) => folders.indexOf(a) - folders.indexOf(b));
  return groups;
}

/** Key that two copies of a trace share: uuid, in CTF 2 namespace, name and uid. */
function identityOf({ version, uuid, namespace, name, uid }: TraceModel): string | undefined {
  if (version === '1.8') return uuid && `uuid ${uuid}`;
  return uid === undefined ? undefined : JSON.stringify([namespace, name, uid]);
}

/** Reads a trace from its folders, of which none is a copy of another in `known` (fingerprint → folder). */
export async function readTrace(
  { model, folders }: FolderGroup,
  known: Map<string, string>,
  open: SourceOpener,
): Promise<{ readonly trace: ReadTrace | undefined; readonly copies: readonly Fault[] }> {
  const faults: Fault[] = [];
  const copies: Fault[] = [];
  const data: StreamFile[] = [];
  const prints: string[] = [];
  const kept: string[] = [];
  for (const { files, metadata, warnings } of folders) {
    const indexed = await indexFolder(model, files, open);
    // What is made of a recording may be made otherwise one day: links to it stay.
    const print = files.metadata.recording ?? (await fingerprint(metadata, indexed.marks));
    const twin = known.get(print);
    // Nothing was recorded in some chunks of a rotated session: they are equal, and no copies.
    if (twin !== undefined && indexed.data.length > 0) {
      const found = `the same trace as ${twin}`;
      const place = { file: files.folder };
      copies.push({ code: 'duplicate-trace', place, expected: 'every trace once', found });
      continue;
    }
    known.set(print, files.folder);
    prints.push(print);
    kept.push(files.folder);
    append(data, indexed.data);
    append(faults, warnings);
    append(faults, indexed.faults);
  }
  if (kept.length === 0) return { trace: undefined, copies };
  const trace: ReadTrace = {
    folder: patternOf(kept),
    session: commonFolder(kept.map(sessionFolder)) ?? sessionFolder(kept[0]),
    model,
    domain: domainOf(model),
    hostname: environmentText(model, 'hostname'),
    fingerprint: prints.length === 1 ? prints[0] : sha256Hex(new TextEncoder().encode(prints.sort().join())),
    streams: assembleStreams(data),
    faults,
  };
  return { trace, copies };
}

function eventsOf({ streams }: TraceModel): number {
  return streams.reduce((sum, { events }) => sum + events.length, 0);
}

async function indexFolder(model: TraceModel, files: TraceFiles, open: SourceOpener) {
  const data: StreamFile[] = [];
  const marks: FileMark[] = [];
  const faults: Fault[] = [];
  const index = (ref: SourceRef) => indexFile(model, ref, files.indexes.get(splitPath(ref.path).name), open);
  for (let at = 0; at < files.data.length; at += FILES_AT_ONCE) {
    for (const indexed of await Promise.all(files.data.slice(at, at + FILES_AT_ONCE).map(index))) {
      if (!indexed.ok) {
        faults.push(indexed.fault);
        continue;
      }
      append(faults, indexed.value.faults);
      data.push(indexed.value.file);
      marks.push(indexed.value.mark);
    }
  }
  return { data, marks, faults };
}

/** Files that are open at a time while they are indexed. */
const FILES_AT_ONCE = 8;

async function indexFile(
  model: TraceModel,
  ref: SourceRef,
  index: SourceRef | undefined,
  open: SourceOpener,
): Promise<
  Result<{ readonly file: StreamFile; readonly mark: FileMark; readonly faults: readonly Fault[] }>
> {
  const source = await open(ref);
  if (!source.ok) return source;
  try {
    // An index that cannot be read is no loss: the packets say the same.
    const known = index === undefined ? undefined : await readWhole(index, open);
    const indexed = await indexStreamFile(model, source.value, known?.ok === true ? known.value : undefined);
    if (!indexed.ok) return indexed;
    const { packets, faults } = indexed.value;
    const mark = await markFile(splitPath(ref.path).name, source.value, packets);
    return mark.ok ? ok({ file: { source: ref, packets }, mark: mark.value, faults }) : mark;
  } finally {
    await source.value.close?.();
  }
}

/** Bytes of metadata or of an index that are read at once; real ones have some MB. */
const MOST_BYTES = 256 * 1024 * 1024;

async function readWhole(ref: SourceRef, open: SourceOpener): Promise<Result<Uint8Array>> {
  const { path: file, size } = ref;
  if (size <= MOST_BYTES) return reopenedSource(ref, open).read(0, size);
  const expected = `at most ${MOST_BYTES} bytes`;
  return fail({ code: 'over-limit', place: { file }, expected, found: `${size} bytes` });
}

export function environmentText(model: TraceModel, name: string): string {
  return String(model.environment.find((entry) => entry.name === name)?.value ?? '');
}

/** The program whose threads alone were recorded; undefined: those of the whole machine were. */
export function recordedProgram(model: TraceModel): string | undefined {
  return environmentText(model, 'recorded_program') || undefined;
}

/** Events of which recordings have samples, and how often: the clocks of perf count ns, others themselves; '' nobody says. */
export function samplingOf(models: readonly TraceModel[]): string {
  const rates = models.map((model) => environmentText(model, 'samples')).filter((text) => text !== '');
  return [...new Set(rates)].join('; ');
}

/**
 * Domain by the environment; traces that say nothing are the kernel's when they log what only a scheduler can, and so
 * are perf's, which all say that they are: most have samples alone, which show no threads' states.
 */
function domainOf(model: TraceModel): Domain {
  const stated = environmentText(model, 'domain');
  const isPerf = ['perf', 'trace-cmd', 'perfetto'].includes(environmentText(model, 'tracer_name'));
  if (stated === 'ust' || (stated === 'kernel' && !isPerf)) return stated;
  const schedules = model.streams.some((stream) =>
    stream.events.some(({ name = '' }) => isKind('switch', name) || isKind('switched-out', name)),
  );
  return schedules ? 'kernel' : 'other';
}

/**
 * The model that reads the streams of both: `a` with what only `b` declares. Metadata grow while a trace is recorded: a
 * tracer appends the event classes of what is loaded later, and each chunk has those known when it was closed. Offsets of clocks and the environment are
 * those of `a`: a tracer may take them anew.
 *
 * @returns undefined where the two contradict each other, so are not chunks of one trace whatever their uuid says
 * @internal
 */
export function uniteModels(a: TraceModel, b: TraceModel): TraceModel | undefined {
  if (a === b) return a;
  const sameFrame =
    a.byteOrder === b.byteOrder && isSame(a.packetHeader, b.packetHeader) && isSame(ratesOf(a), ratesOf(b));
  const streams = sameFrame ? unite(a.streams, b.streams, uniteStreams) : undefined;
  if (streams === undefined) return undefined;
  return streams === a.streams ? a : { ...a, streams };
}

function ratesOf({ clocks }: TraceModel): unknown {
  return clocks.map(({ name, uuid, frequency }) => ({ name, uuid, frequency }));
}

function uniteStreams(a: StreamClass, b: StreamClass): StreamClass | undefined {
  const events = unite(a.events, b.events, (one, other) => (isSame(one, other) ? one : undefined));
  if (events === undefined || events.length > MAX_EVENTS) return undefined;
  if (!isSame({ ...a, events: [] }, { ...b, events: [] })) return undefined;
  return events === a.events ? a : { ...a, events };
}

/**
 * Union of both lists by id, in order of id; `a` itself where `b` has nothing more. undefined: two of one id
 * contradict.
 */
function unite<Class extends { readonly id: bigint }>(
  a: readonly Class[],
  b: readonly Class[],
  both: (a: Class, b: Class) => Class | undefined,
): readonly Class[] | undefined {
  const byId = new Map(a.map((each) => [each.id, each]));
  let changed = false;
  for (const other of b) {
    const known = byId.get(other.id);
    const united = known === undefined ? other : both(known, other);
    if (united === undefined) return undefined;
    changed ||= united !== known;
    byId.set(other.id, united);
  }
  if (!changed) return a;
  return [...byId.values()].sort((x, y) => compare(x.id, y.id));
}

/** Equality of plain data. A member that is undefined is as good as none. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [x, y] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  return [...new Set([...Object.keys(x), ...Object.keys(y)])].every((key) => isSame(x[key], y[key]));
}
