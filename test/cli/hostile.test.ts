/** Traces that are wrong, or written to do harm: the command line answers, soon and in little memory. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { projectDir, sharedDir } from '../support/shared.ts';
import { switchTrace, type SwitchTrace } from '../support/switch-trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, trace: SwitchTrace): string {
  return writtenFiles(name, switchTrace(trace));
}

function writtenFiles(name: string, files: TraceFiles): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, bytes] of files) writeFileSync(join(path, file), bytes);
  return path;
}

interface Info {
  readonly traces: readonly { readonly events: number; readonly firstNs: number; readonly lastNs: number }[];
}

interface CpuStats {
  readonly cpus: readonly { readonly cpu: number; readonly user: number; readonly switches: number }[];
  readonly threads: readonly { readonly worker: string; readonly states: readonly number[] }[];
}

describe('a time that is too far', () => {
  const far = 2n ** 62n;

  it.each([10, 1000, 10_000])('of a clock of %i Hz ends its packet', async (frequency) => {
    const switches = [
      { time: 10n, prev: 1, next: 2 },
      { time: far, prev: 2, next: 1 },
      { time: far + 5n, prev: 1, next: 2 },
    ];
    const path = written(`far-${frequency}`, { frequency, streams: [{ cpu: 0, end: 2n ** 63n, switches }] });
    for (const command of [['info'], ['states'], ['states', '--check'], ['stats', 'cpu']]) {
      const { code, stderr } = await inspect(...command, path);
      expect(code).toBe(2);
      expect(stderr).toContain('ch_0, packet 1, byte 120, event sched_switch: The trace exceeds a limit');
    }
    const { stdout } = await inspect('info', '--json', path);
    expect((JSON.parse(stdout) as Info).traces[0]).toMatchObject({ events: 1, firstNs: 0, lastNs: 0 });
  });

  it('is none where doubles hold it: 146 years of a clock of 1 GHz', async () => {
    const switches = [
      { time: 10n, prev: 1, next: 2 },
      { time: far, prev: 2, next: 1 },
    ];
    const path = written('years', { streams: [{ cpu: 0, end: far, switches }] });
    const { cpus } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, user: Number(far), switches: 2 }]);
  });
});

describe('times that go back', () => {
  it('stand still, and are counted', async () => {
    const path = join(projectDir(), 'test/fixtures/cases/kernel-step-back/trace');
    const { code, stdout, stderr } = await inspect('info', '--json', path);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Info).traces[0]).toMatchObject({
      events: 10,
      firstNs: 0,
      lastNs: 21_000_000,
    });
    expect(stderr).toContain('found 5 events in 1 packet. [time-backwards]');
    expect(await inspect('states', '--check', path)).toMatchObject({ code: 0, stdout: '0 violations\n' });
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, user: 21_000_000, switches: 6 }]);
    expect(threads.flatMap(({ states }) => states).every((ns) => ns >= 0)).toBe(true);
    const userOf = (worker: string) => threads.find((thread) => thread.worker === worker)?.states[1];
    expect([userOf('10'), userOf('20')]).toEqual([10_000_000, 11_000_000]);
  });

  it('in every event leave a trace without length', async () => {
    const switches = Array.from({ length: 100 }, (_, i) => {
      return { time: BigInt(1_000_000 - 7 * i), prev: (i % 2) + 1, next: ((i + 1) % 2) + 1 };
    });
    const path = written('back', { streams: [{ cpu: 0, end: 2_000_000n, switches }] });
    expect(await inspect('states', '--check', path)).toMatchObject({ code: 0, stdout: '0 violations\n' });
    const [{ firstNs, lastNs }] = (await inspectJson<Info>('info', path)).traces;
    expect([firstNs, lastNs]).toEqual([0, 0]);
    expect((await inspect('info', path)).stderr).toContain('found 99 events in 1 packet');
  });
});

describe('names that a terminal would obey', () => {
  it('are shown, and long ones cut', async () => {
    const hostname = `\u202e${'x'.repeat(100_000)}`;
    const switches = [{ time: 10n, prev: 1, next: 2, prevName: '\u001b[31mred', nextName: '\u202egnp' }];
    const path = written('names', { hostname, streams: [{ cpu: 0, end: 20n, switches }] });
    for (const command of [['info'], ['states'], ['stats', 'cpu']]) {
      const { stdout } = await inspect(...command, path);
      expect(stdout).not.toMatch(/[\u0007\u001b\u202e]/);
      expect(stdout.length).toBeLessThan(20_000);
    }
    expect((await inspect('states', path)).stdout).toContain('⟨1b⟩[31mred');
  });
});

describe.skipIf(sharedDir() === undefined)('damaged bytes of a recorded trace', () => {
  it.each(['states-invariant-1', 'r-ts-back', 'r-freq-1'])('%s: the states hold together', async (name) => {
    const path = join(sharedDir() ?? '', 'cases/attack', name);
    expect((await inspect('states', '--check', path)).stdout).toBe('0 violations\n');
  });
});
