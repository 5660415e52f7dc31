/** The events that webhooks and the live feed send. Browser-safe. */

import { FACTS, INVENTORY, RESOURCES, type Resource } from '../../inventory/resources.ts'
import type { Permission } from '../../kernel/operation.ts'
import { type ResourceFacts, sortByRank } from '../../resource/facts.ts'
import { getNoun, type KindOf, toKind } from '../../resource/nouns.ts'

type Row<Name extends string> = {
  readonly name: Name
  readonly description: string
  /** The permission to read the object that the event is about. The live feed requires it. */
  readonly permission: Permission
}

const buildRow = <const Name extends string>(name: Name, permission: Permission, description: string): Row<Name> => ({
  name,
  description,
  permission,
})

type Snake<Text extends string> = Text extends `${infer First}-${infer Rest}` ? `${First}_${Snake<Rest>}` : Text

/** The first part of the names of the events of a resource. */
export type Family<R extends Resource = Resource> = Snake<KindOf<R>>

/** Returns the first part of the names of the events of a kind. @example toFamily('device-type') // 'device_type' */
export const toFamily = (kind: KindOf<Resource>): Family =>
  // The type of `replaceAll` does not tell the text.
  kind.replaceAll('-', '_') as Family

const KINDS: ReadonlySet<string> = new Set(INVENTORY.map(toKind))

/** True for a kind of objects with a history that has events: the resources of the inventory. */
export const hasEvents = (kind: string): kind is KindOf<Resource> => KINDS.has(kind)

/** The last part of the names of events of objects with a history. */
export type ObjectVerb = 'created' | 'updated' | 'deleted'
type ObjectRow = Row<`${Family}.${ObjectVerb}`>

/** Returns the events of a resource of the inventory. */
const buildRows = (resource: Resource): ObjectRow[] => {
  const family = toFamily(toKind(resource))
  const noun = getNoun(resource)
  const article = /^[aeiou]/.test(noun) ? 'an' : 'a'
  const of = `${article} ${noun}`
  const named = `${article === 'an' ? 'An' : 'A'} ${noun}`
  const { eventTexts }: ResourceFacts = FACTS[resource]
  const texts = {
    created: `${named} was added`,
    updated: `Fields of ${of} were changed; \`changes\` names them`,
    deleted: `${named} was removed`,
    ...eventTexts,
  }
  const buildOne = (verb: ObjectVerb): ObjectRow => ({
    ...{ name: `${family}.${verb}`, description: texts[verb], permission: `${resource}:read` },
  })
  return [buildOne('created'), buildOne('updated'), buildOne('deleted')]
}

/** The event of a new device that takes the place of `device.created`. */
const PROMOTED = buildRow('device.promoted', 'devices:read', 'A discovered device was promoted to a device')

const LISTED = sortByRank<(typeof RESOURCES)[number]>(RESOURCES, 'events').map(({ name }) => buildRows(name))

/** The events of objects with a history. They follow from the change record. */
export const OBJECT_EVENTS = LISTED.flatMap((rows, i): readonly Row<ObjectRow['name'] | 'device.promoted'>[] =>
  i === 0 ? [...rows, PROMOTED] : rows,
)

export const EVENTS = [
  ...OBJECT_EVENTS,
  buildRow('discovery.started', 'discovery:read', 'A scan was started'),
  buildRow('discovery.completed', 'discovery:read', 'A scan has completed successfully'),
  buildRow('discovery.device_found', 'discovery:read', 'A scan or a listener has discovered a new device'),
  buildRow('discovery.device_gone', 'discovery:read', 'A completed scan has missed a discovered device that was up'),
  buildRow('discovery.device_returned', 'discovery:read', 'A discovered device that was down is seen again'),
  buildRow('scanner.online', 'scanners:read', 'A scanner has enrolled, or was heard again'),
  buildRow('scanner.offline', 'scanners:read', 'A scanner has said goodbye, or sent nothing for SCANNER_OFFLINE_AFTER'),
  buildRow('conflict.detected', 'conflicts:read', 'Devices share an address, or networks overlap'),
  buildRow('conflict.resolved', 'conflicts:read', 'The cause of a conflict no longer exists'),
  buildRow('dns.drift_detected', 'dns:read', 'RRsets of a DNS zone are missing or changed on its server'),
  buildRow('dns.drift_resolved', 'dns:read', 'The server of a DNS zone has again what Plat wants'),
  buildRow('dns.sync_failed', 'dns:read', 'The server of a DNS zone can no longer be used'),
  buildRow('source.failed', 'sources:read', 'A source can no longer be read'),
  buildRow('source.recovered', 'sources:read', 'A source that failed was read again'),
  buildRow('source.waiting', 'sources:read', 'A source has changes that no run applies by itself'),
  buildRow('proposal.opened', 'proposals:read', 'A proposal was opened for review'),
  buildRow('proposal.updated', 'proposals:read', 'The effects or the title of an open proposal have changed'),
  buildRow('proposal.commented', 'proposals:read', 'A proposal has a new comment'),
  buildRow('proposal.approved', 'proposals:read', 'A proposal was approved in its present form'),
  buildRow('proposal.merged', 'proposals:read', 'A proposal was merged'),
  buildRow('proposal.closed', 'proposals:read', 'A proposal was withdrawn or rejected, or has expired'),
  buildRow('pool.utilization_high', 'pools:read', 'More of a pool is used than POOL_UTILIZATION_THRESHOLD'),
]

export type EventName = (typeof EVENTS)[number]['name']
/** The event of a test delivery; it can't be subscribed to. */
export const PING = 'webhook.ping'
/** The events of deliveries that tell of several events, and of digests. */
export const SUMMARY = 'notification.summary'
export const DIGEST = 'notification.digest'

// `map` loses the literal types of the names.
export const EVENT_NAMES = EVENTS.map(({ name }) => name) as [EventName, ...EventName[]]

const BY_NAME: ReadonlyMap<string, Row<EventName>> = new Map(EVENTS.map((one) => [one.name, one]))

/** Returns the permission that an event requires; undefined for a name outside the catalog. */
export const getEventPermission = (event: string): Permission | undefined => BY_NAME.get(event)?.permission
