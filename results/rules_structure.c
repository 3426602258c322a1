/*
 * The rules of a submission's tree: its folders, the description of systems,
 * the pool of code images, stamps and tables; see rules.h. Identifiers and
 * names as in the benchmark's submission checker, edition 3.0; "B-" are
 * stoker's own, for what that checker says in its loader or crashes on.
 */
#include "results/rules.h"

/* clang-format off */
#define E RULE_ERROR
#define W RULE_WARNING
#define OFF RULE_OFF
#define ROW(id, name, reads, passes, remedy, v30, head)                        \
	{id, name, reads, passes, remedy, head, head, PHASE_TREE, 0,           \
		{true, false, v30, head}, 0}

const struct rule rules_structure[] = {
	ROW("B-01", "readableFiles", "every file that a rule reads",
		"a regular file of sane size that parses, in a readable folder",
		"write the file again; the rules that need it are not evaluated",
		E, E),
	ROW("B-02", "leafFilesPresent", "summary.json, *metadata*.json of a leaf",
		"summary.json in every run and datagen of vectors, one metadata "
		"file in every leaf",
		"take the files from the run's results directory",
		W, W),
	ROW("2.1.1", "submitterRootDirectory", "names below closed/ and open/",
		"letters, digits, '.', '_' and '-' only",
		"rename the organization's folder",
		E, E),
	ROW("2.1.2", "topLevelSubdirectories", "folders of the tree's top",
		"only closed, open and pools; at least one of closed and open",
		"move what else is there away",
		E, E),
	ROW("2.1.5", "requiredSubdirectories", "folders of closed/ORG, open/ORG",
		"exactly results and systems",
		"make what is missing, remove the rest (code/ is now a pool)",
		E, E),
	ROW("2.1.7", "systemsDirectoryFiles", "systems/ and SYSTEM.yaml",
		"pairs X.yaml and X.pdf, *.md, no folders; the schema holds",
		"stoker system describe writes a description to fill in",
		E, E),
	ROW("2.1.8", "resultsDirectorySystems", "results/, systems/",
		"each results/X has X.yaml (submission_name X) and X.pdf, and "
		"each X.yaml results/X",
		"give folder, files and submission_name one name",
		E, E),
	ROW("2.1.9", "identicalSystemConfig",
		"SYSTEM.yaml; num_hosts, host_memory_GB of every summary",
		"as many hosts as clients, memory within 10 % of what is said",
		"correct clients[] in SYSTEM.yaml, or run on that system",
		E, E),
	ROW("2.1.10", "workloadCategories", "folders of results/SYSTEM",
		"training, checkpointing, vector_database, kv_cache; at least one",
		"rename or remove the folder",
		E, E),
	ROW("2.1.11", "trainingWorkloads", "folders of training/",
		"unet3d, retinanet",
		"remove what the edition does not know",
		E, E),
	ROW("2.1.12", "trainingPhases", "folders of training/MODEL",
		"exactly datasize, datagen and run",
		"stoker training datasize, datagen, run with --results-dir",
		E, E),
	ROW("2.1.13", "datagenTimestamp", "folders of datagen/",
		"exactly one, named YYYYMMDD_HHMMSS",
		"keep the generation that the runs read",
		E, E),
	ROW("2.1.21", "checkpointingWorkloads", "folders of checkpointing/",
		"llama3-8b, llama3-70b, llama3-405b, llama3-1t",
		"remove what the edition does not know",
		E, E),
	ROW("CHECK-01", "poolPointerResolution", ".mlps-code-image of every leaf",
		"there, \"md5-tree-v2:\" and 32 hex digits, and the image exists",
		"stoker bundle create writes pointers and pool",
		E, E),
	ROW("CHECK-02", "poolImageSelfConsistency", "every image of a pool",
		".code-hash.json holds, the name is code- and its first 8 digits, "
		"the files have that digest",
		"capture the image again from unchanged sources",
		E, E),
	ROW("CHECK-03", "poolOrphanCheck", "images and pointers",
		"every image is pointed at by a leaf",
		"remove the image",
		E, E),
	ROW("CHECK-04", "poolLegacyCheck", "code/ folders, pool sentinels",
		"no code/ in an organization; images lie in marked pools",
		"remove code/; add .mlps-image-pool to the pool",
		E, E),
	ROW("PROV-01", "leafProvenance", "provenance.json",
		"exactly the schema's keys, no null; code_image is the pointer's",
		"write the stamp again",
		OFF, E),
	ROW("PROV-02", "submissionManifest", "submission.yaml",
		"its runs[].leaf are the leaves there; its edition every stamp's",
		"write the manifest again after the last change",
		OFF, E),
	ROW("EDN-01", "rulesEdition", "stamps, manifest",
		"a known edition: 0.5, 1.0, 2.0, 3.0",
		"correct rules_edition",
		OFF, E),
	ROW("EDN-03", "dlioRevision", "dlio.commit of stamped runs",
		"a revision that the edition accepts, or \"unknown\"",
		"stamp what really ran",
		OFF, W),
	ROW("EDN-04", "checkableEdition", "submission.yaml",
		"an edition whose checks are known: 3.0",
		"check it with the tool of that edition",
		OFF, E),
	ROW("LEAF-01", "runLeafMetadata", "kv_cache and vector_database runs",
		"exactly one *_metadata.json",
		"keep one invocation a folder",
		OFF, E),
	ROW("RPT-01", "rollupTableAgreement", "results.json files",
		"lists; Public IDs of the rollup are those of the workloads",
		"write the tables again",
		OFF, E),
};
/* clang-format on */

const size_t rules_structure_count =
	sizeof(rules_structure) / sizeof(rules_structure[0]);
