/** Entry of the command line: the engine under Node (docs/inspect.md). */
import { runInspect } from './run.ts';

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await runInspect(process.argv.slice(2));
