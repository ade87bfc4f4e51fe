/** Interrupts and softirqs by name as a layer, read unasked if there are few. Each has a row for all CPUs. */
import type { Layer, LayerRow, Nothing } from '../contract/layer.ts';
import { spanInterval, spanScheme, spanValue, withoutEnd } from '../contract/span-values.ts';
import { EVENT_KINDS } from '../../trace/event-kinds.ts';
import {
  INTERRUPT_KINDS,
  interruptMap,
  INTERRUPTS,
  I_IRQ_BEGIN,
  I_IRQ_END,
  I_LOSS,
  I_SOFTIRQ_BEGIN,
  I_SOFTIRQ_END,
} from './interrupt-map.ts';
import type { HistorySink } from '../../history/types.ts';
import type { LayerChunk } from '../contract/event-mapper.ts';
import { LayerReducer } from '../contract/layer-reducer.ts';
import { softirqName } from '../../linux/events/interrupt-names.ts';

const FEW_INTERRUPTS = 250_000;

interface FoundInterrupts {
  /** Begins of interrupts and softirqs in the trace. */
  readonly interrupts: number;
}

export const interruptLayer: Layer<FoundInterrupts, Nothing, Nothing, InterruptTables> = {
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
  interval: spanInterval,
};

/** Rows of device interrupts, then of softirqs, each by number; one row per level. */
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

/** Interrupts and softirqs that have rows; later ones have none. */
const MOST_SOURCES = 1024;

/** CPUs on which one may run at once; on more it is not shown. */
const MOST_LEVELS = 64;

interface InterruptSource {
  readonly isSoftirq: boolean;
  readonly number: number;
  /** Name of its handler or of its kind; '' not known. */
  readonly name: string;
  /** HostNs of its first begin. */
  readonly first: number;
  /** Attributes by level. */
  readonly attributes: readonly number[];
}

interface InterruptTables {
  /** Sources in order of their first begin. */
  readonly sources: readonly InterruptSource[];
}

interface Source extends Omit<InterruptSource, 'attributes' | 'name'> {
  name: string;
  readonly attributes: number[];
  /** Whether it runs, and the tone of the last span, by level. */
  readonly runs: boolean[];
  readonly tones: number[];
}

/** Interrupt or softirq that runs on a CPU. */
interface Running {
  readonly source: Source;
  readonly level: number;
  readonly value: number;
}

/** Colours of spans: hardware interrupts and softirqs. */
const COLOUR_IRQ = 2;

const COLOUR_SOFTIRQ = 4;

/** Reducer; interrupts that run on several CPUs at once have levels of their own. @internal */
export class InterruptReducer extends LayerReducer<LayerChunk, InterruptTables> {
  readonly #sink: HistorySink;
  readonly #irqs = new Map<number, Source>();
  readonly #softirqs = new Map<number, Source>();
  readonly #sources: Source[] = [];
  /** Running interrupts and softirqs, outermost first, by CPU. */
  readonly #running = new Map<number, Running[]>();

  constructor(sink: HistorySink) {
    super();
    this.#sink = sink;
  }

  soFar(): InterruptTables {
    return {
      sources: this.#sources.map(({ isSoftirq, number, name, first, attributes }) => {
        return { isSoftirq, number, name, first, attributes: [...attributes] };
      }),
    };
  }

  /** Lets interrupts that still run go on to the end of the history, without an end of their own. */
  override finish(): InterruptTables {
    for (const running of this.#running.values()) for (const one of running) this.#markOpen(one);
    this.#running.clear();
    return this.soFar();
  }

  protected take(chunk: LayerChunk, i: number): void {
    this.#sink.moveTo(this.now);
    const cpu = chunk.cpu[i];
    const kind = chunk.kind[i];
    const at = chunk.place[i];
    if (kind === I_LOSS) this.#giveUp(cpu, 0);
    else if (kind === I_IRQ_END) this.#end(false, cpu, chunk.args[at]);
    else if (kind === I_SOFTIRQ_END) this.#end(true, cpu, chunk.args[at]);
    else if (kind === I_IRQ_BEGIN || kind === I_SOFTIRQ_BEGIN) this.#begin(chunk, kind, cpu, at);
  }

  #begin({ args, texts }: LayerChunk, kind: number, cpu: number, at: number): void {
    const source = this.#sourceOf(kind === I_SOFTIRQ_BEGIN, args[at], texts[args[at + 1]] ?? '');
    const level = source === undefined ? -1 : freeLevel(source);
    if (source === undefined || level < 0) return;
    source.runs[level] = true;
    const { isSoftirq, number, tones, attributes } = source;
    const tone = (tones[level] = 1 - (tones[level] ?? 1));
    const path = [INTERRUPTS, isSoftirq ? 'softirq' : 'irq', String(number), String(level)];
    attributes[level] ??= this.#sink.attribute(path, 'state');
    const text = this.#sink.string(`CPU ${cpu}`);
    const value = spanValue(isSoftirq ? COLOUR_SOFTIRQ : COLOUR_IRQ, tone, text);
    this.#sink.set(attributes[level], value);
    const running = this.#running.get(cpu) ?? [];
    running.push({ source, level, value });
    this.#running.set(cpu, running);
  }

  /** Ends an interrupt, and those that began within it without an end of their own; does nothing without a begin. */
  #end(isSoftirq: boolean, cpu: number, number: number): void {
    const running = this.#running.get(cpu) ?? [];
    const at = running.findLastIndex(
      ({ source }) => source.isSoftirq === isSoftirq && source.number === number,
    );
    if (at < 0) return;
    this.#giveUp(cpu, at + 1);
    const one = running.pop();
    if (one !== undefined) this.#close(one);
  }

  /** Gives up what runs on a CPU from a place on, whose ends will not come. */
  #giveUp(cpu: number, from: number): void {
    for (const one of this.#running.get(cpu)?.splice(from) ?? []) {
      this.#markOpen(one);
      this.#close(one);
    }
  }

  #markOpen({ source, level, value }: Running): void {
    const past = withoutEnd(value);
    this.#sink.settle(source.attributes[level], past, past);
  }

  #close({ source, level }: Running): void {
    source.runs[level] = false;
    this.#sink.end(source.attributes[level]);
  }

  /** Undefined: there is no room for it. */
  #sourceOf(isSoftirq: boolean, number: number, name: string): Source | undefined {
    const sources = isSoftirq ? this.#softirqs : this.#irqs;
    let source = sources.get(number);
    if (source === undefined && this.#sources.length < MOST_SOURCES) {
      const called = isSoftirq ? softirqName(number) : name;
      source = { isSoftirq, number, name: called, first: this.now, attributes: [], runs: [], tones: [] };
      sources.set(number, source);
      this.#sources.push(source);
    }
    if (source?.name === '') source.name = name;
    return source;
  }
}

/** Lowest free level, -1: there is none. */
function freeLevel({ runs }: Source): number {
  let level = 0;
  while (runs[level]) level++;
  return level < MOST_LEVELS ? level : -1;
}
