/**
 * `export PATH… --dataset DIR`: writes what is known of a trace as its part of a dataset of Parquet files (docs/dataset.md),
 * `DIR/TABLE/host=HOST/recording=FINGERPRINT/day=DAY/part.parquet`.
 */
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupBy } from '../../engine/base/group-by.ts';
import { sha256Hex } from '../../engine/base/sha256.ts';
import type { ExportSource } from '../../engine/answers/export/export-source.ts';
import { executionTable, findingTable, recordingTable } from '../../engine/answers/export/dataset-tables.ts';
import { lockTable, lockWaitTable } from '../../engine/answers/export/lock-tables.ts';
import { stateTable } from '../../engine/answers/export/state-spans.ts';
import { waitTable } from '../../engine/answers/export/wait-table.ts';
import { traceKey } from '../../engine/answers/context/trace-key.ts';
import { likelyExecutions } from '../../engine/answers/summary/execution-measures.ts';
import { parquetPieces } from '../../engine/export/tables/parquet.ts';
import { type ExportTable, utf8 } from '../../engine/export/tables/table.ts';
import type { Finding } from '../../engine/protocol/summary.ts';
import { makeFolder } from '../../engine/store/file-store.ts';
import { fingerprintOf } from '../../engine/trace/fingerprint-of-key.ts';
import { reportFaults } from '../messages.ts';
import { type Options, UsageError } from '../options.ts';
import { sentenceText, writing } from '../output.ts';
import { checkDelimiters } from '../read-executions.ts';
import { readAll } from '../read-layers.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import { definitionOf } from './executions.ts';
import { findAll } from './summary.ts';

/** Version of the tables; raise it when a column gets another name, unit or meaning. */
const SCHEMA = '1';

/** Name of a partition without a value, by Hive's convention. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

/**
 * Writes all tables, and then puts them in the place of those that were there of the same trace.
 * @throws UsageError for options that other exports have
 */
export async function exportDataset(paths: readonly string[], folder: string, options: Options) {
  const { output, what, format, range, host } = options;
  if ([output, what, format, range, host].some((option) => option !== undefined))
    throw new UsageError(
      'export: --dataset is of the whole trace, without --output, --what, --format, --range and --host',
    );
  const definition = definitionOf(options);
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const recording = fingerprintOf(await traceKey(session.experiment));
  const written = new Map<string, string>();
  try {
    for await (const { name, host, table } of tablesOf(session, definition, options)) {
      const place = join(folder, name, `host=${host}`, `recording=${recording}`, `day=${dayOf(session)}`);
      await writing(place, async () => {
        await makeFolder(place);
        const temporary = join(place, `.part.${process.pid}.tmp`);
        written.set(temporary, place);
        await writeFile(
          temporary,
          parquetPieces(table, { 'wakepath.schema': SCHEMA, 'wakepath.table': name }),
        );
      });
    }
    for (const [temporary, place] of written)
      await writing(place, () => rename(temporary, join(place, 'part.parquet')));
  } finally {
    for (const temporary of written.keys()) await rm(temporary, { force: true });
  }
  await writing(folder, () => removeFormer(folder, recording, new Set(written.values())));
  return reportFaults(session.faults, options.strict);
}

/** Removes parts of the recording that lie elsewhere: its host or day was another one then. */
async function removeFormer(folder: string, recording: string, places: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    const hosts = await foldersIn(join(folder, name), 'host=');
    for (const host of hosts)
      for (const own of await foldersIn(host, `recording=${recording}`))
        for (const day of await foldersIn(own, 'day='))
          if (!places.has(day)) await rm(day, { recursive: true });
  }
}

async function foldersIn(folder: string, begin: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(begin))
    .map(({ name }) => join(folder, name));
}

interface PartOfTable {
  readonly name: string;
  /** Name of the partition. */
  readonly host: string;
  readonly table: ExportTable;
}

async function* tablesOf(
  session: TraceSession,
  wanted: ReturnType<typeof definitionOf>,
  options: Options,
): AsyncIterable<PartOfTable> {
  const { trace, experiment, firstNs } = session;
  const layers = await readAll(session);
  if (wanted !== undefined) checkDelimiters(layers, wanted);
  const definition = wanted ?? (await likelyExecutions({ trace, layers }))?.definition;
  const request = definition && { definition, isMangled: options.mangled };
  const executions = request && (await session.ask('executions', request, layers));
  const locks = await session.ask('locks', { isWhole: true }, layers);
  const { findings } = await findAll(session, layers);
  const hostnames = new Set(experiment.hosts.map(({ hostname }) => hostname));
  const groups = groupBy(experiment.hosts, ({ hostname, name }) =>
    partitionName(hostname === '' || hostnames.size < experiment.hosts.length ? name : hostname),
  );
  for (const [host, own] of groups) {
    const hosts = own.map(({ index }) => index);
    const source: ExportSource = { trace, layers, hosts, firstNs };
    const parts: Record<string, ExportTable> = {
      recordings: recordingTable(source, experiment, Object.fromEntries(options.labels)),
      states: withoutColumn(stateTable(source), 'host'),
      waits: waitTable(source),
      locks: lockTable(source, locks),
      lock_waits: lockWaitTable(source, locks),
      executions: executionTable(source, executions),
      findings: findingTable(
        findings.filter((finding) => isOf(finding, hosts, groups.size)),
        sentenceText,
      ),
    };
    for (const [name, table] of Object.entries(parts)) yield { name, host, table };
  }
  const ofNone = findings.filter((finding) => groups.size > 1 && hostOf(finding) === undefined);
  if (groups.size > 1) yield { name: 'findings', host: NO_VALUE, table: findingTable(ofNone, sentenceText) };
}

/** Whether a finding is about a host; where there is one, all are. */
function isOf(finding: Finding, hosts: readonly number[], groups: number): boolean {
  const host = hostOf(finding);
  return groups === 1 || (host !== undefined && hosts.includes(host));
}

/** Index of the host that a finding is about; undefined: several, or it is not known. */
function hostOf({ place }: Finding): number | undefined {
  if (place.tab === 'path') return Number(place.row.split(':')[1]);
  return place.tab === 'locks' && place.lock !== undefined ? Number(place.lock.split(':')[0]) : undefined;
}

function withoutColumn({ columns, groups }: ExportTable, name: string): ExportTable {
  const kept = [...columns.keys()].filter((i) => columns[i].name !== name);
  const keptGroups = async function* () {
    for await (const { length, cells } of groups) yield { length, cells: kept.map((i) => cells[i]) };
  };
  return { columns: kept.map((i) => columns[i]), groups: keptGroups() };
}

/** Characters of a name in its partition; more are cut, and told apart by a hash. */
const LONGEST_NAME = 160;
const HASH_DIGITS = 16;

/**
 * Name of a host as that of a folder: letters, digits, `-`, `_` and points within stay, all other bytes of its UTF-8 are
 * `%XX`.
 * @internal
 */
export function partitionName(host: string): string {
  if (host === '') return NO_VALUE;
  const bytes = utf8(host);
  const escaped = Array.from(bytes, (byte, i) => {
    const character = String.fromCharCode(byte);
    const isPlain = /[A-Za-z0-9_-]/.test(character) || (character === '.' && i > 0);
    return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
  if (escaped.length <= LONGEST_NAME) return escaped;
  const cut = escaped.slice(0, LONGEST_NAME - HASH_DIGITS).replace(/%.?$/, '');
  return `${cut}~${sha256Hex(bytes).slice(0, HASH_DIGITS)}`;
}

const NS_PER_MS = 1_000_000n;
/** First millisecond of the year 10000. */
const END_OF_DAYS = 253_402_300_800_000n;

/** UTC day of the first event, `2026-11-28`. */
function dayOf({ originNs }: TraceSession): string {
  const ms = originNs / NS_PER_MS;
  return ms >= 0n && ms < END_OF_DAYS ? new Date(Number(ms)).toISOString().slice(0, 10) : NO_VALUE;
}
