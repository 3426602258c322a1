# Users that a drive serves within a time.
. "$TESTS/e2e/lib"
expect 0 stoker kvcache size --drive d7-ps1010 --slo p95=10s --duration 60 --json
holds '.users > 1 and (.curve | map(.users)) == (.curve | map(.users) | sort)'
holds '.users as $n | [.curve[] | select(.users == $n) | .meets] == [true]'
users=$(jq .users last.out)
# more time, more users; a faster drive, more users
expect 0 stoker kvcache size --drive d7-ps1010 --slo p95=40s --duration 60 --json
holds ".users > $users"
expect 0 stoker kvcache size --drive d5-p5336 --slo p95=10s --duration 60 --json
holds ".users < $users"
expect 0 stoker kvcache size --drive d7-ps1010 --slo p95=1ms
said "does not serve a single user"
expect 0 stoker kvcache size --drive 2xd7-ps1010 --option 2 --io direct \
	--cpu-mem-gb 8 --storage-capacity-gb 2000 --duration 60 --slo p50=5s
said "p50 <= 5 s"
expect 2 stoker kvcache size
expect 2 stoker kvcache size --drive d7-ps1010 --slo 2s
said "such as p95=2s"
expect 2 stoker kvcache size --drive d7-ps1010 --num-users 3
