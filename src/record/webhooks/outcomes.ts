/** The outcomes of attempts on their way to the database. */
import { waitForAll } from '../../base/runtime/wait-for-all.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import * as deliveries from './delivery-store.ts'

/** The longest wait of an outcome for others in its transaction. */
const LINGER_MS = 50

type Options = {
  readonly holder: string
  /** The number of outcomes that are written at once. Fewer wait a little for others; 1 writes each at once. */
  readonly batch: number
  readonly onWritten: (ids: readonly string[]) => void
}

/** Collects outcomes while earlier ones are written. Deliveries with lost outcomes are sent again after a crash. */
export class Outcomes {
  #waiting: deliveries.Outcome[] = []
  #writing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly ctx: Ctx,
    private readonly options: Options,
  ) {}

  add(outcome: deliveries.Outcome): void {
    this.#waiting.push(outcome)
    if (this.#waiting.length < this.options.batch) this.#timer ??= setTimeout(() => this.#flush(), LINGER_MS)
    else this.#flush()
  }

  async written(): Promise<void> {
    // Outcomes that were added as the last write ended need another write.
    while (this.#waiting.length > 0 || this.#writing) {
      this.#flush()
      await this.#writing
    }
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    // `written` awaits the write and gets its error; this handler prevents an unhandled rejection.
    this.#writing.catch(() => {})
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.ctx.write(async (inner) => {
        await waitForAll(batch.map((outcome) => deliveries.storeOutcome(inner, outcome, this.options.holder)))
      })
      this.options.onWritten(batch.map(({ id }) => id))
    }
  }
}
