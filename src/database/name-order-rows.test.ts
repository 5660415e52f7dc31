// The collation keys of stored names: of rows before the migration, and of rows that an older program writes beside this one.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { upgraded } from '../../testing/servers/earlier-version.ts'
import { engines } from '../../testing/servers/servers.ts'
import { compareCodePoints, toNameKey, toNameOrder } from '../net/name-order.ts'
import { BUSY_TABLES, NAMED_TABLES } from './migrations/name-orders.ts'
import { completeNameOrders } from './name-order-rows.ts'
import type { Tables } from './tables.ts'

const TABLES = [...NAMED_TABLES, ...BUSY_TABLES]
const NAMES = ['vm10', 'vm2', 'zebra', 'äpfel', 'a\u0308pfel 2', 'Ørsted', '10.250.10.0/24', '10.250.9.0/24']
const SORTED = ['10.250.9.0/24', '10.250.10.0/24', 'äpfel', 'a\u0308pfel 2', 'Ørsted', 'vm2', 'vm10', 'zebra']

/** Writes as a program before the migration does. */
const insertDevice = (db: Kysely<Tables>, name: string): Promise<unknown> =>
  sql`INSERT INTO devices (id, name, name_key, hostname_key, description, make_model, os, status, username, location,
      managed_by, created_at, updated_at, search_text, doc)
    VALUES (${name}, ${name}, ${name.toLowerCase()}, '', '', '', '', 'active', '', '', '', '', '', ${name.toLowerCase()}, ${JSON.stringify({ id: name, name })})`.execute(
    db,
  )
const insertSpace = (db: Kysely<Tables>, id: string, name: string): Promise<unknown> =>
  sql`INSERT INTO spaces (id, name, name_key, description, reachable, refs, managed_by, created_at, updated_at)
    VALUES (${id}, ${name}, ${name.toLowerCase()}, '', 1, '{}', '', 'then', 'then')`.execute(db)
const insertHistory = (db: Kysely<Tables>, id: string, key: string | null): Promise<unknown> =>
  sql`INSERT INTO history (kind, id, seq, sort_key, before) VALUES ('device', ${id}, 1, ${key}, NULL)`.execute(db)

describe.each(engines())('the keys of stored names on %s', (dialect) => {
  let opened: Awaited<ReturnType<typeof upgraded>>
  beforeAll(async () => {
    opened = await upgraded(dialect, '0071', async (tx) => {
      for (const name of NAMES) await insertDevice(tx, name)
      await insertSpace(tx, 'composed', '\u00e9cole')
      await insertSpace(tx, 'decomposed', 'e\u0301cole')
      await insertSpace(tx, 'alone', 'u\u0308ber')
      await insertHistory(tx, 'old', 'vm3')
      await insertHistory(tx, 'new', null)
    })
  })
  afterAll(() => opened.close())

  const listNames = async (): Promise<string[]> => {
    const rows = await opened.db.read.selectFrom('devices').select('name').orderBy('name_order').orderBy('id').execute()
    return rows.map(({ name }) => name)
  }

  test('rows before the migration have the key of their name, and keep their names', async () => {
    expect(await listNames()).toEqual(SORTED)
    const { db } = opened
    const rows = await db.read.selectFrom('devices').select(['name', 'name_key', 'name_order', 'search_text']).execute()
    for (const { name, name_key, name_order, search_text } of rows)
      expect([name_key, name_order, search_text]).toEqual([
        toNameKey(name),
        toNameOrder(toNameKey(name)),
        toNameKey(name),
      ])
    const items = await db.read.selectFrom('history').select(['id', 'order_key']).orderBy('id').execute()
    expect(items).toEqual([
      { id: 'new', order_key: '' },
      { id: 'old', order_key: toNameOrder('vm3') },
    ])
  })

  test('two stored names that differ only in their form both stay, one of them under its old key', async () => {
    const rows = await opened.db.read
      .selectFrom('spaces')
      .select(['id', 'name_key', 'name_order'])
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { id: 'alone', name_key: '\u00fcber', name_order: toNameOrder('\u00fcber') },
      { id: 'composed', name_key: '\u00e9cole', name_order: toNameOrder('\u00e9cole') },
      { id: 'decomposed', name_key: 'e\u0301cole', name_order: toNameOrder('\u00e9cole') },
    ])
  })

  test('a row without a key gets it at the next start', async () => {
    const { db } = opened
    await db.write(({ db: tx }) => sql`UPDATE devices SET name = 'vm3', name_key = 'vm3' WHERE id = 'vm10'`.execute(tx))
    await completeNameOrders(db, TABLES)
    expect(await listNames()).toEqual(SORTED.map((name) => (name === 'vm10' ? 'vm3' : name)))
    await db.write(({ db: tx }) =>
      sql`UPDATE devices SET name = 'vm10', name_key = 'vm10' WHERE id = 'vm10'`.execute(tx),
    )
    await completeNameOrders(db, TABLES)
    expect(await listNames()).toEqual(SORTED)
  })

  test('lists in the order of names, and rows without a key, are read by an index', async () => {
    const { db } = opened
    const explain = dialect === 'sqlite' ? sql`EXPLAIN QUERY PLAN` : sql`EXPLAIN`
    const plan = async (query: string): Promise<string> =>
      db.write(async ({ db: tx }) => {
        // Few rows are sorted faster than they are read by an index.
        if (dialect === 'postgres') await sql`SET LOCAL enable_seqscan = off`.execute(tx)
        if (dialect === 'postgres') await sql`SET LOCAL enable_sort = off`.execute(tx)
        return JSON.stringify((await sql`${explain} ${sql.raw(query)}`.execute(tx)).rows)
      })
    for (const direction of ['', ' DESC'])
      expect(await plan(`SELECT doc FROM devices ORDER BY name_order${direction}, id${direction} LIMIT 50`)).toContain(
        'devices_in_order',
      )
    expect(await plan("SELECT doc FROM devices WHERE datacenter_id = 'x' ORDER BY name_order, id LIMIT 50")).toContain(
      'devices_in_datacenter',
    )
    for (const table of ['networks', 'pools', 'racks', 'vlans', 'datacenters', 'device_types', 'dns_zones', 'users'])
      expect(
        await plan(`SELECT * FROM ${table} ORDER BY ${table === 'users' ? 'username' : 'name'}_order, id LIMIT 50`),
      ).toContain(`${table}_in_order`)
    const stale =
      dialect === 'sqlite'
        ? 'substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key'
        : 'right(name_order, length(name_key) + 1) <> chr(1) || name_key'
    expect(await plan(`SELECT id FROM devices WHERE ${stale} AND id > 'a' ORDER BY id LIMIT 10`)).toContain(
      'devices_out_of_order',
    )
  })
})

describe.each(engines().filter((dialect) => dialect === 'postgres'))(
  'an older program beside this one on %s',
  (dialect) => {
    let opened: Awaited<ReturnType<typeof upgraded>>
    beforeAll(async () => {
      opened = await upgraded(dialect, '0071', async () => {})
    })
    afterAll(() => opened.close())

    const getOrder = async (id: string): Promise<string | undefined> =>
      (await opened.db.read.selectFrom('devices').select('name_order').where('id', '=', id).executeTakeFirst())
        ?.name_order

    test('a row that it writes or renames has the key of its name at once', async () => {
      const { db } = opened
      await db.write(({ db: tx }) => insertDevice(tx, 'vm7'))
      expect(await getOrder('vm7')).toBe(toNameOrder('vm7'))
      await db.write(({ db: tx }) =>
        sql`UPDATE devices SET name = 'Vm70', name_key = 'vm70' WHERE id = 'vm7'`.execute(tx),
      )
      expect(await getOrder('vm7')).toBe(toNameOrder('vm70'))
      await db.write(({ db: tx }) => insertDevice(tx, 'u\u0308ber'))
      const composed = db.read.selectFrom('devices').select(['name', 'name_order']).where('name_key', '=', '\u00fcber')
      expect(await composed.execute()).toEqual([{ name: 'u\u0308ber', name_order: toNameOrder('\u00fcber') }])
      await db.write(({ db: tx }) => insertHistory(tx, 'vm7', 'vm7'))
      const item = await db.read.selectFrom('history').select('order_key').executeTakeFirst()
      expect(item?.order_key).toBe(toNameOrder('vm7'))
    })

    test('PostgreSQL computes the key of this program for every letter and number', async () => {
      const { db } = opened
      const keys: string[] = []
      for (let code = 1; code < 0x20000; code += code < 0x3400 || code > 0xa600 ? 1 : 97) {
        const text = String.fromCodePoint(code)
        if (text.isWellFormed() && /\p{Assigned}/u.test(text)) keys.push(toNameKey(`a${text}9${text}b`))
        if (code === 0xac00) code = 0xd7a0
      }
      const lengths = [1, 8, 9, 10, 100, 254].map((length) => `7${'0'.repeat(length)}`)
      keys.push(
        ...lengths,
        ...lengths.map((text) => `0${text}x00`),
        '',
        '0',
        '000',
        '\ufdfa'.repeat(255),
        toNameKey('a\u0308'.repeat(120)),
      )
      const differing: string[] = []
      for (let from = 0; from < keys.length; from += 5000) {
        const some = keys.slice(from, from + 5000)
        const { rows } = await sql<{ key: string; value: string; letters: string }>`
        SELECT key, to_name_order(key) AS value, normalize(key, NFKD) AS letters
        FROM jsonb_array_elements_text(${JSON.stringify(some)}::text::jsonb) AS keys (key)`.execute(db.read)
        // A database of an earlier version of Unicode does not know the latest letters.
        for (const { key, value, letters } of rows)
          if (value !== toNameOrder(key) && letters === key.normalize('NFKD')) differing.push(key)
      }
      expect(differing).toEqual([])
    })

    test('its names sort as those of this program', async () => {
      const { rows } = await sql<{
        a: string
        b: string
        isLess: boolean
      }>`WITH keys AS (SELECT to_name_order(key) COLLATE "C" AS k
      FROM jsonb_array_elements_text(${JSON.stringify(['vm2', 'vm10', 'äpfel', 'zebra', '\u{1f600}', '\uffee', '日本', 'ø'])}::text::jsonb) AS all_keys (key))
      SELECT x.k AS a, y.k AS b, x.k < y.k AS "isLess" FROM keys AS x, keys AS y`.execute(opened.db.read)
      for (const { a, b, isLess } of rows) expect(compareCodePoints(a, b) < 0).toBe(isLess)
    })
  },
)
