/**
 * kill -9 of a server amid a scan, repeatedly: the scan resumes, its findings remain, and no scanner process is left.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { until } from '../../testing/until.ts'

/** 2 in `npm test`, 200 in `npm run test:crash`. */
const ROUNDS = Number(process.env.PLAT_CRASH_ROUNDS || 1)
const ROUND_TIMEOUT_MS = 30_000
/** Addresses of a /21 of loopback, each of which answers. */
const HOSTS = 2046
/** The number of acknowledged hosts after which a server is killed. */
const foundBefore = (round: number): number => 1 + ((round * 367) % 1500)

let folder: ServerFolder
beforeAll(async () => {
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false', DISCOVERY_RATE: '500', DISCOVERY_ALLOW_LOCAL: 'true' })
})
afterAll(() => folder.remove())

const Made = z.object({ id: z.string() })
const Scan = z.object({
  status: z.string(),
  error_message: z.string(),
  log: z.array(z.object({ text: z.string() })),
})
const Found = z.array(z.object({ ip: z.string() }))

const ask = async (url: string, path: string, body?: object): Promise<unknown> => {
  const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const response = await fetch(url + path, init)
  if (!response.ok) throw new Error(`refused: ${await response.text()}`)
  return response.json()
}

const foundIn = async (url: string, network: string): Promise<string[]> =>
  Found.parse(await ask(url, `/api/discovery/devices?network_id=${network}`)).map(({ ip }) => ip)

/**
 * Returns the fields of a process after its name: first its state, second the id of its parent (proc(5)). Undefined for
 * no such process.
 */
const stateOf = (pid: number | string): readonly string[] | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined // the process has ended
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && stateOf(name)?.[1] === String(parent))
    .map(Number)

/** A zombie does not run: the process that adopts orphans may reap it late. */
const runs = (pid: number): boolean => !['Z', 'X', undefined].includes(stateOf(pid)?.[0])

test(
  `after ${ROUNDS} kills during scans, each scan completes, finds all hosts, and leaves no process behind`,
  async () => {
    let server = await folder.start()
    for (let number = 0; number < ROUNDS; number++) {
      const subnet = `127.${100 + Math.floor(number / 32)}.${(number % 32) * 8}.0/21`
      const network = Made.parse(await ask(server.url, '/api/networks', { name: subnet, subnet })).id
      const { url } = server
      const { id } = Made.parse(await ask(url, `/api/discovery/networks/${network}/scan`, { scan_type: 'quick' }))
      const before = await until('some are found', async () => {
        const found = await foundIn(url, network)
        return found.length >= foundBefore(number) ? found : undefined
      })
      const scanners = childrenOf(server.pid)
      expect(scanners.length).toBeGreaterThan(0)
      expect(before.length).toBeLessThan(HOSTS)
      await server.kill()
      await until('its scanner has ended', () => (scanners.some(runs) ? undefined : true))

      server = await folder.start()
      const next = server.url
      const scan = await until('the scan has ended', async () => {
        const one = Scan.parse(await ask(next, `/api/discovery/scans/${id}`))
        return one.status === 'running' || one.status === 'pending' ? undefined : one
      })
      expect(scan).toMatchObject({ status: 'completed', error_message: '' })
      expect(scan.log.map(({ text }) => text)).toContain('resumes from its checkpoint')
      const found = await foundIn(next, network)
      expect(new Set(before).difference(new Set(found)).size).toBe(0)
      expect([found.length, new Set(found).size]).toEqual([HOSTS, HOSTS])
    }
    const scanners = childrenOf(server.pid)
    expect(await server.stop()).toBe(0)
    await until('no scanner is left', () => (scanners.some(runs) ? undefined : true))
  },
  Math.max(120_000, ROUNDS * ROUND_TIMEOUT_MS),
)
