/** Form of a rule: an entry of the table `rules.ts`. */
import { type EventKind, firstName, isKind } from '../../trace/event-kinds.ts';
import { missingEvents } from '../context/recorded.ts';
import type { Facts } from './facts.ts';
import type { FindingPlace, NamedPart, Severity, SummaryAnswer } from '../../protocol/summary.ts';

export interface Measured {
  /** Measure that the threshold is compared with: 0 to 1. */
  readonly share: number;
  /** Time of threads that it is about, of all of them together: findings of equal severity are ordered by it. */
  readonly ns: number;
}

export interface Rule<Found extends Measured> {
  /** Title of its findings, in two or three words. */
  readonly title: string;
  /** Only of the recording something is said where the times of threads cannot be believed (`Facts.isSound`). */
  readonly severity: Severity;
  /** Groups of kinds of events, of each of which every host has to have one recorded; default: it needs none. */
  readonly needs?: readonly (readonly EventKind[])[];
  /** Names of what else it needs and was not recorded; default: nothing. */
  readonly lacks?: (facts: Facts) => Promise<readonly string[]>;
  /** Least share that is said, and why not less. */
  readonly atLeast: { readonly share: number; readonly because: string };
  /** Findings of one rule that are said; of the others the number and the time are. */
  readonly most: number;
  /** Noun for one of the others, as `lock`. */
  readonly noun?: string;
  /** Without regard to the threshold. */
  readonly measure: (facts: Facts) => Measures<Found> | Promise<Measures<Found>>;
  /** One sentence with one to three numbers. */
  readonly says: (found: Found) => readonly NamedPart[];
  /** Where its numbers are seen. */
  readonly leadsTo: (found: Found) => FindingPlace;
}

export interface Measures<Found> {
  readonly found: readonly Found[];
  /** Sentence about what was not looked at. */
  readonly leftOut?: string;
}

/** A rule of any kind of findings. */
export interface AnyRule extends Omit<Rule<Measured>, 'measure' | 'says' | 'leadsTo' | 'needs' | 'lacks'> {
  /** First names of events that were not recorded, without which it cannot be asked, or of some hosts only; empty: it can. */
  readonly missing: (facts: Facts) => Promise<readonly string[]>;
  readonly look: (facts: Facts) => Promise<Measures<Said> & Pick<SummaryAnswer, 'rest'>>;
}

/** A finding before its rule's name is put to it. */
interface Said extends Measured {
  readonly sentence: readonly NamedPart[];
  readonly place: FindingPlace;
}

/** Gives an entry of the table of rules its types. */
export function rule<Found extends Measured>(entry: Rule<Found>): AnyRule {
  const { title, severity, atLeast, most, noun, measure, says, leadsTo } = entry;
  const { needs = [], lacks } = entry;
  return {
    ...{ title, severity, atLeast, most, noun },
    missing: async (facts) => {
      const events = facts.trace.hosts.flatMap((host) => missingEvents([host], needs));
      const { faults } = facts.trace.recorded();
      const sampled = faults.flatMap(({ code, found }) =>
        code === 'events-sampled' ? (found?.split(', ') ?? []) : [],
      );
      const needed = needs.flat().filter((kind) => sampled.some((name) => isKind(kind, name)));
      return [...new Set([...events, ...needed.map(firstName), ...((await lacks?.(facts)) ?? [])])];
    },
    look: async (facts) => {
      const { found, leftOut } = await measure(facts);
      const worth = found.filter(({ share }) => share >= atLeast.share).sort((a, b) => b.ns - a.ns);
      const others = worth.slice(most);
      return {
        found: worth.slice(0, most).map((each): Said => {
          return { share: each.share, ns: each.ns, sentence: says(each), place: leadsTo(each) };
        }),
        rest:
          noun === undefined || others.length === 0
            ? undefined
            : { noun, count: others.length, ns: others.reduce((sum, { ns }) => sum + ns, 0) },
        leftOut,
      };
    },
  };
}
