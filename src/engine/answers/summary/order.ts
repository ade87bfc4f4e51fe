/** Order in which findings are shown. Pure; the page and the command line sort by it as findings come. */
import type { Finding, Severity } from '../../protocol/summary.ts';

/** Severities in order: faults of the recording come first, and what never ends comes before what took long. */
const SEVERITIES: readonly Severity[] = ['recording', 'stuck', 'time', 'overview'];

/** Most severe first, then by time. Of equal ones the rule that is asked first stays first. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  return [...findings].sort((a, b) => rank(a) - rank(b) || b.ns - a.ns);
}
