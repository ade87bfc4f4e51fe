/** Pictures in cells: colours are CSS colours, by rule those of the state tokens. */
import type { ComponentChildren } from 'preact';

interface CellBarProps {
  /** Share of the longest bar, 0 to 1. */
  readonly share: number;
  readonly colour: string;
  readonly children?: ComponentChildren;
}

/** A bar left of a number. */
export function CellBar({ share, colour, children }: CellBarProps) {
  return (
    <span class="cell-bar">
      <span style={{ width: `${100 * share}%`, background: colour }} />
      <span>{children}</span>
    </span>
  );
}

export interface Part {
  readonly label: string;
  readonly colour: string;
  /** Drawn as hatch. */
  readonly unknown?: boolean;
  readonly ns: number;
}

/** Parts of a whole side by side; what is missing to `total` stays empty. */
export function PartsBar({ parts, total }: { readonly parts: readonly Part[]; readonly total: number }) {
  const shown = parts.filter((part) => part.ns > 0 && total > 0);
  // An image without a text is announced as nothing but "image".
  if (shown.length === 0) return <span class="parts-bar" />;
  const label = shown.map((part) => `${part.label} ${((100 * part.ns) / total).toFixed(1)} %`);
  return (
    <span class="parts-bar" role="img" aria-label={label.join(', ')} title={label.join('\n')}>
      {shown.map((part) => (
        <span
          key={part.label}
          class={part.unknown ? 'unknown' : ''}
          style={{ width: `${(100 * part.ns) / total}%`, '--part': part.colour }}
        />
      ))}
    </span>
  );
}
