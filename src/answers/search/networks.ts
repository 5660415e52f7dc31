/** Finds networks and pools by texts, by an address that they contain, and by a block around or inside them. */
import { networkFacts } from '../../inventory/networks/resource.ts'
import { findPoolTags } from '../../inventory/pools/pools.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { loadSearchedTexts, SEARCH_TABLES } from '../../resource/custom/rows.ts'
import { MAX_RESULTS_PER_TYPE } from './api.ts'
import type { Query } from './matches.ts'
import { type Range, toKeyColumn } from './ranges.ts'
import { type Ranked, rankEntries, rankInRange } from './results.ts'
import { acceptMatches, cacheTexts } from './texts.ts'

const networkTexts = cacheTexts('networks', ['networks', ...SEARCH_TABLES], async (ctx) => {
  const customTexts = await loadSearchedTexts(ctx, 'networks')
  const query = ctx.db.selectFrom('networks').select(['id', ...networkFacts.search, 'space_id', 'custom'])
  const rows = await query.orderBy('name_order').orderBy('id').execute()
  return rows.map(({ custom, ...network }) => {
    const { id, name, subnet, space_id } = network
    const own = networkFacts.search.map((field) => ({ field, text: network[field] }))
    return { id, name, space_id, detail: subnet, pieces: [...own, ...(customTexts?.({ custom }) ?? [])] }
  })
})

export const searchNetworks = async (ctx: Ctx, query: Query, range: Range | undefined): Promise<Ranked[]> => {
  const inRange = range ? await findNetworks(ctx, range) : []
  return [...inRange, ...rankEntries('network', (await networkTexts(ctx)).find(query, acceptMatches(query)), query)]
}

/** Returns the networks that contain the range, the most specific first, then the networks inside it. */
const findNetworks = async (ctx: Ctx, range: Range): Promise<Ranked[]> => {
  const [first, last] = [toKeyColumn('first_key', range), toKeyColumn('last_key', range)]
  const rows = await ctx.db
    .selectFrom('networks')
    .select(['id', 'name', 'subnet', 'space_id'])
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
  return rows.map(({ subnet, ...row }) =>
    rankInRange('network', { ...row, detail: subnet, pieces: [] }, { field: 'subnet', match: subnet }),
  )
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
    const own = { name: pool.name, start_ip, end_ip, description }
    const pieces = [
      ...Object.entries(own).map(([field, text]) => ({ field, text })),
      ...(tags.get(pool.id) ?? []).map((text) => ({ field: 'tags', text })),
      ...(customTexts?.({ custom }) ?? []),
    ]
    return { ...pool, detail: formatExtent({ start_ip, end_ip }), pieces }
  })
})

const findPools = async (ctx: Ctx, range: Range): Promise<Ranked[]> => {
  const rows = await selectPools(ctx)
    .where(toKeyColumn('start_key', range), '<=', range.last)
    .where(toKeyColumn('end_key', range), '>=', range.first)
    .limit(MAX_RESULTS_PER_TYPE)
    .execute()
  return rows.map(({ start_ip, end_ip, ...pool }) => {
    const extent = formatExtent({ start_ip, end_ip })
    return rankInRange('pool', { ...pool, detail: extent, pieces: [] }, { field: 'start_ip', match: extent })
  })
}

export const searchPools = async (ctx: Ctx, query: Query, range: Range | undefined): Promise<Ranked[]> => {
  const inRange = range ? await findPools(ctx, range) : []
  return [...inRange, ...rankEntries('pool', (await poolTexts(ctx)).find(query, acceptMatches(query)), query)]
}
