/** Writes an export into a file piece by piece, so that the browser may move it out of memory. */
import { tableFile } from '../../export/tables/table-file.ts';
import { type FilePieces, utf8, columnsOf, type ExportTable, rowTable } from '../../export/tables/table.ts';
import type { QueryContext, QueryOf } from '../context/query.ts';
import { profileAnswer } from '../stacks/profile-answer.ts';
import { eventFieldTable, eventTable } from './event-table.ts';
import type { ExportAnswer, ExportRequest, FindingRequest } from '../../protocol/export.ts';
import { buildReport, reportText } from '../report/build-report.ts';
import { type ExportSource, hostName, timeCells, timeColumns } from './export-source.ts';
import { findingFile } from './finding-file.ts';
import { perfettoFile } from './perfetto-file.ts';
import { spanTable } from './layer-spans.ts';
import { stateTable } from './state-spans.ts';
import { LABELS } from '../../graph/path-codes.ts';
import type { PathAnswer } from '../../protocol/paths.ts';
import { pprofFile } from '../../export/pprof.ts';
import type { ProfileAnswer } from '../../protocol/profile.ts';
import { cutOf } from './cut.ts';

/** @throws the reason of the context's signal when it is aborted */
export async function exportFile(context: QueryContext, request: ExportRequest): Promise<ExportAnswer> {
  if (request.what === 'finding') return exportFinding(context, request);
  const hosts = context.trace.hosts.map(({ index }) => index);
  const pieces = await piecesOf({ ...context, hosts, range: request.range, firstNs: 0 }, request);
  if (pieces === undefined) return {};
  const blobs: Blob[] = [];
  for await (const piece of pieces) blobs.push(new Blob([piece]));
  return { file: blobOf(blobs) };
}

async function exportFinding(context: QueryContext, request: FindingRequest): Promise<ExportAnswer> {
  const pieces = findingFile(context, request);
  const blobs: Blob[] = [];
  for (;;) {
    const { done, value } = await pieces.next();
    if (done !== true) blobs.push(new Blob([value]));
    else if (value !== undefined) return { fault: value };
    else return blobs.length === 0 ? {} : { file: blobOf(blobs) };
  }
}

function blobOf(blobs: readonly Blob[]): Blob {
  return new Blob([...blobs], { type: 'application/octet-stream' });
}

/** Pieces of the file; undefined: files are missing, the filter is invalid, or there is no such profile. */
async function piecesOf(
  source: ExportSource,
  request: Exclude<ExportRequest, FindingRequest>,
): Promise<FilePieces | undefined> {
  switch (request.what) {
    case 'events': {
      const table = await source.trace.eventTables?.of(request.events);
      if (table === undefined || table.problem !== undefined) return undefined;
      await table.counted;
      source.signal?.throwIfAborted();
      // CSV has no objects: programs that read it want columns.
      const isCsv = request.format === 'csv';
      return tableFile(await (isCsv ? eventFieldTable : eventTable)(source, table), request.format);
    }
    case 'states':
      return tableFile(stateTable(source), request.format);
    case 'spans':
      return tableFile(spanTable(source), request.format);
    case 'path':
      return tableFile(pathTable(source, request.path), request.format);
    case 'perfetto':
      return perfettoFile(source, request.path);
    case 'report':
      // A report needs the whole trace.
      return source.layers && once(utf8(reportText(await buildReport(source, request), request.format)));
    case 'pprof': {
      const profile = await profileAnswer(source, request.profile);
      return profile && once(profileFile(source, profile));
    }
  }
}

async function* once(bytes: Uint8Array<ArrayBuffer>): FilePieces {
  await Promise.resolve();
  yield bytes;
}

/** The segments of an active path as a table of a file, oldest first. */
export function pathTable(source: ExportSource, path: PathAnswer): ExportTable {
  const { segments: s, workers, causes } = path;
  const rows = Array.from({ length: s.length }, (_, i) => {
    const { name, tid, host } = workers[s.worker[i]];
    return [
      ...timeCells(source, s.from[i]),
      s.to[i] - s.from[i],
      hostName(source, host),
      tid ?? null,
      name,
      LABELS[s.label[i]],
      s.cause[i] < 0 ? null : causes[s.cause[i]],
      s.depth[i],
    ];
  });
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...columnsOf('text', 'host'),
      ...columnsOf('integer', 'tid'),
      ...columnsOf('text', 'worker', 'label', 'cause'),
      ...columnsOf('integer', 'depth'),
    ],
    [rows],
  );
}

export function profileFile({ trace }: ExportSource, { tree, sources, from, to }: ProfileAnswer) {
  const begin = Math.ceil(from);
  return pprofFile(
    tree,
    trace.time.originNs + BigInt(begin),
    Math.floor(to) - begin,
    (frame) => sources[frame]?.file,
  );
}

/** Answers that are files; loaded with the first such question. */
export const exported: QueryOf<'exported'> = {
  nothing: () => ({}),
  answer: exportFile,
};

export const cutSize: QueryOf<'cutSize'> = {
  async answer(context, { range }) {
    const cut = await cutOf(context, range);
    return cut && { bytes: cut.bytes, events: cut.events };
  },
};
