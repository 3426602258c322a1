# The sizes of the KV cache workload: bytes a token, entries, and the means
# that follow from the seed on any drive.
. "$TESTS/e2e/lib"
expect 0 stoker kvcache datasize --json
# seed 42: users by class, written and read GiB a request, tokens (all 1 %)
holds '[.options[] | .users_interactive, .users_responsive, .users_batch] ==
	[25, 78, 97, 14, 35, 51, 11, 23, 36]'
holds 'def near(a; b): (a / b - 1 | fabs) < 0.01;
	.options | near(.[0].tokens_per_request; 171.5) and
	near(.[1].tokens_per_request; 193.9) and
	near(.[2].tokens_per_request; 172.3) and
	near(.[0].bytes_written_per_request / 1073741824; 0.607) and
	near(.[0].bytes_read_per_request / 1073741824; 2.849) and
	near(.[2].bytes_read_per_request / 1073741824; 6.736)'
# 16 x 131072 bytes times the users' caps: 16 to 19 MiB is the smallest
holds '.options[0].smallest_entry_bytes / 1048576 | . >= 16 and . <= 19'
expect 0 stoker kvcache datasize -m qwen3-32b --option 1 --cache-dir . -n 2
said "262144 bytes a token"
said "free"
# a model and users of one's own
mkdir -p mine/kvmodels mine/kvcache
echo '{"name": "two", "layers": 2, "hidden_size": 4096,
	"num_attention_heads": 32, "num_kv_heads": 8}' >mine/kvmodels/two.json
jq '.users |= .[:1] | .name = "chat"' "$TESTS/../configs/kvcache/v3.0.json" \
	>mine/kvcache/chat.json
expect 0 stoker kvcache datasize --json --config-dir mine --model two \
	--workload chat --option 1
holds '.options[0].bytes_per_token == 8192 and
	.options[0].largest_entry_bytes <= 4096 * 8192'
expect 2 stoker kvcache datasize --model llama9
said "llama3.1-70b-instruct"
jq 'del(.users[0].think_s)' mine/kvcache/chat.json >mine/kvcache/bad.json
expect 2 stoker kvcache datasize --config-dir mine --workload bad
said "think_s"
