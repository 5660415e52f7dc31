/** The resources of a running import: little memory, and a file without a name. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { drip } from '../../testing/hostile/dripping.ts'
import { until } from '../../testing/until.ts'

const PATH = '/api/estate/import?resource=datacenters'
const MB = 1_000_000
const BODY_BYTES = 150 * MB
/** Less than the body, and more than uncollected garbage. */
const GOAL_BYTES = 100 * MB

let folder: ServerFolder
beforeEach(async () => {
  folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
})
afterEach(() => folder.remove())

const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) * 1024

/** Returns the spools that a process has open, by the system's names for them. */
const spoolsOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${fd}`)
      return target.startsWith(join(folder.dir, 'tmp')) ? [target] : []
    } catch {
      return [] // closed since it was listed
    }
  })

testAll(
  'a large body does not stand in memory',
  async () => {
    const { url, pid } = await folder.start()
    const post = async (body: string | Uint8Array<ArrayBuffer>) => {
      const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/x-ndjson' }
      return (await fetch(`${url}${PATH}`, { method: 'POST', headers, body })).text()
    }
    await post('{"name":"HQ"}')
    const before = peakOf(pid)
    // Blanks instead of rows: the body is read to its end, and no row is parsed.
    const body = new Uint8Array(BODY_BYTES).fill(0x20)
    for (let at = 0; at < body.length; at += 1000) body.set([0x7b, 0x7d], at)
    body[body.length - 1] = 0x21
    expect(await post(body)).toContain('must be a JSON object')
    expect(peakOf(pid) - before).toBeLessThan(GOAL_BYTES)
  },
  60_000,
)

test('while a body comes, no file of it has a name', async () => {
  const { url, pid } = await folder.start()
  const client = drip({ url, key: folder.key, path: PATH })
  client.send(`{"name":"HQ"}\n${' '.repeat(3 * MB)}`)
  // The file has a name only between opening and unlinking.
  await until('an unnamed spool', () => spoolsOf(pid).find((spool) => spool.endsWith(' (deleted)')))
  expect(readdirSync(join(folder.dir, 'tmp'))).toEqual([])
  client.vanish()
}, 60_000)

test('the space of a body is free again when its client is gone', async () => {
  const { url, pid } = await folder.start()
  const client = drip({ url, key: folder.key, path: PATH })
  client.send(`{"name":"HQ"}\n${' '.repeat(3 * MB)}`)
  await until('spool', () => spoolsOf(pid).length > 0 || undefined)
  client.vanish()
  expect(await until('end of the spool', () => spoolsOf(pid).length === 0 || undefined)).toBe(true)
}, 60_000)
