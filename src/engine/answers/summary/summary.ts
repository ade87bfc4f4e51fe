/** Summary of an open trace: what stands out, rule by rule. */
import type { QueryContext, QueryOf } from '../context/query.ts';
import { Facts } from './facts.ts';
import { RULES } from './rules.ts';
import type { SummaryAnswer, SummaryRequest } from '../../protocol/summary.ts';

const IDS = Object.keys(RULES) as (keyof typeof RULES)[];

const NOTHING_OPEN: SummaryAnswer = { rules: IDS.length, findings: [] };

/** undefined: the trace is still being read. A number that no rule has gets no findings. */
async function summaryAnswer(
  context: QueryContext,
  { rule: number }: SummaryRequest,
): Promise<SummaryAnswer | undefined> {
  if (context.layers === undefined) return undefined;
  const id = IDS.at(number);
  if (id === undefined || number < 0) return NOTHING_OPEN;
  const { title, severity, needsSoundTimes, look } = RULES[id];
  const facts = new Facts(context);
  if (needsSoundTimes && !facts.isSound) return NOTHING_OPEN;
  const { found, rest, leftOut } = await look(facts);
  const findings = found.map((each) => ({ rule: id, title, severity, ...each }));
  return { rules: IDS.length, findings, rest, leftOut };
}

export { recordings } from './recordings.ts';

export const summary: QueryOf<'summary'> = {
  nothing: () => NOTHING_OPEN,
  answer: summaryAnswer,
};
