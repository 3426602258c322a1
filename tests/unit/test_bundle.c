/*
 * A tree without fault, and from it one with a fault for every rule: exactly
 * that rule's finding, in both severities.
 */
#include "results/bundle.h"

#include "core/file.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_bundle.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RM(name)                                                               \
	{                                                                      \
		"rm", name, NULL, NULL                                         \
	}
#define PUT(name, text)                                                        \
	{                                                                      \
		"put", name, text, NULL                                        \
	}
#define SUB(name, from, to)                                                    \
	{                                                                      \
		"sub", name, from, to                                          \
	}
#define MV(from, to)                                                           \
	{                                                                      \
		"mv", from, to, NULL                                           \
	}
#define MKDIR(name)                                                            \
	{                                                                      \
		"mkdir", name, NULL, NULL                                      \
	}
#define LINK(name, to)                                                         \
	{                                                                      \
		"link", name, to, NULL                                         \
	}
#define TMETA "training_20261101_100000_metadata.json"
#define CMETA "checkpointing_20261101_130600_metadata.json"
#define VMETA "vector_database_20261101_132210_metadata.json"
#define KMETA "kv_cache_20261101_140410_metadata.json"
#define LEAF0 "  - {leaf: results/emu-1/training/unet3d/run/20261101_101000}\n"

#define DF "Filesystem 1K-blocks Used Available Use% Mounted on\n"

/* The copy of a manifest in a run that declares it. */
#define DECLARED SUB(UB_RUN2 TMETA, "\"args\"",                               \
	"\"datagen_manifest_file\": \"datagen-manifest.json\", \"args\"")
#define GENERATED "/x/training/unet3d/datagen/20261101_100500"
#define SNAPSHOT(waived, from, files)                                          \
	DECLARED, PUT(UB_RUN2 "datagen-manifest.json",                         \
		"{\"schema\": \"mlps-datagen-manifest-snapshot/1\", "          \
		"\"overridden\": [" waived "], \"manifest\": "                 \
		"{\"num_files_train\": " files ", "                            \
		"\"source_datagen_result_dir\": \"" from "\"}}")

/* One rank that loaded in so many seconds. */
#define LOADS(seconds)                                                         \
	SUB(UB_LOAD "summary.json", "\"num_accelerators\": 8",                 \
		"\"num_accelerators\": 1"),                                    \
	PUT(UB_LOAD "0_per_epoch_stats.json",                                  \
		"{\"1\": {\"load_ckpt1\": {\"duration\": " seconds "}}}")
#define FAST                                                                   \
	SUB(UB_LOAD "summary.json", "per_second\": 3.0", "per_second\": 13.7")

/* llama3-8b as it is shipped, but for its layers. */
#define YAML(layers)                                                           \
	"\"yaml_params\": {\"framework\": \"pytorch\", \"workflow\": "         \
	"{\"generate_data\": false, \"train\": \"False\", "                    \
	"\"checkpoint\": true}, \"model\": {\"name\": \"llama_8b\", "          \
	"\"type\": \"transformer\", \"model_datatype\": \"fp16\", "            \
	"\"optimizer_datatype\": \"fp32\", \"num_layers\": " layers ", "     \
	"\"parallelism\": {\"tensor\": 1, \"pipeline\": 1, "                   \
	"\"zero_stage\": 3}, \"transformer\": {\"vocab_size\": 128256, "       \
	"\"hidden_size\": 4096, \"ffn_hidden_size\": 14336, "                  \
	"\"num_attention_heads\": 32, \"num_kv_heads\": 8}}, "                 \
	"\"checkpoint\": {\"checkpoint_folder\": \"/d\", "                     \
	"\"time_between_checkpoints\": 5, \"num_checkpoints_write\": 10, "     \
	"\"num_checkpoints_read\": 10, \"fsync\": true}}"

/* What FAILs are expected: "ID ..." sorted; E/W/I behind it is the level. */
struct defect {
	const char *head, *v30;
	struct ub_edit edits[6];
	bool strict;
};

/* clang-format off */
static const struct defect defects[] = {
	/* the base itself, and what is not judged */
	{"", "", {PUT("README.md", "x"), MKDIR(".git")}, false},
	{"", "", {PUT("base", "x")}, true},
	{"", "", {SUB(UB_RUN0 TMETA, "reader.read_threads", "train.epochs")}, false},
	/* 3.1 tree */
	{"2.1.1:E", "2.1.1:E", {MV("closed/EmuOrg", "closed/Emu Org")}, false},
	{"2.1.2:E", "2.1.2:E", {MKDIR("whatif")}, false},
	{"2.1.5:E", "2.1.5:E", {MKDIR(UB_ORG "logs")}, false},
	{"2.1.5:E CHECK-04:E", "2.1.5:E CHECK-04:E", {MKDIR(UB_ORG "code")}, false},
	{"2.1.7:E", "2.1.7:E", {PUT(UB_ORG "systems/notes.txt", "x")}, false},
	{"2.1.7:E", "2.1.7:E", {MKDIR(UB_ORG "systems/old")}, false},
	{"2.1.7:E 2.1.8:E", "2.1.7:E 2.1.8:E", {RM(UB_ORG "systems/emu-1.pdf")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "    availability: RDI\n", "")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "tib: 6.9", "tib: 0.9")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "value: \"60\"", "value: 60")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "  deployment:", "  color: red\n  deployment:")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "total_rack_units: 0", "total_rack_units: 1")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "min_psus_active: 1", "min_psus_active: 2")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "client_footprint: open_source", "client_footprint: n/a")}, false},
	{"", "", {SUB(UB_YAML, "vendor_name: v", "vendor_name: v\n          color: red")}, false},
	{"2.1.8:E", "2.1.8:E", {SUB(UB_YAML, "submission_name: emu-1", "submission_name: emu-2")}, false},
	{"2.1.9:E", "2.1.9:E", {SUB(UB_RUN0 "summary.json", "[31.3]", "[28.7]")}, false},
	{"", "", {SUB(UB_RUN0 "summary.json", "[31.3]", "[29.1]")}, false},
	{"", "", {SUB(UB_RUN0 "summary.json", "[31.3]", "[35.9]")}, false},
	{"2.1.9:E", "2.1.9:E", {SUB(UB_RUN0 "summary.json", "[31.3]", "[36.0]")}, false},
	{"2.1.10:E", "2.1.10:E", {MKDIR(UB_SYS "inference")}, false},
	/* what is not known is looked at all the same */
	{"2.1.11:E 2.1.12:E 2.1.12:W 2.1.16:E 2.1.17:E 3.3.1:E", "2.1.11:E 2.1.12:E 2.1.12:W 2.1.16:E 2.1.17:E 3.3.1:W",
		{MKDIR(UB_SYS "training/bert")}, false},
	{"2.1.12:E", "2.1.12:E", {MKDIR(UB_TRAINING "logs")}, false},
	{"2.1.13:E PROV-02:E", "2.1.13:E", {MV(UB_GEN, UB_TRAINING "datagen/20261101-100500")}, false},
	/* the form of a stamp counts (eight digits, '_', six), not the day */
	{"PROV-02:E", "", {MV(UB_GEN, UB_TRAINING "datagen/20261131_100500")}, false},
	{"B-02:W 2.1.21:E", "B-02:W 2.1.21:E", {MKDIR(UB_SYS "checkpointing/llama3-9b")}, false},
	{"4.7.3:E", "4.7.3:E", {SUB(UB_YAML, "remap_time_in_seconds: 0", "remap_time_in_seconds: 5")}, false},
	/* declared and reached: 10 s >= half of 20 */
	{"4.7.4:W", "4.7.4:W", {SUB(UB_YAML, "simultaneous_read: true", "simultaneous_read: false"),
		SUB(UB_YAML, "remap_time_in_seconds: 0", "remap_time_in_seconds: 20")}, false},
	{"4.7.3:E 4.7.4:W", "4.7.3:E 4.7.4:W", {SUB(UB_YAML, "simultaneous_read: true", "simultaneous_read: false"),
		SUB(UB_YAML, "remap_time_in_seconds: 0", "remap_time_in_seconds: 21")}, false},
	{"CHECK-01:E", "CHECK-01:E", {SUB(UB_KV ".mlps-code-image", "v2:f", "v2:F")}, false},
	{"CHECK-02:E", "CHECK-02:E", {PUT(UB_IMAGE "build.txt", "6")}, false},
	{"", "", {PUT(UB_IMAGE "build/x", "6"), PUT(UB_IMAGE "a/y.pyc", "6"), LINK(UB_IMAGE "l", "B")}, false},
	{"CHECK-02:E", "CHECK-02:E", {SUB(UB_IMAGE ".code-hash.json", "tree-v2", "tree-v1")}, false},
	{"CHECK-02:E", "CHECK-02:E", {SUB(UB_IMAGE ".code-hash.json", "null", "\"main\"")}, false},
	/* every code-*; without a hash nobody can tell who points at it */
	{"CHECK-02:E", "CHECK-02:E", {MKDIR("code-images/code-00000000")}, false},
	{"CHECK-02:E", "CHECK-02:E", {MKDIR("code-images/code-old")}, false},
	{"CHECK-02:E", "CHECK-02:E", {PUT("code-images/code-0/.code-hash.json", "{\"hash\": \"d41d8cd98f00b204e9800998ecf8427\"}")}, false},
	/* images without a mark are not looked at, and no pool */
	{"CHECK-01:E CHECK-04:E", "CHECK-01:E CHECK-04:E", {RM("code-images/.mlps-image-pool")}, false},
	{"CHECK-01:E CHECK-04:E", "CHECK-01:E CHECK-04:E", {RM("code-images/.mlps-image-pool"), PUT(UB_IMAGE "more", "6")}, false},
	/* every folder with the form of a stamp is a leaf, wherever it lies, but for below another */
	{"", "", {MKDIR(UB_RUN0 "logs/20261101_000000")}, false},
	{"2.1.10:E CHECK-01:E", "2.1.10:E CHECK-01:E", {MKDIR(UB_SYS "x/20261101_000000")}, false},
	{"B-02:W CHECK-01:E PROV-02:E", "B-02:W CHECK-01:E", {MKDIR(UB_SYS "kv_cache/llama3.1-8b/datagen/20261101_000000")}, false},
	{"B-02:W", "B-02:W", {MKDIR(UB_SYS "kv_cache/llama3.1-8b/run/extra")}, false},
	{"PROV-01:E", "", {SUB(UB_KV "provenance.json", "fa5c916a", "fa5c916b")}, false},
	{"PROV-01:E", "", {SUB(UB_KV "provenance.json", "\"keys\": []", "\"keys\": null")}, false},
	{"PROV-01:E", "", {SUB(UB_KV "provenance.json", "\"notes\"", "\"note\"")}, false},
	{"PROV-01:E", "", {SUB(UB_KV "provenance.json", "\"n/a\"", "\"guess\"")}, false},
	{"PROV-02:E", "", {SUB(UB_MANIFEST, LEAF0, "")}, false},
	{"", "", {SUB(UB_MANIFEST, LEAF0, LEAF0 LEAF0)}, false},
	{"PROV-02:E", "", {SUB(UB_MANIFEST, "mlps-submission-manifest/1", "mlps-submission-manifest/2"), SUB(UB_MANIFEST, "\"3.0\"", "\"2.0\"")}, false},
	{"PROV-01:E", "", {SUB(UB_RUN3 "provenance.json", "mlps-run-provenance/1", "mlps-run-provenance/2"),
		SUB(UB_RUN3 "provenance.json", "0d3ad0dec188becd", "0d3ad0dec188bece")}, false},
	{"PROV-02:E", "", {SUB(UB_RUN3 "provenance.json", "\"rules_edition\": \"3.0\"", "\"rules_edition\": \"unknown\"")}, false},
	{"EDN-01:E PROV-02:E", "", {SUB(UB_RUN3 "provenance.json", "\"rules_edition\": \"3.0\"", "\"rules_edition\": \"3.1\""),
		SUB(UB_RUN3 "provenance.json", "0d3ad0dec188becd", "0d3ad0dec188bece")}, false},
	{"PROV-02:E", "", {SUB(UB_MANIFEST, "\"3.0\"", "unknown")}, false},
	{"EDN-04:E PROV-02:E", "", {SUB(UB_MANIFEST, "\"3.0\"", "\"2.0\"")}, false},
	/* what is not known is judged by the current edition */
	{"EDN-01:E PROV-02:E", "", {SUB(UB_MANIFEST, "\"3.0\"", "\"3.1\"")}, false},
	{"3.3.2:E EDN-01:E PROV-02:E", "3.3.2:E", {SUB(UB_MANIFEST, "\"3.0\"", "\"3.1\""), SUB(UB_RUN0 "summary.json", "success", "fail")}, false},
	{"EDN-02:E", "", {SUB(UB_RUN3 "provenance.json", "0d3ad0dec188becd", "0d3ad0dec188bece")}, false},
	{"", "", {SUB(UB_RUN3 "provenance.json", "0d3ad0dec188becd", "f636f5a57473fca2")}, false},
	{"EDN-03:W", "", {SUB(UB_RUN3 "provenance.json", "\"commit\": \"unknown\"", "\"commit\": \"0123456789\"")}, false},
	{"", "", {SUB(UB_RUN3 "provenance.json", "\"commit\": \"unknown\"", "\"commit\": \"17d982a3\"")}, false},
	{"B-02:W LEAF-01:E", "B-02:W", {PUT(UB_KV "kv_cache_2_metadata.json", "{}")}, false},
	{"RPT-01:E", "", {PUT(UB_CKPT "results.json", "{}")}, false},
	{"RPT-01:E", "", {PUT(UB_CKPT "results.json", "[{\"Public ID\": \"v3.0-0007\"}]")}, false},
	{"RPT-01:E", "", {PUT(UB_CKPT "results.json", "[{\"Public ID\": \"any\"}]")}, false},
	{"RPT-01:E", "", {PUT(UB_SYS "kv_cache/results.json", "{}")}, false},
	{"", "", {PUT(UB_SYS "kv_cache/.old/results.json", "{}")}, false},
	{"", "", {RM(UB_ORG "results/results.json"), PUT(UB_CKPT "results.json", "{}")}, false},
	/* pools, divisions */
	{"", "", {MV("code-images", "EmuOrg")}, false},
	{"CHECK-01:E CHECK-03:E", "CHECK-01:E CHECK-03:E", {MV("code-images", "OtherOrg")}, false},
	{"2.1.2:E CHECK-01:E", "2.1.2:E CHECK-01:E", {MV("code-images", "images"), RM("images/.mlps-image-pool")}, false},
	{"", "", {MV("closed", "open")}, false},
	{"EDN-02:I", "", {SUB(UB_RUN3 "provenance.json", "0d3ad0dec188becd", "0d3ad0dec188bece"), MV("closed", "open")}, false},
	{"5.6.5:W", "5.6.5:W", {SUB(UB_VRUN "summary.json", "milvus", "pgvector"), MV("closed", "open")}, false},
	/* between the parts of a description */
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "storage_location: local", "storage_location: remote")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "deployment: onprem", "deployment: cloud")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "        rack_units: 1\n", "")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "inlet_voltage: 230", "inlet_voltage: 0")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "      operating_system", "      networking: [{unit_count: 1, type: ethernet, state: up}]\n      operating_system")}, false},
	{"", "", {SUB(UB_YAML, "      operating_system", "      networking: [{unit_count: 1, type: ethernet, state: down}]\n      operating_system")}, false},
	/* counts are whole and at least 1, texts are not empty; 3, "3" and true are numbers */
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "{unit_count: 1, inlet", "{unit_count: 0, inlet"), SUB(UB_YAML, "min_psus_active: 1", "min_psus_active: 0")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "inlet_voltage: 230", "inlet_voltage: 230.5")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "- unit_count: 1", "- unit_count: 0")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "vendor_name: v", "vendor_name: \"\"")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "capacity_in_GB: 7680", "capacity_in_GB: 0")}, false},
	{"", "", {SUB(UB_YAML, "capacity_in_GB: 7680", "capacity_in_GB: \"7680\""), SUB(UB_YAML, "simultaneous_read: true", "simultaneous_read: \"yes\"")}, false},
	{"4.7.3:E", "4.7.3:E", {SUB(UB_YAML, "remap_time_in_seconds: 0", "remap_time_in_seconds: soon")}, false},
	{"4.7.4:E", "4.7.4:E", {SUB(UB_YAML, "multi_host: false", "multi_host: maybe")}, false},
	{"2.1.7:E", "2.1.7:E", {SUB(UB_YAML, "multi_host: false", "multi_host: false, color: red")}, false},
	/* clients without a quantity are none; without clients nothing is compared */
	{"2.1.7:E 2.1.9:E", "2.1.7:E 2.1.9:E", {SUB(UB_YAML, "      quantity: 1\n", "")}, false},
	{"2.1.7:E", "2.1.7:E", {PUT(UB_YAML, "a: [")}, false},
	{"PROV-02:E", "", {PUT(UB_MANIFEST, "a: [")}, false},
	{"CHECK-02:E", "CHECK-02:E", {PUT(UB_IMAGE ".code-hash.json", "{")}, false},
	{"5.3.5:E", "5.3.5:W", {PUT(UB_VRUN "result_verdict.json", "{")}, false},
	/* without fs_separation.json a listing of df in the log counts */
	{"", "", {RM(UB_RUN2 "fs_separation.json"), PUT(UB_RUN2 "training_run.stdout.log",
		DF "/dev/a 9 9 9 9% /\n/dev/b 9 9 9 9% /d\n")}, false},
	{"3.4.2:E", "3.4.2:W", {RM(UB_RUN2 "fs_separation.json"), PUT(UB_RUN2 "training_run.stdout.log",
		DF "/dev/a 9 9 9 9% /\n/dev/b 9 9 9 9% /data\n")}, false},
	{"3.4.2:W", "3.4.2:W", {RM(UB_RUN2 "fs_separation.json"), PUT(UB_RUN2 "training_run.stdout.log",
		DF "/dev/a 9 9 9 9% /x\n")}, false},
	/* 3.2 training */
	{"2.1.14:E", "2.1.14:E", {RM(UB_GEN "training_datagen.stderr.log")}, false},
	{"2.1.15:E", "2.1.15:E", {PUT(UB_GEN "dlio_config/more.yaml", "x")}, false},
	{"2.1.16:E", "2.1.16:E", {RM(UB_TRAINING "run/results.json")}, false},
	{"2.1.17:E PROV-02:E", "2.1.17:E", {RM(UB_RUN5)}, false},
	{"2.1.19:E", "2.1.19:E", {RM(UB_RUN2 "0_output.json")}, false},
	{"2.1.20:E", "2.1.20:E", {RM(UB_RUN2 "dlio_config/hydra.yaml")}, false},
	{"3.1.1:E", "3.1.1:E", {SUB(UB_RUN1 TMETA, "\"dataset\": {", "\"dataset\": {}, \"other\": {")}, false},
	/* 7 x 4 x 500 = 14000; one less passed while the round was open */
	{"3.1.2:E", "", {SUB(UB_RUN1 TMETA, "14000", "13999")}, false},
	{"3.1.2:E", "3.1.2:E", {SUB(UB_RUN1 TMETA, "14000", "13998")}, false},
	{"3.2.1:E 3.3.1:E", "3.2.1:E 3.3.1:W", {SUB(UB_GEN TMETA, "14000", "13999")}, false},
	{"3.3.1:E", "3.3.1:W", {SUB(UB_SIZE TMETA, "14000", "14001")}, false},
	{"3.3.1:W", "3.3.1:W", {SUB(UB_RUN4 "summary.json", "\"num_files_eval\": 0, ", "")}, false},
	{"3.3.1:E", "3.3.1:W", {SUB(UB_SIZE TMETA, "total_disk_bytes", "bytes")}, false},
	/* a run that says which manifest it read */
	{"", "", {SNAPSHOT("", GENERATED, "14000")}, false},
	{"3.3.1:E", "", {DECLARED}, false}, /* MANIFEST-MISSING */
	{"3.3.1:E", "", {DECLARED, PUT(UB_RUN2 "datagen-manifest.json", "{\"schema\": \"other\"}")}, false},
	{"3.3.1:E", "", {SNAPSHOT("\"MANIFEST-003\"", GENERATED, "14000")}, false}, /* -OVERRIDDEN */
	{"3.3.1:E", "", {SNAPSHOT("", "/r/datagen/20260101_000000", "14000")}, false}, /* -LINK */
	{"3.3.1:E", "", {SNAPSHOT("", GENERATED, "14001")}, false}, /* -COUNT */
	{"3.3.1:E", "", {SNAPSHOT("", GENERATED, "13999")}, false}, /* -COUNT, -OVERRUN */
	{"3.3.1:W", "", {SUB(UB_RUN2 TMETA, "\"args\"", "\"provenance_file\": \"provenance.json\", \"args\"")}, false}, /* -ABSENT */
	{"3.3.2:E", "3.3.2:E", {SUB(UB_RUN0 "summary.json", "success", "fail")}, false},
	{"3.3.2:E", "", {SUB(UB_RUN5 "summary.json", "95.0", "89.99")}, false},
	{"", "", {SUB(UB_RUN5 "summary.json", "95.0", "90.0")}, false},
	{"3.3.3:W", "3.3.3:W", {SUB(UB_RUN2 "summary.json", "\"num_accelerators\": 4", "\"num_accelerators\": 3")}, false},
	{"3.3.4:E", "3.3.4:E", {SUB(UB_RUN2 TMETA, "[\"h1\"]", "[\"h1\", \"h2\"]")}, false},
	{"3.3.4:E", "3.3.4:E", {SUB(UB_RUN2 TMETA, "[\"h1\"]", "null")}, false},
	{"", "", {SUB(UB_RUN2 TMETA, "\"hosts\"", "\"host\"")}, false},
	{"2.1.18:E", "2.1.18:E", {SUB(UB_RUN2 "summary.json", "\"end\"", "\"fin\"")}, false},
	/* a name counts that holds what it should, whatever follows */
	{"", "", {MV(UB_RUN2 "0_output.json", UB_RUN2 "0_output.json.gz")}, false},
	{"2.1.14:E", "2.1.14:E", {MV(UB_GEN "dlio.log", UB_GEN "dlio.log.gz")}, false},
	{"", "", {MV(UB_RUN2 TMETA, UB_RUN2 "metadata.txt")}, false},
	/* the record counts, not what it leaves out; unreadable, a listing does */
	{"", "", {PUT(UB_RUN2 "fs_separation.json", "{}")}, false},
	{"3.4.2:E", "3.4.2:W", {PUT(UB_RUN2 "fs_separation.json", "{\"same_filesystem\": \"yes\"}")}, false},
	{"2.1.9:E 3.3.6:E", "2.1.9:E 3.3.6:E", {SUB(UB_RUN2 "summary.json", "\"num_hosts\": 1", "\"num_hosts\": 3")}, false},
	{"3.3.7:W", "3.3.7:W", {SUB(UB_RUN2 TMETA, "\"args\"", "\"cluster_information\": {\"hosts\": ["
		"{\"cpu\": {\"num_cores\": 8}}, {\"cpu\": {\"num_cores\": 13}}]}, \"args\"")}, false},
	{"3.4.1:E", "3.4.1:E", {SUB(UB_RUN2 TMETA, "\"/r\"", "\"/d\"")}, false},
	{"3.4.2:E", "3.4.2:W", {SUB(UB_RUN2 "fs_separation.json", "false", "true")}, false},
	{"3.4.2:E", "3.4.2:W", {RM(UB_RUN2 "fs_separation.json")}, false},
	{"3.6.2:E", "3.6.2:E", {SUB(UB_RUN2 TMETA, "reader.read_threads", "train.epochs"),
		SUB(UB_RUN2 TMETA, "CLOSED", "closed")}, false},
	{"3.6.3:E", "3.6.3:E", {SUB(UB_RUN2 TMETA, "reader.read_threads", "train.epochs"),
		SUB(UB_RUN2 TMETA, "CLOSED", "open")}, false},
	/* 3.3 checkpointing */
	{"2.1.22:E", "2.1.22:E", {RM(UB_CKPT "results.json")}, false},
	{"2.1.25:E", "2.1.25:E", {RM(UB_SAVE "dlio.log")}, false},
	{"2.1.26:E", "2.1.26:E", {RM(UB_SAVE "dlio_config/hydra.yaml")}, false},
	/* 400 s is as long as the longer phase: too long; 4.7.1 has 30 s */
	{"2.1.24:E 4.7.1:E", "2.1.24:W 4.7.1:W", {SUB(UB_SAVE CMETA, "13:06:00", "12:59:30"), SUB(UB_SAVE CMETA, "13:12:40", "13:06:10")}, false},
	{"4.7.1:E", "4.7.1:W", {SUB(UB_SAVE CMETA, "13:06:00", "12:59:31"), SUB(UB_SAVE CMETA, "13:12:40", "13:06:11")}, false},
	{"4.7.1:E", "4.7.1:W", {SUB(UB_SAVE CMETA, "13:12:40", "13:12:19")}, false},
	{"", "", {SUB(UB_SAVE CMETA, "13:12:40", "13:12:20")}, false},
	{"4.7.1:W", "4.7.1:W", {SUB(UB_SAVE CMETA, "13:12:40", "13:12:55")}, false},
	{"4.7.1:E", "4.7.1:E", {SUB(UB_SAVE CMETA, "\"num_checkpoints_write\": 10", "\"num_checkpoints_write\": 9"),
		SUB(UB_SAVE CMETA, "CLOSED", "closed"), SUB(UB_LOAD CMETA, "CLOSED", "closed")}, false},
	{"4.3.1:W", "4.3.1:W", {SUB(UB_SAVE "summary.json", "[31.3]", "[34.95]")}, false},
	{"4.3.2:E", "4.3.2:E", {SUB(UB_SAVE CMETA, "\"fsync\": true", "\"fsync\": false")}, false},
	{"4.3.3:E", "4.3.3:E", {SUB(UB_SAVE CMETA, "\"args\": {\"model\": \"llama3-8b\"", "\"args\": {\"model\": \"gpt\"")}, false},
	{"4.3.4:E", "", {SUB(UB_SAVE CMETA, "\"b200\"", "null")}, false},
	/* 8 x 180 GiB hold 1440, 8 x 80 hold 640 */
	{"4.3.4:E", "4.3.4:W", {SUB(UB_SAVE "summary.json", "104.7", "1440.1")}, false},
	{"", "4.3.4:W", {SUB(UB_SAVE "summary.json", "104.7", "640.1")}, false},
	{"4.3.5:E", "4.3.5:E", {SUB(UB_SAVE CMETA, "\"args\": {", "\"args\": {\"checkpoint_subset\": true, "),
		SUB(UB_SAVE "summary.json", "\"num_accelerators\": 8", "\"num_accelerators\": 7")}, false},
	{"4.4.1:E", "4.4.1:E", {SUB(UB_SAVE CMETA, "\"/r\"", "\"/d/c\"")}, false},
	{"4.4.2:E", "4.4.2:W", {SUB(UB_SAVE "fs_separation.json", "false", "true")}, false},
	{"4.6.1:E", "4.6.1:E", {SUB(UB_SAVE CMETA, "\"num_processes\": 8", "\"num_processes\": 7")}, false},
	{"4.6.2:E", "4.6.2:E", {SUB(UB_SAVE CMETA, "CLOSED", "closed"),
		SUB(UB_SAVE "summary.json", "\"num_accelerators\": 8", "\"num_accelerators\": 4")}, false},
	{"4.6.3:E", "4.6.3:E", {SUB(UB_SAVE CMETA, "CLOSED", "closed"), SUB(UB_SAVE CMETA, "\"args\"", YAML("80") ", \"args\"")}, false},
	{"", "", {SUB(UB_SAVE CMETA, "CLOSED", "closed"), SUB(UB_SAVE CMETA, "\"args\"", YAML("\"32\"") ", \"args\"")}, false},
	{"", "", {SUB(UB_SAVE CMETA, "\"args\"", YAML("80") ", \"args\"")}, false},
	{"4.6.4:E", "4.6.4:E", {SUB(UB_SAVE CMETA, "CLOSED", "open"), SUB(UB_SAVE CMETA, "\"num_processes\": 8", "\"num_processes\": 0")}, false},
	/* without its summary a phase is in no rule but those of pairs */
	{"2.1.25:E B-02:W 4.7.2:E", "2.1.25:E B-02:W 4.7.2:E", {RM(UB_SAVE "summary.json"), SUB(UB_SAVE CMETA, "\"fsync\": true", "\"fsync\": false")}, false},
	{"4.7.2:E", "4.7.2:E", {SUB(UB_SAVE "summary.json", "\"end\"", "\"fin\"")}, false},
	/* 3.4 vector search */
	{"5.1.1:E", "5.1.1:E", {SUB(UB_VRUN "summary.json", "\"num_vectors\": 1000000, ", "")}, false},
	{"5.1.2:E", "5.1.2:E", {SUB(UB_VRUN "summary.json", "1536", "768")}, false},
	{"5.2.1:E", "5.2.1:E", {SUB(UB_VGEN "summary.json", "\"inserted_vectors\": 1000000", "\"inserted_vectors\": 999999")}, false},
	{"5.2.2:E 5.6.3:E", "5.2.2:E 5.6.3:E", {SUB(UB_VRUN "summary.json", "DISKANN", "HNSW")}, false},
	{"5.3.1:E PROV-02:E", "5.3.1:E", {RM(UB_VRUN)}, false},
	{"5.3.2:E", "5.3.2:E", {SUB(UB_VRUN "summary.json", "\"max_recall\": 1.0", "\"max_recall\": 0.0")}, false},
	{"", "", {SUB(UB_VRUN "summary.json", "\"mean_recall\": 0.95", "\"mean_recall\": 0.0")}, false},
	{"5.1.1:E", "5.1.1:E", {SUB(UB_VRUN "summary.json", "\"dimension\"", "\"dim\"")}, false},
	{"5.2.2:E", "5.2.2:E", {SUB(UB_VGEN "summary.json", "\"index_type\"", "\"index\"")}, false},
	{"5.6.3:E", "5.6.3:E", {SUB(UB_VRUN "summary.json", "\"index_type\"", "\"index\"")}, false},
	{"5.1.1:W 5.1.2:W 5.2.1:W 5.2.2:W 5.3.2:W 5.3.3:W 5.3.4:W 5.3.5:W 5.4.1:W 5.4.2:W 5.6.2:W 5.6.3:E 5.6.4:W",
		"5.1.1:W 5.1.2:W 5.2.1:W 5.2.2:W 5.3.2:W 5.3.3:W 5.3.4:W 5.3.5:W 5.4.1:W 5.4.2:W 5.6.2:W 5.6.3:E 5.6.4:W", {MKDIR(UB_SYS "vector_database/milvus/FLAT")}, false},
	{"5.3.2:E", "5.3.2:E", {SUB(UB_VRUN "summary.json", "\"recall\"", "\"found\"")}, false},
	{"5.3.2:E", "5.3.2:E", {SUB(UB_VRUN "summary.json", "\"recall\"", "\"found\""), PUT(UB_VRUN "recall_stats.json", "{\"recall_at_k\": 0}")}, false},
	{"", "", {SUB(UB_VRUN "summary.json", "\"recall\"", "\"found\""), PUT(UB_VRUN "recall_stats.json", "{\"recall_at_k\": 0.9}")}, false},
	/* a recall that is there, but no figure, is not judged */
	{"", "", {SUB(UB_VRUN "summary.json", "\"recall\"", "\"found\""), PUT(UB_VRUN "recall_stats.json", "{\"recall_at_k\": null}")}, false},
	{"2.1.7:E", "2.1.7:E", {MKDIR(UB_ORG "systems/more")}, false},
	{"", "", {MKDIR(UB_ORG "systems/.git")}, false},
	{"5.3.1:E 5.3.5:E B-02:W", "5.3.1:E 5.3.5:W B-02:W", {MKDIR(UB_VDB "run/more")}, false},
	{"5.3.5:E B-02:W", "5.3.5:W B-02:W", {MKDIR(UB_VDB "run/.more")}, false},
	{"2.1.24:E", "2.1.24:E", {SUB(UB_SAVE CMETA, "2026-11-01T13:06:00", "1 November")}, false},
	{"5.3.3:E", "5.3.3:E", {SUB(UB_VRUN "summary.json", "\"total_time_seconds\": 300.0, ", "")}, false},
	{"5.3.4:E", "5.3.4:E", {SUB(UB_VRUN "summary.json", "\"p999_latency_ms\": 4, ", "")}, false},
	{"5.3.5:E", "5.3.5:E", {SUB(UB_VRUN "result_verdict.json", "1.0", "0.999")}, false},
	{"5.3.5:E", "5.3.5:W", {RM(UB_VRUN "result_verdict.json")}, false},
	{"5.3.5:W", "5.3.5:W", {SUB(UB_VRUN "result_verdict.json", "flat_setup", "flat")}, false},
	{"5.4.1:E", "5.4.1:W", {SUB(UB_VRUN VMETA, "\"/r\"", "\"/d/v\"")}, false},
	{"5.4.2:E", "5.4.2:W", {RM(UB_VRUN "fs_separation.json")}, false},
	{"5.6.2:E", "5.6.2:E", {SUB(UB_VRUN "summary.json", "milvus", "pgvector")}, false},
	{"5.6.4:E", "5.6.4:E", {SUB(UB_VRUN VMETA, "\"override_parameters\": {}", "\"override_parameters\": {\"database.host\": \"x\"}")}, false},
	{"B-02:W", "B-02:W", {RM(UB_VRUN "summary.json")}, false},
	{"B-02:W", "B-02:W", {RM(UB_VGEN "summary.json")}, false},
	{"B-02:W", "B-02:W", {RM(UB_KV "summary.json")}, false},
	/* no folder run: warnings, one a rule; an empty one is a count of 0 */
	{"5.1.1:W 5.3.2:W 5.3.3:W 5.3.4:W 5.3.5:W 5.4.1:W 5.4.2:W 5.6.2:W 5.6.3:W 5.6.4:W PROV-02:E",
		"5.1.1:W 5.3.2:W 5.3.3:W 5.3.4:W 5.3.5:W 5.4.1:W 5.4.2:W 5.6.2:W 5.6.3:W 5.6.4:W",
		{MV(UB_VDB "run", UB_VDB "old")}, false},
	/* files that nobody can read */
	{"B-01:E", "B-01:E", {LINK(UB_KV "loop", "loop")}, false},
	{"CHECK-01:E", "CHECK-01:E", {RM(UB_KV ".mlps-code-image"), LINK(UB_KV ".mlps-code-image", "/dev/zero")}, false},
	/* --strict */
	/* 5800 MiB/s are 6081.7 MB/s; less the 4 of 500 batches that were read
	 * before, 6033.1, which a rating of 5973.3 covers, rounded to 1 % */
	{"", "", {SUB(UB_YAML, "seq_read_MBps: 14500", "seq_read_MBps: 5974")}, true},
	{"R-01:W", "R-01:W", {SUB(UB_YAML, "seq_read_MBps: 14500", "seq_read_MBps: 5973")}, true},
	/* 13.7 GiB/s by rank 0 are 14710 MB/s, but all ranks took 34.9 s; when
	 * one of them tells nothing, nothing can be said */
	{"", "", {FAST}, true},
	{"", "", {FAST, RM(UB_LOAD "3_per_epoch_stats.json")}, true},
	/* 104.7 GiB in 7.6 s are 14792 MB/s, in 7.7 s 14600; 14645 are taken */
	{"R-02:W", "4.3.4:W R-02:W", {FAST, LOADS("7.6")}, true},
	{"", "4.3.4:W", {FAST, LOADS("7.7")}, true},
	/* 4 of 14000 / 28 = 500 steps: 90.7 x (1 - 4 / 500) = 89.97 */
	{"R-03:W", "R-03:W", {SUB(UB_RUN1 "summary.json", "95.0", "90.7")}, true},
	{"", "", {SUB(UB_RUN1 "summary.json", "95.0", "90.8")}, true},
	{"R-04:E", "R-04:E", {PUT(UB_RUN1 "record.json", "{\"runs\": [{\"metrics\": {\"bytes_asked\": 1000, \"bytes_device\": 989}}]}")}, true},
	{"", "", {PUT(UB_RUN1 "record.json", "{\"runs\": [{\"metrics\": {\"bytes_asked\": 1000, \"bytes_device\": 990}}]}")}, true},
	/* mean 37.33, 80 % of it are 29.87 */
	{"R-05:W", "R-05:W", {SUB(UB_RUN1 "summary.json", "[40.0", "[29.0")}, true},
	{"R-06:W", "R-06:W", {PUT(UB_RUN1 "0_output.json", "PRUNED BY STAFF\n")}, true},
	{"R-07:E", "R-07:E", {SUB(UB_VRUN "summary.json", "\"mean_recall\": 0.95", "\"mean_recall\": 0.0")}, true},
	/* the rules of the KV cache, for reviewers */
	{"6.3.1.1:E", "6.3.1.1:E", {SUB(UB_KV "summary.json", "\"num_users\": 200", "\"num_users\": 199")}, true},
	{"6.3.1.1:E", "6.3.1.1:E", {SUB(UB_KV "summary.json", "\"cpu_mem_gb\": 4", "\"cpu_mem_gb\": 32")}, true},
	{"6.3.1.1:E", "6.3.1.1:E", {SUB(UB_KV "summary.json", "70b-instruct", "70b")}, true},
	{"6.3.1.1:E", "6.3.1.1:E", {SUB(UB_KV "summary.json", "\"3\": {", "\"3\": {\"partial_failure\": true, ")}, true},
	/* published summaries do not tell: not evaluated */
	{"", "", {SUB(UB_KV "summary.json", "\"configuration\": {\"model\": \"llama3.1-70b", "\"other\": {\"model\": \"x")}, true},
	{"6.3.2.1:E", "6.3.2.1:E", {SUB(UB_KV KMETA, "42", "43")}, true},
	{"6.3.2.1:E", "6.3.2.1:E", {SUB(UB_KV KMETA, "\"trials\": 3", "\"trials\": 2")}, true},
	{"6.3.2.1:E", "6.3.2.1:E", {SUB(UB_KV KMETA, "90", "20")}, true},
	{"6.3.2.1:E", "6.3.2.1:E", {SUB(UB_KV KMETA, "\"seed\"", "\"workload\": \"mine\", \"seed\"")}, true},
	{"6.3.2.2:E", "6.3.2.2:E", {SUB(UB_KV KMETA, "\"seed\"", "\"enable_autoscaling\": true, \"seed\"")}, true},
	{"6.3.3.3:E", "6.3.3.3:E", {RM(UB_KV "option_2/trial_1/rank_0/kvcache_results_20261101_140410.json")}, true},
	{"6.3.3.3:E", "6.3.3.3:E", {SUB(UB_KV "summary.json", "\"total_ranks\": 1", "\"total_ranks\": 2")}, true},
	{"6.3.4.4:E", "6.3.4.4:E", {SUB(UB_KV "summary.json", "[]", "[0]")}, true},
	{"6.4.1:E", "6.4.1:E", {SUB(UB_KV KMETA, "/d/k", "/r")}, true},
	{"6.4.1:E", "6.4.1:E", {RM(UB_KV "fs_separation.json")}, true},
	{"6.6.1:E", "6.6.1:E", {SUB(UB_KV KMETA, "\"seed\"", "\"enable_rag\": true, \"seed\"")}, true},
	{"", "", {SUB(UB_KV KMETA, "\"seed\"", "\"enable_rag\": false, \"config\": null, \"seed\"")}, true},
	{"", "", {SUB(UB_KV KMETA, "\"seed\"", "\"enable_rag\": true, \"seed\""), MV("closed", "open")}, true},
	{"R-09:E", "R-09:E", {SUB(UB_RUN1 TMETA, "\"args\"", "\"emulated\": true, \"args\""),
		SUB(UB_RUN1 "provenance.json", "\"emulator\"", "\"mlpstorage\"")}, true},
	{"R-10:E", "R-10:E", {SUB(UB_RUN1 TMETA, "reader.read_threads", "train.epochs")}, true},
};
/* clang-format on */

static char dir[UT_PATH_MAX];

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Words in order, each once. */
static void sorted(const char *text, char out[512])
{
	char copy[512], *word[64], *p;
	size_t n = 0, i, len = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (p = strtok(copy, " "); p && n < 64; p = strtok(NULL, " "))
		word[n++] = p;
	qsort(word, n, sizeof(*word), by_text);
	out[0] = '\0';
	for (i = 0; i < n; i++)
		if (!i || strcmp(word[i], word[i - 1]))
			len += (size_t)snprintf(
				out + len, 512 - len, "%s ", word[i]);
}

static void found(const struct bundle_report *r, char out[512])
{
	char text[4096] = "";
	size_t i, len = 0;

	for (i = 0; i < r->count; i++) {
		const struct bundle_finding *f = &r->findings[i];

		CU_ASSERT_TRUE(f->path[0] && f->found[0] && f->required[0]);
		if (f->outcome == RULE_FAIL && len < sizeof(text) - 1)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
				"%s:%c ", f->rule->id,
				f->level == RULE_ERROR	   ? 'E'
				: f->level == RULE_WARNING ? 'W'
							   : 'I');
	}
	sorted(text, out);
}

static void expect(const struct defect *d, bool head, size_t number)
{
	struct bundle_options o = {
		.severity = head ? SEVERITY_HEAD : SEVERITY_V30,
		.strict = d->strict};
	struct bundle_report r;
	char is[512], want[512];
	struct err e;
	size_t i;

	CU_ASSERT_EQUAL_FATAL(bundle_check(dir, &o, &r, &e), 0);
	found(&r, is);
	sorted(head ? d->head : d->v30, want);
	CU_ASSERT_STRING_EQUAL(is, want);
	if (strcmp(is, want)) {
		printf("\n%zu (%s): %s%s: want \"%s\", found \"%s\"\n", number,
			d->edits[0].what, d->edits[0].name,
			head ? " head" : " v30", want, is);
		for (i = 0; i < r.count; i++)
			if (r.findings[i].outcome == RULE_FAIL)
				printf("  %s %s: %s; %s\n",
					r.findings[i].rule->id,
					r.findings[i].path, r.findings[i].found,
					r.findings[i].required);
	}
	bundle_report_fini(&r);
}

static void test_one_defect_one_finding(void)
{
	const struct defect *d;
	size_t i, k;

	ut_dir_make(dir, "/dev/shm");
	for (i = 0; i < sizeof(defects) / sizeof(defects[0]); i++) {
		d = &defects[i];
		ub_make(dir);
		for (k = 0; k < 6 && d->edits[k].what; k++)
			ub_apply(dir, &d->edits[k]);
		expect(d, true, i);
		expect(d, false, i);
	}
	ut_dir_remove(dir);
}

/* Every file, replaced by what no file should be: a finding, and no more. */
static const char *const horrors[] = {"", "\xff\xfe\x00", "[", "[]", "null",
	"{\"a\":",
	("{\"args\": [], \"parameters\": 7, \"metric\": \"x\", "
	 "\"host_memory_GB\": [\"a\", null], \"num_hosts\": -1e999}"),
	"folder", "loop", "pipe", "huge", "none"};

static void replace(const char *path, const char *how)
{
	char target[UT_PATH_MAX];
	FILE *f;
	int r = 0;

	CU_ASSERT_EQUAL_FATAL(unlink(path), 0);
	snprintf(target, sizeof(target), "%s", strrchr(path, '/') + 1);
	if (!strcmp(how, "folder"))
		r = mkdir(path, 0700);
	else if (!strcmp(how, "loop"))
		r = symlink(target, path);
	else if (!strcmp(how, "pipe"))
		r = mkfifo(path, 0600);
	CU_ASSERT_EQUAL_FATAL(r, 0);
	if (!strcmp(how, "folder") || !strcmp(how, "loop") ||
		!strcmp(how, "pipe") || !strcmp(how, "none"))
		return;
	f = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	if (!strcmp(how, "huge"))
		r = ftruncate(fileno(f), 2LL << 30);
	else
		fputs(how, f);
	CU_ASSERT_EQUAL(r, 0);
	fclose(f);
}

static void check_horror(const char *path, const char *how)
{
	struct bundle_options o = {.severity = SEVERITY_HEAD, .strict = true};
	struct bundle_report r;
	struct err e;

	replace(path, how);
	CU_ASSERT_EQUAL(bundle_check(dir, &o, &r, &e), 0);
	/* a log may hold anything, of some files only the name counts; of the
	 * metadata of a generation of vectors nothing but that they are such */
	CU_ASSERT_EQUAL(r.organizations, 1);
	CU_ASSERT_TRUE(r.leaves >= 16);
	CU_ASSERT_TRUE(r.rule_count > 60);
	CU_ASSERT_TRUE(r.errors + r.warnings > 0 ||
		       !(strstr(path, "summary.json") ||
			       strstr(path, "metadata.json")) ||
		       (strstr(path, "/DISKANN/datagen/") && how[0] == '{'));
	bundle_report_fini(&r);
}

static struct names_of {
	char path[256][UT_PATH_MAX];
	size_t n;
} all;

/* Of leaves that are alike one is enough. */
static int collect(
	const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	static const char *const alike[] = {"103920", "110840", "113800",
		"120720", "133610", "134310", "135010", "135710"};
	size_t i;

	(void)st;
	(void)ftw;
	for (i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		if (strstr(path, alike[i]))
			return 0;
	if (type == FTW_F && all.n < 256)
		snprintf(all.path[all.n++], UT_PATH_MAX, "%s", path);
	return 0;
}

static void test_files_that_are_none(void)
{
	char *text;
	struct err e;
	size_t i, k, len;

	ut_dir_make(dir, "/dev/shm");
	ub_make(dir);
	all.n = 0;
	CU_ASSERT_EQUAL(nftw(dir, collect, 16, FTW_PHYS), 0);
	CU_ASSERT_TRUE(all.n > 50);
	for (i = 0; i < all.n; i++) {
		CU_ASSERT_EQUAL_FATAL(
			file_read_all(all.path[i], 1 << 20, &text, &len, &e),
			0);
		/* each file meets four of them, each of them many files */
		for (k = i % 3; k < sizeof(horrors) / sizeof(horrors[0]);
			k += 3) {
			check_horror(all.path[i], horrors[k]);
			CU_ASSERT_EQUAL(file_remove_tree(all.path[i], &e), 0);
			ut_file_write(all.path[i], text, len);
		}
		free(text);
	}
	ut_dir_remove(dir);
}

/* Folders that lead back, or that hold too much. */
static void test_folders_that_are_none(void)
{
	static const struct ub_edit edits[] = {
		LINK(UB_SYS "training/unet3d/run/20261101_150000", "."),
		LINK(UB_SYS "training/retinanet", ".."),
		LINK("closed/loop", "loop"),
		LINK("open", "closed"),
		LINK(UB_IMAGE "up", "../.."),
		PUT("closed/EmuOrg/results/\xff\xfe\n/training/x", "y"),
	};
	struct bundle_options o = {.severity = SEVERITY_HEAD};
	struct bundle_report r;
	struct err e;
	size_t i, k;

	ut_dir_make(dir, "/dev/shm");
	for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		ub_make(dir);
		ub_apply(dir, &edits[i]);
		CU_ASSERT_EQUAL(bundle_check(dir, &o, &r, &e), 0);
		CU_ASSERT_TRUE(r.leaves >= 17);
		for (k = 0; k < r.count; k++)
			CU_ASSERT_PTR_NULL(strchr(r.findings[k].path, '\n'));
		bundle_report_fini(&r);
	}
	ut_dir_remove(dir);
}

/* The published digests of md5-tree-v2. */
static void test_tree_hash(void)
{
	char hash[BUNDLE_HASH_MAX];
	struct err e;

	ut_dir_make(dir, "/dev/shm");
	CU_ASSERT_EQUAL(bundle_tree_hash(NULL, dir, hash, &e), 0);
	CU_ASSERT_STRING_EQUAL(hash, "d41d8cd98f00b204e9800998ecf8427e");
	ub_write(dir, "a/x", "1");
	ub_write(dir, "a-b/x", "2");
	ub_write(dir, "a.txt", "3");
	ub_write(dir, "B", "4");
	CU_ASSERT_EQUAL(bundle_tree_hash(NULL, dir, hash, &e), 0);
	CU_ASSERT_STRING_EQUAL(hash, "fa5c916a04979e25586c74ca5ef5625d");
	ub_write(dir, ".github/w.yml", "5");
	ub_write(dir, "build.txt", "6");
	ub_write(dir, "tests/t.c", "7");
	ub_write(dir, "a/x.egg-info/t.c", "7");
	ub_write(dir, ".code-hash.json", "{}");
	CU_ASSERT_EQUAL(bundle_tree_hash(NULL, dir, hash, &e), 0);
	CU_ASSERT_STRING_EQUAL(hash, "61a038ff6be23a111132f45ece9addc0");
	ut_dir_remove(dir);
}

UT_SUITE(bundle, UT_CASE(test_one_defect_one_finding),
	UT_CASE(test_files_that_are_none), UT_CASE(test_folders_that_are_none),
	UT_CASE(test_tree_hash))
