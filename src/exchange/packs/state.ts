/** The stored kinds and custom fields, with the packs that have brought them. */

import { toText } from '../../contract/unknown.ts'
import { countByKind } from '../../inventory/kinds/store.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import type { Document } from '../../record/history/kinds.ts'
import * as definitions from '../../resource/custom/store.ts'
import { findStoredDocuments } from '../apply/objects.ts'
import { getRules } from '../apply/resources.ts'
import { buildKey, type PackList } from './files.ts'
import { type PackVersion, parseOwner } from './owner.ts'

/** A kind or a custom field. */
export type StoredRow = {
  readonly list: PackList
  /** See `PackRow`. */
  readonly key: string
  readonly id: string
  readonly document: Document
  /** The pack that has brought it. */
  readonly pack: PackVersion | undefined
  /** The key of the values of a custom field. */
  readonly number?: number
}

const toStored = (list: PackList, id: string, document: Document): StoredRow => ({
  ...{ list, id, document, key: buildKey(list, document), pack: parseOwner(document.managed_by) },
})

const readKinds = async (ctx: Ctx): Promise<StoredRow[]> => {
  const ids = await definitions.findKindIds(ctx)
  const found = await findStoredDocuments(ctx, getRules('kinds'), ids)
  return ids.flatMap((id) => {
    const one = found.get(id)
    return one ? [toStored('kinds', id, one.document)] : []
  })
}

const readFields = async (scope: StoreScope): Promise<StoredRow[]> =>
  (await definitions.findAll(scope)).map(({ number, ...field }) => ({
    ...toStored('custom-fields', field.id, field),
    number,
  }))

/** All kinds and custom fields. */
export class PackState {
  readonly #byKey: ReadonlyMap<string, StoredRow>
  readonly #kindsByName: ReadonlyMap<string, StoredRow>

  private constructor(readonly rows: readonly StoredRow[]) {
    this.#byKey = new Map(rows.map((row) => [`${row.list} ${row.key}`, row]))
    const kinds = rows.filter(({ list }) => list === 'kinds')
    this.#kindsByName = new Map(kinds.map((row) => [toNameKey(toText(row.document.name)), row]))
  }

  static async read(ctx: Ctx): Promise<PackState> {
    return new PackState([...(await readKinds(ctx)), ...(await readFields(ctx))])
  }

  find(list: PackList, key: string): StoredRow | undefined {
    return this.#byKey.get(`${list} ${key}`)
  }

  /** Returns the kind of a name in any case. */
  findKindByName(name: string): StoredRow | undefined {
    return this.#kindsByName.get(toNameKey(name))
  }

  /** Returns the rows that a pack has brought. */
  listOf(name: string): readonly StoredRow[] {
    return this.rows.filter(({ pack }) => pack?.name === name)
  }

  /** Returns the installed version of a pack. */
  findVersion(name: string): number | undefined {
    const versions = this.listOf(name).flatMap(({ pack }) => pack?.version ?? [])
    return versions.length > 0 ? Math.max(...versions) : undefined
  }

  /** Returns the names of the installed packs. */
  listInstalled(): readonly string[] {
    return [...new Set(this.rows.flatMap(({ pack }) => pack?.name ?? []))].sort()
  }
}

/** Counts the objects of kinds, and the objects with values of custom fields. */
export class PackUsage {
  readonly #ctx: Ctx
  #byKind: Promise<ReadonlyMap<string, number>> | undefined

  constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  /** Returns the number of objects of a kind, or with a value of a field. */
  async count({ list, id, number }: StoredRow): Promise<number> {
    if (list === 'custom-fields') return number === undefined ? 0 : definitions.countObjects(this.#ctx, number)
    this.#byKind ??= countByKind(this.#ctx)
    return (await this.#byKind).get(id) ?? 0
  }

  /** True if an object has a choice of a field. */
  async hasChoice({ number }: StoredRow, keys: readonly string[]): Promise<boolean> {
    return number !== undefined && (await definitions.countObjects(this.#ctx, number, keys)) > 0
  }
}
