/** The names of the objects that references name. */
import { queryOptions } from '@tanstack/react-query'
import { FACTS, isResource, type Resource } from '../../../src/inventory/resources.ts'
import type { ResourceFacts } from '../../../src/resource/facts.ts'
import { api } from '../api/client.ts'
import { meQuery, queryClient } from '../api/queries.ts'
import { devices } from '../devices/window/device-list-client.ts'
import { type KindObject, objectQuery, objectsQuery } from '../kinds/known-kinds.ts'
import { buildObjectsQuery } from '../resource/facts/lists.ts'
import { isOfKind } from './definitions.ts'
import { type Definition, getOwnValue, type RefNames, type Target, type WithCustom } from './values.ts'

type Facts = (typeof FACTS)[Resource]

/** Names change rarely, and the live feed reports it. */
const FRESH_MS = 60_000

const hasPermission = (permission: string): boolean =>
  queryClient.getQueryData(meQuery.queryKey)?.permissions.includes(permission) ?? false

/** Returns all objects of a resource. The names of the cached rows are the same, although a page completes them by `select`. */
const loadObjects = ({ name }: Facts): Promise<readonly object[]> =>
  queryClient.fetchQuery({ ...buildObjectsQuery(name), staleTime: FRESH_MS })

type Named = readonly (readonly [id: string, name: string])[]

/** The others of a kind with more objects are shown by their ids. */
const MOST_OF_A_KIND = 10_000

/** Returns the names of the objects of a kind; none without the permission. */
const loadKindNames = async (kindId: string): Promise<Named> => {
  if (!hasPermission('objects:list')) return []
  const { queryKey } = objectsQuery(kindId)
  const named = queryOptions({
    queryKey: [...queryKey, 'names'],
    queryFn: () => api.objects.list({ kind_id: kindId, limit: MOST_OF_A_KIND }),
    staleTime: FRESH_MS,
  })
  // The page of the kind has all of them.
  const objects: readonly KindObject[] = queryClient.getQueryData(queryKey) ?? (await queryClient.fetchQuery(named))
  return objects.map(({ id, name }) => [id, name] as const)
}

/** Returns the names of all objects of a resource; none without the permission. */
const loadObjectNames = async (target: string): Promise<Named> => {
  if (!isResource(target)) return loadKindNames(target)
  if (!hasPermission(`${target}:list`)) return []
  const facts: Facts = FACTS[target]
  const { label = 'name' }: ResourceFacts = facts
  const objects = await loadObjects(facts)
  return objects.map((one) => [String(Reflect.get(one, 'id')), String(Reflect.get(one, label) ?? '')])
}

/** Maximum number of devices, and of objects of kinds, to name by single requests. */
const MAX_NAMED = 30

const loadDeviceName = async (id: string): Promise<Named> => {
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

const loadOneObjectName = async (id: string): Promise<Named> => {
  try {
    const object = await queryClient.fetchQuery({ ...objectQuery(id), staleTime: FRESH_MS })
    return [[id, object.name]]
  } catch {
    // As of a device.
    return []
  }
}

/** Returns the names of objects of kinds by their ids. */
const loadNamesOfObjects = async (ids: ReadonlySet<string>): Promise<Named> =>
  hasPermission('objects:read') ? (await Promise.all([...ids].slice(0, MAX_NAMED).map(loadOneObjectName))).flat() : []

const loadDeviceNames = async (ids: ReadonlySet<string>): Promise<Named> =>
  hasPermission('devices:read') ? (await Promise.all([...ids].slice(0, MAX_NAMED).map(loadDeviceName))).flat() : []

const loadAllDeviceNames = async (): Promise<Named> => {
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

const loadNames = async (targets: ReadonlySet<string>, ofDevices: () => Promise<Named>): Promise<RefNames> => {
  const lists = await Promise.all(
    [...targets].map(async (target) => (target === 'devices' ? ofDevices() : loadObjectNames(target))),
  )
  return new Map(lists.flat())
}

/** Returns the names of all objects of these resources. */
export const loadNamesForTargets = (targets: ReadonlySet<string>): Promise<RefNames> =>
  loadNames(targets, loadAllDeviceNames)

/** Returns the names that a list needs, whatever its rows refer to. @param hasDevices of a list that has the devices itself */
export const loadNamesForList = (definitions: readonly Definition[], hasDevices: boolean): Promise<RefNames> =>
  loadNames(collectTargets(definitions), hasDevices ? async () => [] : loadAllDeviceNames)

/** True for a reference to the objects of a kind. */
const refersToKind = ({ reference_to }: Definition): boolean => reference_to !== null && isOfKind(reference_to)

/** Returns the names of the objects that these objects refer to. */
export const loadNamesForRows = async (
  definitions: readonly Definition[],
  rows: readonly WithCustom[],
): Promise<RefNames> => {
  const used = definitions.filter((one) => rows.some((row) => getOwnValue(row, one) !== undefined))
  const listIds = (some: readonly Definition[]): ReadonlySet<string> =>
    new Set(some.flatMap((one) => rows.flatMap((row) => [getOwnValue(row, one) ?? []].flat().map(String))))
  const ofDevices = used.filter(({ reference_to }) => reference_to === 'devices')
  const [names, objects] = await Promise.all([
    loadNames(collectTargets(used.filter((one) => !refersToKind(one))), () => loadDeviceNames(listIds(ofDevices))),
    loadNamesOfObjects(listIds(used.filter(refersToKind))),
  ])
  return new Map([...names, ...objects])
}
