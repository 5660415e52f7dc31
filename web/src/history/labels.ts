/** The names of kinds, fields and values, and the differences of lists. Pure functions. */
import { INVERSE, KIND_NAMES } from '../../../src/record/history/kind-names.ts'
import type { Change, HistoryEntry, HistoryItem, Kind } from '../api/contracts.ts'
import { fields as datacenterFields } from '../datacenters/fields.ts'
import { buildDeviceFields } from '../devices/fields.ts'
import { formatExactMoment } from '../ui/format.ts'

export const CHANGE_WORDS = { create: 'created', update: 'changed', delete: 'deleted' } as const
export const CHANGE_TONES = { create: 'ok', update: 'info', delete: 'bad' } as const

/** Returns the time of a moment of today, and else its day: a phone has no room for both. */
export const formatWhen = (at: string): string => {
  const [day, time = ''] = formatExactMoment(at).split(' ')
  return day === formatExactMoment(new Date().toISOString()).split(' ')[0] ? time.slice(0, 5) : (day ?? '').slice(5)
}

export const withCapital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the noun of a kind, also of one without a history. @example getKindNoun('dns-record') // 'dns record' */
export const getKindNoun = (kind: string): string =>
  // The keys are the kinds with a history.
  Object.hasOwn(KIND_NAMES, kind) ? KIND_NAMES[kind as Kind].noun : kind.replaceAll('-', ' ')

/** @example formatHeading('device') // 'Devices' */
export const formatHeading = (kind: Kind): string => `${withCapital(KIND_NAMES[kind].noun)}s`

const LABELED: Partial<Record<Kind, Readonly<Record<string, { readonly label: string }>>>> = {
  datacenter: datacenterFields,
  device: buildDeviceFields(),
  port: {
    parent_id: { label: 'Part of' },
    mac_address: { label: 'MAC address' },
    speed_mbps: { label: 'Speed in Mbit/s' },
    vlan_id: { label: 'Untagged VLAN' },
    tagged_vlan_ids: { label: 'Tagged VLANs' },
  },
  object: { kind_id: { label: 'Kind' }, parent_id: { label: 'Parent' } },
  cable: { a: { label: 'End A' }, b: { label: 'End B' }, length_m: { label: 'Length in meters' } },
}

const LABELS: Readonly<Record<string, string>> = {
  child_id: 'To',
  expires_at: 'Ends',
  hostname: 'Host name',
  ip_address: 'Address',
  max_power_w: 'Power in watts, at most',
  parent_id: 'From',
  power_w: 'Power in watts',
  refs: 'Also known as',
  start_ip: 'First address',
  end_ip: 'Last address',
  vlan_id: 'VLAN',
}

/** @example getLabel('network', 'datacenter_id') // 'Datacenter' */
export const getLabel = (kind: Kind, field: string): string =>
  LABELED[kind]?.[field]?.label ?? LABELS[field] ?? withCapital(field.replace(/_id$/, '').replaceAll('_', ' '))

/** @returns the end of the id, which is the type or the field, where the names of the devices are not known */
export const getShownName = ({ id, name }: Pick<HistoryItem, 'id' | 'name'>): string =>
  name === id ? (id.split(' ').at(-1) ?? name) : name

/** Names of objects by their ids. */
export type Names = ReadonlyMap<string, string>

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** The label and the text of a value of a custom field. */
export type CustomWord = (name: string, value: unknown) => { readonly label: string; readonly text: string }

const CUSTOM = 'custom'

/** `ip` of an address has no label, because it stands for the address. */
const createPartFormatter = (names: Names, customWord: CustomWord | undefined) => {
  return ([key, value]: readonly [string, unknown]): string => {
    if (key === 'ip') return String(value)
    if (key === CUSTOM && customWord && typeof value === 'object' && value !== null)
      return Object.entries(value)
        .map(([name, one]) => customWord(name, one))
        .map(({ label, text }) => `${label} ${text}`)
        .join(' · ')
    return `${key.replace(/_id$/, '').replaceAll('_', ' ')} ${formatValue(value, names, customWord)}`
  }
}

/** @param customWord of the fields of addresses @returns '' for an empty value */
export const formatValue = (value: unknown, names: Names = new Map(), customWord?: CustomWord): string => {
  if (isEmpty(value)) return ''
  if (typeof value === 'string') return names.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => formatValue(one, names, customWord)).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .filter(([, part]) => !isEmpty(part))
    .map(createPartFormatter(names, customWord))
    .join(' · ')
}

type Fields = HistoryItem['fields']
export type ListDifference = { readonly gone: readonly unknown[]; readonly came: readonly unknown[] }

const toList = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : value === null ? [] : undefined

/** Compares two lists. @returns undefined for other values */
export const listDifference = ({ from, to }: Fields[string]): ListDifference | undefined => {
  if (!Array.isArray(from) && !Array.isArray(to)) return undefined
  const [before, after] = [toList(from), toList(to)]
  if (!before || !after) return undefined
  const keys = (list: readonly unknown[]) => new Set(list.map((one) => JSON.stringify(one)))
  const [old, fresh] = [keys(before), keys(after)]
  return {
    gone: before.filter((one) => !fresh.has(JSON.stringify(one))),
    came: after.filter((one) => !old.has(JSON.stringify(one))),
  }
}

/** A changed field, or a changed value of a custom field. */
export type ShownField = { readonly name: string; readonly isCustom: boolean; readonly field: Fields[string] }

const listCustomNames = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.keys(value) : []
const getCustomValue = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : null

/** Returns the values of custom fields that differ. */
const compareCustomFields = ({ from, to }: Fields[string]): ShownField[] =>
  [...new Set([...listCustomNames(from), ...listCustomNames(to)])]
    .map((name) => ({
      name,
      isCustom: true,
      field: { from: getCustomValue(from, name), to: getCustomValue(to, name) },
    }))
    .filter(({ field }) => JSON.stringify(field.from) !== JSON.stringify(field.to))

/** Returns the fields that say something; a new object has many that are empty. */
export const listShownFields = (fields: Fields): readonly ShownField[] =>
  Object.entries(fields)
    .flatMap(([name, field]) => (name === CUSTOM ? compareCustomFields(field) : { name, isCustom: false, field }))
    .filter(({ field: { from, to } }) => !isEmpty(from) || !isEmpty(to))

type Origin = Pick<Change, 'username' | 'via' | 'oauth_client' | 'tool' | 'operation'>

/** Returns the user, or the job. */
export const formatActor = ({ username, via, operation }: Origin): string =>
  via === 'job' ? operation : username === '' ? 'unknown' : username

/** Returns the program that made the call; '' for this one. */
export const formatProgram = ({ via, oauth_client, tool }: Origin): string => {
  const program = via === 'oauth' ? oauth_client : via === 'key' ? 'API key' : via === 'job' ? 'job' : ''
  return [program, tool].filter((part) => part !== '').join(', ')
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

/** Splits a message around the id of a change. */
export const splitAroundId = (
  message: string,
): { readonly before: string; readonly id: string; readonly after: string } => {
  const found = UUID.exec(message)
  if (!found) return { before: message, id: '', after: '' }
  const [id] = found
  return { before: message.slice(0, found.index), id, after: message.slice(found.index + id.length) }
}

/** Returns the changes of a list that are undone by others in it, which are not undone themselves. @param entries newest first */
export const listUndone = (entries: readonly Pick<HistoryEntry, 'change_id' | 'undoes'>[]): ReadonlySet<string> => {
  const undone = new Set<string>()
  for (const { change_id, undoes } of entries) if (undoes !== null && !undone.has(change_id)) undone.add(undoes)
  return undone
}

/** Returns the permission that the undo of an item needs. */
export const getUndoPermission = ({ kind, change }: Pick<HistoryItem, 'kind' | 'change'>): string =>
  KIND_NAMES[kind].permissions[INVERSE[change]]

/** Returns the number of objects of a change or of a proposal. */
export const countObjects = (counts: Change['counts']): number =>
  Object.values(counts)
    .flatMap((kinds) => Object.values(kinds ?? {}))
    .reduce((sum, n) => sum + n, 0)
