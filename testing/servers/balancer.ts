/** A minimal load balancer: it sends requests to ready servers in turn, and never retries one. */

export type Balancer = {
  readonly url: string
  /** Adds a server, which gets requests once it is ready. */
  readonly add: (url: string) => void
  /** Resolves when that many are ready. */
  readonly ready: (count: number) => Promise<void>
  readonly close: () => Promise<void>
}

const LOOK_MS = 50
/** Headers of one connection (RFC 9110 7.6.1), and headers of the removed content coding. */
const DROPPED = ['connection', 'keep-alive', 'transfer-encoding', 'content-encoding', 'content-length']

export const startBalancer = (): Balancer => {
  const all = new Set<string>()
  let ready: readonly string[] = []
  let turn = 0
  let isClosed = false

  const isReady = async (url: string): Promise<boolean> => {
    const answer = await fetch(`${url}/readyz`, { headers: { Connection: 'close' } }).catch(() => undefined)
    await answer?.text()
    // A stopped server does not return at this address.
    if (!answer) all.delete(url)
    return answer?.status === 200
  }
  const looking = (async () => {
    while (!isClosed) {
      const urls = [...all]
      const states = await Promise.all(urls.map(isReady))
      ready = urls.filter((_, i) => states[i])
      await Bun.sleep(LOOK_MS)
    }
  })()

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const to = ready[turn++ % Math.max(1, ready.length)]
      if (to === undefined) return new Response('no server is ready', { status: 502 })
      const { pathname, search } = new URL(request.url)
      const answer = await fetch(to + pathname + search, {
        method: request.method,
        headers: request.headers,
        ...(request.method === 'GET' ? {} : { body: await request.bytes() }),
      })
      const headers = new Headers(answer.headers)
      for (const name of DROPPED) headers.delete(name)
      return new Response(answer.body, { status: answer.status, headers })
    },
    error: (error) => new Response(`broken off: ${error.message}`, { status: 502 }),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    add: (url) => all.add(url),
    ready: async (count) => {
      while (ready.length !== count) await Bun.sleep(LOOK_MS)
    },
    close: async () => {
      isClosed = true
      await looking
      await server.stop(true)
    },
  }
}
