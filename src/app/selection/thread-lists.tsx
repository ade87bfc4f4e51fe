/** Short lists about a thread, with lines that lead to their subjects. */
import { TextButton } from '../controls/button.tsx';
import type { ComponentChildren } from 'preact';
import { formatDuration, formatExact } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';

interface ThreadLine {
  readonly key: string;
  readonly label: ComponentChildren;
  /** ns; undefined: none is shown. */
  readonly ns?: number;
  /** A number or share at the end. */
  readonly amount?: string;
  /** Hover title. */
  readonly about?: string;
  /** Shows the subject of the line, if it has a place. */
  readonly onGo?: (() => void) | undefined;
}

interface ThreadListProps {
  readonly title: string;
  readonly lines: readonly ThreadLine[];
  /** Most lines shown; a last line gives the number of the others. */
  readonly most?: number;
  readonly empty?: string;
  readonly children?: ComponentChildren;
}

export function ThreadList({ title, lines, most = 4, empty, children }: ThreadListProps) {
  if (lines.length === 0 && empty === undefined) return null;
  const more = lines.length - most;
  return (
    <section class="thread-list" aria-label={title}>
      <h4>
        {title} {children}
      </h4>
      <ul>
        {lines.slice(0, most).map(({ key, label, ns, amount, about, onGo }) => (
          <li key={key} title={about}>
            {onGo === undefined ? (
              <span class="ellipsis">{label}</span>
            ) : (
              <TextButton class="link ellipsis" text={label} onClick={onGo} />
            )}
            <span class="number" title={ns === undefined ? undefined : formatExact(ns)}>
              {ns === undefined ? '' : formatDuration(ns)}
            </span>
            <span class="number faint">{amount}</span>
          </li>
        ))}
      </ul>
      {lines.length === 0 && <p class="faint">{empty}</p>}
      {more > 0 && <p class="faint">{more} more</p>}
    </section>
  );
}

/** Name and id of a thread. */
export function ThreadName({ name, tid }: { readonly name: string; readonly tid: number }) {
  return (
    <>
      {visibleText(name) || 'a thread'} <span class="mono faint">{tid}</span>
    </>
  );
}
