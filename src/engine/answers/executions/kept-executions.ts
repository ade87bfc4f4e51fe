/**
 * Executions that were found, stored as files with their trace: for the trace without its files, and for comparisons.
 */
import { decodeDatabase, encodeDatabase } from '../../layers/executions/database/database.ts';
import type { ExecutionDefinition } from '../../layers/executions/definition.ts';
import type { HistoryRecords } from '../../history/persist.ts';
import { fingerprintOf } from '../../trace/fingerprint-of-key.ts';
import type { QueryContext, AnswerTo } from '../context/query.ts';
import { resultsVersion } from '../context/trace-key.ts';
import type { ExecutionsAnswer, ExecutionsRequest } from '../../protocol/executions.ts';
import { lockSettingsText } from './find-executions.ts';

/** Raise it when the executions of a definition, their metrics or their calling contexts come out otherwise. */
const VERSION = 3;
/** Version that includes that of the results executions are made of. */
const versionText = () => `${VERSION} ${resultsVersion()}`;
/** Maximum number of definitions stored of a trace, and maximum bytes of each; others are found again. */
const MOST_KEPT = 16;
const MOST_BYTES = 2 ** 26;

/** Name of the record that lists the files, and prefix of the files' names. */
const KEPT = 'execution-files';

/** Everything beside the trace that executions depend on, as text. */
interface KeptFile {
  readonly request: string;
  readonly version: string;
  /** Clock settings of the times. */
  readonly clocks: string;
  /** Files beside the trace from which functions got their names. */
  readonly others: string;
  /** Settings of lock events, to which users may add. */
  readonly locks: string;
}

/** Stored executions; undefined: none are stored, or they cannot be read. */
export const readKept: AnswerTo<'executions'> = async (context, request) => {
  const { layers, trace } = context;
  if (layers === undefined) return undefined;
  const wanted = fileOf(context, request, lockSettingsText(context));
  const kept = await filesOf(layers.records);
  const place = kept.findIndex((file) => isSame(file, wanted));
  if (place < 0) return undefined;
  const { others, locks } = kept[place];
  // Without its files a trace keeps the names that it had.
  if (trace.files !== undefined && !(others === wanted.others && locks === wanted.locks)) return undefined;
  const bytes = await bytesOf(layers.records, place);
  const read = bytes && (await decodeDatabase(bytes, nameOf(place)));
  return read?.ok ? read.value.answer : undefined;
};

/** Stores executions. If the store refuses they are found again. The answer is read before the first await. */
export async function keep(
  context: QueryContext,
  request: ExecutionsRequest,
  answer: ExecutionsAnswer,
  locks: string,
): Promise<void> {
  const { layers, trace } = context;
  if (layers === undefined || trace.files === undefined) return;
  const { name, hosts } = trace.files.experiment;
  const encoding = encodeDatabase({
    trace: fingerprintOf(layers.key),
    name,
    originNs: String(trace.time.originNs),
    hosts: hosts.map((host) => host.name),
    answer,
  });
  const wanted = fileOf(context, request, locks);
  const [file, kept] = await Promise.all([encoding, filesOf(layers.records)]);
  const known = kept.findIndex((other) => isSame(other, wanted));
  const place = known < 0 ? kept.length : known;
  if (!file.ok || file.value.length > MOST_BYTES || place >= MOST_KEPT) return;
  await layers.records.write([
    { name: KEPT, value: [...kept.slice(0, place), wanted, ...kept.slice(place + 1)] },
    { name: nameOf(place), value: file.value },
  ]);
}

/** Deletes stored executions after functions got other names. */
export async function forgetKept(records: HistoryRecords): Promise<void> {
  await records.write([{ name: KEPT, value: [] }]);
}

/** Whether executions of a definition are stored with a trace, by whatever clocks. */
export async function hasKept(records: HistoryRecords, definition: ExecutionDefinition): Promise<boolean> {
  return (await placeOf(records, definition)) >= 0;
}

/** The file of a definition's executions; undefined: there is none. */
export async function keptFile(
  records: HistoryRecords,
  definition: ExecutionDefinition,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const place = await placeOf(records, definition);
  return place < 0 ? undefined : bytesOf(records, place);
}

async function placeOf(records: HistoryRecords, definition: ExecutionDefinition): Promise<number> {
  const request = requestText({ definition });
  const kept = await filesOf(records);
  return kept.findIndex((file) => file.request === request && file.version === versionText());
}

function fileOf({ trace }: QueryContext, request: ExecutionsRequest, locks: string): KeptFile {
  const { originNs, hosts } = trace.time.clock;
  const others = trace.files?.experiment.others ?? [];
  return {
    request: requestText(request),
    version: versionText(),
    clocks: JSON.stringify([String(originNs), hosts.map(({ transform }) => transform.lines)]),
    others: JSON.stringify(others.map(({ path, size }) => [path, size])),
    locks,
  };
}

function requestText({ definition, isMangled = false }: ExecutionsRequest): string {
  const { begin, end, key, acrossThreads, where, minNs } = definition;
  const conditions = where.map(({ field, value }) => [field, value]);
  return JSON.stringify([begin, end, key, acrossThreads, conditions, minNs, isMangled]);
}

function isSame(a: KeptFile, b: KeptFile): boolean {
  return a.request === b.request && a.version === b.version && a.clocks === b.clocks;
}

async function filesOf(records: HistoryRecords): Promise<readonly KeptFile[]> {
  return ((await records.read(KEPT)) as readonly KeptFile[] | undefined) ?? [];
}

async function bytesOf(records: HistoryRecords, place: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return (await records.read(nameOf(place))) as Uint8Array<ArrayBuffer> | undefined;
}

function nameOf(place: number): string {
  return `${KEPT}/${place}`;
}
