/** Advice on what should have been recorded for paths that follow waits for locks. */
export const NO_LOCK_EVENTS = {
  text: 'No events of locks were recorded, nor futex calls: nothing tells which waits were for a lock. Programs that run with LD_PRELOAD=liblttng-ust-pthread-wrapper.so tell of their locks.',
  command: "lttng enable-event --userspace 'lttng_ust_pthread:*'",
} as const;
