/**
 * Order of findings, and the lines about findings that are summed up or may be missing. Pure; the page and the command
 * line use it while findings arrive.
 */
import { addTo } from '../../base/group-by.ts';
import type { HostInfo } from '../../protocol/session.ts';
import type {
  Finding,
  MissedFindings,
  RestOfFindings,
  SentencePart,
  Severity,
} from '../../protocol/summary.ts';
import { namesFor, recorderOf, recordingCommand } from '../../words/recording-commands.ts';
import { count, ns, plain, said, word } from '../../words/sentence.ts';

/** Severities in order: faults of the recording, then what never ends, then what took long. */
const SEVERITIES: readonly Severity[] = ['recording', 'stuck', 'time', 'overview'];

/** Most severe first, then by time; equal ones by order of their rules. */
export function inOrder<Each extends Pick<Finding, 'severity' | 'ns'>>(findings: readonly Each[]): Each[] {
  const rank = ({ severity }: Each) => SEVERITIES.indexOf(severity);
  return [...findings].sort((a, b) => rank(a) - rank(b) || b.ns - a.ns);
}

/** "2 more locks: 211 ms; 1 more thread: 8 ms."; empty: nothing is left. */
export function restSentence(rest: readonly RestOfFindings[]): SentencePart[] {
  const sorted = [...rest].sort((a, b) => b.ns - a.ns);
  return plain(
    sorted.flatMap(({ noun, count: number, ns: time }, i) => {
      const nouns = word(number === 1 ? noun : `${noun}s`);
      return said`${count(number)} more ${nouns}: ${ns(time)}${i + 1 < sorted.length ? '; ' : '.'}`;
    }),
  );
}

/**
 * Sentences on findings that may be missing: events not recorded, and the command that records them; none: all were.
 */
export function missedWords(
  missed: readonly MissedFindings[],
  hosts: readonly Pick<HostInfo, 'recorder'>[],
): string[] {
  const recorder = recorderOf(hosts);
  const titles = new Map<string, string[]>();
  for (const { title, events } of missed) addTo(titles, namesFor(recorder, events).join(', '), title);
  const command = recordingCommand([...new Set(missed.flatMap(({ events }) => events))], recorder);
  return Array.from(titles, ([events, kinds]) => {
    return `Without all events ${events} findings of these kinds may be missing: ${kinds.join(', ')}.`;
  }).concat(command === '' ? [] : [`They are recorded by ${command}`]);
}
