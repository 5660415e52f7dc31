/** The filters of addresses. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike } from '../../../database/database.ts'
import { isOneOf } from '../../../database/query/below.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { ADDRESS_ROLE, ADDRESS_STATUS } from '../../choices/addresses.ts'
import { NULL_VALUE } from '../../endpoint/condition.ts'
import type { CustomFields } from '../../endpoint/custom.ts'
import { choiceFilter, type Filter, flagFilter, ownFilter, textFilter } from '../../endpoint/filter.ts'
import { objectFilter } from '../../endpoint/object-filter.ts'
import type { Resolver } from '../../endpoint/resolver.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { UNNAMED } from '../../world/addresses.ts'
import { isMachine, matchMachines } from '../../world/machines.ts'
import { toInterfaceKind } from '../../world/nested-interfaces.ts'
import type { World } from '../../world/world.ts'
import { customObjectFilters, tagFilters } from '../device-filters.ts'
import type { AddressItem } from './address-items.ts'
import { addressFilter, familyFilter, maskFilter, parentFilter, spaceFilter } from './address-ranges.ts'

type Sql = RawBuilder<SqlBool>
type AddressFilter = Filter<AddressItem>
type AddressFields = CustomFields<AddressItem>

const ALWAYS = sql<SqlBool>`1 = 1`
const NEVER = sql<SqlBool>`1 = 0`

/** The column of the device; null for a reservation. */
const DEVICE = 'entries.device_id'

const isMachineItem = ({ held }: AddressItem): boolean => held !== undefined && isMachine(held.device)

const isOfDevice = (ids: readonly string[]): Sql =>
  ids.length === 0 ? NEVER : sql<SqlBool>`(${sql.ref(DEVICE)} IS NOT NULL AND ${isOneOf(DEVICE, ids)})`

/** A filter by the device or the virtual machine of an address. An unknown one finds nothing. */
const ownerFilter = (machines: boolean, by: string): AddressFilter => {
  const isOther = matchMachines(!machines, DEVICE)
  return objectFilter<AddressItem>({
    of: RESOLVERS[machines ? 'virtualization.virtualmachine' : 'dcim.device'],
    by,
    isLenient: true,
    keys: (item) => (item.held && isMachineItem(item) === machines ? [item.held.device.id] : []),
    sql: ({ keys, isNoneWanted }) =>
      isNoneWanted ? sql<SqlBool>`(${isOfDevice(keys)} OR ${sql.ref(DEVICE)} IS NULL OR ${isOther})` : isOfDevice(keys),
  })
}

type BuildRough = (values: readonly string[], world: World) => Promise<Sql | undefined> | Sql | undefined

/** Narrows a condition in memory by SQL that finds no fewer addresses. */
const withRough = (filter: AddressFilter, build: BuildRough): AddressFilter => ({
  ...filter,
  compile: async (asked, world) => {
    const condition = await filter.compile(asked, world)
    const values = asked.values.filter((value) => value !== '')
    const isOpen = asked.lookup.startsWith('n') || asked.lookup === 'empty' || values.includes(NULL_VALUE)
    if (!condition || condition.sql || isOpen) return condition
    return { ...condition, rough: await build(values, world) }
  },
})

const joinLike = (column: string, patterns: readonly string[]): Sql =>
  sql<SqlBool>`(${sql.join(
    patterns.map((pattern) => sql<SqlBool>`${sql.ref(column)} LIKE ${`%${escapeLike(pattern)}%`} ESCAPE '\\'`),
    sql` OR `,
  )})`

const ASCII = /^[ -~]*$/

/** The letters beyond ASCII that are lower-cased to letters of ASCII, as only the runtime does. */
const FOLDED = ['\u0130', '\u212a']

/** Matches at least the addresses with one of the texts. */
const hasText = (texts: readonly string[]): Sql => {
  const keys = texts.map(toNameKey)
  const found = sql<SqlBool>`${sql.ref(DEVICE)} IN (SELECT devices.id FROM devices WHERE ${joinLike('devices.search_text', keys)})`
  // The database lower-cases only letters of ASCII.
  const free = keys.every((key) => ASCII.test(key))
    ? joinLike('entries.texts', [...keys, ...FOLDED])
    : sql<SqlBool>`${sql.ref(DEVICE)} IS NULL`
  return sql<SqlBool>`(${found} OR ${free})`
}

/** Returns the ids of the devices of interfaces. @param keys the ids of ports, or the keys of `buildInterfaceKey` */
const findOwners = async ({ ctx }: World, keys: readonly string[]): Promise<string[]> => {
  const ports = keys.filter((key) => !key.includes(':'))
  const rows =
    ports.length === 0 ? [] : await ctx.db.selectFrom('ports').select('device_id').where('id', 'in', ports).execute()
  return [
    ...keys.filter((key) => key.includes(':')).map((key) => key.slice(0, key.indexOf(':'))),
    ...rows.map((row) => row.device_id),
  ]
}

const interfaceIdFilter = (kind: 'dcim.interface' | 'virtualization.vminterface'): AddressFilter => {
  const resolver: Resolver = RESOLVERS[kind]
  const own = objectFilter<AddressItem>({
    of: resolver,
    by: 'number',
    keys: ({ held }) => (held && toInterfaceKind(held.device) === kind ? [held.interface.key] : []),
  })
  return withRough(own, async (values, world) => {
    const keys = await resolver.byNumbers(world, values.map(Number))
    return isOfDevice(await findOwners(world, [...keys.values()]))
  })
}

/** Interfaces of devices and of machines. Two may have the same number. */
const EITHER_INTERFACE: Resolver = {
  kind: 'dcim.interface',
  attributes: [],
  byAttribute: async () => [],
  byNumbers: async (world, numbers) => {
    const ports = await RESOLVERS['dcim.interface'].byNumbers(world, numbers)
    const others = await RESOLVERS['virtualization.vminterface'].byNumbers(world, numbers)
    return new Map([...ports, ...[...others].map(([number, key]) => [-number, key] as const)])
  },
}

const assignedIdFilter = withRough(
  objectFilter<AddressItem>({
    of: EITHER_INTERFACE,
    by: 'number',
    isLenient: true,
    keys: ({ held }) => (held ? [held.interface.key] : []),
  }),
  async (values, world) => {
    const keys = await EITHER_INTERFACE.byNumbers(world, values.map(Number))
    return isOfDevice(await findOwners(world, [...keys.values()]))
  },
)

/** `interface`: the name of an interface of a device. */
const interfaceFilter = withRough(
  ownFilter<AddressItem, string>({
    lookups: ['', 'n'],
    message: 'Enter a name.',
    parse: toNameKey,
    test: (item, name) =>
      item.held !== undefined && !isMachineItem(item) && toNameKey(item.held.interface.name) === name,
  }),
  (values) => (values.includes(UNNAMED) ? sql<SqlBool>`${sql.ref(DEVICE)} IS NOT NULL` : hasText(values)),
)

const isAssigned = flagFilter<AddressItem>({
  get: ({ held }) => held !== undefined,
  sql: () => sql<SqlBool>`${sql.ref(DEVICE)} IS NOT NULL`,
})

const getRole = (custom: AddressFields, item: AddressItem, world: World): string | null => {
  const role = item.held ? item.held.address.role : custom.get(item, 'role', world)
  return typeof role === 'string' && Object.hasOwn(ADDRESS_ROLE, role) ? role : null
}

/** Matches at least the addresses with one of the roles. */
const hasRole = (roles: readonly string[]): Sql =>
  sql<SqlBool>`(${sql.ref(DEVICE)} IS NULL OR ${sql.ref(DEVICE)} IN (SELECT devices.id FROM devices
    WHERE ${joinLike(
      'devices.doc',
      roles.map((role) => `"role":"${role}"`),
    )}))`

const getStatus = (custom: AddressFields, item: AddressItem, world: World): string => {
  const status = custom.get(item, 'status', world)
  return typeof status === 'string' && Object.hasOwn(ADDRESS_STATUS, status) ? status : 'active'
}

const listTags = (custom: AddressFields, item: AddressItem, world: World): string[] =>
  [custom.get(item, 'tags', world) ?? []].flat().map(String)

/** `q`: a part of the IP from its beginning, of the DNS name, or of the description. */
const wordsFilter: AddressFilter = {
  lookups: [''],
  type: 'string',
  compile: async ({ parameter, values }) => {
    const texts = values.map((text) => text.trim()).filter((text) => text !== '')
    if (texts.length === 0) return undefined
    const wanted = texts.map(toNameKey)
    const isFound = (item: AddressItem, text: string): boolean =>
      item.ip.startsWith(text) || toNameKey(item.dnsName).includes(text) || toNameKey(item.description).includes(text)
    return {
      name: `${parameter}=${values.join()}`,
      test: (item) => wanted.some((text) => isFound(item, text)),
      rough: hasText(texts),
    }
  },
}

type Filters = Readonly<Record<string, AddressFilter>>

const mapFilters = (filters: Filters, map: (filter: AddressFilter) => AddressFilter): Filters =>
  Object.fromEntries(Object.entries(filters).map(([name, filter]) => [name, map(filter)]))

/** Matches the addresses with a value of a custom field. */
const hasValue = (custom: AddressFields, field: string, world: World): Sql | undefined => {
  const definition = world.getDefinitions(custom.resource).get(field)
  return (
    definition &&
    sql<SqlBool>`entries.object_id IN (SELECT custom_values.object_id FROM custom_values WHERE custom_values.field = ${definition.number})`
  )
}

/** Filters of a field that is a custom field: without a definition, all or no addresses have the value. */
const withoutDefinition = (field: string, custom: AddressFields, filters: Filters): Filters =>
  mapFilters(filters, (filter) => ({
    ...filter,
    compile: async (asked, world) => {
      const condition = await filter.compile(asked, world)
      if (!condition || condition.sql || world.getDefinitions(custom.resource).has(field)) return condition
      return { ...condition, sql: condition.test(NOTHING) ? ALWAYS : NEVER }
    },
  }))

/** An address without anything. */
const NOTHING: AddressItem = {
  ...{ key: '', ip: '0.0.0.0', spaceId: null, mask: undefined, dnsName: '', description: '', custom: undefined },
  times: { created_at: '', updated_at: '' },
}

export const createAddressFilters = (custom: AddressFields): Filters => ({
  q: wordsFilter,
  address: addressFilter,
  parent: parentFilter,
  family: familyFilter,
  mask_length: maskFilter,
  vrf: spaceFilter('rd_or_name'),
  vrf_id: spaceFilter('number'),
  dns_name: textFilter<AddressItem>({
    get: ({ dnsName }) => dnsName,
    columns: { value: 'entries.dns_name', key: 'entries.dns_key' },
    isAnyCase: true,
  }),
  description: withRough(textFilter<AddressItem>({ get: ({ description }) => description }), hasText),
  device: ownerFilter(false, 'name'),
  device_id: ownerFilter(false, 'number'),
  virtual_machine: ownerFilter(true, 'name'),
  virtual_machine_id: ownerFilter(true, 'number'),
  interface: interfaceFilter,
  interface_id: interfaceIdFilter('dcim.interface'),
  vminterface_id: interfaceIdFilter('virtualization.vminterface'),
  assigned_object_id: assignedIdFilter,
  // Ansible's module for addresses sends the number by this name too, which NetBox ignores.
  assigned_object: assignedIdFilter,
  assigned: isAssigned,
  assigned_to_interface: isAssigned,
  role: withRough(
    choiceFilter<AddressItem>({ choices: ADDRESS_ROLE, get: (item, world) => getRole(custom, item, world) }),
    (values) => hasRole(values),
  ),
  ...withoutDefinition('status', custom, {
    status: choiceFilter<AddressItem>({
      choices: ADDRESS_STATUS,
      get: (item, world) => getStatus(custom, item, world),
    }),
  }),
  ...customObjectFilters(custom, {
    ...{ name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'], id: 'entries.object_id' },
  }),
  ...withoutDefinition(
    'tags',
    custom,
    mapFilters(
      tagFilters<AddressItem>((item, world) => listTags(custom, item, world)),
      (filter) => withRough(filter, (_, world) => hasValue(custom, 'tags', world)),
    ),
  ),
})
