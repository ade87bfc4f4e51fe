/** A dialog that changes what is read as a layer. */
import './layers.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Fault } from '../../engine/base/fault.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import { visibleText } from '../format/text.ts';

interface LayerDialogProps {
  readonly title: string;
  /** Purpose of the layer. */
  readonly intro: string;
  /** Undefined: nothing is known yet. */
  readonly info: { readonly hasFiles: boolean; readonly faults: readonly Fault[] } | undefined;
  /** Said where something else would have to be read from files that are not there. */
  readonly withoutFiles: string;
  /** Reads and shows what was chosen. False: the dialog has more to say. */
  onShow(): Promise<boolean>;
  onClose(): void;
  readonly children: ComponentChildren;
}

export function LayerDialog(props: LayerDialogProps) {
  const { title, intro, info, withoutFiles, onShow, onClose, children } = props;
  const isReading = useSignal(false);
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const show = async () => {
    isReading.value = true;
    // Closed meanwhile, it must not take another dialog along.
    const isDone = await onShow().finally(() => (isReading.value = false));
    if (isDone && isShown.current) onClose();
  };
  return (
    <Dialog label={title} class="layer-dialog" onClose={onClose}>
      <DialogHead title={title} onClose={onClose} />
      <div class="layer-body">
        <p class="muted">{intro}</p>
        {info === undefined && <p>They can be chosen when the trace has been read.</p>}
        {info?.faults.map((fault, i) => (
          <FaultCard key={i} fault={fault} />
        ))}
        {info !== undefined && children}
        {info?.hasFiles === false && <p>{withoutFiles}</p>}
      </div>
      <div class="line layer-foot">
        {info?.hasFiles === true && (
          <button class="button primary" disabled={isReading.value} onClick={() => void show()}>
            {isReading.value ? 'Reading…' : 'Show'}
          </button>
        )}
        <button class="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** A line of a dialog: something that a layer may show. */
interface LayerChoiceProps {
  readonly isShown: boolean;
  /** It cannot be changed. */
  readonly isFixed: boolean;
  readonly name: string;
  readonly facts: string;
  /** The events that it is made of. */
  readonly events: string;
  onToggle(): void;
}

/** An entry of a list of class `layer-choices`. */
export function LayerChoice({ isShown, isFixed, name, facts, events, onToggle }: LayerChoiceProps) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={isShown} disabled={isFixed} onChange={onToggle} />
        <span class="layer-choice-name">{visibleText(name)}</span>
        <span class="layer-choice-facts faint">{facts}</span>
        <span class="layer-choice-events mono muted">{visibleText(events)}</span>
      </label>
    </li>
  );
}
