/**
 * Parts of a kept trace that turned out to be damaged or gone, by what is made of them. Damage is found when a part is
 * read, which may be long after the trace was opened.
 */
import type { Fault } from '../base/fault.ts';
import type { HistoryRecords } from '../history/persist.ts';
import type { DamageInfo } from '../protocol/session.ts';

/** The record of what was found before, so that the next visit knows it from the beginning. */
const RECORD = 'damage';
/** Faults that are kept: all blocks of a long trace may be gone. */
const MOST_FAULTS = 200;
/** ms in which what is found is reported together. */
const TOGETHER_MS = 100;

/** Hears of what cannot be read of a part (`DamageInfo.parts`). */
export type OnDamage = (part: string, fault: Fault) => void;

export class Damage {
  readonly #parts: Set<string>;
  readonly #faults: Fault[];
  readonly #onChange: (damage: DamageInfo) => void;
  #isWaiting = false;

  /**
   * @param onChange hears of damage soon after it was found, of all there is by then
   * @param known of an earlier visit
   */
  constructor(onChange: (damage: DamageInfo) => void, known?: DamageInfo) {
    this.#onChange = onChange;
    this.#parts = new Set(known?.parts);
    this.#faults = [...(known?.faults ?? [])];
  }

  /** undefined: none is known. */
  get info(): DamageInfo | undefined {
    return this.#parts.size === 0 ? undefined : { parts: [...this.#parts], faults: [...this.#faults] };
  }

  /** Whether something of a part could not be read. */
  has(part: string): boolean {
    return this.#parts.has(part);
  }

  /** Listener to faults, for what reads a part. */
  noteOf(part: string): (fault: Fault) => void {
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

/** Keeps damage for the next visit. A store that refuses has it found again. */
export async function keepDamage(records: HistoryRecords, damage: DamageInfo): Promise<void> {
  await records.write([{ name: RECORD, value: damage }]);
}
