# What is recorded, and how: record.sh reads it, and the recording guide of the page. Lines NAME='WORDS'.

# Events of the kernel; without the state dump threads have no names and processes.
SCHEDULER='sched_* lttng_statedump_*'
INTERRUPTS='irq_* timer_hrtimer_expire_*'
DISKS='block_rq_*'
NETWORK='net_dev_queue net_if_receive_skb'

# Events of programs; without load addresses functions and locks have no names.
LOCKS='lttng_ust_pthread:* wakepath_locks:*'
STACKS='wakepath_stacks:*'
ADDRESSES='lttng_ust_statedump:* lttng_ust_lib:*'

# Without these contexts nobody knows whose an event of a program is.
CONTEXTS='--type=vpid --type=vtid --type=procname'
KERNEL_BUFFERS='--subbuf-size=1M --num-subbuf=8'
PROGRAM_BUFFERS='--subbuf-size=256K --num-subbuf=8'

# Libraries of the kit, and one of lttng-ust, that a program is started with.
KIT_LIBRARIES='libwakepath-stacks.so libwakepath-locks.so'
UST_LIBRARIES='liblttng-ust-pthread-wrapper.so'
