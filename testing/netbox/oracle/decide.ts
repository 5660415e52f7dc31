/** Decides whether an object of an answer meets a filter, by the rule of the filter. */
import type { Item, Lists } from './lists.ts'
import type { Rule } from './rules.ts'

export type Asked = { readonly lookup: string; readonly values: readonly string[] }

const fold = (text: unknown): string => String(text).normalize('NFC').toLowerCase()

const TEXT: Readonly<Record<string, (held: string, wanted: string) => boolean>> = {
  ic: (held, wanted) => held.includes(wanted),
  isw: (held, wanted) => held.startsWith(wanted),
  iew: (held, wanted) => held.endsWith(wanted),
  ie: (held, wanted) => held === wanted,
}

const BOUNDS: Readonly<Record<string, (held: number, wanted: number) => boolean>> = {
  lt: (held, wanted) => held < wanted,
  lte: (held, wanted) => held <= wanted,
  gt: (held, wanted) => held > wanted,
  gte: (held, wanted) => held >= wanted,
}

const isTrue = (text: string | undefined): boolean => /^(true|1)$/i.test(text ?? '')

const hasText = (held: string, test: string, wanted: string): boolean => {
  const { [test]: compare } = TEXT
  // The generator asks for no text of which there is one in another case.
  if (!compare) return wanted === 'null' ? held === '' : fold(held) === fold(wanted)
  return compare(fold(held), fold(wanted))
}

const decideText = (held: string, { lookup, values }: Asked): boolean => {
  if (lookup === 'empty') return (held === '') === isTrue(values[0])
  const isNegative = lookup.startsWith('n')
  const test = isNegative ? lookup.slice(1) : lookup
  return values.some((wanted) => hasText(held, test, wanted)) !== isNegative
}

const decideNumber = (held: readonly number[], { lookup, values }: Asked, parse: (text: string) => number): boolean => {
  const { [lookup]: bound } = BOUNDS
  const [own] = held
  if (bound) return own !== undefined && values.some((wanted) => bound(own, parse(wanted)))
  const isOne = values.some((wanted) => (wanted === 'null' ? own === undefined : own === parse(wanted)))
  return isOne !== (lookup === 'n')
}

const decideAny = (held: readonly string[], { lookup, values }: Asked): boolean => {
  const isOne = values.some((wanted) => (wanted === 'null' ? held.length === 0 : held.includes(wanted)))
  return isOne !== (lookup === 'n')
}

const decideAll = (held: readonly string[], { lookup, values }: Asked): boolean => {
  const has = (wanted: string) => (wanted === 'null' ? held.length === 0 : held.includes(wanted))
  return lookup === 'n' ? !values.some(has) : values.every(has)
}

/** An empty value counts as absent, but of objects and choices, where it is an error. */
const isAbsent = ({ values }: Asked): boolean => values.every((value) => value === '')

export const decide = (rule: Rule, item: Item, asked: Asked, lists: Lists): boolean => {
  if (isAbsent(asked)) return true
  const held = rule.read(item, lists).filter((value) => value !== null && value !== undefined)
  if (rule.is === 'text') return decideText(String(held[0] ?? ''), asked)
  if (rule.is === 'number') return decideNumber(held.map(Number), asked, Number)
  if (rule.is === 'moment')
    return decideNumber(
      held.map((one) => Date.parse(String(one))),
      asked,
      Date.parse,
    )
  if (rule.is === 'flag') return held.includes(true) === isTrue(asked.values[0])
  const texts = held.map(String)
  if (rule.is === 'all') return decideAll(texts, asked)
  const { test } = rule
  if (rule.is === 'own' && test)
    return asked.values.some((wanted) => test(item, wanted, lists)) !== (asked.lookup === 'n')
  return decideAny(texts, asked)
}
