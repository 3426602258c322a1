# Names and surroundings that nobody thought of: bytes that are no UTF-8, line
# breaks, hosts and systems with odd names, users without a home, folders that
# are gone or go in circles, paths that are too long.
. "$TESTS/e2e/lib"
datagen d $tiny
small="$tiny -p train.epochs=1 -p train.computation_time=5ms"
for name in $'caf\xe9\xff' $'line\nbreak\t"q\'' "a: b # c" "-n" "ünïcode"; do
	cp -r d "./$name"
	mkdir "r-$name"
	run '[01]' --data-dir "./$name" $small --results-dir "r-$name"
	holds '.status == "finished"'
	leaf=$(find "r-$name" -name record.json)
	leaf=${leaf%/record.json}
	[ -s "$leaf/dlio_config/config.yaml" ] || fail "no files for $name"
	$python - "$leaf" "./$name" <<-'END' || fail "what is in the files of $name"
	import glob, json, os, sys, yaml
	leaf = os.fsencode(sys.argv[1])
	name = os.fsencode(sys.argv[2]).decode("utf-8", "replace")
	for f in glob.glob(leaf + b"/*.json"):
	    doc = json.load(open(f))
	    if f.endswith(b"record.json"):
	        assert doc["config"]["data_dir"] == name, doc["config"]["data_dir"]
	doc = yaml.safe_load(open(leaf + b"/dlio_config/config.yaml", encoding="utf-8"))
	assert doc["workload"]["dataset"]["data_folder"] == name + "/unet3d"
	END
	expect 0 stoker history --json --results-dir "r-$name"
	holds '(.runs | length) == 1'
done
# what makes no folder's name, or a hidden one
for name in "" . .. a/b /x .hidden $'a\nb'; do
	for option in --systemname --orgname; do
		run 2 --data-dir d $small --results-dir r "$option" "$name"
		said "must be the name of one folder"
		holds '.exit_code == 2'
		[ ! -e r ] || fail "something was written"
	done
done
run 2 --data-dir d $small --systemname "$(printf 'x%.0s' $(seq 64))"
said "--systemname has 64 bytes, 63 are allowed"
# too long: told before the run, not after it
part=$(printf 'x%.0s' $(seq 250))
long=$part
for _ in $(seq 15); do long=$long/$part; done
for ranks in 1 2; do
	run 2 --data-dir d $small --results-dir "$long" -n $ranks
	said "path too long"
	holds '.runs == []'
done
run 2 --data-dir "$long/$part" $small
said "--data-dir has 4266 bytes"
expect 2 stoker training datagen --data-dir "$long/$part" $tiny
rm -rf xxx*
# links in a circle, and to nowhere
ln -s l1 l2 && ln -s l2 l1 && ln -s nowhere l3
run 2 --data-dir l1 $small
said "--data-dir l1: Too many levels of symbolic links"
expect 2 stoker training datagen --data-dir l1 $tiny
said "Too many levels of symbolic links"
run 4 --data-dir d $small --results-dir l1
said "cannot create folder l1: Too many levels of symbolic links"
run 4 --data-dir d $small --results-dir l3
said "cannot create folder l3: No such file or directory"
# the current folder is gone
here=$PWD
gone() { (mkdir gone && cd gone && rmdir ../gone && "$@"); }
expect [01] gone "$STOKER" training run --quiet --json --data-dir "$here/d" $small \
	--results-dir "$here/rg"
expect 3 gone "$STOKER" training run --quiet --json --data-dir "$here/d" $small -n 2
said "mpirun needs a current folder"
holds '.exit_code == 3'
# time zones: what is written is read back
for zone in Asia/Kolkata "<-13>+13" nonsense ""; do
	rm -rf rz
	TZ=$zone run '[01]' --data-dir d $small --results-dir rz
	TZ=$zone expect 0 stoker history --json --results-dir rz
	holds '(.runs | length) == 1 and .broken == []'
done
# files are for their owner alone where umask says so
(umask 077 && run '[01]' --data-dir d $small --results-dir ru -n 2) || exit 1
[ -z "$(find ru -perm /077)" ] || fail "others may read: $(find ru -perm /077)"
[ "$(id -u)" = 0 ] || exit 0
# a user that /etc/passwd does not know, without a home, as in containers
chmod 755 . && chmod -R a+rX d && mkdir w && chmod 777 w && cp "$STOKER" stoker
alone="setpriv --reuid 54321 --regid 54321 --clear-groups env -u HOME -u USER"
$alone ./stoker version >last.out 2>&1 || exit 0
for ranks in 1 2; do
	expect [01] $alone ./stoker training run --quiet --json --data-dir d $small \
		-n $ranks --results-dir w/r
	holds '.status == "finished"'
done
# hosts whose name is no folder's
unshare -u true 2>/dev/null || exit 0
for name in a/b .. "$(printf 'y%.0s' $(seq 64))" $'h\xff'; do
	rm -rf rh
	expect [01] unshare -u sh -c 'printf %s "$0" >/proc/sys/kernel/hostname
		exec "$@"' "$name" "$STOKER" training run --quiet --json \
		--data-dir d $small --results-dir rh
	expect 0 stoker history --json --results-dir rh
	holds '(.runs | length) == 1'
	[ "$(find rh -name record.json | tr -cd / | wc -c)" = 9 ] ||
		fail "where: $(find rh -name record.json)"
done
