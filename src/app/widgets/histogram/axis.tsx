/** The axis below a histogram. */
import type { RefObject } from 'preact';
import type { Scale } from '../../../engine/words/scale.ts';

interface AxisProps {
  readonly scale: Scale;
  text(value: number): string;
  readonly element?: RefObject<HTMLDivElement | null>;
}

export function Axis({ scale, text, element }: AxisProps) {
  return (
    <div class="distribution-axis" aria-hidden="true" ref={element}>
      {scale.ticks.map((tick) => {
        const place = scale.place(tick);
        return (
          <span key={tick} style={{ left: `${100 * place}%`, transform: `translateX(${-100 * place}%)` }}>
            {text(tick)}
          </span>
        );
      })}
    </div>
  );
}
