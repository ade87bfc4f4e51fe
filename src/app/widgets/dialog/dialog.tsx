/** A modal dialog. It is the browser's own, which keeps the focus inside, closes on Escape and returns the focus. */
import type { Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Icon } from '../../controls/icon.tsx';

interface DialogProps {
  readonly label: string;
  readonly class?: string;
  onClose(): void;
  readonly children: ComponentChildren;
}

export function Dialog({ label, onClose, children, ...rest }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  // In a layout effect, so that the next key goes to the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
  }, []);
  return (
    <dialog
      ref={ref}
      class={`dialog ${rest.class ?? ''}`}
      aria-label={label}
      onClose={onClose}
      // A click beside the dialog hits the dialog element itself.
      onClick={(event) => event.target === ref.current && ref.current?.close()}
    >
      <div class="dialog-content">{children}</div>
    </dialog>
  );
}

/** Makes a function that closes the current dialog and no later one: the browser reports late that a dialog was closed. */
export function closerOf(opening: Signal<object | undefined>): () => void {
  const shown = opening.peek();
  return () => {
    if (opening.peek() === shown) opening.value = undefined;
  };
}

/** The head of a dialog: its title, and a button that closes it. */
export function DialogHead({ title, onClose }: { readonly title: string; onClose(): void }) {
  return (
    <div class="dialog-head">
      <h2>{title}</h2>
      <button type="button" class="button only-icon" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}
