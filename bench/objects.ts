/**
 * Racks, ports and cables: `bun bench/objects.ts [--ports 100000] [--postgres]`. The elevation of a full rack, a trace through panels, the
 * list of many ports with the memory that it takes, and parallel writers of one place.
 */
import { parseArgs } from 'node:util'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, plain, type Result } from './bench.ts'
import { inTurn } from './load.ts'
import { mebibytes, median, milliseconds } from './numbers.ts'
import { publish } from './report.ts'
import { onServerWith, peakOf, type Row, type Site } from './site.ts'

const { values } = parseArgs({
  options: { ports: { type: 'string', default: '100000' }, postgres: { type: 'boolean', default: false } },
})
const count = Number(values.ports)
const PORTS_OF_EACH = 1000
const AT_ONCE = 1000
const UNITS = 42
const PANELS = 20
const WRITERS = 1000
const ROUNDS = 15
const WARM = 3
const GOAL_MS = values.postgres ? 60 : 20
/** The most memory that a list of any length may add. */
const GOAL_BYTES = 100 * 2 ** 20

const results: Result[] = []

const within = (work: string, ms: number): void => {
  results.push(
    plain({
      work,
      ours: milliseconds(ms),
      goal: `< ${GOAL_MS} ms`,
      isMet: ms < GOAL_MS,
      numbers: { median_ms: ms },
    }),
  )
}

const created = async ({ call }: Site, path: string, body: Row): Promise<string> => {
  const response = await call(path, JSON.stringify(body))
  if (response.status !== 201) throw new Error(`${path}: ${await response.text()}`)
  // The contract of every resource.
  return ((await response.json()) as { id: string }).id
}

const bulk = async ({ timed }: Site, path: string, operations: readonly Row[]): Promise<void> => {
  for (let from = 0; from < operations.length; from += AT_ONCE)
    await timed(path, JSON.stringify({ operations: operations.slice(from, from + AT_ONCE) }))
}

const addDevices = (site: Site, devices: readonly Row[]): Promise<void> =>
  bulk(
    site,
    '/api/devices/bulk',
    devices.map((device) => ({ op: 'create', device })),
  )

/** The time of a read after a write of a device, because what has not changed is not read again. */
const medianOf = async ({ server, key }: Site, path: string, written: string): Promise<number> => {
  const request = authorized(key)
  const taken: number[] = []
  for (let round = 0; round < ROUNDS + WARM; round++) {
    const body = JSON.stringify({ location: `place ${round}` })
    await inTurn(server.port, [request({ method: 'PUT', path: `/api/devices/${written}`, body })])
    const [reply] = await inTurn(server.port, [request({ path })])
    taken.push(reply?.ms ?? Number.NaN)
  }
  return median(taken.slice(WARM))
}

/** A device on either face of each unit. */
const elevation = async (site: Site): Promise<void> => {
  const rack_id = await created(site, '/api/racks', { name: 'full', height: UNITS })
  const faces = ['front', 'rear'] as const
  const devices = Array.from({ length: UNITS }, (_, unit) =>
    faces.map((face) => ({
      id: `${face}-${unit}`,
      name: `${face} ${unit}`,
      mount: { rack_id, position: unit + 1, height: 1, face, full_depth: false, power_w: 100 },
    })),
  ).flat()
  await addDevices(site, devices)
  within(
    `elevation of a rack with ${devices.length} devices`,
    await medianOf(site, `/api/racks/${rack_id}/elevation`, 'front-0'),
  )
  within('  as SVG', await medianOf(site, `/api/racks/${rack_id}/elevation.svg`, 'front-0'))
}

/** From one device through panels, each entered at its front and left at its rear, to another one. */
const trace = async (site: Site): Promise<void> => {
  const names = ['from', ...Array.from({ length: PANELS }, (_, i) => `panel-${i}`), 'to']
  await addDevices(
    site,
    names.map((id) => ({ id, name: id })),
  )
  const ports: string[] = []
  for (const [at, id] of names.entries()) {
    const pass_through = at > 0 && at <= PANELS
    ports.push(await created(site, `/api/devices/${id}/ports`, { name: 'p1', pass_through }))
  }
  for (let at = 0; at <= PANELS; at++)
    await created(site, '/api/cables', {
      a: { port_id: ports[at], side: at === 0 ? 'front' : 'rear' },
      b: { port_id: ports[at + 1] },
      length_m: 2,
    })
  const path = `/api/ports/${ports[0]}/trace`
  const response = await fetch(`http://127.0.0.1:${site.server.port}${path}`, { headers: site.headers })
  // The contract of a trace.
  const { hops } = (await response.json()) as { hops: readonly unknown[] }
  if (hops.length !== PANELS + 1) throw new Error(`the trace has ${hops.length} hops`)
  within(`trace through ${PANELS} panels`, await medianOf(site, path, 'from'))
}

/** The length of an answer that is read and dropped. */
const lengthOf = async (site: Site, path: string): Promise<number> => {
  const response = await fetch(`http://127.0.0.1:${site.server.port}${path}`, { headers: site.headers })
  if (response.status !== 200 || response.body === null) throw new Error(`${path}: ${response.status}`)
  let bytes = 0
  for await (const chunk of response.body) bytes += chunk.length
  return bytes
}

const addPorts = async (site: Site): Promise<void> => {
  const ids = Array.from({ length: Math.ceil(count / PORTS_OF_EACH) }, (_, i) => `switch-${i}`)
  await addDevices(
    site,
    ids.map((id) => ({ id, name: id })),
  )
  const startedMs = performance.now()
  for (const device_id of ids) {
    const operations = Array.from({ length: PORTS_OF_EACH }, (_, i) => ({
      op: 'create',
      port: { device_id, name: `Gi0/${i}`, type: '1000base-t', description: 'a port of the benchmark' },
    }))
    await bulk(site, '/api/ports/bulk', operations)
  }
  const ms = performance.now() - startedMs
  const work = `${count.toLocaleString('en-US')} ports are created`
  results.push(plain({ work, ours: milliseconds(ms), goal: '', isMet: undefined, numbers: { ms } }))
}

/** Runs on a new process, so that its peak is the peak of the list. */
const listPorts = async (site: Site): Promise<void> => {
  await lengthOf(site, '/api/ports?limit=100')
  const before = peakOf(site.server)
  const startedMs = performance.now()
  const bytes = await lengthOf(site, '/api/ports')
  const ms = performance.now() - startedMs
  const added = peakOf(site.server) - before
  results.push(
    plain({
      work: `list of ${count.toLocaleString('en-US')} ports, ${mebibytes(bytes)}`,
      ours: `${milliseconds(ms)}, ${mebibytes(added)} added`,
      goal: `< ${mebibytes(GOAL_BYTES)} added`,
      isMet: added < GOAL_BYTES,
      numbers: { ms, bytes, added_bytes: added },
    }),
  )
  within('  its first page', await medianOf(site, '/api/ports?limit=50', 'switch-0'))
  within('  global search, a name that many have', await medianOf(site, '/api/search?q=gi0%2F1', 'switch-0'))
  within('  global search, words of many', await medianOf(site, '/api/search?q=benchmark%20port', 'switch-0'))
  within('  global search, a rare text', await medianOf(site, '/api/search?q=nowhere%20at%20all', 'switch-0'))
  within('  the ports of one device', await medianOf(site, '/api/devices/switch-1/ports?limit=50', 'switch-0'))
}

type Try = { readonly method: string; readonly path: string; readonly body: Row }

const oneWins = async ({ call }: Site, work: string, tries: readonly Try[]): Promise<void> => {
  const answers = await Promise.all(
    tries.map(async ({ method, path, body }) => {
      const response = await call(path, JSON.stringify(body), 'application/json', method)
      await response.text()
      return response.status
    }),
  )
  const won = answers.filter((status) => status === 200 || status === 201).length
  const refused = answers.filter((status) => status === 400).length
  results.push(
    plain({
      work: `${tries.length.toLocaleString('en-US')} parallel writers of one ${work}`,
      ours: `${won} won, ${refused} refused`,
      goal: '1 wins',
      isMet: won === 1 && won + refused === tries.length,
      numbers: { won, refused },
    }),
  )
}

const races = async (site: Site): Promise<void> => {
  const ids = Array.from({ length: WRITERS }, (_, i) => `racer-${i}`)
  await addDevices(
    site,
    ids.map((id) => ({ id, name: id })),
  )
  const rack_id = await created(site, '/api/racks', { name: 'wanted' })
  const mount = { rack_id, position: 7 }
  await oneWins(
    site,
    'unit',
    ids.map((id) => ({ method: 'PUT', path: `/api/devices/${id}`, body: { mount } })),
  )
  await addDevices(site, [{ id: 'core', name: 'core' }])
  const a = { device_id: 'core', port: 'Gi0/1' }
  await oneWins(
    site,
    'port',
    ids.map((id) => ({ method: 'POST', path: '/api/cables', body: { a, b: { device_id: id, port: 'eth0' } } })),
  )
}

const postgres = values.postgres ? await postgresAsItComes() : undefined
try {
  const env = postgres ? { DATABASE_URL: postgres.url } : {}
  await onServerWith(env, addPorts, listPorts, elevation, trace, races)
  publish(results)
} finally {
  await postgres?.remove()
}
process.exit()
