/** Entry of the browser's decode worker. */
import { openSource } from '../engine/io/open-source.ts';
import { createDecodeService, exposeDecodeService } from './decode-service.ts';

exposeDecodeService(createDecodeService(openSource));
