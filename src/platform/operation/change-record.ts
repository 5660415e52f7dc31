/** Collects what a transaction does to the objects that have a history. Knows no kind of object. */
import { createBreathe } from '../runtime/pause.ts'

/** An object's document, as JSON text, before and after one write; undefined where the object does not exist. */
export type ItemWrite = {
  readonly id: string
  readonly before?: string | undefined
  readonly after?: string | undefined
}

/** An object that a transaction has changed. `before` is undefined if the transaction created it. */
export type RecordedItem = {
  readonly kind: string
  readonly id: string
  readonly before: string | undefined
  readonly change: ItemChange
}
export type ItemChange = 'create' | 'update' | 'delete'

/** The part of a change that its code decides. */
export type ChangeDetails = {
  /** The change that this one undoes. */
  readonly undoes?: string
  /** The note of a change whose caller has given none. */
  readonly defaultNote?: string
}

/** The number of objects after which other requests may run. */
const OBJECTS_AT_ONCE = 500

/** One write. A hash stands for the document after it, so that a large import does not hold all its documents. */
type Entry = {
  readonly kind: string
  readonly id: string
  readonly before: string | undefined
  readonly after: number | bigint | undefined
}

const hashDocument = (document: string | undefined): number | bigint | undefined =>
  document === undefined ? undefined : Bun.hash(document)

export class ChangeRecord {
  readonly #entries: Entry[] = []

  add(kind: string, { id, before, after }: ItemWrite): void {
    this.#entries.push({ kind, id, before, after: hashDocument(after) })
  }

  /** The number of writes so far. `truncate` takes it to discard those of a savepoint that was rolled back. */
  get length(): number {
    return this.#entries.length
  }

  truncate(length: number): void {
    this.#entries.length = length
  }

  /** Returns the objects that differ from their state before the transaction, or before a write of it. @param since a `length` */
  async items(since = 0): Promise<RecordedItem[]> {
    const breathe = createBreathe()
    const objects = new Map<string, { readonly first: Entry; last: Entry }>()
    for (const [at, entry] of this.#entries.slice(since).entries()) {
      const key = `${entry.kind} ${entry.id}`
      const known = objects.get(key)
      if (known) known.last = entry
      else objects.set(key, { first: entry, last: entry })
      if (at % OBJECTS_AT_ONCE === 0) await breathe()
    }
    const items: RecordedItem[] = []
    for (const { first, last } of objects.values()) {
      const { kind, id, before } = first
      const { after } = last
      if (after !== hashDocument(before)) {
        const change = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
        items.push({ kind, id, before, change })
      }
      if (items.length % OBJECTS_AT_ONCE === 0) await breathe()
    }
    return items
  }
}
