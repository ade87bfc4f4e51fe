import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import { fail, ok, type Result } from '../../engine/base/fault.ts';
import type { FoundTrace, Given, Progress, UpdateListener } from '../../engine/protocol/session.ts';
import type { Experiment, Stage } from '../experiment/experiment.ts';
import type { GatheredFiles } from './dropped-files.ts';
import { ExecutionFiles } from './execution-files.ts';
import { PageOffers, type FoundOffer } from './offers.ts';

const VERSION = '0123456789abcdef';
const file = { kind: 'file', path: 'a/metadata', size: 1, file: new File(['x'], 'metadata') } as const;
const dropped: GatheredFiles = { files: [file], roots: ['a'], tooMany: false };
const holding = (trace: string) => ok({ key: `${trace}-${VERSION}`, files: [file], faults: [] });
const notATrace = fail({ code: 'not-a-trace', place: {} });

/** A page, with a trace open by default, whose session looks at what is given for as long as the test wants. */
function page({ hasFiles = true, at = 'open' as Stage } = {}) {
  const stage = signal(at);
  const trace = signal<string | undefined>('one');
  const experiment = {
    stage,
    trace,
    edition: 1,
    hasFiles: signal(hasFiles),
    connect: vi.fn(() => Promise.resolve()),
    open: vi.fn(() => Promise.resolve()),
    replace: vi.fn(() => Promise.resolve()),
    add: vi.fn(() => Promise.resolve()),
  };
  const answers: ((found: Result<FoundTrace>) => void)[] = [];
  const look = vi.fn(
    (_given: Given, _hear: UpdateListener) =>
      new Promise<Result<FoundTrace>>((answer) => answers.push(answer)),
  );
  const dismiss = vi.fn(() => Promise.resolve());
  const addSymbols = vi.fn(() => Promise.resolve(0));
  const confirm = vi.fn();
  const executionFiles = new ExecutionFiles({ stage });
  const offers = new PageOffers(
    { probe: look, discardProbe: dismiss, addSymbols },
    experiment as unknown as Experiment,
    executionFiles,
    confirm,
  );
  const drop = async (found: Result<FoundTrace>) => {
    const taken = offers.takeFiles(dropped);
    answers.at(-1)?.(found);
    await taken;
    return offers.pending.value;
  };
  const leave = () => {
    experiment.edition++;
    stage.value = 'start';
  };
  return { offers, drop, answers, look, dismiss, addSymbols, experiment, leave, confirm };
}

describe('what is dropped on an open trace', () => {
  it('names its functions where it is no trace, but programs', async () => {
    const { drop, addSymbols } = page();
    addSymbols.mockResolvedValueOnce(2);
    const fault = { code: 'not-a-trace', place: {} } as const;
    expect(await drop({ ok: false, fault })).toMatchObject({ state: 'symbols', files: 2 });
    expect(await drop({ ok: false, fault })).toMatchObject({ state: 'refused', fault });
  });

  it('is asked about when it is another one', async () => {
    const { offers, drop, experiment } = page();
    const taken = offers.takeFiles(dropped);
    expect(offers.pending.value).toMatchObject({ name: 'a', state: 'looking' });
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
    expect(asked.offers.pending.value).toBeUndefined();
    expect(asked.dismiss).toHaveBeenCalledOnce();
    // Also what is looked at still.
    const looked = page();
    const taken = looked.offers.takeFiles(dropped);
    looked.leave();
    looked.answers[0](holding('two'));
    await taken;
    expect(looked.offers.pending.value).toBeUndefined();
    expect(looked.dismiss).toHaveBeenCalledOnce();
  });

  it('is dismissed alone', async () => {
    const { offers, drop, dismiss } = page();
    const first = await drop(notATrace);
    const second = await drop(holding('two'));
    if (first === undefined || second === undefined) throw new Error('nothing was asked');
    offers.dismiss(first);
    expect(offers.pending.value).toBe(second);
    expect(dismiss).not.toHaveBeenCalled();
    offers.dismiss(second);
    expect(offers.pending.value).toBeUndefined();
    expect(dismiss).toHaveBeenCalledOnce();
  });

  it('is opened instead or as well when the user says so, and not given up', async () => {
    for (const act of ['replace', 'add'] as const) {
      const { offers, drop, dismiss, experiment, leave } = page();
      const offer = (await drop(holding('two'))) as FoundOffer;
      await offers.accept(offer, act);
      leave();
      expect(experiment[act]).toHaveBeenCalledExactlyOnceWith(offer.found, 'a');
      expect(offers.pending.value).toBeUndefined();
      expect(dismiss).not.toHaveBeenCalled();
    }
  });

  it('without files ends what is looked at', async () => {
    const { offers, dismiss } = page();
    void offers.takeFiles(dropped);
    await offers.takeFiles({ ...dropped, files: [] });
    expect(offers.pending.value).toMatchObject({ state: 'refused', fault: { code: 'empty-folder' } });
    expect(dismiss).toHaveBeenCalledOnce();
  });
});

describe('an address', () => {
  const url = new URL('https://traces.example/slow/lock.tar');

  it('is opened where nothing is', async () => {
    const { offers, experiment, look, confirm } = page({ at: 'start' });
    await offers.takeAddress(url);
    expect(confirm).toHaveBeenCalledExactlyOnceWith(url);
    expect(experiment.open).toHaveBeenCalledExactlyOnceWith(url.href, 'lock.tar');
    expect(look).not.toHaveBeenCalled();
  });

  it('is looked at as files are while something is open, and tells how far that is', async () => {
    const { offers, answers, look, experiment } = page();
    const taken = offers.takeAddress(url);
    const looking = offers.pending.value;
    if (looking?.state !== 'looking') throw new Error('it is not looked at');
    const progress = { phase: 'fetching', bytes: 1 } as Progress;
    const [given, onUpdate] = look.mock.calls[0];
    expect(given).toBe(url.href);
    void onUpdate({ progress });
    expect(offers.pending.value).toBe(looking);
    expect(looking.progress.value).toBe(progress);
    answers[0](holding('two'));
    await taken;
    expect(offers.pending.value).toMatchObject({ name: 'lock.tar', state: 'found' });
    expect(experiment.open).not.toHaveBeenCalled();
  });
});
