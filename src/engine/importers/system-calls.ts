/**
 * Names of system calls by the numbers that `raw_syscalls` records, by architecture, as LTTng and the kernel's events
 * `syscalls:sys_enter_NAME` have them: by the function of the kernel (`newfstat`, not `fstat`).
 */
import { isKind } from '../trace/event-kinds.ts';
import type { CtfOutput, OutputField } from './ctf-output.ts';
import type { KernelFormat } from './kernel-formats.ts';

// A number is that of the word after it; the following words count on.
/** `arch/x86/entry/syscalls/syscall_64.tbl`. */
const X86_64 = `
0 read write open close newstat newfstat newlstat poll lseek mmap mprotect munmap brk rt_sigaction
rt_sigprocmask rt_sigreturn ioctl pread64 pwrite64 readv writev access pipe select sched_yield mremap msync
mincore madvise shmget shmat shmctl dup dup2 pause nanosleep getitimer alarm setitimer getpid sendfile64
socket connect accept sendto recvfrom sendmsg recvmsg shutdown bind listen getsockname getpeername socketpair
setsockopt getsockopt clone fork vfork execve exit wait4 kill newuname semget semop semctl shmdt msgget msgsnd
msgrcv msgctl fcntl flock fsync fdatasync truncate ftruncate getdents getcwd chdir fchdir rename mkdir rmdir
creat link unlink symlink readlink chmod fchmod chown fchown lchown umask gettimeofday getrlimit getrusage
sysinfo times ptrace getuid syslog getgid setuid setgid geteuid getegid setpgid getppid getpgrp setsid
setreuid setregid getgroups setgroups setresuid getresuid setresgid getresgid getpgid setfsuid setfsgid getsid
capget capset rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack utime mknod uselib
personality ustat statfs fstatfs sysfs getpriority setpriority sched_setparam sched_getparam
sched_setscheduler sched_getscheduler sched_get_priority_max sched_get_priority_min sched_rr_get_interval
mlock munlock mlockall munlockall vhangup modify_ldt pivot_root sysctl prctl arch_prctl adjtimex setrlimit
chroot sync acct settimeofday mount umount swapon swapoff reboot sethostname setdomainname iopl ioperm
create_module init_module delete_module get_kernel_syms query_module quotactl nfsservctl getpmsg putpmsg
afs_syscall tuxcall security gettid readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr
listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr tkill time futex sched_setaffinity
sched_getaffinity set_thread_area io_setup io_destroy io_getevents io_submit io_cancel get_thread_area
lookup_dcookie epoll_create epoll_ctl_old epoll_wait_old remap_file_pages getdents64 set_tid_address
restart_syscall semtimedop fadvise64 timer_create timer_settime timer_gettime timer_getoverrun timer_delete
clock_settime clock_gettime clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl tgkill utimes vserver
mbind set_mempolicy get_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
kexec_load waitid add_key request_key keyctl ioprio_set ioprio_get inotify_init inotify_add_watch
inotify_rm_watch migrate_pages openat mkdirat mknodat fchownat futimesat newfstatat unlinkat renameat linkat
symlinkat readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list get_robust_list splice tee
sync_file_range vmsplice move_pages utimensat epoll_pwait signalfd timerfd_create eventfd fallocate
timerfd_settime timerfd_gettime accept4 signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv
pwritev rt_tgsigqueueinfo perf_event_open recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at
open_by_handle_at clock_adjtime syncfs sendmmsg setns getcpu process_vm_readv process_vm_writev kcmp
finit_module sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create kexec_file_load bpf execveat
userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx
io_pgetevents rseq uretprobe uprobe
`;
/** `include/uapi/asm-generic/unistd.h`, used by arm64, riscv64 and loongarch64. */
const GENERIC = `
0 io_setup io_destroy io_submit io_cancel io_getevents setxattr lsetxattr fsetxattr getxattr lgetxattr
fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr getcwd lookup_dcookie eventfd2
epoll_create1 epoll_ctl epoll_pwait dup dup3 fcntl inotify_init1 inotify_add_watch inotify_rm_watch ioctl
ioprio_set ioprio_get flock mknodat mkdirat unlinkat symlinkat linkat renameat umount mount pivot_root
nfsservctl statfs fstatfs truncate ftruncate fallocate faccessat chdir fchdir chroot fchmod fchmodat fchownat
fchown openat close vhangup pipe2 quotactl getdents64 lseek read write readv writev pread64 pwrite64 preadv
pwritev sendfile64 pselect6 ppoll signalfd4 vmsplice splice tee readlinkat newfstatat newfstat sync fsync
fdatasync sync_file_range timerfd_create timerfd_settime timerfd_gettime utimensat acct capget capset
personality exit exit_group waitid set_tid_address unshare futex set_robust_list get_robust_list nanosleep
getitimer setitimer kexec_load init_module delete_module timer_create timer_gettime timer_getoverrun
timer_settime timer_delete clock_settime clock_gettime clock_getres clock_nanosleep syslog ptrace
sched_setparam sched_setscheduler sched_getscheduler sched_getparam sched_setaffinity sched_getaffinity
sched_yield sched_get_priority_max sched_get_priority_min sched_rr_get_interval restart_syscall kill tkill
tgkill sigaltstack rt_sigsuspend rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo
rt_sigreturn setpriority getpriority reboot setregid setgid setreuid setuid setresuid getresuid setresgid
getresgid setfsuid setfsgid times setpgid getpgid getsid setsid getgroups setgroups newuname sethostname
setdomainname getrlimit setrlimit getrusage umask prctl getcpu gettimeofday settimeofday adjtimex getpid
getppid getuid geteuid getgid getegid gettid sysinfo mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify
mq_getsetattr msgget msgctl msgrcv msgsnd semget semctl semtimedop semop shmget shmctl shmat shmdt socket
socketpair bind listen accept connect getsockname getpeername sendto recvfrom setsockopt getsockopt shutdown
sendmsg recvmsg readahead brk munmap mremap add_key request_key keyctl clone execve mmap fadvise64 swapon
swapoff mprotect msync mlock munlock mlockall munlockall mincore madvise remap_file_pages mbind get_mempolicy
set_mempolicy migrate_pages move_pages rt_tgsigqueueinfo perf_event_open accept4 recvmmsg 258 riscv_hwprobe
riscv_flush_icache wait4 prlimit64 fanotify_init fanotify_mark name_to_handle_at open_by_handle_at
clock_adjtime syncfs setns sendmmsg process_vm_readv process_vm_writev kcmp finit_module sched_setattr
sched_getattr renameat2 seccomp getrandom memfd_create bpf execveat userfaultfd membarrier mlock2
copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx io_pgetevents rseq kexec_file_load
`;
/** Calls common to `syscall_32.tbl` of x86 and `arch/arm/tools/syscall.tbl`, and the rest of each. */
const OLD = `
0 restart_syscall exit fork read write open close waitpid creat link unlink execve chdir time mknod chmod
lchown break stat lseek getpid mount oldumount setuid getuid stime ptrace alarm fstat pause utime stty gtty
access nice ftime sync kill rename mkdir rmdir dup pipe times prof brk setgid getgid signal geteuid getegid
acct umount lock ioctl fcntl mpx setpgid ulimit olduname umask chroot ustat dup2 getppid getpgrp setsid
sigaction sgetmask ssetmask setreuid setregid sigsuspend sigpending sethostname setrlimit old_getrlimit
getrusage gettimeofday settimeofday getgroups setgroups old_select symlink lstat readlink uselib swapon reboot
old_readdir old_mmap munmap truncate ftruncate fchmod fchown getpriority setpriority profil statfs fstatfs
ioperm socketcall syslog setitimer getitimer newstat newlstat newfstat uname iopl vhangup idle vm86old wait4
swapoff sysinfo ipc fsync sigreturn clone setdomainname newuname modify_ldt adjtimex mprotect sigprocmask
create_module init_module delete_module get_kernel_syms quotactl getpgid fchdir bdflush sysfs personality
afs_syscall setfsuid setfsgid llseek getdents select flock msync readv writev getsid fdatasync sysctl mlock
munlock mlockall munlockall sched_setparam sched_getparam sched_setscheduler sched_getscheduler sched_yield
sched_get_priority_max sched_get_priority_min sched_rr_get_interval nanosleep mremap setresuid getresuid vm86
query_module poll nfsservctl setresgid getresgid prctl rt_sigreturn rt_sigaction rt_sigprocmask rt_sigpending
rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend pread64 pwrite64 chown getcwd capget capset sigaltstack sendfile
getpmsg putpmsg vfork getrlimit mmap_pgoff truncate64 ftruncate64 stat64 lstat64 fstat64 lchown32 getuid32
getgid32 geteuid32 getegid32 setreuid32 setregid32 getgroups32 setgroups32 fchown32 setresuid32 getresuid32
setresgid32 getresgid32 chown32 setuid32 setgid32 setfsuid32 setfsgid32
`;
const I386 = `
217 pivot_root mincore madvise getdents64 fcntl64 224 gettid readahead setxattr lsetxattr fsetxattr getxattr
lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr tkill sendfile64
futex sched_setaffinity sched_getaffinity set_thread_area get_thread_area io_setup io_destroy io_getevents
io_submit io_cancel fadvise64 252 exit_group lookup_dcookie epoll_create epoll_ctl epoll_wait remap_file_pages
set_tid_address timer_create timer_settime timer_gettime timer_getoverrun timer_delete clock_settime
clock_gettime clock_getres clock_nanosleep statfs64 fstatfs64 tgkill utimes fadvise64_64 vserver mbind
get_mempolicy set_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr kexec_load
waitid 286 add_key request_key keyctl ioprio_set ioprio_get inotify_init inotify_add_watch inotify_rm_watch
migrate_pages openat mkdirat mknodat fchownat futimesat fstatat64 unlinkat renameat linkat symlinkat
readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list get_robust_list splice sync_file_range
tee vmsplice move_pages getcpu epoll_pwait utimensat signalfd timerfd_create eventfd fallocate timerfd_settime
timerfd_gettime signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo
perf_event_open recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at
clock_adjtime syncfs sendmmsg setns process_vm_readv process_vm_writev kcmp finit_module sched_setattr
sched_getattr renameat2 seccomp getrandom memfd_create bpf execveat socket socketpair bind connect listen
accept4 getsockopt setsockopt getsockname getpeername sendto sendmsg recvfrom recvmsg shutdown userfaultfd
membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx arch_prctl
io_pgetevents rseq 393 semget semctl shmget shmctl shmat shmdt msgget msgsnd msgrcv msgctl
`;
const ARM = `
217 getdents64 pivot_root mincore madvise fcntl64 224 gettid readahead setxattr lsetxattr fsetxattr getxattr
lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr tkill sendfile64
futex sched_setaffinity sched_getaffinity io_setup io_destroy io_getevents io_submit io_cancel exit_group
lookup_dcookie epoll_create epoll_ctl epoll_wait remap_file_pages 256 set_tid_address timer_create
timer_settime timer_gettime timer_getoverrun timer_delete clock_settime clock_gettime clock_getres
clock_nanosleep statfs64 fstatfs64 tgkill utimes arm_fadvise64_64 pciconfig_iobase pciconfig_read
pciconfig_write mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr waitid socket bind
connect listen accept getsockname getpeername socketpair send sendto recv recvfrom shutdown setsockopt
getsockopt sendmsg recvmsg semop semget semctl msgsnd msgrcv msgget msgctl shmat shmdt shmget shmctl add_key
request_key keyctl semtimedop 314 ioprio_set ioprio_get inotify_init inotify_add_watch inotify_rm_watch mbind
get_mempolicy set_mempolicy openat mkdirat mknodat fchownat futimesat fstatat64 unlinkat renameat linkat
symlinkat readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list get_robust_list splice
sync_file_range2 tee vmsplice move_pages getcpu epoll_pwait kexec_load utimensat signalfd timerfd_create
eventfd fallocate timerfd_settime timerfd_gettime signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1
preadv pwritev rt_tgsigqueueinfo perf_event_open recvmmsg accept4 fanotify_init fanotify_mark prlimit64
name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg setns process_vm_readv process_vm_writev
kcmp finit_module sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create bpf execveat
userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx rseq
io_pgetevents migrate_pages kexec_file_load
`;
/** Calls with 64-bit times of all 32-bit programs, and those with one number everywhere. */
const TIMES = `
403 clock_gettime64 clock_settime64 clock_adjtime64 clock_getres_time64 clock_nanosleep_time64 timer_gettime64
timer_settime64 timerfd_gettime64 timerfd_settime64 utimensat_time64 pselect6_time64 ppoll_time64 416
io_pgetevents_time64 recvmmsg_time64 mq_timedsend_time64 mq_timedreceive_time64 semtimedop_time64
rt_sigtimedwait_time64 futex_time64 sched_rr_get_interval_time64
`;
const NEW = `
424 pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen fsconfig
fsmount fspick pidfd_open clone3 close_range openat2 pidfd_getfd faccessat2 process_madvise epoll_pwait2
mount_setattr quotactl_fd landlock_create_ruleset landlock_add_rule landlock_restrict_self memfd_secret
process_mrelease futex_waitv set_mempolicy_home_node cachestat fchmodat2 map_shadow_stack futex_wake
futex_wait futex_requeue statmount listmount lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal
setxattrat getxattrat listxattrat removexattrat open_tree_attr file_getattr file_setattr
`;

/** Names of the first arguments, the same on all architectures, and the calls that have them. */
const ARGUMENTS = `
fd upeer_sockaddr upeer_addrlen: accept; fd upeer_sockaddr upeer_addrlen flags: accept4; size: epoll_create;
flags: epoll_create1 inotify_init1; count: eventfd; count flags: eventfd2; uname flags: memfd_create;
attr_uptr pid cpu group_fd flags: perf_event_open; pid flags: pidfd_open; fildes: dup; pipefd flags: pipe2;
ufd user_mask sizemask: signalfd; ufd user_mask sizemask flags: signalfd4; family type protocol: socket;
family type protocol usockvec: socketpair; clockid flags: timerfd_create; fd buf count: read pread64 write
pwrite64; fd vec vlen: readv preadv preadv2 writev pwritev pwritev2; fd ubuf size flags addr addr_len:
recvfrom; fd msg flags: recvmsg sendmsg; fd buff len flags addr addr_len: sendto; out_fd in_fd offset count:
sendfile64 sendfile; fd_in off_in fd_out off_out len flags: splice copy_file_range; fd: fsync fdatasync
sync_file_range syncfs close; filename flags mode: open; dfd filename flags mode: openat; dfd filename how
usize: openat2; pathname mode: creat; oldfd newfd: dup2; oldfd newfd flags: dup3; fd cmd arg: fcntl ioctl
fcntl64; fd max_fd flags: close_range; filename argv envp: execve; fd filename argv envp flags: execveat; fd
cmd: flock; uaddr op val utime uaddr2 val3: futex futex_time64; waiters nr_futexes flags timeout clockid:
futex_waitv; uaddr val mask flags timeout clockid: futex_wait; uaddr mask nr flags: futex_wake; ufds nfds
timeout_msecs: poll; epfd events maxevents timeout: epoll_wait; epfd events maxevents timeout sigmask
sigsetsize: epoll_pwait epoll_pwait2; fd uservaddr addrlen: connect; pid sig: kill; tgid pid sig: tgkill; upid
stat_addr options ru: wait4; fd offset whence: lseek; rqtp rmtp: nanosleep; which_clock flags rqtp rmtp:
clock_nanosleep; fd buf len flags: send recv
`;
const ARGUMENTS_OF = new Map(
  ARGUMENTS.split(';').flatMap((each) => {
    const [names, calls] = each.split(':').map((words) => words.trim().split(/\s+/));
    return calls.map((call) => [call, names] as const);
  }),
);

const I386_CALLS = [OLD, I386, TIMES, NEW];
const ARM_CALLS = [OLD, ARM, TIMES, NEW];
/** Tables by `uname -m`: of native programs, and of 32-bit programs on a 64-bit kernel. */
const MACHINES: readonly (readonly [RegExp, own: readonly string[], compat?: readonly string[]])[] = [
  [/^(x86_64|amd64)$/, [X86_64, NEW], I386_CALLS],
  [/^(aarch64|arm64)/, [GENERIC, NEW], ARM_CALLS],
  [/^(riscv64|loongarch64)$/, [GENERIC, NEW]],
  [/^i\d86$/, I386_CALLS],
  [/^arm/, ARM_CALLS],
];
/** Bit in the numbers of calls of x86-64 by programs with short pointers (x32). */
const SHORT_POINTERS = 1 << 30;

/** Name of a call; undefined: not known. @param isCompat of a 32-bit program on a 64-bit kernel */
export type CallNames = (number: number, isCompat?: boolean) => string | undefined;

/** Names of an architecture's calls. @param machine as `uname -m` writes it */
export function callNames(machine: string): CallNames {
  const [, own = [], compat = []] = MACHINES.find(([called]) => called.test(machine)) ?? [];
  const [names, compatNames] = [numbered(own), numbered(compat)];
  return (number, isCompat) => (isCompat === true ? compatNames : names).get(number & ~SHORT_POINTERS);
}

function numbered(tables: readonly string[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  let next = 0;
  for (const word of tables.join(' ').match(/\S+/g) ?? []) {
    if (/^\d/.test(word)) next = Number(word);
    else names.set(next++, word);
  }
  return names;
}

/** Offset of the lower half of a call's number in records of a format, bytes; undefined: another event. */
export function placeOfCall({ system, name, fields }: KernelFormat, isBig: boolean): number | undefined {
  if (!isKind('raw-call', `${system}:${name}`)) return undefined;
  const field = fields.find((each) => each.name === 'id' || each.name === 'nr');
  return field && field.offset + (isBig ? field.size - 4 : 0);
}

/** Name of a raw event whose call is known. */
export function namedCall(event: string, call: string | undefined): string {
  return call === undefined || call === '' ? event : `${event}_${call}`;
}

/**
 * Gives the number of the event class of a raw event by its call: one for each named call, declared with its first
 * event, and one for all others.
 * @param event its name @param fields whose bytes all these classes have
 */
export function callClasses(
  nameOf: CallNames,
  output: CtfOutput,
  event: string,
  fields: readonly OutputField[],
) {
  const ids = new Map<string, number>();
  return (number: number, isCompat = false): number => {
    const call = nameOf(number, isCompat) ?? '';
    let id = ids.get(call);
    if (id === undefined) {
      id = output.declare(
        namedCall(event, call),
        fields.flatMap((field) => named(field, call)),
      );
      ids.set(call, id);
    }
    return id;
  };
}

/** The array of arguments as fields with the call's names for them; other fields unchanged. */
function named(field: OutputField, call: string): readonly OutputField[] {
  const { name, form, count } = field;
  if (name !== 'args' || typeof count !== 'number') return [field];
  const names = (ARGUMENTS_OF.get(call) ?? []).slice(0, count);
  const more = { name, form, count: count - names.length };
  return [...names.map((own) => ({ name: own, form })), ...(more.count > 0 ? [more] : [])];
}
