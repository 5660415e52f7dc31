/** The queries of cables; the only writer of their tables. */
import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { type Refs, withRefs } from '../../platform/contract/external-fields.ts'
import { splitBatches } from '../../platform/db/batches.ts'
import { preparedKeys, preparedRows } from '../../platform/db/query/prepared-lists.ts'
import { createObjectRefs } from '../../platform/operation/object-refs.ts'
import type { Ctx } from '../ctx.ts'
import { recordCustom } from '../custom-fields/engine.ts'
import { formatCustom, withCustomOfRow } from '../custom-fields/rows.ts'
import { filterExistingDevices } from '../devices/devices.ts'
import type { Side } from '../ports/end.ts'
import type { Tables } from '../tables.ts'
import type { Cable } from './api.ts'
import type { CableEndRow, CableRow } from './table.ts'

/** A side of a port. */
export type StoredEnd = { readonly port_id: string; readonly side: Side }

/** A cable without the names of its ends, which may change. */
export type StoredCable = Omit<Cable, 'a' | 'b'> & { readonly a: StoredEnd; readonly b: StoredEnd }

const columns = [
  'id',
  'a_port_id',
  'a_side',
  'b_port_id',
  'b_side',
  'type',
  'label',
  'color',
  'length_m',
  'status',
  'description',
  'refs',
  'managed_by',
  'created_at',
  'updated_at',
  'custom',
] as const
const ALL_COLUMNS = [...columns, 'label_key'] as const
type Row = Pick<CableRow, (typeof columns)[number]>

/** In the SQL of queries, so that the planner sees that an index has the rows. */
export const USUAL_STATUS = sql.lit<'connected'>('connected')

// A cable without a label is named by its id.
const ofCables = createObjectRefs('cables', 'cable', 'label')

const toRow = ({ a, b, refs, ...cable }: StoredCable): CableRow => ({
  ...cable,
  ...{ a_port_id: a.port_id, a_side: a.side, b_port_id: b.port_id, b_side: b.side },
  refs: JSON.stringify(refs),
  custom: formatCustom(cable),
  label_key: cable.label.toLowerCase(),
})

/** Returns the object of a row. */
export const fromRow = (row: Row): StoredCable & { refs: Refs } => {
  const { id, a_port_id, a_side, b_port_id, b_side, ...fields } = withCustomOfRow(withRefs(row))
  return { id, a: { port_id: a_port_id, side: a_side }, b: { port_id: b_port_id, side: b_side }, ...fields }
}

const query = (ctx: Ctx) => ctx.db.selectFrom('cables').select(columns).orderBy('label_key').orderBy('id')

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
export const selectNamed = (ctx: Ctx) => query(ctx).select(selectNames)

/** The names of ports and devices that the caller may not list are null. */
export type NamedRow = Row & Readonly<Record<`${'a' | 'b'}_${'port' | 'device_id' | 'device'}`, string | null>>

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
  const { id, a, b, ...cable } = fromRow(row)
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

const byIds = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom('cables').select(columns).where('id', 'in', ids))

/** Returns the existing cables of those ids, by id. */
export const findAll = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, StoredCable>> =>
  new Map((await byIds(ctx, ids)).map((row) => [row.id, fromRow(row)]))

export const find = async (ctx: Ctx, id: string): Promise<StoredCable | undefined> => (await findAll(ctx, [id])).get(id)

/** Locks the rows of the existing cables of those ids until commit, and returns them by id. */
export const lockAll = async (ctx: Ctx, ids: readonly string[]): Promise<StoredCable[]> => {
  const locked: StoredCable[] = []
  for (const batch of splitBatches([...new Set(ids)].sort())) {
    const query = ctx.db.selectFrom('cables').select(columns).where('id', 'in', batch).orderBy('id')
    locked.push(...(await ctx.store.sql.lockRows(query).execute()).map(fromRow))
  }
  return locked
}

/** Returns the existing cables of those ids, as JSON text by id. */
export const findDocuments = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> =>
  new Map((await byIds(ctx, ids)).map((row) => [row.id, JSON.stringify(fromRow(row))]))

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

/** Locks the refs of a new cable until commit. @throws RefTakenError */
export const claimRefs = ofCables.claim

const insertEnds = preparedRows(
  ['port_id', 'side', 'cable_id', 'other_port_id', 'other_side'],
  (db: Kysely<Tables>, rows: CableEndRow[]) => db.insertInto('cable_ends').values(rows),
)
const insertRows = preparedRows(ALL_COLUMNS, (db: Kysely<Tables>, rows: CableRow[]) =>
  db.insertInto('cables').values(rows),
)

const endRow = (cable_id: string, { port_id, side }: StoredEnd, other: StoredEnd): CableEndRow => ({
  ...{ port_id, side, cable_id, other_port_id: other.port_id, other_side: other.side },
})

export const insert = async (ctx: Ctx, cable: StoredCable): Promise<void> => {
  const { id, a, b } = cable
  await insertRows(ctx, [toRow(cable)])
  await insertEnds(ctx, [endRow(id, a, b), endRow(id, b, a)])
  await ofCables.insert(ctx, [cable])
  await recordCustom(ctx, 'cables', [{ id, after: cable.custom }])
  ctx.changed('cable', { id, after: JSON.stringify(cable) })
}

export const updateRow = async (ctx: Ctx, before: StoredCable, cable: StoredCable): Promise<void> => {
  const { id } = cable
  await ctx.db.updateTable('cables').set(toRow(cable)).where('id', '=', id).execute()
  await ofCables.update(ctx, before, cable)
  await recordCustom(ctx, 'cables', [{ id, before: before.custom, after: cable.custom }])
  ctx.changed('cable', { id, before: JSON.stringify(before), after: JSON.stringify(cable) })
}

/** Stores the values of custom fields alone, which is no change of the cable. */
export const renameCustom = async (ctx: Ctx, cable: StoredCable): Promise<void> => {
  await ctx.db
    .updateTable('cables')
    .set({ custom: formatCustom(cable) })
    .where('id', '=', cable.id)
    .execute()
}

/** Deletes locked cables. */
export const removeAll = async (ctx: Ctx, cables: readonly StoredCable[]): Promise<void> => {
  for (const batch of splitBatches(cables.map(({ id }) => id))) {
    await ctx.db.deleteFrom('cable_ends').where('cable_id', 'in', batch).execute()
    await ctx.db.deleteFrom('cables').where('id', 'in', batch).execute()
  }
  await ofCables.remove(ctx, cables)
  await recordCustom(
    ctx,
    'cables',
    cables.map(({ id, custom }) => ({ id, before: custom })),
  )
  for (const cable of cables) ctx.changed('cable', { id: cable.id, before: JSON.stringify(cable) })
}
