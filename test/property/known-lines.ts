/**
 * What is known of threads and CPUs, once by the simulator's truth and once by the engine, as lines that compare: all
 * of it until the last event (a loss that only an empty last packet reports begins later).
 */
import {
  withDeadTime,
  type KernelTables,
  meantCpuValue,
  meantThreadValue,
} from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../../src/engine/linux/states/reduce/thread-table.ts';
import * as values from '../../src/engine/linux/events/values.ts';
import type { Simulation } from '../support/simulator/simulation.ts';
import type { Cause, Step, ThreadTruth } from '../support/simulator/truth.ts';
import type { MemoryHistory } from '../support/state-run.ts';

/** Each kind of line in order of its own; times in ns since the first event. */
export interface KnownLines {
  /** KEY STATE FROM TO */
  readonly states: readonly string[];
  /** KEY FROM TO STATE CAUSE */
  readonly waits: readonly string[];
  /** CPU STATE FROM TO, without what is unknown */
  readonly cpus: readonly string[];
  /** CPU FROM TO */
  readonly losses: readonly string[];
  /** KEY MODE NAME */
  readonly threads: readonly string[];
}

export function linesOfTruth({ threads, cpus, losses, first, last }: Simulation): KnownLines {
  return {
    states: threads
      .flatMap((thread) => stateLines(keyOf(thread), pieces(thread.steps, thread.end), first))
      .sort(),
    waits: threads.flatMap((thread) => waitLines(thread, first, last)).sort(),
    cpus: cpus.flatMap(({ index, steps }) => cpuLines(index, pieces(steps, last), first)).sort(),
    losses: unique(
      losses
        .filter(({ from }) => from < last)
        .map(({ cpu, from, to }) => `${cpu} ${from - first} ${to - first}`),
    ),
    threads: threads.map((thread) => `${keyOf(thread)} ${thread.mode} ${thread.name}`).sort(),
  };
}

/** @param length ns from the first to the last event */
export function linesOfEngine(history: MemoryHistory, tables: KernelTables, length: number): KnownLines {
  const { threads } = tables;
  const origin = Math.min(...tables.cpus.map((cpu) => cpu.first));
  const end = origin + length;
  const rows = Array.from({ length: threads.length }, (_, thread) => thread);
  const keys = rows.map((thread) => threadKey(threads, thread));
  const intervals = (thread: number): readonly Piece[] =>
    withDeadTime(history.intervals(`threads/${keys[thread]}/state`), threads, thread).map(
      ({ from, to, value }) => {
        return {
          from,
          to: Math.min(to, end),
          state: values.stateOf(meantThreadValue(tables, thread, value)),
          value,
        };
      },
    );
  return {
    states: rows.flatMap((thread) => stateLines(keys[thread], intervals(thread), origin)).sort(),
    waits: rows
      .flatMap((thread) =>
        intervals(thread)
          .filter(
            ({ from, to, state }) =>
              from < to && state >= values.STATE_BLOCKED_S && state <= values.STATE_PARKED,
          )
          .map((piece) => waitLine(keys[thread], piece, origin, causeText(history, keys, piece.value ?? 0))),
      )
      .sort(),
    cpus: tables.cpus
      .flatMap(({ cpu }) =>
        cpuLines(
          cpu,
          history.intervals(`cpus/${cpu}/state`).map(({ from, to, value }) => {
            const read = meantCpuValue(tables, value);
            return { from, to: Math.min(to, end), state: values.stateOf(read) };
          }),
          origin,
        ),
      )
      .sort(),
    losses: unique(
      tables.losses
        .filter(({ from }) => from < end)
        .map(({ cpu, from, to }) => `${cpu} ${from - origin} ${to - origin}`),
    ),
    threads: rows.map((thread) => `${keys[thread]} ${threads.mode[thread]} ${threads.name[thread]}`).sort(),
  };
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly state: number;
  readonly value?: number;
}

function keyOf({ tid, incarnation, idleOf }: ThreadTruth): string {
  if (tid === 0) return `0/cpu${idleOf}`;
  return incarnation === 1 ? `${tid}` : `${tid}#${incarnation}`;
}

function pieces(steps: readonly Step[], end: number): Piece[] {
  return steps.map(({ time, state }, i) => ({
    from: time,
    to: Math.min(steps[i + 1]?.time ?? end, end),
    state,
  }));
}

function stateLines(key: string, list: readonly Piece[], origin: number): string[] {
  return joined(list).map(({ from, to, state }) => `${key} ${state} ${from - origin} ${to - origin}`);
}

function cpuLines(cpu: number, list: readonly Piece[], origin: number): string[] {
  return joined(list)
    .filter(({ state }) => state !== values.CPU_UNKNOWN)
    .map(({ from, to, state }) => `${cpu} ${state} ${from - origin} ${to - origin}`);
}

/** Without pieces of no length, equal neighbours as one. */
function joined(list: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of list) {
    if (!(piece.to > piece.from)) continue;
    const last = result.at(-1);
    if (last !== undefined && last.state === piece.state && last.to === piece.from) {
      result[result.length - 1] = { ...last, to: piece.to };
    } else result.push(piece);
  }
  return result;
}

function waitLines(thread: ThreadTruth, origin: number, end: number): string[] {
  return thread.blockings
    .map(({ from, to, state, cause, lossy }) => ({
      from,
      to: Number.isNaN(to) ? end : to,
      state,
      cause,
      lossy,
    }))
    .filter(({ from, to }) => to > from)
    .map((piece) => waitLine(keyOf(thread), piece, origin, wordsOf(piece.cause, piece.lossy)));
}

function waitLine(key: string, { from, to, state }: Piece, origin: number, cause: string): string {
  return `${key} ${from - origin} ${to - origin} ${state} ${cause}`;
}

function wordsOf({ kind, detail, waker }: Cause, lossy: boolean): string {
  const words =
    kind === 'thread' && waker ? `thread ${keyOf(waker)}` : detail === '' ? kind : `${kind} ${detail}`;
  return lossy ? `${words}, lossy` : words;
}

/** The engine names a detail for more causes than the truth. */
const DETAILED: readonly number[] = [values.CAUSE_OTHER, values.CAUSE_UNKNOWN];

function causeText(history: MemoryHistory, keys: readonly string[], value: number): string {
  const cause = values.causeOf(value);
  const detail = values.detailOf(value);
  const lossy = values.isLossy(value) ? ', lossy' : '';
  if (cause === values.CAUSE_NONE) return `none not ended in the trace${lossy}`;
  if (cause === values.CAUSE_THREAD) return `thread ${keys[detail]}${lossy}`;
  const text = DETAILED.includes(cause) ? ` ${history.texts[detail]}` : '';
  return `${values.CAUSES[cause]}${text}${lossy}`;
}

function unique(lines: readonly string[]): string[] {
  return [...new Set(lines)].sort();
}
