/** A table of every kind of column, with texts that programs obey, and what a reader of its Parquet file has to find. */
import type { ExportRow, ExportTable } from '../../src/engine/export/tables/table.ts';

export const COLUMNS: ExportTable['columns'] = [
  { name: 'time_ns', kind: 'integer', base: 1_795_225_043_737_704_787n },
  { name: 'since_ns', kind: 'integer' },
  { name: 'share', kind: 'number' },
  { name: 'thread', kind: 'text' },
  { name: 'payload', kind: 'json' },
];

export const HOSTILE: readonly ExportRow[] = [
  [0, 0, 0.5, '=HYPERLINK("http://x")', '{"a":18446744073709551615}'],
  [-1, -1, null, 'a\u202eb,"c"\nd', null],
  [null, null, -0.25, '@sum', '{"b":"<script>"}'],
];

export const READ_HOSTILE = [
  {
    time_ns: 1_795_225_043_737_704_787n,
    since_ns: 0n,
    share: 0.5,
    thread: '=HYPERLINK("http://x")',
    payload: '{"a":18446744073709551615}',
  },
  {
    time_ns: 1_795_225_043_737_704_786n,
    since_ns: -1n,
    share: null,
    thread: 'a\u202eb,"c"\nd',
    payload: null,
  },
  { time_ns: null, since_ns: null, share: -0.25, thread: '@sum', payload: '{"b":"<script>"}' },
] as const;
