/** The filters of ranges. */
import { type SqlBool, sql } from 'kysely'
import { isOneOf } from '../../../database/query/below.ts'
import { type Cidr, cidrHolds } from '../../../net/cidr.ts'
import { compareIp, formatIp, type Ip, parseIp } from '../../../net/ip.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { FAMILY, RANGE_STATUS } from '../../choices/addresses.ts'
import type { CustomFields } from '../../endpoint/custom.ts'
import {
  choiceFilter,
  type Filter,
  flagFilter,
  joinOr,
  ownFilter,
  type Sql,
  textFilter,
} from '../../endpoint/filter.ts'
import { objectFilters } from '../../endpoint/place-filters.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { buildNameKey } from '../../numbers/keys.ts'
import { getFamily } from '../../world/addresses.ts'
import { customObjectFilters, hasCustomObject, tagFilters } from '../device-filters.ts'
import { type Interface, parseInterface, parseNetwork } from './cidr.ts'
import { listNames } from './prefix-filters.ts'
import type { RangeItem } from './range-items.ts'

/** @throws Error for an address that was never stored */
const parseStored = (text: string): Ip => {
  const ip = parseIp(text)
  if (!ip) throw new Error(`${text} is no address`)
  return ip
}

const isAddress = (end: 'start_ip' | 'end_ip'): Filter<RangeItem> =>
  ownFilter<RangeItem, Interface>({
    lookups: ['', 'n'],
    message: 'Enter a valid IPv4 or IPv6 address.',
    parse: parseInterface,
    test: ({ pool, mask }, wanted) =>
      pool[end] === formatIp(wanted.ip) && (wanted.mask === undefined || wanted.mask === mask),
  })

const holdsAddress: Filter<RangeItem> = ownFilter<RangeItem, Ip>({
  message: 'Enter a valid IPv4 or IPv6 address.',
  parse: (text) => parseInterface(text)?.ip,
  test: ({ pool: { start_ip, end_ip } }, ip) => {
    const [start, end] = [parseStored(start_ip), parseStored(end_ip)]
    return start.family === ip.family && compareIp(start, ip) <= 0 && compareIp(ip, end) <= 0
  },
})

const isInside: Filter<RangeItem> = ownFilter<RangeItem, Cidr>({
  message: 'Enter a valid IPv4 or IPv6 network, such as 10.0.0.0/24.',
  parse: parseNetwork,
  test: ({ pool: { start_ip, end_ip } }, cidr) =>
    cidrHolds(cidr, parseStored(start_ip)) && cidrHolds(cidr, parseStored(end_ip)),
})

const words: Filter<RangeItem> = ownFilter<RangeItem, string>({
  message: 'Enter a word.',
  parse: (text) => toNameKey(text.trim()),
  test: ({ pool: { name, start_ip, end_ip, description, tags } }, text) =>
    [name, start_ip, end_ip, description, ...tags].some((one) => toNameKey(one).includes(text)),
})

/** A range is in the VRF of its network. */
const hasSpace = ({
  keys,
  isNoneWanted,
}: {
  readonly keys: readonly string[]
  readonly isNoneWanted: boolean
}): Sql => {
  const network = sql`SELECT 1 FROM networks WHERE networks.id = pools.network_id`
  return joinOr([
    keys.length === 0
      ? sql<SqlBool>`1 = 0`
      : sql<SqlBool>`EXISTS (${network} AND ${isOneOf('networks.space_id', keys)})`,
    isNoneWanted ? sql<SqlBool>`NOT EXISTS (${network} AND networks.space_id IS NOT NULL)` : sql<SqlBool>`1 = 0`,
  ])
}

/** Returns the name that a range without a description has. */
export const buildRangeName = ({ start_ip, end_ip }: { readonly start_ip: string; readonly end_ip: string }): string =>
  `${start_ip}-${end_ip}`

/** The description of a range is its name, unless that names its addresses. */
export const describeRange = ({ pool }: RangeItem): string => (pool.name === buildRangeName(pool) ? '' : pool.name)

/** The same in SQL. */
const unlessAddresses = (column: 'name' | 'name_key') =>
  sql<string>`CASE WHEN pools.name = pools.start_ip || '-' || pools.end_ip THEN '' ELSE ${sql.ref(`pools.${column}`)} END`

export const createRangeFilters = (custom: CustomFields<RangeItem>): Readonly<Record<string, Filter<RangeItem>>> => ({
  q: words,
  start_address: isAddress('start_ip'),
  end_address: isAddress('end_ip'),
  contains: holdsAddress,
  parent: isInside,
  family: choiceFilter({ choices: FAMILY, get: ({ pool }) => String(getFamily(pool.start_ip)) }),
  description: textFilter({
    get: describeRange,
    columns: { value: unlessAddresses('name'), key: unlessAddresses('name_key') },
  }),
  ...objectFilters<RangeItem>('vrf', 'rd_or_name', {
    of: RESOLVERS['ipam.vrf'],
    keys: ({ spaceId }) => (spaceId === null ? [] : [spaceId]),
    sql: hasSpace,
  }),
  status: choiceFilter({
    choices: RANGE_STATUS,
    get: (item, world) => {
      const value = custom.get(item, 'status', world)
      return typeof value === 'string' && Object.hasOwn(RANGE_STATUS, value) ? value : 'active'
    },
  }),
  ...objectFilters<RangeItem>('role', 'slug', {
    of: RESOLVERS['ipam.role'],
    keys: (item, world) => listNames(custom, item, world, 'role').map(buildNameKey),
    sql: hasCustomObject(custom, 'role', 'pools.id'),
  }),
  ...customObjectFilters(custom, { name: 'tenant', by: 'slug', of: RESOLVERS['tenancy.tenant'], id: 'pools.id' }),
  ...tagFilters<RangeItem>(({ pool }) => pool.tags),
  mark_populated: flagFilter({ get: (item, world) => custom.get(item, 'mark_populated', world) === true }),
  mark_utilized: flagFilter({ get: (item, world) => custom.get(item, 'mark_utilized', world) === true }),
})
