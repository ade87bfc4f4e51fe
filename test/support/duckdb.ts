/** DuckDB, another reader of the files that are exported. */
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

/** The rows that a query over files gives, by name of column. 64-bit integers are bigint. */
export async function queried(sql: string): Promise<Record<string, DuckDBValue>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
