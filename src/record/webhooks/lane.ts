/**
 * The deliveries of one webhook that this process sends: those of one object one after another, those of different objects side by side. A
 * failed delivery does not hold later ones back.
 */
import type { Ctx } from '../../kernel/ctx.ts'
import type { Claimed, Held } from '../../kernel/jobs/leases.ts'
import * as deliveries from './delivery-store.ts'
import { Outcomes } from './outcomes.ts'

const BATCH = 50
/** The number of objects whose deliveries are under way at the same time. */
const WIDTH = 4
/** The wait of a delivery for the answer to one of another object, unless a whole batch is due. A fast target gets all events in order. */
const PATIENCE_MS = 100

export type LaneOptions = {
  readonly claim: (busy: readonly string[], most: number) => Promise<Claimed<deliveries.Due>>
  /** Returns undefined if the delivery was not sent. Throws internal errors only. */
  readonly attempt: (delivery: deliveries.Due, mayBegin: () => boolean) => Promise<deliveries.Outcome | undefined>
  readonly isClosing: () => boolean
}

/** Deliveries that were claimed together. */
type Batch = {
  readonly held: Held
  readonly outcomes: Outcomes
  /** Ends the renewals of the leases. */
  readonly stop: () => void
  /** The number of objects with deliveries not yet sent. */
  left: number
}
type Group = { readonly rows: readonly deliveries.Due[]; readonly batch: Batch }

export class Lane {
  readonly #waiting: Group[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #batches = new Set<Batch>()
  /** The deliveries with an outcome that is not written yet, and their objects. */
  readonly #unsettled = new Map<string, string>()
  #isFarBehind = false
  #isWanted = false
  #isOver = false
  #error: unknown
  #wake = Promise.withResolvers<void>()

  constructor(
    private readonly ctx: Ctx,
    private readonly options: LaneOptions,
  ) {}

  /** Asks for another look at the database. @returns false if the lane has ended */
  want(): boolean {
    this.#isWanted = true
    this.#wake.resolve()
    return !this.#isOver
  }

  /** Resolves when no delivery is due that this process may send. @throws Error if the database fails */
  async run(): Promise<void> {
    try {
      for (let group = await this.#next(); group; group = await this.#next()) {
        this.#start(group)
        await this.#waitForRoom()
      }
    } finally {
      await Promise.all(this.#running)
      await Promise.all([...this.#batches].map((batch) => this.#finish(batch)))
    }
    if (this.#error !== undefined) throw this.#error
  }

  #mayGoOn(): boolean {
    return this.#error === undefined && !this.options.isClosing()
  }

  async #next(): Promise<Group | undefined> {
    while (this.#mayGoOn()) {
      const group = this.#waiting.shift()
      if (group) return group
      this.#isWanted = false
      this.#wake = Promise.withResolvers()
      await this.#claim()
      if (this.#waiting.length > 0) continue
      if (this.#running.size > 0) await Promise.race([...this.#running, this.#wake.promise])
      else if (!this.#isWanted) {
        this.#isOver = true
        return undefined
      }
    }
    return undefined
  }

  async #claim(): Promise<void> {
    const { rows, held } = await this.options.claim([...new Set(this.#unsettled.values())], BATCH)
    if (rows.length === 0) return
    this.#isFarBehind = rows.length === BATCH
    const outcomes = new Outcomes(this.ctx, {
      holder: held.holder,
      batch: this.#isFarBehind ? BATCH : 1,
      onWritten: (ids) => this.#settle(ids),
    })
    const stop = deliveries.leases.keep(held, this.ctx.write)
    const groups = Map.groupBy(rows, deliveries.getOrderKey)
    const batch: Batch = { held, outcomes, stop, left: groups.size }
    this.#batches.add(batch)
    for (const [key, ofObject] of groups) {
      for (const { id } of ofObject) this.#unsettled.set(id, key)
      this.#waiting.push({ rows: ofObject, batch })
    }
  }

  #settle(ids: readonly string[]): void {
    for (const id of ids) this.#unsettled.delete(id)
    // Later deliveries of these objects can be claimed now.
    this.want()
  }

  #start(group: Group): void {
    const running = this.#send(group)
      .catch((error: unknown) => {
        this.#error ??= error
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #send({ rows, batch }: Group): Promise<void> {
    const { held, outcomes } = batch
    for (const delivery of rows) {
      // After a pause of the process, another process may hold the lease.
      const mayBegin = () => this.#mayGoOn() && performance.now() < held.endsMs && held.keys.has(delivery.id)
      const outcome = mayBegin() ? await this.options.attempt(delivery, mayBegin) : undefined
      if (!outcome) {
        this.#settle([delivery.id])
        continue
      }
      held.keys.delete(delivery.id)
      outcomes.add(outcome)
    }
    if (--batch.left === 0) await this.#finish(batch)
  }

  async #finish(batch: Batch): Promise<void> {
    this.#batches.delete(batch)
    try {
      await batch.outcomes.written()
      await deliveries.leases.end(batch.held, this.ctx.write)
    } finally {
      batch.stop()
    }
  }

  async #waitForRoom(): Promise<void> {
    while (this.#running.size >= WIDTH) await Promise.race(this.#running)
    if (this.#isFarBehind || this.#running.size === 0) return
    const patience = Promise.withResolvers<void>()
    const timer = setTimeout(patience.resolve, PATIENCE_MS)
    await Promise.race([...this.#running, patience.promise])
    clearTimeout(timer)
  }
}
