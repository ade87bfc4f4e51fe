/** A dialog that changes what a layer reads. */
import './layers.css';
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Fault } from '../../engine/base/fault.ts';
import { type App, useApp } from '../context/app-context.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';

/** Information on a layer whose settings a dialog changes. */
export interface LayerInfo {
  readonly hasFiles: boolean;
  readonly faults: readonly Fault[];
}

export interface LayerDialogProps {
  readonly title: string;
  /** Purpose of the layer. */
  readonly intro: string;
  /** Undefined: not known yet. */
  readonly info: LayerInfo | undefined;
  /** Message if other events would have to be read, but the files are not there. */
  readonly withoutFiles: string;
  /** Reads and shows the choice. False: the dialog stays open with a message. */
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
    // If this dialog was closed meanwhile, another one may be open, which stays.
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

/**
 * @param ask has no answer before the end of reading
 * @param onFirst called with the first answer
 */
export function useLayerInfo<Info extends LayerInfo>(
  ask: (session: App['session']) => Promise<Info | null | undefined>,
  onFirst: (info: Info) => void,
) {
  const { session, experiment } = useApp();
  const info = useSignal<Info | undefined>(undefined);
  useSignalEffect(() => {
    void experiment.progress.value;
    if (info.peek() !== undefined) return;
    void ask(session).then((found) => {
      if (info.peek() !== undefined || found === undefined || found === null) return;
      info.value = found;
      onFirst(found);
    });
  });
  /** Asks again after a change of the layer. Resolves to false if there is a fault. */
  const refresh = async () => {
    info.value = (await ask(session)) ?? info.value;
    return info.value?.faults.length === 0;
  };
  return { info: info.value, refresh };
}
