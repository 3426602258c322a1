# --resume says which run and which figure stand against it, and starts nothing.
. "$TESTS/e2e/lib"
datagen d $tiny
opts="--data-dir d $tiny -p train.computation_time=40ms --quiet --results-dir results"
folder=results/whatif/local/results/$(hostname)/training/unet3d/run
make() { # a campaign of three runs of some 1.6 s, of which two were finished
	rm -rf results
	run '[01]' $opts --runs 3 "$@"
	rm -r "$(ls -d $folder/2* | tail -n 1)"
}
refused() { # TEXT OPTION...
	local text=$1 before
	shift
	before=$(ls results 2>/dev/null; ls -d $folder/2* 2>/dev/null)
	expect 2 stoker training run "$@" --resume
	said "$text"
	unsaid "stoker: running"
	[ "$before" = "$(ls results 2>/dev/null; ls -d $folder/2* 2>/dev/null)" ] ||
		fail "something was started"
}
refused "--resume needs --results-dir" --data-dir d
refused "no runs in $folder" $opts --runs 3
refused "virtual time" --drive null -p dataset.num_files_train=70 \
	--results-dir results
make
first=$(ls $folder | head -n 1)
last=$(ls $folder | tail -n 1)
refused "run $last has another configuration (accelerators: 1, not 2)" $opts \
	--runs 3 -n 2
refused "(computation_ns: 40000000, not 30000000)" $opts --runs 3 \
	-p train.computation_time=30ms
refused "(odirect: false, not true)" $opts --runs 3 --odirect
refused "run $last belongs to --warmup 0 --runs 3, not --warmup 0 --runs 5" \
	$opts --runs 5
refused "now it is not CLOSED because" $opts --runs 3 --no-drop-caches
# the gap rule: twice the shortest run from start to start
sleep 4
refused "s after run $last did, the rules want less than" $opts --runs 3
said "twice the shortest run (Rules 2.1.18)"
# a hole
mv $folder/$first first
refused "run $last is number 2 of its campaign and number 1 is not before it" \
	$opts --runs 3
mv first $folder/$first
# what cannot be read cannot be vouched for
cp $folder/$first/record.json kept
echo '{' >$folder/$first/record.json
refused "$folder/$first cannot be read" $opts --runs 3
jq '.tool_version = "0.0.9"' kept >$folder/$first/record.json
refused "run $first was made by stoker 0.0.9" $opts --runs 3
jq '.runs[0].status = "failed"' kept >$folder/$first/record.json
refused "run $first is failed, not finished" $opts --runs 3
# with mpirun of one's own it is rank 0 that says so
command -v mpirun >/dev/null || exit 0
cp kept $folder/$first/record.json
expect 2 mpi -n 2 "$STOKER" training run $opts --runs 3 -n 2 --resume
said "has another configuration (accelerators: 1, not 2)"
[ "$(grep -c 'cannot continue' last.err)" = 1 ] || fail "said more than once"
