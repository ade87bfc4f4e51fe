/** Makes cases, has them checked, and makes those that fail small. Equal seeds give equal cases. */
import { addNumber } from '../../src/engine/base/group-by.ts';
import type { MemoryFiles } from '../support/memory-files.ts';
import { randomOf } from '../support/simulator/random.ts';
import type { CheckAnswer } from './check-worker.ts';
import type { PacketRead } from './decode-check.ts';
import { placesOf } from './field-places.ts';
import { keepCase, type KeptCase } from './kept-cases.ts';
import { lostPacket } from './kept-events.ts';
import { mutated, randomMutation, type Mutation, type Surroundings } from './mutations.ts';
import type { Seed } from './seeds.ts';
import type { Watchdog } from './watchdog.ts';

export interface FuzzerOptions {
  readonly watchdog: Watchdog;
  readonly seeds: readonly Seed[];
  readonly kept: readonly KeptCase[];
  /** Folder for the files of cases that fail. */
  readonly failures: string;
  readonly onFailure: (text: string) => void;
}

export interface Extreme {
  readonly name: string;
  readonly amount: number;
}

export interface Report {
  readonly cases: number;
  readonly failures: number;
  readonly seconds: number;
  /** ms. */
  readonly slowest: Extreme;
  /** Bytes of typed arrays. */
  readonly largest: Extreme;
  /** How many cases had which faults. */
  readonly faults: ReadonlyMap<string, number>;
}

/** A seed that was loaded, with what is known of it before any change. */
interface Origin {
  readonly name: string;
  readonly files: MemoryFiles;
  readonly places: Surroundings['places'];
  readonly packets: readonly PacketRead[];
}

const MOST_MUTATIONS = 5;
const ORIGINS_KEPT = 60;

/** Ends a case that is being checked when the time of all is over. */
class OutOfTime extends Error {}

export class Fuzzer {
  readonly #options: FuzzerOptions;
  /** Corpora and packs have their turn alike, however many cases they have. */
  readonly #groups: readonly (readonly Seed[])[];
  readonly #origins = new Map<string, Promise<Origin>>();
  readonly #faults = new Map<string, number>();
  /** Time by which random cases end, as of `performance.now()`. */
  #end = Infinity;
  #cases = 0;
  #failures = 0;
  #slowest: Extreme = { name: '', amount: 0 };
  #largest: Extreme = { name: '', amount: 0 };

  constructor(options: FuzzerOptions) {
    this.#options = options;
    const groups = new Map<string, Seed[]>();
    for (const seed of options.seeds) {
      const [group] = seed.name.split('/');
      groups.set(group, [...(groups.get(group) ?? []), seed]);
    }
    this.#groups = [...groups.values()];
  }

  /** Kept cases first, all of them, then random ones from number `first` on, until there were so many or the time (ms) is over. */
  async run(seed: number, first: number, most: number, time: number): Promise<Report> {
    const began = performance.now();
    for (const { name, files } of this.#options.kept) {
      const { problem } = await this.#check(name, files);
      if (problem !== undefined) this.#fail(name, problem, files);
    }
    this.#end = began + time;
    try {
      for (let number = first; number < first + most; number++) await this.#tryCase(seed, number);
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
    }
    return {
      cases: this.#cases,
      failures: this.#failures,
      seconds: (performance.now() - began) / 1000,
      slowest: this.#slowest,
      largest: this.#largest,
      faults: this.#faults,
    };
  }

  async #tryCase(seed: number, number: number): Promise<void> {
    const random = randomOf(seed + 7919 * number);
    const origin = await this.#origin(random.pick(random.pick(this.#groups)));
    const other = await this.#origin(random.pick(random.pick(this.#groups)));
    const around = { places: origin.places, other: other.files };
    const count = Math.min(MOST_MUTATIONS, 1 + Math.floor(-Math.log2(1 - random.next())));
    const mutations = Array.from({ length: count }, () => randomMutation(random));
    const name = `${seed}-${number}`;
    const problem = await this.#problemOf(name, origin, mutations, around);
    if (problem === undefined) return;
    const fewest = await this.#minimise(name, origin, mutations, around).catch((error: unknown) => {
      if (error instanceof OutOfTime) return mutations;
      throw error;
    });
    const kinds = fewest.map(({ kind }) => kind).join(', ');
    this.#fail(`${name} (${origin.name}: ${kinds})`, problem, mutated(origin.files, fewest, around), name);
  }

  async #problemOf(
    name: string,
    origin: Origin,
    mutations: readonly Mutation[],
    around: Surroundings,
  ): Promise<string | undefined> {
    const files = mutated(origin.files, mutations, around);
    const kinds = mutations.map(({ kind }) => kind).join(', ');
    const { problem, packets } = await this.#check(`${name} (${origin.name}: ${kinds})`, files);
    return problem ?? lostPacket(origin.files, origin.packets, files, packets);
  }

  /** Leaves mutations out one by one, as long as something is wrong. */
  async #minimise(
    name: string,
    origin: Origin,
    mutations: readonly Mutation[],
    around: Surroundings,
  ): Promise<readonly Mutation[]> {
    for (const left of mutations) {
      const fewer = mutations.filter((mutation) => mutation !== left);
      if (mutations.length === 1 || (await this.#problemOf(name, origin, fewer, around)) === undefined)
        continue;
      return this.#minimise(name, origin, fewer, around);
    }
    return mutations;
  }

  async #check(name: string, files: MemoryFiles): Promise<CheckAnswer> {
    const answer = await this.#options.watchdog.check(files, this.#end);
    if (answer === undefined) throw new OutOfTime();
    this.#cases++;
    if (answer.time > this.#slowest.amount) this.#slowest = { name, amount: answer.time };
    if (answer.allocated > this.#largest.amount) this.#largest = { name, amount: answer.allocated };
    for (const code of new Set(answer.faults)) addNumber(this.#faults, code, 1);
    return answer;
  }

  #fail(name: string, problem: string, files: MemoryFiles, file = name): void {
    this.#failures++;
    const path = keepCase(this.#options.failures, file, `${name}: ${problem}`, files);
    this.#options.onFailure(`${name}: ${problem}\n  ${path}`);
  }

  #origin(seed: Seed): Promise<Origin> {
    const known = this.#origins.get(seed.name);
    if (known !== undefined) return known;
    const loaded = this.#load(seed);
    if (this.#origins.size >= ORIGINS_KEPT) this.#origins.delete([...this.#origins.keys()][0]);
    this.#origins.set(seed.name, loaded);
    return loaded;
  }

  /** The seed itself is a case too. */
  async #load({ name, load }: Seed): Promise<Origin> {
    const files = load();
    const { problem, packets } = await this.#check(name, files);
    if (problem !== undefined) this.#fail(name, problem, files, name.replaceAll('/', '-'));
    return { name, files, places: placesOf(files), packets };
  }
}
