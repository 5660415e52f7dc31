/** Plans the addresses that a source has moved from one device to another. Only a document that adds to lists needs it. */
import { type AppError, invalidField } from '../../contract/errors.ts'
import { isRecord } from '../../contract/unknown.ts'
import * as devices from '../../inventory/devices/devices.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Document } from '../../record/history/kinds.ts'
import { formatRowName, type KeptAddresses, type Plan, type Planning } from '../plan/context.ts'
import { buildUpdate, RowChanges } from '../plan/deferred.ts'
import { buildAddressKey } from './known-part.ts'
import type { Fields } from './references.ts'
import { type PlannedChange, toStoredForm } from './row.ts'

/** An address that the document gives to a device, and a device of the document that has it as well. */
type Move = {
  readonly from: KeptAddresses
  readonly address: Fields
  readonly to: PlannedChange
  readonly place: number
}

const listAddresses = ({ addresses }: Document): readonly Fields[] =>
  Array.isArray(addresses) ? addresses.filter(isRecord) : []

const parseBefore = ({ before }: PlannedChange): Document =>
  // The JSON of an object.
  before === undefined ? {} : (JSON.parse(before) as Document)

const findMoves = ({ kept, changes }: Planning): Move[] => {
  const holders = new Map<string, { readonly from: KeptAddresses; readonly address: Fields }[]>()
  for (const from of kept)
    for (const address of from.addresses) {
      const key = buildAddressKey(address)
      holders.set(key, [...(holders.get(key) ?? []), { from, address }])
    }
  return changes.flatMap((to) => {
    if (to.resource !== 'devices') return []
    const given = [...listAddresses(to.document).entries()].filter(([, one]) => holders.has(buildAddressKey(one)))
    if (given.length === 0) return []
    const had = new Set(listAddresses(parseBefore(to)).map(buildAddressKey))
    return given.flatMap(([place, one]) => {
      const key = buildAddressKey(one)
      if (had.has(key)) return []
      return (holders.get(key) ?? [])
        .filter(({ from }) => from.stored.id !== to.id)
        .map((held) => ({ ...held, to, place }))
    })
  })
}

/** The fields of an address that belong to the port of a device. They stay behind. */
const OF_PORT: ReadonlySet<string> = new Set(['label', 'interface', 'switch_port', 'mac_address'])

const isFamily = (value: unknown): boolean => value === 'ipv4' || value === 'ipv6'

/** Returns an address with what the device before has known of it, where the row does not say it. */
export const takeAlong = (given: Fields, held: Fields): Fields => {
  const isSaid = ([field, value]: [string, unknown]): boolean =>
    value !== null && value !== '' && !(field === 'type' && isFamily(value))
  const own = Object.fromEntries(Object.entries(given).filter(isSaid))
  const along = Object.fromEntries(Object.entries(held).filter(([field]) => !OF_PORT.has(field)))
  const custom = isRecord(held.custom) ? { ...held.custom, ...(isRecord(own.custom) ? own.custom : {}) } : own.custom
  return { ...given, ...along, ...own, ...(custom !== undefined && { custom }) }
}

/** Gives an address with its known fields to the device that has it now. */
const give = (to: PlannedChange, { place, address }: Move, { addressDefaults: defaults }: Planning): PlannedChange => {
  const addresses = listAddresses(to.document).map((one, i) => (i === place ? takeAlong(one, address) : one))
  const document = { ...to.document, addresses }
  if (to.change === 'create') return { ...to, document }
  const before = parseBefore(to)
  const field = { from: before.addresses ?? null, to: toStoredForm('addresses', addresses, { before, defaults }) }
  return { ...to, document, fields: { ...to.fields, addresses: field } }
}

type Release = { readonly rows: RowChanges; readonly from: KeptAddresses; readonly moves: readonly Move[] }

/** Takes the moved addresses away from the device that had them. */
const release = ({ rows, from, moves }: Release, { addressDefaults }: Planning): void => {
  const { at, stored } = from
  const { document: before, json, id } = stored
  const place = { resource: 'devices', at } as const
  const known = rows.get(place)
  const moved = new Set(moves.map(({ address }) => buildAddressKey(address)))
  const now = listAddresses(known?.document.addresses === undefined ? before : known.document)
  const left = [...now.entries()].filter(([, one]) => !moved.has(buildAddressKey(one)))
  const empty = { ...place, id, name: formatRowName('devices', before), row: at, document: {}, before: json }
  const change = buildUpdate(
    before,
    known ?? { ...empty, change: 'update' },
    { addresses: left.map(([, one]) => one) },
    addressDefaults,
  )
  if (!change) return
  const places = known?.places?.map((old) => left.findIndex(([one]) => one === old))
  const givesTo = moves.map(({ to, address }) => ({ id: to.id, ip: String(address.ip), name: to.name }))
  rows.set(place, { ...change, givesTo, ...(places && { places }) })
}

/** Called once all rows are planned. */
export const planMoves = (planning: Planning): void => {
  if (planning.kept.length === 0) return
  const moves = findMoves(planning)
  if (moves.length === 0) return
  const { changes } = planning
  const places = new Map([...changes.entries()].map(([at, { resource, id }]) => [`${resource} ${id}`, at]))
  for (const move of moves) {
    const at = places.get(`devices ${move.to.id}`)
    const to = at === undefined ? undefined : changes[at]
    if (at !== undefined && to) changes[at] = give(to, move, planning)
  }
  const rows = new RowChanges(planning)
  for (const [from, some] of Map.groupBy(moves, (move) => move.from)) release({ rows, from, moves: some }, planning)
}

/** Returns the errors of devices that give addresses to refused devices: the addresses would belong to no device. */
export const findGiverErrors = (
  changes: readonly PlannedChange[],
  errors: ReadonlyMap<PlannedChange, AppError>,
): Map<PlannedChange, AppError> => {
  const refused = new Set([...errors.keys()].map(({ id }) => id))
  return new Map(
    changes.flatMap((change) => {
      const given = errors.has(change) ? undefined : change.givesTo?.find(({ id }) => refused.has(id))
      if (!given) return []
      const message = `${given.ip} goes to the device ${JSON.stringify(given.name)}, which has errors`
      return [[change, invalidField('addresses', message)]]
    }),
  )
}

/**
 * Locks the devices that a plan changes until commit.
 * @returns false if another caller has changed one since the plan: its lists would lose that change
 */
export const lockDevices = async (tx: Ctx, changes: Plan['changes']): Promise<boolean> => {
  const updates = changes.filter(({ resource, change }) => resource === 'devices' && change === 'update')
  const documents = await tx.store.sql.besideOthers(() =>
    devices.lockDocuments(
      tx,
      updates.map(({ id }) => id),
    ),
  )
  return documents === undefined || updates.every(({ id, before }) => documents.get(id) === before)
}
