/**
 * Damaged or missing parts of a stored trace, by what is made of them. Damage is found when a part is read, which may
 * be long after the trace was opened.
 */
import type { Fault } from '../base/fault.ts';
import type { HistoryRecords } from '../history/persist.ts';
import type { DamageInfo } from '../protocol/session.ts';

/** Name of the record of damage found so far, so that the next visit knows it from the start. */
const RECORD = 'damage';
/** Maximum number of faults kept: all blocks of a long trace may be gone. */
const MOST_FAULTS = 200;
/** ms in which found damage is collected into one report. */
const TOGETHER_MS = 100;

/** Called with a fault of a part (`DamageInfo.parts`) that cannot be read. */
export type OnDamage = (part: string, fault: Fault) => void;

export class Damage {
  readonly #parts: Set<string>;
  readonly #faults: Fault[];
  readonly #onChange: (damage: DamageInfo) => void;
  #isWaiting = false;

  /**
   * @param onChange called soon after damage was found, with all damage so far
   * @param known damage of an earlier visit
   */
  constructor(onChange: (damage: DamageInfo) => void, known?: DamageInfo) {
    this.#onChange = onChange;
    this.#parts = new Set(known?.parts);
    this.#faults = [...(known?.faults ?? [])];
  }

  /** All damage so far; undefined: none. */
  get info(): DamageInfo | undefined {
    return this.#parts.size === 0 ? undefined : { parts: [...this.#parts], faults: [...this.#faults] };
  }

  /** Whether something of a part could not be read. */
  has(part: string): boolean {
    return this.#parts.has(part);
  }

  /** Listener to the faults of a part. */
  listenerOf(part: string): (fault: Fault) => void {
    return (fault) => this.note(part, fault);
  }

  readonly note: OnDamage = (part, fault) => {
    const { file, byte } = fault.place;
    const isKnown = this.#faults.some(({ place }) => place.file === file && place.byte === byte);
    if (this.#parts.has(part) && (isKnown || this.#faults.length >= MOST_FAULTS)) return;
    this.#parts.add(part);
    if (!isKnown) this.#faults.push(fault);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      if (this.info !== undefined) this.#onChange(this.info);
    }, TOGETHER_MS);
  };
}

/** A record of a kept trace that cannot be read. */
export function unreadableRecord(name: string): Fault {
  return {
    code: 'store-damaged',
    place: { file: name },
    found: 'no such record, or its checksum does not match',
  };
}

/** Damage that was found on an earlier visit. */
export async function readDamage(records: HistoryRecords): Promise<DamageInfo | undefined> {
  return (await records.read(RECORD)) as DamageInfo | undefined;
}

/** Stores damage for the next visit. If the store refuses, it is found again. */
export async function keepDamage(records: HistoryRecords, damage: DamageInfo): Promise<void> {
  await records.write([{ name: RECORD, value: damage }]);
}
