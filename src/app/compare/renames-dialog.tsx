/** Functions that group B calls otherwise than group A: a line for each, from a file, or as proposed. */
import { useSignal } from '@preact/signals';
import { useComputedOf } from '../controls/computed-of.ts';
import { chooseFiles } from '../files/dropped-files.ts';
import { visibleText } from '../format/text.ts';
import '../layers/layers.css';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import type { CompareState } from './compare-state.ts';
import type { Comparison } from './comparison.ts';
import { proposedRenames, readRenames, renameText } from './renames.ts';

interface RenamesDialogProps {
  readonly compare: CompareState;
  readonly comparison: Comparison;
  onClose(): void;
}

/** More is no list of names. */
const MOST_BYTES = 1_000_000;
const MOST_PROPOSED = 12;

export function RenamesDialog({ compare, comparison, onClose }: RenamesDialogProps) {
  const text = useSignal(renameText(compare.renames.peek()));
  const proposals = useComputedOf(() => {
    const groups = compare.rested.value;
    return groups === undefined ? [] : proposedRenames(comparison.answer, groups).slice(0, MOST_PROPOSED);
  }, [compare, comparison]);
  const change = (changed: string) => {
    text.value = changed;
    compare.renames.value = readRenames(changed);
  };
  const load = async (file: Blob | undefined) => {
    if (file !== undefined && file.size <= MOST_BYTES) change(await file.text());
  };
  const left = proposals.value.filter(({ from }) => !compare.renames.value.has(from));
  return (
    <Dialog label="Renamed functions" class="layer-dialog" onClose={onClose}>
      <DialogHead title="Renamed functions" onClose={onClose} />
      <div class="layer-body compare-chooser">
        <p class="muted">
          A function that has another name in B is compared with what it was in A. One in each line:{' '}
          <code>OLD=NEW</code>
        </p>
        <textarea
          class="compare-renames mono"
          aria-label="Renamed functions"
          rows={6}
          spellcheck={false}
          placeholder="parse_header=parse_header_v2"
          value={text.value}
          onInput={(event) => change(event.currentTarget.value)}
        />
        <button
          class="button outlined compare-load"
          onClick={() => chooseFiles('files', ({ files }) => void load(files.at(0)?.file))}
        >
          Load from a file
        </button>
        {left.length > 0 && (
          <>
            <h3>Gone from A, and new in B below the same callers</h3>
            <ul aria-label="Proposals">
              {left.map(({ from, to }) => (
                <li key={from}>
                  <button
                    onClick={() => change(renameText(new Map([...compare.renames.peek(), [from, to]])))}
                  >
                    <span class="mono">
                      {visibleText(from)} → {visibleText(to)}
                    </span>
                    <span class="compare-take">Add</span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Dialog>
  );
}
