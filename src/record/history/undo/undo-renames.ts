/**
 * New names of custom fields and of their choices in a change. Their undo gives the values of all objects the old names, also of objects
 * that got a value since.
 */
import { getOwn } from '../../../contract/own.ts'
import { toText } from '../../../contract/unknown.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { type CustomResource, toObjectResource } from '../../../resource/custom/fields.ts'
import { findStatesAt } from '../items.ts'
import { type Kind, toKind } from '../kind-names.ts'
import { type Document, parseDocument } from '../kinds.ts'
import * as store from '../store.ts'

/** A field that the undo renames, and its choices. */
type Rename = {
  readonly id: string
  readonly resource: CustomResource
  readonly from: string
  readonly to: string
  /** The old names of choices, by their names after the change. */
  readonly choices: ReadonlyMap<string, string>
}

/** Returns the choices at the same place of both lists that are only in one. */
const pairChoices = (before: Document, after: Document): ReadonlyMap<string, string> => {
  const [old, now] = [before.choices, after.choices] as [string[], string[]]
  if (before.type !== 'choice' || after.type !== 'choice' || old.length !== now.length) return new Map()
  const pairs = now.map((choice, i) => [choice, old[i] ?? ''] as const)
  return new Map(pairs.filter(([choice, former]) => !old.includes(choice) && !now.includes(former)))
}

const renameValue = (value: unknown, choices: ReadonlyMap<string, string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => choices.get(one) ?? one)
  return typeof value === 'string' ? (choices.get(value) ?? value) : value
}

/** The values of custom fields in a document. */
type Values = Readonly<Record<string, unknown>>

const renameIn = (values: Values, renames: readonly Rename[]): Values => {
  const byName = new Map(renames.map((rename) => [rename.from, rename]))
  if (!Object.keys(values).some((name) => byName.has(name))) return values
  const renamed = Object.entries(values).map(([name, value]) => {
    const rename = byName.get(name)
    return rename ? [rename.to, renameValue(value, rename.choices)] : [name, value]
  })
  return Object.fromEntries(renamed)
}

/** Returns the kinds of the objects with values of the fields of a resource. */
const listKinds = (resource: CustomResource): readonly Kind[] =>
  resource === 'addresses' ? ['device', 'reservation'] : [toKind(toObjectResource(resource))]

export class Renames {
  readonly #renames: readonly Rename[]

  constructor(renames: readonly Rename[]) {
    this.#renames = renames
  }

  /** True if objects of the kind may have values of a renamed field. */
  isConcerned(kind: Kind): boolean {
    return this.#renames.some(({ resource }) => listKinds(resource).includes(kind))
  }

  /** Returns a document with the names that its values have after the undo of the definitions. */
  apply(kind: Kind, document: Document): Document {
    if (this.#renames.length === 0) return document
    const concerned = this.#renames.filter(({ resource }) => listKinds(resource).includes(kind))
    const isInAddresses = ({ resource }: Rename): boolean => kind === 'device' && resource === 'addresses'
    const [own, ofAddresses] = [concerned.filter((one) => !isInAddresses(one)), concerned.filter(isInAddresses)]
    const withOwn = document.custom ? { ...document, custom: renameIn(document.custom as Values, own) } : document
    if (ofAddresses.length === 0 || !Array.isArray(withOwn.addresses)) return withOwn
    const addresses = withOwn.addresses.map((address: Document) =>
      address.custom ? { ...address, custom: renameIn(address.custom as Values, ofAddresses) } : address,
    )
    return { ...withOwn, addresses }
  }

  /** Returns the old names of the renamed choices of a definition, by their present ones; undefined without any. */
  getChoices(id: string): Readonly<Record<string, string>> | undefined {
    const choices = this.#renames.find((rename) => rename.id === id)?.choices
    return choices && choices.size > 0 ? Object.fromEntries(choices) : undefined
  }
}

/** The states of a definition before and after a change that updated it. */
export type ChangedDefinition = { readonly id: string; readonly before: Document; readonly after: Document }

const listValues = (document: Document): Values[] => {
  const addresses = Array.isArray(document.addresses) ? (document.addresses as Document[]) : []
  return [document, ...addresses].flatMap(({ custom }) => (custom ? [custom as Values] : []))
}

/** Returns true if a value of an object got the new name of a choice: otherwise the choice was replaced, and no object had it. */
const hasRenamedValue = async (ctx: Ctx, seq: number, { from, to, resource, choices }: Rename): Promise<boolean> => {
  const holds = (json: string, name: string, names: Iterable<string>): boolean => {
    const all = new Set(names)
    return listValues(parseDocument(json)).some((values) =>
      [getOwn(values, name)].flat().some((one) => all.has(toText(one))),
    )
  }
  for (const kind of listKinds(resource))
    for await (const rows of store.streamItems(ctx, { seq, kind, change: 'update' })) {
      const after = await findStatesAt(ctx, kind, { ids: rows.map(({ id }) => id), seq })
      for (const { id, before } of rows) {
        const json = after.get(id)
        if (before && json && holds(before, to, choices.values()) && holds(json, from, choices.keys())) return true
      }
    }
  return false
}

/** Returns the renames of a change. @param seq its number */
export const findRenames = async (
  ctx: Ctx,
  seq: number,
  definitions: readonly ChangedDefinition[],
): Promise<Renames> => {
  const renames: Rename[] = []
  for (const { id, before, after } of definitions) {
    // A field with values keeps its resource.
    const resource = after.resource as CustomResource
    const rename = {
      id,
      resource,
      from: toText(after.name),
      to: toText(before.name),
      choices: pairChoices(before, after),
    }
    const choices = rename.choices.size > 0 && (await hasRenamedValue(ctx, seq, rename)) ? rename.choices : new Map()
    if (rename.from !== rename.to || choices.size > 0) renames.push({ ...rename, choices })
  }
  return new Renames(renames)
}
