/** Reads the slices that a decode worker reads, and nothing else. */
import { expose } from 'comlink';
import { openSource } from '../src/engine/io/open-source.ts';
import { SequentialReads } from '../src/engine/io/sequential-reads.ts';
import type { Chunk, Experiment } from '../src/engine/trace/types.ts';

export interface ReadService {
  init(experiment: Experiment): void;
  /** Bytes read. */
  read(chunk: Chunk): Promise<number>;
}

let open: Experiment | undefined;
const reads = new SequentialReads(openSource);

const service: ReadService = {
  init: (experiment) => {
    open = experiment;
  },
  async read(chunk) {
    let bytes = 0;
    for (const { file, first, count } of chunk.extents) {
      const stream = open?.traces[chunk.trace].streams[chunk.stream].files[file];
      if (stream === undefined) continue;
      const { offset, size } = stream.packets;
      const last = first + count - 1;
      const length = offset[last] + size[last] - offset[first];
      const read = await reads.read(stream.source, offset[first], length);
      if (!read.ok) throw new Error(read.fault.code);
      bytes += read.value.length;
      reads.giveBack(read.value);
    }
    return bytes;
  },
};
expose(service);
