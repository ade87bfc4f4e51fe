/** What was dropped or picked: opened on the start page; while something is open, looked at before anything is asked. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Fault } from '../../engine/base/fault.ts';
import { fingerprintOf } from '../../engine/session/fingerprint.ts';
import type { FoundTrace, SessionApi } from '../../workers/session-api.ts';
import type { Experiment } from '../experiment.ts';
import { nameOf, refusalOf, type GatheredFiles } from './dropped-files.ts';

/** What is known of it by now: nothing yet, why it is no trace, that it is what is open, or that it is another trace. */
export type PendingDrop = { readonly name: string } & (
  | { readonly state: 'looking' | 'open' }
  | { readonly state: 'refused'; readonly fault: Fault }
  | { readonly state: 'found'; readonly found: FoundTrace }
);

export interface Drops {
  /** Dropped while something is open, which it goes with. */
  readonly pending: ReadonlySignal<PendingDrop | undefined>;
  /** Opens it, says what is wrong with it, or has the user asked. */
  take(gathered: GatheredFiles): Promise<void>;
  /** Ends the question; nothing happens if another one is asked by now. */
  dismiss(drop: PendingDrop): void;
}

export function createDrops(session: Pick<SessionApi, 'look'>, experiment: Experiment): Drops {
  const pending = signal<PendingDrop | undefined>(undefined);
  /** Of what was open when it was dropped. */
  let edition = -1;
  effect(() => {
    void [experiment.stage.value, experiment.trace.value];
    if (experiment.edition !== edition) pending.value = undefined;
  });
  const look = async (name: string, files: GatheredFiles['files']) => {
    const looking: PendingDrop = { name, state: 'looking' };
    pending.value = looking;
    const found = await session.look(files);
    if (pending.peek() !== looking) return;
    if (!found.ok) pending.value = { name, state: 'refused', fault: found.fault };
    else if (fingerprintOf(found.value.key) !== experiment.trace.peek())
      pending.value = { name, state: 'found', found: found.value };
    else if (experiment.hasFiles.peek()) pending.value = { name, state: 'open' };
    else {
      pending.value = undefined;
      await experiment.connect(Promise.resolve(found.value.files));
    }
  };
  return {
    pending,
    async take(gathered) {
      const name = nameOf(gathered.roots);
      const refusal = refusalOf(gathered);
      if (experiment.stage.peek() === 'start')
        return refusal ? experiment.fail(refusal) : experiment.open(gathered.files, name);
      edition = experiment.edition;
      if (refusal === undefined) return look(name, gathered.files);
      pending.value = { name, state: 'refused', fault: refusal };
    },
    dismiss(drop) {
      if (pending.peek() === drop) pending.value = undefined;
    },
  };
}
