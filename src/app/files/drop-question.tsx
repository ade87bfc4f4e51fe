/** Something was dropped while something is open: together, or instead? What is no trace leaves it open. */
import { Dialog } from '../controls/dialog.tsx';
import { visibleText } from '../format/text.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import { nameOf, refusalOf, type GatheredFiles } from './dropped-files.ts';

interface DropQuestionProps {
  readonly dropped: GatheredFiles;
  /** Name of what is open. */
  readonly open: string;
  /** The files of what is open are at hand. */
  readonly canAdd: boolean;
  onAdd(): void;
  onReplace(): void;
  onClose(): void;
}

export function DropQuestion({ dropped, open, canAdd, onAdd, onReplace, onClose }: DropQuestionProps) {
  const name = visibleText(nameOf(dropped.roots));
  const refusal = refusalOf(dropped);
  if (refusal !== undefined)
    return (
      <Dialog label="What was dropped" class="drop-question" onClose={onClose}>
        <FaultCard fault={refusal} />
        <p>{visibleText(open)} stays open.</p>
        <div class="line">
          <button class="button primary" onClick={onClose} autofocus>
            Close
          </button>
        </div>
      </Dialog>
    );
  return (
    <Dialog label="What was dropped" class="drop-question" onClose={onClose}>
      <div class="dialog-head">
        <h2>Open {name}</h2>
      </div>
      <p>
        {canAdd
          ? `Add it to ${visibleText(open)} and see both on one timeline, or replace what is open?`
          : `It replaces ${visibleText(open)}, which was opened without its files and can take nothing in.`}
      </p>
      {canAdd && (
        <p class="faint">
          Together they are another trace: links and notes made so far stay with {visibleText(open)} alone.
        </p>
      )}
      <div class="line">
        {canAdd && (
          <button class="button primary" onClick={onAdd} autofocus>
            Add
          </button>
        )}
        <button class={canAdd ? 'button outlined' : 'button primary'} onClick={onReplace}>
          Replace
        </button>
        <button class="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
