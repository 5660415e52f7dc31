/** Collects the names in rows that mean no object or several, so that a person can be asked once for each. */
import { toOptionalText } from '../../contract/unknown.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Document } from '../../record/history/kinds.ts'
import { narrowToListed } from '../../resource/scoped/scoped-db.ts'
import { type ApplyResult, MAX_CANDIDATES, MAX_UNRESOLVED } from '../estate/api.ts'
import { findStoredDocuments, toEntry, toGivenKey } from './objects.ts'
import { getRules } from './resources.ts'

/** A name at `at` in its row that means no object of `to`, or several. */
export type UnresolvedName = {
  readonly at: string
  readonly to: Resource
  readonly text: string
  readonly ids: readonly string[]
}

type Unresolved = Omit<UnresolvedName, 'at'> & { readonly resource: Resource; readonly field: string }
type Counted = Unresolved & { rows: number; lastRow: number }

/** The number of different names that a plan remembers. */
const MAX_REMEMBERED = 10_000
/** A longer text is the name of no object. */
const MAX_NAME = 1024

/** Returns the field of a path, the same in each item of a list. @example toField('addresses[3].network') // 'addresses[].network' */
const toField = (path: string): string => path.replace(/\[\d+\]/g, '[]')

/** The names of a plan that mean no object or several. */
export class UnresolvedNames {
  readonly #names = new Map<string, Counted>()

  /** @param row the place of the row in its list; all names of one row and field are added one after the other */
  add(resource: Resource, row: number, { at, to, text, ids }: UnresolvedName): void {
    if (text === '' || text.length > MAX_NAME) return
    const field = toField(at)
    const key = JSON.stringify([resource, field, to, toGivenKey(text)])
    const known = this.#names.get(key)
    if (!known) {
      if (this.#names.size < MAX_REMEMBERED)
        this.#names.set(key, { resource, field, to, text, ids: ids.slice(0, MAX_CANDIDATES), rows: 1, lastRow: row })
    } else if (known.lastRow !== row) {
      known.rows++
      known.lastRow = row
    }
  }

  /** Returns the names of the most rows, and those of as many rows in the order of the document. */
  list(): (Unresolved & { readonly rows: number })[] {
    return [...this.#names.values()].sort((a, b) => b.rows - a.rows).slice(0, MAX_UNRESOLVED)
  }
}

/** The resources of the objects that a note names, by the field of the candidate. */
const NOTED = [
  ['datacenter_id', 'datacenters'],
  ['network_id', 'networks'],
  ['device_id', 'devices'],
  ['space_id', 'spaces'],
  ['kind_id', 'kinds'],
] as const satisfies readonly (readonly [string, Resource])[]

type Answer = NonNullable<ApplyResult['unresolved']>
type Candidate = Answer[number]['candidates'][number]

/** Returns the stored objects of these ids that the caller may list, by resource and id. */
const loadListed = async (ctx: Ctx, ids: ReadonlyMap<Resource, ReadonlySet<string>>) => {
  const listed = await narrowToListed(ctx, [...ids.keys()])
  const found = new Map<Resource, Map<string, Document>>()
  for (const [resource, some] of ids) {
    const stored = await findStoredDocuments(listed, getRules(resource), [...some])
    found.set(resource, new Map([...stored].map(([id, { document }]) => [id, document])))
  }
  return found
}

const collectIds = (pairs: readonly (readonly [Resource, string])[]): Map<Resource, Set<string>> => {
  const ids = new Map<Resource, Set<string>>()
  for (const [resource, id] of pairs) ids.set(resource, (ids.get(resource) ?? new Set()).add(id))
  return ids
}

const listNoted = (document: Document) =>
  NOTED.flatMap(([field, resource]) => {
    const id = toOptionalText(document[field])
    return id === undefined ? [] : [[resource, id] as const]
  })

/** Returns the names with the candidates that the caller may list. */
export const describeUnresolved = async (ctx: Ctx, names: UnresolvedNames): Promise<Answer> => {
  const all = names.list()
  const candidates = await loadListed(ctx, collectIds(all.flatMap(({ to, ids }) => ids.map((id) => [to, id] as const))))
  const documents = [...candidates.values()].flatMap((some) => [...some.values()])
  const noted = await loadListed(ctx, collectIds(documents.flatMap(listNoted)))
  const toCandidate = (id: string, document: Document): Candidate => {
    const parts = [
      ...[document.subnet, document.location].map(toOptionalText),
      ...listNoted(document).map(([resource, other]) => toOptionalText(noted.get(resource)?.get(other)?.name)),
    ]
    return { id, name: toEntry(id, document).name, note: parts.filter(Boolean).join(', ') }
  }
  return all.map(({ resource, field, to, text, rows, ids }) => ({
    ...{ resource, field, to, text, rows },
    candidates: ids.flatMap((id) => {
      const document = candidates.get(to)?.get(id)
      return document ? [toCandidate(id, document)] : []
    }),
  }))
}
