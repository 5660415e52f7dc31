/** The registry of the kinds of objects that have a history: one entry for each resource of the estate. */
import { cidrKeys, cidrOfText } from '../../net/cidr.ts'
import { ipKeyOf } from '../../net/ip.ts'
import type { Ctx } from '../ctx.ts'
import * as datacenters from '../datacenters/datacenters.ts'
import * as devices from '../devices/devices.ts'
import type { Device } from '../devices/schema.ts'
import * as discovery from '../discovery/discovery.ts'
import * as networks from '../networks/networks.ts'
import * as pools from '../pools/pools.ts'
import * as relationships from '../relationships/relationships.ts'
import * as reservations from '../reservations/reservations.ts'
import type { Kind } from './api.ts'

/** A parsed document. */
export type Document = Readonly<Record<string, unknown>>

export type KindRules = {
  /** The singular noun of summaries. */
  readonly noun: string
  /** The field that names an object; undefined for those that are named by their id. */
  readonly name?: string
  /** Returns the existing objects of those ids, as JSON text by id. */
  readonly documents: (ctx: Ctx, ids: readonly string[]) => Promise<Map<string, string>>
  /** Values of columns that SQL cannot derive from a document. */
  readonly derived?: (document: Document) => Readonly<Record<string, unknown>>
  /** The second device that the object belongs to. */
  readonly childOf?: (document: Document) => string
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** True if lower case in SQL, which knows ASCII alone, is that of the program. */
const isAscii = (value: string): boolean => !/[^\0-\x7f]/.test(value)

export const KIND_RULES: Readonly<Record<Kind, KindRules>> = {
  datacenter: { noun: 'datacenter', name: 'name', documents: datacenters.documents },
  network: {
    noun: 'network',
    name: 'name',
    documents: networks.documents,
    derived: ({ subnet }) => {
      const cidr = cidrOfText(text(subnet))
      const { first, last } = cidrKeys(cidr)
      return { first, last, prefix: cidr.prefix }
    },
  },
  pool: {
    noun: 'pool',
    name: 'name',
    documents: pools.documents,
    derived: ({ start_ip, end_ip }) => ({ start: ipKeyOf(text(start_ip)), end: ipKeyOf(text(end_ip)) }),
  },
  reservation: {
    noun: 'reservation',
    name: 'ip_address',
    documents: reservations.documents,
    derived: ({ ip_address }) => ({ ip: ipKeyOf(text(ip_address)) }),
  },
  device: {
    noun: 'device',
    name: 'name',
    documents: devices.documents,
    derived: (document) => {
      // The documents of this kind are devices.
      const device = document as unknown as Device
      const search = devices.searchTextOf(device)
      return { ips: devices.keysOf(device), ...(!isAscii(search) && { search }) }
    },
  },
  relationship: {
    noun: 'relationship',
    documents: relationships.documents,
    childOf: ({ child_id }) => text(child_id),
  },
  'discovery-rule': { noun: 'discovery rule', documents: discovery.ruleDocuments },
  'discovery-lock': { noun: 'field lock', documents: discovery.lockDocuments },
}

/** The document of a stored JSON text. */
export const documentOf = (json: string): Document => JSON.parse(json) as Document

/** Returns the name of an object by its document. */
export const nameOf = (kind: Kind, id: string, document: Document | undefined): string => {
  const { name } = KIND_RULES[kind]
  return (name !== undefined && text(document?.[name])) || id
}

type Columns = { readonly sort_key: string | null; readonly derived: string | null; readonly child_id: string | null }

/** Returns the columns beside a document, from which a past state is read. */
export const columnsOf = (kind: Kind, json: string | undefined): Columns => {
  const { name, derived, childOf } = KIND_RULES[kind]
  if (json === undefined || (!name && !derived && !childOf)) return { sort_key: null, derived: null, child_id: null }
  const document = documentOf(json)
  return {
    sort_key: name === undefined ? null : text(document[name]).toLowerCase(),
    derived: derived ? JSON.stringify(derived(document)) : null,
    child_id: childOf?.(document) ?? null,
  }
}
