# On a modelled drive one run stands for the warm-up and for all others.
. "$TESTS/e2e/lib"
run 0 --drive constant:14GB/s,80us --runs 5 --warmup 1 -p dataset.num_files_train=700
holds '.campaign.reference == "PASS" and .campaign.stands_for_all
	and .campaign.au_mean_pct > 99 and (.runs | length) == 1'
