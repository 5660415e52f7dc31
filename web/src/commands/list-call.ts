/** Converts a list and its filter to a call of the API, and names the parts of the filter that the API lacks. */
import { type CommandFacts, commands } from 'virtual:commands'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import { queryClient } from '../api/queries.ts'
import { parseFilter, type Term } from '../table/filter.ts'
import type { Call, ListCall } from './call.ts'
import { CUSTOM, isCustomTerm, toCustomParameter } from './custom-term.ts'

type Field = CommandFacts['fields'][string]

/** Field names of the filter that are shorter than the names of the API. */
const LONG: Readonly<Record<string, string>> = { dc: 'datacenter', type: 'device_type' }

/** `tag` -> `tags`, `dc` -> `datacenter_id`. */
const findField = (facts: CommandFacts, short: string): readonly [string, Field] | undefined => {
  const name = [short, (Object.hasOwn(LONG, short) && LONG[short]) || short]
    .flatMap((one) => [one, `${one}s`, `${one}_id`])
    .find((one) => Object.hasOwn(facts.fields, one))
  const field = name === undefined ? undefined : facts.fields[name]
  return name === undefined || field === undefined ? undefined : [name, field]
}

/** Returns the id of the only cached object with a name that equals or starts with the text. */
const findCachedId = (noun: string, text: string): string | undefined => {
  // The objects of a kind are cached by its id.
  const known: unknown = queryClient.getQueryData([noun]) ?? queryClient.getQueryData(['objects', noun])
  const rows: readonly unknown[] = Array.isArray(known) ? known : []
  const wanted = text.toLowerCase()
  const named = rows.flatMap((row): (readonly [string, string])[] => {
    if (typeof row !== 'object' || row === null) return []
    const [id, name]: unknown[] = [Reflect.get(row, 'id'), Reflect.get(row, 'name')]
    return typeof id === 'string' && typeof name === 'string' ? [[id, name.toLowerCase()]] : []
  })
  const exact = named.filter(([, name]) => name === wanted)
  const found = exact.length > 0 ? exact : named.filter(([, name]) => name.startsWith(wanted))
  return found.length === 1 ? found[0]?.[0] : undefined
}

const parseInputValue = (field: Field, text: string): unknown => {
  if (field.ref !== undefined) return findCachedId(field.ref, text)
  if (field.choices.length > 0) return field.choices.find((one) => one === text.toLowerCase())
  if (field.isNumber) return Number.isInteger(Number(text)) ? Number(text) : undefined
  return text
}

/** Returns the term as it was typed. The filter itself ignores case. */
const getTypedText = (q: string, { start, end, field }: Term): string =>
  q
    .slice(start, end)
    .slice(field === '' ? 0 : field.length + 1)
    .replace(/"/g, '')

const getWrittenText = (q: string, { start, end }: Term): string => q.slice(start, end)

const listFieldNames = (q: string): string[] =>
  [...q.matchAll(/(?:^|\s)[-!]?([a-z_][\w.]*):/gi)].flatMap(([, name = '']) => {
    const field = name.toLowerCase()
    return /^[a-z_]+$/.test(field) || isCustomTerm(field) ? field : []
  })

/** Returns the names of the resources whose objects a filter of the list may name. */
export const listNamedResources = ({ list, q }: ListCall): readonly string[] => {
  const facts = commands[(list.all ?? list.list)?.http ?? '']
  const fields = listFieldNames(q)
  if (!facts || fields.length === 0) return []
  const named = fields.flatMap((field) => findField(facts, field)?.[1].ref ?? [])
  return facts.fields[CUSTOM] ? [...named, 'custom-fields'] : named
}

export const listCall = ({ list, q, given = {} }: ListCall): Call => {
  const op = list.all ?? list.list
  if (!op) throw new Error('a page shows what can be listed')
  const terms = parseFilter(q, listFieldNames(q))
  const search = list.search
  // Returns true for terms that the API's search supports: words, and subnets of addresses.
  const isWord = ({ isNegated, field, value }: Term) =>
    !isNegated && (field === '' || (field === 'ip' && value.includes('/')))
  if (search && terms.length > 0 && terms.every(isWord))
    return { op: search, input: { q: terms.map((term) => getTypedText(q, term)).join(' ') } }
  return buildFilteredCall(op, q, terms, given)
}

const buildFilteredCall = (
  op: AnyOperation,
  q: string,
  terms: readonly Term[],
  given: Readonly<Record<string, unknown>>,
): Call => {
  const facts = commands[op.http]
  const input: Record<string, unknown> = {}
  const leftOut: string[] = []
  const findCustomParameter = ({ field, ...term }: Term) =>
    facts?.fields[CUSTOM] && findField(facts, field) === undefined
      ? toCustomParameter(
          {
            field,
            text: term.isNegated ? term.value : getTypedText(q, { field, ...term }),
            isNegated: term.isNegated,
            resource: typeof given.kind_id === 'string' ? given.kind_id : undefined,
          },
          findCachedId,
        )
      : undefined
  for (const term of terms) {
    const found = facts && !term.isNegated ? findField(facts, term.field === '' ? 'name' : term.field) : undefined
    const value = found && parseInputValue(found[1], getTypedText(q, term))
    const name = found?.[0] ?? ''
    const old = input[name]
    const custom = findCustomParameter(term)
    const parameter = custom?.[0] ?? ''
    const customs = input[CUSTOM] as Readonly<Record<string, string>> | undefined
    if (custom && !(customs && Object.hasOwn(customs, parameter)))
      input[CUSTOM] = { ...customs, [parameter]: custom[1] }
    else if (!found || value === undefined || (old !== undefined && !found[1].isList))
      leftOut.push(getWrittenText(q, term))
    else if (found[1].isList) input[name] = [...(Array.isArray(old) ? old : []), value]
    else input[name] = value
  }
  return { op, input: { ...given, ...input }, leftOut }
}
