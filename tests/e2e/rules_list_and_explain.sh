# The rules are one table that can be read.
. "$TESTS/e2e/lib"
expect 0 stoker rules list
said "3.1.2    trainingRecalculateDatasetSize"
said "3.3.2    trainingAcceleratorUtilizationCheck"
# weights of a run and of a tree differ: each in its column
grep -qE '^2\.1\.17 +runTimestamps +warning +error +error ' last.out ||
	fail "2.1.17: $(grep 2.1.17 last.out)"
grep -qE '^3\.4\.2 +[^ ]+ +warning +warning +error ' last.out ||
	fail "3.4.2: $(grep 3.4.2 last.out)"
expect 0 stoker rules explain 3.4.2
said "put --results-dir on another file system"
expect 0 stoker rules explain runTimestampGap
said 'less than twice the shortest run'
expect 2 stoker rules explain 3.1.9
said "no such rule"
expect 2 stoker rules explain
stoker rules list --json | jq -e 'length > 10 and all(.[]; .id and .passes)' \
	>/dev/null
stoker rules explain 2.1.18 --json |
	jq -e '.[0].name == "runTimestampGap"' >/dev/null
# those of every workload are in it, whether asked before a run or in a bundle
expect 0 stoker rules explain 4.6.1
said "checkpointClosedMpiProcesses"
said "before a run"
said "bundle   --severity v30: error, head: error"
expect 0 stoker rules explain kvcacheClosedSequenceLocks
said "weight   closed: error, open: info"
said "with --strict"
expect 0 stoker rules explain 5.6.2
said "before a run"
