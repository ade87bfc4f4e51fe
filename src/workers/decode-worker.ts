/** Entry of the browser's decode worker. */
import { openSource } from '../engine/io/open-source.ts';
import { createDecodeService } from './decode-service.ts';
import { exposeDecodeService } from './expose-decode-service.ts';

exposeDecodeService(createDecodeService(openSource));
