/** Draws random filters of a list, with values that objects have, and with ones that none has. */
import { REGISTERED } from '../../../src/netbox/endpoints/registry.ts'
import { listFilters } from '../../../src/netbox/list/common-filters.ts'
import type { Asked } from './decide.ts'
import type { Item, Lists } from './lists.ts'
import { findCustomRule, findRule, type Rule } from './rules.ts'

/** Random numbers from 0 to 1, the same for the same seed (the generator mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed))
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Random = ReturnType<typeof createRandom>

export const choose = <T>(random: Random, all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)]

/** A filter of a list, as it is declared, with its rule. */
export type Known = {
  readonly path: string
  readonly name: string
  readonly lookups: readonly string[]
  readonly rule: Rule
}

/** Custom fields of the estate, by the lists with such objects. */
const CUSTOM: readonly Omit<Known, 'rule'>[] = [
  ...['dcim/devices', 'virtualization/virtual-machines'].flatMap((path) => [
    { path, name: 'cf_keeper', lookups: ['', 'n', 'ic', 'nic', 'ie', 'nie', 'isw', 'nisw', 'iew', 'niew', 'empty'] },
    { path, name: 'cf_watts', lookups: ['', 'n', 'lt', 'lte', 'gt', 'gte'] },
  ]),
  { path: 'ipam/prefixes', name: 'cf_audited', lookups: ['', 'n', 'lt', 'lte', 'gt', 'gte'] },
  { path: 'ipam/prefixes', name: 'cf_public', lookups: [''] },
]

const CUSTOM_TYPES: Readonly<Record<string, string>> = { cf_audited: 'date-time', cf_public: 'boolean' }

/** Lists the filters of all lists. */
export const listKnown = (): Known[] => [
  ...REGISTERED.flatMap(({ path, use }) =>
    use((endpoint) =>
      Object.entries(listFilters(endpoint)).map(
        ([name, filter]): Known => ({ path, name, lookups: filter.lookups, rule: findRule(path, name, filter) }),
      ),
    ),
  ),
  ...CUSTOM.map(
    (one): Known => ({
      ...one,
      rule: findCustomRule(one.name.slice(3), { lookups: one.lookups, type: CUSTOM_TYPES[one.name] ?? 'string' }),
    }),
  ),
]

/** Values that no object has. */
const WRONG: Readonly<Record<Rule['is'], readonly string[]>> = {
  text: ['no such text', 'ß%_\\'],
  number: ['424242', '-1'],
  moment: ['2020-01-01', '2031-12-31T23:59:59Z'],
  flag: [],
  choice: [],
  object: [],
  all: [],
  own: [],
  words: ['no-such-word'],
}

const cutText = (random: Random, text: string, lookup: string): string => {
  const letters = [...text]
  const size = 1 + Math.floor(random() * Math.min(4, letters.length))
  if (lookup.endsWith('isw')) return letters.slice(0, size).join('')
  if (lookup.endsWith('iew')) return letters.slice(-size).join('')
  if (!lookup.endsWith('ic')) return text
  const at = Math.floor(random() * letters.length)
  return letters.slice(at, at + size).join('')
}

const HAVE_NONE: readonly Rule['is'][] = ['number', 'object', 'all', 'text']

/** True for filters that find objects without a value. */
const isNoneAsked = ({ rule, name }: Known, lookup: string): boolean =>
  name !== 'id' && HAVE_NONE.includes(rule.is) && ['', 'n'].includes(lookup)

/** Changes the case of a text for lookups that ignore it. */
const shout = (random: Random, text: string): string => (random() < 0.3 ? text.toUpperCase() : text)

/** Texts that some object has in another case: whether a plain comparison minds the case is not what is tested here. */
const isAmbiguous = (text: string, all: readonly string[]): boolean =>
  all.some((one) => one !== text && one.toLowerCase() === text.toLowerCase())

const drawValue = (random: Random, known: Known, lookup: string, lists: Lists): string | undefined => {
  const { rule, path } = known
  if (rule.is === 'flag' || lookup === 'empty') return choose(random, ['true', 'false', '1', '0', 'True'])
  const luck = random()
  if (luck < 0.1 && isNoneAsked(known, lookup)) return 'null'
  if (luck < 0.2) {
    const wrong = choose(random, WRONG[rule.is])
    if (wrong !== undefined) return wrong
  }
  const items: readonly Item[] = lists.get(path)
  const held = items.flatMap((item) => rule.read(item, lists)).filter((value) => value !== null && value !== '')
  const all = [...held.map(String), ...(rule.more?.(lists) ?? [])]
  const plain = rule.is === 'text' && ['', 'n'].includes(lookup) ? all.filter((one) => !isAmbiguous(one, all)) : all
  const value = choose(random, plain)
  if (value === undefined || rule.is !== 'text' || lookup === '' || lookup === 'n') return value
  return shout(random, cutText(random, value, lookup))
}

/** A filter with its lookup and its values. */
export type Drawn = { readonly known: Known; readonly asked: Asked }

/** @returns undefined for a filter of which no object has a value */
export const draw = (random: Random, known: Known, lists: Lists): Drawn | undefined => {
  const lookup = choose(random, known.lookups) ?? ''
  const isOne = known.rule.is === 'flag' || lookup === 'empty' || random() < 0.6
  const values: string[] = []
  for (let n = isOne ? 1 : 2 + Math.floor(random() * 2); n > 0; n--) {
    const value = drawValue(random, known, lookup, lists)
    if (value !== undefined) values.push(value)
  }
  return values.length === 0 ? undefined : { known, asked: { lookup, values: [...new Set(values)] } }
}

/** Returns the query of filters. */
export const buildQuery = (drawn: readonly Drawn[]): string => {
  const query = new URLSearchParams()
  for (const { known, asked } of drawn)
    for (const value of asked.values) query.append(known.name + (asked.lookup === '' ? '' : `__${asked.lookup}`), value)
  return query.toString()
}
