/** Under which key a trace's results are kept: other files, formats or analyses give another key. */
import { sha256Hex } from '../base/sha256.ts';
import { SESSION_VERSIONS } from '../registry.ts';
import type { Experiment } from '../trace/types.ts';

/** Of all that a session stores beside the histories; raise it when their meaning changes. */
const SESSION_FORMAT = 8;

/** Independent of the order in which files were given. */
export function traceKey(experiment: Experiment): Promise<string> {
  const fingerprints = experiment.traces.map((trace) => trace.fingerprint).sort();
  const text = [`session ${SESSION_FORMAT}`, ...SESSION_VERSIONS, ...fingerprints].join('\n');
  return Promise.resolve(sha256Hex(new TextEncoder().encode(text)));
}
