/** Filters of addresses by ranges of their keys, in one space or in all. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { computeSpaceBounds, findKeysByIds } from '../../../inventory/spaces/keys.ts'
import { parseCidr, toCidr, toCidrKeys } from '../../../net/cidr.ts'
import { DEFAULT_SPACE, getAddressBits, type Ip, parseIp, parseIpKeyOrThrow, type SpaceKey } from '../../../net/ip.ts'
import type { Asked } from '../../endpoint/condition.ts'
import { choiceFilter, type Filter, numberFilter, ownFilter } from '../../endpoint/filter.ts'
import { objectFilter } from '../../endpoint/object-filter.ts'
import { RESOLVERS } from '../../endpoint/resolvers.ts'
import { getFamily } from '../../world/addresses.ts'
import { SPACES } from '../../world/sets.ts'
import type { World } from '../../world/world.ts'
import type { AddressItem } from './address-items.ts'

type Sql = RawBuilder<SqlBool>
type AddressFilter = Filter<AddressItem>

const KEY = sql.ref('entries.ip_key')

const joinOr = (some: readonly Sql[]): Sql =>
  some.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.join([...some], sql` OR `)})`

/** Returns the keys of all spaces, the default one first. */
const listSpaceKeys = async ({ ctx }: World): Promise<SpaceKey[]> => {
  const rows = await ctx.db.selectFrom('space_keys').select('space_key').orderBy('space_key').execute()
  // The table holds only keys of spaces.
  return [DEFAULT_SPACE, ...rows.map(({ space_key }) => space_key as SpaceKey)]
}

type Keys = { readonly first: string; readonly last: string }

/** @param keys the first and the last key in the default space */
const isBetween = (spaces: readonly SpaceKey[], { first, last }: Keys): Sql =>
  joinOr(
    spaces.map((space) =>
      first === last
        ? sql<SqlBool>`${KEY} = ${space + first}`
        : sql<SqlBool>`${KEY} BETWEEN ${space + first} AND ${space + last}`,
    ),
  )

/** Makes a filter with the keys of all spaces. */
const withSpaces = (
  base: Pick<AddressFilter, 'lookups' | 'type'>,
  make: (spaces: readonly SpaceKey[]) => AddressFilter,
): AddressFilter => ({
  ...base,
  compile: async (asked: Asked, world) => make(await listSpaceKeys(world)).compile(asked, world),
})

const isInside = ({ ip }: AddressItem, { first, last }: Keys): boolean => {
  const key = parseIpKeyOrThrow(ip, DEFAULT_SPACE)
  return first <= key && key <= last
}

const parseRange = (text: string): Keys | undefined => {
  const ip = parseIp(text)
  const cidr = ip ? toCidr(ip, getAddressBits(ip.family)) : parseCidr(text)
  return cidr && toCidrKeys(cidr, DEFAULT_SPACE)
}

/** `parent`: the addresses in a prefix. */
export const parentFilter = withSpaces({ lookups: [''], type: 'string' }, (spaces) =>
  ownFilter<AddressItem, Keys>({
    message: 'Enter a valid IPv4 or IPv6 address, with or without a mask.',
    parse: (text) => parseRange(text.trim()),
    test: isInside,
    sql: (keys) => isBetween(spaces, keys),
  }),
)

const parseAddress = (text: string): (Keys & { readonly mask: number | undefined }) | undefined => {
  const [address = '', length] = text.trim().split('/', 2)
  const ip: Ip | undefined = parseIp(address)
  if (!ip) return undefined
  const bits = getAddressBits(ip.family)
  if (length === undefined) return { ...toCidrKeys(toCidr(ip, bits), DEFAULT_SPACE), mask: undefined }
  if (!/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined
  // The full length says nothing of the network.
  return { ...toCidrKeys(toCidr(ip, bits), DEFAULT_SPACE), mask: Number(length) === bits ? undefined : Number(length) }
}

/** Returns the length of the mask that an address is shown with. */
export const getMask = ({ ip, mask }: AddressItem): number => mask ?? getAddressBits(getFamily(ip))

/** `address`: an IP with or without its mask. */
export const addressFilter = withSpaces({ lookups: ['', 'n'], type: 'string' }, (spaces) => {
  const own = ownFilter<AddressItem, NonNullable<ReturnType<typeof parseAddress>>>({
    lookups: ['', 'n'],
    message: 'Enter a valid IPv4 or IPv6 address, with or without a mask.',
    parse: parseAddress,
    test: (item, { mask, ...keys }) => isInside(item, keys) && (mask === undefined || mask === getMask(item)),
    sql: ({ mask, ...keys }) => (mask === undefined ? isBetween(spaces, keys) : undefined),
  })
  return {
    ...own,
    compile: async (asked, world) => {
      const condition = await own.compile(asked, world)
      if (!condition || condition.sql || asked.lookup === 'n') return condition
      const given = asked.values.flatMap((text) => parseAddress(text) ?? [])
      return { ...condition, rough: joinOr(given.map((keys) => isBetween(spaces, keys))) }
    },
  }
})

const FAMILIES: Readonly<Record<string, Keys>> = { 4: { first: '4', last: '4~' }, 6: { first: '6', last: '6~' } }

export const familyFilter = withSpaces({ lookups: ['', 'n'], type: 'string' }, (spaces) =>
  choiceFilter<AddressItem>({
    choices: { 4: 'IPv4', 6: 'IPv6' },
    get: ({ ip }) => String(getFamily(ip)),
    sql: (values) => joinOr(values.flatMap((one) => (one && FAMILIES[one] ? isBetween(spaces, FAMILIES[one]) : []))),
  }),
)

export const maskFilter = numberFilter<AddressItem>({ get: getMask })

/** Returns the condition that an address is in one of the spaces. */
const isInSpaces = (keys: readonly SpaceKey[]): Sql =>
  joinOr(
    keys.map((key) => {
      const { from, before } = computeSpaceBounds(key)
      return sql<SqlBool>`(${KEY} >= ${from} AND ${KEY} < ${before})`
    }),
  )

/** `vrf` and `vrf_id`: by the space. @param by 'number', or the attribute of the resolver */
export const spaceFilter = (by: string): AddressFilter => {
  const make = (visible: ReadonlyMap<string, SpaceKey>, all: readonly SpaceKey[]) =>
    objectFilter<AddressItem>({
      of: RESOLVERS['ipam.vrf'],
      by,
      keys: ({ spaceId }, world) => (spaceId !== null && world.get(SPACES).find(spaceId) ? [spaceId] : []),
      sql: ({ keys, isNoneWanted }) => {
        const seen = new Set(visible.values())
        return joinOr([
          isInSpaces(keys.flatMap((id) => visible.get(id) ?? [])),
          // A space that the caller does not see is shown as none.
          ...(isNoneWanted ? [isInSpaces(all.filter((key) => !seen.has(key)))] : []),
        ])
      },
    })
  return {
    lookups: ['', 'n'],
    type: by === 'number' ? 'integer' : 'string',
    compile: async (asked, world) => {
      const { all } = await world.read(SPACES)
      const visible = await findKeysByIds(
        world.ctx,
        all.map(({ key }) => key),
      )
      return make(visible, await listSpaceKeys(world)).compile(asked, world)
    },
  }
}
