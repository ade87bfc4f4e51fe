/** `export PATH… --what WHAT --format FORMAT --output FILE`, `export PATH… --dataset DIR`: writes a part of what is known into a file of others' forms. */
import { visibleCharacters } from '../../engine/base/visible-text.ts';
import { objectTable, type ExportTable, type FilePieces, utf8 } from '../../engine/export/tables/table.ts';
import { TABLE_FORMATS, tableFile } from '../../engine/export/tables/table-file.ts';
import { eventTable } from '../../engine/answers/export/event-table.ts';
import type { ExportSource } from '../../engine/answers/export/export-source.ts';
import { findingFile } from '../../engine/answers/export/finding-file.ts';
import { perfettoFile } from '../../engine/answers/export/perfetto-file.ts';
import { profileFile, pathTable } from '../../engine/answers/export/export-file.ts';
import { spanTable } from '../../engine/answers/export/layer-spans.ts';
import { stateTable } from '../../engine/answers/export/state-spans.ts';
import type { PathAnswer } from '../../engine/protocol/paths.ts';
import { reportFaults } from '../messages.ts';
import { threadNamed } from '../named-threads.ts';
import { type Command, type Options, UsageError } from '../options.ts';
import { FaultError, JsonList, writeOutput } from '../output.ts';
import { onTrace, type TraceSession } from '../trace-session.ts';
import { exportDataset } from './dataset.ts';
import { countedEvents } from './events.ts';
import { executionList } from './executions.ts';
import { locksJson } from './locks.ts';
import { readOverlays } from './overlays.ts';
import { foldedProfile, profileOf } from './profile.ts';
import { statisticOf, STATS } from './stats.ts';

const EXECUTIONS = 'executions';

type TableOf = (session: TraceSession, options: Options) => Promise<ExportTable>;

/** Tables that can be written, beside lists of statistics (`stats`). */
const TABLES: Readonly<Record<string, TableOf>> = {
  events: async (session, options) => eventTable(sourceOf(session), await countedEvents(session, options)),
  states: (session) => Promise.resolve(stateTable(sourceOf(session))),
  spans: async (session, options) => {
    const layers = await readOverlays(session, options);
    return spanTable({ ...sourceOf(session), layers });
  },
  path: async (session, options) => pathTable(sourceOf(session), await pathOf(session, options)),
};

export const exportFile: Command = async (paths, options) => {
  const { output, dataset } = options;
  if (dataset !== undefined) return exportDataset(paths, dataset, options);
  if (options.labels.size > 0) throw new UsageError('export: --label needs --dataset');
  if (output === undefined) throw new UsageError('export: --output FILE is expected');
  if (options.what === EXECUTIONS) return exportExecutions(paths, options, output);
  const write = writerOf(options);
  return onTrace(paths, options, async (session) => {
    await writeOutput(output, await write(session, options));
  });
};

/** Executions are found in a trace that is read for them, or are read from a file of executions. */
async function exportExecutions(paths: readonly string[], options: Options, output: string) {
  const format = tableFormat(options.format);
  if (options.range !== undefined)
    throw new UsageError('export: executions are of the whole trace, without --range');
  const { list, faults } = await executionList(paths, options);
  if (list !== undefined) await writeOutput(output, tableFile(tableOfRows(list, EXECUTIONS), format));
  return reportFaults(faults, options.strict);
}

/** Files of other forms than a table's. */
const FILES: Readonly<Record<string, (session: TraceSession, options: Options) => Promise<FilePieces>>> = {
  perfetto: async (session, options) => {
    const path = options.thread === undefined ? undefined : await pathOf(session, options);
    const layers = await readOverlays(session, options);
    return perfettoFile({ ...sourceOf(session), layers }, path);
  },
  pprof: async (session, options) => {
    const { answer } = await profileOf(session, profiledIn(options));
    return pieceOf(profileFile(sourceOf(session), answer));
  },
  finding: (session, { withoutTexts }) => {
    const range = session.range ?? { from: 0, to: Number.MAX_SAFE_INTEGER };
    const request = { what: 'finding', range, link: '', notes: [], withoutTexts } as const;
    return Promise.resolve(refusing(findingFile({ trace: session.trace }, request)));
  },
  folded: async (session, options) => {
    const { answer } = await profileOf(session, profiledIn(options));
    return pieceOf(
      utf8(
        foldedProfile(answer)
          .map((line) => `${visibleCharacters(line)}\n`)
          .join(''),
      ),
    );
  },
};

/** @throws FaultError where the file is not to be used */
async function* refusing(pieces: ReturnType<typeof findingFile>): FilePieces {
  const fault = yield* pieces;
  if (fault !== undefined) throw new FaultError(fault);
}

async function* pieceOf(bytes: Uint8Array<ArrayBuffer>): FilePieces {
  await Promise.resolve();
  yield bytes;
}

/** @throws UsageError for what cannot be written, before anything is read */
function writerOf({ format: wanted = 'parquet', what = 'events' }: Options) {
  if (Object.hasOwn(FILES, wanted)) return FILES[wanted];
  const format = tableFormat(wanted);
  const tableOf = Object.hasOwn(TABLES, what) ? TABLES[what] : listOf(what);
  return async (session: TraceSession, options: Options): Promise<FilePieces> =>
    tableFile(await tableOf(session, options), format);
}

function tableFormat(wanted: string = 'parquet') {
  const format = TABLE_FORMATS.find((known) => known === wanted);
  if (format !== undefined) return format;
  const all = [...TABLE_FORMATS, ...Object.keys(FILES)].join(', ');
  throw new UsageError(`--format: one of ${all} is expected, not "${wanted}"`);
}

function sourceOf({ trace, hosts, range, firstNs }: TraceSession): ExportSource {
  return { trace, hosts: hosts.map(({ index }) => index), range, firstNs };
}

function threadIn({ thread }: Options): string {
  if (thread === undefined) throw new UsageError('export: --thread TID is expected');
  return thread;
}

/** The options, which say whose profile is wanted. @throws UsageError */
function profiledIn(options: Options): Options {
  return options.of === 'all' ? options : { ...options, thread: threadIn(options) };
}

async function pathOf(session: TraceSession, options: Options): Promise<PathAnswer> {
  const thread = threadIn(options);
  const { row } = threadNamed(session, thread);
  const path = await session.ask('path', { row, range: session.range, criterion: 'main-task' });
  if (path === undefined) throw new UsageError(`export: no path of thread ${thread} is known`);
  return path;
}

/** A list of `stats KIND --json` as `KIND.LIST`, or of `locks --json`: `cpu.threads`, `locks.locks`. */
function listOf(what: string): TableOf {
  const [kind, list] = what.split('.');
  const name = STATS.find((known) => known === kind);
  if ((name === undefined && kind !== 'locks') || list === undefined) throw new UsageError(refusal(what));
  return async (session, options) => {
    const json =
      name === undefined ? await locksJson(session) : (await statisticOf(name, session, options)).json;
    const found = (json as Readonly<Record<string, unknown>>)[list];
    const members = found instanceof JsonList ? found.members : found;
    if (!(members instanceof Object)) throw new UsageError(refusal(what));
    const objects: object[] = [];
    for await (const member of members as Iterable<object>) objects.push(member);
    return tableOfRows(objects, what);
  };
}

/** @throws UsageError where there are none: no columns are known then */
function tableOfRows(rows: readonly object[], what: string): ExportTable {
  if (rows.length === 0) throw new UsageError(`export: ${what} has no rows`);
  return objectTable(rows);
}

function refusal(what: string): string {
  const tables = [...Object.keys(TABLES), EXECUTIONS].join(', ');
  return `--what: one of ${tables}, or a list of a statistic or of locks, as cpu.threads or locks.locks, is expected, not "${what}"`;
}
