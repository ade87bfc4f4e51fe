#!/bin/sh
# Records a program with the libraries of this folder: record.sh FOLDER PROGRAM [ARGUMENT…]
# The trace goes to FOLDER, which must not exist, and the program and its libraries to FOLDER/elf. Only the program writes
# to stdout, and its exit code is that of the script; 2, and no folder, where nothing can be recorded.
set -euf

here=$(cd "$(dirname "$0")" && pwd)
build=${WAKEPATH_BUILD:-$here/build}
. "$here/events.sh"

say() {
	echo "record.sh: $*" >&2
}
refuse() {
	say "$*"
	exit 2
}

[ $# -ge 2 ] || refuse "two arguments or more are expected: FOLDER PROGRAM [ARGUMENT…]"
folder=$1
shift
program=$(command -v -- "$1") || refuse "there is no program $1"
[ -f "$program" ] || refuse "$1 is no file of a program"
[ ! -e "$folder" ] || refuse "$folder is there already: choose another name, or remove it"
command -v lttng >/dev/null || refuse "LTTng is missing: install lttng-tools"
preload=
for library in $KIT_LIBRARIES; do
	[ -f "$build/$library" ] || refuse "$build/$library is missing: run make -C $here"
	preload="$preload$build/$library "
done
preload=$preload$UST_LIBRARIES
problem=$(LD_PRELOAD=$preload env true 2>&1 >/dev/null) || true
[ -z "$problem" ] || refuse "$problem"

# The program, the libraries that it is linked with, and the dynamic linker.
files() {
	echo "$program"
	ldd "$program" 2>/dev/null | awk '{ for (i = 1; i <= NF; i++) if (index($i, "/") == 1) print $i }'
}
[ "$(files | wc -l)" -gt 1 ] ||
	say "$program is a script, or linked statically: a program that is linked statically has neither locks nor call stacks in the trace, and those that a script starts have no names of functions"

had_daemon=yes
lttng --no-sessiond list >/dev/null 2>&1 || had_daemon=
session=wakepath-$$
is_recorded=
mkdir "$folder"
folder=$(cd "$folder" && pwd)
end() {
	lttng destroy "$session" >&2 || true
	[ -n "$is_recorded" ] || rm -rf "$folder"
	[ -n "$had_daemon" ] || say "lttng-sessiond was started for this, and goes on"
}
trap end EXIT
# They end the program, not the recording of it.
trap : INT TERM

lttng create "$session" --output="$folder" >&2
kernel=$(echo "$SCHEDULER $INTERRUPTS $DISKS $NETWORK ${WAKEPATH_KERNEL_EVENTS:-}" | tr -s ' ' ',' | sed 's/,$//')
if lttng enable-channel --session="$session" --kernel kernel $KERNEL_BUFFERS >/dev/null 2>&1; then
	lttng enable-event --session="$session" --kernel --channel=kernel "$kernel" >&2
	lttng enable-event --session="$session" --kernel --channel=kernel --syscall --all >&2
else
	say "only the program is recorded, not what its threads waited for in the kernel: that needs root and LTTng's kernel modules"
fi
lttng enable-channel --session="$session" --userspace programs $PROGRAM_BUFFERS >&2
lttng enable-event --session="$session" --userspace --channel=programs "${WAKEPATH_EVENTS:-*}" >&2
lttng add-context --session="$session" --userspace --channel=programs $CONTEXTS >&2

# Addresses become names of functions by these files.
mkdir "$folder/elf"
files | while read -r file; do cp -L "$file" "$folder/elf/"; done

lttng start "$session" >&2
is_recorded=yes
status=0
LD_PRELOAD="$preload ${LD_PRELOAD:-}" "$@" || status=$?
lttng stop "$session" >&2
[ -d "$folder/ust" ] || say "no event of $1 was recorded: it did not load the libraries, or ended at once"
exit $status
