# A drive that fails, gives too little or hangs: by a file system of our own.
. "$TESTS/e2e/lib"
[ -c /dev/fuse ] || skip "no /dev/fuse"
datagen d $tiny
mkdir m
trap 'umount -l m 2>/dev/null' EXIT
serve() { # KIND NAME
	umount m 2>/dev/null
	"$TOOLS/faultfs" d m "$@" &
	for _ in $(seq 60); do
		mountpoint -q m && return
		kill -0 $! 2>/dev/null || break
		sleep 0.05
	done
	skip "cannot mount a FUSE file system"
}
bad=img_37_of_56.npz
small="--data-dir m $tiny -p train.epochs=1 -p train.computation_time=5ms"
serve eio $bad
for how in "--engine pread" "--engine uring" "--odirect" "--odirect -n 4" \
	"-n 2 --engine pread"; do
	run 4 $small $how
	holds '.status == "failed" and .exit_code == 4'
	said "reading m/unet3d/train/$bad at offset 0"
	said "Input/output error"
	[ "$(grep -c "^stoker: reading" last.err)" = 1 ] || fail "told twice"
	no_leftovers
done
serve short $bad
for how in "--engine pread" "--odirect --engine uring" "--odirect -n 2"; do
	run 4 $small $how
	holds '.status == "failed"'
	said "short read of m/unet3d/train/$bad: "
	said "was it changed during the run?"
	no_leftovers
done
# direct I/O that only this file system refuses
serve refuse ""
run 3 $small --odirect
said "direct I/O refused on m/unet3d/train/img_00_of_56.npz (EINVAL)"
run [01] $small --odirect --allow-fallback
holds '.config.odirect == false'
# a hang: told while it lasts, and the run goes on after it
for how in "--engine pread" "--odirect"; do
	serve stall $bad
	STOKER_WATCHDOG_S=2 run [01] $small $how -n 2
	# a ring may block as it hands the read in: then the rank is silent
	grep -qE "has waited 2 s for the data of step|silent for 2 s, last phase: load" \
		last.err || fail "nothing told: $(cat last.err)"
	holds '.status == "finished"'
	no_leftovers
done
umount m
