/** Something was dropped while something is open: together, or instead? What is no trace leaves it open. */
import type { ComponentChildren } from 'preact';
import { useApp } from '../app-context.ts';
import { Dialog } from '../controls/dialog.tsx';
import { visibleText } from '../format/text.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import type { FoundTrace } from '../../workers/session-api.ts';
import type { PendingDrop } from './pending-drop.ts';

export function DropQuestion({ drop }: { readonly drop: PendingDrop }) {
  const { experiment, drops } = useApp();
  const open = visibleText(experiment.name.value);
  const close = () => drops.dismiss(drop);
  return (
    <Dialog
      label="What was dropped"
      class={drop.state === 'looking' ? 'drop-question looking' : 'drop-question'}
      onClose={close}
    >
      <div class="dialog-head">
        <h2>Open {visibleText(drop.name)}</h2>
      </div>
      {drop.state === 'looking' && (
        <Told close={close} button="Cancel">
          <p>Looking at what is in it…</p>
        </Told>
      )}
      {drop.state === 'open' && (
        <Told close={close} button="Close">
          <p>It is open already, as {open}.</p>
        </Told>
      )}
      {drop.state === 'refused' && (
        <Told close={close} button="Close">
          <FaultCard fault={drop.fault} />
          <p>{open} stays open.</p>
        </Told>
      )}
      {drop.state === 'found' && <Question name={drop.name} found={drop.found} close={close} />}
    </Dialog>
  );
}

interface ToldProps {
  readonly button: string;
  readonly children: ComponentChildren;
  close(): void;
}

function Told({ button, close, children }: ToldProps) {
  return (
    <>
      {children}
      <div class="line">
        <button class="button primary" onClick={close} autofocus>
          {button}
        </button>
      </div>
    </>
  );
}

interface QuestionProps {
  readonly name: string;
  readonly found: FoundTrace;
  close(): void;
}

function Question({ name, found, close }: QuestionProps) {
  const { experiment } = useApp();
  const open = visibleText(experiment.name.value);
  const canAdd = experiment.hasFiles.value;
  const decide = (act: 'open' | 'add') => {
    close();
    void experiment[act](found.files, name, found.faults);
  };
  return (
    <>
      <p>
        {canAdd
          ? `Add it to ${open} and see both on one timeline, or replace what is open?`
          : `It replaces ${open}, which was opened without its files and can take nothing in.`}
      </p>
      {canAdd && (
        <p class="faint">
          Together they are another trace: links and notes made so far stay with {open} alone.
        </p>
      )}
      <div class="line">
        {canAdd && (
          <button class="button primary" onClick={() => decide('add')} autofocus>
            Add
          </button>
        )}
        <button class={canAdd ? 'button outlined' : 'button primary'} onClick={() => decide('open')}>
          Replace
        </button>
        <button class="button" onClick={close}>
          Cancel
        </button>
      </div>
    </>
  );
}
