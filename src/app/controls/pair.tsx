/** Pairs of a name and a value, for a `<dl class="pairs">`. */
import type { ComponentChildren } from 'preact';

interface PairProps {
  readonly name: string;
  /** Whether the text is of fixed width: times, counts, names in code. */
  readonly mono?: boolean;
  readonly children: ComponentChildren;
}

export function Pair({ name, mono = false, children }: PairProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd class={mono ? 'mono' : undefined}>{children}</dd>
    </>
  );
}
