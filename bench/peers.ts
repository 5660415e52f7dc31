/**
 * NetBox beside Plat, on the same estate in one run: `bun bench/peers.ts [--devices 20000] [--rounds 5] [--only device] [--netbox URL --token T]`. NetBox
 * runs by gunicorn as its own example sets it, on PostgreSQL and Valkey (or Redis) as they come. Its migrations take seven minutes; `--netbox` names one
 * that peers-netbox.py has filled already.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { runCli } from '../src/app/cli.ts'
import { memoryIo } from '../testing/memory-io.ts'
import { type Netbox, startNetbox } from '../testing/netbox/server/netbox.ts'
import { authorized, type Result } from './bench.ts'
import { type RequestParts, requestBytes } from './connection.ts'
import { inTurn } from './load.ts'
import { median, milliseconds, times } from './numbers.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { createKey } from './setup.ts'

const GOAL = 0.1
const Status = z.object({ 'netbox-version': z.string() })
const PAGE = 1000
/** Part of the names that are written, because another run may have used the same NetBox. */
const RUN = Date.now().toString(36)

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    netbox: { type: 'string' },
    token: { type: 'string', default: '' },
  },
})
const devices = Number(values.devices)

/** One of the three APIs. A number makes each written name another one. */
type Api = { readonly port: number; readonly request: (parts: RequestParts) => Uint8Array }

/** The requests of one round. `id` is a number in NetBox, which Plat keeps. */
type Work = {
  readonly name: string
  readonly netbox: (n: number) => readonly RequestParts[]
  readonly own: (n: number) => readonly RequestParts[]
  readonly status?: number
  readonly requests: number
  readonly isGoal?: boolean
}

const spread = (n: number): number => ((n * 7919) % devices) + 1
const get = (path: string): RequestParts[] => [{ path }]
const send = (method: string, path: string, body: object): RequestParts[] => [
  { method, path, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } },
]
const ref = (kind: string, n: number): string => `netbox:${kind}.${n}`
const pool = Math.ceil(devices / 200) + 1
const pages = Array.from({ length: Math.ceil(devices / PAGE) }, (_, n) => n * PAGE)

const WORKS: readonly Work[] = [
  {
    name: 'one device',
    requests: 20,
    netbox: (n) => get(`/api/dcim/devices/${spread(n)}/`),
    own: (n) => get(`/api/devices/${ref('dcim.device', spread(n))}`),
  },
  {
    name: 'a device by its name',
    requests: 20,
    netbox: (n) => get(`/api/dcim/devices/?name=device-${spread(n) - 1}`),
    own: (n) => get(`/api/lookup/device-${spread(n) - 1}`),
  },
  {
    name: 'devices by a part of the name',
    requests: 20,
    netbox: (n) => get(`/api/dcim/devices/?name__ic=vice-${spread(n) % 1000}&limit=50`),
    own: (n) => get(`/api/devices?q=vice-${spread(n) % 1000}&limit=50`),
  },
  {
    name: 'an address',
    requests: 20,
    netbox: (n) => get(`/api/ipam/ip-addresses/?address=10.0.${n % 90}.7`),
    own: (n) => get(`/api/lookup/10.0.${n % 90}.7`),
  },
  {
    name: 'a page of 50 devices',
    requests: 20,
    netbox: (n) => get(`/api/dcim/devices/?limit=50&offset=${(n % 50) * 50}`),
    own: (n) => get(`/api/devices?limit=50&offset=${(n % 50) * 50}`),
  },
  {
    name: 'a page of 50 devices, filtered by site and role',
    requests: 20,
    netbox: (n) => get(`/api/dcim/devices/?site_id=${(n % 20) + 1}&role=role-${n % 5}&limit=50`),
    own: (n) => get(`/api/devices?datacenter_id=${ref('dcim.site', (n % 20) + 1)}&role=Role%20${n % 5}&limit=50`),
  },
  {
    name: 'the next free address',
    requests: 10,
    netbox: () => get(`/api/ipam/prefixes/${pool}/available-ips/?limit=1`),
    own: () => get(`/api/networks/${ref('ipam.prefix', pool)}/next-ip`),
  },
  {
    name: 'allocate an address',
    requests: 10,
    status: 201,
    netbox: (n) => send('POST', `/api/ipam/prefixes/${pool}/available-ips/`, { dns_name: `new-${n}.example.net` }),
    own: (n) =>
      send('POST', `/api/networks/${ref('ipam.prefix', pool)}/allocate-ip`, { hostname: `own-${n}.example.net` }),
  },
  {
    name: 'create a device',
    requests: 10,
    status: 201,
    netbox: (n) =>
      send('POST', '/api/dcim/devices/', {
        name: `new-${RUN}-${n}`,
        site: 1,
        role: { name: 'Role 0' },
        device_type: 1,
      }),
    own: (n) =>
      send('POST', '/api/devices', { name: `own-${RUN}-${n}`, datacenter_id: ref('dcim.site', 1), role: 'Role 0' }),
  },
  {
    name: 'update a device',
    requests: 10,
    netbox: (n) => send('PATCH', `/api/dcim/devices/${spread(n)}/`, { serial: `N${n}` }),
    own: (n) => send('PUT', `/api/devices/${ref('dcim.device', spread(n))}`, { serial: `O${n}` }),
  },
  {
    name: 'all devices',
    requests: 1,
    isGoal: true,
    netbox: () => pages.flatMap((offset) => get(`/api/dcim/devices/?limit=${PAGE}&offset=${offset}`)),
    own: () => get('/api/devices'),
  },
]

/** Returns the median time of a request; of requests for one list, the time of all. */
const measure = async ({ port, request }: Api, parts: readonly RequestParts[], work: Work): Promise<number> => {
  const replies = await inTurn(port, parts.map(request), work.status)
  const all = replies.map(({ ms }) => ms)
  return work.requests === 1 ? all.reduce((sum, ms) => sum + ms, 0) : median(all)
}

const compare = async (work: Work, apis: { readonly netbox: Api; readonly door: Api; readonly own: Api }) => {
  const rounds: { netbox: number; door: number; own: number }[] = []
  // The first round is not counted: all of them are warm then.
  for (let round = 0; round <= Number(values.rounds); round++) {
    const numbers = Array.from({ length: work.requests }, (_, i) => round * work.requests + i)
    const theirs = numbers.flatMap((n) => work.netbox(n))
    const below = theirs.map((parts) => ({ ...parts, path: `/netbox${parts.path}` }))
    const took = {
      netbox: await measure(apis.netbox, theirs, work),
      door: await measure(apis.door, below, work),
      own: await measure(
        apis.own,
        numbers.flatMap((n) => work.own(n)),
        work,
      ),
    }
    if (round > 0) rounds.push(took)
  }
  return {
    netbox: median(rounds.map(({ netbox }) => netbox)),
    door: median(rounds.map(({ door }) => door)),
    own: median(rounds.map(({ own }) => own)),
    ratio: median(rounds.map(({ door, netbox }) => door / netbox)),
  }
}

/** Imports the NetBox by its URL, as a user does. */
const importInto = async (server: Server, key: string, netbox: Peer): Promise<void> => {
  const { io, err } = memoryIo({
    argv: ['import', 'netbox', netbox.url, '--yes'],
    env: { PLAT_URL: `http://127.0.0.1:${server.port}`, PLAT_TOKEN: key, NETBOX_TOKEN: netbox.token },
    fetch,
  })
  if ((await runCli(io)) !== 0) throw new Error(err().slice(-4000))
}

type Peer = Pick<Netbox, 'url' | 'token' | 'settings' | 'stop'>

/** Returns a NetBox with the estate. */
const startPeer = async (): Promise<Peer> => {
  if (values.netbox !== undefined)
    return { url: values.netbox, token: values.token, settings: {}, stop: async () => {} }
  process.stderr.write('starting NetBox, which migrates for seven minutes ...\n')
  const netbox = await startNetbox()
  process.stderr.write(`filling it with ${devices.toLocaleString('en-US')} devices ...\n`)
  await netbox.shell(readFileSync(join(import.meta.dir, 'peers-netbox.py'), 'utf8'), { DEVICES: `${devices}` })
  return netbox
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-peers-'))
const netbox = await startPeer()
let server: Server | undefined
try {
  const dataDir = join(workDir, 'data')
  mkdirSync(dataDir)
  const key = await createKey(dataDir)
  server = await startPlat(dataDir)
  process.stderr.write('importing it ...\n')
  await importInto(server, key, netbox)
  const own: Api = { port: server.port, request: authorized(key) }
  const token = { Authorization: `Token ${netbox.token}` }
  const theirs: Api = {
    port: Number(new URL(netbox.url).port),
    request: ({ headers, ...parts }) => requestBytes({ ...parts, headers: { ...headers, ...token } }),
  }
  const status = Status.parse(await (await fetch(`${netbox.url}/api/status/`, { headers: token })).json())
  const gunicorn = JSON.stringify(netbox.settings)
  console.log(`NetBox ${status['netbox-version']}, gunicorn ${gunicorn}; PostgreSQL and Valkey (or Redis) as they come`)
  console.log(`Plat: SQLite, one process; one caller, ${values.rounds} rounds in turn, medians`)
  const results: Result[] = []
  for (const work of WORKS.filter(({ name }) => new RegExp(values.only).test(name))) {
    const took = await compare(work, { netbox: theirs, door: own, own })
    results.push({
      work: work.name,
      ours: `${milliseconds(took.door)}; own API ${milliseconds(took.own)}`,
      baseline: `NetBox ${milliseconds(took.netbox)}`,
      ratio: times(took.ratio),
      goal: work.isGoal ? `<= ${GOAL} x the time` : '',
      isMet: work.isGoal ? took.ratio <= GOAL : undefined,
      numbers: { netbox_api_ms: took.door, own_api_ms: took.own, baseline_ms: took.netbox, ratio: took.ratio },
    })
  }
  publish(results)
} finally {
  await server?.stop()
  await netbox.stop()
  rmSync(workDir, { recursive: true, force: true })
}
