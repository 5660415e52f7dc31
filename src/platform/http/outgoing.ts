/**
 * One long answer on its way to its client. It is read from its source as the client takes it; what is left of it can be moved to a
 * temporary file, so that its source (a snapshot of the database) is free before the client has all of it.
 */
import { createPace, type Pace, type PaceLimits } from './pace.ts'
import type { Spool } from './spool.ts'
import type { Connection } from './unacknowledged.ts'

/** Bytes of an answer, read one chunk at a time. `return` ends the source early. */
export type Source = Pick<AsyncIterator<Uint8Array, unknown>, 'next' | 'return'>

/** Whose answer it is, for limits and for the log. */
export type Recipient = {
  /** By which answers are counted: a user's id, or a guest's address. */
  readonly owner: string
  readonly username: string
  readonly route: string
  readonly requestId: string
  /** Undefined without a socket. */
  readonly connection: Connection | undefined
  /** Closes the connection. */
  readonly disconnect: () => void
}

/** The most bytes of one answer that wait in memory for its client. */
export const MOST_QUEUED_BYTES = 1024 * 1024
/** The most that a client is handed at once while it keeps up, and once it did not. */
const LARGE_PIECE = 256 * 1024
const SMALL_PIECE = 64 * 1024
/** A client that takes less than this between two looks does not keep up. */
const SLOW_BYTES = LARGE_PIECE
/** At this size, many writes to a file take as long as one. */
const SPOOL_PIECE = 256 * 1024

type State = 'open' | 'spooling' | 'spooled' | 'ended'

type Options = {
  readonly source: Source
  readonly recipient: Recipient
  readonly limits: PaceLimits
  /** Called once, when the answer has ended in any way. */
  readonly ended: (outgoing: Outgoing) => void
  /** Called with an error of the source. */
  readonly failed: (error: unknown) => void
}

export class Outgoing {
  readonly recipient: Recipient
  readonly startedMs = performance.now()
  readonly pace: Pace
  readonly body: ReadableStream<Uint8Array>
  readonly #source: Source
  readonly #options: Options
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #state: State = 'open'
  /** What was read from the source and not handed on. */
  #rest: Uint8Array | undefined
  /** The chunk after it, which is read while the socket takes the one before. */
  #ahead: Promise<Uint8Array | undefined> | undefined
  #handed = 0
  #taken = 0
  #isClientsTurn = true
  #handedBefore = 0
  #isSlow = false
  #isSourceDone = false
  #spool: Spool | undefined
  #spoolRead = 0
  #wakeReader = (): void => {}

  constructor(options: Options) {
    const { source, recipient, limits } = options
    this.#source = source
    this.#options = options
    this.recipient = recipient
    this.pace = createPace(limits)
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#end(),
      },
      // Pulled only when the socket has taken all that was handed on before: Bun waits for it before it reads on.
      { highWaterMark: 0 },
    )
  }

  /** Bytes handed to the connection. */
  get handedBytes(): number {
    return this.#handed
  }

  /** Bytes handed on that the system has taken as well. */
  get takenBytes(): number {
    return this.#taken
  }

  get isClientsTurn(): boolean {
    return this.#isClientsTurn
  }

  get spooledBytes(): number {
    return this.#spool?.length() ?? 0
  }

  get isEnded(): boolean {
    return this.#state === 'ended'
  }

  /** Whether its source has been read to its end, or ended early. */
  get hasReleasedSource(): boolean {
    return this.#isSourceDone || this.isEnded
  }

  /** Whether its source is still open, and the rest of it is not being moved yet. */
  get holdsSource(): boolean {
    return this.#state === 'open' && !this.#isSourceDone
  }

  get hasTooMuchQueued(): boolean {
    return this.#state === 'open' && (this.#rest?.length ?? 0) > MOST_QUEUED_BYTES
  }

  /**
   * Looks at the answer once in a while. @returns the bytes handed on since the last time
   */
  poll(): number {
    const since = this.#handed - this.#handedBefore
    this.#handedBefore = this.#handed
    // In smaller pieces it is seen sooner what its client takes.
    this.#isSlow = since < SLOW_BYTES
    return since
  }

  /** Ends the answer: its client sees a connection that was cut. */
  cut(reason: string): void {
    if (this.isEnded) return
    this.#controller?.error(new Error(reason))
    this.#end()
    this.recipient.disconnect()
  }

  /**
   * Moves all that was not handed on to a temporary file, until the source is read to its end or the answer has ended.
   * @param create makes the file
   * @param hasRoom asked before each write
   * @returns false where there is no room
   * @throws when the file cannot be made or written
   */
  async moveToSpool(create: () => Promise<Spool>, hasRoom: (bytes: number) => boolean): Promise<boolean> {
    if (this.#state !== 'open') return true
    this.#state = 'spooling'
    const spool = await create()
    if (this.isEnded) {
      spool.close()
      return true
    }
    this.#spool = spool
    const rest = this.#rest
    this.#rest = undefined
    if (rest && !(await this.#append(spool, rest, hasRoom))) return this.isEnded
    while ((this.#ahead || !this.#isSourceDone) && !this.isEnded) {
      const chunk = await this.#take()
      if (chunk && !(await this.#append(spool, chunk, hasRoom))) return this.isEnded
    }
    if (!this.isEnded) this.#state = 'spooled'
    this.#wakeReader()
    return true
  }

  async #append(spool: Spool, bytes: Uint8Array, hasRoom: (bytes: number) => boolean): Promise<boolean> {
    for (let at = 0; at < bytes.length; at += SPOOL_PIECE) {
      const piece = bytes.subarray(at, at + SPOOL_PIECE)
      if (this.isEnded || !hasRoom(piece.length) || this.isEnded) return false
      await spool.append(piece)
      this.#wakeReader()
    }
    return true
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#isClientsTurn = false
    this.#taken = this.#handed
    let piece: Uint8Array | undefined
    try {
      piece = await this.#nextPiece()
    } catch (error) {
      if (this.isEnded) return
      this.#options.failed(error)
      controller.error(error)
      return this.#end()
    }
    if (this.isEnded) return
    if (!piece) {
      controller.close()
      return this.#end()
    }
    this.#handed += piece.length
    this.#isClientsTurn = true
    controller.enqueue(piece)
    if (this.#state === 'open' && !this.#rest && !this.#isSourceDone) this.#readAhead()
  }

  #readAhead(): void {
    this.#ahead = this.#next()
    // Its failure is met where it is taken.
    this.#ahead.catch(() => {})
  }

  #take(): Promise<Uint8Array | undefined> {
    const chunk = this.#ahead ?? this.#next()
    this.#ahead = undefined
    return chunk
  }

  async #nextPiece(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#rest) return this.#cut(this.#rest)
      if (this.isEnded) return undefined
      if (this.#state === 'open') {
        if (this.#isSourceDone && !this.#ahead) return undefined
        this.#rest = await this.#take()
        continue
      }
      const spool = this.#spool
      if (spool && this.#spoolRead < spool.length()) {
        const piece = await spool.read(this.#spoolRead, this.#mostAtOnce)
        this.#spoolRead += piece.length
        return piece
      }
      if (this.#state === 'spooled') return undefined
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
    }
  }

  get #mostAtOnce(): number {
    return this.#isSlow ? SMALL_PIECE : LARGE_PIECE
  }

  #cut(rest: Uint8Array): Uint8Array {
    const most = this.#mostAtOnce
    this.#rest = rest.length > most ? rest.subarray(most) : undefined
    return rest.length > most ? rest.subarray(0, most) : rest
  }

  /** The next chunk of the source, in order also where two ask at once: it answers one after the other. */
  async #next(): Promise<Uint8Array | undefined> {
    const { done, value } = await this.#source.next()
    if (!done) return value
    this.#isSourceDone = true
    return undefined
  }

  #end(): void {
    if (this.isEnded) return
    this.#state = 'ended'
    this.#rest = undefined
    this.#ahead = undefined
    this.#spool?.close()
    this.#wakeReader()
    this.#options.ended(this)
    // A source whose next chunk is still being read ends after it.
    if (!this.#isSourceDone) void Promise.resolve(this.#source.return?.(undefined)).catch(() => {})
  }
}
