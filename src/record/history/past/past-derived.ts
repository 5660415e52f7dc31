/** The tables that follow from others, as of a moment: the addresses of networks, and the taken addresses of blocks. */

import type { TableView } from '../../../database/cte-views.ts'
import type { PastSql } from '../../../database/query/past-sql.ts'
import type { IsSame, PastSource } from './past-source.ts'
import { buildSpaceKey, extractSpace, selectPoolSpace } from './past-spaces.ts'

const DIGITS = [...'0123456789abcdef']

/** True if a stored network, `s`, had the same subnet and space, by `t`. */
const isSameRange = (text: PastSql['text']): string =>
  `${text('t.derived', 'first')} = s.first_key AND ${text('t.derived', 'last')} = s.last_key`

/** The number of characters that the keys of all addresses of a network, `n`, have in common, without parts of a digit. */
const whole = `length(${extractSpace('n.first_key')}) + 1 + n.prefix / 4`

/**
 * Returns the networks that an address belongs to, by the rule of `networks/membership.ts`. Addresses of unchanged devices keep their
 * rows, except in the ranges of networks with another subnet or space at that time.
 */
export const buildMembershipTables = ({ stored, text, bytewise }: PastSql, isSame: IsSame): TableView[] => [
  {
    name: 'past_moved_ranges',
    isMaterialized: true,
    stored: ['networks'],
    sql: `SELECT s.first_key, s.last_key FROM ${stored('networks')} AS s WHERE NOT (${isSame('network', 's.id')})
        AND NOT EXISTS (SELECT 1 FROM then_network AS t WHERE t.id = s.id AND ${isSameRange(text)})
      UNION SELECT ${text('t.derived', 'first')}, ${text('t.derived', 'last')} FROM then_network AS t
        WHERE NOT EXISTS (SELECT 1 FROM ${stored('networks')} AS s WHERE s.id = t.id AND ${isSameRange(text)})`,
  },
  // The beginnings of the keys of all addresses in a network: whole digits, several for other prefixes.
  {
    name: 'past_heads',
    isMaterialized: true,
    sql: `SELECT n.id, n.prefix, substr(n.first_key, 1, ${whole}) || d.digit AS head FROM networks AS n
      JOIN (${['', ...DIGITS].map((digit) => `SELECT ${bytewise(`'${digit}'`)} AS digit`).join(' UNION ALL ')}) AS d
      ON CASE WHEN n.prefix % 4 = 0 THEN d.digit = '' ELSE d.digit <> ''
        AND d.digit BETWEEN substr(n.first_key, 1 + ${whole}, 1) AND substr(n.last_key, 1 + ${whole}, 1) END`,
  },
  {
    name: 'past_head_lengths',
    isMaterialized: true,
    sql: 'SELECT DISTINCT length(head) AS size FROM past_heads',
  },
  {
    name: 'past_placed',
    stored: ['addresses'],
    sql: `SELECT a.device_id, a.ip_key, a.network_id FROM then_addresses AS a
      UNION ALL SELECT s.device_id, s.ip_key, s.network_id FROM past_moved_ranges AS m
        CROSS JOIN ${stored('addresses')} AS s
        WHERE s.ip_key BETWEEN m.first_key AND m.last_key AND ${isSame('device', 's.device_id')}`,
  },
  {
    name: 'past_members',
    sql: `SELECT network_id, ip_key, device_id FROM past_placed WHERE network_id IS NOT NULL
      UNION SELECT id, ip_key, device_id FROM (
        SELECT h.id, p.ip_key, p.device_id, h.prefix, max(h.prefix) OVER (PARTITION BY p.device_id, p.ip_key) AS longest
        FROM past_placed AS p CROSS JOIN past_head_lengths AS l
        JOIN past_heads AS h ON h.head = substr(p.ip_key, 1, l.size) WHERE p.network_id IS NULL
      ) AS enclosing WHERE prefix = longest`,
  },
  {
    name: 'network_addresses',
    stored: ['network_addresses'],
    sql: `SELECT s.network_id, s.ip_key, s.device_id FROM ${stored('network_addresses')} AS s
        WHERE ${isSame('device', 's.device_id')}
        AND NOT EXISTS (SELECT 1 FROM past_moved_ranges AS m WHERE s.ip_key BETWEEN m.first_key AND m.last_key)
      UNION ALL SELECT network_id, ip_key, device_id FROM past_members`,
  },
]

/** Returns the hexadecimal digit of four addresses: the lowest has the highest bit, as in `net/occupancy.ts`. */
const buildDigitSql = (four: readonly string[]): string => {
  const weights = four.map((low, at) => `WHEN '${low}' THEN ${8 >> at}`).join(' ')
  return `substr('${DIGITS.join('')}', CAST(1 + sum(CASE low ${weights} ELSE 0 END) AS INTEGER), 1)`
}

const digits = [0, 4, 8, 12].map((from) => buildDigitSql(DIGITS.slice(from, from + 4))).join(' || ')
const lines = DIGITS.map((high) => `coalesce(max(CASE high WHEN '${high}' THEN line END), '0000')`).join(' || ')

const buildBlockSql = (key: string): string => `substr(${key}, 1, length(${key}) - 2)`

/**
 * Returns the bitmaps of taken addresses: the stored ones, except of blocks with an address of an object that has changed. An expired
 * reservation holds its address until it is deleted.
 */
export const buildOccupancyTables = (engine: PastSql, source: PastSource, isSame: IsSame): TableView[] => {
  const { stored, text, selectForEach } = engine
  const reserved = buildSpaceKey(engine, selectPoolSpace(text('t.before', 'pool_id')), text('t.derived', 'ip'))
  const isUnmoved = 'NOT EXISTS (SELECT 1 FROM past_moved_reservations AS m WHERE m.id = s.id)'
  const unchangedIn = (table: 'addresses' | 'reservations', isUnchanged: string): string =>
    selectForEach('past_blocks AS b', {
      columns: 's.ip_key',
      table,
      condition: `s.ip_key BETWEEN b.block || '00' AND b.block || 'ff' AND ${isUnchanged}`,
    })
  const changed = (kind: 'device' | 'reservation'): string =>
    `${source.find(engine).kind} = '${kind}' AND ${source.counts('h')}`
  return [
    {
      name: 'past_blocks',
      isMaterialized: true,
      stored: ['addresses', 'reservations', 'space_keys'],
      sql: `SELECT ${buildBlockSql('a.ip_key')} AS block FROM then_addresses AS a
        UNION SELECT ${buildBlockSql('s.ip_key')} FROM ${source.table} AS h CROSS JOIN ${stored('addresses')} AS s
          WHERE s.device_id = h.id AND ${changed('device')}
        UNION SELECT ${buildBlockSql(reserved)} FROM then_reservation AS t
        UNION SELECT ${buildBlockSql('m.ip_key')} FROM past_moved_reservations AS m
        UNION SELECT ${buildBlockSql('m.present_key')} FROM past_moved_reservations AS m
        UNION SELECT ${buildBlockSql('s.ip_key')} FROM ${source.table} AS h CROSS JOIN ${stored('reservations')} AS s
          WHERE s.id = h.id AND ${changed('reservation')}`,
    },
    {
      name: 'past_held',
      stored: ['addresses', 'reservations', 'space_keys'],
      sql: `SELECT a.ip_key FROM then_addresses AS a UNION SELECT ${reserved} FROM then_reservation AS t
        UNION ${unchangedIn('addresses', isSame('device', 's.device_id'))}
        UNION SELECT m.ip_key FROM past_moved_reservations AS m
        UNION ${unchangedIn('reservations', `${isSame('reservation', 's.id')} AND ${isUnmoved}`)}`,
    },
    {
      name: 'address_blocks',
      stored: ['address_blocks'],
      sql: `SELECT s.block, s.taken FROM ${stored('address_blocks')} AS s
          WHERE NOT EXISTS (SELECT 1 FROM past_blocks AS b WHERE b.block = s.block)
        UNION ALL SELECT block, ${lines} AS taken FROM (
          SELECT block, high, ${digits} AS line FROM (
            SELECT ${buildBlockSql('ip_key')} AS block, substr(ip_key, length(ip_key) - 1, 1) AS high,
              substr(ip_key, length(ip_key), 1) AS low FROM past_held
          ) AS parts GROUP BY block, high
        ) AS quarters GROUP BY block`,
    },
  ]
}
