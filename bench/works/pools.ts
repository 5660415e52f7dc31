/** Free addresses: where almost none is left, where there are more than anybody can count, and where a thousand callers want one. */
import { type Bench, plain, type Result, type Work } from '../bench.ts'
import { Connection, type RequestParts } from '../connection.ts'
import { closeAll, inTurn, openAll } from '../load.ts'
import { milliseconds, quantile } from '../numbers.ts'

const REPEATS = 100
const GOAL_MS = 5
const PER_CALL = 1000
const USED_V6 = 50_000
export const CALLERS = 1000

type Asking = Pick<Bench, 'request'> & { readonly port: number }

export type Caller = (parts: RequestParts) => Promise<unknown>

export const callerOn = (connection: Connection, { request }: Pick<Bench, 'request'>): Caller => {
  return async (parts) => {
    const { status, body } = await connection.send(request(parts), { keepBody: true })
    if (status >= 300) throw new Error(`${parts.path}: ${status} ${body}`)
    return body === '' ? undefined : JSON.parse(body)
  }
}

export const post = (path: string, body: object): RequestParts => ({ method: 'POST', path, body: JSON.stringify(body) })

export const makePool = async (
  call: Caller,
  id: string,
  subnet: string,
  range: { start_ip: string; end_ip: string },
) => {
  await call(post('/api/networks', { id: `net-${id}`, name: id, subnet }))
  await call(post(`/api/networks/net-${id}/pools`, { id, name: id, ...range }))
}

/** A /16 of which every address is reserved but one in the middle. */
export const fill16 = async (call: Caller, id: string): Promise<void> => {
  await makePool(call, id, '172.16.0.0/16', { start_ip: '172.16.0.0', end_ip: '172.16.255.255' })
  let free = 2 ** 16 - 2
  while (free > 0) {
    const count = Math.min(PER_CALL, free)
    await call(post(`/api/pools/${id}/allocate`, { count }))
    free -= count
  }
  // The contract of the list: rows with `id` and `ip_address`.
  const rows = (await call({ path: `/api/pools/${id}/reservations` })) as { id: string; ip_address: string }[]
  const middle = rows.find(({ ip_address }) => ip_address === '172.16.200.77')
  await call({ method: 'DELETE', path: `/api/reservations/${middle?.id}` })
}

/** A /64 with its first addresses used by devices. */
const fill64 = async (call: Caller, id: string): Promise<void> => {
  await makePool(call, id, 'fd00:64::/64', { start_ip: 'fd00:64::1', end_ip: 'fd00:64::ffff:ffff:ffff:ffff' })
  for (let first = 1; first <= USED_V6; first += PER_CALL) {
    const addresses = Array.from({ length: PER_CALL }, (_, i) => ({ ip: `fd00:64::${(first + i).toString(16)}` }))
    await call(post('/api/devices', { name: `crowd-${first}`, addresses }))
  }
}

const nextIp = async (
  bench: Bench,
  call: Caller,
  { id, work, expected }: Record<'id' | 'work' | 'expected', string>,
) => {
  const path = `/api/pools/${id}/next-ip`
  const answer = (await call({ path })) as { ip: string }
  if (answer.ip !== expected) throw new Error(`${id}: next-ip is ${answer.ip}, not ${expected}`)
  const replies = await inTurn(bench.plat.port, Array(REPEATS).fill(bench.request({ path })))
  const ms = quantile(
    replies.map((reply) => reply.ms),
    0.95,
  )
  return plain({
    work,
    ours: milliseconds(ms),
    goal: `p95 < ${GOAL_MS} ms`,
    isMet: ms < GOAL_MS,
    numbers: { p95_ms: ms },
  })
}

/** Everybody asks the pool for an address at the same time. @returns the addresses, and how long it took */
export const allocateAtOnce = async (
  { port, request }: Asking,
  pool: string,
): Promise<{ ips: string[]; ms: number }> => {
  const connections = await openAll(port, CALLERS)
  const one = request(post(`/api/pools/${pool}/allocate`, {}))
  const start = performance.now()
  const replies = await Promise.all(connections.map((connection) => connection.send(one, { keepBody: true })))
  const ms = performance.now() - start
  closeAll(connections)
  // The contract of an allocation.
  return { ips: replies.flatMap(({ body }) => (JSON.parse(body) as { ips?: string[] }).ips ?? []), ms }
}

const allocate = async (bench: Bench, call: Caller): Promise<Result> => {
  const id = 'bench-run'
  await makePool(call, id, '172.20.0.0/16', { start_ip: '172.20.0.1', end_ip: '172.20.255.254' })
  const { ips, ms } = await allocateAtOnce({ port: bench.plat.port, request: bench.request }, id)
  const distinct = new Set(ips).size
  const recorded = ((await call({ path: `/api/pools/${id}/reservations` })) as { ip_address: string }[]).filter(
    ({ ip_address }) => ips.includes(ip_address),
  )
  return plain({
    work: `allocate, ${CALLERS} callers at once on one pool`,
    ours: `${distinct} distinct, ${recorded.length} recorded, in ${milliseconds(ms)}`,
    goal: `${CALLERS} distinct addresses, none lost`,
    isMet: distinct === CALLERS && recorded.length === CALLERS,
    numbers: { distinct, recorded: recorded.length, ms },
  })
}

const run = async (bench: Bench): Promise<Result[]> => {
  const connection = await Connection.open(bench.plat.port)
  const call = callerOn(connection, bench)
  await fill16(call, 'bench-16')
  await fill64(call, 'bench-64')
  const results = [
    await nextIp(bench, call, {
      id: 'bench-16',
      work: 'next-ip, a /16 with one address free',
      expected: '172.16.200.77',
    }),
    await nextIp(bench, call, {
      id: 'bench-64',
      work: `next-ip, a /64 with ${USED_V6.toLocaleString('en-US')} used`,
      expected: `fd00:64::${(USED_V6 + 1).toString(16)}`,
    }),
    await allocate(bench, call),
  ]
  connection.close()
  return results
}

export const pools: Work = { name: 'pools', run }
