# Names, order of keys and types of the files that the reference writes.
. "$TESTS/e2e/lib"
datagen d $scaled
run [01] --data-dir d --scale 1/64 --num-accelerators 2 --odirect \
	--param train.epochs=3 --results-dir results --systemname sys1 --orgname acme
leaf=$(echo results/whatif/acme/results/sys1/training/unet3d/run/2*)
holds '.runs[0].leaf == $l' --arg l "$leaf"
$python - "$leaf" <<'END' || fail "result files"
import json, os, re, sys
from statistics import mean, pstdev
leaf = sys.argv[1]
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$"
assert re.search(r"/\d{8}_\d{6}$", leaf)
def load(name):
    text = open(f"{leaf}/{name}").read()
    assert text.startswith('{\n    "'), name + ": indent 4"
    return json.loads(text)
s = load("summary.json")
assert list(s) == ["start", "num_accelerators", "num_hosts", "hostname",
    "metric", "num_files_train", "num_files_eval", "num_samples_per_file",
    "host_cpu_count", "host_processor_name", "potential_caching",
    "host_cpuinfo", "host_meminfo", "host_memory_GB",
    "data_size_per_host_GB", "epochs", "end"], list(s)
m = s["metric"]
assert list(m) == ["train_au_percentage", "train_au_mean_percentage",
    "train_au_meet_expectation", "train_au_stdev_percentage",
    "train_throughput_samples_per_second",
    "train_throughput_mean_samples_per_second",
    "train_throughput_stdev_samples_per_second",
    "train_io_mean_MB_per_second", "train_io_stdev_MB_per_second"], list(m)
assert re.match(STAMP, s["start"]) and re.match(STAMP, s["end"])
assert s["start"] < s["end"]
assert (s["num_accelerators"], s["num_hosts"], s["num_files_train"],
        s["epochs"]) == (2, 1, 56, 3)
assert type(s["host_cpu_count"][0]) is int and s["potential_caching"] == [1]
assert type(s["host_memory_GB"][0]) is float
assert s["host_meminfo"]["MemTotal"].endswith(" kB")
assert all(type(v) is str for v in s["host_cpuinfo"].values())
assert "processor" not in s["host_cpuinfo"]
assert m["train_au_meet_expectation"] in ("success", "fail")
# the figures fit one another and the ranks' files
close = lambda a, b: abs(a - b) <= 1e-9 * max(1, abs(b))
outs = [load(f"{r}_output.json") for r in (0, 1)]
for e in range(3):
    au = [o[str(e + 1)]["au"]["block1"] for o in outs]
    tp = [o[str(e + 1)]["throughput"]["block1"] for o in outs]
    assert close(m["train_au_percentage"][e], mean(au))
    assert close(m["train_throughput_samples_per_second"][e], sum(tp))
for what, key in (("au", "percentage"), ("throughput", "samples_per_second")):
    v = m[f"train_{what}_{key}"]
    assert len(v) == 3
    assert close(m[f"train_{what}_mean_{key}"], mean(v))
    assert abs(m[f"train_{what}_stdev_{key}"] - pstdev(v)) < 1e-6
record = json.load(open(f"{leaf}/record.json"))
rl = record["config"]["record_bytes"]
assert close(m["train_io_mean_MB_per_second"],
             m["train_throughput_mean_samples_per_second"] * rl / 1024 / 1024)
assert record["config"]["scale"] == {"num": 1, "den": 64}
for o in outs:
    assert list(o) == ["host_memory_GB", "host_cpu_count",
        "host_processor_name", "potential_caching", "host_cpuinfo",
        "host_meminfo", "1", "2", "3", "hostname"], list(o)
    ep = o["2"]
    assert list(ep) == ["load", "proc", "throughput", "au", "compute",
                        "host_meminfo", "end"], list(ep)
    for key in ("load", "proc", "compute"):
        assert list(ep[key]) == ["block1"] and len(ep[key]["block1"]) == 4
    for l, p, c in zip(*(ep[k]["block1"] for k in ("load", "proc", "compute"))):
        assert 0 <= l < 10 and c >= 0.0025 and abs(p - l - c) < 1e-3, (l, p, c)
    assert re.match(STAMP, ep["end"]) and ep["host_meminfo"]["MemTotal"]
for r in (0, 1):
    st = load(f"{r}_per_epoch_stats.json")
    assert list(st) == ["1", "2", "3"]
    for ep in st.values():
        assert list(ep) == ["start", "block1", "end", "duration"]
        assert list(ep["block1"]) == ["start", "end", "duration"]
        assert re.match(r"\d+\.\d\d$", ep["duration"])
        assert re.match(r"\d+\.\d\d$", ep["block1"]["duration"])
        assert ep["start"] <= ep["block1"]["start"] < ep["block1"]["end"] <= ep["end"]
END
[ -z "$(find results -name '*.partial' -o -name '*.tmp')" ] || fail "left-overs"
# a place that is taken is found before the run and not written into
touch blocked
expect 4 stoker training run --quiet --drive null --results-dir blocked \
	-p dataset.num_files_train=70
said "before the first run: cannot create folder blocked"
[ ! -s blocked ] || fail "blocked was written"
