/** The axis below a histogram. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RefObject } from 'preact';
import { ElementSize } from '../../browser/element-size.ts';
import type { Scale } from '../../../engine/words/scale.ts';

/** CSS pixels of the longest label of a tick and what keeps it from the next one. */
export const LABEL_WIDTH = 44;

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

/** Inner width of an element, in CSS pixels; 0 before it is known. */
export function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const size = new ElementSize(element.current, () => (width.value = size.width));
    width.value = size.width;
    return () => size.dispose();
  }, []);
  return [element, width.value] as const;
}
