/** In which order findings are shown. Pure; the page and the command line sort by it as findings come. */
import type { Finding, Severity } from '../../protocol/summary.ts';

/** What is wrong with the recording comes before all that was found in it, and what never ends before what took long. */
const SEVERITIES: readonly Severity[] = ['recording', 'stuck', 'time', 'overview'];

/** Most severe first, then by time. Of equal ones the rule that is asked first stays first. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  return [...findings].sort((a, b) => rank(a) - rank(b) || b.ns - a.ns);
}
