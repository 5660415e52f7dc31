/**
 * The filters of the NetBox API as an independent test on answers: for each filter, whether an object of an answer has a value, and which values
 * are worth asking for. It follows the documentation of the filters and no code of theirs.
 */
import { REGISTERED } from '../../../src/netbox/endpoints/registry.ts'
import { holds, holdsIp, isAddress, parseBlock } from './ip.ts'
import { type Item, type Lists, listOf, pick } from './lists.ts'
import { listPlaces } from './places.ts'

/** Reads the texts, numbers or truth values of an object by which a filter finds it. */
type Read = (item: Item, lists: Lists) => readonly unknown[]

export type Rule = {
  readonly is: 'text' | 'number' | 'moment' | 'flag' | 'choice' | 'object' | 'all' | 'own' | 'words'
  /** The values of an object. */
  readonly read: Read
  /** A comparison of its own. */
  readonly test?: (item: Item, wanted: string, lists: Lists) => boolean
  /** Values beside the ones of objects. */
  readonly more?: (lists: Lists) => readonly string[]
  /** An unknown value finds nothing, where others are refused. */
  readonly isLenient?: true
}

const objects = (read: Read, by: string, more: Partial<Rule> = {}): Rule => ({
  is: 'object',
  read: (item, lists) => read(item, lists).map((one) => pick(one, by)),
  ...more,
})

const nested =
  (...names: readonly string[]): Read =>
  (item) =>
    listOf(pick(item, ...names))

const own = (test: Rule['test'], read: Read, more: Partial<Rule> = {}): Rule => ({
  is: 'own',
  read,
  ...(test && { test }),
  ...more,
})

const ADDRESS_OF_ONE = (item: Item) => parseBlock(String(item.address ?? item.prefix))

const listNetworks = (lists: Lists): string[] => lists.get('ipam/prefixes').map(({ prefix }) => String(prefix))
const listIps = (lists: Lists): string[] =>
  lists.get('ipam/ip-addresses').map(({ address }) => String(address).replace(/\/.*/, ''))

const ends: Read = (item) =>
  ['a_terminations', 'b_terminations'].flatMap((end) => listOf(item[end]).map((one) => pick(one, 'object')))

/** The parts of an object that name its device or its virtual machine. */
const owner = (path: string, name: 'device' | 'virtual_machine'): Read => {
  if (path === 'dcim/cables') return (item, lists) => ends(item, lists).flatMap((one) => listOf(pick(one, name)))
  if (path === 'ipam/services')
    return (item) =>
      item.parent_object_type === (name === 'device' ? 'dcim.device' : 'virtualization.virtualmachine')
        ? listOf(item.parent)
        : []
  if (path === 'ipam/ip-addresses' || path === 'dcim/mac-addresses') return nested('assigned_object', name)
  return nested(name)
}

const interfaceOf =
  (kind: string): Read =>
  (item) =>
    item.assigned_object_type === kind ? listOf(item.assigned_object) : []

/** The MAC addresses of an interface, or of all interfaces of a device. */
const macs =
  (path: string): Read =>
  (item, lists) => {
    if (path === 'dcim/mac-addresses') return [item.mac_address]
    if (path.endsWith('interfaces')) return listOf(item.mac_addresses).map((one) => pick(one, 'mac_address'))
    const isMachine = path === 'virtualization/virtual-machines'
    return lists
      .get(isMachine ? 'virtualization/interfaces' : 'dcim/interfaces')
      .filter((one) => pick(one, isMachine ? 'virtual_machine' : 'device', 'id') === item.id)
      .flatMap((one) => listOf(one.mac_addresses).map((mac) => pick(mac, 'mac_address')))
  }

const VIRTUAL = ['virtual', 'bridge', 'lag']

const readKind: Read = ({ type }) => {
  const value = String(pick(type, 'value'))
  if (VIRTUAL.includes(value)) return ['virtual']
  return [value.startsWith('ieee802.11') || value.startsWith('ieee802.15') ? 'wireless' : 'physical']
}

const rack: Read = (item, lists) =>
  listOf(pick(item.device ? lists.find('dcim/devices', pick(item, 'device', 'id')) : item, 'rack'))

const vlans: Read = (item) =>
  'tagged_vlans' in item ? [...listOf(item.untagged_vlan), ...listOf(item.tagged_vlans)] : listOf(item.vlan)

/** Filters that an object names by another attribute than the slug. */
const BY: Readonly<Record<string, string>> = {
  device: 'name',
  virtual_machine: 'name',
  cluster: 'name',
  rack: 'name',
  vlan: 'vid',
}

const PLACES = ['site', 'region', 'site_group', 'location'] as const

/** Returns the nested objects that a filter by objects compares. */
const findNested = (path: string, name: string): Read => {
  const place = PLACES.find((one) => one === name)
  if (place) return (item, lists) => listPlaces(path, place, item, lists)
  if (name === 'group' && path === 'dcim/sites') return (item, lists) => listPlaces(path, 'site_group', item, lists)
  if (name === 'manufacturer' && path === 'dcim/devices') return nested('device_type', 'manufacturer')
  if (name === 'device' || name === 'virtual_machine') return owner(path, name)
  if (name === 'rack') return rack
  if (name === 'vlan') return vlans
  if (name === 'interface') return interfaceOf('dcim.interface')
  if (name === 'vminterface') return interfaceOf('virtualization.vminterface')
  if (name === 'virtual_chassis_member') return nested('device')
  return nested(name)
}

/** Owners of addresses and members of a chassis that do not exist find nothing. */
const isLenient = (path: string, name: string): boolean =>
  name === 'virtual_chassis_member' || (path === 'ipam/ip-addresses' && /^(device|virtual_machine)$/.test(name))

const objectRule = (path: string, parameter: string): Rule => {
  const byNumber = parameter.endsWith('_id')
  const name = byNumber ? parameter.slice(0, -3) : parameter
  const more = isLenient(path, name) ? { isLenient: true as const } : {}
  const read = findNested(path, name)
  if (byNumber) return objects(read, 'id', more)
  // A VRF is named by its route distinguisher, else by its name.
  if (name === 'vrf')
    return { is: 'object', read: (item, lists) => read(item, lists).map((one) => pick(one, 'rd') ?? pick(one, 'name')) }
  return objects(read, BY[name] ?? 'slug', more)
}

/** The fields by which a search of words finds an object, the first one that it has. */
const NAMES = ['name', 'model', 'address', 'prefix', 'start_address', 'mac_address', 'label']

/** The filters that are no text, number, choice or object of a field of their name. */
const SPECIAL: Readonly<Record<string, (path: string) => Rule>> = {
  q: () => ({ is: 'words', read: (item) => NAMES.flatMap((name) => listOf(item[name])).slice(0, 1) }),
  tag: () => ({ is: 'all', read: ({ tags }) => listOf(tags).map((tag) => pick(tag, 'slug')) }),
  tag_id: () => ({ is: 'all', read: ({ tags }) => listOf(tags).map((tag) => pick(tag, 'id')) }),
  mask_length: () => ({ is: 'number', read: (item) => [ADDRESS_OF_ONE(item).mask] }),
  depth: () => ({ is: 'number', read: ({ _depth }) => [_depth] }),
  vlan_vid: () => ({ is: 'number', read: nested('vlan', 'vid') }),
  has_primary_ip: () => ({ is: 'flag', read: ({ primary_ip }) => [primary_ip !== null] }),
  assigned: () => ({ is: 'flag', read: (item) => [item.assigned_object !== null] }),
  assigned_to_interface: () => ({ is: 'flag', read: (item) => [item.assigned_object !== null] }),
  cabled: () => ({ is: 'flag', read: ({ cable }) => [cable !== null] }),
  connected: () => ({ is: 'flag', read: (item) => [item.connected_endpoints_reachable === true] }),
  form_factor: () => ({ is: 'choice', read: ({ type }) => [pick(type, 'value')] }),
  kind: () => ({ is: 'own', read: readKind }),
  mac_address: (path) => ({ is: 'own', read: macs(path) }),
  primary_ip4_id: () => objects(nested('primary_ip4'), 'id'),
  primary_ip6_id: () => objects(nested('primary_ip6'), 'id'),
  parent_object_type: () => ({ is: 'choice', read: (item) => listOf(item.parent_object_type) }),
  parent_object_id: () => ({ is: 'own', read: (item) => listOf(item.parent_object_id) }),
  port: () => ({ is: 'own', read: ({ ports }) => listOf(ports) }),
  assigned_object: () => ({ is: 'object', read: (item) => listOf(item.assigned_object_id), isLenient: true }),
  assigned_object_id: () => ({ is: 'object', read: (item) => listOf(item.assigned_object_id), isLenient: true }),
  object_type: () => ({ is: 'own', read: (item) => listOf(item.object_types) }),
  object_types: () => ({ is: 'own', read: (item) => listOf(item.object_types) }),
  interface: () => ({
    is: 'own',
    read: (item, lists) => interfaceOf('dcim.interface')(item, lists).map((one) => pick(one, 'name')),
  }),
  address: () =>
    own(
      (item, wanted) => isAddress(ADDRESS_OF_ONE(item), parseBlock(wanted)),
      ({ address }) => [address],
      { more: listIps },
    ),
  prefix: () => own(undefined, ({ prefix }) => [prefix]),
  within: () =>
    own(
      (item, wanted) => holds(parseBlock(wanted), ADDRESS_OF_ONE(item)) && item.prefix !== wanted,
      ({ prefix }) => [prefix],
    ),
  within_include: () =>
    own(
      (item, wanted) => holds(parseBlock(wanted), ADDRESS_OF_ONE(item)),
      ({ prefix }) => [prefix],
    ),
  start_address: () =>
    own(
      (item, wanted) => isAddress(parseBlock(String(item.start_address)), parseBlock(wanted)),
      (item) => [item.start_address],
    ),
  end_address: () =>
    own(
      (item, wanted) => isAddress(parseBlock(String(item.end_address)), parseBlock(wanted)),
      (item) => [item.end_address],
    ),
}

const rangeEnds = (item: Item) =>
  [parseBlock(String(item.start_address)), parseBlock(String(item.end_address))] as const

/** Filters with one name and another meaning in each list. */
const OF_PATH: Readonly<Record<string, Rule>> = {
  'ipam/prefixes contains': own(
    (item, wanted) => {
      const [held, block] = [ADDRESS_OF_ONE(item), parseBlock(wanted)]
      return holds(held, block) && (block.hasMask || held.mask < block.mask)
    },
    ({ prefix }) => [prefix],
    { more: listIps },
  ),
  'ipam/ip-ranges contains': own(
    (item, wanted) => {
      const [[start, end], block] = [rangeEnds(item), parseBlock(wanted)]
      return start.family === block.family && start.value <= block.value && block.value <= end.value
    },
    (item) => [item.start_address],
    { more: listIps },
  ),
  'ipam/ip-ranges parent': own(
    (item, wanted) => rangeEnds(item).every((end) => holdsIp(parseBlock(wanted), end)),
    () => [],
    { more: listNetworks },
  ),
  'ipam/ip-addresses parent': own(
    (item, wanted) => holdsIp(parseBlock(wanted), ADDRESS_OF_ONE(item)),
    () => [],
    { more: (lists) => [...listNetworks(lists), ...listIps(lists)] },
  ),
}

type Declared = { readonly lookups: readonly string[]; readonly type: string }

/** The fields that are choices, by endpoint. */
const CHOICES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  REGISTERED.map(({ path, use }) => [
    path,
    use(({ fields }) => new Set(fields.flatMap(({ name, type }) => (type.is === 'choice' ? [name] : [])))),
  ]),
)

/** Returns the rule of a filter of a list. */
export const findRule = (path: string, name: string, { lookups, type }: Declared): Rule => {
  const rule = OF_PATH[`${path} ${name}`] ?? SPECIAL[name]?.(path)
  if (rule) return rule
  if (type === 'date-time') return { is: 'moment', read: (item) => listOf(item[name]) }
  if (lookups.includes('ic')) return { is: 'text', read: (item) => [item[name] ?? ''] }
  if (type === 'boolean') return { is: 'flag', read: (item) => [item[name]] }
  if (CHOICES.get(path)?.has(name)) return { is: 'choice', read: (item) => listOf(pick(item, name, 'value')) }
  if (lookups.includes('lte')) return { is: 'number', read: (item) => listOf(item[name]) }
  return objectRule(path, name)
}

/** Returns the rule of a filter by a custom field. */
export const findCustomRule = (name: string, { lookups, type }: Declared): Rule => {
  const read: Read = (item) => listOf(pick(item, 'custom_fields', name))
  if (type === 'date-time') return { is: 'moment', read }
  if (type === 'boolean') return { is: 'flag', read: (item) => [pick(item, 'custom_fields', name) === true] }
  if (lookups.includes('ic')) return { is: 'text', read: (item, lists) => [read(item, lists).join(',')] }
  return lookups.includes('lte') ? { is: 'number', read } : { is: 'own', read }
}
