/** Names in rows that mean no object or several, and the answers of the user to them. Pure functions. */
import type { ApplyResult } from '../../../../src/exchange/estate/api.ts'
import { FACTS } from '../../../../src/inventory/resources.ts'
import { parseCidr } from '../../../../src/net/cidr.ts'
import { getNoun } from '../../../../src/record/history/kind-names.ts'
import type { ResourceFacts } from '../../../../src/resource/facts.ts'
import type { ResourceName } from '../../export/fields.ts'
import { plural } from '../../ui/format.ts'
import type { Documents, Row } from '../draft.ts'

export type Question = NonNullable<ApplyResult['unresolved']>[number]

export type Choice =
  | { readonly kind: 'create' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'use'; readonly id: string; readonly name: string }

export type Answer = { readonly question: Question; readonly choice: Choice }

const toKey = (text: string): string => text.trim().toLowerCase()

export const getQuestionKey = ({ resource, field, to, text }: Question): string =>
  JSON.stringify([resource, field, to, toKey(text)])

/** @example formatQuestion(question) // 'Amsterdam is 2 datacenters' */
export const formatQuestion = ({ text, to, candidates }: Question): string =>
  candidates.length === 0 ? `${text} is no ${getNoun(to)}` : `${text} is ${plural(candidates.length, getNoun(to))}`

/** @example formatAnswer(answer) // 'Utrecht is created' */
export const formatAnswer = ({ question: { text }, choice }: Answer): string =>
  choice.kind === 'create'
    ? `${text} is created`
    : choice.kind === 'empty'
      ? `${text} is left empty`
      : `${text} is ${choice.name}`

const needsOnlyName = (resource: ResourceName): boolean => {
  const fields: ResourceFacts['fields'] = FACTS[resource].fields
  return (
    Object.entries(fields).every(([name, field]) => name === 'name' || !('required' in field && field.required)) &&
    'name' in fields
  )
}

/** Returns the row of the object that a name would create; undefined if it needs more than a name. */
export const buildCreated = ({ to, text }: Question): Row | undefined => {
  if (to === 'networks' && parseCidr(text)) return { name: text, subnet: text }
  return needsOnlyName(to) ? { name: text } : undefined
}

/** The name of a row itself. The id of its object tells it apart. */
export const isOwnName = ({ field, resource, to }: Question): boolean => field === 'name' && resource === to

const isRecord = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

const isNamed = (value: unknown, text: string): boolean =>
  typeof value === 'string'
    ? toKey(value) === toKey(text)
    : isRecord(value) && [value.name, value.subnet].some((one) => typeof one === 'string' && toKey(one) === toKey(text))

/** Stands for a value that is left out. */
const NOTHING = Symbol('nothing')

type Replace = (value: unknown, name: string) => unknown

const replaceAt = (value: unknown, path: readonly string[], name: string, replace: Replace): unknown => {
  const [step, ...rest] = path
  if (step === undefined) return replace(value, name)
  if (step === '[]') {
    if (!Array.isArray(value)) return value
    return value.map((one: unknown) => replaceAt(one, rest, name, replace)).filter((one) => one !== NOTHING)
  }
  if (!isRecord(value) || !Object.hasOwn(value, step)) return value
  const next = replaceAt(value[step], rest, step, replace)
  if (next === value[step]) return value
  const { [step]: _, ...others } = value
  return next === NOTHING ? others : { ...value, [step]: next }
}

/** @example toPath('addresses[].network') // ['addresses', '[]', 'network'] */
const toPath = (field: string): string[] =>
  field.split('.').flatMap((part) => (part.endsWith('[]') ? [part.slice(0, -2), '[]'] : [part]))

const answerRow = (row: Row, { question, choice }: Answer): Row => {
  const { field, text } = question
  if (isOwnName(question)) return choice.kind === 'use' && isNamed(row.name, text) ? { ...row, id: choice.id } : row
  const replace: Replace = (value, name) => {
    if (!isNamed(value, text)) return value
    if (choice.kind === 'empty') return NOTHING
    if (choice.kind === 'create') return value
    return name.endsWith('_id') || name.endsWith('_ids') ? choice.id : { id: choice.id }
  }
  // A row is an object before and after.
  return replaceAt(row, toPath(field), '', replace) as Row
}

/** Returns the rows with the answers in them. Rows of created objects stand behind the others, so that each keeps its place. */
export const withAnswers = (documents: Documents, answers: readonly Answer[]): Documents => {
  const result: Partial<Record<ResourceName, readonly Row[]>> = { ...documents }
  for (const answer of answers) {
    const { resource } = answer.question
    result[resource] = (result[resource] ?? []).map((row) => answerRow(row, answer))
  }
  for (const { question, choice } of answers) {
    const { to, text } = question
    const made = choice.kind === 'create' ? buildCreated(question) : undefined
    const rows = result[to] ?? []
    if (made && !rows.some(({ name }) => isNamed(name, text))) result[to] = [...rows, made]
  }
  return result
}
