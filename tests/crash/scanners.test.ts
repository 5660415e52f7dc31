/**
 * kill -9 of the server and of the scanner in turn, amid a scan: each host arrives, one event tells of it, and no process is left.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { type Receiver, startReceiver } from '../../testing/receiver.ts'
import { isAlive, listDescendants, type ScannerFolder, scannerFolder } from '../../testing/servers/scanner-child.ts'
import { until as untilWithin } from '../../testing/until.ts'

/** 1 of each in `npm test`, 10 in `npm run test:crash`, since each takes half a minute. */
const ROUNDS = Math.min(10, Number(process.env.PLAT_CRASH_ROUNDS || 1))
const ROUND_TIMEOUT_MS = 60_000
const PATIENT_MS = 60_000
/** Addresses of a /21 of loopback, each of which answers. */
const HOSTS = 2046

const until = <T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> =>
  untilWithin(what, look, PATIENT_MS)

let folder: ServerFolder
let scanners: ScannerFolder
let to: Receiver
beforeAll(async () => {
  const port = await findFreePort()
  folder = await serverFolder({
    ...{ RATE_LIMIT_ENABLED: 'false', DISCOVERY_RATE: '500', DISCOVERY_ALLOW_LOCAL: 'true' },
    LISTEN_ADDR: `127.0.0.1:${port}`,
  })
  scanners = scannerFolder()
  to = await startReceiver()
})
afterAll(async () => {
  await scanners.remove()
  await folder.remove()
  await to.close()
})

/** The scanner keeps the address of the server over its restarts. */
const findFreePort = async (): Promise<number> => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop(true)
  return port
}

const Made = z.object({ id: z.string() })
const Created = z.object({ enrolment_token: z.string() })
const Scan = z.object({ status: z.string(), error_message: z.string(), found_hosts: z.number() })
const Found = z.array(z.object({ id: z.string(), ip: z.string() }))
const Event = z.object({ delivery_id: z.string(), data: z.object({ id: z.string() }) })

const ask = async (url: string, path: string, body?: object): Promise<unknown> => {
  const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const response = await fetch(url + path, init)
  if (!response.ok) throw new Error(`refused: ${await response.text()}`)
  return response.json()
}

const findHosts = async (url: string, network: string) =>
  Found.parse(await ask(url, `/api/discovery/devices?network_id=${network}`))

test(
  `after ${ROUNDS} kills of the server and of the scanner during scans, each host is found once`,
  async () => {
    let server = await folder.start({ reachesReceivers: true })
    await ask(server.url, '/api/webhooks', { name: 'found', url: to.url('/'), events: ['discovery.device_found'] })
    const { enrolment_token } = Created.parse(await ask(server.url, '/api/scanners', { name: 'oslo' }))
    let scanner = scanners.start(['--url', server.url, '--token', enrolment_token])
    const known: string[] = []
    // A delivery may be repeated after a kill; each event has one.
    const listTold = (): string[] => {
      const events = to.received.map(({ body }) => Event.parse(JSON.parse(body)))
      return [...new Map(events.map(({ delivery_id, data }) => [delivery_id, data.id])).values()]
    }

    for (let round = 0; round < ROUNDS; round++) {
      const subnet = `127.${150 + Math.floor(round / 32)}.${(round % 32) * 8}.0/21`
      const network = Made.parse(await ask(server.url, '/api/networks', { name: subnet, subnet, scanner: 'oslo' })).id
      if (round === 0)
        await until('enrolled scanner', async () => {
          const [one] = z.array(z.object({ status: z.string() })).parse(await ask(server.url, '/api/scanners'))
          return one?.status === 'online' || undefined
        })
      const { id } = Made.parse(
        await ask(server.url, `/api/discovery/networks/${network}/scan`, { scan_type: 'quick' }),
      )
      await until('first hosts', async () => (await findHosts(server.url, network)).length > 0 || undefined)
      await server.kill()
      await until('spooled reports', () => scanners.readAll().includes('"batch"') || undefined)
      const orphans = listDescendants(scanner.pid)
      await scanner.kill()
      scanner = scanners.start([])
      server = await folder.start({ reachesReceivers: true })
      const { url } = server
      const scan = await until('end of the scan', async () => {
        const one = Scan.parse(await ask(url, `/api/discovery/scans/${id}`))
        return one.status === 'running' || one.status === 'pending' ? undefined : one
      })
      expect(scan).toEqual({ status: 'completed', error_message: '', found_hosts: HOSTS })
      const hosts = await findHosts(url, network)
      expect(new Set(hosts.map(({ ip }) => ip)).size).toBe(HOSTS)
      known.push(...hosts.map((host) => host.id))
      await until('event of each host', () => new Set(listTold()).size === known.length || undefined)
      expect(orphans.length).toBeGreaterThan(0)
      await until('end of the orphans', () => !orphans.some(isAlive) || undefined)
    }

    expect(listTold().sort()).toEqual(known.sort())
    const children = listDescendants(scanner.pid)
    expect([await scanner.stop(), children.filter(isAlive)]).toEqual([0, []])
    expect(await server.stop()).toBe(0)
  },
  Math.max(240_000, ROUNDS * ROUND_TIMEOUT_MS),
)
