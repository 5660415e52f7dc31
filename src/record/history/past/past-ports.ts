/** The tables of ports and cables as of a moment: their columns out of documents. */

import type { TableView } from '../../../database/cte-views.ts'
import type { PastSql } from '../../../database/query/past-sql.ts'
import type { IsSame } from './past-source.ts'

type Columns = Readonly<Record<string, string>>

const buildColumns = (engine: PastSql, names: readonly string[], as = (text: string) => text): Columns =>
  Object.fromEntries(names.map((name) => [name, as(engine.text('t.before', name))]))

const COMMON = ['description', 'refs', 'managed_by', 'created_at', 'updated_at', 'custom']

/** Returns the columns of `t`, a row of `then_port`. @param flag a JSON boolean as 0 or 1 */
export const buildPortColumns = (engine: PastSql, flag: (text: string) => string): Columns => ({
  id: 't.id',
  ...buildColumns(engine, [
    'name',
    'device_id',
    'kind',
    'type',
    'mac_address',
    'parent_id',
    'tagged_vlan_ids',
    ...COMMON,
  ]),
  ...buildColumns(engine, ['speed_mbps', 'vlan_id'], (text) => `CAST(${text} AS INTEGER)`),
  ...buildColumns(engine, ['enabled', 'pass_through'], flag),
  name_key: 't.sort_key',
  sort_key: 't.order_key',
})

const getEnd = ({ text }: PastSql, end: 'a' | 'b') => ({
  port: text('t.before', end, 'port_id'),
  side: text('t.before', end, 'side'),
})

/** Returns the columns of `t`, a row of `then_cable`. */
export const buildCableColumns = (engine: PastSql): Columns => {
  const [a, b] = [getEnd(engine, 'a'), getEnd(engine, 'b')]
  return {
    id: 't.id',
    ...buildColumns(engine, ['type', 'label', 'color', 'status', ...COMMON]),
    ...buildColumns(engine, ['length_m'], (text) => `CAST(${text} AS DOUBLE PRECISION)`),
    label_key: 't.sort_key',
    label_order: 't.order_key',
    ...{ a_port_id: a.port, a_side: a.side, b_port_id: b.port, b_side: b.side },
  }
}

/** Returns the ends of cables: two rows of each. @param isSame true for an object that has not changed since */
export const buildCableEnds = (engine: PastSql, isSame: IsSame): TableView => {
  const columns = ['port_id', 'side', 'cable_id', 'other_port_id', 'other_side']
  const cut = (from: 'a' | 'b', to: 'a' | 'b'): string => {
    const [end, other] = [getEnd(engine, from), getEnd(engine, to)]
    const values = [end.port, end.side, 't.id', other.port, other.side]
    return `SELECT ${values.map((value, i) => `${value} AS ${columns[i]}`).join(', ')} FROM then_cable AS t`
  }
  return {
    name: 'cable_ends',
    stored: ['cable_ends'],
    sql: `SELECT ${columns.map((name) => `s.${name}`).join(', ')} FROM ${engine.stored('cable_ends')} AS s
      WHERE ${isSame('cable', 's.cable_id')} UNION ALL ${cut('a', 'b')} UNION ALL ${cut('b', 'a')}`,
  }
}
