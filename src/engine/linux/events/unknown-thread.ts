/** Numbers in place of a thread, where what was read so far does not say which: no tid and no row has them. */

/** Before the first switch of a piece: the thread that ran at the end of the chunk before. */
export const THREAD_OPEN = -1;
/** Not known: after a loss, or between two. */
export const THREAD_LOST = -2;
/** Thread of a stream without switches: who ran follows from another stream, if at all. */
export const THREAD_ELSEWHERE = -3;
/** Since a loss: the next switch names the thread that it takes the CPU from. */
export const THREAD_NEXT = -4;
