/** Pictures in cells, and the states of threads and CPUs as their parts; colours are CSS colours, by rule those of the timeline. */
import type { ComponentChildren } from 'preact';
import * as values from '../../../engine/linux/events/values.ts';
import { interruptsOf } from '../../../engine/answers/statistics/cpu-usage.ts';
import type { CpuStat } from '../../../engine/protocol/statistics.ts';

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

/** Colour of waits by cause (`CAUSES`). */
const CAUSE_COLOURS = ['unknown', 'thread', 'timer', 'disk', 'net', 'thread', 'lock', 'unknown', 'unknown'];

/** @param blockedNs by cause; cause 0: the wait has not ended */
export function blockedParts(blockedNs: ArrayLike<number>): Part[] {
  return CAUSE_COLOURS.map((colour, cause) => ({
    label: cause === values.CAUSE_NONE ? 'not ended yet' : values.CAUSES[cause],
    colour: `var(--st-${colour})`,
    unknown: colour === 'unknown',
    ns: blockedNs[cause],
  }));
}

/**
 * States of a thread while it lived.
 * @param statesNs by state (`THREAD_STATES`)
 * @param blockedNs by cause; undefined: not known, blocked time is one part
 */
export function stateParts(statesNs: ArrayLike<number>, blockedNs?: ArrayLike<number>): Part[] {
  const ns = (...states: number[]) => states.reduce((sum, state) => sum + statesNs[state], 0);
  const blocked = ns(values.STATE_BLOCKED_S, values.STATE_BLOCKED_D);
  return [
    { label: 'User', colour: 'var(--st-user)', ns: ns(values.STATE_USER) },
    { label: 'Kernel', colour: 'var(--st-kernel)', ns: ns(values.STATE_KERNEL) },
    { label: 'Guest', colour: 'var(--st-guest)', ns: ns(values.STATE_GUEST) },
    { label: 'Mode not known', colour: 'var(--st-running)', ns: ns(values.STATE_RUNNING) },
    { label: 'Interrupted', colour: 'var(--st-irq)', ns: ns(values.STATE_INTERRUPTED) },
    {
      label: 'Runnable',
      colour: 'var(--st-ready)',
      ns: ns(values.STATE_PREEMPTED, values.STATE_WOKEN, values.STATE_NEW),
    },
    ...(blockedNs === undefined
      ? [{ label: 'Blocked', colour: 'var(--c-load)', ns: blocked }]
      : blockedParts(blockedNs).map((part) => ({ ...part, label: `Blocked, ${part.label}` }))),
    {
      label: 'Idle, parked or stopped',
      colour: 'var(--c-line)',
      ns: ns(values.STATE_STOPPED, values.STATE_IDLE_KTHREAD, values.STATE_PARKED),
    },
    { label: 'Unknown', colour: 'var(--st-unknown)', unknown: true, ns: ns(values.STATE_UNKNOWN) },
  ];
}

export function cpuParts(cpu: CpuStat): Part[] {
  return [
    { label: 'User', colour: 'var(--st-user)', ns: cpu.user },
    { label: 'Kernel', colour: 'var(--st-kernel)', ns: cpu.kernel },
    { label: 'Guest', colour: 'var(--st-guest)', ns: cpu.guest },
    { label: 'Mode not known', colour: 'var(--st-running)', ns: cpu.running },
    { label: 'Interrupts', colour: 'var(--st-irq)', ns: interruptsOf(cpu) },
    { label: 'Unknown', colour: 'var(--st-unknown)', unknown: true, ns: cpu.unknown },
  ];
}
