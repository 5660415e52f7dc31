/** The places of devices in racks: what a device is given becomes a whole place, and no two devices have one place. */
import { type AppError, type FieldIssue, invalid } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findDatacentersAbove } from '../datacenters/datacenters.ts'
import type { DeviceType } from '../device-types/api.ts'
import { findDeviceTypes } from '../device-types/device-types.ts'
import type { Rack } from '../racks/api.ts'
import type { GivenMount, Mount } from '../racks/mount.ts'
import { isInside, overlap, type RackPosition, toRackPlace } from '../racks/placement.ts'
import { findRacks } from '../racks/racks.ts'
import { findMountedIn, lockPositions } from '../racks/store.ts'
import { arrange } from './apply-patch.ts'
import type { Change } from './list/search-text.ts'
import type { Device } from './schema.ts'
import * as store from './store.ts'

/** A device keeps its position if this is undefined. */
type Given = { readonly mount?: GivenMount | null | undefined; readonly datacenter_id?: string | null | undefined }

/** A device as the other fields leave it, and the place that it is given. */
export type Mounting = { readonly device: Device; readonly given: GivenMount | null | undefined }

/** The device with its place and the datacenter of its rack, and what is wrong with them. */
type Mounted = { readonly device: Device; readonly issues: readonly FieldIssue[] }

/** The racks of devices with a changing datacenter. */
const findCurrentRacks = async (ctx: Ctx, ids: readonly string[]): Promise<string[]> => {
  if (ids.length === 0) return []
  const docs = await ctx.store.sql.besideOthers(() => store.findDocs(ctx, ids))
  if (!docs) return []
  // The column holds the JSON of a device.
  return [...docs.values()].flatMap((doc) => (JSON.parse(doc) as Device).mount?.rack_id ?? [])
}

/** Locks the racks of these devices until commit, before rows are locked. */
export const lockRacks = async (ctx: Ctx, all: readonly (Given & { readonly id?: string | undefined })[]) => {
  const given = all.flatMap(({ mount }) => mount?.rack_id ?? [])
  const moved = all.flatMap(({ id, mount, datacenter_id }) =>
    id !== undefined && !mount && datacenter_id !== undefined ? [id] : [],
  )
  await lockPositions(ctx, [...given, ...(await findCurrentRacks(ctx, moved))])
}

/** Returns the device with a place; without a place it has no such field. */
export const withMount = (device: Device, mount: Mount | undefined): Device => {
  const { mount: _, ...rest } = device
  return arrange(mount ? { ...rest, mount } : rest)
}

/** Returns the whole place. Absent parts are taken from the device type. */
const completeMount = (given: GivenMount, type: DeviceType | undefined): Mount => ({
  rack_id: given.rack_id,
  position: given.position,
  height: given.height ?? type?.height ?? 1,
  face: given.face,
  full_depth: given.full_depth ?? type?.full_depth ?? true,
  slot: given.slot,
  power_w: given.power_w ?? type?.power_w ?? null,
})

const formatUnits = ({ first_unit, height }: Rack): string => `${first_unit} to ${first_unit + height - 1}`

/** Names the rack, which may be hidden from the caller of a scoped write. */
const formatRack = (ctx: Ctx, { name }: Rack): string => (ctx.canListAll('racks') ? `the rack "${name}"` : 'the rack')

const findPositionIssue = (ctx: Ctx, mount: Mount, rack: Rack): FieldIssue | undefined => {
  const { position, height } = mount
  if (position === null) return undefined
  if (height === 0) return { field: 'mount.position', message: 'must be null for a device of height 0' }
  if (isInside({ position, height }, rack)) return undefined
  const units = ctx.canListAll('racks') ? `, which has the units ${formatUnits(rack)}` : ''
  return { field: 'mount.position', message: `would be outside of ${formatRack(ctx, rack)}${units}` }
}

const validateHeight = (given: GivenMount, type: DeviceType | undefined): FieldIssue[] =>
  given.height === 0 && type?.height !== 0
    ? [{ field: 'mount.height', message: 'must be 0.5 to 100; 0 is that of a device type that goes in no unit' }]
    : []

/** The datacenter that a device in the rack has. */
const withRackDatacenter = async (ctx: Ctx, device: Device, rack: Rack): Promise<Mounted> => {
  const { datacenter_id } = rack
  if (datacenter_id === null || device.datacenter_id === datacenter_id) return { device, issues: [] }
  const isAbove =
    device.datacenter_id === null || (await findDatacentersAbove(ctx, datacenter_id)).includes(device.datacenter_id)
  if (isAbove) return { device: { ...device, datacenter_id }, issues: [] }
  const message = `${formatRack(ctx, rack)} is in another datacenter than the device`
  return { device, issues: [{ field: 'mount.rack_id', message }] }
}

type Known = { readonly racks: ReadonlyMap<string, Rack>; readonly types: ReadonlyMap<string, DeviceType> }

const applyMount = async (ctx: Ctx, { device, given }: Mounting, { racks, types }: Known): Promise<Mounted> => {
  if (given === null) return { device: withMount(device, undefined), issues: [] }
  const rackId = given?.rack_id ?? device.mount?.rack_id
  if (rackId === undefined) return { device, issues: [] }
  const rack = racks.get(rackId)
  if (!rack) return { device, issues: [{ field: 'mount.rack_id', message: `there is no rack with id "${rackId}"` }] }
  const { device: placed, issues } = await withRackDatacenter(ctx, device, rack)
  if (given === undefined) return { device: placed, issues }
  const type = types.get(device.device_type_id ?? '')
  const mount = completeMount(given, type)
  const outside = findPositionIssue(ctx, mount, rack)
  return {
    device: withMount(placed, mount),
    issues: [...issues, ...validateHeight(given, type), ...(outside ? [outside] : [])],
  }
}

const listTypeIds = (all: readonly Mounting[]): string[] =>
  all.flatMap(({ device, given }) => (given && device.device_type_id ? [device.device_type_id] : []))

/** Returns the devices with their places, with one query for all racks. Without a place there is none. */
export const mountAll = async (ctx: Ctx, all: readonly Mounting[]): Promise<Mounted[]> => {
  const rackIds = all.flatMap(({ device, given }) => given?.rack_id ?? device.mount?.rack_id ?? [])
  const known = { racks: await findRacks(ctx, rackIds), types: await findDeviceTypes(ctx, listTypeIds(all)) }
  return Promise.all(all.map((one) => applyMount(ctx, one, known)))
}

/** Returns a change with the place that the device is given and the datacenter of its rack. */
export const mountChange = async (
  ctx: Ctx,
  change: Change,
  given: GivenMount | null | undefined,
): Promise<{ readonly change: Change; readonly issues: readonly FieldIssue[] }> => {
  const { before, changes } = change
  if (given === undefined && !(before.mount && changes.includes('datacenter_id'))) return { change, issues: [] }
  const [mounted] = await mountAll(ctx, [{ device: change.device, given }])
  if (!mounted) throw new Error('one device is mounted once')
  const { device, issues } = mounted
  const others: (keyof Device)[] = changes.filter((field) => field !== 'datacenter_id')
  if (device.datacenter_id !== before.datacenter_id) others.push('datacenter_id')
  if (!Bun.deepEquals(device.mount, before.mount)) others.push('mount')
  return { change: { before, device, changes: others }, issues }
}

/** A device in the rack, stored or in this batch. */
type Holder = { readonly name: string; readonly place: RackPosition }

const createTakenError = (ctx: Ctx, { name, place: position }: Holder): AppError =>
  invalid([
    {
      field: 'mount.position',
      message: ctx.canListAll('devices')
        ? `overlaps the device "${name}" at ${position.position}, ${position.height} high, slot ${position.slot}`
        : 'overlaps another device',
    },
  ])

/**
 * Returns the devices that may not have their places, with the reason: another device is there. The state after all of them
 * counts, so that they may exchange places.
 * @param all as they will be
 */
export const findRefusedMounts = async (ctx: Ctx, all: readonly Device[]): Promise<Map<string, AppError>> => {
  const refused = new Map<string, AppError>()
  const wanted = all.flatMap((device) => {
    const position = device.mount && toRackPlace(device.mount)
    return device.mount && position ? [{ device, place: position, rackId: device.mount.rack_id }] : []
  })
  if (wanted.length === 0) return refused
  const ids = new Set(all.map(({ id }) => id))
  const holders = new Map<string, Holder[]>()
  const add = (rackId: string, holder: Holder) => holders.set(rackId, [...(holders.get(rackId) ?? []), holder])
  for (const { id, name, mount } of await findMountedIn(ctx, [...new Set(wanted.map(({ rackId }) => rackId))])) {
    const position = toRackPlace(mount)
    if (position && !ids.has(id)) add(mount.rack_id, { name, place: position })
  }
  for (const { device, place: position, rackId } of wanted) {
    const holder = holders.get(rackId)?.find((one) => overlap(one.place, position))
    if (holder) refused.set(device.id, createTakenError(ctx, holder))
    else add(rackId, { name: device.name, place: position })
  }
  return refused
}

/** @throws AppError VALIDATION_ERROR if another device is in the place of this one */
export const claimMount = async (ctx: Ctx, device: Device): Promise<void> => {
  const [error] = (await findRefusedMounts(ctx, [device])).values()
  if (error) throw error
}
