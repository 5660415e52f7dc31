/**
 * What stops if a device goes away, and single points of failure: `bun bench/impact.ts [devices]`. 100,000 devices with 200,000
 * relationships in a server of its own. Prints the times of both, and of other requests beside them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quantile } from './numbers.ts'
import { startPlat } from './servers.ts'
import { createKey } from './setup.ts'

const DEVICES = Number(process.argv[2] ?? 100_000)
/** A hypervisor and its virtual machines. */
const HOST = 20
/** The hypervisors of a switch, and the switches of a distribution switch. */
const FANOUT = 24
const SHARED_SERVICES = 50
const ROUNDS = 30

const dataDir = mkdtempSync(join(tmpdir(), 'plat-bench-impact-'))
const key = await createKey(dataDir)
const server = await startPlat(dataDir)
const base = `http://127.0.0.1:${server.port}/api`
const headers = { Authorization: `Bearer ${key}` }

const get = async (path: string): Promise<{ ms: number; bytes: number }> => {
  const beganMs = performance.now()
  const response = await fetch(`${base}/${path}`, { headers })
  const bytes = (await response.arrayBuffer()).byteLength
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return { ms: performance.now() - beganMs, bytes }
}

const load = async (resource: string, rows: readonly object[]): Promise<void> => {
  const response = await fetch(`${base}/estate/import?resource=${resource}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/x-ndjson' },
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text.slice(0, 500))
}

const hosts = Math.floor(DEVICES / HOST)
const switches = Math.ceil(hosts / FANOUT)
const distributions = Math.ceil(switches / FANOUT)
const devices: object[] = [{ id: 'core', name: 'core' }]
const relationships: object[] = []
const relate = (parent_id: string, type: string, child_id: string) =>
  void relationships.push({ parent_id, type, child_id })
for (let n = 0; n < distributions; n++) {
  devices.push({ id: `dist-${n}`, name: `dist ${n}` })
  relate('core', 'connected_to', `dist-${n}`)
}
for (let n = 0; n < switches; n++) {
  devices.push({ id: `sw-${n}`, name: `switch ${n}` })
  relate(`dist-${n % distributions}`, 'connected_to', `sw-${n}`)
}
for (let n = 0; n < hosts; n++) {
  devices.push({ id: `host-${n}`, name: `host ${n}` })
  relate(`sw-${n % switches}`, 'connected_to', `host-${n}`)
  for (let vm = 1; vm < HOST; vm++) {
    const id = `vm-${n}-${vm}`
    devices.push({ id, name: `vm ${n} ${vm}` })
    relate(`host-${n}`, 'contains', id)
    // A chain on each host, whose first machine needs a service that many share.
    relate(id, 'depends_on', vm === 1 ? `vm-${n % SHARED_SERVICES}-2` : `vm-${n}-${vm - 1}`)
  }
}
await load('devices', devices)
await load('relationships', relationships)
console.log(`${devices.length} devices, ${relationships.length} relationships`)

const print = (what: string, times: readonly number[]): void => {
  const at = (share: number): string => quantile(times, share).toFixed(1)
  console.log(`${what}: median ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`)
}

/** Asks for single devices until `work` has ended. */
const measureOthers = async (work: () => Promise<unknown>): Promise<number[]> => {
  const times: number[] = []
  const state = { isOver: false }
  const ended = work().finally(() => {
    state.isOver = true
  })
  for (let n = 0; !state.isOver; n++) times.push((await get(`devices/host-${n % hosts}`)).ms)
  await ended
  return times
}

const measure = async (what: string, path: string): Promise<void> => {
  const first = await get(path)
  console.log(`${what}: ${first.bytes} bytes, the first after a change ${first.ms.toFixed(1)} ms`)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) times.push((await get(path)).ms)
  print(`  warm`, times)
  print(
    `  one device at that time`,
    await measureOthers(async () => {
      for (let round = 0; round < ROUNDS; round++) await get(path)
    }),
  )
}

const change = async (): Promise<void> => {
  const body = JSON.stringify({ description: `changed ${performance.now()}` })
  const response = await fetch(`${base}/devices/core`, {
    method: 'PUT',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  })
  await response.text()
}

const idle: number[] = []
for (let n = 0; n < 3000; n++) idle.push((await get(`devices/host-${n % hosts}`)).ms)
print('one device, idle', idle)
print(
  'one device while the graph is read again 10 times',
  await measureOthers(async () => {
    for (let n = 0; n < 10; n++) {
      await change()
      await get('devices/host-1/impact')
    }
  }),
)
for (const [what, path] of [
  ['impact of a hypervisor', 'devices/host-1/impact'],
  ['impact of a switch', 'devices/sw-1/impact'],
  ['impact of a shared service', 'devices/vm-1-2/impact'],
  ['impact of the core switch', 'devices/core/impact'],
  ['single points of failure', 'impact/single-points'],
] as const) {
  await change()
  await measure(what, path)
}
const memory = await server.memory()
console.log(`memory of the server: ${Math.round(memory / 1e6)} MB`)
await server.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exit(0)
