/**
 * Lets messages pass between two tests. Tests that only compute, or wait for promises already kept, would otherwise
 * hold the worker's event loop for a minute, and vitest would take the worker for dead.
 */
import { beforeEach } from 'vitest';

beforeEach(() => new Promise<void>((resolve) => setImmediate(resolve)));
