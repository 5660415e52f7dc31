/** The kinds of requests: their fields, and the calls that give them. */
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { contracts } from '../api/contracts.ts'
import type { Referable } from '../resource/referable.ts'

export type Form = {
  readonly where: string
  readonly name: string
  readonly purpose: string
  /** A day; '' without an end. */
  readonly until: string
  readonly mac: string
  readonly length: string
  readonly type: string
  readonly value: string
}

export const EMPTY_FORM: Form = {
  ...{ where: '', name: '', purpose: '', until: '', mac: '', length: '24', type: 'A', value: '' },
}

export type FieldName = Exclude<keyof Form, 'where'>

export type RequestKind = {
  readonly id: string
  readonly text: string
  readonly op: AnyOperation
  /** The objects that it is taken from. */
  readonly where: { readonly label: string; readonly to: Referable }
  /** The fields in their order, with the field of the call that each becomes. */
  readonly fields: Partial<Readonly<Record<FieldName, string>>>
  /** The fields without which nothing is tried. */
  readonly needed?: readonly FieldName[]
  readonly hints?: Partial<Readonly<Record<FieldName, string>>>
  readonly toInput: (form: Form) => Readonly<Record<string, unknown>>
  /** Returns the given object of an answer; '' if it names none. */
  readonly read: (answer: unknown) => string
}

const DAY_MS = 86_400_000

/** Returns the seconds to the end of a day. */
export const computeTtl = (until: string, nowMs: number): number =>
  Math.max(1, Math.ceil((new Date(`${until}T00:00`).getTime() + DAY_MS - nowMs) / 1000))

const given = (name: string, value: string): Readonly<Record<string, string>> =>
  value.trim() === '' ? {} : { [name]: value.trim() }

const buildReservation = ({ where, name, purpose, until, mac }: Form) => ({
  id: where,
  ...given('hostname', name),
  ...given('purpose', purpose),
  ...given('mac_address', mac),
  ...(until !== '' && { ttl_seconds: computeTtl(until, Date.now()) }),
})

/** Reads a list of an answer. @example readList(answer, 'reservations', 'ip_address') // ['10.0.0.20'] */
const readList = (answer: unknown, list: string, field: string): string => {
  const rows: unknown = Reflect.get(Object(answer), list)
  return Array.isArray(rows) ? rows.map((row) => String(Reflect.get(Object(row), field) ?? '')).join(', ') : ''
}

const RESERVATION = {
  op: contracts.reservations.allocate,
  where: { label: 'Where', to: 'pools' },
  read: (answer: unknown) => readList(answer, 'reservations', 'ip_address'),
} as const

const UNTIL = 'To the end of the day; without it, it stays'

export const REQUEST_KINDS: readonly RequestKind[] = [
  {
    ...{ id: 'address', text: 'Address', ...RESERVATION },
    fields: { name: 'hostname', purpose: 'purpose', until: 'ttl_seconds' },
    hints: { name: 'The host name, like printer-3', until: UNTIL },
    toInput: (form) => buildReservation({ ...form, mac: '' }),
  },
  {
    ...{ id: 'subnet', text: 'Subnet', op: contracts.networks.allocate, where: { label: 'Where', to: 'networks' } },
    fields: { length: 'prefix_length', name: 'name', purpose: 'description' },
    hints: { length: 'The prefix length, like 24' },
    toInput: ({ where, length, name, purpose }) => ({
      ...{ id: where, prefix_length: Number(length) },
      ...given('name', name),
      ...given('description', purpose),
    }),
    read: (answer) => readList(answer, 'networks', 'subnet'),
  },
  {
    ...{ id: 'dns', text: 'DNS name', op: contracts.dnsRecords.create, where: { label: 'Where', to: 'dns-zones' } },
    fields: { name: 'name', type: 'type', value: 'value', purpose: 'description' },
    needed: ['name', 'value'],
    hints: { name: '@ for the zone itself, or a name in it, like www', value: 'An address for A and AAAA' },
    toInput: ({ where, name, type, value, purpose }) => ({
      ...{ zone_id: where, name: name.trim(), type, value },
      ...given('description', purpose),
    }),
    read: (answer) => String(Reflect.get(Object(answer), 'fqdn') ?? ''),
  },
  {
    ...{ id: 'dhcp', text: 'DHCP reservation', ...RESERVATION },
    fields: { mac: 'mac_address', name: 'hostname', purpose: 'purpose', until: 'ttl_seconds' },
    hints: { mac: 'Of the host, like 00:00:0c:12:34:56', name: 'The host name, like printer-3', until: UNTIL },
    toInput: buildReservation,
  },
]

/** Returns the title of the proposal. @example formatTitle(address, form) // 'Address for printer-3' */
export const formatTitle = ({ text }: RequestKind, { name, purpose }: Form): string => {
  const what = [name, purpose].map((one) => one.trim()).find((one) => one !== '')
  return what === undefined ? text : `${text} for ${what}`
}
