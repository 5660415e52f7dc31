/** What transactions leave to be done once, right before the commit that they share. */
import type { Kysely } from 'kysely'

/**
 * Work that is done once for all transactions that share a commit; where it fails, so does the commit. What it writes does
 * not count for the revisions of tables.
 */
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

  /** Takes over what another transaction has left. */
  addAll(other: AtCommit): void {
    for (const [batch, items] of other.#items) this.add(batch, items)
  }

  async run<Tables>(db: Kysely<Tables>): Promise<void> {
    // A batch and its items came together, in a transaction of these very tables.
    for (const [batch, items] of this.#items) await batch(db as never, items as never)
  }
}
