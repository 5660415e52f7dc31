/** Small sets of objects: read whole, with their numbers and slugs, and cached until a commit writes one of their tables. */
import { memoized } from '../../database/cache/revision-cache.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Kind } from '../numbers/kinds.ts'
import { assignNumbers } from '../numbers/numbers.ts'
import { makeSlugs } from '../numbers/slugs.ts'

export type NamedObject = {
  /** The key of its number. */
  readonly key: string
  readonly kind: Kind
  readonly name: string
  /** The slug that is stored, if one is. */
  readonly ownSlug?: string | undefined
  /** The key of the object above it, which is in the same set. */
  readonly parentKey?: string | null
}

/** An object of a small set with its number and slug. */
export type Member<T> = T & { readonly number: number; readonly slug: string }

export type SmallSet<T extends NamedObject> = {
  readonly name: string
  /** The tables that its objects are made of. */
  readonly tables: readonly (keyof Tables & string)[]
  readonly read: (ctx: Ctx) => Promise<readonly T[]>
  /** Tells callers apart who see different objects in one part of the estate. */
  readonly buildPart?: (ctx: Ctx) => string
}

export class Loaded<T extends NamedObject> {
  readonly all: readonly Member<T>[]
  readonly #byKey: ReadonlyMap<string, Member<T>>
  readonly #children: ReadonlyMap<string, Member<T>[]>

  constructor(all: readonly Member<T>[]) {
    this.all = all
    this.#byKey = new Map(all.map((one) => [one.key, one]))
    this.#children = Map.groupBy(all, ({ parentKey }) => parentKey ?? '')
  }

  find(key: string | null | undefined): Member<T> | undefined {
    return key === null || key === undefined ? undefined : this.#byKey.get(key)
  }

  /** Returns the objects above an object, the nearest first, and the object before them. */
  listUpwards(key: string | null | undefined): Member<T>[] {
    const found: Member<T>[] = []
    for (let one = this.find(key); one && !found.includes(one); one = this.find(one.parentKey)) found.push(one)
    return found
  }

  /** Returns the object and all objects below it. */
  listBelow(key: string): Member<T>[] {
    const own = this.find(key)
    const found = new Set(own ? [own] : [])
    for (const one of found) for (const child of this.#children.get(one.key) ?? []) found.add(child)
    return [...found]
  }
}

/** The context of the reads, and the one that numbers new objects. */
type Reader = {
  readonly ctx: Ctx
  readonly writer: Ctx
  /** True in a transaction that has written nothing yet. */
  readonly isAtBegin: boolean
}

const addNumbers = async <T extends NamedObject>(writer: Ctx, found: readonly T[]): Promise<Member<T>[]> => {
  const numbers = await assignNumbers(writer, found)
  const numbered = found.map((one) => ({ ...one, number: numbers.get(one.kind, one.key) }))
  const slugs = new Map<T, string>()
  for (const [, some] of Map.groupBy(numbered, ({ kind }) => kind)) {
    const made = makeSlugs(some.map(({ number, name, ownSlug }) => ({ number, text: name, slug: ownSlug })))
    for (const one of some) slugs.set(one, made.get(one.number) ?? '')
  }
  return numbered.map((one) => ({ ...one, slug: slugs.get(one) ?? '' }))
}

type Remembered<T extends NamedObject> = Promise<Loaded<T>>

/** Returns the set that a read has remembered of the state in which a transaction began, before its first write. */
const findRemembered = <T extends NamedObject>({ ctx, writer, isAtBegin }: Reader, set: SmallSet<T>) => {
  const { name, tables } = set
  if (ctx !== writer || !isAtBegin) return undefined
  const revision = ctx.revision(tables)
  return revision === undefined
    ? undefined
    : ctx.store.cache.at<Remembered<T>>(`netbox ${name}`, revision).get(set.buildPart?.(ctx) ?? '')
}

/** Reads a set: in a transaction its present rows, else the cached ones of its revision. */
export const loadSet = async <T extends NamedObject>(reader: Reader, set: SmallSet<T>): Promise<Loaded<T>> => {
  const { ctx, writer } = reader
  const read = async () => new Loaded(await addNumbers(writer, await set.read(ctx)))
  // A transaction sees rows that no other request may see yet, and may make numbers that are rolled back.
  if (ctx.db !== ctx.store.read) return (await findRemembered(reader, set)) ?? read()
  const revision = await ctx.store.revision(set.tables)
  const remember = memoized(ctx.store.cache.at<Remembered<T>>(`netbox ${set.name}`, revision))
  return remember(set.buildPart?.(ctx) ?? '', read)
}
