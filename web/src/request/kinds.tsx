/** The kinds of requests: their fields, and the calls that give them. */
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { contracts } from '../api/contracts.ts'
import type { FieldSpec, Values } from '../resource/resource.ts'
import { TextField } from '../ui/field.tsx'

export type RequestKind = {
  readonly id: string
  readonly text: string
  readonly op: AnyOperation
  /** The objects that it is taken from. */
  readonly where: FieldSpec
  /** The other fields. All have the names of the fields of the call. */
  readonly fields: readonly FieldSpec[]
  /** The fields without which nothing is tried. */
  readonly needed?: readonly string[]
  /** Returns the given object of an answer; '' if it names none. */
  readonly read: (answer: unknown) => string
}

const DAY_MS = 86_400_000

/** Returns the seconds to the end of a day. */
const computeTtl = (until: string, nowMs: number): number =>
  Math.max(1, Math.ceil((new Date(`${until}T00:00`).getTime() + DAY_MS - nowMs) / 1000))

const WHERE = {
  name: 'id',
  label: 'Where',
  kind: 'reference',
  isRequired: true,
  placeholder: 'Type a part of a name',
} as const

/** An empty text is not sent. */
const send = (text: string) => text.trim() || undefined

const UNTIL = { label: 'Until', hint: 'To the end of the day; without it, it stays' }

const HOST = { name: 'hostname', label: 'Name', hint: 'The host name, like printer-3', send }
const PURPOSE = { label: 'Purpose', send }

const RESERVED: readonly FieldSpec[] = [
  HOST,
  { ...PURPOSE, name: 'purpose' },
  {
    ...{ ...UNTIL, name: 'ttl_seconds' },
    send: (day) => (day === '' ? undefined : computeTtl(day, Date.now())),
    render: ({ value, onChange, error }) => (
      <TextField {...UNTIL} type="date" value={value} onChange={onChange} error={error} />
    ),
  },
]

/** Reads a field of an object, or of each of a list. @example readEach([{ subnet: '10.0.0.0/24' }], 'subnet') // '10.0.0.0/24' */
const readEach = (rows: unknown, field: string): string =>
  [rows]
    .flat()
    .map((row) => String(Reflect.get(Object(row), field) ?? ''))
    .join(', ')

const RESERVATION = {
  op: contracts.reservations.allocate,
  where: { ...WHERE, to: 'pools' },
  read: (answer: unknown) => readEach(Reflect.get(Object(answer), 'reservations'), 'ip_address'),
} as const

export const REQUEST_KINDS: readonly RequestKind[] = [
  { ...{ id: 'address', text: 'Address', ...RESERVATION }, fields: RESERVED },
  {
    ...{ id: 'subnet', text: 'Subnet', op: contracts.networks.allocate, where: { ...WHERE, to: 'networks' } },
    fields: [
      { name: 'prefix_length', label: 'Length', hint: 'The prefix length, like 24', initial: '24', send: Number },
      { name: 'name', label: 'Name', send },
      { ...PURPOSE, name: 'description' },
    ],
    read: (answer) => readEach(Reflect.get(Object(answer), 'networks'), 'subnet'),
  },
  {
    ...{ id: 'dns', text: 'DNS name', op: contracts.dnsRecords.create },
    where: { ...WHERE, name: 'zone_id', to: 'dns-zones' },
    fields: [
      { name: 'name', label: 'Name', hint: '@ for the zone itself, or a name in it, like www' },
      {
        ...{ name: 'type', label: 'Type', kind: 'select', initial: 'A' },
        options: ['A', 'AAAA', 'CNAME', 'TXT'].map((type) => [type, type]),
      },
      { name: 'value', label: 'Value', hint: 'An address for A and AAAA', send: (text) => text },
      { ...PURPOSE, name: 'description' },
    ],
    needed: ['name', 'value'],
    read: (answer) => readEach(answer, 'fqdn'),
  },
  {
    ...{ id: 'dhcp', text: 'DHCP reservation', ...RESERVATION },
    fields: [
      { name: 'mac_address', label: 'MAC address', hint: 'Of the host, like 00:00:0c:12:34:56', send },
      ...RESERVED,
    ],
  },
]

/** Returns the title of the proposal. @example formatTitle(address, { hostname: 'printer-3' }) // 'Address for printer-3' */
export const formatTitle = ({ text }: RequestKind, values: Values): string => {
  const purpose = [values.hostname ?? values.name, values.purpose ?? values.description].find((one) => one?.trim())
  return purpose === undefined ? text : `${text} for ${purpose.trim()}`
}
