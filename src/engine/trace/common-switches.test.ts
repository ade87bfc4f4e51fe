import { describe, expect, it } from 'vitest';
import { matchSwitches, type Switches } from './common-switches.ts';

/** Numbers from 0 up to 1, the same in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Switch {
  readonly cpu: number;
  readonly time: number;
  readonly prev: number;
  readonly next: number;
}

/** Switches of two CPUs for some seconds: between idle and a few threads, mostly to the same one. */
function run(seed: number, seconds: number, perSecond = 200): Switch[] {
  const next = random(seed);
  return [0, 1].flatMap((cpu) => {
    const switches: Switch[] = [];
    for (let time = 0, prev = 0; time < seconds * 1e9;) {
      time += Math.ceil((next() * 2e9) / perSecond);
      const chosen = next() < 0.7 ? 100 + cpu : 200 + Math.floor(next() * 40);
      const to = prev === 0 ? chosen : 0;
      switches.push({ cpu, time, prev, next: to });
      prev = to;
    }
    return switches;
  });
}

function recording(switches: readonly Switch[], baseNs: bigint, toOwn = (time: number) => time): Switches {
  const cpus = new Map(
    [0, 1].map((cpu) => {
      const own = switches
        .filter((each) => each.cpu === cpu)
        .map((each) => ({ ...each, time: toOwn(each.time) }))
        .sort((a, b) => a.time - b.time);
      const column = (key: 'time' | 'prev' | 'next') => own.map((each) => each[key]);
      return [cpu, { time: column('time'), prev: column('prev'), next: column('next') }];
    }),
  );
  return { baseNs, cpus };
}

describe('clocks by common switches', () => {
  const all = run(7, 5);
  const part = all.filter(({ time }) => time > 1e9 && time < 4e9);

  it('differ by the median of the differences, of which the spread is told', () => {
    const noise = random(3);
    const apart = new Map(part.map((each) => [each, Math.round(noise() * 3000)]));
    const late = part.map((each) => ({ ...each, time: each.time + (apart.get(each) ?? 0) }));
    const sorted = [...apart.values()].sort((a, b) => a - b);
    const median = sorted[sorted.length >> 1];
    const found = matchSwitches(recording(all, 5_000n), recording(late, 77_000_000_000n));
    expect(found).toMatchObject({
      offsetNs: 5_000n - 77_000_000_000n - BigInt(median),
      drift: 0,
      switches: part.length,
    });
    expect(found?.deviationNs).toBeCloseTo(750, -2);
    expect([found?.leastNs, found?.greatestNs]).toEqual([
      median - sorted[sorted.length - 1],
      median - sorted[0],
    ]);
  });

  it('differ more and more where one is faster', () => {
    const found = matchSwitches(
      recording(all, 0n),
      recording(part, 0n, (time) => Math.round((time - 8e9) / 1.000_05)),
    );
    expect(found?.switches).toBe(part.length);
    expect(found?.drift).toBeCloseTo(50e-6, 9);
    const at = Number(found?.atNs);
    expect(Math.abs(Number(found?.offsetNs) - (at * 0.000_05 + 8e9))).toBeLessThan(5);
  });

  it('are known by a recording of one program, and by one that lost a tenth', () => {
    const ofProgram = part.filter(({ prev }) => prev === 100 || prev >= 220);
    expect(matchSwitches(recording(all, 10n), recording(ofProgram, 0n))?.offsetNs).toBe(10n);
    const lost = random(5);
    const kept = part.filter(() => lost() > 0.1);
    expect(matchSwitches(recording(all, 10n), recording(kept, 0n))?.offsetNs).toBe(10n);
  });

  it.each([11, 12, 13, 14, 15])('are not known by another time of the same threads (%i)', (seed) => {
    expect(matchSwitches(recording(all, 0n), recording(run(seed, 3), 0n))).toBeUndefined();
    expect(matchSwitches(recording(run(seed, 60), 0n), recording(run(seed + 50, 60), 0n))).toBeUndefined();
  });

  it('are not known by what happens again and again', () => {
    const jitter = random(9);
    const again = (count: number) =>
      Array.from({ length: count }, (_, i) => {
        const [prev, next] = i % 2 === 0 ? [0, 7] : [7, 0];
        return { cpu: 0, time: i * 50_000 + Math.round(jitter() * 2000), prev, next };
      });
    const started = performance.now();
    expect(matchSwitches(recording(again(200_000), 0n), recording(again(100_000), 0n))).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(5000);
    // A thread in between that both have once is chance.
    const once = (at: number) => [
      ...again(4000),
      { cpu: 0, time: at * 50_000 + 10, prev: 7, next: 9 },
      { cpu: 0, time: at * 50_000 + 20, prev: 9, next: 7 },
    ];
    expect(matchSwitches(recording(once(1001), 0n), recording(once(2001), 0n))).toBeUndefined();
  });

  it('are not known by the end of one and the begin of another', () => {
    const later = all.filter(({ time }) => time > 4.95e9);
    expect(matchSwitches(recording(all, 0n), recording(later, 0n))).toBeUndefined();
    expect(matchSwitches(recording([], 0n), recording(all, 0n))).toBeUndefined();
  });
});
