# What is misspelt is refused with what was probably meant.
. "$TESTS/e2e/lib"
refused() { # TEXT ARG...
	local text=$1
	shift
	expect 2 stoker "$@"
	[ ! -s last.out ] || fail "something on stdout: $(head -n 1 last.out)"
	said "$text"
}
refused "did you mean --accelerator-type?" training run --accelerator-tpe b200
refused "did you mean --num-processes?" training datagen --num-proceses=2
refused "unknown option --runs" training datasize --runs 5
refused "did you mean dataset.num_files_train?" training run --drive null \
	--param dataset.num_file_train=3
refused "must be KEY=VALUE" training run --drive null --param train.epochs
refused 'did you mean "training datagen"?' training datagne
refused 'no command "trianing"; did you mean "training"?' trianing run
refused 'no command "histry"; did you mean "history"?' histry
refused 'did you mean "rules explain"?' rules explian
refused 'no command "zzzzzz"' zzzzzz
refused "training needs a command" training
refused "usage: stoker COMMAND"
refused "unknown model 'unet4d'; known: " training run --drive null -m unet4d
refused "unknown accelerator 'b2000'; known: " training run --drive null -g b2000
refused "--drive fast: no such drive" training run --drive fast
refused "--runs" training run --drive null --runs 0
refused "--runs" training run --drive null --runs 5x
refused "--queue-depth" training run --drive null --queue-depth -1
refused 'unexpected argument "d"' training run d
refused "training run needs --data-dir DIR" training run
refused "training datagen needs --data-dir DIR" training datagen
refused "--data-dir nowhere: no such folder" training run --data-dir nowhere \
	-p dataset.num_files_train=70
refused "exclude each other" training run --drive null --data-dir .
refused "exclude each other" training run --drive null --odirect --buffered
refused "--engine aio: must be" training run --data-dir . --engine aio
refused "--clock virtual needs" training run --data-dir . --clock virtual
refused "--clock" training run --drive null --clock sundial
refused "--limit-read" training run --drive null --limit-read 5MB/s
refused "--limit-read" training run --data-dir . --limit-read fast
refused "reader.odirect=maybe" training run --drive null -p reader.odirect=maybe
refused "reader.transfer_size=1000" training run --drive null \
	-p reader.transfer_size=1000
refused "edition" training datasize --edition v9
refused "needs >= 56" training run --drive null -n 8 -p dataset.num_files_train=55
