/**
 * Recordings with a known cause: one of the first three lines of the summary names it, with the number that the recorded
 * programs, or who recorded them, give in ABOUT.md.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/engine/protocol/summary.ts';
import { findingsIn, textOf } from '../support/findings.ts';
import { sharedDir, WITHOUT_SHARED } from '../support/shared.ts';
import { DEEP } from '../support/tier.ts';

interface Cause {
  /** Folders below `traces` or `real` that are opened together. */
  readonly traces: readonly string[];
  /** Names that stand in one line. */
  readonly names: readonly string[];
  /** A number of that line: ms or a count. */
  readonly ms?: number;
  readonly count?: number;
  /** Share by which it may differ: what programs measure is what they see around a call. */
  readonly within?: number;
  /** Words of ABOUT.md that say so. */
  readonly about: string;
  /** Fast tier, too. */
  readonly isFast?: boolean;
}

const one = (trace: string, cause: Omit<Cause, 'traces'>): Cause => ({ traces: [trace], ...cause });

const CAUSES: readonly Cause[] = [
  one('apache-opcache', {
    names: ['/tmp/.ZendSem'],
    ms: 175.46,
    about: "('apache2', 'F_SETLKW', 8) 33 calls, total 175.46 ms",
  }),
  one('build-mixed', { names: ['wk-mid', 'others had the CPU'], about: 'the barrier program' }),
  one('cgroup-throttle', {
    names: ['burner-0', 'limit of CPU time'],
    ms: 1303.2 - 120.3,
    within: 0.05,
    about: 'CPU time 120.3 ms, wall 1303.2 ms',
  }),
  one('container-ns', { names: ['m_hot'], ms: 1079.08, about: 'total wait 1079.08 ms' }),
  one('cpu-contention', {
    names: ['hog-a', 'hog-b', 'others had the CPU'],
    ms: 244.2,
    within: 0.05,
    about: 'so 244.2 ms runnable but not running',
    isFast: true,
  }),
  one('deadlock-timeout', {
    names: ['dead-ab', 'in vain', 'time limit'],
    count: 2,
    about: 'ETIMEDOUT 2 times of 4 (time limit 100 ms)',
    isFast: true,
  }),
  one('deadlock-ust', {
    names: ['dead-ab', 'dead-ba', 'deadlock'],
    about: 'dead-ab tid 236 holds A and waits for B',
  }),
  one('disk-io', { names: ['wk-writer', 'wk-reader', 'vdb'], about: 'compete' }),
  one('executions-cpu', { names: ['wk_req:begin', 'slow_path_hash'], count: 30, about: '30 slow' }),
  one('executions-disk', {
    names: ['wk_req:begin', 'journal_append'],
    count: 30,
    within: 0.05,
    about: '30 slow',
  }),
  one('executions-fsync', {
    names: ['read_block', 'disk', 'logger'],
    count: 90,
    within: 0.02,
    about: 'longer than 3.00 ms: 90',
  }),
  one('executions-lock', { names: ['cache_lookup', 'maintenance'], count: 18, about: '18 slow' }),
  one('executions-preempt', {
    names: ['waiting for a CPU', 'house-30hz', 'sort_keys'],
    count: 18,
    within: 0.06,
    about: '18 ticks preempted by house-30hz',
  }),
  one('filelock-pool', {
    names: ['/data/script-cache.lock'],
    ms: 60.414 + 61.225 + 67.364 + 45.916,
    about: 'wait 60.414 ms',
  }),
  one('imbalance-4t', {
    names: ['imb-10', 'imb-20', 'imb-40', 'waited for imb-80'],
    ms: 709.7,
    about: 'waited at the barrier 709.7 ms',
    isFast: true,
  }),
  one('kernel-contention', {
    names: ['rwsem', 'of the kernel'],
    ms: 519.63,
    about: '260 contentions, wait 519.63 ms',
  }),
  one('lockfight-mutex', { names: ['m_hot'], ms: 374.9, about: 'total wait 374.90 ms', isFast: true }),
  one('locks-many', { names: ['g_convoy'], ms: 189.101, about: '189.101' }),
  one('lost-events', {
    names: ['lost while recording'],
    count: 41754,
    within: 0,
    about: 'discarded events reported: 41754',
    isFast: true,
  }),
  one('mandb-like', { names: ['md5sum', 'gunzip'], count: 140, within: 0, about: 'md5sum 680: 140' }),
  one('memcached-4t', { names: ['mc-', 'waited for memcached'], about: '8 connections' }),
  one('pgbench', {
    names: ['postgres', 'vdb'],
    about: 'The write-ahead log is on the limited data disk (/dev/vdb)',
  }),
  one('pipeline', {
    names: ['wk-gen', 'wk-sink', 'waited for wk-mid'],
    about: '`wk-mid` is the bottleneck',
    isFast: true,
  }),
  {
    traces: ['regression-a', 'regression-b'],
    names: ['of regression-b', 'parse_header_v2'],
    count: 80,
    within: 0.03,
    about: '80 messages',
  },
  one('rotated', {
    names: ['imb-10', 'imb-20', 'imb-40', 'waited for imb-80'],
    about: 'waited at the barrier 122.6 ms',
  }),
  one('rpc-chain', { names: ['wk-client', 'waited for wk-srv-'], about: 'client -> A -> B -> A -> client' }),
  one('server-sleep', { names: ['hazard_pointer_wait', 'sleeping'], ms: 194.67, about: 'longest 194.67' }),
  one('snapshot', {
    names: ['imb-10', 'imb-20', 'imb-40', 'waited for imb-80'],
    ms: 84.8,
    about: 'waited at the barrier 84.8 ms',
  }),
  one('spinlock-sem', { names: ['spinlock'], ms: 86.84 + 0.29 + 62.32, about: '86.84 ms waiting' }),
  one('threaded-irq', {
    names: ['wk-client', 'waited for wk-srv-b'],
    about: 'client -> server A -> server B',
  }),
  one('two-hosts-http', { names: ['wk-httpget', 'server', 'the network'], about: '' }),
  one('16-cores-rt', { names: ['real-time priority'], ms: 4.69, about: '' }),
  one('picotrace', { names: ['CPU 0', 'that is known'], about: '' }),
];
const WITHIN = 0.015;

const shared = sharedDir();
const folderOf = (trace: string) =>
  ['traces', 'real'].map((kind) => join(shared ?? '', kind, trace)).find((folder) => existsSync(folder)) ??
  '';

function saysCause({ sentence }: Finding, { names, ms, count, within = WITHIN }: Cause): boolean {
  const text = textOf({ sentence });
  const isNear = (wanted: number) => (value: number) => Math.abs(value - wanted) <= within * wanted;
  const numbers = (kind: string) =>
    sentence.flatMap((part) => (typeof part === 'string' || part.kind !== kind ? [] : [part.value]));
  return (
    names.every((name) => text.includes(name)) &&
    (ms === undefined || numbers('ns').some(isNear(1e6 * ms))) &&
    (count === undefined || numbers('count').some(isNear(count)))
  );
}

describe.skipIf(shared === undefined)(
  shared === undefined ? WITHOUT_SHARED : 'the summary of a recording',
  () => {
    const tried = CAUSES.filter(({ isFast }) => DEEP || isFast === true);

    it.each(tried.map((cause) => ({ ...cause, title: cause.traces.join(' and ') })))(
      '$title: its first three lines name the cause',
      async (cause) => {
        for (const trace of cause.traces)
          if (cause.about !== '')
            expect(readFileSync(join(folderOf(trace), 'ABOUT.md'), 'utf8')).toContain(cause.about);
        const { findings } = await findingsIn(...cause.traces.map(folderOf));
        const lines = findings.slice(0, 3);
        expect(
          lines.filter((line) => saysCause(line, cause)).length,
          lines.map(textOf).join('\n'),
        ).toBeGreaterThan(0);
      },
    );

    it('has no line about the tracer, and no share that is none', async () => {
      for (const { traces } of tried) {
        const { findings } = await findingsIn(...traces.map(folderOf));
        expect(findings.map(textOf).filter((line) => /lttng|-ust\b|sendmsg|recvmsg/.test(line))).toEqual([]);
        expect(findings.filter(({ share }) => !(share >= 0 && share <= 1))).toEqual([]);
      }
    });

    it('is known of every recorded trace, or there is no cause to name', () => {
      const known = new Set(CAUSES.flatMap(({ traces }) => traces));
      const others = readdirSync(join(shared ?? '', 'traces')).filter((trace) => !known.has(trace));
      // Samples of programs that nothing held up, a trace of begins and ends alone, and a storm of system calls.
      expect(others).toEqual([
        'per-pid-ust',
        'sampled-cxx',
        'sampled-python',
        'sampled-python-arrays',
        'tracefile-rotation',
      ]);
    });
  },
);
