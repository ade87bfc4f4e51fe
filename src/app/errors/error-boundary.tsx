/** Messages of the page for errors of ours, with a report that quotes nothing of the trace, and for parts that could not be loaded. */
import { TextButton } from '../controls/button.tsx';
import { Component, type ComponentChildren } from 'preact';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { crashReport } from './crash-report.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface ErrorBoundaryProps {
  readonly children: ComponentChildren;
  /** Text of a report about the page (`reportAbout`). */
  about(): string;
}

interface ErrorBoundaryState {
  readonly error?: unknown;
}

/** Catches errors of rendering, which only we can have caused. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = {};

  static override getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error: error ?? new Error('unknown') };
  }

  override render() {
    const { error } = this.state;
    return error === undefined ? (
      this.props.children
    ) : (
      <CrashPage what="The page" report={() => crashReport(error, this.props.about())} />
    );
  }
}

interface CrashPageProps {
  /** Subject of the sentence that says what failed. */
  readonly what: string;
  /** False: it could not be loaded. Default: it failed by an error of ours. */
  readonly hasStarted?: boolean;
  report(): string;
}

export function CrashPage({ what, hasStarted = true, report }: CrashPageProps) {
  return (
    <main class="crash">
      <section class="notice severe" role="alert">
        <Icon name="warning" />
        <div class="fault">
          <h3>{hasStarted ? `${what} has failed` : `${what} could not be loaded`}</h3>
          <p>
            {hasStarted
              ? 'This is a mistake of Wakepath, not of your trace.'
              : 'The server of this page did not answer, or has another version of it by now.'}{' '}
            What this browser keeps is safe.
          </p>
          <p class="muted">The report says where it failed. It holds nothing of the trace.</p>
          <div class="line">
            <ReloadButton />
            <CopyButton title="Copy report" class="outlined" text={report} />
          </div>
        </div>
      </section>
    </main>
  );
}

function ReloadButton() {
  return (
    <TextButton class="button primary" text="Load the page again" onClick={() => window.location.reload()} />
  );
}

interface FailureProps {
  readonly error: unknown;
  /** Text of a report about the page (`reportAbout`). */
  about(): string;
}

/** Message above the page for an error of ours that did not stop it, with a report. */
export function Failure({ error, about }: FailureProps) {
  const dismissed = useSignal<unknown>(undefined);
  if (dismissed.value === error) return null;
  return (
    <section class="notice severe failure" role="alert">
      <Icon name="warning" />
      <span>Something in Wakepath went wrong. The page may still work; loading it again is safe.</span>
      <span class="grow" />
      <CopyButton title="Copy report" class="outlined" text={() => crashReport(error, about())} />
      <TextButton text="Dismiss" onClick={() => (dismissed.value = error)} />
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

interface MissingPartProps {
  /** Loads the part again; also called when the computer is online again. */
  retry(): void;
}

/** Attempts left since the computer came online: what was asked for before may be missed after that. */
let attempts = 0;
window.addEventListener('online', () => (attempts = 3));

/** Message in place of a part of the page that could not be loaded: why, and what to do. */
export function MissingPart({ retry }: MissingPartProps) {
  useEffect(() => {
    if (attempts-- > 0) retry();
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, [retry]);
  return (
    <>
      <span>
        This part of the page could not be loaded:{' '}
        {navigator.onLine
          ? 'the server of this page did not answer, or has another version of it by now. Try again; some browsers ask again only when the page is loaded again.'
          : 'this computer is offline. It comes when this computer is connected again.'}{' '}
        Everything else works.
      </span>{' '}
      <TextButton text="Try again" onClick={retry} /> {navigator.onLine && <ReloadButton />}
    </>
  );
}

/** The same message above the page. */
export function MissingNotice({ retry }: MissingPartProps) {
  return (
    <section class="notice severe failure" role="alert">
      <Icon name="warning" />
      <MissingPart retry={retry} />
    </section>
  );
}
