/** Sentences for the codes of faults. `docs/errors.md` lists the same codes; a test compares them. */
interface FaultMeaning {
  /** A sentence without its period, so that expected and found can follow. */
  readonly says: string;
  readonly advice: string;
}

const RECORD_AGAIN = 'What could be read is shown. If it happens again, record the trace again.';
const LOSS_ADVICE =
  'States are unknown from there until a later event shows them, and statistics count only what was recorded. Record with more or larger sub-buffers (`lttng enable-channel --subbuf-size --num-subbuf`) or with fewer events.';

/** Meaning of each fault code, with advice. */
export const FAULT_MEANINGS = {
  // opening
  'not-a-trace': {
    says: 'This is not a trace that can be read',
    advice:
      'Open the folder of an LTTng or other CTF trace: the one that holds a file named `metadata`, or one above.',
  },
  'empty-folder': {
    says: 'There is no file in this folder',
    advice: 'Choose the folder that the trace was written to.',
  },
  'metadata-missing': {
    says: 'The trace has no metadata file',
    advice: 'Add the file `metadata` of the same recording: without it the data cannot be decoded.',
  },
  'file-unreadable': {
    says: 'The file cannot be read',
    advice: 'Check that it still exists and may be read, then open the trace again.',
  },
  'link-not-followed': {
    says: 'A link in the folder is not followed',
    advice: 'What it leads to is not read. Open that folder itself if it belongs to the recording.',
  },
  'duplicate-trace': {
    says: 'The same trace was opened twice',
    advice: 'One of the two is used. Remove the copy if that was not meant.',
  },
  unsupported: {
    says: 'The trace uses something that is not supported',
    advice: 'What does not depend on it is shown. Please report it with the metadata file.',
  },
  // archives and addresses
  'archive-damaged': {
    says: 'The archive is damaged',
    advice: 'What could be unpacked is shown. Copy or download the archive again.',
  },
  'archive-truncated': {
    says: 'The archive ends too early',
    advice: 'What could be unpacked is shown. Copy or download the archive again.',
  },
  'archive-unsupported': {
    says: 'The archive is of a kind that cannot be unpacked here',
    advice: 'Unpack it and open the folder, or pack it as `.zip` or `.tar.gz` without a password.',
  },
  'archive-too-large': {
    says: 'The archive unpacks to more than a recording would',
    advice: 'What was unpacked until then is shown. If it is a real trace, unpack it and open the folder.',
  },
  'spill-full': {
    says: 'There is no room left to unpack or download more',
    advice:
      'What fitted is shown. Delete traces from the list of recent ones, or unpack the archive and open the folder.',
  },
  'address-unreadable': {
    says: 'Nothing can be read from this address',
    advice:
      'Download the archive with the browser and drop it here. For a server of your own: it must let other pages read the file (header `Access-Control-Allow-Origin`), without leading to another address.',
  },
  // files of other recorders
  'recording-damaged': {
    says: 'The recording is damaged',
    advice: 'What comes before that place is shown. Copy the file again, or record again.',
  },
  'records-left-out': {
    says: 'The file has records that are not shown',
    advice: 'Everything else is shown.',
  },
  'events-sampled': {
    says: 'perf left out most events of a kind',
    advice:
      'Where they are missing states are unknown. Record again without `-F` and `-c`: for samples `-e cpu-clock` is enough.',
  },
  'switches-missing': {
    says: 'perf left out switches from one thread to another, without saying so',
    advice:
      'From the event before to the one that shows it, all that the CPU did is unknown. A new recording may have them.',
  },
  // metadata
  'metadata-empty': {
    says: 'The metadata are empty',
    advice: 'Wait for the recording to end (`lttng stop`, `lttng destroy`), or copy the trace again.',
  },
  'metadata-packet': {
    says: 'A packet of the metadata is damaged or of an unknown kind',
    advice: 'Copy the file `metadata` again, as binary.',
  },
  'metadata-truncated': {
    says: 'The metadata end within a packet',
    advice: 'Wait for the recording to end, or copy the file `metadata` again.',
  },
  'metadata-incomplete': {
    says: 'The metadata end within a packet, and can be read up to there',
    advice: 'Mostly only padding is missing. If events are unknown, copy the file `metadata` again.',
  },
  'metadata-version': {
    says: 'The metadata are of a version that cannot be read',
    advice: 'Convert the trace, for example with `babeltrace2 --output-format=ctf`.',
  },
  'metadata-syntax': {
    says: 'The metadata have a syntax error',
    advice: 'Correct the place in the file `metadata`, or report it to the makers of the tracer.',
  },
  'metadata-semantic': {
    says: 'The metadata contradict themselves',
    advice: 'Correct the place in the file `metadata`, or report it to the makers of the tracer.',
  },
  'metadata-unknown-attribute': {
    says: 'The metadata have an attribute that is not known',
    advice: 'It is ignored. Nothing needs to be done.',
  },
  // packets
  'bad-magic': {
    says: 'A packet does not begin with the magic number of CTF',
    advice: 'The file is damaged here or does not belong to the trace. What comes before is shown.',
  },
  'bad-uuid': {
    says: 'A packet belongs to another trace',
    advice: 'Check that the stream files and the metadata are of the same recording.',
  },
  'packet-size': { says: 'A packet has an impossible size', advice: RECORD_AGAIN },
  truncated: {
    says: 'The file ends within a packet',
    advice: 'Copy the trace again after the recording has ended. What comes before is shown.',
  },
  'unknown-stream-id': {
    says: 'A packet is of a stream that the metadata do not describe',
    advice: 'Check that the metadata are complete and of the same recording.',
  },
  'index-disagrees': {
    says: 'The index file does not fit the stream file',
    advice: 'The index is ignored and the packets are found by reading. Nothing needs to be done.',
  },
  // events
  'unknown-event-id': {
    says: 'There is an event that the metadata do not describe',
    advice: 'The rest of its packet is skipped. Check that the metadata are complete.',
  },
  'event-beyond-packet': { says: 'An event goes beyond the end of its packet', advice: RECORD_AGAIN },
  'array-too-long': { says: 'An array is longer than what is left of its packet', advice: RECORD_AGAIN },
  'unterminated-string': { says: 'A string does not end within its packet', advice: RECORD_AGAIN },
  'integer-too-long': {
    says: 'An integer of variable length has more than 64 bits',
    advice: RECORD_AGAIN,
  },
  'no-variant-option': { says: 'The tag of a variant chooses none of its options', advice: RECORD_AGAIN },
  'no-progress': {
    says: 'An event takes no space, so that reading would never end',
    advice: 'The rest of its packet is skipped. Report it to the makers of the tracer.',
  },
  'time-backwards': {
    says: 'The time goes back within a stream',
    advice:
      'The order of the stream is kept: these events stand at the greatest time before them. Durations around the place may be wrong.',
  },
  'event-after-packet': {
    says: 'Events lie after the end that their packet states',
    advice: 'They are read as any others. Some tracers write this when they are stopped or crash.',
  },
  'events-discarded': { says: 'Events were lost while recording', advice: LOSS_ADVICE },
  'packets-discarded': { says: 'Packets were lost while recording', advice: LOSS_ADVICE },
  'cpu-missing': {
    says: 'Threads were put on a CPU of which the trace has no file',
    advice:
      'While they ran there they look as if they waited for a CPU, and what they did there is in no statistic. Open the whole folder of the recording: it has a file for each CPU.',
  },
  'cpu-unknown': {
    says: 'The trace does not say on which CPUs its events happened',
    advice:
      'Nobody can say what ran or waited: there are no states of threads and CPUs. Record the number of the CPU, as a field `cpu_id` of packets or events.',
  },
  'calls-half-recorded': {
    says: 'The trace has one half of system calls only',
    advice:
      'User and kernel mode cannot be told apart, and calls have no duration: the half that is there changes no state. Record both ends of calls.',
  },
  'recordings-overlap': {
    says: 'Two sessions recorded one kernel at the same time',
    advice:
      'Events of a kind and a CPU that an earlier recording has there are left out of the later one, so that each counts once; what a filter or the tracking of processes kept out of the earlier one is missing. Open one of them alone to see all that it has.',
  },
  'clocks-by-switches': {
    says: 'The clock of the recording is another one: its switches of threads, which another recording of the machine has too, tell how the clocks relate',
    advice:
      'Both are shown as one host; the tab Sync shows the offset, and can leave them apart. A clock that both have needs no such offset: `perf record -k CLOCK_MONOTONIC`, `trace-cmd record -C mono`.',
  },
  'clocks-apart': {
    says: 'Recordings of one machine have different clocks, and no switches of threads in common that tell how they relate',
    advice:
      'They stay two hosts. Record switches of threads in both, at the same time, or use a clock that both have: `perf record -k CLOCK_MONOTONIC`, `trace-cmd record -C mono`.',
  },
  // clocks of hosts
  'sync-no-packets': {
    says: 'The trace of a host has no network events, so its clock cannot be compared with those of others',
    advice:
      'Record network events on every host: `lttng enable-event --kernel net_dev_queue,net_if_receive_skb`. Until then the host begins with the experiment, or has the offset that is given.',
  },
  'sync-no-match': {
    says: 'No packet was recorded on both hosts, so their clocks cannot be compared',
    advice:
      'Record both hosts at the same time, while they talk to each other: `lttng enable-event --kernel net_dev_queue,net_if_receive_skb` on both.',
  },
  'sync-peer-missing': {
    says: 'The host talked to others that are in no trace',
    advice:
      'To follow its packets record the other hosts at the same time, with `lttng enable-event --kernel net_dev_queue,net_if_receive_skb`, and open all traces together.',
  },
  'sync-failed': {
    says: 'No straight line relates the clocks of two hosts: one was set, or does not run evenly',
    advice:
      'Each stretch has a line of its own. Record with a clock that is not set (`monotonic`, the default of LTTng), or give an offset.',
  },
  'sync-unclear': {
    says: 'Packets of both hosts were recorded, but nothing tells which is which, so their clocks cannot be compared',
    advice:
      'Give an offset between the hosts. Packets of TCP, recorded with their headers by LTTng 2.9 or later on both hosts, tell their clocks.',
  },
  'sync-offset-wrong': {
    says: 'By the offset that was given packets arrive before they were sent',
    advice:
      'Times across these hosts are wrong. Give another offset, or none: packets tell it where they can.',
  },
  // programs and libraries
  'symbols-unreadable': {
    says: 'The names of functions, or their lines, cannot be read from this file',
    advice:
      'What could be read is used; other functions are shown as a file and an offset. Copy the program or library again from the machine that was traced.',
  },
  'symbols-other-build': {
    says: 'This file is another build of the program or library that was traced',
    advice:
      'It is not used, as its names would be wrong. Take the file from the machine that was traced, as it was then.',
  },
  'symbols-shared': {
    says: 'Several processes have the number in the name of this list of functions',
    advice:
      'It is not used, as nobody knows whose functions these are. Call it by the number that the process has on the host: perf-PID.map.',
  },
  'symbols-packed': {
    says: 'This file has most names of its functions packed by xz (.gnu_debugdata), which is not read here',
    advice:
      'Only functions that other files may use have names. Add the file of its debug package, as debuginfod or dnf debuginfo-install gets it.',
  },
  'symbols-split': {
    says: 'This file has only the debug information that was split off a program (.dwo, .dwp)',
    advice:
      'It is not read, as it says neither what its program is called nor where its functions are. Add the program or library itself.',
  },
  // files of executions
  'database-damaged': {
    says: 'This file of executions cannot be read',
    advice:
      'It is cut off, damaged, or of another version of this program. Copy it again, or save the executions of the trace anew.',
  },
  // examples and lessons
  'example-missing': {
    says: 'The example cannot be opened',
    advice: 'Try again when the server of this page can be reached. What was opened once opens offline, too.',
  },
  'lesson-missing': {
    says: 'There is no lesson of this name',
    advice: 'Choose one of the lessons on the start page.',
  },
  'lesson-unreadable': {
    says: 'The lesson cannot be read',
    advice: 'Correct the file at this line. The document on teaching says how a lesson is written.',
  },
  // running
  'worker-failed': {
    says: 'A worker of this program failed',
    advice: 'The part is marked as unreadable and the rest goes on. Please report it.',
  },
  'workers-unavailable': {
    says: 'The part of this program that reads traces could not be loaded',
    advice:
      'Nothing was read. Load the page again, once this computer is connected: its server did not answer, or has another version of it by now. Traces that this browser keeps can be opened meanwhile.',
  },
  'no-webassembly': {
    says: 'WebAssembly is switched off here',
    advice:
      'Nothing was read: this program needs it. Allow it for this page (some browsers switch it off in a mode of higher security), or use another browser.',
  },
  'store-unavailable': {
    says: 'The browser offers no storage here',
    advice:
      'Nothing is kept: everything works until the page is closed. A private window has no storage: use a normal one. Where it does not answer, close other tabs of this page and load it again.',
  },
  'store-full': {
    says: 'The storage of the browser is full',
    advice:
      'The open trace is in memory only, and is not kept when the page is closed. Delete traces from the list of recent ones, then open it again.',
  },
  'store-damaged': {
    says: 'Something that is kept of this trace is damaged',
    advice:
      'What it held is shown as unknown, and tables that need it say so. Open the files of the trace again to have it read and kept again.',
  },
  'over-limit': {
    says: 'The trace exceeds a limit that keeps this program safe',
    advice: 'If it is a real trace, please report it.',
  },
  'output-unwritable': {
    says: 'The output cannot be written',
    advice: 'What was written until then is incomplete. Choose another place, or make room there.',
  },
  cancelled: { says: 'Reading was cancelled', advice: 'What was read until then is shown.' },
} as const satisfies Readonly<Record<string, FaultMeaning>>;
