/** The names of the objects that references name, and the objects to choose from. */
import type { AnyOperation } from '../../../src/platform/operation/operation.ts'
import { api, call } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { datacentersQuery, meQuery, networksQuery, poolsQuery, queryClient } from '../api/queries.ts'
import { devices } from '../devices/device-list-client.ts'
import { spacesQuery } from '../spaces/known-spaces.tsx'
import { type Definition, getOwnValue, type RefNames, type WithCustom } from './values.ts'

export type Target = NonNullable<Definition['reference_to']>

/** An object that a reference may name. */
export type Referred = { readonly id: string; readonly name: string; readonly note: string }

/** Names change rarely, and the live feed reports it. */
const FRESH_MS = 60_000

type Listed = { readonly id: string; readonly name: string }

const hasPermission = (permission: string): boolean =>
  queryClient.getQueryData(meQuery.queryKey)?.permissions.includes(permission) ?? false

/** Lists a resource of objects with names. */
const loadList = (target: 'vlans' | 'racks') =>
  queryClient.fetchQuery({
    queryKey: [target, 'names'],
    queryFn: async () => {
      const operations: { readonly list: AnyOperation } | undefined = Reflect.get(contracts, target)
      // Both resources list such objects.
      return operations
        ? ((await call(operations.list, {})) as readonly (Listed & { readonly vlan_id?: number })[])
        : []
    },
    staleTime: FRESH_MS,
  })

const READERS: Readonly<Record<Exclude<Target, 'devices'>, () => Promise<readonly Referred[]>>> = {
  spaces: async () => (await queryClient.fetchQuery(spacesQuery)).map(({ id, name }) => ({ id, name, note: '' })),
  datacenters: async () =>
    (await queryClient.fetchQuery(datacentersQuery)).map(({ id, name, location }) => ({ id, name, note: location })),
  networks: async () =>
    // The names of the cached rows are the same, although a page completes them by `select`.
    (await queryClient.fetchQuery({ ...networksQuery })).map(({ id, name, subnet }) => ({ id, name, note: subnet })),
  pools: async () =>
    (await queryClient.fetchQuery(poolsQuery)).map(({ id, name, start_ip }) => ({ id, name, note: start_ip })),
  vlans: async () => (await loadList('vlans')).map(({ id, name, vlan_id }) => ({ id, name, note: String(vlan_id) })),
  racks: async () => (await loadList('racks')).map(({ id, name }) => ({ id, name, note: '' })),
}

/** Returns all objects of a resource; none without the permission. Devices are searched instead. */
export const loadReferred = async (target: Exclude<Target, 'devices'>): Promise<readonly Referred[]> =>
  hasPermission(`${target}:list`) ? READERS[target]() : []

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
  targets: ReadonlySet<Target>,
  ofDevices: () => Promise<readonly (readonly [string, string])[]>,
): Promise<RefNames> => {
  const lists = await Promise.all(
    [...targets].map(async (target) =>
      target === 'devices' ? ofDevices() : (await loadReferred(target)).map(({ id, name }) => [id, name] as const),
    ),
  )
  return new Map(lists.flat())
}

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
