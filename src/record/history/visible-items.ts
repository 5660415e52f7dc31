/** The objects with a history that a caller sees: objects of some kinds, in the part of the estate that the caller reaches. */

import type { ScopeSet } from '../../kernel/caller.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { isInScopeSet } from '../../kernel/rights/access.ts'
import { createScopeMatcher, type ScopesOf } from '../../people/scopes/areas.ts'
import {
  type DocumentScope,
  findPlace,
  getPlacing,
  listRelated,
  type ObjectId,
} from '../../people/scopes/document-scopes.ts'
import { withDatacentersBelow } from '../../people/scopes/places.ts'
import * as scopes from '../../people/scopes/store.ts'
import { KIND_NAMES, KINDS, type Kind } from './kind-names.ts'
import { parseDocument } from './kinds.ts'
import { Timelines } from './timelines.ts'

/** The kinds that the caller may read, in the order of answers. `parts` has the kinds that the caller may only read in a part. */
type Kinds = { readonly kinds: readonly Kind[]; readonly parts: ReadonlyMap<Kind, ScopeSet> }

type CallerScope = StoreScope & Pick<Ctx, 'caller'>

/** @param permissionOf the permission that the caller needs for a kind */
const selectKinds = (
  { caller: { permissions, scopedPermissions } }: CallerScope,
  permissionOf: (kind: Kind) => Permission,
): Kinds => {
  const parts = new Map<Kind, ScopeSet>()
  const kinds = KINDS.filter((kind) => {
    // The scoped permissions are looked up first: in a scoped call, the permissions also include them.
    const scopeSet = scopedPermissions?.get(permissionOf(kind))
    if (scopeSet) parts.set(kind, scopeSet)
    return scopeSet !== undefined || permissions.has(permissionOf(kind))
  })
  return { kinds, parts }
}

/** The state of an object after a change. `document` is the object in an answer, if it is read already. */
type State = {
  /** The number of the change; undefined for the present. */
  readonly seq: number | undefined
  readonly document?: string | null | undefined
}

/** An object that an answer shows in some states. */
export type Shown = { readonly kind: Kind; readonly id: string; readonly states: readonly State[] }

/** The last state of an object, which is the present one of an object that exists. */
const LAST = Number.POSITIVE_INFINITY

/** Tells which objects a caller sees. An object is seen if its last state and all shown ones are in the part of its kind. */
export class VisibleItems implements Kinds {
  readonly kinds: readonly Kind[]
  readonly parts: ReadonlyMap<Kind, ScopeSet>
  readonly #setOf: ScopesOf
  readonly #timelines: Timelines

  private constructor(ctx: CallerScope, { kinds, parts }: Kinds, setOf: ScopesOf) {
    this.kinds = kinds
    this.parts = parts
    this.#setOf = setOf
    this.#timelines = new Timelines(ctx)
  }

  /** @param permissionOf the permission that decides; by default that to read */
  static async of(
    ctx: CallerScope,
    permissionOf = (kind: Kind): Permission => KIND_NAMES[kind].read,
  ): Promise<VisibleItems> {
    const kinds = selectKinds(ctx, permissionOf)
    return new VisibleItems(
      ctx,
      kinds,
      createScopeMatcher(kinds.parts.size === 0 ? [] : await withDatacentersBelow(ctx, await scopes.findAll(ctx))),
    )
  }

  /** True if the caller sees all objects of the kinds. */
  get isWhole(): boolean {
    return this.parts.size === 0
  }

  /** Cache key of this set of visible items, as part of the ETag of visible answers. */
  get key(): string {
    const parts = [...this.parts].map(([kind, { cacheKey }]) => `${kind} ${cacheKey}`)
    return [this.kinds.join(), ...(parts.length > 0 ? [Bun.hash(parts.join()).toString(36)] : [])].join(' ')
  }

  /** Returns the visible objects. Objects of other kinds are never visible. */
  async seen<Item extends Shown>(items: readonly Item[]): Promise<Item[]> {
    if (this.isWhole) return items.filter(({ kind }) => this.kinds.includes(kind))
    const judged = items.filter(({ kind }) => this.parts.has(kind))
    const placings = new Map<State, DocumentScope | undefined>()
    for (const { kind, id, states } of judged)
      for (const state of states)
        if (typeof state.document === 'string')
          placings.set(state, getPlacing({ kind, id }, parseDocument(state.document)))
    const related = [...placings.values()].flatMap((placing) => (placing ? listRelated(placing) : []))
    await this.#timelines.read([...judged, ...related])
    return items.filter((item) => {
      const scopeSet = this.parts.get(item.kind)
      return scopeSet ? this.#isSeen(scopeSet, item, placings) : this.kinds.includes(item.kind)
    })
  }

  /** True if the object did not exist after the change. Its visibility must have been checked. */
  isGone({ kind, id }: Pick<Shown, 'kind' | 'id'>, seq: number): boolean {
    return this.#timelines.at({ kind, id }, seq) === undefined
  }

  #isSeen(
    scopeSet: ScopeSet,
    { kind, id, states }: Shown,
    placings: ReadonlyMap<State, DocumentScope | undefined>,
  ): boolean {
    const last = this.#timelines.at({ kind, id }, LAST)
    if (!last || !this.#isReached(scopeSet, last, LAST)) return false
    return states.every((state) => {
      const at = state.seq ?? LAST
      if (state.document === undefined) {
        const then = this.#timelines.at({ kind, id }, at)
        return then === undefined || this.#isReached(scopeSet, then, at)
      }
      if (state.document === null) return true
      const placing = placings.get(state)
      return placing !== undefined && this.#isReached(scopeSet, placing, at)
    })
  }

  #isReached(scopeSet: ScopeSet, documentScope: DocumentScope, at: number): boolean {
    if ('follows' in documentScope)
      return documentScope.follows.every((other) => {
        const then = this.#timelines.at(other, at)
        return then !== undefined && this.#isReached(scopeSet, then, at)
      })
    const state = { setOf: this.#setOf, at: (other: ObjectId) => this.#timelines.at(other, at) }
    return isInScopeSet(scopeSet, findPlace(documentScope, state).scopes)
  }
}
