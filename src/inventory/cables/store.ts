/** The queries of cables, and of their ends. */
import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedKeys, preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { objectStore } from '../../resource/store.ts'
import { filterExistingDevices } from '../devices/devices.ts'
import type { Side } from '../ports/end.ts'
import type { Cable } from './api.ts'
import { cableFacts } from './resource.ts'
import type { CableEndRow, CableRow } from './table.ts'

/** A side of a port. */
export type StoredEnd = { readonly port_id: string; readonly side: Side }

/** A cable without the names of its ends, which may change. */
export type StoredCable = Omit<Cable, 'a' | 'b'> & { readonly a: StoredEnd; readonly b: StoredEnd }

/** In the SQL of queries, so that the planner sees that an index has the rows. */
export const USUAL_STATUS = sql.lit<'connected'>('connected')

const insertEndRows = preparedRows(
  ['port_id', 'side', 'cable_id', 'other_port_id', 'other_side'],
  (db: Kysely<Tables>, rows: CableEndRow[]) => db.insertInto('cable_ends').values(rows),
)

const toEndRow = (cable_id: string, { port_id, side }: StoredEnd, other: StoredEnd): CableEndRow => ({
  ...{ port_id, side, cable_id, other_port_id: other.port_id, other_side: other.side },
})

type Row = Omit<CableRow, 'label_key' | 'label_order'>

export const store = objectStore<typeof cableFacts, StoredCable>(cableFacts, {
  elsewhere: ['a', 'b'],
  columns: ['a_port_id', 'a_side', 'b_port_id', 'b_side'],
  toColumns: (_, cables) =>
    cables.map(({ a, b }) => ({ a_port_id: a.port_id, a_side: a.side, b_port_id: b.port_id, b_side: b.side })),
  fromColumns: ({ id, a_port_id, a_side, b_port_id, b_side, ...fields }: Row) => ({
    id,
    a: { port_id: a_port_id, side: a_side },
    b: { port_id: b_port_id, side: b_side },
    ...fields,
  }),
  removeParts: async ({ db }, cables) => {
    for (const batch of splitBatches(cables.map(({ id }) => id)))
      await db.deleteFrom('cable_ends').where('cable_id', 'in', batch).execute()
  },
  // The ends of a cable never change.
  writeParts: (ctx, writes) =>
    insertEndRows(
      ctx,
      writes.flatMap(({ before, after }) => {
        if (before || !after) return []
        const { id, a, b } = after
        return [toEndRow(id, a, b), toEndRow(id, b, a)]
      }),
    ),
})
export const { findAll } = store

type Expressions = ExpressionBuilder<Tables, 'cables'>

const selectPort = (eb: Expressions, end: 'a' | 'b') =>
  eb.selectFrom('ports').whereRef('ports.id', '=', `cables.${end}_port_id`)

const selectDeviceName = (eb: Expressions, end: 'a' | 'b') =>
  selectPort(eb, end).innerJoin('devices', 'devices.id', 'ports.device_id').select('devices.name').$asScalar()

/** Selects the names of the ends. Counts of the list leave them out. */
const selectNames = (eb: Expressions) =>
  [
    selectPort(eb, 'a').select('ports.name').$asScalar().as('a_port'),
    selectPort(eb, 'a').select('ports.device_id').$asScalar().as('a_device_id'),
    selectDeviceName(eb, 'a').as('a_device'),
    selectPort(eb, 'b').select('ports.name').$asScalar().as('b_port'),
    selectPort(eb, 'b').select('ports.device_id').$asScalar().as('b_device_id'),
    selectDeviceName(eb, 'b').as('b_device'),
  ] as const

/** Cables with the names of their ends, by label. */
export const selectNamed = (ctx: Ctx) =>
  // The rows have columns in place of the ends.
  (store.query(ctx) as object as SelectQueryBuilder<Tables, 'cables', CableRow>).select(selectNames)

/** The names of ports and devices that the caller may not list are null. */
export type NamedRow = CableRow & Readonly<Record<`${'a' | 'b'}_${'port' | 'device_id' | 'device'}`, string | null>>

/** Returns the object of a row with names. */
export const fromNamedRow = ({
  a_port,
  a_device_id,
  a_device,
  b_port,
  b_device_id,
  b_device,
  ...row
}: NamedRow): Cable => {
  const { id, a, b, ...cable } = store.fromRow(row)
  return {
    id,
    a: { device_id: a_device_id ?? '', device: a_device ?? '', port_id: a.port_id, port: a_port ?? '', side: a.side },
    b: { device_id: b_device_id ?? '', device: b_device ?? '', port_id: b.port_id, port: b_port ?? '', side: b.side },
    ...cable,
  }
}

/** The ids of the cables with an end at a device. */
export const selectIdsAtDevice = (ctx: Ctx, deviceId: string) =>
  ctx.db
    .selectFrom('ports')
    .innerJoin('cable_ends', 'cable_ends.port_id', 'ports.id')
    .select('cable_ends.cable_id')
    .where('ports.device_id', '=', deviceId)

const endsByPorts = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('cable_ends')
    .select(['port_id', 'side', 'cable_id', 'other_port_id', 'other_side'])
    .where('port_id', 'in', ids),
)

/** Ends with equal keys are the same side of the same port. No id contains a space. */
export const endKey = ({ port_id, side }: StoredEnd): string => `${port_id} ${side}`

/** Returns the sides of these ports that have a cable, by `endKey`. */
export const findEnds = async (ctx: Ctx, portIds: readonly string[]): Promise<Map<string, CableEndRow>> =>
  new Map((await endsByPorts(ctx, portIds)).map((end) => [endKey(end), end]))

const labelled = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('ports')
    .innerJoin('devices', 'devices.id', 'ports.device_id')
    .select(['ports.id', 'ports.name as port', 'ports.pass_through', 'ports.device_id', 'devices.name as device'])
    .where('ports.id', 'in', ids),
)

/** A port and its device, by their names. */
export type NamedPort = Awaited<ReturnType<typeof labelled>>[number]

const visiblePorts = preparedKeys((db: Kysely<Tables>, ids) =>
  db.selectFrom('ports').select('id').where('id', 'in', ids),
)

/**
 * Returns the existing ports of those ids with their names, by id. Of a port that the context does not show, the device and the names are
 * empty; of a device, its name.
 */
export const findNamedPorts = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, NamedPort>> => {
  const { unscoped } = ctx
  const all = await labelled(unscoped, ids)
  if (unscoped === ctx) return new Map(all.map((port) => [port.id, port]))
  const deviceIds = [...new Set(all.map(({ device_id }) => device_id))]
  const ports = new Set((await visiblePorts(ctx, ids)).map(({ id }) => id))
  const devices = await filterExistingDevices(ctx, deviceIds)
  return new Map(
    all.map((port) => {
      if (!ports.has(port.id)) return [port.id, { ...port, port: '', device_id: '', device: '' }]
      return [port.id, devices.has(port.device_id) ? port : { ...port, device: '' }]
    }),
  )
}
