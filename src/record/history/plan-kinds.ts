/** The kinds of objects in plans: those with a history, and others. A plan has their nouns, names and permissions. */

import { toText } from '../../contract/unknown.ts'
import { formatName, parseId } from '../../inventory/relationships/relationships.ts'
import type { Permission } from '../../kernel/operation.ts'
import { KIND_NAMES, KINDS, type Kind } from './kind-names.ts'
import { type Document, getName } from './kinds.ts'

/** The names of devices by id. */
export type DeviceNames = ReadonlyMap<string, string>

type NameInput = { readonly id: string; readonly document: Document; readonly devices: DeviceNames }

export type PlanKind = {
  /** The singular noun: `device`. */
  readonly noun: string
  /** The permission to see the objects and their number; undefined for kinds that are only counted. */
  readonly permission?: Permission
  /** Returns the display name of an object. */
  readonly name: (object: NameInput) => string
  /** The shown fields; without it, all of the document. */
  readonly fields?: readonly string[]
  /** The fields of a deleted object that count what is deleted with it. */
  readonly counters?: readonly string[]
  /** A plan shows the fields of created and deleted objects too. */
  readonly showsValues?: true
}

const OWN_NAMES: Partial<Readonly<Record<Kind, PlanKind['name']>>> = {
  cable: ({ document }) => toText(document.label),
  reservation: ({ document }) => toText(document.hostname) || toText(document.ip_address),
  relationship: ({ id, devices }) => formatName(devices, parseId(id)),
  'discovery-rule': ({ document }) => `rule of network ${toText(document.network_id)}`,
  'discovery-lock': ({ document: { device_id, field } }) => `${toText(field)} of ${toText(device_id)}`,
}

const buildWithHistory = (kind: Kind): PlanKind => ({
  noun: KIND_NAMES[kind].noun,
  permission: KIND_NAMES[kind].read,
  name: OWN_NAMES[kind] ?? (({ id, document }) => getName(kind, id, document)),
})

/** @param more the differences from an object with its name in `name` and all fields shown */
const buildPlain = (noun: string, permission: Permission, more: Partial<PlanKind> = {}): PlanKind => ({
  ...{ noun, permission, name: ({ document }) => toText(document.name) },
  ...more,
})

const RRSET = {
  permission: 'dns:read',
  fields: ['ttl', 'values'],
  showsValues: true,
  name: ({ document: { fqdn, type } }: NameInput) => `${toText(fqdn)} ${toText(type)}`,
} as const

const buildCounted = (noun: string): PlanKind => ({ noun, name: () => '' })

export const PLAN_KINDS: Readonly<Record<string, PlanKind>> = {
  ...Object.fromEntries(KINDS.map((kind) => [kind, buildWithHistory(kind)])),
  'discovered-device': buildPlain('discovered device', 'discovery:read', {
    fields: [
      ...['ip', 'hostname', 'mac_address', 'vendor', 'network_id', 'promoted_to_device_id'],
      ...['bucket', 'is_ignored'],
    ],
    name: ({ document: { hostname, ip } }) => toText(hostname) || toText(ip),
  }),
  scan: buildPlain('scan', 'discovery:read', {
    fields: ['network_id', 'scan_type', 'status'],
    name: ({ document }) => `${toText(document.scan_type)} scan of ${toText(document.created_at)}`,
  }),
  conflict: buildPlain('conflict', 'conflicts:read', {
    fields: ['type', 'status', 'description'],
    name: ({ document }) => toText(document.description),
  }),
  webhook: buildPlain('webhook', 'webhook:read', { counters: ['deliveries'] }),
  feed: buildPlain('feed', 'feeds:read'),
  'dns-provider': buildPlain('DNS server', 'dns:read'),
  'dns-zone': buildPlain('DNS zone', 'dns:read'),
  'dns-record': buildPlain('DNS record', 'dns:read'),
  source: buildPlain('source', 'sources:read'),
  policy: buildPlain('policy', 'policies:read'),
  credential: buildPlain('credential', 'credentials:read'),
  user: buildPlain('user', 'users:read', {
    counters: ['sessions', 'passkeys', 'authenticator_apps'],
    name: ({ document }) => toText(document.username),
  }),
  role: buildPlain('role', 'roles:read'),
  group: buildPlain('group', 'groups:read'),
  scope: buildPlain('scope', 'scopes:read'),
  'sso-provider': buildPlain('sso provider', 'sso-providers:read'),
  'api-key': buildPlain('API key', 'apikeys:read', { fields: ['name', 'expires_at'] }),
  'oauth-client': buildPlain('OAuth client', 'oauth-clients:read', { fields: ['name', 'scope'] }),
  grant: buildCounted('granted role'),
  membership: buildCounted('membership'),
  identity: buildCounted('identity'),
  'oauth-grant': buildCounted('OAuth consent'),
  view: buildCounted('saved view'),
  rrset: { noun: 'RRset', ...RRSET },
  'own-rrset': { noun: 'own RRset', ...RRSET },
}

/** @throws for a kind that a store records and that is not declared here */
export const getPlanKind = (kind: string): PlanKind => {
  const { [kind]: known } = PLAN_KINDS
  if (!known) throw new Error(`plan-kinds.ts does not declare the kind ${kind}`)
  return known
}
