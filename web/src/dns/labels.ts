/** States of zones, RRsets and drift in words. Pure functions. */
import { formatCount, plural } from '../ui/format.ts'
import type { Tone } from '../ui/primitives.tsx'
import type { DriftEntry, DriftKind, RrsetState, SyncPlan, Zone } from './queries.ts'

type Mark = readonly [tone: Tone, text: string]

export const ZONE_MARKS: Readonly<Record<Zone['status'], Mark>> = {
  failed: ['bad', 'failed'],
  held: ['warn', 'held'],
  pending: ['info', 'pending'],
  drift: ['warn', 'drift'],
  in_sync: ['ok', 'in sync'],
}

export const STATE_TONES: Readonly<Record<RrsetState, Tone>> = {
  published: 'ok',
  pending: 'info',
  conflict: 'bad',
  blocked: 'warn',
  held: 'warn',
  watched: 'idle',
}
// The keys of a record have its type.
export const STATES = Object.keys(STATE_TONES) as readonly RrsetState[]

/** The types of the RRsets of a zone, for a filter. Other ones are only on servers. */
export const TYPES = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'NS', 'CAA', 'PTR', 'SSHFP'] as const

const MEANINGS: Readonly<Record<RrsetState, string>> = {
  published: '',
  pending: 'On its way to the server',
  conflict: 'Devices give it different values',
  blocked: 'The server holds something else there',
  held: 'Nothing of the zone is sent',
  watched: 'Compared, never written',
}

/** Returns the message of the server about an RRset, or the meaning of its state. */
export const formatState = ({ state, message }: { readonly state: RrsetState; readonly message: string }): string =>
  message || MEANINGS[state]

export const KIND_TONES: Readonly<Record<DriftKind, Tone>> = {
  missing: 'bad',
  changed: 'warn',
  blocked: 'warn',
  foreign: 'idle',
}
// The keys of a record have its type.
export const KINDS = Object.keys(KIND_TONES) as readonly DriftKind[]

export const KIND_TEXTS: Readonly<Record<DriftKind, string>> = {
  missing: 'Plat published it, and the server lacks it',
  changed: 'The server has other values or another TTL',
  blocked: 'The server holds something else in its place, or refuses it',
  foreign: 'Only the server has it; it is no drift',
}

export type Direction = 'push' | 'pull'

const EFFECTS: Readonly<Record<Direction, Readonly<Record<DriftKind, string>>>> = {
  push: {
    missing: 'The server gets the values of Plat again.',
    changed: 'The server gets the values of Plat in place of those that it holds.',
    blocked: 'The server gets the values of Plat in place of those that it holds, which Plat did not write.',
    foreign: 'It is deleted on the server.',
  },
  pull: {
    missing: 'Its own record in Plat is deleted. One that a device gives stays, and is reported.',
    changed: 'The values of the server become own records, which replace those of devices.',
    blocked: 'The values of the server become own records, which replace those of devices.',
    foreign: 'The values of the server become own records. Plat maintains them from then on.',
  },
}

export const getEffect = (direction: Direction, kind: DriftKind): string => EFFECTS[direction][kind]

/** @example formatSettleTitle('push', [entry]) // 'Push www A?' */
export const formatSettleTitle = (direction: Direction, entries: readonly DriftEntry[]): string => {
  const verb = direction === 'push' ? 'Push' : 'Pull'
  const [first] = entries
  if (first && entries.length === 1) return `${verb} ${first.name} ${first.type}?`
  return `${verb} ${plural(entries.length, 'entry', 'entries')}?`
}

/** Returns the reason why entries cannot be pushed or pulled, apart from permissions. */
export const getRefusal = (direction: Direction, { mode }: Pick<Zone, 'mode'>): string | undefined =>
  direction === 'push' && mode === 'watched' ? 'A watched zone is never written' : undefined

/** Formats the values of one side of an entry. @example formatSide(['192.0.2.1'], 300) // '192.0.2.1 · TTL 300' */
export const formatSide = (values: readonly string[], ttl: number | null): string =>
  values.length === 0 ? '' : `${values.join(', ')}${ttl === null ? '' : ` · TTL ${ttl}`}`

/** @example planText(plan) // '2 to create, 1 to delete; 1 blocked' */
export const planText = ({ creates, updates, deletes, blocked, conflicts }: SyncPlan): string => {
  const named = (pairs: readonly (readonly [number, string])[]): string =>
    pairs.flatMap(([number, words]) => (number === 0 ? [] : [`${formatCount(number)} ${words}`])).join(', ')
  const sent = named([
    [creates, 'to create'],
    [updates, 'to update'],
    [deletes, 'to delete'],
  ])
  const left = named([
    [blocked, 'blocked'],
    [conflicts, 'in conflict'],
  ])
  return [sent || 'Nothing to send', left].filter((part) => part !== '').join('; ')
}

/** @example formatZoneKind({ subnet: '192.0.2.0/24', ... }) // 'reverse · 192.0.2.0/24' */
export const formatZoneKind = ({ kind, subnet }: Pick<Zone, 'kind' | 'subnet'>): string =>
  subnet === null ? kind : `${kind} · ${subnet}`

/** Example of a value, by type. */
export const VALUE_HINTS: Readonly<Record<(typeof TYPES)[number], string>> = {
  A: 'Like 192.0.2.10',
  AAAA: 'Like 2001:db8::10',
  CNAME: 'A full name, like web.example.net',
  MX: 'Priority and full name, like 10 mail.example.net',
  TXT: 'The bare text, without quotes, up to 4,096 bytes',
  SRV: 'Priority, weight, port and full name, like 0 5 5060 sip.example.net',
  NS: 'A full name, like ns1.example.net',
  CAA: 'Like 0 issue "letsencrypt.org"',
  PTR: 'A full name, like web.example.net',
  SSHFP: 'Algorithm, hash and fingerprint, like 4 2 123abc...',
}

export const isRecordType = (type: string | undefined): type is (typeof TYPES)[number] =>
  TYPES.some((one) => one === type)
