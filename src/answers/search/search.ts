/** Finds objects of all kinds that the caller may list. Joins the tables of the inventory, and owns none. */
import type { Resource } from '../../inventory/resources.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { SEARCHED, search } from './api.ts'
import { searchDevices, searchDiscovered } from './devices.ts'
import { searchCables, searchObjectsOfKinds, searchPorts, searchReservations } from './gear.ts'
import { parseQuery, type Query } from './matches.ts'
import { searchNetworks, searchPools } from './networks.ts'
import { createObjectSearch } from './objects.ts'
import { parseRange, type Range } from './ranges.ts'
import { joinTypes, type Ranked, selectBest } from './results.ts'

type Asked = { readonly q: string; readonly query: Query; readonly range: Range | undefined }
type Search = (ctx: Ctx, asked: Asked) => Promise<readonly Ranked[]>

/** The searches that need more than facts. */
const OWN: Readonly<Partial<Record<Resource, Search>>> = {
  devices: (ctx, { q, ...asked }) => searchDevices(ctx, q, asked),
  networks: (ctx, { query, range }) => searchNetworks(ctx, query, range),
  pools: (ctx, { query, range }) => searchPools(ctx, query, range),
  reservations: (ctx, { query, range }) => searchReservations(ctx, query, range),
  ports: (ctx, { query }) => searchPorts(ctx, query),
  cables: (ctx, { query }) => searchCables(ctx, query),
  objects: (ctx, { query }) => searchObjectsOfKinds(ctx, query),
}

/** Devices and their parts are many, and come after the objects that contain them. */
const LATER: readonly Resource[] = ['devices', 'ports', 'cables']

/** The searches of the resources, with the permission that each needs. */
const SEARCHES = SEARCHED.map((facts) => {
  const findObjects = createObjectSearch(facts)
  const search: Search = OWN[facts.name] ?? ((ctx, { query }) => findObjects(ctx, query))
  return { name: facts.name, permission: `${facts.name}:list` as const, search }
}).toSorted((a, b) => LATER.indexOf(a.name) - LATER.indexOf(b.name))

export const feature: Feature = {
  operations: implement(search, {
    all: async (ctx, { q }) => {
      const query = parseQuery(q)
      const asked = { q, query, range: await parseRange(ctx, query.text) }
      const { permissions } = ctx.caller
      // Objects that the caller may not list are not searched.
      const found = await Promise.all([
        ...SEARCHES.map(({ permission, search }) => (permissions.has(permission) ? search(ctx, asked) : [])),
        permissions.has('discovery:list') ? searchDiscovered(ctx, query, asked.range) : [],
      ])
      return { results: joinTypes(found.map(selectBest), asked.range !== undefined) }
    },
  }),
}
