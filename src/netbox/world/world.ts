/**
 * Holds the parts of the answers of one request: the small sets of objects that others name, and the numbers of all objects. Numbers and counts
 * are read for many answers at once, so an answer has them only after `settle`.
 */
import type { Ctx } from '../../kernel/ctx.ts'
import { toNameSlug } from '../../net/slug.ts'
import { type Fields, loadFields } from '../../resource/custom/definitions.ts'
import type { Links } from '../door/links.ts'
import { buildNameKey } from '../numbers/keys.ts'
import type { Kind } from '../numbers/kinds.ts'
import type { NameAttributes } from '../numbers/names.ts'
import { assignNumbers } from '../numbers/numbers.ts'
import { pickFree } from '../numbers/slugs.ts'
import { type Counter, countFor } from './counters.ts'
import { type NameBook, readNameBook } from './names.ts'
import { PATHS } from './paths.ts'
import { type Loaded, loadSet, type NamedObject, type SmallSet } from './small-set.ts'

/** An object of an answer. `settle` sets its number, its URL and its counts. */
export type Numbered = { id: number; url: string; [field: string]: unknown }

/** The fields of an object behind its number and URL, and the fields with numbers of others that refer to it. */
export type Shape = {
  readonly fields: Readonly<Record<string, unknown>>
  readonly counts?: Readonly<Record<string, Counter>>
}

/** A field with the number of an object, which `settle` sets. */
export class NumberField {
  constructor(
    readonly kind: Kind,
    readonly key: string,
    readonly format: (number: number) => number | string = (number) => number,
  ) {}
}

/** @property page the page in Plat, which few nested forms show */
export type NameShape = Shape & { readonly page?: string }

type MakeNameShape = (attributes: NameAttributes | undefined) => NameShape

type Pending = { readonly kind: Kind; readonly key: string; readonly apply: (number: number) => void }
type Counting = { readonly key: string; readonly apply: (count: number) => void }

/** Nested objects are kept for the next answers up to this number. */
const MAX_NESTED_KEPT = 20_000

const NO_FIELDS: Fields = new Map()

export class World {
  readonly #sets = new Map<object, Loaded<NamedObject>>()
  readonly #books = new Map<Kind, NameBook>()
  readonly #definitions = new Map<string, Fields>()
  readonly #nested = new Map<string, Numbered | null>()
  /** The names by their slugs, with the names that are seen first. */
  readonly #newSlugs = new Map<Kind, Map<string, string>>()
  /** The nested forms of names by their texts, which differ in case. */
  readonly #nestedTexts = new Map<Kind, Map<string, Numbered | null>>()
  #pending: Pending[] = []
  #counting = new Map<Counter, Counting[]>()

  /**
   * @param ctx reads the objects that the caller may see
   * @param writer numbers objects: the context of the route, or that of the transaction
   * @param isAtBegin true in a transaction that has written nothing yet
   */
  constructor(
    readonly ctx: Ctx,
    readonly links: Links,
    readonly writer: Ctx = ctx,
    readonly isAtBegin = false,
  ) {}

  /** Reads a set once, and returns it. */
  async read<T extends NamedObject>(set: SmallSet<T>): Promise<Loaded<T>> {
    if (!this.#sets.has(set)) this.#sets.set(set, await loadSet(this, set))
    return this.get(set)
  }

  /** Returns a set that `read` has read. */
  get<T extends NamedObject>(set: SmallSet<T>): Loaded<T> {
    // The key of the map has the type of the objects.
    const loaded = this.#sets.get(set) as Loaded<T> | undefined
    if (!loaded) throw new Error(`the set ${set.name} is not read`)
    return loaded
  }

  /** Forgets a set that a transaction has changed. */
  forget(set: object): void {
    this.#sets.delete(set)
  }

  /** Forgets the nested forms, whose counts a write may have changed. */
  forgetNested(): void {
    this.#nested.clear()
    this.#nestedTexts.clear()
  }

  /** Reads the names of kinds once. */
  async readNames(kinds: readonly Kind[]): Promise<void> {
    for (const kind of kinds) if (!this.#books.has(kind)) this.#books.set(kind, await readNameBook(this.writer, kind))
  }

  /** Reads the definitions of custom fields once. */
  async readDefinitions(resources: readonly string[]): Promise<void> {
    for (const one of resources)
      if (!this.#definitions.has(one)) this.#definitions.set(one, await loadFields(this.ctx, one))
  }

  /** Returns the definitions of a resource that `readDefinitions` has read. */
  getDefinitions(resource: string): Fields {
    return this.#definitions.get(resource) ?? NO_FIELDS
  }

  /** Numbers an object at the next `settle`. */
  number(kind: Kind, key: string, object: Numbered): void {
    this.whenNumbered(kind, key, (number) => {
      object.id = number
      object.url = this.links.api(`${PATHS[kind]}/${number}`)
    })
  }

  /** Sets a field of an object, at the next `settle` if its value is the number of another one. */
  setField(object: Numbered, name: string, value: unknown): void {
    object[name] = value
    if (value instanceof NumberField)
      this.whenNumbered(value.kind, value.key, (number) => {
        object[name] = value.format(number)
      })
  }

  /** Makes an object that `settle` numbers. */
  make(kind: Kind, key: string, { fields, counts = {} }: Shape): Numbered {
    const object: Numbered = { id: 0, url: '' }
    for (const name in fields) this.setField(object, name, fields[name])
    this.number(kind, key, object)
    for (const [field, counter] of Object.entries(counts))
      this.whenCounted(counter, key, (count) => {
        object[field] = count
      })
    return object
  }

  /**
   * Makes the nested form of an object, once for all that name it.
   * @param form tells the forms of one kind apart
   * @param shape returns undefined for an object that the caller does not see
   */
  nest(kind: Kind, key: string, shape: () => Shape | undefined, form = ''): Numbered | null {
    const name = `${kind} ${form} ${key}`
    const known = this.#nested.get(name)
    if (known !== undefined) return known
    const own = shape()
    const nested = own === undefined ? null : this.make(kind, key, own)
    this.#nested.set(name, nested)
    return nested
  }

  /**
   * Makes the nested form of a text that is an object of NetBox, such as a role; null for an empty text.
   * @param shape returns the fields behind the slug
   */
  nestName(kind: Kind, text: string, shape: MakeNameShape): Numbered | null {
    if (text === '') return null
    const byText = this.#nestedTexts.get(kind) ?? new Map<string, Numbered | null>()
    this.#nestedTexts.set(kind, byText)
    const known = byText.get(text)
    if (known !== undefined) return known
    const nested = this.#nestText(kind, text, shape)
    byText.set(text, nested)
    return nested
  }

  #nestText(kind: Kind, text: string, shape: MakeNameShape): Numbered | null {
    const key = buildNameKey(text)
    if (key === '') return null
    const book = this.#books.get(kind)
    if (!book) throw new Error(`the names of ${kind} are not read`)
    const known = book.get(key)
    return this.nest(kind, key, () => {
      const { page, fields, counts } = shape(known?.attributes)
      const name = known?.attributes?.name ?? text
      const shown = { ...(page !== undefined && { display_url: page }), display: name, name, slug: known?.slug ?? '' }
      const own = { fields: { ...shown, ...fields }, ...(counts && { counts }) }
      if (known) return own
      this.#giveSlug(kind, key, book)
      return own
    })
  }

  /** A name that is seen first has the slug of its text, or with its number behind it where another one has that. */
  #giveSlug(kind: Kind, key: string, book: NameBook): void {
    const slugs = this.#newSlugs.get(kind) ?? new Map([...book].map(([name, { slug }]) => [slug, name]))
    this.#newSlugs.set(kind, slugs)
    this.whenNumbered(kind, key, (number) => {
      const nested = this.#nested.get(`${kind}  ${key}`)
      if (!nested) return
      const taken = { has: (slug: string) => (slugs.get(slug) ?? key) !== key }
      const slug = pickFree(toNameSlug(key), number, taken)
      slugs.set(slug, key)
      nested.slug = slug
    })
  }

  /** Calls `apply` with the number of an object at the next `settle`. */
  whenNumbered(kind: Kind, key: string, apply: (number: number) => void): void {
    this.#pending.push({ kind, key, apply })
  }

  /** Calls `apply` with the number of objects that refer to an object at the next `settle`. */
  whenCounted(counter: Counter, key: string, apply: (count: number) => void): void {
    const waiting = this.#counting.get(counter)
    if (waiting) waiting.push({ key, apply })
    else this.#counting.set(counter, [{ key, apply }])
  }

  /** Numbers the objects of the answers made so far, and counts the objects that refer to their objects. */
  async settle(): Promise<void> {
    const [pending, counting] = [this.#pending, this.#counting]
    this.#pending = []
    this.#counting = new Map()
    for (const [counter, waiting] of counting) {
      const counts = await countFor(this.ctx, counter, [...new Set(waiting.map(({ key }) => key))])
      for (const { key, apply } of waiting) apply(counts.get(key) ?? 0)
    }
    if (pending.length > 0) {
      const numbers = await assignNumbers(this.writer, pending)
      for (const { kind, key, apply } of pending) apply(numbers.get(kind, key))
    }
    if (this.#nested.size > MAX_NESTED_KEPT) {
      this.#nested.clear()
      this.#nestedTexts.clear()
    }
  }
}
