/** The list of addresses, of devices and of live reservations, in the order of their keys: two queries joined. */
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../../database/query/batches.ts'
import type { Tables } from '../../../database/tables.ts'
import { isLive } from '../../../inventory/reservations/reservations.ts'
import { findLastExpiry } from '../../../inventory/used-addresses/expiry.ts'
import type { Condition } from '../../endpoint/condition.ts'
import type { Page, Source, Table } from '../../endpoint/endpoint.ts'
import { countChunks, cutPage, rememberCount } from '../../endpoint/source.ts'
import type { World } from '../../world/world.ts'
import { type AddressItem, type AddressRow, findAddresses, loadAddresses } from './address-items.ts'

type AddressCondition = Condition<AddressItem>

const TABLES: readonly Table[] = ['addresses', 'devices', 'reservations']

/** The items that are made at once. */
const CHUNK = 500

/** The rows that are read at once where a list has a limit. */
const MAX_ROWS_AT_ONCE = 1000

const NO_DEVICE = sql<string | null>`CAST(NULL AS text)`

/** The columns that conditions name: `entries.` and one of them. */
const selectHeld = ({ db }: World['ctx']) =>
  db
    .selectFrom('addresses')
    .select(['ip_key', 'device_id as owner', 'position', 'device_id', 'is_shared', 'dns_name'])
    .select(sql<string>`lower(dns_name)`.as('dns_key'))
    .select([sql<string>`''`.as('texts'), sql<string>`device_id || ' ' || position`.as('object_id')])

const selectFree = ({ db, now }: World['ctx']) =>
  db
    .selectFrom('reservations')
    .select(['ip_key', 'id as owner'])
    .select([sql<number>`-1`.as('position'), NO_DEVICE.as('device_id'), sql<number>`0`.as('is_shared')])
    .select(['hostname as dns_name', sql<string>`lower(hostname)`.as('dns_key'), 'id as object_id'])
    .select(sql<string>`lower(ip_address || ' ' || hostname || ' ' || purpose)`.as('texts'))
    .where(isLive(now))

/** Of two entries of a device with one IP, the first counts. */
const IS_FIRST = sql<SqlBool>`NOT EXISTS (SELECT 1 FROM addresses AS earlier WHERE earlier.device_id = entries.owner
  AND earlier.ip_key = entries.ip_key AND earlier.position < entries.position)`

const listInSql = (conditions: readonly AddressCondition[]): RawBuilder<SqlBool>[] =>
  conditions.flatMap((one) => one.sql ?? one.rough ?? [])

type Entry = AddressRow & { readonly device_id: string | null }

/** One of the two queries. */
type Arm = SelectQueryBuilder<Tables & { entries: Entry }, 'entries', object>

/** Returns the two queries. */
const buildArms = ({ ctx }: World, conditions: readonly AddressCondition[]): readonly [Arm, Arm] => {
  const wanted = listInSql(conditions)
  const held = ctx.db.selectFrom(selectHeld(ctx).as('entries')).where(IS_FIRST)
  const free = ctx.db.selectFrom(selectFree(ctx).as('entries'))
  const narrow = (arm: Arm): Arm => wanted.reduce((query, condition) => query.where(condition), arm)
  // Both have the columns of an entry.
  return [narrow(held as object as Arm), narrow(free as object as Arm)]
}

/** @param most the number of rows that are read of each query; undefined for all */
const buildQuery = (world: World, conditions: readonly AddressCondition[], most?: number) => {
  const { db } = world.ctx
  const cut = (arm: Arm) => {
    const rows = arm.select(['entries.ip_key', 'entries.owner', 'entries.position'])
    return most === undefined ? rows : rows.orderBy('entries.ip_key').orderBy('entries.owner').limit(most)
  }
  const [held, free] = buildArms(world, conditions)
  return db
    .selectFrom(cut(held).as('held'))
    .selectAll()
    .unionAll(db.selectFrom(cut(free).as('free')).selectAll())
    .orderBy('ip_key')
    .orderBy('owner')
}

async function* loadChunks(
  world: World,
  chunks: AsyncIterable<readonly AddressRow[]>,
): AsyncGenerator<readonly AddressItem[]> {
  for await (const rows of chunks) for (const some of splitBatches(rows, CHUNK)) yield await loadAddresses(world, some)
}

/** Yields all items that meet the conditions in SQL. */
const stream = (world: World, conditions: readonly AddressCondition[]) =>
  loadChunks(world, world.ctx.store.stream(buildQuery(world, conditions)))

async function* listItems(
  world: World,
  conditions: readonly AddressCondition[],
  page: Page,
): AsyncGenerator<readonly AddressItem[]> {
  const inMemory = conditions.filter((one) => !one.sql)
  const { limit, offset } = page
  if (inMemory.length > 0) return yield* cutPage(stream(world, conditions), inMemory, page)
  if (limit === undefined && offset === 0) return yield* stream(world, conditions)
  const most = limit === undefined ? undefined : offset + limit
  const query = buildQuery(world, conditions, most)
    .limit(limit ?? Number.MAX_SAFE_INTEGER)
    .offset(offset)
  if (limit === undefined || limit > MAX_ROWS_AT_ONCE) return yield* loadChunks(world, world.ctx.store.stream(query))
  const rows = await query.execute()
  if (rows.length > 0) for (const some of splitBatches(rows, CHUNK)) yield await loadAddresses(world, some)
}

const countItems = async (world: World, conditions: readonly AddressCondition[]): Promise<number> => {
  const inMemory = conditions.filter((one) => !one.sql)
  // An expiry takes reservations away without a write.
  const expiry = { name: `expired ${await findLastExpiry(world.ctx)}`, test: () => true }
  return rememberCount(world, TABLES, [...conditions, expiry], async () => {
    if (inMemory.length > 0) return countChunks(stream(world, conditions), inMemory)
    let count = 0
    for (const arm of buildArms(world, conditions)) {
      const { n } = await arm.select(sql<number | string>`count(*)`.as('n')).executeTakeFirstOrThrow()
      count += Number(n)
    }
    return count
  })
}

export const addressSource: Source<AddressItem> = {
  tables: TABLES,
  items: listItems,
  count: countItems,
  find: findAddresses,
}
