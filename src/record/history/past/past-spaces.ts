/**
 * The address spaces of past keys. Pools and reservations move to another space with their network, but their documents do not say so.
 * Their keys follow from the space that their network was in.
 */

import type { TableView } from '../../../database/cte-views.ts'
import type { PastSql } from '../../../database/query/past-sql.ts'
import type { IsSame } from './past-source.ts'

/** Returns the key of the space that a storage key begins with: see `getSpaceKey`. */
export const extractSpace = (key: string): string => `CASE WHEN ${key} >= 's' THEN substr(${key}, 1, 5) ELSE '' END`

/** The key of a space never changes, and stays after the space. */
export const buildSpaceKeys = ({ stored, text }: PastSql, hasNewSpaces: boolean): TableView => ({
  name: 'space_keys',
  stored: ['space_keys'],
  sql: `SELECT s.space_id, s.space_key FROM ${stored('space_keys')} AS s${
    hasNewSpaces
      ? ` UNION ALL SELECT t.id, ${text('t.derived', 'key')} FROM then_space AS t
        WHERE NOT EXISTS (SELECT 1 FROM ${stored('space_keys')} AS k WHERE k.space_id = t.id)`
      : ''
  }`,
})

/** True if there is or was a space. Evaluated once for each statement. */
const HAS_SPACES = 'EXISTS (SELECT 1 FROM space_keys)'

/** Returns a key in a space. @param rest the key without a space */
export const buildSpaceKey = ({ bytewise }: PastSql, space: string, rest: string): string =>
  bytewise(`CAST(${space} || ${rest} AS TEXT)`)

const selectSpace = (query: string): string => `CASE WHEN ${HAS_SPACES} THEN coalesce((${query}), '') ELSE '' END`

/** Returns the key of the space that a network was in. @param id of the network */
export const selectNetworkSpace = (id: string): string =>
  selectSpace(`SELECT ${extractSpace('n.first_key')} FROM networks AS n WHERE n.id = ${id}`)

/** Returns the key of the space that a pool was in. */
export const selectPoolSpace = (id: string): string =>
  selectSpace(`SELECT ${extractSpace('p.start_key')} FROM pools AS p WHERE p.id = ${id}`)

/** Returns the stored pools of networks that were in another space. `size` is the length of their present key of a space. */
export const buildMovedPools = (engine: PastSql, isSame: IsSame): TableView[] => {
  const { stored, text } = engine
  return [
    {
      name: 'past_moved_networks',
      isMaterialized: true,
      stored: ['networks', 'space_keys'],
      sql: `SELECT s.id FROM then_network AS t CROSS JOIN ${stored('networks')} AS s WHERE ${HAS_SPACES}
        AND s.id = t.id AND ${extractSpace('s.first_key')} <> ${extractSpace(text('t.derived', 'first'))}`,
    },
    {
      name: 'past_moved_pools',
      isMaterialized: true,
      stored: ['pools', 'space_keys'],
      // The network of a changed pool may have been another one.
      sql: `SELECT id, length(${extractSpace('start_key')}) AS size, space_key FROM (
          SELECT c.id, c.start_key, ${selectNetworkSpace('c.network_id')} AS space_key FROM (
            SELECT s.id, s.network_id, s.start_key FROM past_moved_networks AS m CROSS JOIN ${stored('pools')} AS s
              WHERE s.network_id = m.id AND ${isSame('pool', 's.id')}
            UNION ALL SELECT s.id, ${text('t.before', 'network_id')} AS network_id, s.start_key
              FROM then_pool AS t CROSS JOIN ${stored('pools')} AS s WHERE ${HAS_SPACES} AND s.id = t.id
          ) AS c
        ) AS placed WHERE space_key <> ${extractSpace('start_key')}`,
    },
  ]
}

/** Returns the unchanged reservations in these pools, with their keys of then and now. */
export const buildMovedReservations = (engine: PastSql, isSame: IsSame): TableView => ({
  name: 'past_moved_reservations',
  isMaterialized: true,
  stored: ['reservations'],
  sql: `SELECT s.id, m.size, m.space_key, s.ip_key AS present_key, ${buildMovedKey(engine, 'ip_key')} AS ip_key
    FROM past_moved_pools AS m CROSS JOIN ${engine.stored('reservations')} AS s
    WHERE s.pool_id = m.id AND ${isSame('reservation', 's.id')}`,
})

const buildMovedKey = (engine: PastSql, column: string): string =>
  buildSpaceKey(engine, 'm.space_key', `substr(s.${column}, m.size + 1)`)

export type MovedRows = {
  /** The expression with the objects that were in another space. */
  readonly from: 'past_moved_pools' | 'past_moved_reservations'
  /** The columns that hold storage keys. */
  readonly keys: readonly string[]
}

/** Returns the columns of a moved row, `s`, with the keys of then. */
export const buildMovedColumns = (engine: PastSql, names: readonly string[], { keys }: MovedRows): string =>
  names.map((name) => (keys.includes(name) ? `${buildMovedKey(engine, name)} AS ${name}` : `s.${name}`)).join(', ')
