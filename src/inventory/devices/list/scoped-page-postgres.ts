/**
 * Finds the first devices of a part of the estate on PostgreSQL. Its planner expects the rows of a part evenly among all names, and reads
 * nearly all names for a part that is last among them.
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import { parseSort } from '../../../contract/fields/sort.ts'
import type { Tables } from '../../../database/tables.ts'

type Query<Row> = SelectQueryBuilder<Tables, 'devices', Row>

const getDirection = (sort: string) => (parseSort(sort).isReverse ? 'desc' : 'asc')

/** Returns the query in the order of names, for which no index of names is used: the planner reads the index of areas, and sorts. */
export const sortByName = <Row>(query: Query<Row>, sort: string): Query<Row> =>
  query.orderBy(sql`devices.name_order || ''`, getDirection(sort)).orderBy('devices.id', getDirection(sort))

type Wanted = {
  /** The areas of the part. */
  readonly areas: ReadonlySet<number>
  /** The number of devices that the query finds. */
  readonly count: number
  readonly sort: string
  readonly limit: number
  readonly offset: number
}

/**
 * Returns a subquery of the ids of a page of the devices that the query finds. Reads the first ids of each area by its index. That is
 * the fewest rows, unless there are many areas or the page is far from the beginning.
 */
export const selectPageIds = <Row>(query: Query<Row>, { areas, count, sort, limit, offset }: Wanted) => {
  const inSome = query.clearSelect()
  const wanted = offset + limit
  if (areas.size * wanted >= count)
    return sql<{ id: string }>`(${sortByName(inSome.select('devices.id'), sort).limit(limit).offset(offset)})`
  const direction = sql.raw(getDirection(sort))
  const inOne = inSome
    .select(['devices.name_order', 'devices.id'])
    .where('devices.area', '=', sql<number>`each_area.number`)
    .orderBy('devices.name_order', getDirection(sort))
    .orderBy('devices.id', getDirection(sort))
    .limit(wanted)
  return sql<{ id: string }>`(
    SELECT found.id FROM unnest(string_to_array(${[...areas].join()}, ',')::int[]) AS each_area (number), LATERAL (${inOne}) AS found
    ORDER BY found.name_order ${direction}, found.id ${direction} LIMIT ${limit} OFFSET ${offset})`
}
