/** Form of a rule, an entry of the table in `rules.ts`. */
import { type EventKind, firstName, isKind } from '../../trace/event-kinds.ts';
import { missingEvents } from '../context/recorded.ts';
import type { Facts } from './facts.ts';
import type { FindingPlace, NamedPart, Severity, SummaryAnswer } from '../../protocol/summary.ts';

export interface Measured {
  /** Measure that is compared with the threshold, 0 to 1. */
  readonly share: number;
  /** ns of threads that it is about, added up; orders findings of equal severity. */
  readonly ns: number;
}

export interface Rule<Found extends Measured> {
  /** Title of its findings, in two or three words. */
  readonly title: string;
  /** Severity. If times are not reliable (`Facts.isSound`), only findings about the recording are reported. */
  readonly severity: Severity;
  /** Groups of kinds of events: every host needs one recorded event of each group; default: none needed. */
  readonly needs?: readonly (readonly EventKind[])[];
  /** Names of other needed events that were not recorded; default: none. */
  readonly lacks?: (facts: Facts) => Promise<readonly string[]>;
  /** Smallest share that is reported, and the reason. */
  readonly atLeast: { readonly share: number; readonly because: string };
  /** Maximum number of findings that are shown; the others are counted and their times added up. */
  readonly most: number;
  /** Noun for a finding that is only counted, as `lock`. */
  readonly noun?: string;
  /** Measures all candidates, whatever the threshold. */
  readonly measure: (facts: Facts) => Measures<Found> | Promise<Measures<Found>>;
  /** Makes one sentence with one to three numbers. */
  readonly says: (found: Found) => readonly NamedPart[];
  /** Place in the page where its numbers are shown. */
  readonly leadsTo: (found: Found) => FindingPlace;
}

export interface Measures<Found> {
  readonly found: readonly Found[];
  /** Sentence on what was not examined. */
  readonly leftOut?: string;
}

/** A rule for any kind of findings. */
export interface AnyRule extends Omit<Rule<Measured>, 'measure' | 'says' | 'leadsTo' | 'needs' | 'lacks'> {
  /** First names of events that were not recorded, or not on all hosts, that the rule needs; empty: none. */
  readonly missing: (facts: Facts) => Promise<readonly string[]>;
  readonly look: (facts: Facts) => Promise<Measures<UnnamedFinding> & Pick<SummaryAnswer, 'rest'>>;
}

/** A finding before the name of its rule is added. */
interface UnnamedFinding extends Measured {
  readonly sentence: readonly NamedPart[];
  readonly place: FindingPlace;
}

/** Gives an entry of the table its types. */
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
        found: worth.slice(0, most).map((each): UnnamedFinding => {
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
