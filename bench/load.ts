/** Drives servers: many callers at once, one call after another, and two servers in turn so that both meet the same machine. */
import { Connection, type Reply } from './connection.ts'
import { median } from './numbers.ts'

export type Requests = readonly Uint8Array[]

export const openAll = (port: number, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => Connection.open(port)))

export const closeAll = (connections: readonly Connection[]): void => {
  for (const connection of connections) connection.close()
}

const expectStatus = ({ status, head }: Reply, wanted: number): void => {
  if (status !== wanted) throw new Error(`expected ${wanted}, got: ${head.split('\r\n')[0]}`)
}

const requestAt = (requests: Requests, at: number): Uint8Array => {
  const request = requests[at % requests.length]
  if (!request) throw new Error('no requests')
  return request
}

export type Load = {
  readonly port: number
  readonly callers: number
  readonly requests: Requests
  readonly status?: number
}

/** Answers per second while `ms` pass; every caller sends its next request when the last one is answered. */
export const throughput = async (load: Load, ms: number): Promise<number> => {
  const { port, callers, requests, status = 200 } = load
  const connections = await openAll(port, callers)
  let next = 0
  let answered = 0
  const start = performance.now()
  const end = start + ms
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < end) {
        expectStatus(await connection.send(requestAt(requests, next++)), status)
        answered++
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  closeAll(connections)
  return answered / seconds
}

/** Answers per second of exactly these requests, each sent once. */
export const throughputOnce = async (load: Load): Promise<number> => {
  const { port, callers, requests, status = 200 } = load
  const connections = await openAll(port, callers)
  let next = 0
  const start = performance.now()
  await Promise.all(
    connections.map(async (connection) => {
      while (next < requests.length) expectStatus(await connection.send(requestAt(requests, next++)), status)
    }),
  )
  const seconds = (performance.now() - start) / 1000
  closeAll(connections)
  return requests.length / seconds
}

/** The replies of one caller, one after another. */
export const inTurn = async (port: number, requests: Requests, status = 200): Promise<Reply[]> => {
  const connection = await Connection.open(port)
  const replies: Reply[] = []
  for (const request of requests) {
    const reply = await connection.send(request)
    expectStatus(reply, status)
    replies.push(reply)
  }
  connection.close()
  return replies
}

export type Pair = { readonly ours: number; readonly baseline: number; readonly ratio: number }

/** Medians over rounds in which both are measured, in changing order. The ratio is the median of the rounds' ratios. */
export const alternate = async (
  rounds: number,
  ours: (round: number) => Promise<number>,
  baseline: (round: number) => Promise<number>,
): Promise<Pair> => {
  const pairs: { ours: number; baseline: number }[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const mine = await ours(round)
      pairs.push({ ours: mine, baseline: await baseline(round) })
    } else {
      const theirs = await baseline(round)
      pairs.push({ ours: await ours(round), baseline: theirs })
    }
  }
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    baseline: median(pairs.map((pair) => pair.baseline)),
    ratio: median(pairs.map((pair) => pair.ours / pair.baseline)),
  }
}
