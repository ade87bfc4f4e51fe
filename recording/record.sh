#!/bin/sh
# Records a program with the libraries of this folder: record.sh FOLDER PROGRAM [ARGUMENT…]
# The trace goes to FOLDER, which must not exist, and the program and its libraries to FOLDER/elf.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${WAKEPATH_BUILD:-$here/build}
folder=$1
shift
session=wakepath-$$

mkdir "$folder"
folder=$(cd "$folder" && pwd)
lttng create "$session" --output="$folder"
trap 'lttng destroy "$session"' EXIT

kernel="sched_*,irq_*,timer_hrtimer_expire_*,block_rq_*,net_dev_queue,net_if_receive_skb,lttng_statedump_*"
if lttng enable-channel -s "$session" -k kernel --subbuf-size=1M --num-subbuf=8 2>&1; then
	lttng enable-event -s "$session" -k -c kernel "$kernel"
	lttng enable-event -s "$session" -k -c kernel --syscall --all
else
	echo "record.sh: only the program is recorded, not what its threads waited for in the kernel: that needs root and LTTng's kernel modules" >&2
fi
lttng enable-channel -s "$session" -u programs --subbuf-size=256K --num-subbuf=8
lttng enable-event -s "$session" -u -c programs "${WAKEPATH_EVENTS:-*}"
lttng add-context -s "$session" -u -c programs -t vpid -t vtid

# Addresses become names of functions by these files.
mkdir "$folder/elf"
program=$(command -v "$1")
for file in "$program" $(ldd "$program" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'); do
	cp -L "$file" "$folder/elf/"
done

lttng start "$session"
status=0
LD_PRELOAD="$build/libwakepath-stacks.so $build/libwakepath-locks.so liblttng-ust-pthread-wrapper.so ${LD_PRELOAD:-}" \
	"$@" || status=$?
lttng stop "$session"
exit $status
