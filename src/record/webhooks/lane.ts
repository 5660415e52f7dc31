/**
 * The deliveries of one webhook that this process sends: those of one object one after another, those of different objects side by side. A
 * failed delivery does not hold later ones back.
 */
import type { Ctx } from '../../kernel/ctx.ts'
import type { Claimed, Held } from '../../kernel/jobs/leases.ts'
import * as deliveries from './delivery-store.ts'
import { Outcomes } from './outcomes.ts'

const BATCH = 50
/** Later deliveries of an object are claimed when fewer of it are left. */
const FEW = BATCH
/** The number of objects whose deliveries are under way at the same time. */
const WIDTH = 4
/** The wait of a delivery for the answer to one of another object, unless a whole batch is due. A fast target gets all events in order. */
const PATIENCE_MS = 100

export type LaneOptions = {
  readonly claim: (own: deliveries.Own, most: number) => Promise<Claimed<deliveries.Due>>
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
  /** The number of deliveries not yet sent. */
  left: number
}
/** The deliveries of one object. */
type Chain = { readonly key: string; readonly rows: { readonly delivery: deliveries.Due; readonly batch: Batch }[] }

export class Lane {
  readonly #chains = new Map<string, Chain>()
  readonly #waiting: Chain[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #finishing = new Set<Promise<void>>()
  readonly #batches = new Set<Batch>()
  /** The ids of claimed deliveries without a written outcome. */
  readonly #unsettled = new Set<string>()
  #isFarBehind = false
  #isWanted = false
  #isStopped = false
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
      for (let chain = await this.#next(); chain; chain = await this.#next()) {
        this.#track(this.#running, this.#send(chain))
        await this.#waitForRoom()
      }
    } finally {
      await Promise.all(this.#running)
      await Promise.all(this.#finishing)
      await Promise.all([...this.#batches].map((batch) => this.#finish(batch)))
    }
    if (this.#error !== undefined) throw this.#error
  }

  #mayGoOn(): boolean {
    return !this.#isStopped && this.#error === undefined && !this.options.isClosing()
  }

  #track(all: Set<Promise<void>>, work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        this.#error ??= error
      })
      .finally(() => all.delete(tracked))
    all.add(tracked)
  }

  async #next(): Promise<Chain | undefined> {
    while (this.#mayGoOn()) {
      const chain = this.#waiting.shift()
      if (chain) return chain
      // Then the next claim is the last one, unless more is due.
      if (this.#running.size === 0 && !this.#isFarBehind) await Promise.all(this.#finishing)
      this.#isWanted = false
      this.#wake = Promise.withResolvers()
      await this.#claim()
      if (this.#waiting.length > 0) continue
      const work = [...this.#running, ...this.#finishing]
      if (work.length > 0) await Promise.race([...work, this.#wake.promise])
      else if (!this.#isWanted) {
        this.#isOver = true
        return undefined
      }
    }
    return undefined
  }

  async #claim(): Promise<void> {
    const own: deliveries.Own = {
      ids: [...this.#unsettled],
      holders: [...this.#batches].map(({ held }) => held.holder),
      keys: [...this.#chains.values()].filter(({ rows }) => rows.length > FEW).map(({ key }) => key),
    }
    const { rows, held } = await this.options.claim(own, BATCH)
    if (rows.length === 0) return
    this.#isFarBehind = rows.length === BATCH
    const outcomes = new Outcomes(this.ctx, {
      holder: held.holder,
      batch: this.#isFarBehind ? BATCH : 1,
      onWritten: (ids) => {
        for (const id of ids) this.#unsettled.delete(id)
      },
    })
    const batch: Batch = { held, outcomes, stop: deliveries.leases.keep(held, this.ctx.write), left: rows.length }
    this.#batches.add(batch)
    for (const delivery of rows) {
      this.#unsettled.add(delivery.id)
      this.#addToChain(delivery, batch)
    }
  }

  #addToChain(delivery: deliveries.Due, batch: Batch): void {
    const key = deliveries.getOrderKey(delivery)
    let chain = this.#chains.get(key)
    if (!chain) {
      chain = { key, rows: [] }
      this.#chains.set(key, chain)
      this.#waiting.push(chain)
    }
    chain.rows.push({ delivery, batch })
  }

  async #send({ key, rows }: Chain): Promise<void> {
    for (let next = rows.shift(); next; next = rows.shift()) {
      const { delivery, batch } = next
      const { held, outcomes } = batch
      // After a pause of the process, another process may hold the lease.
      const mayBegin = () => this.#mayGoOn() && performance.now() < held.endsMs && held.keys.has(delivery.id)
      const outcome = mayBegin() ? await this.options.attempt(delivery, mayBegin) : undefined
      if (!outcome) {
        // Another process sends it, before the later ones of its object.
        this.#isStopped = true
        return
      }
      held.keys.delete(delivery.id)
      outcomes.add(outcome)
      if (--batch.left === 0) this.#track(this.#finishing, this.#finish(batch))
      if (rows.length === FEW) this.want()
    }
    this.#chains.delete(key)
  }

  /** Writes the outcomes, and releases the deliveries that were not sent. */
  async #finish(batch: Batch): Promise<void> {
    try {
      await batch.outcomes.written()
      await deliveries.leases.end(batch.held, this.ctx.write)
    } finally {
      this.#batches.delete(batch)
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
