/**
 * Sends one long answer to its client. It reads the source as fast as the client takes the answer. The rest can be
 * moved to a temporary file, so that the source (a snapshot of the database) is released before the client has taken
 * all.
 */
import { createPace, type Pace, type PaceLimits } from './pace.ts'
import type { Spool } from './spool.ts'
import type { Connection } from './unacknowledged.ts'

/** Bytes of an answer, read one chunk at a time. `return` ends the source early. */
export type Source = Pick<AsyncIterator<Uint8Array, unknown>, 'next' | 'return'>

/** The client of an answer, for limits and for the log. */
export type Recipient = {
  /** The key by which answers are counted: a user's id, or a guest's address. */
  readonly owner: string
  readonly username: string
  readonly route: string
  readonly requestId: string
  /** Undefined without a socket. */
  readonly connection: Connection | undefined
  /** Closes the connection. */
  readonly disconnect: () => void
}

/** Maximum number of bytes of one answer that wait in memory for its client. */
export const MOST_QUEUED_BYTES = 1024 * 1024
/** Maximum size of one piece for a client that keeps up, and for one that does not. */
const LARGE_PIECE = 256 * 1024
const SMALL_PIECE = 64 * 1024
/** A client that takes fewer bytes between two checks does not keep up. */
const SLOW_BYTES = LARGE_PIECE
/** From this size on, many writes to a file are as fast as one. */
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
  /** Bytes read from the source and not handed to the connection yet. */
  #rest: Uint8Array | undefined
  /** The next chunk, read while the socket sends the current one. */
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
      // Pulled only when the socket has taken all earlier bytes: Bun waits for it before it reads on.
      { highWaterMark: 0 },
    )
  }

  /** Bytes handed to the connection. */
  get handedBytes(): number {
    return this.#handed
  }

  /** Bytes handed to the connection that the system has taken as well. */
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

  /** Returns true if the source has been read to its end, or was closed early. */
  get hasReleasedSource(): boolean {
    return this.#isSourceDone || this.isEnded
  }

  /** Returns true if the source is open and its rest is not being moved to a file. */
  get holdsSource(): boolean {
    return this.#state === 'open' && !this.#isSourceDone
  }

  get hasTooMuchQueued(): boolean {
    return this.#state === 'open' && (this.#rest?.length ?? 0) > MOST_QUEUED_BYTES
  }

  /** Checks the answer at intervals. @returns the bytes handed to the connection since the last call */
  poll(): number {
    const since = this.#handed - this.#handedBefore
    this.#handedBefore = this.#handed
    // Smaller pieces show sooner how much the client takes.
    this.#isSlow = since < SLOW_BYTES
    return since
  }

  /** Ends the answer early. Its client sees an aborted connection. */
  cut(reason: string): void {
    if (this.isEnded) return
    this.#controller?.error(new Error(reason))
    this.#end()
    this.recipient.disconnect()
  }

  /**
   * Moves the rest of the source to a temporary file, until the source has been read to its end or the answer has
   * ended.
   * @param create creates the file
   * @param hasRoom called before each write
   * @returns false if there is no room
   * @throws if the file cannot be created or written
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
    // A failure is reported by the code that awaits the chunk.
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

  /** Returns the next chunk of the source. Concurrent calls are served in order. */
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
    // If a chunk is being read, the source closes after it.
    if (!this.#isSourceDone) void Promise.resolve(this.#source.return?.(undefined)).catch(() => {})
  }
}
