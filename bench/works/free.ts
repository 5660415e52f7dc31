/** The pools and networks that an address field offers, for a typed text. */
import { type Bench, plain, type Result, type Work } from '../bench.ts'
import { Connection } from '../connection.ts'
import { inTurn } from '../load.ts'
import { median, milliseconds, quantile } from '../numbers.ts'
import { type Caller, callerOn, post } from './pools.ts'

const REPEATS = 100
const GOAL_MS = 50
const FULL = 1000
const ADDRESSES_OF_DEVICE = 1000

type Texts = { readonly what: string; readonly texts: readonly string[]; readonly found?: number }

const ask = async ({ plat, request }: Bench, call: Caller, { what, texts, found }: Texts): Promise<Result> => {
  const paths = texts.map((q) => `/api/addresses/free?q=${encodeURIComponent(q)}`)
  for (const path of paths) {
    const { length } = (await call({ path })) as unknown[]
    if (found !== undefined && length !== found) throw new Error(`${path}: ${length} are found`)
  }
  const asked = Array.from({ length: REPEATS }, (_, i) => request({ path: paths[i % paths.length] ?? '' }))
  const replies = await inTurn(plat.port, asked)
  const times = replies.map(({ ms }) => ms)
  const [middle, p95] = [median(times), quantile(times, 0.95)]
  return plain({
    work: `free addresses, ${what}`,
    ours: `${milliseconds(middle)}, p95 ${milliseconds(p95)}`,
    goal: `p95 < ${GOAL_MS} ms`,
    isMet: p95 < GOAL_MS,
    numbers: { median_ms: middle, p95_ms: p95 },
  })
}

/** Networks with both of their addresses taken, and one that is empty behind them. */
const fillNetworks = async (call: Caller): Promise<void> => {
  const subnets = Array.from({ length: FULL }, (_, n) => `172.24.${n >> 7}.${(n & 127) * 2}`)
  const operations = subnets.map((ip, n) => ({ op: 'create', network: { name: `crowded ${n}`, subnet: `${ip}/31` } }))
  await call(post('/api/networks/bulk', { operations: operations.slice(0, FULL - 1) }))
  await call(post('/api/networks', { name: 'crowded z', subnet: '172.25.0.0/31' }))
  const taken = subnets.flatMap((ip) => [{ ip }, { ip: ip.replace(/\d+$/, (last) => `${Number(last) + 1}`) }])
  for (let at = 0; at < taken.length; at += ADDRESSES_OF_DEVICE)
    await call(post('/api/devices', { name: `crowd of ${at}`, addresses: taken.slice(at, at + ADDRESSES_OF_DEVICE) }))
}

const run = async (bench: Bench): Promise<Result[]> => {
  const connection = await Connection.open(bench.plat.port)
  const call = callerOn(connection, bench)
  // The contract of the lists: rows with these fields, and totals.
  const networks = (await call({ path: '/api/networks' })) as { name: string; subnet: string }[]
  const pools = (await call({ path: '/api/pools' })) as { name: string; start_ip: string }[]
  const of = `of ${networks.length.toLocaleString('en-US')} networks and ${pools.length.toLocaleString('en-US')} pools`
  const some = <T>(rows: readonly T[]): T[] => rows.filter((_, i) => i % Math.ceil(rows.length / 20) === 0)
  const v4 = some(pools).filter(({ start_ip }) => !start_ip.includes(':'))
  await fillNetworks(call)
  const results = [
    await ask(bench, call, { what: `no text, ${of}`, texts: [''] }),
    await ask(bench, call, { what: `a name, ${of}`, texts: some(networks).map(({ name }) => name) }),
    await ask(bench, call, { what: `a letter, ${of}`, texts: ['a', 'e', 's'] }),
    await ask(bench, call, { what: `an address, ${of}`, texts: v4.map(({ start_ip }) => start_ip) }),
    await ask(bench, call, {
      what: `the beginning of an address, ${of}`,
      texts: v4.map(({ start_ip }) => start_ip.replace(/\d+$/, '')),
    }),
    await ask(bench, call, { what: `behind ${FULL} full networks`, texts: ['crowded'], found: 1 }),
  ]
  connection.close()
  return results
}

export const free: Work = { name: 'free', run }
