/** Reads the query of a list or of one object: the page, the fields, the order and the filters. */
import { isStorable } from '../../contract/storable.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { type Messages, NetboxError, refuseFields } from '../door/errors.ts'
import type { Condition } from '../endpoint/condition.ts'
import type { Endpoint, Ordering, Page } from '../endpoint/endpoint.ts'
import type { Field } from '../endpoint/field.ts'
import type { Filter } from '../endpoint/filter.ts'
import type { World } from '../world/world.ts'
import { buildCustomFilter } from './custom-filter.ts'

const DEFAULT_LIMIT = 50

/** Parameters that are no filters. */
const RESERVED = new Set(['limit', 'offset', 'brief', 'fields', 'omit', 'exclude', 'ordering', 'format'])

const ORDERABLE: readonly Ordering['field'][] = [
  ...(['id', 'name', 'created', 'last_updated', 'address', 'prefix', 'vid'] as const),
]

/** A text that spells no number from 0 counts as absent, as in NetBox. */
const parseCount = (text: string | null): number | undefined => {
  const number = text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(number) ? number : undefined
}

export type AskedPage = Page & { readonly asked: number }

/** Returns the page of a query. A limit of 0 asks for all. */
export const parsePage = (query: URLSearchParams): AskedPage => {
  const asked = parseCount(query.get('limit')) ?? DEFAULT_LIMIT
  return { asked, limit: asked === 0 ? undefined : asked, offset: parseCount(query.get('offset')) ?? 0 }
}

const splitNames = (query: URLSearchParams, name: string): string[] =>
  query
    .getAll(name)
    .flatMap((text) => text.split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Returns the fields that an answer has: `fields` goes before `omit`, `omit` before `brief`. */
export const selectFields = <Item>(
  { fields, brief }: Pick<Endpoint<Item>, 'fields' | 'brief'>,
  query: URLSearchParams,
): readonly Field<Item>[] => {
  const wanted = new Set(splitNames(query, 'fields'))
  if (wanted.size > 0) return fields.filter(({ name }) => wanted.has(name))
  const omitted = new Set([...splitNames(query, 'omit'), ...splitNames(query, 'exclude')])
  if (omitted.size > 0) return fields.filter(({ name }) => !omitted.has(name))
  if (query.get('brief')) return fields.filter(({ name }) => brief.includes(name))
  return fields
}

/** Returns the order of a query; unknown fields are ignored, as in NetBox. */
export const parseOrdering = (query: URLSearchParams): Ordering[] =>
  splitNames(query, 'ordering').flatMap((text) => {
    const isReverse = text.startsWith('-')
    const field = ORDERABLE.find((one) => one === (isReverse ? text.slice(1) : text))
    return field ? [{ field, isReverse }] : []
  })

/** Splits a parameter into the name of its filter and the lookup. A name may contain `__` itself. */
const findFilter = <Item>(
  filters: Readonly<Record<string, Filter<Item>>>,
  parameter: string,
): { readonly filter: Filter<Item>; readonly lookup: string } | undefined => {
  if (Object.hasOwn(filters, parameter)) {
    const { [parameter]: filter } = filters
    return filter && { filter, lookup: '' }
  }
  const at = parameter.lastIndexOf('__')
  const name = parameter.slice(0, Math.max(0, at))
  const filter = at > 0 && Object.hasOwn(filters, name) ? filters[name] : undefined
  const lookup = parameter.slice(at + 2)
  return filter && lookup !== '' && filter.lookups.includes(lookup) ? { filter, lookup } : undefined
}

const PREFIX = 'cf_'

/** Returns the condition of a filter by a custom field; undefined for a parameter that is none. */
const compileCustom = async <Item>(
  { custom }: Endpoint<Item>,
  parameter: string,
  values: readonly string[],
  world: World,
): Promise<{ readonly condition: Condition<Item> | undefined } | undefined> => {
  if (!custom || !parameter.startsWith(PREFIX)) return undefined
  const own = Object.fromEntries(
    [...world.getDefinitions(custom.resource).values()].map((definition) => [
      `${PREFIX}${definition.name}`,
      buildCustomFilter(custom, definition),
    ]),
  )
  const found = findFilter(own, parameter)
  return found && { condition: await found.filter.compile({ parameter, lookup: found.lookup, values }, world) }
}

const NOT_STORABLE = 'Null characters are not allowed.'

const toMessages = (error: unknown): Messages | undefined =>
  error instanceof NetboxError && error.status === 400 ? (error.body as Messages) : undefined

/** Returns the conditions of a query. @throws NetboxError with all parameters that are wrong, or no filter of the list */
export const compileFilters = async <Item>(
  endpoint: Endpoint<Item>,
  filters: Readonly<Record<string, Filter<Item>>>,
  query: URLSearchParams,
  world: World,
): Promise<Condition<Item>[]> => {
  const conditions: Condition<Item>[] = []
  let wrong: Record<string, readonly string[]> = {}
  for (const parameter of new Set(query.keys())) {
    if (RESERVED.has(parameter)) continue
    const values = query.getAll(parameter)
    if (!values.every(isStorable)) {
      wrong[parameter] = [NOT_STORABLE]
      continue
    }
    try {
      const found = findFilter(filters, parameter)
      const compiled = found
        ? { condition: await found.filter.compile({ parameter, lookup: found.lookup, values }, world) }
        : await compileCustom(endpoint, parameter, values, world)
      if (!compiled)
        wrong[parameter] = [`is no filter of this list in Plat${formatSuggestion(parameter, Object.keys(filters))}`]
      else if (compiled.condition) conditions.push(compiled.condition)
    } catch (error) {
      const messages = toMessages(error)
      if (!messages) throw error
      wrong = { ...wrong, ...messages }
    }
  }
  if (Object.keys(wrong).length > 0) throw refuseFields(wrong)
  return conditions
}
