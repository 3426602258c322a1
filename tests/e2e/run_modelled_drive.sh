# A modelled drive: how many accelerators it feeds, in virtual time, the same
# on every machine.
. "$TESTS/e2e/lib"
au() { # GB/s ACCELERATORS TYPE CODE FILTER
	run $4 --drive constant:$1GB/s --num-accelerators $2 --accelerator $3 \
		-p dataset.num_files_train=7200
	holds ".runs[0].metrics.steady_au_pct | $5"
}
au 14 2 b200 0 '. > 98'
au 14 3 b200 1 '. > 73 and . < 75'
au 14 4 h100 0 '. > 98'
au 14 5 h100 1 '. > 87 and . < 90'
au 3.5 1 b200 1 '. < 60'
# the latency of each request counts where only one is in flight
run 1 --drive constant:14GB/s,5ms -p dataset.num_files_train=700
run 0 --drive constant:14GB/s,5ms -p dataset.num_files_train=700 --odirect
# deterministic: the same figures twice, one run stands for five
figures() {
	run 0 --drive constant:14GB/s,80us --runs 5 -n 2
	holds '.campaign.reference == "PASS" and (.runs | length) == 1
		and .campaign.stands_for_all'
	jq '[.runs[].metrics | del(.cpu_s_per_gib, .peak_rss_bytes)]' last.out
}
figures >first
figures | cmp - first || fail "two runs differ"
# it is the data set that datagen would make, with as many processes
datagen d --scale 1/64 -p dataset.num_files_train=28 --num-processes 2
run [01] --drive null --scale 1/64 -p dataset.num_files_train=28 \
	-p train.epochs=1 --datagen-processes 2
holds '.runs[0].metrics.bytes_asked == $b' \
	--argjson b "$(cat d/unet3d/train/*.npz | wc -c)"
# thousands of accelerators
run [01] --drive constant:500GB/s -n 2000 -p dataset.num_files_train=28000 \
	-p train.epochs=1
holds '(.runs[0].ranks | length) == 2000'
