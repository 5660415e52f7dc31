/** Collects what a transaction does to the objects that have a history. Knows no kind of object. */

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

/** One write. A hash stands for the document after it, so that a large import does not hold all its documents. */
type Entry = {
  readonly kind: string
  readonly id: string
  readonly before: string | undefined
  readonly after: number | bigint | undefined
}

const hashOf = (document: string | undefined): number | bigint | undefined =>
  document === undefined ? undefined : Bun.hash(document)

export class ChangeRecord {
  readonly #entries: Entry[] = []

  add(kind: string, { id, before, after }: ItemWrite): void {
    this.#entries.push({ kind, id, before, after: hashOf(after) })
  }

  /** The number of writes so far. `truncate` takes it to discard those of a savepoint that was rolled back. */
  get length(): number {
    return this.#entries.length
  }

  truncate(length: number): void {
    this.#entries.length = length
  }

  /** Returns the objects that differ from their state before the transaction. */
  items(): RecordedItem[] {
    const first = new Map<string, Entry>()
    const last = new Map<string, Entry>()
    for (const entry of this.#entries) {
      const key = `${entry.kind} ${entry.id}`
      if (!first.has(key)) first.set(key, entry)
      last.set(key, entry)
    }
    return [...first].flatMap(([key, { kind, id, before }]) => {
      const after = last.get(key)?.after
      if (after === hashOf(before)) return []
      const change = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
      return [{ kind, id, before, change }]
    })
  }
}
