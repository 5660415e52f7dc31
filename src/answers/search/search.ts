/** Finds objects of all kinds that the caller may list. Joins the tables of the inventory, and owns none. */

import { type SqlBool, sql } from 'kysely'
import { toText } from '../../contract/unknown.ts'
import { containsText } from '../../database/query/contains.ts'
import { matchFoundWord } from '../../discovery/discovery.ts'
import type { DiscoveredDevice } from '../../discovery/schema.ts'
import { findDevices } from '../../inventory/devices/list/search.ts'
import { deviceFacts } from '../../inventory/devices/resource.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import { networkFacts } from '../../inventory/networks/resource.ts'
import { findPoolTags } from '../../inventory/pools/pools.ts'
import { type Resource, toTableName } from '../../inventory/resources.ts'
import { withSpace } from '../../inventory/spaces/fields.ts'
import { findAllSpaces, SPACES } from '../../inventory/spaces/keys.ts'
import type { KeyRange } from '../../inventory/used-addresses/used-addresses.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { readFirstRows } from '../../kernel/list.ts'
import type { Permission } from '../../kernel/operation.ts'
import { parseCidr, toCidrKeys } from '../../net/cidr.ts'
import { DEFAULT_SPACE, formatIp, fromIpKey, type IpKey, parseIpKey } from '../../net/ip.ts'
import { parseMac } from '../../net/mac.ts'
import { toNameKey } from '../../net/name-order.ts'
import { toSortColumn } from '../../resource/columns.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import { loadSearchedTexts, SEARCH_TABLES } from '../../resource/custom/rows.ts'
import type { ResourceFacts } from '../../resource/facts.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { toKind } from '../../resource/nouns.ts'
import { MAX_RESULTS_PER_TYPE, SEARCHED, type SearchResult, search } from './api.ts'
import { cacheTexts, type Entry } from './texts.ts'

/** The range of a query that is an address or a CIDR, which is looked for in all address spaces. */
type Range = KeyRange & { readonly isDivided: boolean }

/** Returns the range of a query, with keys of the default space. */
const parseRange = async (ctx: Ctx, text: string): Promise<Range | undefined> => {
  const key = parseIpKey(text, DEFAULT_SPACE)
  const cidr = key === undefined ? parseCidr(text) : undefined
  const range = key === undefined ? cidr && toCidrKeys(cidr, DEFAULT_SPACE) : { first: key, last: key }
  return range && { ...range, isDivided: (await findAllSpaces(ctx)).length > 0 }
}

/** Returns a column of storage keys as keys of the same addresses in the default space, for a scan of all rows. */
const withoutSpace = (column: string) =>
  sql<IpKey>`CASE WHEN ${sql.ref(column)} < 's' THEN ${sql.ref(column)} ELSE substr(${sql.ref(column)}, 6) END`

const toKeyColumn = (column: string, { isDivided }: Range) =>
  isDivided ? withoutSpace(column) : sql.ref<IpKey>(column)

const pickFirstInside = (ips: readonly string[], { first, last }: Range): string | undefined =>
  ips.find((ip) => {
    const key = parseIpKey(ip, DEFAULT_SPACE)
    return key !== undefined && key >= first && key <= last
  })

/** Returns the part of the device that contains the first word, to show why it matched. */
const matchIn = (device: Device, words: readonly string[], range: Range | undefined): string => {
  const ips = device.addresses.map(({ ip }) => ip)
  const inside = range && pickFirstInside(ips, range)
  if (inside) return inside
  const mac = parseMac(words.join(' '))
  if (mac !== undefined && device.addresses.some(({ mac_address }) => mac_address === mac)) return mac
  const pieces = deviceFacts.search.flatMap((field) => (field === 'addresses' ? ips : device[field]))
  // A device found by the MAC of a port has no such text.
  return pieces.find((piece) => toNameKey(piece).includes(words[0] ?? '')) ?? mac ?? device.name
}

const searchDevices = async (
  ctx: Ctx,
  q: string,
  words: readonly string[],
  range: Range | undefined,
): Promise<SearchResult[]> => {
  const { queries } = await findDevices(ctx, q)
  const rows = (await Array.fromAsync(readFirstRows(ctx, queries, { count: MAX_RESULTS_PER_TYPE }))).flat()
  return rows.map(({ doc }) => {
    // The column holds the JSON of a device.
    const device = JSON.parse(doc) as Device
    return { type: 'device', id: device.id, name: device.name, match: matchIn(device, words, range) }
  })
}

const toResult = (type: 'network' | 'pool', { space_id, ...entry }: Entry): SearchResult =>
  withSpace({ type, ...entry }, space_id)

const networkTexts = cacheTexts('networks', ['networks', ...SEARCH_TABLES], async (ctx) => {
  const customTexts = await loadSearchedTexts(ctx, 'networks')
  const query = ctx.db.selectFrom('networks').select(['id', ...networkFacts.search, 'space_id', 'custom'])
  const rows = await query.orderBy('name_order').orderBy('id').execute()
  return rows.map(({ custom, ...network }) => {
    const { id, name, subnet, space_id } = network
    const pieces = [...networkFacts.search.map((field) => network[field]), ...(customTexts?.({ custom }) ?? [])]
    return { id, name, space_id, match: subnet, pieces }
  })
})

const searchNetworks = async (
  ctx: Ctx,
  words: readonly string[],
  range: Range | undefined,
): Promise<SearchResult[]> => {
  if (!range) {
    const found = (await networkTexts(ctx)).find(words, MAX_RESULTS_PER_TYPE)
    return found.map((entry) => toResult('network', entry))
  }
  const [first, last] = [toKeyColumn('first_key', range), toKeyColumn('last_key', range)]
  // The networks that contain the range, the most specific first, then the networks inside it.
  const rows = await ctx.db
    .selectFrom('networks')
    .select(['id', 'name', 'subnet as match', 'space_id'])
    .where((eb) =>
      eb.or([
        eb.and([eb(first, '<=', range.first), eb(last, '>=', range.last)]),
        eb.and([eb(first, '>=', range.first), eb(last, '<=', range.last)]),
      ]),
    )
    .orderBy('prefix', 'desc')
    .orderBy('name_order')
    .orderBy('id')
    .limit(MAX_RESULTS_PER_TYPE)
    .execute()
  return rows.map((entry) => toResult('network', entry))
}

const formatExtent = ({ start_ip, end_ip }: { readonly start_ip: string; readonly end_ip: string }): string =>
  `${start_ip} - ${end_ip}`

/** Selects pools with the space of their network. */
const selectPools = ({ db }: Ctx) =>
  db
    .selectFrom('pools')
    .leftJoin('networks', 'networks.id', 'pools.network_id')
    .select(['pools.id', 'pools.name', 'start_ip', 'end_ip', 'space_id'])
    .orderBy('pools.name_order')
    .orderBy('pools.id')

const poolTexts = cacheTexts('pools', ['pools', 'pool_tags', 'networks', ...SEARCH_TABLES], async (ctx) => {
  const customTexts = await loadSearchedTexts(ctx, 'pools')
  const all = selectPools(ctx).select(['pools.description', 'pools.custom'])
  const [rows, tags] = await Promise.all([all.execute(), findPoolTags(ctx, 'all')])
  return rows.map(({ start_ip, end_ip, description, custom, ...pool }) => {
    const own = [pool.name, start_ip, end_ip, description, ...(tags.get(pool.id) ?? [])]
    const pieces = [...own, ...(customTexts?.({ custom }) ?? [])]
    return { ...pool, match: formatExtent({ start_ip, end_ip }), pieces }
  })
})

const searchPools = async (ctx: Ctx, words: readonly string[], range: Range | undefined): Promise<SearchResult[]> => {
  if (!range) {
    const found = (await poolTexts(ctx)).find(words, MAX_RESULTS_PER_TYPE)
    return found.map((entry) => toResult('pool', entry))
  }
  const rows = await selectPools(ctx)
    .where(toKeyColumn('start_key', range), '<=', range.last)
    .where(toKeyColumn('end_key', range), '>=', range.first)
    .limit(MAX_RESULTS_PER_TYPE)
    .execute()
  return rows.map(({ start_ip, end_ip, ...pool }) =>
    toResult('pool', { ...pool, match: formatExtent({ start_ip, end_ip }) }),
  )
}

/** The resources with a search of their own. */
const OWN = ['devices', 'networks', 'pools'] as const satisfies readonly Resource[]

/** Finds objects by the fields in their facts, and by custom fields. */
const createSearch = (facts: ResourceFacts) => {
  const table = toTableName(facts.name as Resource)
  // A resource with custom fields is one of these.
  const resource = facts.name as CustomResource
  const [label = 'name', second] = facts.search ?? []
  const fields = facts.search ?? []
  const labelKey = `${label}_key`
  const select = ({ db }: Ctx) =>
    selectFromTable(db, table)
      .select(['id', ...fields])
      .orderBy(toSortColumn(facts, label))
      .orderBy('id')
  type Row = Readonly<Record<string, string | number | null>>
  const read = (row: Row, field: string | undefined): string => toText(field === undefined ? '' : row[field])
  const toEntry = (row: Row) => ({
    ...{ id: read(row, 'id'), name: read(row, label), match: read(row, second) || read(row, label) },
  })
  const texts = cacheTexts(table, [table, ...SEARCH_TABLES], async (ctx) => {
    const customTexts = await loadSearchedTexts(ctx, resource)
    return (await select(ctx).select('custom').execute()).map((row) => ({
      ...toEntry(row),
      space_id: null,
      pieces: [...fields.map((field) => read(row, field)), ...(customTexts?.({ custom: row.custom as string }) ?? [])],
    }))
  })
  const type = toKind(facts.name as Resource) as SearchResult['type']
  return async (ctx: Ctx, words: readonly string[]): Promise<SearchResult[]> => {
    if (facts.custom !== undefined && (await loadSearchedTexts(ctx, resource))) {
      const found = (await texts(ctx)).find(words, MAX_RESULTS_PER_TYPE)
      return found.map(({ id, name, match }) => ({ type, id, name, match }))
    }
    let query = select(ctx).limit(MAX_RESULTS_PER_TYPE)
    for (const word of words)
      query = query.where(({ or }) => or(fields.map((field) => containsText(field === label ? labelKey : field, word))))
    return (await query.execute()).map((row) => ({ type, ...toEntry(row) }))
  }
}

/** The searches that follow from facts. */
const PLAIN = SEARCHED.filter(({ name }) => !OWN.some((one) => one === name)).map((facts) => ({
  permission: `${facts.name}:list` as const,
  search: createSearch(facts),
}))

const isInRange = ({ first, last, isDivided }: Range) =>
  isDivided
    ? sql<SqlBool>`id IN (SELECT id FROM ${SPACES} AS spaces CROSS JOIN discovered_devices WHERE ip_key BETWEEN space || ${first} AND space || ${last})`
    : sql<SqlBool>`ip_key BETWEEN ${first} AND ${last}`

/** Selects by the index of networks, which covers this query: otherwise all documents would be read. */
const selectFirstInRange = (ctx: Ctx, range: Range) =>
  ctx.db
    .selectFrom('discovered_devices')
    .select('id')
    .where(isInRange(range))
    .orderBy('ip_key')
    .orderBy('id')
    .limit(MAX_RESULTS_PER_TYPE)

/** A MAC is stored in one notation, and names may contain it in others. */
const listSpellings = (word: string): string[] => [...new Set([word, parseMac(word) ?? word])]

/** For callers who may list devices, documented ones are found as devices. */
const searchDiscovered = async (
  ctx: Ctx,
  words: readonly string[],
  range: Range | undefined,
): Promise<SearchResult[]> => {
  let query = ctx.db.selectFrom('discovered_devices').select('doc')
  const isUndocumented = ctx.caller.permissions.has('devices:list')
  if (isUndocumented) query = query.where('matched_device_id', 'is', null)
  // An address may not be the device's first. The text contains all of them, one per line.
  const lines = range && range.first === range.last ? [`\n${formatIp(fromIpKey(range.first))}\n`] : words
  if (range && range.first !== range.last)
    query = isUndocumented ? query.where(isInRange(range)) : query.where('id', 'in', selectFirstInRange(ctx, range))
  else for (const line of lines) query = query.where(({ or }) => or(listSpellings(line).map(matchFoundWord)))
  const rows = await query.orderBy('ip_key').orderBy('id').limit(MAX_RESULTS_PER_TYPE).execute()
  return rows.map(({ doc }) => {
    // The column holds the JSON of a discovered device.
    const { id, ip, hostname, mac_address, vendor, os_guess, addresses } = JSON.parse(doc) as DiscoveredDevice
    const ips = addresses.map((address) => address.ip)
    const pieces = [hostname, ...ips, mac_address, vendor, os_guess]
    const held = range
      ? pickFirstInside(ips, range)
      : pieces.find((piece) => listSpellings(words[0] ?? '').some((word) => toNameKey(piece).includes(word)))
    return { type: 'discovered_device', id, name: hostname || ip, match: held ?? ip }
  })
}

export const feature: Feature = {
  operations: implement(search, {
    all: async (ctx, { q }) => {
      const text = toNameKey(q.trim())
      const words = [...new Set(text.split(/\s+/))]
      const range = await parseRange(ctx, text)
      // Objects that the caller may not list are not searched.
      const may = (permission: Permission): boolean => ctx.caller.permissions.has(permission)
      const found = await Promise.all([
        may('networks:list') ? searchNetworks(ctx, words, range) : [],
        may('pools:list') ? searchPools(ctx, words, range) : [],
        ...(range ? [] : PLAIN.map(({ permission, search }) => (may(permission) ? search(ctx, words) : []))),
        may('devices:list') ? searchDevices(ctx, q, words, range) : [],
        may('discovery:list') ? searchDiscovered(ctx, words, range) : [],
      ])
      return { results: found.flat() }
    },
  }),
}
