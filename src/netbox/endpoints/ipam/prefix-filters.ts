/** The filters of prefixes. */
import { type SqlBool, sql } from 'kysely'
import { isOneOf } from '../../../database/query/below.ts'
import { findAllRows } from '../../../inventory/networks/tree-store.ts'
import { findAllSpaces } from '../../../inventory/spaces/keys.ts'
import {
  type Cidr,
  cidrContains,
  formatCidr,
  listEnclosingCidrs,
  parseCidrOrThrow,
  toCidrKeys,
} from '../../../net/cidr.ts'
import { getAddressBits } from '../../../net/ip.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { buildSubnetTree } from '../../../net/subnet-tree.ts'
import { FAMILY, PREFIX_STATUS } from '../../choices/addresses.ts'
import type { CustomFields } from '../../endpoint/custom.ts'
import {
  choiceFilter,
  type Filter,
  flagFilter,
  joinOr,
  numberFilter,
  ownFilter,
  type Sql,
  textFilter,
} from '../../endpoint/filter.ts'
import { objectFilters, placeFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { hasCustomValue } from '../../list/custom-filter.ts'
import { buildNameKey } from '../../numbers/keys.ts'
import { PLACES } from '../../world/places.ts'
import { VLANS } from '../../world/sets.ts'
import { findVlan } from '../../world/vlans.ts'
import type { World } from '../../world/world.ts'
import { customObjectFilters, hasCustomObject, tagFilters } from '../device-filters.ts'
import { parseInterface, parseNetwork } from './cidr.ts'
import type { PrefixItem } from './prefix-items.ts'

type Filters = Readonly<Record<string, Filter<PrefixItem>>>

const NEVER = sql<SqlBool>`1 = 0`
const INVALID = 'Enter a valid IPv4 or IPv6 network, such as 10.0.0.0/24.'

/** With more spaces a condition on all of them is longer than it is worth. */
const MAX_SPACES_IN_CONDITION = 100

const getCidr = ({ network }: PrefixItem): Cidr => parseCidrOrThrow(network.subnet)

/** The parts of the tables in which networks of a block may be: one in each space. */
type Block = { readonly cidr: Cidr; readonly spans: readonly { readonly first: string; readonly last: string }[] }

const parseBlock = async (text: string, { ctx }: World): Promise<Block | undefined> => {
  const cidr = parseNetwork(text)
  if (!cidr) return undefined
  const spaces = await findAllSpaces(ctx.unscoped)
  return { cidr, spans: ['' as const, ...spaces.map(({ key }) => key)].map((key) => toCidrKeys(cidr, key)) }
}

/** @param isSame the block itself is in it, too */
const inside = (isSame: boolean): Filter<PrefixItem> =>
  ownFilter<PrefixItem, Block>({
    message: INVALID,
    parse: parseBlock,
    test: (item, { cidr }) => cidrContains(cidr, getCidr(item)) && (isSame || item.prefix > cidr.prefix),
    sql: ({ cidr: { prefix }, spans }) =>
      spans.length > MAX_SPACES_IN_CONDITION
        ? undefined
        : joinOr(
            spans.map(
              ({ first, last }) =>
                sql<SqlBool>`(networks.first_key >= ${first} AND networks.first_key <= ${last} AND networks.prefix >= ${isSame ? prefix : prefix + 1})`,
            ),
          ),
  })

type Inner = { readonly cidr: Cidr; readonly isAddress: boolean }

/** The networks around a network, with itself; or around an address. */
const around: Filter<PrefixItem> = ownFilter<PrefixItem, Inner>({
  message: 'Enter a valid IPv4 or IPv6 address or network.',
  parse: (text) => {
    const [cidr, parsed] = [parseNetwork(text), parseInterface(text)]
    return cidr && parsed && { cidr, isAddress: parsed.mask === undefined }
  },
  // A network of one address does not contain the address, as in NetBox.
  test: (item, { cidr, isAddress }) => cidrContains(getCidr(item), cidr) && !(isAddress && item.prefix === cidr.prefix),
  sql: ({ cidr: { family, first, prefix }, isAddress }) => {
    const enclosing = listEnclosingCidrs({ family, value: first })
    return isOneOf('networks.subnet', enclosing.slice(getAddressBits(family) - prefix + (isAddress ? 1 : 0)))
  },
})

const exact: Filter<PrefixItem> = ownFilter<PrefixItem, string>({
  lookups: ['', 'n'],
  message: INVALID,
  parse: (text) => {
    const cidr = parseNetwork(text)
    return cidr && formatCidr(cidr)
  },
  test: ({ network }, subnet) => network.subnet === subnet,
  sql: (subnet) => sql<SqlBool>`networks.subnet = ${subnet}`,
})

/** The depth follows from all networks that the caller sees. */
const depth: Filter<PrefixItem> = {
  ...numberFilter<PrefixItem>({ get: () => 0 }),
  compile: async (asked, world) => {
    const nodes = buildSubnetTree(await findAllRows(world.ctx))
    return numberFilter<PrefixItem>({ get: ({ network }) => nodes.get(network.id)?.depth ?? 0 }).compile(asked, world)
  },
}

/** Words are in the name, the subnet or the description, as in the search of Plat. */
const words: Filter<PrefixItem> = ownFilter<PrefixItem, string>({
  message: 'Enter a word.',
  parse: (text) => toNameKey(text.trim()),
  test: ({ network: { name, subnet, description } }, text) =>
    [name, subnet, description].some((one) => toNameKey(one).includes(text)),
})

const isOfFamily = (values: readonly (string | null)[]): Sql =>
  joinOr(
    values.map((value) => {
      if (value === null) return NEVER
      return value === '6' ? sql<SqlBool>`networks.subnet LIKE '%:%'` : sql<SqlBool>`networks.subnet NOT LIKE '%:%'`
    }),
  )

/** Returns the condition that networks at some places have a number. */
const isAtPlaces = (vid: number, ids: readonly (string | null)[]): Sql => {
  const named = ids.flatMap((id) => id ?? [])
  const parts = [
    ...(named.length > 0 ? [isOneOf('networks.datacenter_id', named)] : []),
    ...(ids.includes(null) ? [sql<SqlBool>`networks.datacenter_id IS NULL`] : []),
  ]
  return parts.length === 0
    ? NEVER
    : sql<SqlBool>`(networks.vlan_id IS NOT NULL AND networks.vlan_id = ${vid} AND ${joinOr(parts)})`
}

/** A network belongs to the VLAN of its number that is nearest. */
const hasVlan = (
  { keys, isNoneWanted }: { readonly keys: readonly string[]; readonly isNoneWanted: boolean },
  world: World,
): Sql => {
  const places = [...world.get(PLACES).all.map(({ key }) => key), null]
  const some = keys.flatMap((key) => {
    const vlan = world.get(VLANS).find(key)
    if (!vlan) return []
    return [
      isAtPlaces(
        vlan.vid,
        places.filter((id) => findVlan(world, vlan.vid, id)?.key === key),
      ),
    ]
  })
  return joinOr([...some, isNoneWanted ? sql<SqlBool>`networks.vlan_id IS NULL` : NEVER])
}

const hasTag =
  (custom: CustomFields<PrefixItem>) =>
  (key: string, world: World): Sql => {
    const definition = world.getDefinitions(custom.resource).get('tags')
    return definition ? hasCustomValue(definition, 'networks.id', key) : NEVER
  }

/** Returns the texts of a custom field that serves as names. */
export const listNames = <Item>(custom: CustomFields<Item>, item: Item, world: World, field: string): string[] =>
  [custom.get(item, field, world) ?? []].flat().map(String)

/** The description of a prefix is its name, unless that is its subnet. */
export const describePrefix = ({ network: { name, subnet } }: PrefixItem): string => (name === subnet ? '' : name)

/** The same in SQL. */
const unlessSubnet = (column: 'name' | 'name_key') =>
  sql<string>`CASE WHEN networks.name = networks.subnet THEN '' ELSE ${sql.ref(`networks.${column}`)} END`

export const createPrefixFilters = (custom: CustomFields<PrefixItem>): Filters => ({
  q: words,
  prefix: exact,
  within: inside(false),
  within_include: inside(true),
  contains: around,
  mask_length: numberFilter({ get: ({ prefix }) => prefix, column: sql.ref('networks.prefix') }),
  depth,
  family: choiceFilter({
    choices: FAMILY,
    get: ({ network }) => (network.subnet.includes(':') ? '6' : '4'),
    sql: isOfFamily,
  }),
  description: textFilter({
    get: describePrefix,
    columns: { value: unlessSubnet('name'), key: unlessSubnet('name_key') },
  }),
  ...objectFilters<PrefixItem>('vrf', 'rd_or_name', {
    of: RESOLVERS['ipam.vrf'],
    keys: ({ network }) => (network.space_id === undefined ? [] : [network.space_id]),
    column: 'networks.space_id',
  }),
  ...objectFilters<PrefixItem>('vlan', 'vid', {
    of: RESOLVERS['ipam.vlan'],
    keys: ({ network }, world) => {
      const vlan = findVlan(world, network.vlan_id, network.datacenter_id)
      return vlan ? [vlan.key] : []
    },
    sql: hasVlan,
  }),
  vlan_vid: numberFilter({ get: ({ network }) => network.vlan_id, column: sql.ref('networks.vlan_id') }),
  ...placeFilters<PrefixItem>({
    datacenterId: ({ network }) => network.datacenter_id,
    column: 'networks.datacenter_id',
  }),
  status: choiceFilter({
    choices: PREFIX_STATUS,
    get: (item, world) => {
      const value = custom.get(item, 'status', world)
      return typeof value === 'string' && Object.hasOwn(PREFIX_STATUS, value) ? value : 'active'
    },
  }),
  ...objectFilters<PrefixItem>('role', 'slug', {
    of: RESOLVERS['ipam.role'],
    keys: (item, world) => listNames(custom, item, world, 'role').map(buildNameKey),
    sql: hasCustomObject(custom, 'role', 'networks.id'),
  }),
  ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'], id: 'networks.id' }),
  ...tagFilters<PrefixItem>((item, world) => listNames(custom, item, world, 'tags'), hasTag(custom)),
  is_pool: flagFilter({ get: (item, world) => custom.get(item, 'is_pool', world) === true }),
  mark_utilized: flagFilter({ get: (item, world) => custom.get(item, 'mark_utilized', world) === true }),
})
