/** When reading ends, the relation of several hosts' clocks is known from their packets: what is selected or explained lies elsewhere then. */
import { effect } from '@preact/signals';
import type { App } from '../context/app-context.ts';
import { isOver } from '../opening/reading.ts';
import type { PathState } from '../path/path-state.ts';
import type { ViewModel } from '../timeline/timeline.tsx';

/** Has it found there. The function returned ends that. */
export function followClocks({ session, experiment }: App, view: ViewModel, path: PathState): () => void {
  const moveSelected = async () => {
    const selected = view.selected.peek();
    if (selected === undefined) return;
    const before = Math.floor((selected.from + selected.to) / 2);
    const after = await session.ask('moved', { row: selected.row, timeNs: before });
    if (after !== before && view.selected.peek() === selected) view.moveSelected(after);
  };
  const movePath = async () => {
    const linked = path.linked.peek();
    if (linked?.at === undefined) return;
    const at = await session.ask('moved', { row: linked.row, timeNs: linked.at });
    if (at !== linked.at && path.linked.peek() === linked) path.showLinked({ ...linked, at });
  };
  let wasOver = isOver(experiment.progress.peek());
  return effect(() => {
    const over = isOver(experiment.progress.value);
    const isEnd = over && !wasOver;
    wasOver = over;
    if (!isEnd || experiment.info.peek()?.hosts.length === 1) return;
    void moveSelected();
    void movePath();
  });
}
