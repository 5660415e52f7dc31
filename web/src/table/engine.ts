/**
 * The engine of every list: rows once, one sorted index per column kept, a filter by walking it. Knows neither React nor
 * the network, so that it runs in a worker over 100,000 rows and on the page over a few.
 */

import { parseMac } from '../../../src/net/mac.ts'
import { sortByName, toNameKey } from '../../../src/net/name-order.ts'
import { holdsWord, isNarrowerWord, type Word } from '../../../src/net/words/word.ts'
import { type Facets, parseFilter, type Term } from './filter.ts'

export type SortKey = string | number

export type TableSpec<Row> = {
  readonly id: (row: Row) => string
  /** The text that a bare word is searched in. */
  readonly text: (row: Row) => string
  /** A row without a key comes last in both directions. */
  readonly sorts: Readonly<Record<string, (row: Row) => SortKey | undefined>>
  /** `value` is in lower case. */
  readonly fields: Readonly<Record<string, (row: Row, value: string) => boolean>>
  /** The spellings of a bare word in texts; by default those of a whole MAC. `value` is in lower case. */
  readonly spell?: (value: string) => Word
  /** The values to complete a field with. */
  readonly facets: Readonly<Record<string, (row: Row) => readonly string[]>>
}

/** Texts have MACs in the notation of the server. */
const spellMac = (value: string): Word => [value, parseMac(value) ?? value]

export type TableQuery = { readonly q: string; readonly sort: string; readonly isDescending: boolean }

type Hits = {
  readonly terms: readonly Term[]
  readonly flags: Uint8Array
  readonly count: number
}

const MAX_FACETS = 400
/** Rows that are counted before something else may have its turn: about 5 ms of work. */
const FACET_STEP = 4000

/** Returns the most frequent values; equally frequent ones by name. */
const sortFacets = (all: readonly (readonly [string, number])[]): [string, number][] => {
  const frequent = all.toSorted((a, b) => b[1] - a[1]).slice(0, MAX_FACETS)
  return sortByName(frequent, ([value]) => value)
    .sort((a, b) => b[1] - a[1])
    .map(([value, count]) => [value, count])
}
/** Answers that are kept: enough to take a word back again, a key at a time. */
const MAX_HITS = 24

const buildKey = (terms: readonly Term[]): string =>
  JSON.stringify(terms.map(({ isNegated, field, value }) => [isNegated, field, value]))

/** An order with the number of the rows that have a key, which come first. */
type Order = { readonly indices: Uint32Array; readonly keyed: number }

/** The matches of `next` are a subset of the matches of `previous`: each word only got longer. */
const isNarrower = (next: readonly Term[], previous: readonly Term[], spell: (value: string) => Word): boolean =>
  next.length >= previous.length &&
  previous.every((old, i) => {
    const term = next[i]
    if (!term || term.isNegated !== old.isNegated || term.field !== old.field) return false
    // A longer value of a field may match rows that a shorter one does not, as 40 and 4 of a number.
    if (old.isNegated || old.field !== '') return term.value === old.value
    // A longer part of a MAC may find other notations than its beginning.
    return isNarrowerWord(spell(term.value), spell(old.value))
  })

export class TableEngine<Row> {
  #rows: Row[]
  #texts: string[]
  readonly #spec: TableSpec<Row>
  readonly #fields: readonly string[]
  readonly #spell: (value: string) => Word
  readonly #orders = new Map<string, Order>()
  /** The latest last. */
  readonly #hits = new Map<string, Hits>()

  constructor(rows: readonly Row[], spec: TableSpec<Row>) {
    this.#rows = [...rows]
    this.#spec = spec
    this.#fields = Object.keys(spec.fields)
    this.#spell = spec.spell ?? spellMac
    this.#texts = this.#rows.map((row) => toNameKey(spec.text(row)))
  }

  get total(): number {
    return this.#rows.length
  }

  /** @throws RangeError for an index that no query gave */
  row(index: number): Row {
    const row = this.#rows[index]
    if (row === undefined) throw new RangeError(`there is no row ${index}`)
    return row
  }

  /** Replaces rows with the same ids, or adds the rows. */
  put(rows: readonly Row[]): void {
    const places = new Map(this.#rows.map((row, index) => [this.#spec.id(row), index]))
    for (const row of rows) {
      const id = this.#spec.id(row)
      const at = places.get(id) ?? this.#rows.length
      places.set(id, at)
      this.#rows[at] = row
      this.#texts[at] = toNameKey(this.#spec.text(row))
    }
    this.forget()
  }

  /** The rows with these ids. */
  withIds(ids: ReadonlySet<string>): Row[] {
    return this.#rows.filter((row) => ids.has(this.#spec.id(row)))
  }

  drop(ids: ReadonlySet<string>): void {
    this.#rows = this.#rows.filter((row) => !ids.has(this.#spec.id(row)))
    this.#texts = this.#rows.map((row) => toNameKey(this.#spec.text(row)))
    this.forget()
  }

  /** Drops all cached orders and matches, because the data of the keys has changed. */
  forget(): void {
    this.#orders.clear()
    this.#hits.clear()
  }

  /** Indices of the rows that match, in order. */
  query({ q, sort, isDescending }: TableQuery): Uint32Array<ArrayBuffer> {
    const { indices, keyed } = this.#order(sort)
    const { flags, count } = this.#match(parseFilter(q, this.#fields))
    const result = new Uint32Array(count)
    let next = 0
    for (let i = 0; i < indices.length; i++) {
      const index = indices[isDescending && i < keyed ? keyed - 1 - i : i] ?? 0
      if (flags[index]) result[next++] = index
    }
    return result
  }

  facets(): Facets {
    const steps = this.facetSteps()
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
    }
  }

  /** The same in steps, so that a worker can answer other messages between them. */
  *facetSteps(): Generator<undefined, Facets> {
    const counts = Object.entries(this.#spec.facets).map(
      ([field, valuesOf]) => [field, valuesOf, new Map<string, number>()] as const,
    )
    const rows = this.#rows
    for (let from = 0; from < rows.length; from += FACET_STEP) {
      if (from > 0) yield
      for (const row of rows.slice(from, from + FACET_STEP))
        for (const [, valuesOf, byValue] of counts)
          for (const value of valuesOf(row)) if (value !== '') byValue.set(value, (byValue.get(value) ?? 0) + 1)
    }
    return Object.fromEntries(counts.map(([field, , byValue]) => [field, sortFacets([...byValue])]))
  }

  #order(sort: string): Order {
    const known = this.#orders.get(sort)
    if (known) return known
    const indices = new Uint32Array(this.#rows.length)
    for (let i = 0; i < indices.length; i++) indices[i] = i
    let keyed = indices.length
    const keyOfRow = this.#spec.sorts[sort]
    if (keyOfRow) {
      const keys = this.#rows.map(keyOfRow)
      keyed = keys.filter((key) => key !== undefined).length
      // Rows often come in order already; then there is nothing to do.
      const isSorted = keyed === keys.length && keys.every((key = '', i) => i === 0 || !(key < (keys[i - 1] ?? key)))
      if (!isSorted)
        indices.sort((a, b) => {
          const [x, y] = [keys[a], keys[b]]
          if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined) || a - b
          return x < y ? -1 : x > y ? 1 : a - b
        })
    }
    const order = { indices, keyed }
    this.#orders.set(sort, order)
    return order
  }

  #match(terms: readonly Term[]): Hits {
    const key = buildKey(terms)
    const hits = this.#hits.get(key) ?? this.#search(terms)
    this.#hits.delete(key)
    this.#hits.set(key, hits)
    for (const oldest of this.#hits.keys()) {
      if (this.#hits.size <= MAX_HITS) break
      this.#hits.delete(oldest)
    }
    return hits
  }

  /** The first search prepares data for all others, so it runs before the first one that a user waits for. */
  warm(): void {
    this.#search([{ isNegated: false, field: '', value: '\u0000', start: 0, end: 1 }])
  }

  #search(terms: readonly Term[]): Hits {
    let base: Hits | undefined
    for (const known of this.#hits.values())
      if ((base === undefined || known.count < base.count) && isNarrower(terms, known.terms, this.#spell)) base = known
    const flags = new Uint8Array(this.#rows.length)
    for (let i = 0; i < flags.length; i++) flags[i] = base ? (base.flags[i] ?? 0) : 1
    // A cached match that used the same term need not be filtered by it again.
    const known = new Set(base?.terms.map((term) => buildKey([term])))
    for (const term of terms) if (!known.has(buildKey([term]))) this.#sift(flags, term)
    let count = 0
    for (let i = 0; i < flags.length; i++) count += flags[i] ?? 0
    return { terms, flags, count }
  }

  /** Clears the flags of the rows that the term does not hold for. */
  #sift(flags: Uint8Array, { field, value, isNegated }: Term): void {
    const { fields } = this.#spec
    const test = Object.hasOwn(fields, field) ? fields[field] : undefined
    const [rows, texts] = [this.#rows, this.#texts]
    if (test) {
      for (let i = 0; i < flags.length; i++) {
        const row = rows[i]
        if (flags[i] && row !== undefined && test(row, value) === isNegated) flags[i] = 0
      }
      return
    }
    // Texts have addresses in the notation of the server.
    const word = this.#spell(value)
    for (let i = 0; i < flags.length; i++) if (flags[i] && holdsWord(texts[i] ?? '', word) === isNegated) flags[i] = 0
  }
}
