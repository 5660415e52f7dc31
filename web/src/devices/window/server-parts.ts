/** Divides a filter: some parts are known to the server, the others only to the browser. Pure. */
import { cidrHolds, parseCidr } from '../../../../src/net/cidr.ts'
import { parseIp } from '../../../../src/net/ip.ts'
import { splitWords } from '../../../../src/net/words/spellings.ts'
import { holdsWord, isNarrowerWord, type Word } from '../../../../src/net/words/word.ts'
import type { Device } from '../../api/contracts.ts'
import { parseFilter, type Term } from '../../table/filter.ts'
import { SPACE } from '../column-spec.ts'
import { STATES } from './messages.ts'
import type { Param } from './windowed-state.ts'

type Known = Param[0]

export type Parts = {
  /** The parameters of the list. Undefined if no device can match. */
  readonly params: readonly Param[] | undefined
  /** The terms that the parameters apply, as they are written. */
  readonly applied: readonly string[]
  /** The terms that only the browser knows, as they are written. */
  readonly waiting: readonly string[]
}

export type Datacenters = readonly (readonly [id: string, name: string])[]

type Options = { readonly fields: readonly string[]; readonly datacenters: Datacenters }

/** The longest text of a search, and of a tag. */
const MOST_TEXT = 256
const MOST_TAG = 255

/** Returns the value of a term as it is typed, because the server distinguishes case in tags and ids. */
const getTypedValue = (written: string, { field }: Term): string =>
  (field === '' ? written : written.slice(field.length + 1)).replace(/"/g, '')

type Found = { readonly param: Param } | 'nothing' | 'waits'

/** Returns a whole name, or the beginning of exactly one name. */
const findDatacenter = (value: string, datacenters: Datacenters): Found => {
  const lower = datacenters.map(([id, name]) => [id, name.toLowerCase()] as const)
  const equal = lower.filter(([, name]) => name === value)
  const found = equal.length > 0 ? equal : lower.filter(([, name]) => name.startsWith(value))
  const [first, second] = found
  // Nothing is known until the names are loaded.
  if (!first) return datacenters.length === 0 ? 'waits' : 'nothing'
  return second ? 'waits' : { param: ['datacenter_id', first[0]] }
}

const findStatus = (value: string): Found => {
  const state = STATES.find((one) => one.startsWith(value))
  return state ? { param: ['status', state] } : 'nothing'
}

const toTag = (typed: string): Found => (typed.length > MOST_TAG ? 'nothing' : { param: ['tags', typed] })

const toParam = (term: Term, typed: string, datacenters: Datacenters): Found => {
  if (term.isNegated) return 'waits'
  switch (term.field) {
    case '':
      // The server searches the words of a phrase one by one.
      return /\s/.test(typed) ? 'waits' : { param: ['q', typed] }
    case 'tag':
      return toTag(typed)
    case 'status':
      return findStatus(term.value)
    case 'dc':
      return findDatacenter(term.value, datacenters)
    case SPACE:
      return { param: ['space_id', typed] }
    default:
      return 'waits'
  }
}

/** True for a parameter that a list takes once; two values of it exclude each other. */
const isSingle = (name: Known): boolean => name !== 'tags' && name !== 'q'

/**
 * @param fields the names that a term may begin with
 * @example parseParts('web tag:prod -os:debian', options) // q and tags; -os:debian waits
 */
export const parseParts = (text: string, { fields, datacenters }: Options): Parts => {
  const words: string[] = []
  const params: Param[] = []
  const applied: string[] = []
  const waiting: string[] = []
  let isNothing = false
  for (const term of parseFilter(text, fields)) {
    const written = text.slice(term.start, term.end)
    const found = toParam(term, getTypedValue(written, term), datacenters)
    if (found === 'nothing') isNothing = true
    if (typeof found === 'string') {
      if (found === 'waits') waiting.push(written)
      continue
    }
    const { param } = found
    const [name, value] = param
    const isLong = name === 'q' && [...words, value].join(' ').length > MOST_TEXT
    if (isLong) {
      waiting.push(written)
      continue
    }
    const other = params.find(([known, known_value]) => isSingle(name) && known === name && known_value !== value)
    if (other) isNothing = true
    if (name === 'q') words.push(value)
    else if (!params.some(([known, known_value]) => known === name && known_value === value)) params.push(param)
    applied.push(written)
  }
  const all: Param[] = words.length > 0 ? [['q', words.join(' ')], ...params] : params
  return { params: isNothing ? undefined : all, applied, waiting }
}

const listTexts = (params: readonly Param[]): readonly string[] =>
  params.flatMap(([name, value]) => (name === 'q' && value.trim() !== '' ? value.toLowerCase() : []))

/** True for a block, which finds the addresses in it. */
const isBlock = (text: string): boolean => parseCidr(text) !== undefined

const isCloser = (next: readonly Word[], base: readonly Word[]): boolean =>
  base.every((old) => next.some((word) => isNarrowerWord(word, old)))

/** Returns true if the rows of `base` hold all rows of `next`. */
export const hasAllRows = ({ params: base }: Parts, { params: next }: Parts): boolean => {
  if (!base || !next) return base === next
  const [old, texts] = [listTexts(base), listTexts(next)]
  const isSame = old.join(' ') === texts.join(' ')
  if (!isSame && (old.some(isBlock) || !isCloser(texts.flatMap(splitWords), old.flatMap(splitWords)))) return false
  return base.every(([name, value]) => name === 'q' || next.some(([one, other]) => one === name && other === value))
}

/** Returns the terms of a filter that the rows of `base` do not meet already. */
export const removeApplied = (text: string, fields: readonly string[], base: Parts): string =>
  parseFilter(text, fields)
    .map(({ start, end }) => text.slice(start, end))
    .filter((written) => !base.applied.includes(written))
    .join(' ')

const toSearchText = ({ addresses, domains, tags, custom = {}, ...device }: Device): string =>
  [
    ...[device.name, device.hostname, device.description, device.make_model, device.os, device.location],
    ...[...tags, ...domains, device.serial ?? '', device.asset_tag ?? '', device.role ?? ''],
    ...Object.values(custom).map(String),
    ...addresses.flatMap(({ ip, mac_address = '', dns_name = '', interface: port = '', label }) => [
      ip,
      mac_address,
      dns_name,
      port,
      label,
    ]),
  ]
    .join('\n')
    .toLowerCase()

const hasText = (device: Device, q: string): boolean => {
  const text = toSearchText(device)
  if (splitWords(q).every((word) => holdsWord(text, word))) return true
  const cidr = parseCidr(q)
  return (
    cidr !== undefined &&
    device.addresses.some(({ ip }) => {
      const address = parseIp(ip)
      return address !== undefined && cidrHolds(cidr, address)
    })
  )
}

const DEFAULT_SPACE = 'default'

/** Returns true if a changed device belongs to the rows that the parameters leave. */
export const isAmong = (device: Device, { params }: Parts): boolean =>
  params?.every(([name, value]) => {
    switch (name) {
      case 'q':
        return listTexts([[name, value]]).every((text) => hasText(device, text))
      case 'tags':
        return device.tags.includes(value)
      case 'space_id':
        return device.addresses.some(({ space_id = DEFAULT_SPACE }) => space_id === value)
      default:
        return device[name] === value
    }
  }) ?? false
