/**
 * Address spaces: `bun bench/spaces.ts`. 200,000 addresses in one space and in 50 spaces on two servers, 1,000 spaces that all have a
 * subnet, and a network of 10,000 addresses that moves to another space.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contracts } from '../src/app/contracts.ts'
import { createClient } from '../src/surfaces/cli/connection/client.ts'
import { authorized, plain, type Result } from './bench.ts'
import { inTurn } from './load.ts'
import { median, milliseconds } from './numbers.ts'
import { asking, compareOne, deviceSearches, FIRST, readAll, readOne, type Side, writing } from './pair.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { addNetwork, createKey } from './setup.ts'

const NETWORKS = 50
const DEVICES_OF_EACH = 400
const ADDRESSES_OF_EACH = 10
const AT_ONCE = 1000
const SPACES = 1000
const MOVED = 10_000
const GOAL_RATIO = 1.15
const GOAL_LOOKUP_MS = 50
const GOAL_MOVE_MS = 5000
const LOOKUPS = 40

const clientOf = ({ port }: Server, key: string) =>
  createClient(
    {
      fetch: (url, init) => fetch(`http://127.0.0.1:${port}${url}`, init),
      headers: { Authorization: `Bearer ${key}` },
    },
    contracts,
  )
type Client = ReturnType<typeof clientOf>

type Started = { readonly server: Server; readonly api: Client; readonly key: string }

const folders: string[] = []
const servers: Server[] = []

const start = async (): Promise<Started> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'plat-bench-spaces-'))
  folders.push(dataDir)
  const key = await createKey(dataDir)
  const server = await startPlat(dataDir, { RATE_LIMIT_ENABLED: 'false' })
  servers.push(server)
  return { server, api: clientOf(server, key), key }
}

const ipOf = (first: number, index: number): string => `10.${first}.${index >> 8}.${index & 255}`

type Placed = { readonly id: string; readonly name: string; readonly addresses: readonly { readonly ip: string }[] }

const createDevices = async (api: Client, devices: readonly Placed[]): Promise<void> => {
  for (let from = 0; from < devices.length; from += AT_ONCE)
    await api.devices.bulk({
      operations: devices
        .slice(from, from + AT_ONCE)
        .map(({ addresses, ...device }) => ({ op: 'create', device: { ...device, addresses: [...addresses] } })),
    })
}

/** Fills a server with networks of one size. @param areSpaces each network, with equal subnets, is in a space of its own */
const filled = async (areSpaces: boolean): Promise<Side> => {
  const { server, api, key } = await start()
  const devices: Placed[] = []
  for (let i = 0; i < NETWORKS; i++) {
    const octet = areSpaces ? 0 : i
    const space_id = areSpaces ? (await api.spaces.create({ name: `space ${i}` })).id : null
    const network_id = `net-${i}`
    await api.networks.create({ id: network_id, name: `net ${i}`, subnet: `10.${octet}.0.0/16`, space_id })
    const range = { start_ip: `10.${octet}.0.0`, end_ip: `10.${octet}.255.254` }
    await api.pools.create({ id: `pool-${i}`, network_id, name: 'all', ...range })
    for (let j = 0; j < DEVICES_OF_EACH; j++)
      devices.push({
        id: `device-${i}-${j}`,
        name: `device ${i} ${j}`,
        addresses: Array.from({ length: ADDRESSES_OF_EACH }, (_, k) => ({
          ip: ipOf(octet, 1 + j * ADDRESSES_OF_EACH + k),
          network_id,
        })),
      })
  }
  await addNetwork({ port: server.port, key })
  await createDevices(api, devices)
  return { port: server.port, request: authorized(key), deviceIds: devices.map(({ id }) => id) }
}

const pools = Array.from({ length: NETWORKS }, (_, i) => `pool-${i}`)

const compared = async (): Promise<Result[]> => {
  const [baseline, ours] = [await filled(false), await filled(true)]
  const results: Result[] = []
  const works = [
    ...[readOne, readAll, ...deviceSearches(ours.deviceIds.slice(0, AT_ONCE), FIRST)],
    asking('next-ip of a pool', () => pools.map((id) => `/api/pools/${id}/next-ip`)),
    asking('lookup of an address of a device', ({ deviceIds }) =>
      deviceIds.slice(0, NETWORKS).map((_, i) => `/api/lookup/10.0.${i}.9?space_id=default`),
    ),
    writing(1, 300),
  ]
  for (const work of works) results.push(await compareOne(work, { ours, baseline, called: 'one space' }, GOAL_RATIO))
  return results
}

const lookups = async (): Promise<Result> => {
  const { server, api, key } = await start()
  for (let i = 0; i < SPACES; i++) {
    const { id } = await api.spaces.create({ name: `space ${i}` })
    await api.networks.create({ name: `net ${i}`, subnet: '10.0.0.0/24', space_id: id })
    if (i % 2 === 0) await api.devices.create({ name: `device ${i}`, addresses: [{ ip: '10.0.0.7', space_id: id }] })
  }
  const request = authorized(key)
  const replies = await inTurn(
    server.port,
    Array.from({ length: LOOKUPS }, () => request({ path: '/api/lookup/10.0.0.7' })),
  )
  const middle = median(replies.slice(LOOKUPS / 4).map(({ ms }) => ms))
  return plain({
    work: `lookup of an address that ${SPACES.toLocaleString('en')} spaces know`,
    ours: milliseconds(middle),
    goal: `< ${GOAL_LOOKUP_MS} ms`,
    isMet: middle < GOAL_LOOKUP_MS,
    numbers: { median_ms: middle },
  })
}

const moves = async (): Promise<Result> => {
  const { server, api, key } = await start()
  const { id: space_id } = await api.spaces.create({ name: 'other' })
  const { id } = await api.networks.create({ name: 'moved', subnet: '10.0.0.0/16' })
  await createDevices(
    api,
    Array.from({ length: MOVED }, (_, i) => ({
      id: `moved-${i}`,
      name: `moved ${i}`,
      addresses: [{ ip: ipOf(0, i) }],
    })),
  )
  const request = authorized(key)
  const reads: number[] = []
  let isMoved = false
  const reading = async () => {
    while (!isMoved) {
      const [reply] = await inTurn(server.port, [request({ path: '/api/devices/moved-17' })])
      reads.push(reply?.ms ?? 0)
    }
  }
  const begun = performance.now()
  const reader = reading()
  await api.networks.update({ id, space_id })
  const ms = performance.now() - begun
  isMoved = true
  await reader
  const slowest = Math.max(...reads)
  return plain({
    work: `a network of ${MOVED.toLocaleString('en')} addresses moves to another space`,
    ours: `${milliseconds(ms)}; ${reads.length} reads beside it, the slowest ${milliseconds(slowest)}`,
    goal: `< ${GOAL_MOVE_MS / 1000} s`,
    isMet: ms < GOAL_MOVE_MS,
    numbers: { move_ms: ms, reads: reads.length, slowest_read_ms: slowest },
  })
}

try {
  const [looked, moved] = [await lookups(), await moves()]
  publish([...(await compared()), looked, moved])
} finally {
  for (const server of servers) await server.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
