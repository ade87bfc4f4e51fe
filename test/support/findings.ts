/** What the summary of a trace says. */
import { append } from '../../src/engine/base/append.ts';
import { inOrder } from '../../src/engine/answers/summary/order.ts';
import type { Finding } from '../../src/engine/protocol/summary.ts';
import { localSession, type LocalSession } from './local-session.ts';
import { filesOfFolder, memoryRefs } from './memory-files.ts';

interface Found {
  readonly key: string;
  /** Most severe first. */
  readonly findings: readonly Finding[];
}

const known = new Map<string, Promise<Found>>();

/** The findings of the traces in some folders; those of the same folders are asked for once. */
export function findingsIn(...paths: readonly string[]): Promise<Found> {
  const name = paths.join('\n');
  const found = known.get(name) ?? openAndAsk(paths);
  known.set(name, found);
  return found;
}

async function openAndAsk(paths: readonly string[]): Promise<Found> {
  const session = localSession();
  const files = new Map(paths.flatMap((path) => [...filesOfFolder(path)]));
  const { info } = await session.open(memoryRefs(files));
  const findings = await findingsOf(session);
  await session.api.close();
  return { key: info.key, findings };
}

export async function findingsOf(session: LocalSession): Promise<Finding[]> {
  return inOrder(await findingsAsAsked(session));
}

/** Findings in the order in which they are found. */
export async function findingsAsAsked({ api }: LocalSession): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (let rule = 0, rules = 1; rule < rules; rule++) {
    const answer = await api.ask('summary', { rule });
    if (answer === undefined) throw new Error('the trace is read');
    rules = answer.rules;
    append(findings, answer.findings);
  }
  return findings;
}

/** Rules and sentences, most severe first. */
export async function saidOf(...paths: readonly string[]): Promise<readonly (readonly [string, string])[]> {
  const { findings } = await findingsIn(...paths);
  return findings.map((finding) => [finding.rule, textOf(finding)]);
}

/** Numbers in ms, so that they can be compared with what programs said. */
export function textOf({ sentence }: Pick<Finding, 'sentence'>): string {
  return sentence
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.kind === 'share') return `${Math.round(100 * part.value)} %`;
      return part.kind === 'ns' ? `${Math.round(part.value / 1e6)} ms` : String(part.value);
    })
    .join('');
}
