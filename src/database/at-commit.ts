/** Collects work of transactions that is done once, right before their common commit. */
import type { Kysely } from 'kysely'

/** Work done once for all transactions of a commit, which fails with it. Does not change revisions. */
export type Batch<Tables, Item> = (db: Kysely<Tables>, items: readonly Item[]) => Promise<void>

type AnyBatch = (db: never, items: never) => Promise<void>

/** Items by the batch that takes them. */
export class AtCommit {
  readonly #items = new Map<AnyBatch, unknown[]>()

  add(batch: AnyBatch, items: readonly unknown[]): void {
    const known = this.#items.get(batch)
    if (known) known.push(...items)
    else this.#items.set(batch, [...items])
  }

  /** Adds the items of another transaction. */
  addAll(other: AtCommit): void {
    for (const [batch, items] of other.#items) this.add(batch, items)
  }

  async run<Tables>(db: Kysely<Tables>): Promise<void> {
    // A batch and its items were added together, in a transaction of these very tables.
    for (const [batch, items] of this.#items) await batch(db as never, items as never)
  }
}
