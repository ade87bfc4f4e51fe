/** The session's worker answers nothing: what is in sight may be old. */
import { Icon } from '../controls/icon.tsx';
import { ReloadButton } from './error-boundary.tsx';

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
