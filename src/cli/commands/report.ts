/** `report PATH… [--output FILE] [--fail-if CONDITION]…`: what stands out, as one file for people without the trace. */
import { fingerprintOf } from '../../engine/trace/fingerprint-of-key.ts';
import { traceKey } from '../../engine/answers/context/trace-key.ts';
import { buildReport, reportText } from '../../engine/answers/report/build-report.ts';
import { type Condition, ConditionError, parseCondition } from '../../engine/answers/report/conditions.ts';
import { conditionWords } from '../../engine/answers/report/report-words.ts';
import { REPORT_FORMATS, type ReportFormat } from '../../engine/protocol/report.ts';
import { EXIT_FAILED, EXIT_REFUSED, reportFaults } from '../messages.ts';
import { type Command, type Options, UsageError, oneOf } from '../options.ts';
import { printError, writeCanonical, writeOutput } from '../output.ts';
import { checkDelimiters } from '../read-executions.ts';
import { readAll } from '../read-layers.ts';
import { openTraceSession } from '../trace-session.ts';
import { definitionOf } from './executions.ts';

export const report: Command = async (paths, options) => {
  const format = formatOf(options);
  const page = pageOf(options);
  const conditions = options.failIf.map(conditionOf);
  const executions = definitionOf(options);
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const { experiment, trace } = session;
  const layers = await readAll(session);
  if (executions !== undefined) checkDelimiters(layers, executions);
  const fingerprint = fingerprintOf(await traceKey(experiment));
  const { withoutNames } = options;
  const request = { page, trace: fingerprint, name: experiment.name, withoutNames, executions };
  const built = await buildReport({ trace, layers }, request, conditions);
  const text = reportText(built, format);
  if (options.output === undefined) await writeCanonical(text);
  else await writeOutput(options.output, text);
  for (const condition of built.conditions) printError(conditionWords(condition));
  const outcomes = new Set(built.conditions.map(({ outcome }) => outcome));
  const code = reportFaults(faults, options.strict);
  if (code === EXIT_REFUSED || outcomes.has('unknown')) return EXIT_REFUSED;
  return outcomes.has('met') ? EXIT_FAILED : code;
};

const ENDINGS: Readonly<Record<string, ReportFormat>> = {
  html: 'html',
  htm: 'html',
  md: 'markdown',
  json: 'json',
};

/** @throws UsageError */
function formatOf({ format, json, output }: Options): ReportFormat {
  if (format !== undefined) return oneOf('--format', REPORT_FORMATS, format);
  if (json) return 'json';
  if (output === undefined) return 'markdown';
  const ending = /\.(\w+)$/.exec(output)?.[1].toLowerCase() ?? '';
  if (Object.hasOwn(ENDINGS, ending)) return ENDINGS[ending];
  throw new UsageError(`--output: a file .html, .md or .json, or --format, is expected, not "${output}"`);
}

/** @throws UsageError for what is no address of a page */
function pageOf({ page }: Options): string | undefined {
  if (page === undefined) return undefined;
  const url = URL.canParse(page) ? new URL(page) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hash !== '')
    throw new UsageError(
      `--page: an address that begins with https:// or http:// is expected, not "${page}"`,
    );
  return url.href;
}

/** @throws UsageError */
function conditionOf(text: string): Condition {
  try {
    return parseCondition(text);
  } catch (error) {
    if (error instanceof ConditionError) throw new UsageError(`--fail-if: ${error.message}`);
    throw error;
  }
}
