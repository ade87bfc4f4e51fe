/** Events, buffers, contexts and libraries of the recording kit, by the file that its script reads. */
import text from '../../../recording/events.sh?raw';

/** @throws where the file has no such line */
function wordsOf(name: string): readonly string[] {
  const words = new RegExp(`^${name}='(.*)'$`, 'm').exec(text)?.[1];
  if (words === undefined) throw new Error(`recording/events.sh has no line ${name}='…'`);
  return words.split(' ');
}

export const KIT = {
  scheduler: wordsOf('SCHEDULER'),
  interrupts: wordsOf('INTERRUPTS'),
  disks: wordsOf('DISKS'),
  network: wordsOf('NETWORK'),
  locks: wordsOf('LOCKS'),
  stacks: wordsOf('STACKS'),
  addresses: wordsOf('ADDRESSES'),
  contexts: wordsOf('CONTEXTS'),
  kernelBuffers: wordsOf('KERNEL_BUFFERS'),
  programBuffers: wordsOf('PROGRAM_BUFFERS'),
  kitLibraries: wordsOf('KIT_LIBRARIES'),
  ustLibraries: wordsOf('UST_LIBRARIES'),
} as const;
