/** A fault of the input as a card: what, where, what it means, what to do, and a report to copy. */
import { FAULT_MEANINGS, faultText, placeText } from '../../engine/base/fault-text.ts';
import type { Fault } from '../../engine/base/fault.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { visibleText } from '../format/text.ts';
import { isMild } from './fault-severity.ts';

interface FaultCardProps {
  readonly fault: Fault;
  /** How often it occurred; the fault is then the first. */
  readonly count?: number;
  onDismiss?(): void;
}

export function FaultCard({ fault, count = 1, onDismiss }: FaultCardProps) {
  const { says, advice } = FAULT_MEANINGS[fault.code];
  const place = placeText(fault.place);
  return (
    <section class={isMild(fault) ? 'notice' : 'notice severe'} role="alert">
      <Icon name="warning" />
      <div class="fault">
        <h3>
          {says}
          {count > 1 && <span class="muted"> ({count} times, the first one here)</span>}
        </h3>
        {place !== '' && <p class="mono">{place}</p>}
        {fault.place.excerpt !== undefined && (
          <Excerpt text={fault.place.excerpt} column={fault.place.column} />
        )}
        <Difference fault={fault} />
        <p class="muted">
          {fault.readSoFar !== undefined && `Read until then: ${visibleText(fault.readSoFar)}. `}
          {advice}
        </p>
        <div class="line">
          <CopyButton title="Copy report" class="outlined" text={() => faultReport([fault])} />
          {onDismiss !== undefined && (
            <button class="button" onClick={onDismiss}>
              Dismiss
            </button>
          )}
        </div>
      </div>
    </section>
  );
}

function Difference({ fault: { expected, found } }: { readonly fault: Fault }) {
  if (expected === undefined && found === undefined) return null;
  return (
    <dl class="fault-difference">
      {expected !== undefined && (
        <>
          <dt>Expected</dt>
          <dd>{visibleText(expected)}</dd>
        </>
      )}
      {found !== undefined && (
        <>
          <dt>Found</dt>
          <dd>{visibleText(found)}</dd>
        </>
      )}
    </dl>
  );
}

/** A line of the metadata with a caret below the column (from 1). */
function Excerpt({ text, column }: { readonly text: string; readonly column?: number }) {
  const line = visibleText(text.replaceAll('\t', ' '));
  return (
    <pre class="fault-excerpt">
      {line}
      {column !== undefined && `\n${' '.repeat(Math.max(0, column - 1))}^`}
    </pre>
  );
}

/** Plain text for a bug report: codes, places, and what was found there. */
export function faultReport(faults: readonly Fault[]): string {
  return ['Wakepath', navigator.userAgent, ...faults.map(faultText)].join('\n\n');
}
