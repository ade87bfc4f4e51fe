/** A mistake of ours that did not stop the page: said above it, with a report. */
import { useSignal } from '@preact/signals';
import { CopyButton } from '../controls/copy-button.tsx';
import { crashReport } from './crash-report.ts';
import { Icon } from '../controls/icon.tsx';
import { ReloadButton } from './error-boundary.tsx';

interface FailureProps {
  readonly error: unknown;
  /** Text of a report about the page (`reportAbout`). */
  about(): string;
}

export function Failure({ error, about }: FailureProps) {
  const dismissed = useSignal<unknown>(undefined);
  if (dismissed.value === error) return null;
  return (
    <section class="notice severe failure" role="alert">
      <Icon name="warning" />
      <span>Something in Wakepath went wrong. The page may still work; loading it again is safe.</span>
      <span class="grow" />
      <CopyButton title="Copy report" class="outlined" text={() => crashReport(error, about())} />
      <button class="button" onClick={() => (dismissed.value = error)}>
        Dismiss
      </button>
    </section>
  );
}

export function Silence() {
  return (
    <section class="notice severe failure" role="alert">
      <Icon name="warning" />
      <span>
        The reader of traces does not answer. It is busy with a large question, or has ended: loading the page
        again is safe.
      </span>
      <span class="grow" />
      <ReloadButton />
    </section>
  );
}
