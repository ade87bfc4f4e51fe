/** Summary of an open trace: its findings, rule by rule. */
import type { QueryContext, QueryOf, AnswerTo } from '../context/query.ts';
import { Facts } from './facts.ts';
import { RULES } from './rules.ts';
import type { Finding, NamedPart, SummaryAnswer } from '../../protocol/summary.ts';
import { plain } from '../../words/sentence.ts';

type RuleId = keyof typeof RULES;

/** Ids of the rules in the order in which they are asked. */
export const RULE_IDS = Object.keys(RULES) as readonly RuleId[];

const NOTHING_OPEN: SummaryAnswer = { rules: RULE_IDS.length, findings: [] };

export interface NamedFinding extends Omit<Finding, 'sentence'> {
  readonly sentence: readonly NamedPart[];
}

interface RuleFindings extends Pick<SummaryAnswer, 'rest' | 'leftOut' | 'missing'> {
  readonly findings: readonly NamedFinding[];
}

/** Findings of a rule, whose sentences tell names from words; undefined: it needs times that are not reliable. */
export async function findingsOf(facts: Facts, id: RuleId): Promise<RuleFindings | undefined> {
  const { title, severity, look, missing } = RULES[id];
  if (severity !== 'recording' && !facts.isSound) return undefined;
  const { found, rest, leftOut } = await look(facts);
  const findings = found.map((each) => ({ rule: id, title, severity, ...each }));
  const events = await missing(facts);
  return { findings, rest, leftOut, missing: events.length > 0 ? { rule: id, title, events } : undefined };
}

/** Sentences on what was lost while recording. */
export async function lossSentences(context: QueryContext): Promise<Finding['sentence'][]> {
  const facts = new Facts(context);
  const found = [await findingsOf(facts, 'lost-events'), await findingsOf(facts, 'lost-packets')];
  return found.flatMap((each) => each?.findings ?? []).map(({ sentence }) => plain(sentence));
}

/**
 * Findings of a rule by number; undefined: the trace is still being read. A number without a rule gives no findings.
 */
const summaryAnswer: AnswerTo<'summary'> = async (context, { rule: number }) => {
  if (context.layers === undefined) return undefined;
  const id = RULE_IDS.at(number);
  const found = id === undefined || number < 0 ? undefined : await findingsOf(new Facts(context), id);
  if (found === undefined) return NOTHING_OPEN;
  const findings = found.findings.map((each) => ({ ...each, sentence: plain(each.sentence) }));
  return { ...found, rules: RULE_IDS.length, findings };
};

export { recordings } from './recordings.ts';

export const summary: QueryOf<'summary'> = {
  nothing: () => NOTHING_OPEN,
  answer: summaryAnswer,
};
