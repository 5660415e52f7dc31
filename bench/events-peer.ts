/** The receiver of the events: a target of webhooks, or many listeners of the live feed. Runs in a separate process. */
import { createServer } from 'node:http'
import { quantile } from './numbers.ts'

const [role = '', ...args] = process.argv.slice(2)
const HOST = '127.0.0.5'

const say = (message: object): void => {
  process.send?.(message)
}

/** `/fast` answers at once, `/slow` after 10 s. Tells how late each was since the moment in its body. */
const receive = (): void => {
  let times: number[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const answer = () => response.writeHead(204).end()
      if (request.url === '/slow') {
        setTimeout(answer, 10_000).unref()
        return
      }
      const at = /"timestamp":"([^"]+)"/.exec(body)?.[1] ?? ''
      times.push(Date.now() - Date.parse(at))
      answer()
    })
  })
  server.listen(0, HOST, () => say({ port: (server.address() as { port: number }).port }))
  process.on('message', (message) => {
    if (message === 'count') say({ count: times.length })
    if (message === 'times') {
      say({ p50: quantile(times, 0.5), p99: quantile(times, 0.99), count: times.length })
      times = []
    }
  })
}

const listen = async (port: string, key: string, count: number): Promise<void> => {
  const times: number[][] = []
  const follow = async (mine: number[]): Promise<void> => {
    const headers = { Authorization: `Bearer ${key}`, Accept: 'text/event-stream' }
    const response = await fetch(`http://127.0.0.1:${port}/api/events`, { headers })
    const decoder = new TextDecoder()
    // The type of the body has no async iterator in the library of the DOM.
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const now = Date.now()
      for (const [, at = ''] of decoder.decode(bytes).matchAll(/"timestamp":"([^"]+)"/g))
        mine.push(now - Date.parse(at))
    }
  }
  for (let i = 0; i < count; i++) {
    const mine: number[] = []
    times.push(mine)
    void follow(mine).catch(() => {})
  }
  process.on('message', (message) => {
    if (message !== 'times') return
    const each = times.map((mine) => quantile(mine, 0.99))
    say({ p99: Math.max(...each), least: Math.min(...times.map(({ length }) => length)) })
  })
  // Connections are opened by then.
  await Bun.sleep(2000)
  say({ ready: true })
}

if (role === 'receive') receive()
else {
  const [port = '', key = '', count = '0'] = args
  await listen(port, key, Number(count))
}
