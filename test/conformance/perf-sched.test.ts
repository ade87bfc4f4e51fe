/**
 * What perf's own commands say of its recordings: each row of `perf sched timehist --state` (how long a thread had waited,
 * been runnable and run when it left a CPU, us cut off), waits of `perf lock contention`, and numbers of events.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { readRecorded, type RecordedThread } from '../support/recorder-twins.ts';
import { sharedPath } from '../support/shared.ts';
import { DEEP } from '../support/tier.ts';
import { type KernelLocks } from '../support/inspect-answers.ts';
import { sum } from '../support/sum.ts';

const tracers = sharedPath('tracers');

interface Row {
  /** us of perf's clock. */
  readonly at: number;
  readonly cpu: number;
  /** -1: perf has forgotten the thread, as it has exited. */
  readonly tid: number;
  readonly times: Times;
}

/** us. */
interface Times {
  readonly wait: number;
  readonly delay: number;
  readonly run: number;
}

const ROW = /^ *([\d.]+) \[(\d+)\]\s+(.*?)\s+(\d+\.\d{3})\s+(\d+\.\d{3})\s+(\d+\.\d{3})\s+\w/;

function rowsOf(name: string): Row[] {
  const text = gunzipSync(readFileSync(join(tracers, name, 'timehist.txt.gz'))).toString();
  return text.split('\n').flatMap((line) => {
    const match = ROW.exec(line);
    if (match === null) return [];
    const [, at, cpu, task, ...ms] = match;
    const [wait, delay, run] = ms.map((value) => Math.round(Number(value) * 1000));
    const tid = task === '<idle>' ? 0 : Number(/\[(-?\d+)(?:\/\d+)?\]$/.exec(task)?.[1]);
    return [{ at: Math.round(Number(at) * 1e6), cpu: Number(cpu), tid, times: { wait, delay, run } }];
  });
}

/**
 * Why a row differs. `first`: perf does not know when the thread came that the first switch takes from a CPU. `gone`: perf
 * has the thread as -1, since it has exited, and not how long it had waited. `end`: nothing follows the last switch of the
 * recording. `wakeup`: perf leaves sched_wakeup out where sched_waking is recorded, even if that was not seen.
 */
type Rule = 'equal' | 'first' | 'gone' | 'end' | 'wakeup';

/** Rows by rule; all others are faults. */
const RECORDINGS: [name: string, counts: Partial<Record<Rule, number>>][] = [
  ['perf-sched', { equal: 152, first: 4, gone: 4 }],
  ['perf-zstd', { equal: 331, first: 4, end: 1 }],
  ['twin-disk', { equal: 376, first: 4, gone: 1 }],
  ['twin-rpc', { equal: 502, first: 4, wakeup: 1 }],
  ['twin-lockfight', { equal: 506, first: 4, gone: 4 }],
];

const us = (ns: number) => Math.floor(ns / 1000);

/** The times of the thread that leaves a CPU at a time; undefined: it does not. */
function timesAt({ changes }: RecordedThread, at: number): Times | undefined {
  const left = changes.findIndex((change) => us(change.at) === at && change.text.startsWith('running > '));
  if (left < 0) return undefined;
  const last = (before: number, is: (text: string) => boolean) =>
    changes.slice(0, Math.max(before, 0)).findLastIndex(({ text }) => is(text));
  const came = last(left, (text) => text.endsWith('> running'));
  const before = last(came, (text) => text.startsWith('running > '));
  const woken = last(came, (text) => text.endsWith('> runnable, woken'));
  const between = (from: number, to: number) =>
    from < 0 || to < 0 ? 0 : us(changes[to].at - changes[from].at);
  return {
    wait: between(before, came),
    delay: woken > before ? between(woken, came) : 0,
    run: between(came, left),
  };
}

function ruleOf(row: Row, found: Times | undefined, isFirst: boolean, isLast: boolean): Rule | undefined {
  const { wait, delay, run } = row.times;
  if (isFirst) return wait + delay + run === 0 ? 'first' : undefined;
  if (found === undefined) return isLast ? 'end' : undefined;
  if (found.run !== run) return undefined;
  if (row.tid < 0) return 'gone';
  if (found.wait !== wait) return undefined;
  if (found.delay === delay) return 'equal';
  return delay === 0 ? 'wakeup' : undefined;
}

describe.skipIf(!existsSync(tracers))('rows of perf sched timehist', () => {
  test.each(RECORDINGS.filter(([name]) => DEEP || name.startsWith('perf-')))('%s', async (name, counts) => {
    const { threads } = await readRecorded([join(tracers, name, 'perf.data')]);
    const rows = rowsOf(name);
    const seen = new Set<number>();
    const found: Partial<Record<Rule, number>> = {};
    const others: string[] = [];
    for (const row of rows) {
      const key = row.tid === 0 ? `0/cpu${row.cpu}` : String(row.tid);
      const own = [...threads].filter(([name]) => row.tid < 0 || name === key || name.startsWith(`${key}#`));
      const times = own.map(([, thread]) => timesAt(thread, row.at)).find((one) => one !== undefined);
      const rule = ruleOf(row, times, !seen.has(row.cpu), row === rows.at(-1));
      seen.add(row.cpu);
      if (rule === undefined) others.push(JSON.stringify([row, times]));
      else found[rule] = (found[rule] ?? 0) + 1;
    }
    expect(others).toEqual([]);
    expect(found).toEqual(counts);
  });
});

describe.skipIf(!existsSync(tracers))('waits of perf lock contention', () => {
  test.skipIf(!DEEP).each(['twin-disk', 'twin-rpc'])('%s', async (name) => {
    const { kernelLocks } = await inspectJson<KernelLocks>('locks', join(tracers, name, 'perf.data'));
    const text = readFileSync(join(tracers, name, 'contention.txt'), 'utf8');
    // All are of one kind: count, sum, the longest.
    const [, ...perf] = /^ +(\d+) +([\d.]+) ms +([\d.]+) ms .*rwlock:/m.exec(text) ?? [];
    const ms = (ns: number) => (ns / 1e6).toFixed(2);
    expect([
      String(sum(kernelLocks.map(({ waits }) => waits))),
      ms(sum(kernelLocks.map(({ wait }) => wait.totalNs))),
      ms(Math.max(...kernelLocks.map(({ wait }) => wait.maxNs))),
    ]).toEqual(perf);
  });
});

/** The tables "| EVENT | COUNT |" below the heading that names a file. */
function countsOf(name: string, file: string): Record<string, number> {
  const about = readFileSync(join(tracers, name, 'ABOUT.md'), 'utf8');
  const table = about.split(/^## /m).find((part) => part.startsWith(`Events in ${file}`)) ?? '';
  return Object.fromEntries(
    [...table.matchAll(/^\| ([\w:-]+) \| (\d+) \|/gm)].map(([, event, n]) => [event, Number(n)]),
  );
}

describe.skipIf(!existsSync(tracers))(
  'recordings have as many events as the tools of their recorders say',
  () => {
    const twins = ['twin-disk', 'twin-rpc', 'twin-lockfight'];
    const files = [
      ...['perf-sched', 'perf-lock', 'perf-zstd', 'perf-callgraph', ...twins].map((name) => [
        name,
        'perf.data',
      ]),
      ...twins.map((name) => [name, 'trace.dat']),
    ];
    test.each(files.filter(([name]) => DEEP || /^perf-/.test(name)))('%s, %s', async (name, file) => {
      const { stdout } = await inspect('canonical', join(tracers, name, file));
      const found: Record<string, number> = {};
      for (const line of stdout.split('\n')) {
        const event = /^\d+ "([^"]+)"/.exec(line)?.[1] ?? '';
        // Events of perf itself and of what the file says of threads are not the recording's.
        if (event === '' || /^(perf_|ftrace_)/.test(event)) continue;
        // Calls by number have the names of the kernel's table.
        const raw = event.replace(/^(raw_syscalls:sys_enter)_\w+$/, '$1');
        const body = file === 'trace.dat' ? raw.replace(/^.*:/, '') : raw;
        found[body] = (found[body] ?? 0) + 1;
      }
      const expected = countsOf(name, file);
      expect(Object.keys(expected).length).toBeGreaterThan(0);
      expect(found).toEqual(expected);
    });
  },
);
