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
  /** Causes by interrupt, see `wake-ups.ts`. */
  readonly causes: Map<number, { readonly name: number; readonly value: number }>;
}

export function createKernelTexts(sink: HistorySink): KernelTexts {
  return {
    sink,
    isKsoftirqd: [],
    isTimerVector: [],
    text: [],
    causes: new Map(),
  };
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

/**
 * The history's index of text `index` of a leaf, -1 for none. Looked up at the first use and not before: the order of
 * the history's strings must not depend on how the streams were cut into chunks.
 */
export function textOfLeaf(texts: KernelTexts, leaf: StateLeaf, index: number): number {
  if (index < 0) return -1;
  const known = leaf.historyText[index];
  if (known >= 0) return known;
  return (leaf.historyText[index] = textOf(texts, leaf.texts[index]));
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
