/** The parts of the data of events that belong to other resources than the object of the event, and who receives them. */
import type { Permission } from '../../kernel/operation.ts'

type Data = Readonly<Record<string, unknown>>

/** A part of the data of an event. `hide` returns the data without it. */
export type EventPart = { readonly permission: Permission; readonly hide: (data: Data) => Data }

/** Sets fields of both ends of a cable. */
const setInEnds =
  (fields: Data): EventPart['hide'] =>
  (data) => ({ ...data, a: { ...(data.a as Data), ...fields }, b: { ...(data.b as Data), ...fields } })

/** The withheld parts equal the parts that the operations about the same objects declare in `shows`. */
const BY_FAMILY: Readonly<Record<string, readonly EventPart[]>> = {
  cable: [
    { permission: 'devices:list', hide: setInEnds({ device: '' }) },
    { permission: 'ports:list', hide: setInEnds({ device_id: '', device: '', port: '' }) },
  ],
  vlan: [{ permission: 'networks:list', hide: (data) => ({ ...data, network_ids: [] }) }],
}

/** The permissions that decide on parts. */
export const PART_PERMISSIONS: readonly Permission[] = Object.values(BY_FAMILY).flatMap((parts) =>
  parts.map(({ permission }) => permission),
)

/** Returns the parts of an event that a caller does not receive. @param may true for a permission that the caller has for the event */
export const listWithheld = (event: string, may: (permission: Permission) => boolean): readonly EventPart[] =>
  (BY_FAMILY[event.slice(0, event.indexOf('.'))] ?? []).filter(({ permission }) => !may(permission))

/** @param data JSON */
export const removeParts = (data: string, parts: readonly EventPart[]): string =>
  // `record` has written it as JSON.
  parts.length === 0 ? data : JSON.stringify(parts.reduce((rest, { hide }) => hide(rest), JSON.parse(data) as Data))
