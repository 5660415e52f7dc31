/** The areas of objects in the tables; their only writer. An area is a set of scopes, as a number. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import { findKeysByIds } from '../../inventory/spaces/keys.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { DEFAULT_SPACE } from '../../net/ip.ts'
import { prepareArea, selectFromTable, writeArea } from '../../resource/named-tables.ts'
import { AREA_TABLES, type AreaTable } from '../../resource/scoped/area-tables.ts'
import { loadObjectFacts, setIn } from './area-facts-store.ts'
import type { ScopeFacts, ScopeIds, ScopesOf } from './areas.ts'

/** The area of an object in no scope. */
export const NO_AREA = 0

const formatSet = (scopes: ScopeIds): string => scopes.join(' ')

/** The sets of scopes by their numbers, and the other way. */
export type Areas = {
  readonly setOf: (area: number) => ScopeIds
  /** Returns the number of the set, which is stored if it is new. */
  readonly areaOf: (ctx: Ctx, scopes: ScopeIds) => Promise<number>
}

type LockScope = StoreScope & Pick<Ctx, 'lock'>

/** Stores a set, unless another transaction has. @returns its number */
const storeSet = async (ctx: LockScope, text: string): Promise<number> => {
  // Until commit, no other transaction stores a set or takes a number.
  const { db } = ctx
  await ctx.lock('areas')
  const stored = await db.selectFrom('areas').select('id').where('scopes', '=', text).executeTakeFirst()
  if (stored) return stored.id
  const { last } = await db
    .selectFrom('areas')
    .select((eb) => eb.fn.max<number | null>('id').as('last'))
    .executeTakeFirstOrThrow()
  const id = (last ?? NO_AREA) + 1
  await db.insertInto('areas').values({ id, scopes: text }).execute()
  if (text !== '')
    await db
      .insertInto('area_scopes')
      .values(setIn(text).map((scope_id) => ({ scope_id, area_id: id })))
      .execute()
  return id
}

export const loadAreas = async (scope: StoreScope): Promise<Areas> => {
  const byNumber = new Map<number, ScopeIds>([[NO_AREA, []]])
  const byText = new Map([['', NO_AREA]])
  const addArea = (id: number, text: string): number => {
    byNumber.set(id, setIn(text))
    byText.set(text, id)
    return id
  }
  for (const { id, scopes } of await scope.db.selectFrom('areas').selectAll().execute()) addArea(id, scopes)
  return {
    setOf: (area) => byNumber.get(area) ?? [],
    areaOf: async (ctx, scopes) => {
      const text = formatSet(scopes)
      return byText.get(text) ?? addArea(await storeSet(ctx, text), text)
    },
  }
}

const setsAmong = preparedKeys((db: Kysely<Tables>, texts) =>
  db.selectFrom('areas').selectAll().where('scopes', 'in', texts),
)

/** Returns the numbers of these sets by their texts. New ones are stored. */
const ensureSets = async (scope: LockScope, texts: Iterable<string>): Promise<Map<string, number>> => {
  const wanted = [...texts].filter((text) => text !== '')
  const numbers = new Map([['', NO_AREA]])
  for (const { id, scopes } of await setsAmong(scope, wanted)) numbers.set(scopes, id)
  for (const text of wanted) if (!numbers.has(text)) numbers.set(text, await storeSet(scope, text))
  return numbers
}

const HEIRS = {
  pools: (db: DbScope['db'], ids: readonly string[]) =>
    db.selectFrom('pools').select('id').where('network_id', 'in', ids),
  reservations: (db: DbScope['db'], ids: readonly string[]) =>
    db.selectFrom('reservations').select('id').where('pool_id', 'in', ids),
  discovered_devices: (db: DbScope['db'], ids: readonly string[]) =>
    db.selectFrom('discovered_devices').select('id').where('network_id', 'in', ids),
}

export type Heirs = keyof typeof HEIRS

/** Returns the ids of the objects of a table that inherit from these networks, or of these pools. */
export const findHeirs = async ({ db }: DbScope, table: Heirs, ids: readonly string[]): Promise<string[]> => {
  const found: string[] = []
  for (const batch of splitBatches(ids)) for (const { id } of await HEIRS[table](db, batch).execute()) found.push(id)
  return found
}

/** Returns the ids of the objects with one of these datacenters. */
export const findInDatacenters = async (
  { db }: DbScope,
  table: 'networks' | 'devices' | 'objects',
  ids: readonly string[],
): Promise<string[]> => {
  const found: string[] = []
  for (const batch of splitBatches(ids)) {
    const rows = await selectFromTable(db, table).select('id').where('datacenter_id', 'in', batch).execute()
    for (const { id } of rows) found.push(id)
  }
  return found
}

/** Returns the stored scopes of an object. */
export const findSet = async ({ db }: DbScope, table: AreaTable, id: string): Promise<ScopeIds> => {
  const query = db.selectFrom('areas').select('scopes')
  const row = await query
    .where('areas.id', '=', selectFromTable(db, table).select('area').where('id', '=', id))
    .executeTakeFirst()
  return setIn(row?.scopes ?? null)
}

/** Stores the areas of objects that differ from the stored ones. Returns the ids of these objects. */
export const updateAreas = async (
  scope: LockScope,
  table: AreaTable,
  ids: readonly string[],
  setOf: ScopesOf,
): Promise<string[]> => {
  const moved = new Map<string, string[]>()
  for (const batch of splitBatches(ids))
    for (const { id, set, facts } of await loadObjectFacts(scope, table, batch)) {
      const next = formatSet(setOf(facts))
      if (next === set) continue
      const others = moved.get(next)
      if (others) others.push(id)
      else moved.set(next, [id])
    }
  if (moved.size === 0) return []
  const numbers = await ensureSets(scope, moved.keys())
  for (const [set, some] of moved) {
    const area = numbers.get(set) ?? NO_AREA
    if (some.length > MAX_OBJECTS_UPDATED_ONE_BY_ONE) {
      for (const batch of splitBatches(some))
        await writeArea(scope.db, table, { area, where: sql`id IN (${sql.join(batch)})` })
    } else for (const id of some) await setArea[table](scope, { area, id })
  }
  return [...moved.values()].flat()
}

/** The number of objects up to which a prepared update of each is fastest. */
const MAX_OBJECTS_UPDATED_ONE_BY_ONE = 8

const setArea: Readonly<Record<AreaTable, ReturnType<typeof prepareArea>>> = {
  datacenters: prepareArea('datacenters'),
  networks: prepareArea('networks'),
  pools: prepareArea('pools'),
  reservations: prepareArea('reservations'),
  devices: prepareArea('devices'),
  discovered_devices: prepareArea('discovered_devices'),
  spaces: prepareArea('spaces'),
  objects: prepareArea('objects'),
}

const buildInList = (column: string, values: readonly string[]): RawBuilder<unknown>[] =>
  values.length === 0 ? [] : [sql`${sql.ref(column)} IN (${sql.join(values)})`]

/** Returns the bounds of the storage keys of the addresses in a scope. */
const loadBounds = async (ctx: Ctx, { subnets, space_ids }: ScopeFacts) => {
  const spaces = await findKeysByIds(ctx, space_ids)
  return [
    ...subnets.map((subnet) => toCidrKeys(parseCidrOrThrow(subnet), DEFAULT_SPACE)),
    // A key of a space is that of the default space with the key of the space before it.
    ...[...spaces.values()].map((key) => ({ first: key, last: `${key}~` })),
  ]
}

/** Returns the objects with the scope in their area. SQLite uses the index of areas only with its own condition, `area <> 0`. */
const hasScope = (scopeId: string): RawBuilder<unknown> =>
  sql`(area <> 0 AND area IN (SELECT area_id FROM area_scopes WHERE scope_id = ${scopeId}))`

/** Returns the ids of networks that have discovered addresses outside of them, from before they changed. */
const findNetworksWithStrays = async ({ db }: DbScope): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`SELECT id FROM networks AS n WHERE
    EXISTS (SELECT 1 FROM discovered_addresses WHERE place > n.id || ' ' AND place < n.id || ' ' || n.first_key)
    OR EXISTS (SELECT 1 FROM discovered_addresses WHERE place > n.id || ' ' || n.last_key AND place < n.id || '!')`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** Returns the condition that an object is in the scope, by table. The areas of the objects that it inherits from must be stored. */
const buildMemberConditions = async (
  ctx: Ctx,
  scope: ScopeFacts,
): Promise<Readonly<Record<AreaTable, RawBuilder<unknown>>>> => {
  const bounds = await loadBounds(ctx, scope)
  const inside = (first: string, last = first) =>
    bounds.map((of) => sql`(${sql.ref(first)} >= ${of.first} AND ${sql.ref(last)} <= ${of.last})`)
  const inScope = (table: 'networks' | 'pools') => sql`(SELECT id FROM ${sql.table(table)} WHERE ${hasScope(scope.id)})`
  const tagged = (table: string, id: string) =>
    buildInList('tag', scope.tags).map(
      (condition) => sql`id IN (SELECT ${sql.ref(id)} FROM ${sql.table(table)} WHERE ${condition})`,
    )
  const any = (...conditions: RawBuilder<unknown>[]) =>
    conditions.length === 0 ? sql`1 = 0` : sql`(${sql.join(conditions, sql` OR `)})`
  const inDatacenter = buildInList('datacenter_id', scope.datacenter_ids)
  // Strays are found by the key of the table, which begins with the network.
  const strays = bounds.length > 0 ? await findNetworksWithStrays(ctx) : []
  // One list for all blocks: each row is looked up in each list.
  const discoveredInside = bounds.map(
    ({ first, last }) => sql`SELECT a.device_id FROM networks AS n
      INNER JOIN discovered_addresses AS a ON a.place BETWEEN n.id || ' ' || ${first} AND n.id || ' ' || ${last}
      WHERE (n.first_key <= ${last} AND n.last_key >= ${first}) ${strays.length > 0 ? sql`OR n.id IN (${sql.join(strays)})` : sql``}`,
  )
  return {
    spaces: any(...buildInList('id', scope.space_ids)),
    datacenters: any(...buildInList('id', scope.datacenter_ids)),
    networks: any(...inDatacenter, ...inside('first_key', 'last_key')),
    pools: any(
      sql`network_id IN ${inScope('networks')}`,
      ...tagged('pool_tags', 'pool_id'),
      ...inside('start_key', 'end_key'),
    ),
    reservations: any(sql`pool_id IN ${inScope('pools')}`, ...inside('ip_key')),
    devices: any(
      ...inDatacenter,
      ...tagged('device_tags', 'device_id'),
      ...(bounds.length > 0 ? [sql`id IN (SELECT device_id FROM addresses WHERE ${any(...inside('ip_key'))})`] : []),
    ),
    objects: any(...inDatacenter, ...buildInList('kind_id', scope.kind_ids ?? [])),
    discovered_devices: any(
      sql`network_id IN ${inScope('networks')}`,
      ...(bounds.length > 0 ? [sql`id IN (${sql.join(discoveredInside, sql` UNION ALL `)})`] : []),
    ),
  }
}

/** Stores the areas after a scope has changed. A scope that holds nothing is left by all. */
export const updateAllAreas = async (ctx: Ctx, scope: ScopeFacts): Promise<void> => {
  const areas = await loadAreas(ctx)
  const members = await buildMemberConditions(ctx, scope)
  const withScope = hasScope(scope.id)
  for (const table of AREA_TABLES) {
    const isMember = members[table]
    const moves = [
      // A comparison with NULL is neither true nor false.
      {
        from: sql`${withScope} AND ${isMember} IS NOT TRUE`,
        to: (set: ScopeIds) => set.filter((id) => id !== scope.id),
      },
      { from: sql`NOT (${withScope}) AND ${isMember}`, to: (set: ScopeIds) => [...set, scope.id].sort() },
    ]
    for (const { from, to } of moves) {
      const { rows } = await sql<{ area: number }>`SELECT DISTINCT area FROM ${sql.table(table)} WHERE ${from}`.execute(
        ctx.db,
      )
      // One statement for many sets: the condition may read each row of the table.
      for (const batch of splitBatches(rows)) {
        const cases: RawBuilder<unknown>[] = []
        for (const { area } of batch)
          cases.push(sql`WHEN ${sql.lit(area)} THEN ${sql.lit(await areas.areaOf(ctx, to(areas.setOf(area))))}`)
        const next = sql<number>`CASE area ${sql.join(cases, sql` `)} ELSE area END`
        await writeArea(ctx.db, table, { area: next, where: from })
      }
    }
  }
}

/** Deletes the sets with a scope, which no object has any more. */
export const removeAreasOfScope = async ({ db }: DbScope, scopeId: string): Promise<void> => {
  const rows = await db.selectFrom('area_scopes').select('area_id').where('scope_id', '=', scopeId).execute()
  for (const batch of splitBatches(rows.map(({ area_id }) => area_id))) {
    await db.deleteFrom('area_scopes').where('area_id', 'in', batch).execute()
    await db.deleteFrom('areas').where('id', 'in', batch).execute()
  }
}

/** Counts the objects of a table in a scope. */
export const countIn = async ({ db }: DbScope, table: AreaTable, scopeId: string): Promise<number> => {
  const { rows } = await sql<{ n: number | string }>`
    SELECT count(*) AS n FROM ${sql.table(table)} WHERE ${hasScope(scopeId)}`.execute(db)
  return Number(rows[0]?.n)
}

/** Counts the objects of a table in each scope; a scope without any has no entry. */
export const countByScope = async ({ db }: DbScope, table: AreaTable): Promise<Map<string, number>> => {
  const { rows } = await sql<{ scope_id: string; n: number | string }>`
    SELECT scope_id, count(*) AS n FROM ${sql.table(table)} INNER JOIN area_scopes ON area_id = area
    WHERE area <> 0 GROUP BY scope_id`.execute(db)
  return new Map(rows.map(({ scope_id, n }) => [scope_id, Number(n)]))
}
