/** The ids of other objects in the fields of an item. */
import { FACTS, INVENTORY } from '../../../inventory/resources.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { loadAllFields } from '../../../resource/custom/definitions.ts'
import type { ResourceFacts } from '../../../resource/facts.ts'
import type { Item } from '../api.ts'
import { KINDS, type Kind, toKind } from '../kind-names.ts'
import { type Document, parseDocument } from '../kinds.ts'

/** The kinds of the objects to which the custom fields of a resource may refer, by resource and name. */
export type CustomTargets = ReadonlyMap<string, ReadonlySet<Kind>>

/** An object that an item refers to. */
export type Referred = { readonly kind: Kind; readonly id: string }

const RELATIONSHIP_ENDS: ReadonlySet<string> = new Set(['parent_id', 'child_id'])

/** Returns the kind of the objects whose ids a field holds; undefined for other fields. @param kind undefined inside of a field */
const findTarget = (kind: Kind | undefined, field: string): Kind | undefined => {
  if (kind === 'relationship' && RELATIONSHIP_ENDS.has(field)) return 'device'
  const resource = INVENTORY.find((one) => toKind(one) === kind)
  const fact = resource && (FACTS[resource] as ResourceFacts).fields[field]
  // The targets of facts are resources.
  if (fact?.type === 'reference') return toKind(fact.to as (typeof INVENTORY)[number])
  const named = field.endsWith('_id') ? field.slice(0, -'_id'.length).replaceAll('_', '-') : ''
  return KINDS.find((one) => one === named)
}

const isRecord = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the definitions, of any time, of the custom fields that hold ids. */
export const findCustomTargets = async (ctx: Ctx): Promise<CustomTargets> => {
  const targets = new Map<string, Set<Kind>>()
  const add = ({ resource, name, reference_to }: Document): void => {
    if (typeof reference_to !== 'string') return
    const key = `${resource} ${name}`
    const known = targets.get(key) ?? new Set()
    targets.set(key, known.add(toKind(reference_to as (typeof INVENTORY)[number])))
  }
  for (const field of await loadAllFields(ctx)) add(field)
  const earlier = ctx.db.selectFrom('history').select('before')
  for (const { before } of await earlier.where('kind', '=', 'custom-field').where('before', 'is not', null).execute())
    if (before !== null) add(parseDocument(before))
  return targets
}

/** True for an item with values of custom fields, which may be ids. */
export const hasCustomValues = ({ fields }: Pick<Item, 'fields'>): boolean =>
  fields.custom !== undefined || JSON.stringify(fields.addresses ?? null).includes('"custom":')

/** Returns the objects to which the fields of an item refer. */
export const listReferred = ({ kind, fields }: Pick<Item, 'kind' | 'fields'>, custom: CustomTargets): Referred[] => {
  const resource = INVENTORY.find((one) => toKind(one) === kind) ?? ''
  const found = new Map<string, Referred>()
  const add = (target: Kind, id: string): void => void found.set(`${target} ${id}`, { kind: target, id })
  const visitCustom = (owner: string, values: Document): void => {
    for (const [name, value] of Object.entries(values))
      for (const target of custom.get(`${owner} ${name}`) ?? [])
        for (const id of [value].flat()) if (typeof id === 'string') add(target, id)
  }
  const visit = (field: string, value: unknown, isNested: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(field, one, isNested)
    else if (field === 'custom' && isRecord(value))
      visitCustom(isNested || kind === 'reservation' ? 'addresses' : resource, value)
    else if (isRecord(value) && field !== 'refs')
      for (const [inner, one] of Object.entries(value)) visit(inner, one, true)
    else if (typeof value === 'string' && value !== '') {
      const target = findTarget(isNested ? undefined : kind, field)
      if (target) add(target, value)
    }
  }
  for (const [field, { from, to }] of Object.entries(fields)) for (const one of [from, to]) visit(field, one, false)
  return [...found.values()]
}
