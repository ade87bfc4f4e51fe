import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import { fail, ok, type Result } from '../../engine/base/result.ts';
import type { FoundTrace } from '../../workers/session-api.ts';
import type { Experiment, Stage } from '../experiment.ts';
import type { GatheredFiles } from './dropped-files.ts';
import { createDrops } from './pending-drop.ts';

const VERSION = '0123456789abcdef';
const file = { kind: 'file', path: 'a/metadata', size: 1, file: new File(['x'], 'metadata') } as const;
const dropped: GatheredFiles = { files: [file], roots: ['a'], tooMany: false };
const holding = (trace: string) => ok({ key: `${trace}-${VERSION}`, files: [file], faults: [] });
const notATrace = fail({ code: 'not-a-trace', place: {} });

/** A page with a trace open, whose session looks at what is dropped for as long as the test wants. */
function page({ hasFiles = true } = {}) {
  const stage = signal<Stage>('open');
  const trace = signal<string | undefined>('one');
  const experiment = {
    stage,
    trace,
    edition: 1,
    hasFiles: signal(hasFiles),
    connect: vi.fn(() => Promise.resolve()),
    open: vi.fn(() => Promise.resolve()),
  };
  const answers: ((found: Result<FoundTrace>) => void)[] = [];
  const look = () => new Promise<Result<FoundTrace>>((answer) => answers.push(answer));
  const drops = createDrops({ look }, experiment as unknown as Experiment);
  const drop = async (found: Result<FoundTrace>) => {
    const taken = drops.take(dropped);
    answers.at(-1)?.(found);
    await taken;
    return drops.pending.value;
  };
  const leave = () => {
    experiment.edition++;
    stage.value = 'start';
  };
  return { drops, drop, answers, experiment, leave };
}

describe('what is dropped on an open trace', () => {
  it('is asked about when it is another one', async () => {
    const { drops, drop, experiment } = page();
    const taken = drops.take(dropped);
    expect(drops.pending.value).toMatchObject({ name: 'a', state: 'looking' });
    expect(await drop(holding('two'))).toMatchObject({ state: 'found', found: { files: [file] } });
    void taken;
    expect(experiment.open).not.toHaveBeenCalled();
  });

  it('is refused in the words of the session when it is none', async () => {
    const { drop } = page();
    expect(await drop(notATrace)).toMatchObject({ state: 'refused', fault: { code: 'not-a-trace' } });
  });

  it('is its files when it is the same', async () => {
    const without = page({ hasFiles: false });
    expect(await without.drop(holding('one'))).toBeUndefined();
    expect(without.experiment.connect).toHaveBeenCalledOnce();
    const having = page();
    expect(await having.drop(holding('one'))).toMatchObject({ state: 'open' });
    expect(having.experiment.connect).not.toHaveBeenCalled();
  });

  it('goes with that trace', async () => {
    const asked = page();
    await asked.drop(holding('two'));
    asked.leave();
    expect(asked.drops.pending.value).toBeUndefined();
    // Also what is looked at still.
    const looked = page();
    const taken = looked.drops.take(dropped);
    looked.leave();
    looked.answers[0](holding('two'));
    await taken;
    expect(looked.drops.pending.value).toBeUndefined();
  });

  it('is dismissed alone', async () => {
    const { drops, drop } = page();
    const first = await drop(notATrace);
    const second = await drop(holding('two'));
    if (first === undefined || second === undefined) throw new Error('nothing was asked');
    drops.dismiss(first);
    expect(drops.pending.value).toBe(second);
    drops.dismiss(second);
    expect(drops.pending.value).toBeUndefined();
  });
});
