/** Where the items of a list come from: memory for small sets, rows of a query for others. */
import { type SelectQueryBuilder, sql } from 'kysely'
import { getCachedCount } from '../../database/cache/query-cache.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../world/world.ts'
import type { Condition } from './condition.ts'
import type { Ordering, Page, Source, Table } from './endpoint.ts'

/** The items that are made at once. */
const CHUNK = 500

type MemoryParts<Item> = {
  readonly tables: readonly Table[]
  readonly key: (item: Item) => string
  /** Returns all items in the order of the list. */
  readonly all: (world: World) => Promise<readonly Item[]>
}

const isMet = <Item>(conditions: readonly Condition<Item>[], item: Item): boolean =>
  conditions.every(({ test }) => test(item))

/** A source of a small set: read whole, and filtered in memory. */
export const fromMemory = <Item>({ tables, key, all }: MemoryParts<Item>): Source<Item> => {
  const select = async (world: World, conditions: readonly Condition<Item>[]) =>
    (await all(world)).filter((item) => isMet(conditions, item))
  return {
    tables,
    items: async function* (world, conditions, { limit, offset }) {
      const found = await select(world, conditions)
      const page = found.slice(offset, limit === undefined ? undefined : offset + limit)
      for (const some of splitBatches(page, CHUNK)) yield some
    },
    count: async (world, conditions) => (await select(world, conditions)).length,
    find: async (world, keys) => {
      const wanted = new Set(keys)
      return (await all(world)).filter((item) => wanted.has(key(item)))
    },
  }
}

// The rows of a source have the columns that its own `load` reads.
export type AnyQuery<Row> = SelectQueryBuilder<Tables, keyof Tables, Row>

type RowParts<Item, Row> = {
  /** Tells lists of the same tables apart. */
  readonly name?: string
  readonly tables: readonly Table[]
  /** Returns the rows of all items, without an order. */
  readonly select: (world: World) => AnyQuery<Row>
  readonly order: (query: AnyQuery<Row>) => AnyQuery<Row>
  /** The columns of orders; the last one tells rows apart. */
  readonly orders?: Readonly<Partial<Record<Ordering['field'], readonly string[]>>>
  /** Makes items of rows, in their order. */
  readonly load: (world: World, rows: readonly Row[]) => Promise<readonly Item[]>
  readonly find: (world: World, keys: readonly string[]) => Promise<readonly Item[]>
}

/** Splits conditions into the ones for the query and the ones for its items. */
export const splitConditions = <Item>(conditions: readonly Condition<Item>[]) => ({
  inSql: conditions.flatMap((one) => (one.sql ? [one.sql] : [])),
  inMemory: conditions.filter((one) => !one.sql),
})

/** Cuts a page out of the items that meet conditions in memory. */
export async function* cutPage<Item>(
  chunks: AsyncIterable<readonly Item[]>,
  conditions: readonly Condition<Item>[],
  { limit = Number.POSITIVE_INFINITY, offset }: Page,
): AsyncGenerator<readonly Item[]> {
  let skipped = 0
  let left = limit
  for await (const some of chunks) {
    const met = some.filter((item) => isMet(conditions, item))
    const page = met.slice(Math.max(0, offset - skipped)).slice(0, left)
    skipped += met.length - page.length
    left -= page.length
    if (page.length > 0) yield page
    if (left <= 0) return
  }
}

export const countChunks = async <Item>(
  chunks: AsyncIterable<readonly Item[]>,
  conditions: readonly Condition<Item>[],
): Promise<number> => {
  let count = 0
  for await (const some of chunks) count += some.filter((item) => isMet(conditions, item)).length
  return count
}

/** Remembers the count of a list until a commit writes one of its tables. @param list tells lists of the same tables apart */
export const rememberCount = async <Item>(
  { ctx }: World,
  tables: readonly Table[],
  conditions: readonly Condition<Item>[],
  count: () => Promise<number>,
  list = '',
): Promise<number> => {
  const [first] = tables
  if (first === undefined || ctx.db !== ctx.store.read) return count()
  const revision = await ctx.store.revision(tables)
  const name = conditions.map((one) => one.name).join('&')
  return getCachedCount(ctx, first, `netbox ${list} ${tables.join()} ${revision} ${name}`, count)
}

/** The rows that are read at once where a list has a limit. */
const MAX_ROWS_AT_ONCE = 1000

/** A source of rows of a query. Conditions in SQL choose the rows; others are tested on the items. */
export const fromRows = <Item, Row extends object>(parts: RowParts<Item, Row>): Source<Item> => {
  const { name, tables, select, order, orders = {}, load, find } = parts
  const build = (world: World, conditions: readonly Condition<Item>[]) =>
    splitConditions(conditions).inSql.reduce((query, condition) => query.where(condition), select(world))
  async function* loadChunks(world: World, chunks: AsyncIterable<Row[]>): AsyncGenerator<readonly Item[]> {
    for await (const rows of chunks) for (const some of splitBatches(rows, CHUNK)) yield await load(world, some)
  }
  async function* read(
    world: World,
    query: AnyQuery<Row>,
    conditions: readonly Condition<Item>[],
    page: Page,
  ): AsyncGenerator<readonly Item[]> {
    const { limit, offset } = page
    const { inMemory } = splitConditions(conditions)
    if (inMemory.length > 0) return yield* cutPage(loadChunks(world, world.ctx.store.stream(query)), inMemory, page)
    if (limit === undefined && offset === 0) return yield* loadChunks(world, world.ctx.store.stream(query))
    const cut = query.limit(limit ?? Number.MAX_SAFE_INTEGER).offset(offset)
    if (limit === undefined || limit > MAX_ROWS_AT_ONCE) return yield* loadChunks(world, world.ctx.store.stream(cut))
    const rows = await cut.execute()
    for (const some of splitBatches(rows, CHUNK)) yield await load(world, some)
  }
  return {
    tables,
    items: (world, conditions, page) => read(world, order(build(world, conditions)), conditions, page),
    itemsBy: (world, conditions, { ordering, ...page }) => {
      let query = build(world, conditions)
      for (const { field, isReverse } of ordering) {
        const { [field]: columns } = orders
        if (!columns) return undefined
        for (const column of columns) query = query.orderBy(sql.ref(column), isReverse ? 'desc' : 'asc')
      }
      return read(world, query, conditions, page)
    },
    count: (world, conditions) =>
      rememberCount(
        world,
        tables,
        conditions,
        async () => {
          const { inMemory } = splitConditions(conditions)
          if (inMemory.length > 0) {
            const rows = world.ctx.store.stream(order(build(world, conditions)))
            return countChunks(loadChunks(world, rows), inMemory)
          }
          const counted = build(world, conditions).clearSelect().select(sql<number | string>`count(*)`.as('n'))
          return Number((await counted.executeTakeFirstOrThrow()).n)
        },
        name,
      ),
    find,
  }
}
