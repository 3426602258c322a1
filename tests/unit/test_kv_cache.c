/* Tiers, their least recently used entries, the queue and conversations. */
#include "workloads/kv_cache.h"

#include "core/units.h"
#include "tests/unit/ut.h"
#include "workloads/kv_requests.h"

#include <string.h>

#define MIB MIB_BYTES

static void limits(struct kv_cache *c, uint64_t cpu, uint64_t storage)
{
	const uint64_t v[KV_TIERS] = {0, cpu, storage};

	kv_cache_init(c, v);
}

/* Ask until it is not to be moved; what is moved goes to storage at once. */
static int settle(struct kv_cache *c, enum kv_tier t, uint64_t need,
	uint32_t *moved)
{
	struct kv_room r;
	uint32_t victim;
	int step;

	*moved = 0;
	kv_room_begin(&r, t, need);
	while ((step = kv_room_next(&r, c, &victim)) == KV_ROOM_MOVE ||
		step == KV_ROOM_DELETE) {
		++*moved;
		if (step == KV_ROOM_DELETE) {
			kv_cache_drop(c, victim);
			continue;
		}
		c->tiers[KV_STORAGE].used_bytes += c->entries[victim].bytes;
		kv_cache_move(c, victim, KV_STORAGE);
	}
	kv_room_end(&r);
	return step;
}

static uint32_t admit(struct kv_cache *c, enum kv_tier t, uint64_t bytes)
{
	uint32_t moved, id = kv_cache_add(c, 0, 0, 1, bytes);

	CU_ASSERT_EQUAL(settle(c, t, bytes, &moved), KV_ROOM_TAKEN);
	kv_cache_put(c, id, t);
	return id;
}

static void test_limits(void)
{
	struct kv_cache c;
	uint32_t moved;

	/* a limit of 0 refuses; 0.95 of the limit is the largest entry */
	limits(&c, 0, GIB_BYTES);
	CU_ASSERT_EQUAL(settle(&c, KV_CPU, 1, &moved), KV_ROOM_REFUSED);
	limits(&c, 1000, GIB_BYTES);
	CU_ASSERT_EQUAL(settle(&c, KV_CPU, 951, &moved), KV_ROOM_REFUSED);
	/* an empty tier takes what is above the target of 800 */
	CU_ASSERT_EQUAL(settle(&c, KV_CPU, 950, &moved), KV_ROOM_TAKEN);
	CU_ASSERT_EQUAL(c.tiers[KV_CPU].used_bytes, 950);
}

/* 1000 x 0.8 = 800: eight entries of 100 stay, the oldest moves. */
static void test_demotes_oldest(void)
{
	struct kv_cache c;
	uint32_t id[9], moved, i;

	limits(&c, 1000, 10000);
	for (i = 0; i < 8; i++)
		id[i] = admit(&c, KV_CPU, 100);
	kv_cache_touch(&c, id[0]);
	CU_ASSERT_EQUAL(settle(&c, KV_CPU, 200, &moved), KV_ROOM_TAKEN);
	CU_ASSERT_EQUAL(moved, 2);
	CU_ASSERT_EQUAL(c.entries[id[0]].tier, KV_CPU);
	CU_ASSERT_EQUAL(c.entries[id[1]].tier, KV_STORAGE);
	CU_ASSERT_EQUAL(c.entries[id[2]].tier, KV_STORAGE);
	CU_ASSERT_EQUAL(c.tiers[KV_CPU].used_bytes, 800);
	CU_ASSERT_EQUAL(c.tiers[KV_CPU].listed_bytes, 600);
	CU_ASSERT_EQUAL(c.tiers[KV_STORAGE].used_bytes, 200);
	kv_cache_fini(&c);
}

static void test_little_listed(void)
{
	struct kv_cache c;
	uint32_t moved;

	/* 60 listed of 1000, another 500 on their way: 401 > 800 / 2 */
	limits(&c, 1000, 10000);
	admit(&c, KV_CPU, 60);
	c.tiers[KV_CPU].used_bytes += 500;
	CU_ASSERT_EQUAL(settle(&c, KV_CPU, 401, &moved), KV_ROOM_REFUSED);
	CU_ASSERT_EQUAL(moved, 0);
	CU_ASSERT_EQUAL(settle(&c, KV_CPU, 300, &moved), KV_ROOM_TAKEN);
	CU_ASSERT_EQUAL(moved, 1);
	/* now nothing is listed: wait for what is on its way */
	CU_ASSERT_EQUAL(settle(&c, KV_CPU, 100, &moved), KV_ROOM_WAIT);
	c.reference_bugs = true;
	CU_ASSERT_EQUAL(settle(&c, KV_CPU, 100, &moved), KV_ROOM_TAKEN);
	CU_ASSERT_EQUAL(c.tiers[KV_CPU].used_bytes, 100);
	kv_cache_fini(&c);
}

static void test_storage_full(void)
{
	struct kv_cache c;
	uint32_t a, b, moved;

	limits(&c, 0, 1000);
	a = admit(&c, KV_STORAGE, 400);
	b = admit(&c, KV_STORAGE, 600); /* filled to 100 % */
	c.entries[a].locked = true;
	CU_ASSERT_EQUAL(settle(&c, KV_STORAGE, 500, &moved), KV_ROOM_TAKEN);
	CU_ASSERT_EQUAL(c.entries[b].tier, KV_NOWHERE);
	CU_ASSERT_EQUAL(c.entries[a].tier, KV_STORAGE);
	/* nothing is left to delete: taken all the same */
	CU_ASSERT_EQUAL(settle(&c, KV_STORAGE, 500, &moved), KV_ROOM_TAKEN);
	CU_ASSERT_EQUAL(c.tiers[KV_STORAGE].used_bytes, 1400);
	kv_cache_fini(&c);
}

/* 1000 bytes and no more, unless a single entry is larger. */
static void test_strict_limit(void)
{
	struct kv_cache c;
	uint32_t a, b, moved;

	limits(&c, 0, 1000);
	c.strict_limit = true;
	a = admit(&c, KV_STORAGE, 400);
	b = admit(&c, KV_STORAGE, 600);
	c.entries[a].locked = c.entries[b].locked = true;
	CU_ASSERT_EQUAL(settle(&c, KV_STORAGE, 500, &moved), KV_ROOM_WAIT);
	CU_ASSERT_EQUAL(c.tiers[KV_STORAGE].used_bytes, 1000);
	/* a goes, b stays: 600 + 400 */
	c.entries[a].locked = false;
	CU_ASSERT_EQUAL(settle(&c, KV_STORAGE, 500, &moved), KV_ROOM_WAIT);
	CU_ASSERT_EQUAL(moved, 1);
	CU_ASSERT_EQUAL(settle(&c, KV_STORAGE, 400, &moved), KV_ROOM_TAKEN);
	CU_ASSERT_EQUAL(c.tiers[KV_STORAGE].used_bytes, 1000);
	/* 400 are being written: nothing but waiting helps */
	c.entries[b].locked = false;
	CU_ASSERT_EQUAL(settle(&c, KV_STORAGE, 2000, &moved), KV_ROOM_WAIT);
	kv_cache_release(&c, KV_STORAGE, 400);
	CU_ASSERT_EQUAL(settle(&c, KV_STORAGE, 2000, &moved), KV_ROOM_TAKEN);
	kv_cache_fini(&c);
}

/* The reference waits for an entry that another moves; we pass it over. */
static void test_locked_victim(void)
{
	struct kv_cache c;
	struct kv_room r;
	uint32_t id[4], victim, i;

	limits(&c, 1000, 10000);
	for (i = 0; i < 4; i++)
		id[i] = admit(&c, KV_CPU, 200);
	c.entries[id[0]].locked = true;
	kv_room_begin(&r, KV_CPU, 200);
	CU_ASSERT_EQUAL(kv_room_next(&r, &c, &victim), KV_ROOM_MOVE);
	CU_ASSERT_EQUAL(victim, id[1]);
	kv_room_end(&r);
	c.serial_moves = true;
	kv_room_begin(&r, KV_CPU, 200);
	CU_ASSERT_EQUAL(kv_room_next(&r, &c, &victim), KV_ROOM_MOVE);
	CU_ASSERT_EQUAL(victim, id[0]);
	kv_room_end(&r);
	kv_cache_fini(&c);
}

static void test_queue(void)
{
	struct kv_queue q = {.n = 0};
	struct kv_request r = {.class = KV_BATCH};
	uint32_t i;

	for (i = 0; i < 1000; i++) {
		r.class = (uint8_t)(i % KV_CLASSES);
		r.context = i;
		CU_ASSERT_EQUAL(kv_queue_put(&q, &r), 0);
	}
	CU_ASSERT_EQUAL(q.peak, 1000);
	for (i = 0; i < 334; i++) {
		CU_ASSERT(kv_queue_take(&q, &r));
		CU_ASSERT_EQUAL(r.class, KV_INTERACTIVE);
		CU_ASSERT_EQUAL(r.context, 3 * i);
	}
	r.class = KV_INTERACTIVE;
	kv_queue_put(&q, &r);
	CU_ASSERT(kv_queue_take(&q, &r));
	CU_ASSERT_EQUAL(r.class, KV_INTERACTIVE);
	CU_ASSERT(kv_queue_take(&q, &r));
	CU_ASSERT_EQUAL(r.context, 1);
	while (kv_queue_take(&q, &r))
		;
	CU_ASSERT_EQUAL(r.context, 998);
	kv_queue_fini(&q);
}

static void test_conversations(void)
{
	struct kv_conversations c;
	uint32_t id[4], i;

	kv_conversations_init(&c, 3, 50);
	for (i = 0; i < 3; i++)
		id[i] = kv_conversation_start(&c, i, i);
	CU_ASSERT_EQUAL(kv_conversation_turn(&c, id[0]), 1);
	CU_ASSERT_EQUAL(kv_conversation_turn(&c, id[0]), 2);
	id[3] = kv_conversation_start(&c, 3, 3);
	CU_ASSERT(c.v[id[0]].remembered);
	CU_ASSERT(!c.v[id[1]].remembered);
	CU_ASSERT(c.v[id[2]].remembered);
	CU_ASSERT(c.v[id[3]].remembered);
	CU_ASSERT_EQUAL(kv_conversation_turn(&c, id[1]), 1);
	CU_ASSERT(!c.v[id[1]].remembered);
	CU_ASSERT_EQUAL(kv_conversation_entry(&c, id[0], 2), KV_NONE);
	CU_ASSERT_EQUAL(kv_conversation_set(&c, id[0], 2, 77), 0);
	CU_ASSERT_EQUAL(kv_conversation_entry(&c, id[0], 2), 77);
	CU_ASSERT_EQUAL(kv_conversation_entry(&c, id[0], 1), KV_NONE);
	kv_conversations_fini(&c);
}

UT_SUITE(kv_cache, UT_CASE(test_limits), UT_CASE(test_demotes_oldest),
	UT_CASE(test_little_listed), UT_CASE(test_storage_full),
	UT_CASE(test_strict_limit), UT_CASE(test_locked_victim), UT_CASE(test_queue),
	UT_CASE(test_conversations))
