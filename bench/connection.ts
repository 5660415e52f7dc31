/**
 * The load client: HTTP/1.1 over one kept-alive TCP connection, one request at a time. It reads no more of an answer than
 * it must, so that two processor cores measure the server and not the client. Both sides of a comparison go through it.
 */
import type { Socket } from 'bun'

export type Reply = {
  readonly status: number
  /** The head as received, for tests of single headers. */
  readonly head: string
  readonly bytes: number
  /** From sending to the first byte of the body (of the head, where there is no body). */
  readonly firstByteMs: number
  readonly ms: number
  /** Empty unless it was asked for. */
  readonly body: string
}

type Pending = {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
  readonly keepBody: boolean
  readonly sentAt: number
}

const HEAD_END = Buffer.from('\r\n\r\n')
const LINE_END = Buffer.from('\r\n')

/** The received part of an answer. */
type Incoming = {
  head: string
  status: number
  /** Bytes of the body, or of the chunk at hand, that are still to come; -1 while a chunk's size line is. */
  left: number
  isChunked: boolean
  isLastChunk: boolean
  isDone: boolean
  bytes: number
  firstByteAt: number
  kept: Buffer[]
}

const incoming = (head: string): Incoming => {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)
  const isChunked = !length && /\r\ntransfer-encoding: *chunked/i.test(head)
  return {
    head,
    status: Number(head.slice(9, 12)),
    left: length ? Number(length[1]) : isChunked ? -1 : 0,
    isChunked,
    isLastChunk: false,
    isDone: false,
    bytes: 0,
    firstByteAt: 0,
    kept: [],
  }
}

export class Connection {
  #socket: Socket | undefined
  #pending: Pending | undefined
  #answer: Incoming | undefined
  /** Bytes that came and can't be read yet: a head or a chunk's size line that is cut in two. */
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes that the socket has not taken yet. */
  #unsent: Uint8Array = new Uint8Array()
  /** Why nothing can be sent any more. */
  #end: Error | undefined

  static async open(port: number): Promise<Connection> {
    const connection = new Connection()
    connection.#socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_, data) => connection.#read(data),
        drain: () => connection.#write(),
        close: () => connection.#fail(new Error('the server closed the connection')),
        error: (_, error) => connection.#fail(error),
      },
    })
    connection.#socket.setNoDelay(true)
    return connection
  }

  send(request: Uint8Array, { keepBody = false } = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#end) return reject(this.#end)
      this.#pending = { resolve, reject, keepBody, sentAt: performance.now() }
      this.#unsent = request
      this.#write()
    })
  }

  close(): void {
    this.#socket?.end()
  }

  #write(): void {
    if (this.#unsent.length === 0) return
    const written = this.#socket?.write(this.#unsent) ?? 0
    this.#unsent = this.#unsent.subarray(Math.max(0, written))
  }

  #fail(error: Error): void {
    this.#end ??= error
    const pending = this.#pending
    this.#pending = undefined
    pending?.reject(error)
  }

  #read(data: Buffer): void {
    let rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, data]) : data
    if (!this.#answer) {
      const end = rest.indexOf(HEAD_END)
      if (end === -1) {
        this.#rest = Buffer.from(rest)
        return
      }
      this.#answer = incoming(rest.toString('latin1', 0, end))
      rest = rest.subarray(end + HEAD_END.length)
    }
    const answer = this.#answer
    if (answer.isChunked) rest = this.#readChunks(answer, rest)
    else {
      rest = this.#readBody(answer, rest)
      answer.isDone = answer.left === 0
    }
    // The socket reuses its buffer, so the rest is copied.
    this.#rest = rest.length > 0 ? Buffer.from(rest) : rest
    if (answer.isDone) this.#finish(answer)
  }

  /** Takes the remaining body bytes; returns the bytes behind them. */
  #readBody(answer: Incoming, data: Buffer): Buffer {
    const taken = Math.min(answer.left, data.length)
    if (taken === 0) return data
    if (answer.firstByteAt === 0) answer.firstByteAt = performance.now()
    if (this.#pending?.keepBody) answer.kept.push(Buffer.from(data.subarray(0, taken)))
    answer.bytes += taken
    answer.left -= taken
    return data.subarray(taken)
  }

  #readChunks(answer: Incoming, data: Buffer): Buffer {
    let rest = data
    for (;;) {
      if (answer.left > 0) rest = this.#readBody(answer, rest)
      if (answer.left > 0) return rest
      // Each chunk's data ends with a line end, and so does the empty line behind the last chunk.
      if (answer.left === 0) {
        if (rest.length < LINE_END.length) return rest
        rest = rest.subarray(LINE_END.length)
        answer.isDone = answer.isLastChunk
        if (answer.isDone) return rest
        answer.left = -1
      }
      const end = rest.indexOf(LINE_END)
      if (end === -1) return rest
      answer.left = Number.parseInt(rest.toString('latin1', 0, end), 16)
      answer.isLastChunk = answer.left === 0
      rest = rest.subarray(end + LINE_END.length)
    }
  }

  #finish(answer: Incoming): void {
    const pending = this.#pending
    this.#answer = undefined
    this.#pending = undefined
    if (!pending) return
    const now = performance.now()
    pending.resolve({
      status: answer.status,
      head: answer.head,
      bytes: answer.bytes,
      firstByteMs: (answer.firstByteAt || now) - pending.sentAt,
      ms: now - pending.sentAt,
      body: pending.keepBody ? Buffer.concat(answer.kept).toString() : '',
    })
  }
}

export type RequestParts = {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A request as it goes over the wire, made before the clock runs. */
export const requestBytes = ({ method = 'GET', path, headers = {}, body }: RequestParts): Uint8Array => {
  const all: Record<string, string> = { Host: '127.0.0.1', ...headers }
  if (body !== undefined) {
    all['Content-Type'] = 'application/json'
    all['Content-Length'] = String(Buffer.byteLength(body))
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}
