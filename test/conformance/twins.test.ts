/** Kernel traces whose metadata are written anew in CTF 2, as LTTng does since 2.14: the same states, byte for byte. */
import { describe, expect, it } from 'vitest';
import { asCtf2 } from '../support/ctf-writer/as-ctf2.ts';
import { ctf2Of } from '../support/ctf-writer/ctf2.ts';
import { metadataFile } from '../support/ctf-writer/metadata-file.ts';
import { stateHash } from '../support/engine-run.ts';
import { exampleTraces, isKernelTrace } from '../support/shared.ts';
import { loadTrace, modelOf } from '../support/trace-files.ts';

const kernels = exampleTraces().filter(
  (trace) => isKernelTrace(trace) && /^(imbalance|lockfight)/.test(trace.name),
);

describe('states of a kernel do not depend on the version of its metadata', () => {
  it.each(kernels)('$name', async ({ path }) => {
    const files = loadTrace(path);
    const model = modelOf(files);
    const form = { packetBytes: 4000, byteOrder: model.byteOrder, uuid: model.uuid };
    const twin = new Map(files).set('metadata', metadataFile(ctf2Of(asCtf2(model)), form));
    expect(modelOf(twin).version).toBe('2.0');
    expect(await stateHash(twin)).toBe(await stateHash(files));
  });
});
