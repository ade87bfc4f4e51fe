/**
 * Maps texts of chunk results to the history: each chunk has indices of its own, the history has one list. The
 * meaning of a text for the kernel state (a thread for softirqs, a timer's vector, a disk's interrupt) is computed
 * once per text.
 */
import { f64, i32, type Table, type TableMemory, u8 } from '../../../base/tables.ts';
import type { HistorySink } from '../../../history/types.ts';
import { createIntIndex, type IntIndex } from '../../../analysis/compiled/int-index.ts';
import { CAUSE_DISK, CAUSE_INPUT, CAUSE_NETWORK, CAUSE_OTHER } from '../../events/values.ts';
import type { StateChunk } from './transitions.ts';

export interface KernelTexts {
  readonly sink: HistorySink;
  readonly memory: TableMemory;
  /** Texts by index of the history's strings; holes for texts of others. */
  readonly text: string[];
  /** Index of each text. */
  readonly indexOf: Map<string, number>;
  readonly kind: Table<typeof KIND>;
  /** Causes by interrupt, see `wake-ups.ts`. */
  readonly causes: CauseTable;
  /** Cause of wake-ups by an idle CPU outside of interrupts, 0 not computed yet. */
  idleCause: number;
}

/** Longest name of a thread, to which the kernel cuts names. */
const NAME_LENGTH = 15;

/** Numbers of interrupts are integers of 32 bits. */
const MOST_IRQ = 2 ** 31 - 1;

/** Bits of a text's meaning. */
export const MEANS_SOFTIRQ_THREAD = 1;
export const MEANS_TIMER = 2;
export const MEANS_KERNEL_THREAD = 4;
export const MEANS_WORKER = 8;

export const KIND = {
  bits: u8(),
  /** Name of a thread that executes the program at this path, -1 not computed yet. */
  program: i32(-1),
  /** Number of the interrupt whose thread has this name (`irq/30-nvme0q1`), -1 none. */
  irq: i32(-1),
};

/** An interrupt, what happened in it (`workIn`), and the cause (`causeValue`) of the waits that it ends. */
export const CAUSE = { kind: i32(), id: i32(), name: i32(), work: i32(), value: f64() };

interface CauseTable extends Table<typeof CAUSE> {
  length: number;
  /** Kind, work and id in one word → row; of several rows the latest. */
  readonly byInterrupt: IntIndex;
}

export function createKernelTexts(sink: HistorySink, memory: TableMemory): KernelTexts {
  return {
    sink,
    memory,
    text: [],
    indexOf: new Map(),
    kind: memory.table(KIND, 256),
    causes: memory.table(CAUSE, 64, { length: 0, byInterrupt: createIntIndex(64, memory) }),
    idleCause: 0,
  };
}

/** The history's index of a text. */
export function textOf(texts: KernelTexts, text: string): number {
  const known = texts.indexOf.get(text);
  if (known !== undefined) return known;
  const index = texts.sink.string(text);
  texts.text[index] = text;
  texts.indexOf.set(text, index);
  const { memory, kind } = texts;
  if (index >= kind.bits.length) memory.widen(kind, 2 * index);
  kind.bits[index] =
    (isSoftirqThread(text) ? MEANS_SOFTIRQ_THREAD : 0) |
    (text.includes('timer') ? MEANS_TIMER : 0) |
    (KERNEL_THREAD.test(text) ? MEANS_KERNEL_THREAD : 0) |
    (ownerInName(text) === undefined ? 0 : MEANS_WORKER);
  kind.irq[index] = irqOfThread(text);
  return index;
}

/** Names of Linux's own threads, which may be cut. */
const KERNEL_THREAD = new RegExp(
  '^(?:' +
    [
      ...['kworker/', 'rcu_', 'napi/', 'jbd2/', 'khugepaged$', 'kthreadd$', String.raw`kswapd\d`],
      ...[String.raw`kcompactd\d`, String.raw`irq/\d+-`, String.raw`rcuo[a-z]*/\d`],
      String.raw`md\d+_(?:raid|resync|reshape|recovery)`,
      String.raw`(?:ksoftirqd|migration|rcuc|rcun|ktimers|ktimersoftd|backlog_napi|watchdog|cpuhp)/\d`,
      String.raw`(?:idle_inject|stopper)/\d`,
    ].join('|') +
    ')',
);

/** Thread whose process a kernel thread works for, by its name (vhost, io_uring); undefined: another name. */
export function ownerInName(name: string): number | undefined {
  const tid = /^(?:vhost|iou-wrk|iou-sqp)-(\d{1,9})$/.exec(name)?.[1];
  return tid === undefined ? undefined : Number(tid);
}

/** Whether a thread of this name runs softirqs as its own work, on every kernel. */
export function isSoftirqThread(name: string): boolean {
  return /^(?:ksoftirqd|ktimers|ktimersoftd|rcuc|backlog_napi)\//.test(name);
}

/** Number of the interrupt of a thread named `irq/NUMBER-NAME`. */
function irqOfThread(name: string): number {
  const number = /^irq\/(\d+)-/.exec(name)?.[1];
  return number === undefined || Number(number) > MOST_IRQ ? -1 : Number(number);
}

/** Name that the kernel gives a thread which executes the program at a path; indices of the history's strings or -1. */
export function nameOfProgram(texts: KernelTexts, path: number): number {
  if (path < 0) return -1;
  const known = texts.kind.program[path];
  if (known >= 0) return known;
  const file = texts.text[path].split('/').at(-1) ?? '';
  const name = textOf(texts, file.slice(0, NAME_LENGTH));
  texts.kind.program[path] = name;
  return name;
}

/**
 * Name of a thread in a state dump, without the suffix that /proc adds to kernel workers, which perf and Perfetto
 * read: `kworker/0:0-events`, `kworker/u8:1+flush-8:0`. Indices of the history's strings or -1.
 */
export function nameInDump(texts: KernelTexts, name: number): number {
  const worker = /^(kworker\/u?\d+:\d+[A-Z]?)[-+]/.exec(texts.text[name] ?? '');
  return worker === null ? name : textOf(texts, worker[1]);
}

/** Whether a text, an index of the history's strings or -1, has a meaning (MEANS_*). */
export function means({ kind }: KernelTexts, text: number, bit: number): boolean {
  return text >= 0 && (kind.bits[text] & bit) !== 0;
}

/**
 * The history's index of text `index` of a chunk result, -1 for none. Looked up on first use and not earlier: the
 * order of the history's strings must not depend on how streams were cut into chunks.
 * @param known indices looked up so far: in the chunk result, or where compiled code can see them
 */
export function textOfChunk(
  texts: KernelTexts,
  chunkResult: Pick<StateChunk, 'texts'>,
  known: Pick<StateChunk, 'historyText'>,
  index: number,
): number {
  if (index < 0) return -1;
  const text = known.historyText[index];
  if (text >= 0) return text;
  const found = textOf(texts, chunkResult.texts[index]);
  known.historyText[index] = found;
  return found;
}

/** Looks up a chunk result's texts without adding any to the history: -1 for those that it does not have. */
export function findTexts(
  texts: KernelTexts,
  chunkResult: Pick<StateChunk, 'texts'>,
  found: Int32Array,
): void {
  for (let index = 0; index < chunkResult.texts.length; index++)
    found[index] = texts.indexOf.get(chunkResult.texts[index]) ?? -1;
}

const IRQ_PATTERNS: readonly (readonly [number, RegExp])[] = [
  [CAUSE_DISK, /^(nvme|ahci|ata|sd|mmc|mpt|megasas|virtio\d+-req)/],
  [CAUSE_NETWORK, /^(eth|en[opsx]\w|virtio\d+-(input|output)|mlx|iwlwifi|wlan)/],
  [CAUSE_INPUT, /^(i8042|hid|usb|xhci|ehci|uhci|ohci)/],
];

/** Cause of a wait that ends in the handler of a device, by the handler's name. */
export function causeOfDevice(name: string): number {
  return IRQ_PATTERNS.find(([, pattern]) => pattern.test(name))?.[0] ?? CAUSE_OTHER;
}
