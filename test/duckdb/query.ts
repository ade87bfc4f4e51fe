/**
 * Queries over exported files by DuckDB, a reader that is not ours. Its package (70 MB) is for the deep tests alone, which
 * install it; `npm ci --prefix test/duckdb` does so too.
 */
import { createRequire } from 'node:module';

/** What the queries here use of `@duckdb/node-api`, so that types are checked without the package. */
interface DuckDb {
  readonly DuckDBInstance: { create(path: string): Promise<Instance> };
}

interface Instance {
  connect(): Promise<{
    runAndReadAll(sql: string): Promise<{ getRowObjects(): Record<string, unknown>[] }>;
    closeSync(): void;
  }>;
  closeSync(): void;
}

/** Rows that a query gives, by name of column. 64-bit integers are bigint. */
export async function queried(sql: string): Promise<Record<string, unknown>[]> {
  const { DuckDBInstance } = createRequire(import.meta.url)('@duckdb/node-api') as DuckDb;
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
