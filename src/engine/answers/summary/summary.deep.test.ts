/** What stands out in recorded traces, beside what their ABOUT.md says was done there. */
import { describe, expect, it } from 'vitest';
import { saidOf } from '../../../../test/support/findings.ts';
import { sharedDir, sharedPath } from '../../../../test/support/shared.ts';

describe.skipIf(sharedDir() === undefined)('of recorded traces', () => {
  const trace = (name: string) => sharedPath('traces', name);

  it('lost events come first, and nothing is said about times then', async () => {
    expect(await saidOf(trace('lost-events'))).toEqual([
      [
        'lost-events',
        '84 % of the events were lost while recording, 41754 of 49735: counts and times are too low, and states are unknown meanwhile.',
      ],
    ]);
  });

  it('time between two recordings of a machine', async () => {
    const [first] = await saidOf(trace('regression-a'), trace('regression-b'));
    expect(first).toEqual([
      'not-recorded',
      'Of regression-a + regression-b 8096 ms between its recordings were not recorded, 66 % of what is shown.',
    ]);
  });

  // Each recording has 80 messages; regression-b has the parser that was changed.
  it('two recordings of a machine are compared, not mixed', async () => {
    const said = await saidOf(trace('regression-a'), trace('regression-b'));
    expect(said.filter(([rule]) => rule === 'executions')).toEqual([
      [
        'executions',
        expect.stringMatching(
          /^The 80 executions (of wk-parse )?from wk_req:begin to wk_req:end of regression-b took .*parse_header_v2/,
        ) as string,
      ],
    ]);
  });

  it('a deadlock, and the orders that led there', async () => {
    const [first, second] = await saidOf(trace('deadlock-ust'));
    expect(first).toEqual([
      'deadlock',
      "dead-ab and dead-ba waited for each other's locks for 266 ms: a deadlock that nothing ended.",
    ]);
    expect(second[0]).toBe('lock-order');
  });

  // Of hog-a and hog-b on one CPU the program says 244.2 and 251.4 ms; hog-alone never waited.
  it('threads that want the same CPU', async () => {
    const [first] = await saidOf(trace('cpu-contention'));
    expect(first).toEqual([
      'cpu-wait',
      'hog-a and hog-b could have run, hog-a for 251 ms, 48 % of its time, while others had the CPU, mostly hog-b.',
    ]);
  });

  it('threads that a limit of CPU time keeps from running', async () => {
    const [first] = await saidOf(trace('cgroup-throttle'));
    expect(first).toEqual([
      'throttled',
      "burner-0 (234) and burner-1 could have run while their CPUs were idle, burner-0 (234) for 1223 ms, 88 % of its time: most likely a control group's limit of CPU time.",
    ]);
  });

  it('a CPU that interrupts take much of', async () => {
    expect(await saidOf(trace('executions-disk'))).toContainEqual([
      'interrupts',
      'Interrupts took 10 % of CPU 1 of executions-disk, 197 ms, softirq NET_RX most: 136 ms.',
    ]);
  });

  it('the bottleneck of a pipeline', async () => {
    const [first] = await saidOf(trace('pipeline'));
    expect(first).toEqual([
      'held-up',
      'wk-gen and wk-sink waited for wk-mid; wk-gen longest: 534 ms, 58 % of its time.',
    ]);
  });
});
