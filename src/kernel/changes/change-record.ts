/** Collects what a transaction does to objects. Knows no kind of object. */
import { createBreathe } from '../../base/runtime/pause.ts'

/** An object's document, as JSON text, before and after one write; undefined where the object does not exist. */
export type ItemWrite = {
  readonly id: string
  readonly before?: string | undefined
  readonly after?: string | undefined
  /** Set for a new object: the last part of the name of its event, if that is not `created`. */
  readonly event?: string | undefined
  /** False for a kind without a history. Only plans read its objects, so that only planned transactions record them. */
  readonly hasHistory?: false
}

/** An object that a transaction has changed. `before` is undefined if the transaction created it. */
export type RecordedItem = {
  readonly kind: string
  readonly id: string
  readonly before: string | undefined
  readonly change: ItemChange
}
export type ItemChange = 'create' | 'update' | 'delete'

/** A changed object with its last state. */
export type ChangedObject = RecordedItem & {
  /** The document after the transaction; undefined for a deleted object, and for a document that is not kept in memory. */
  readonly after: string | undefined
  /** The number of writes before the first one of this object. */
  readonly firstWrite: number
  /** The event of the first `ItemWrite`. */
  readonly event: string | undefined
}

/** A changed object as a plan reads it. */
export type PlannedItem = Pick<ChangedObject, 'kind' | 'id' | 'before' | 'change' | 'after'>

/** The limits of a transaction that a plan describes. Its record also has the objects without a history, and keeps all documents. */
export type PlanLimits = {
  /** The largest number of changed objects. */
  readonly maxObjects: number
  readonly tooMany: () => never
}

/** Thrown by `tooMany` of a transaction that can do without its plan, and is run again without it. */
export class RecordFull extends Error {
  override readonly name = 'RecordFull'
}

/** Returns the documents that the changed objects of a kind had before the transaction, by id; undefined for created objects. */
export type EarlierDocuments = (kind: string) => ReadonlyMap<string, string | undefined>

/** Groups the documents of a kind when they are asked for. */
export const collectEarlier = (changes: readonly ChangedObject[]): EarlierDocuments => {
  const known = new Map<string, ReadonlyMap<string, string | undefined>>()
  return (kind) => {
    const found =
      known.get(kind) ?? new Map(changes.flatMap((one) => (one.kind === kind ? [[one.id, one.before]] : [])))
    known.set(kind, found)
    return found
  }
}

/** The part of a change that its code decides. */
export type ChangeDetails = {
  /** The change that this one undoes. */
  readonly undoes?: string
  /** The note of a change if its caller has given none. */
  readonly defaultNote?: string
  /** The proposal that this one merges. */
  readonly proposalId?: string
}

/** The number of objects after which other requests may run. */
const OBJECTS_AT_ONCE = 500

/** The characters of documents that a transaction keeps for its events. Later documents are read again. */
const MAX_KEPT_CHARACTERS = 4 * 1024 * 1024

/** One write. A hash stands for the document after it, so that a large import does not hold all its documents. */
type Entry = {
  readonly kind: string
  readonly id: string
  readonly before: string | undefined
  readonly after: number | bigint | undefined
  /** The document after it, if it is kept. */
  readonly text: string | undefined
  readonly event: string | undefined
  readonly hasHistory: boolean
}

const hashDocument = (text: string | undefined) => (text === undefined ? undefined : Bun.hash(text))

const buildKey = ({ kind, id }: Pick<Entry, 'kind' | 'id'>): string => `${kind} ${id}`

export class ChangeRecord {
  readonly #entries: Entry[] = []
  /** The kinds of objects with a history that were written. */
  readonly kinds = new Set<string>()
  readonly #plan: PlanLimits | undefined
  readonly isPlanned: boolean
  /** The keys of the objects of a planned transaction, with the number of writes before the first one of each. */
  readonly #planned = new Map<string, number>()
  #keptCharacters = 0

  constructor(plan?: PlanLimits) {
    this.#plan = plan
    this.isPlanned = plan !== undefined
  }

  /** Returns true for the first write of a kind with a history. @throws the error of `tooMany` */
  add(kind: string, { id, before, after, event, hasHistory: given }: ItemWrite): boolean {
    const hasHistory = given !== false
    if (!hasHistory && !this.#plan) return false
    const characters = after?.length ?? 0
    const isKept = this.#plan !== undefined || this.#keptCharacters + characters <= MAX_KEPT_CHARACTERS
    if (isKept) this.#keptCharacters += characters
    const entry = { kind, id, before, after: hashDocument(after), text: isKept ? after : undefined, event, hasHistory }
    if (this.#plan) this.#notePlanned(entry, this.#plan)
    this.#entries.push(entry)
    if (!hasHistory) return false
    const { size } = this.kinds
    return this.kinds.add(kind).size > size
  }

  #notePlanned(entry: Entry, { maxObjects, tooMany }: PlanLimits): void {
    const key = buildKey(entry)
    if (!this.#planned.has(key)) this.#planned.set(key, this.#entries.length)
    if (this.#planned.size > maxObjects) tooMany()
  }

  /** The number of writes so far. `truncate` takes it to discard the writes of a savepoint that was rolled back. */
  get length(): number {
    return this.#entries.length
  }

  truncate(length: number): void {
    for (const { text } of this.#entries.splice(length)) this.#keptCharacters -= text?.length ?? 0
    for (const [key, first] of this.#planned) if (first >= length) this.#planned.delete(key)
  }

  /**
   * Returns the objects with a history that differ from their state before the transaction, or before a write of it, in the order of
   * their first writes. @param since a `length` @param kinds all by default
   */
  items(since = 0, kinds?: ReadonlyMap<string, unknown>): Promise<ChangedObject[]> {
    return this.#collect(since, ({ kind, hasHistory }) => hasHistory && (!kinds || kinds.has(kind)))
  }

  /** Returns the changed objects of a planned transaction, also those without a history. */
  plannedItems(): Promise<ChangedObject[]> {
    return this.#collect(0, () => true)
  }

  async #collect(since: number, isWanted: (entry: Entry) => boolean): Promise<ChangedObject[]> {
    const breathe = createBreathe()
    const objects = new Map<string, { readonly first: Entry; readonly firstWrite: number; last: Entry }>()
    for (let at = since; at < this.#entries.length; at++) {
      const entry = this.#entries[at]
      if (!entry || !isWanted(entry)) continue
      const key = buildKey(entry)
      const known = objects.get(key)
      if (known) known.last = entry
      else objects.set(key, { first: entry, firstWrite: at, last: entry })
      if (at % OBJECTS_AT_ONCE === 0) await breathe()
    }
    const items: ChangedObject[] = []
    for (const { first, firstWrite, last } of objects.values()) {
      const { kind, id, before, event } = first
      const { after, text } = last
      if (after !== hashDocument(before)) {
        const change = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
        items.push({ kind, id, before, change, after: text, firstWrite, event })
      }
      if (items.length % OBJECTS_AT_ONCE === 0) await breathe()
    }
    return items
  }
}
