/** Compares the recordings of one machine by a few numbers of each. */
import { STATE_BLOCKED_D } from '../../linux/events/values.ts';
import type { RecordingLine, RecordingsAnswer } from '../../protocol/summary.ts';
import type { QueryContext, QueryOf } from '../context/query.ts';
import { cpu } from '../statistics/cpu-stats.ts';
import { threadUsage } from '../statistics/cpu-usage.ts';
import { requestsOf } from './execution-measures.ts';
import { recordingOfExecutions, type RecordingSpan, recordingSpans } from './recording-measures.ts';

async function recordingsAnswer(context: QueryContext): Promise<RecordingsAnswer | undefined> {
  if (context.layers === undefined) return undefined;
  const spans = recordingSpans(context.trace);
  if (spans.length < 2) return { recordings: [] };
  const lines = await Promise.all(spans.map((span) => lineOf(context, span)));
  const { answer: found } = await requestsOf(context);
  if (found === undefined) return { recordings: lines };
  const recording = recordingOfExecutions(found, spans);
  return {
    definition: found.definition,
    recordings: lines.map((line, i): RecordingLine => {
      const durations = Array.from(found.from, (from, k) => (recording[k] === i ? found.to[k] - from : -1));
      const own = durations.filter((ns) => ns >= 0);
      const totalNs = own.reduce((sum, ns) => sum + ns, 0);
      return { ...line, executions: { count: own.length, totalNs, longestNs: Math.max(0, ...own) } };
    }),
  };
}

async function lineOf(
  context: QueryContext,
  { name, host, from, to }: RecordingSpan,
): Promise<RecordingLine> {
  const stats = await cpu.answer(context, { range: { from, to }, hosts: [host] });
  let [cpuNs, readyNs, blockedNs] = [0, 0, 0];
  for (const { onCpu, runnable, states } of threadUsage(stats)) {
    cpuNs += onCpu;
    readyNs += runnable;
    blockedNs += states[STATE_BLOCKED_D];
  }
  return { name, from, to, cpuNs, readyNs, blockedNs };
}

export const recordings: QueryOf<'recordings'> = { answer: recordingsAnswer };
