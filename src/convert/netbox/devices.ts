/** Devices and virtual machines become devices. */
import type { EstateRow } from '../converter.ts'
import type { Line } from '../report-builder.ts'
import type { Mounts } from '../rows/mounts.ts'
import { compact, filterTags, MAX_ASSET_TAG, MAX_ROLE, MAX_SERIAL } from '../rows/row-text.ts'
import { type AddressContext, buildAddresses } from './addresses.ts'
import { FURTHER_STATUSES } from './custom/own-fields.ts'
import type { DeviceTypes } from './device-types.ts'
import { getDeviceName, type Owner } from './interfaces.ts'
import { addRow, listLines, markDone, type RowRef, toRef, toRefs, toText } from './mapping.ts'
import type { Target } from './model.ts'
import { CHASSIS, toGigabytes } from './objects/machines.ts'
import { findDatacenter, LOCATION, listPlaceLines, toPlaceRef } from './places.ts'
import { buildMount, findDevicePlace } from './racks.ts'
import type { NetboxObject } from './read/objects.ts'

const DEVICE = 'dcim.device'
const MACHINE = 'virtualization.virtualmachine'

const BAY = 'dcim.devicebay'
const BAY_USED = new Set(['name', 'device', 'installed_device'])

const STATUS: Readonly<Record<string, string>> = {
  planned: 'planned',
  staged: 'planned',
  inventory: 'planned',
  offline: 'maintenance',
  failed: 'maintenance',
  decommissioning: 'decommissioned',
}

/** The words that follow from the status in Plat. */
const SAID_STATUSES: ReadonlySet<string> = new Set(['active', 'planned', 'offline', 'decommissioning'])

const DEVICE_USED = new Set(
  (
    'name description status site location rack position face device_type platform role tags primary_ip primary_ip4 primary_ip6 ' +
    'serial asset_tag'
  ).split(' '),
)
const MACHINE_USED = new Set(
  'name description status site device platform role tags primary_ip primary_ip4 primary_ip6 serial vcpus memory disk'.split(
    ' ',
  ),
)

/** Primary addresses that are on no interface of the device, so that its list of addresses does not tell them. */
const listPrimaryLines = ({ model, interfaces }: AddressContext, owner: Owner, object: NetboxObject): Line[] =>
  ['primary_ip4', 'primary_ip6'].flatMap((field) => {
    const id = object[field]
    if (id === undefined) return []
    const isOwn = interfaces.of(owner, object.id).some(({ addresses }) => addresses.some((one) => one.id === id))
    return isOwn ? [] : [{ key: field, value: model.label('ipam.ipaddress', id) }]
  })

/** A disk that is no whole number of gigabytes. */
const listSizeLines = ({ model }: AddressContext, { disk }: NetboxObject): Line[] =>
  disk !== undefined && toGigabytes(model, disk) === undefined ? [{ key: 'disk', value: disk }] : []

type Parts = {
  readonly kind: Owner
  readonly object: NetboxObject
  readonly name: string
  readonly used: ReadonlySet<string>
  readonly tags: readonly string[]
  readonly location?: string
  readonly makeModel?: string
  readonly datacenter: RowRef | undefined
  readonly deviceType?: RowRef | undefined
  readonly mount?: EstateRow | undefined
}

type DevicesContext = AddressContext & {
  readonly types: DeviceTypes
  readonly mounts: Mounts
  /** The asset tags of devices, in small letters. */
  readonly assetTags: Set<string>
}

/** The number of a device in a stack is a custom field, if the stack is in the file. */
const listUsed = ({ model }: AddressContext, { virtual_chassis: stack }: NetboxObject, used: ReadonlySet<string>) =>
  typeof stack === 'number' && model.isListed(CHASSIS, stack) ? new Set([...used, 'vc_position']) : used

const buildDeviceRow = (context: DevicesContext, parts: Parts): EstateRow => {
  const { model, report, custom } = context
  const { kind, object, used } = parts
  const { id, description, platform } = object
  const status = String(object.status ?? 'active')
  const mapped = STATUS[status] ?? 'active'
  const addresses = buildAddresses(context, kind, object)
  const lines = listLines(context, { kind, object, used: listUsed(context, object, used) })
  const comments = lines.filter(({ key }) => key === 'comments')
  const at = (field: string) => ({ kind, id, field })
  return compact({
    name: toText(context, at('name'), parts.name),
    make_model: toText(context, at('device_type'), parts.makeModel),
    os: platform === undefined ? '' : toText(context, at('platform'), model.label('dcim.platform', platform)),
    status: mapped,
    ...buildIdentity(context, kind, object),
    datacenter: parts.datacenter,
    location: toText(context, at('location'), parts.location),
    device_type: parts.deviceType,
    mount: parts.mount,
    tags: filterTags(report, { what: `${kind}.tags`, id }, [...parts.tags, ...model.tags(object)]),
    addresses: addresses.rows,
    domains: addresses.domains,
    description: report.describe(kind, id, String(description ?? ''), [
      { key: 'status', value: SAID_STATUSES.has(status) || FURTHER_STATUSES[kind]?.has(status) ? '' : status },
      ...lines.filter(({ key }) => key !== 'comments'),
      ...listPrimaryLines(context, kind, object),
      ...listPlaceLines(context, object),
      ...listSizeLines(context, object),
      ...addresses.lines,
      ...comments,
    ]),
    custom: custom.of(kind, object),
    refs: toRefs(kind, id),
  })
}

/** Returns the role, the serial number and the asset tag. Asset tags are unique in any case: a later one is left over. */
const buildIdentity = (context: DevicesContext, kind: Owner, { id, role, serial, asset_tag }: NetboxObject) => {
  const at = (field: string) => ({ kind, id, field })
  const tag = toText(context, at('asset_tag'), asset_tag, MAX_ASSET_TAG)
  const isTaken = tag !== '' && context.assetTags.has(tag.toLowerCase())
  if (isTaken) context.report.left(`${kind}.asset_tag`, 'is the asset tag of another device', { id, value: asset_tag })
  context.assetTags.add(tag.toLowerCase())
  return {
    role: role === undefined ? '' : toText(context, at('role'), context.model.label('dcim.devicerole', role), MAX_ROLE),
    serial: toText(context, at('serial'), serial, MAX_SERIAL),
    asset_tag: isTaken ? '' : tag,
  }
}

type Location = { readonly isMounted: boolean; readonly place: Target | undefined }

/** Returns the room, if the datacenter does not say it, and the place in a rack that is no row. */
const formatLocation = (
  { model }: AddressContext,
  { location, rack, position, face }: NetboxObject,
  { isMounted, place }: Location,
): string =>
  [
    location === undefined || (place?.kind === LOCATION && place.id === location)
      ? ''
      : model.label(LOCATION, location),
    ...(isMounted
      ? []
      : [
          rack === undefined ? '' : model.label('dcim.rack', rack),
          position === undefined ? '' : `U${position}`,
          String(face ?? '').toLowerCase(),
        ]),
  ]
    .filter((part) => part !== '')
    .join(', ')

const formatMakeModel = ({ model }: AddressContext, id: unknown): string => {
  if (id === undefined) return ''
  const type = model.find('dcim.devicetype', id)
  const maker = type?.manufacturer === undefined ? '' : model.label('dcim.manufacturer', type.manufacturer)
  return `${maker} ${model.label('dcim.devicetype', id)}`.trim()
}

const addDevices = (context: DevicesContext, rows: EstateRow[]): void => {
  const { types, mounts } = context
  for (const object of context.model.of(DEVICE)) {
    const place = findDevicePlace(context, object)
    const datacenter = toPlaceRef(place)
    const mount = buildMount(context, object, { mounts, size: types.sizeOf(object.device_type), datacenter })
    const row = buildDeviceRow(context, {
      kind: DEVICE,
      object,
      name: getDeviceName(context.model, object.id),
      used: DEVICE_USED,
      tags: [],
      location: formatLocation(context, object, { isMounted: mount !== undefined, place }),
      makeModel: formatMakeModel(context, object.device_type),
      datacenter,
      deviceType: types.refOf(object.device_type),
      mount,
    })
    addRow(rows, context, { kind: DEVICE, object, row })
  }
}

/** Returns the datacenter of a machine: its own, that of its cluster, or that of its host. */
const placeOfMachine = (context: AddressContext, object: NetboxObject): RowRef | undefined => {
  const { model } = context
  const others = [model.find('virtualization.cluster', object.cluster), model.find(DEVICE, object.device)]
  for (const place of [object, ...others]) {
    const datacenter = place && findDatacenter(context, place)
    if (datacenter) return datacenter
  }
  return undefined
}

/** Machines become devices, which their hosts contain. */
const addMachines = (context: DevicesContext, rows: EstateRow[]): EstateRow[] => {
  const { model } = context
  const contained: EstateRow[] = []
  for (const object of model.of(MACHINE)) {
    const { id, device } = object
    const hosts = typeof device === 'number' && model.isListed(DEVICE, device)
    const row = buildDeviceRow(context, {
      kind: MACHINE,
      object,
      name: String(object.name ?? '').trim() || `machine #${id}`,
      used: hosts ? MACHINE_USED : new Set([...MACHINE_USED].filter((field) => field !== 'device')),
      tags: ['vm'],
      datacenter: placeOfMachine(context, object),
    })
    addRow(rows, context, { kind: MACHINE, object, row })
    if (hosts) contained.push({ parent: toRef(DEVICE, device), child: toRef(MACHINE, id), type: 'contains' })
  }
  return contained
}

/** Returns the relationships of chassis and the devices in their bays. */
const listBayRelationships = (context: AddressContext): EstateRow[] =>
  context.model.of(BAY).flatMap((bay) => {
    const { id, device, installed_device: child, name } = bay
    const isRow = (one: unknown): one is number => typeof one === 'number' && context.model.isListed(DEVICE, one)
    if (!isRow(device) || !isRow(child) || device === child) return []
    markDone(context, BAY, bay)
    const notes = context.report.describe(
      BAY,
      id,
      String(name ?? ''),
      listLines(context, { kind: BAY, object: bay, used: BAY_USED }),
    )
    return [compact({ parent: toRef(DEVICE, device), child: toRef(DEVICE, child), type: 'contains', notes })]
  })

/** Returns the rows of devices, and the relationships of hosts and machines, and of chassis and blades. */
export const buildDevices = (context: DevicesContext): { rows: EstateRow[]; relationships: EstateRow[] } => {
  const rows: EstateRow[] = []
  addDevices(context, rows)
  return { rows, relationships: [...addMachines(context, rows), ...listBayRelationships(context)] }
}
