/**
 * Texts on their way from leaves to the history: each chunk has indices of its own, the history has one list. What a
 * text means to the kernel state (ksoftirqd, a timer's vector, a disk's interrupt) is found out once per text.
 */
import type { HistorySink } from '../history/types.ts';
import type { StateLeaf } from './transitions.ts';
import { CAUSE_DISK, CAUSE_INPUT, CAUSE_NETWORK, CAUSE_OTHER } from './values.ts';

export interface KernelTexts {
  readonly sink: HistorySink;
  /** By index of the history's strings. */
  readonly isKsoftirqd: boolean[];
  readonly isTimerVector: boolean[];
  readonly text: string[];
  /** History index of each text of a leaf that is not done yet. */
  readonly ofLeaf: Map<StateLeaf, Int32Array>;
  /** Causes by interrupt, see `wake-ups.ts`. */
  readonly causes: Map<number, { readonly name: number; readonly value: number }>;
}

export function createKernelTexts(sink: HistorySink): KernelTexts {
  return { sink, isKsoftirqd: [], isTimerVector: [], text: [], ofLeaf: new Map(), causes: new Map() };
}

/** The history's index of a text. */
export function textOf(texts: KernelTexts, text: string): number {
  const index = texts.sink.string(text);
  if (texts.text[index] === undefined) {
    // Other users of the history's strings leave holes: these texts are never asked for here.
    texts.text[index] = text;
    texts.isKsoftirqd[index] = text.startsWith('ksoftirqd/');
    texts.isTimerVector[index] = text.includes('timer');
  }
  return index;
}

/** The history's indices of a leaf's texts. */
export function textsOfLeaf(texts: KernelTexts, leaf: StateLeaf): Int32Array {
  let known = texts.ofLeaf.get(leaf);
  if (known === undefined) {
    known = Int32Array.from(leaf.texts, (text) => textOf(texts, text));
    texts.ofLeaf.set(leaf, known);
  }
  return known;
}

const IRQ_PATTERNS: readonly (readonly [number, RegExp])[] = [
  [CAUSE_DISK, /^(nvme|ahci|ata|sd|mmc|mpt|megasas|virtio\d+-req)/],
  [CAUSE_NETWORK, /^(eth|en[opsx]\w|virtio\d+-(input|output)|mlx|iwlwifi|wlan)/],
  [CAUSE_INPUT, /^(i8042|hid|usb|xhci|ehci|uhci|ohci)/],
];

/** Cause of a wait that ends in the handler of a device, by the handler's name (spec 04 section 1, Q23). */
export function causeOfDevice(name: string): number {
  return IRQ_PATTERNS.find(([, pattern]) => pattern.test(name))?.[0] ?? CAUSE_OTHER;
}
