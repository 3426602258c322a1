# --io reference makes the calls of the benchmark's streaming writer and
# readers: 32 MiB buffered writes one after another, each dropped, one fsync a
# file; four descriptors a file, FADV_RANDOM, 128 MiB reads, each dropped.
. "$TESTS/e2e/lib"
command -v strace >/dev/null || skip "no strace"
strace -f -o /dev/null true 2>/dev/null || skip "cannot trace here"
mkdir d
# 1/16: files of 125,472,832 and 752,852,352 bytes
expect '[01]' strace -y -f -o calls -e trace=openat,pwrite64,pread64,fsync,fadvise64,rename \
	"$STOKER" checkpointing run --checkpoint-folder d --num-processes 1 \
	--scale 1/16 --num-checkpoints-write 1 --num-checkpoints-read 1 \
	--gap 0.01s --quiet --json
holds '.save.bytes == 125472832 + 752852352 and .engine == "pread"'
# A call that another thread interrupts stands on two lines; how long a read
# is stands on the second.
sed -E 's/^[0-9]+ +//; /^pread64.*<unfinished/d
	s/^<\.\.\. pread64 resumed>/pread64(x, /; s/ <unfinished.*//
	/resumed>/d' calls >lines
count() { grep -cE "$1" lines; }
is() { # WHAT WANTED FOUND
	[ "$2" = "$3" ] || fail "$1: $3, not $2"
}
is "files made" 2 "$(count '^openat.*\.pt".*O_WRONLY\|O_CREAT\|O_TRUNC')"
is "O_DIRECT" 0 "$(count '\.pt.*O_DIRECT')"
# 125472832 = 3 x 32 MiB + 24809536; 752852352 = 22 x 32 MiB + 14654848
is "writes of 32 MiB" 25 "$(count '^pwrite64\(.*, 33554432, ')"
is "last writes" 2 "$(count '^pwrite64\(.*, (24809536|14654848), ')"
is "fsyncs of files" 2 "$(count '^fsync\(.*\.pt>\)')"
is "temporary names" 0 "$(count '^rename.*\.pt')"
# four readers a file, of a quarter each: 188213088 = 128 MiB + 53995360
# (and each file once before the load, to see what the page cache has of it)
is "files read" 10 "$(count '^openat.*\.pt", O_RDONLY\|O_CLOEXEC\) ')"
is "random" 8 "$(count 'fadvise64.*POSIX_FADV_RANDOM')"
is "reads of 128 MiB" 4 "$(count '^pread64\(.*, 134217728, ')"
is "last reads" 4 "$(count '^pread64\(.*, 53995360, ')"
is "quarters of the small file" 4 "$(count '^pread64\(.*, 31368208, ')"
is "dropped after writing and reading" $((27 + 12)) \
	"$(count 'fadvise64.*POSIX_FADV_DONTNEED')"
