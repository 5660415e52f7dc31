/** Collects the documents of a template and links them: devices share the objects of their networks and datacenters. */
import type { Kind } from './protocol.ts'

type Fields = Record<string, unknown>

/** The names that a template has. */
export type Scope = {
  feed: unknown
  readonly networks: unknown[]
  readonly datacenters: unknown[]
  readonly devices: unknown[]
  /** The objects of each kind, by its id. */
  readonly kinds: Record<string, unknown[]>
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

export type Documents = {
  readonly scope: Scope
  readonly add: (kind: Kind, value: unknown) => void
}

export const createDocuments = (): Documents => {
  const scope: Scope = { feed: null, networks: [], datacenters: [], devices: [], kinds: {} }
  const networks = new Map<unknown, unknown>()
  const datacenters = new Map<unknown, unknown>()

  /** Replaces the id of a document by the document. */
  const link = (fields: Fields, name: string, byId: ReadonlyMap<unknown, unknown>): void => {
    const value = fields[name]
    if (typeof value === 'string') fields[name] = byId.get(value) ?? null
  }

  const linkDevice = (device: Fields): void => {
    link(device, 'datacenter', datacenters)
    const { addresses, main } = device
    if (!Array.isArray(addresses)) return
    for (const address of addresses) if (isFields(address)) link(address, 'network', networks)
    if (typeof main === 'number') device.main = addresses[main] ?? null
  }

  const addTo = (list: unknown[], byId: Map<unknown, unknown>, value: unknown): void => {
    list.push(value)
    if (isFields(value)) byId.set(value.id, value)
  }

  const listObjects = (kind: unknown): unknown[] => {
    const id = String(kind)
    // An id may be a name of every object, such as `constructor`.
    const known = Object.hasOwn(scope.kinds, id) ? scope.kinds[id] : undefined
    const objects = known ?? []
    if (!known) scope.kinds[id] = objects
    return objects
  }

  return {
    scope,
    add: (kind, value) => {
      if (kind === 'feed') scope.feed = value
      else if (kind === 'network') addTo(scope.networks, networks, value)
      else if (kind === 'datacenter') addTo(scope.datacenters, datacenters, value)
      else if (kind === 'kind') listObjects(isFields(value) ? value.id : '')
      else if (kind === 'object') listObjects(isFields(value) ? value.kind_id : '').push(value)
      else {
        if (isFields(value)) linkDevice(value)
        scope.devices.push(value)
      }
    },
  }
}
