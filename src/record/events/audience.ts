/** Groups the listeners of the live feed that receive the same events, so that each text is encoded once. */
import type { Caller } from '../../kernel/caller.ts'
import type { Permission } from '../../kernel/operation.ts'
import { EVENTS } from './catalogue.ts'
import type { StoredEvent } from './store.ts'
import type { Parts, VisibleData } from './visible-events.ts'
import { type EventPart, listWithheld, removeParts } from './withheld.ts'

export type Wanted = {
  /** Names, and families such as `device.*`; undefined for all. */
  readonly types: readonly string[] | undefined
  readonly resource: string | undefined
}

export type Audience = {
  readonly key: string
  /** The names of the events that are sent. */
  readonly names: ReadonlySet<string>
  readonly resource: string | undefined
  /** The events that are only received in a part of the estate, by name. Empty for most listeners. */
  readonly parts: ReadonlyMap<string, Parts>
  /** The events with data that is sent without some parts, by name. Empty for most listeners. */
  readonly withheld: ReadonlyMap<string, readonly EventPart[]>
}

/** The permission that the live feed requires, beside that of each event. */
export const NEEDED: Permission = 'events:read'

type Rights = Pick<Caller, 'permissions' | 'scopedPermissions'>

/** Returns the parts of the estate in which the caller has both permissions; none for everywhere, undefined without one of them. */
export const getParts = ({ permissions, scopedPermissions }: Rights, permission: Permission): Parts | undefined => {
  const parts = [NEEDED, permission].map((name) =>
    permissions.has(name) ? 'everywhere' : scopedPermissions?.get(name),
  )
  return parts.includes(undefined)
    ? undefined
    : parts.flatMap((scopeSet) => (typeof scopeSet === 'object' ? scopeSet : []))
}

/** Returns the text that tells the parts of an event from others. Their areas change with the objects. */
export const formatParts = (parts: Parts | undefined): string =>
  parts === undefined ? '' : JSON.stringify(parts.map(({ scopes }) => scopes.map((set) => [...set].sort())))

/** True if the permission counts in all of these parts. */
const isHeldIn = (rights: Rights, permission: Permission, parts: Parts): boolean =>
  getParts(rights, permission)?.every(({ cacheKey }) => parts.some((one) => one.cacheKey === cacheKey)) ?? false

export type Bytes = Uint8Array<ArrayBuffer>

const getFamily = (event: string): string => `${event.slice(0, event.indexOf('.'))}.*`

export const buildAudience = (rights: Rights, { types, resource }: Wanted): Audience => {
  const isWanted = (name: string): boolean =>
    types === undefined || types.includes(name) || types.includes(getFamily(name))
  const names: string[] = []
  const parts = new Map<string, Parts>()
  const withheld = new Map<string, readonly EventPart[]>()
  for (const { name, permission } of EVENTS) {
    const held = isWanted(name) ? getParts(rights, permission) : undefined
    if (!held) continue
    names.push(name)
    if (held.length > 0) parts.set(name, held)
    const hidden = listWithheld(name, (needed) => isHeldIn(rights, needed, held))
    if (hidden.length > 0) withheld.set(name, hidden)
  }
  const limits = [...parts].map(([name, of]) => [name, formatParts(of)])
  const hidden = [...withheld].map(([name, of]) => [name, of.map(({ permission }) => permission)])
  return { key: JSON.stringify([names, resource, limits, hidden]), names: new Set(names), resource, parts, withheld }
}

const isFor = ({ names, resource }: Audience, { event, resource_id }: StoredEvent): boolean =>
  names.has(event) && (resource === undefined || resource === resource_id)

const encoder = new TextEncoder()

/** Returns the first members of the JSON of an event: its name, and its change if it has one. */
const formatHead = (event: string, changeId: string): string =>
  changeId === '' ? `"event":"${event}"` : `"event":"${event}","change_id":"${changeId}"`

export const formatEvent = ({ seq, event, data, change_id, created_at }: StoredEvent): string =>
  `id: ${seq}\nevent: ${event}\ndata: {${formatHead(event, change_id)},"timestamp":"${created_at}","data":${data}}\n\n`

/**
 * @param sight the visible data of the events, if an audience has parts
 * @returns a function that encodes the events of one audience; each event is encoded once for all audiences
 */
export const createEncoding = (events: readonly StoredEvent[], sight?: VisibleData) => {
  const known = new Map<StoredEvent, Bytes>()
  const encodeEvent = (event: StoredEvent): Bytes => {
    const bytes = known.get(event) ?? encoder.encode(formatEvent(event))
    known.set(event, bytes)
    return bytes
  }
  return (audience: Audience): Bytes => {
    const pieces = events.flatMap((event) => {
      if (!isFor(audience, event)) return []
      const parts = audience.parts.get(event.event)
      const seen = parts ? sight?.(event, parts) : event.data
      if (seen === undefined) return []
      const data = removeParts(seen, audience.withheld.get(event.event) ?? [])
      return data === event.data ? encodeEvent(event) : encoder.encode(formatEvent({ ...event, data }))
    })
    const [only = new Uint8Array(), ...others] = pieces
    return others.length === 0 ? only : Buffer.concat(pieces)
  }
}
