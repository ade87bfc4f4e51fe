/** A fault of the input as a card: what, where, what it means, what to do, and a report to copy. */
import { FAULT_MEANINGS } from '../../engine/base/fault-meanings.ts';
import { excerptLines, faultText, placeText } from '../../engine/base/fault-text.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import { Pair } from '../controls/pair.tsx';
import { visibleText } from '../format/text.ts';
import type { Fault, FaultCode } from '../../engine/base/fault.ts';

interface FaultCardProps {
  readonly fault: Fault;
  /** Number of occurrences, of which `fault` is the first. */
  readonly count?: number;
}

export function FaultCard({ fault, count = 1 }: FaultCardProps) {
  const { says, advice } = FAULT_MEANINGS[fault.code];
  const place = placeText(fault.place);
  const excerpt = excerptLines(fault.place);
  return (
    <section class={MILD.has(fault.code) ? 'notice' : 'notice severe'} role="alert">
      <Icon name="warning" />
      <div class="fault">
        <h3>
          {says}
          {count > 1 && <span class="muted"> ({count} times, the first one here)</span>}
        </h3>
        {place !== '' && <p class="mono">{place}</p>}
        {excerpt.length > 0 && <pre class="fault-excerpt">{excerpt.join('\n')}</pre>}
        <Difference fault={fault} />
        <p class="muted">
          {fault.readSoFar !== undefined && `Read until then: ${visibleText(fault.readSoFar)}. `}
          <Prose text={advice} />
        </p>
        <div class="line">
          <CopyButton title="Copy report" class="outlined" text={() => faultReport([fault])} />
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
        <Pair name="Expected">
          <Prose text={visibleText(expected)} />
        </Pair>
      )}
      {found !== undefined && (
        <Pair name="Found">
          <Prose text={visibleText(found)} />
        </Pair>
      )}
    </dl>
  );
}

/** Text with names and commands in backticks. */
function Prose({ text }: { readonly text: string }) {
  return (
    <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
  );
}

/** Plain text for a bug report: codes, places, and what was found there. */
export function faultReport(faults: readonly Fault[]): string {
  return ['Wakepath', navigator.userAgent, ...faults.map(faultText)].join('\n\n');
}

/** Faults that lose nothing important. */
const MILD: ReadonlySet<FaultCode> = new Set([
  'duplicate-trace',
  'metadata-incomplete',
  'metadata-unknown-attribute',
  'index-disagrees',
  'time-backwards',
  'event-after-packet',
  'events-discarded',
  'packets-discarded',
  'store-unavailable',
  'store-full',
  'cancelled',
]);
