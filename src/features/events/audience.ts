/** Groups the listeners of the live feed that receive the same events, so that each text is encoded once. */
import { EVENTS } from './catalogue.ts'
import { headOf } from './record.ts'
import type { StoredEvent } from './store.ts'

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
}

export type Bytes = Uint8Array<ArrayBuffer>

const familyOf = (event: string): string => `${event.slice(0, event.indexOf('.'))}.*`

export const audienceOf = (permissions: ReadonlySet<string>, { types, resource }: Wanted): Audience => {
  const isWanted = (name: string): boolean =>
    types === undefined || types.includes(name) || types.includes(familyOf(name))
  const names = EVENTS.flatMap(({ name, permission }) => (permissions.has(permission) && isWanted(name) ? [name] : []))
  return { key: JSON.stringify([names, resource]), names: new Set<string>(names), resource }
}

const isFor = ({ names, resource }: Audience, { event, resource_id }: StoredEvent): boolean =>
  names.has(event) && (resource === undefined || resource === resource_id)

const encoder = new TextEncoder()

export const textOf = ({ seq, event, data, change_id, created_at }: StoredEvent): string =>
  `id: ${seq}\nevent: ${event}\ndata: {${headOf(event, change_id)},"timestamp":"${created_at}","data":${data}}\n\n`

/** @returns a function that encodes the events of one audience; each event is encoded once for all audiences */
export const createEncoding = (events: readonly StoredEvent[]) => {
  const known = new Map<StoredEvent, Bytes>()
  const bytesOf = (event: StoredEvent): Bytes => {
    const bytes = known.get(event) ?? encoder.encode(textOf(event))
    known.set(event, bytes)
    return bytes
  }
  return (audience: Audience): Bytes => {
    const pieces = events.filter((event) => isFor(audience, event)).map(bytesOf)
    const [only = new Uint8Array(), ...others] = pieces
    return others.length === 0 ? only : Buffer.concat(pieces)
  }
}
