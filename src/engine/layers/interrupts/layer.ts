/** Interrupts and softirqs by name as a layer: read unasked, as long as there are few of them. */
import type { Layer, LayerRow } from '../contract/layer.ts';
import { hasEnd, spanScheme, textOf } from '../contract/span-values.ts';
import { EVENT_KINDS } from '../../trace/event-kinds.ts';
import { INTERRUPT_KINDS, interruptMap, INTERRUPTS } from './interrupt-map.ts';
import { InterruptReducer, type InterruptTables } from './interrupt-reducer.ts';

/** Most interrupts that are read unasked. */
const FEW_INTERRUPTS = 250_000;

/** Empty choice: nothing can be chosen. */
type Nothing = Readonly<Record<string, never>>;

interface FoundInterrupts {
  /** Begins of interrupts and softirqs in the trace. */
  readonly interrupts: number;
}

type InterruptLayer = Layer<FoundInterrupts, Nothing, Nothing, InterruptTables>;

export const interruptLayer: InterruptLayer = {
  id: INTERRUPTS,
  title: 'Interrupt',
  schemes: { [INTERRUPTS]: spanScheme },
  tables: [INTERRUPT_KINDS],
  find({ countOf }) {
    const names = [...EVENT_KINDS['irq-entry'].events, ...EVENT_KINDS['softirq-entry'].events];
    return { interrupts: names.reduce((sum, name) => sum + countOf(name), 0) };
  },
  first: ({ interrupts }) => (interrupts > 0 && interrupts <= FEW_INTERRUPTS ? {} : undefined),
  settings: () => ({}),
  analysis: (settings) => ({
    ...interruptMap.of(settings),
    version: 1,
    reducer: (sink) => new InterruptReducer(sink),
  }),
  rows: (_, { sources }) => rowsOf(sources),
  interval: (value, text) => ({ text: text(textOf(value)), hasEnd: hasEnd(value) }),
};

/** Interrupts of devices before softirqs, each by number; one row for each level. */
function rowsOf(sources: InterruptTables['sources']): LayerRow[] {
  return [...sources]
    .sort((a, b) => Number(a.isSoftirq) - Number(b.isSoftirq) || a.number - b.number)
    .flatMap(({ isSoftirq, number, name, first, attributes }) => {
      const called = isSoftirq ? `softirq ${name}` : `${name === '' ? 'interrupt' : name} (${number})`;
      return attributes.map((attribute, level) => ({
        key: `${isSoftirq ? 'softirq' : 'irq'}:${number}:${level}`,
        name: level === 0 ? called : `${called}, level ${level + 1}`,
        attribute,
        subject: called,
        below: 'Interrupts',
        first,
        isOfMachine: true,
      }));
    });
}
