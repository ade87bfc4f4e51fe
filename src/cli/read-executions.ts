/** The executions of a trace, as a database, or those of a file that they were written to. */
import { open, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Fault, Result } from '../engine/base/fault.ts';
import { decodeDatabase, type ExecutionDatabase } from '../engine/layers/executions/database/database.ts';
import { isDatabase } from '../engine/layers/executions/database/header.ts';
import type { ExecutionDefinition } from '../engine/layers/executions/definition.ts';
import type { LockTimes } from '../engine/layers/executions/ranking/ranking.ts';
import { matcherOf } from '../engine/base/glob.ts';
import type { SessionLayers } from '../engine/open/layers/session-layers.ts';
import type { ExecutionsAnswer } from '../engine/protocol/executions.ts';
import type { OffCpuTimes } from '../engine/protocol/profile.ts';
import { fingerprintOf } from '../engine/trace/fingerprint-of-key.ts';
import { traceKey } from '../engine/answers/context/trace-key.ts';
import { reportLosses } from './messages.ts';
import { type Options, UsageError } from './options.ts';
import { printError } from './output.ts';
import { readAll } from './read-layers.ts';
import { openTraceSession, type TraceSession } from './trace-session.ts';

/** Length of a file's begin that tells what it is, bytes. */
const BEGIN_BYTES = 64;

/** Reads a single path that is a file of executions, or was meant as one; undefined: it is something else. */
export async function readDatabaseFile(
  paths: readonly string[],
): Promise<Result<ExecutionDatabase> | undefined> {
  if (paths.length !== 1) return undefined;
  const [path] = paths;
  const begin = new Uint8Array(BEGIN_BYTES);
  try {
    const file = await open(path);
    try {
      await file.read(begin);
    } finally {
      await file.close();
    }
    return isDatabase(begin)
      ? await decodeDatabase(new Uint8Array(await readFile(path)), basename(path))
      : undefined;
  } catch {
    // A folder, or nothing that can be read: opening it as a trace says why.
    return undefined;
  }
}

export interface ReadExecutions {
  /** Absent where nothing could be opened: the faults say why. */
  readonly database?: ExecutionDatabase;
  /** Times that executions waited for locks, by number of the execution; absent for a file of executions. */
  readonly locks?: LockTimes;
  /** Their blocked time, where it is asked for. */
  readonly offCpu?: OffCpuTimes;
  readonly faults: readonly Fault[];
}

/**
 * Reads executions, with times since the first event of the trace.
 * @throws UsageError for an event that the trace has not
 */
export async function readExecutions(
  paths: readonly string[],
  definition: ExecutionDefinition,
  options: Options,
): Promise<ReadExecutions> {
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return { faults };
  await reportLosses(session);
  const { experiment, originNs, firstNs } = session;
  const { layers, answer } = await findExecutions(session, definition, options);
  const { threads, thread, from, to } = answer;
  const intervals = { rows: threads.map(({ row }) => row), thread, from, to };
  const locks = await session.ask('locksWithin', intervals, layers);
  if (locks.isCut) printError('for which locks executions waited is not told: their waits are too many');
  const offCpu = options.offCpu
    ? await session.ask('offCpu', { ...intervals, order: 'sleeper' }, layers)
    : undefined;
  if (options.offCpu && offCpu === undefined)
    throw new UsageError('executions: --off-cpu needs a kernel trace, which this one has not');
  return {
    ...{ locks, offCpu },
    database: {
      trace: fingerprintOf(await traceKey(experiment)),
      name: experiment.name,
      originNs: String(originNs),
      hosts: experiment.hosts.map(({ name }) => name),
      answer: since(answer, firstNs),
    },
    faults: [...faults, ...(layers.info('execution')?.faults ?? [])],
  };
}

/**
 * The executions of an open trace, with all its layers.
 * @throws UsageError for an event that the trace has not
 */
export async function findExecutions(
  session: TraceSession,
  definition: ExecutionDefinition,
  options: Options,
): Promise<{ readonly layers: SessionLayers; readonly answer: ExecutionsAnswer }> {
  const layers = await readAll(session);
  checkDelimiters(layers, definition);
  const request = { definition, isMangled: options.mangled };
  const answer = await session.ask('executions', request, layers);
  if (answer === undefined) throw new UsageError('executions: they cannot be read');
  if (answer.withoutThread > 0)
    printError(
      `${answer.withoutThread} ends of executions lie in threads that are not known, and are left out`,
    );
  return { layers, answer };
}

/** @throws UsageError for an event that the trace has not */
export function checkDelimiters(layers: SessionLayers, { begin, end }: ExecutionDefinition): void {
  const { events = [] } = layers.info('execution')?.found ?? {};
  for (const pattern of new Set([begin, end])) {
    const isNamed = matcherOf(pattern);
    if (!events.some(({ name }) => isNamed(name)))
      throw new UsageError(`executions: no event of the trace is called "${pattern}"`);
  }
}

/** Subtracts a time from all times of an answer. */
function since(answer: ExecutionsAnswer, firstNs: number): ExecutionsAnswer {
  const moved = (values: Float64Array) => values.map((time) => time - firstNs);
  return {
    ...answer,
    from: moved(answer.from),
    to: moved(answer.to),
    metrics: answer.metrics.map(({ name, values }) => ({
      name,
      values: name === 'begin' ? moved(values) : values,
    })),
  };
}
