/** The names of the objects that references name, and the objects to choose from. */
import { FACTS, isResource, type Resource } from '../../../src/inventory/resources.ts'
import type { ResourceFacts } from '../../../src/resource/facts.ts'
import { api } from '../api/client.ts'
import { datacentersQuery, meQuery, queryClient } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { buildObjectsQuery } from '../resource/facts/lists.ts'
import { type Definition, getOwnValue, type RefNames, type Target, type WithCustom } from './values.ts'

type Facts = (typeof FACTS)[Resource]

/** An object that a reference may name. */
export type Referred = { readonly id: string; readonly name: string; readonly note: string }

/** Names change rarely, and the live feed reports it. */
const FRESH_MS = 60_000

const hasPermission = (permission: string): boolean =>
  queryClient.getQueryData(meQuery.queryKey)?.permissions.includes(permission) ?? false

/** Returns all objects of a resource. The names of the cached rows are the same, although a page completes them by `select`. */
const loadObjects = ({ name }: Facts): Promise<readonly object[]> =>
  queryClient.fetchQuery({ ...buildObjectsQuery(name), staleTime: FRESH_MS })

/** Returns the names of the datacenters of the objects; none of objects without one. */
const loadSites = async ({ name, fields }: ResourceFacts): Promise<RefNames> => {
  if (name === 'datacenters' || !('datacenter_id' in fields) || !hasPermission('datacenters:list')) return new Map()
  const rows = (await queryClient.fetchQuery({ ...datacentersQuery, staleTime: FRESH_MS })) ?? []
  return new Map(rows.map((site) => [site.id, site.name]))
}

const createReader = ({ label = 'name', detail }: ResourceFacts, sites: RefNames) => {
  const read = (object: object, field: string | undefined): string =>
    field === undefined ? '' : String(Reflect.get(object, field) ?? '')
  return (object: object): Referred => {
    const notes = [read(object, detail), read(object, 'location'), sites.get(read(object, 'datacenter_id')) ?? '']
    const note = [...new Set(notes)].filter((text) => text !== '').join(' · ')
    return { id: read(object, 'id'), name: read(object, label), note }
  }
}

/** Returns all objects of a resource; none without the permission. Devices are searched instead. */
export const loadReferred = async (target: string): Promise<readonly Referred[]> => {
  if (!isResource(target) || !hasPermission(`${target}:list`)) return []
  const facts: Facts = FACTS[target]
  const [objects, sites] = await Promise.all([loadObjects(facts), loadSites(facts)])
  return objects.map(createReader(facts, sites))
}

/** Maximum number of devices to name by single requests. */
const MAX_NAMED = 30

const loadDeviceName = async (id: string): Promise<readonly (readonly [string, string])[]> => {
  try {
    const device = await queryClient.fetchQuery({
      queryKey: ['device-name', id],
      queryFn: () => api.devices.get({ id }),
      staleTime: FRESH_MS,
    })
    return [[id, device.name]]
  } catch {
    // A device that is not there, or not to be seen, is shown by its id.
    return []
  }
}

const loadDeviceNames = async (ids: ReadonlySet<string>): Promise<readonly (readonly [string, string])[]> =>
  hasPermission('devices:read') ? (await Promise.all([...ids].slice(0, MAX_NAMED).map(loadDeviceName))).flat() : []

const loadAllDeviceNames = async (): Promise<readonly (readonly [string, string])[]> => {
  if (!hasPermission('devices:list')) return []
  const end = devices.use(false)
  await devices.whenReady()
  if (devices.state.get().isMany) {
    end()
    return []
  }
  const { ids, names } = await devices.brief()
  end()
  return ids.map((id, at) => [id, names[at] ?? id] as const)
}

const collectTargets = (definitions: readonly Definition[]): ReadonlySet<Target> =>
  new Set(definitions.flatMap(({ reference_to }) => (reference_to === null ? [] : [reference_to])))

const loadNames = async (
  targets: ReadonlySet<string>,
  ofDevices: () => Promise<readonly (readonly [string, string])[]>,
): Promise<RefNames> => {
  const lists = await Promise.all(
    [...targets].map(async (target) =>
      target === 'devices'
        ? ofDevices()
        : (await loadReferred(target as Exclude<Resource, 'devices'>)).map(({ id, name }) => [id, name] as const),
    ),
  )
  return new Map(lists.flat())
}

/** Returns the names of all objects of these resources. */
export const loadNamesForTargets = (targets: ReadonlySet<string>): Promise<RefNames> =>
  loadNames(targets, loadAllDeviceNames)

/** Returns the names that a list needs, whatever its rows refer to. @param hasDevices of a list that has the devices itself */
export const loadNamesForList = (definitions: readonly Definition[], hasDevices: boolean): Promise<RefNames> =>
  loadNames(collectTargets(definitions), hasDevices ? async () => [] : loadAllDeviceNames)

/** Returns the names of the objects that these objects refer to. */
export const loadNamesForRows = (
  definitions: readonly Definition[],
  rows: readonly WithCustom[],
): Promise<RefNames> => {
  const used = definitions.filter((one) => rows.some((row) => getOwnValue(row, one) !== undefined))
  const ids = used
    .filter(({ reference_to }) => reference_to === 'devices')
    .flatMap((one) => rows.flatMap((row) => [getOwnValue(row, one) ?? []].flat().map(String)))
  return loadNames(collectTargets(used), () => loadDeviceNames(new Set(ids)))
}
