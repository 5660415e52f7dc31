/** The states of objects over time, as far as they say in which scopes the objects are. */
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import { type DocumentScope, getPlacing, listRelated, type ObjectId } from '../../people/scopes/document-scopes.ts'
import type { Kind } from './kind-names.ts'
import { KIND_RULES, parseDocument } from './kinds.ts'
import * as store from './store.ts'

/** A state that holds until a change; undefined where the object does not exist. */
type Span = { readonly until: number; readonly placing: DocumentScope | undefined }

/** The number of objects that are kept between two reads. */
const MOST = 20_000

const buildKey = ({ kind, id }: ObjectId): string => `${kind} ${id}`

export class Timelines {
  readonly #ctx: StoreScope
  /** Spans by object, in the order of the changes. The last one is the present. */
  readonly #spans = new Map<string, readonly Span[]>()

  constructor(ctx: StoreScope) {
    this.#ctx = ctx
  }

  /** Reads the states of objects, and of the objects that decide where they are. */
  async read(objects: readonly ObjectId[]): Promise<void> {
    if (this.#spans.size > MOST) this.#spans.clear()
    for (let next = objects; next.length > 0; ) {
      const read: Span[][] = []
      for (const [kind, all] of Map.groupBy(next, (one) => one.kind)) {
        const ids = [...new Set(all.map(({ id }) => id))].filter((id) => !this.#spans.has(buildKey({ kind, id })))
        // The history has the kinds of the objects.
        if (ids.length > 0) read.push(...(await this.#readKind(kind as Kind, ids)))
      }
      next = read.flatMap((spans) => spans.flatMap(({ placing }) => (placing ? listRelated(placing) : [])))
    }
  }

  async #readKind(kind: Kind, ids: readonly string[]): Promise<Span[][]> {
    // A document follows from the stored rows, and not from a call. The present first: a change that is committed in between records the document that was read here.
    const present = await KIND_RULES[kind].documents(this.#ctx as Ctx, ids)
    const earlier = Map.groupBy(await store.findStates(this.#ctx, kind, ids), ({ id }) => id)
    return ids.map((id) => {
      const toPlacing = (json: string | null | undefined) =>
        typeof json === 'string' ? getPlacing({ kind, id }, parseDocument(json)) : undefined
      const spans: Span[] = []
      for (const { seq, before } of earlier.get(id) ?? []) spans.push({ until: seq, placing: toPlacing(before) })
      spans.push({ until: Number.POSITIVE_INFINITY, placing: toPlacing(present.get(id)) })
      this.#spans.set(buildKey({ kind, id }), spans)
      return spans
    })
  }

  /**
   * Returns the state right after the change with this number; the last state of an object that is gone, if `seq` is infinite. The object
   * must have been read.
   */
  at(object: ObjectId, seq: number): DocumentScope | undefined {
    const spans = this.#spans.get(buildKey(object))
    if (!spans) throw new Error(`the states of ${buildKey(object)} have not been read`)
    if (seq === Number.POSITIVE_INFINITY) return spans.findLast(({ placing }) => placing !== undefined)?.placing
    return spans.find(({ until }) => until > seq)?.placing
  }
}
