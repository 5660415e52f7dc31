/** Holds back the body of a request, so that a test acts after the caller was admitted and before the write. */

type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export type HeldBody = {
  /** Resolves when the server reads the body, and so has admitted the caller. */
  readonly isRead: Promise<void>
  /** Sends the body. */
  readonly finish: () => Promise<Response>
}

type Fetch = (request: Request) => Promise<Response>

/** Sends a request without its body. */
export const heldBody = (fetch: Fetch, { method, path, headers, body }: Asked): HeldBody => {
  const reading = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        reading.resolve()
        await finished.promise
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const answer = fetch(
    new Request(`http://plat.test${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: stream,
    }),
  )
  // A request that is rejected before its body is read fails the test instead of blocking it.
  answer.then(
    ({ status }) => reading.reject(new Error(`answered ${status} before the body was read`)),
    (error: unknown) => reading.reject(error),
  )
  return {
    isRead: reading.promise,
    finish: () => {
      finished.resolve()
      return answer
    },
  }
}

/** Sends a request, runs `work` while its body is held back, and sends the rest. */
export const whileHeld = async (fetch: Fetch, asked: Asked, work: () => Promise<unknown>): Promise<Response> => {
  const held = heldBody(fetch, asked)
  await held.isRead
  await work()
  return held.finish()
}
