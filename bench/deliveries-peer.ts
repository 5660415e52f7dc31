/** The target of bench/deliveries.ts: refuses all deliveries until it is opened, then counts those that arrive. Runs in a separate process. */
import { createServer } from 'node:http'

const ANSWER_MS = Number(process.argv[2] ?? 0)
const HOST = '127.0.0.5'
/** The part that is not measured: the servers notice the deliveries at different times. */
const WARM_UP = 0.1

let expected: number | undefined
let times: number[] = []
let overtaken = 0
let last = new Map<string, string>()

const hear = (body: string): void => {
  times.push(performance.now())
  const id = /"data":\{"id":"([^"]+)"/.exec(body)?.[1] ?? ''
  const at = /"timestamp":"([^"]+)"/.exec(body)?.[1] ?? ''
  if (at < (last.get(id) ?? '')) overtaken++
  last.set(id, at)
  if (times.length !== expected) return
  const from = Math.floor(expected * WARM_UP)
  const seconds = (performance.now() - (times[from] ?? 0)) / 1000
  process.send?.({ per_second: (expected - from) / seconds, overtaken })
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    if (expected === undefined) return void response.writeHead(500).end()
    hear(body)
    if (ANSWER_MS === 0) response.writeHead(204).end()
    else setTimeout(() => response.writeHead(204).end(), ANSWER_MS)
  })
})
process.on('message', (count: number) => {
  expected = count
  times = []
  overtaken = 0
  last = new Map()
})
server.listen(0, HOST, () => process.send?.({ port: (server.address() as { port: number }).port }))
