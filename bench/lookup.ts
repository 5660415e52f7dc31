/**
 * A lookup of everything: `bun bench/lookup.ts [--devices 100000] [--rounds 9]`. One caller asks about addresses, names, MACs and blocks of
 * every size, in turn with the same number of reads of one device.
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized, type Result } from './bench.ts'
import { alternate, inTurn, type Requests } from './load.ts'
import { median, milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { prepare } from './setup.ts'

const GOAL_MS = 5
const PER_ROUND = 100
const DIFFERENT = 2000

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '9' } },
})

/** Subjects of the lookups, read from the estate. */
const questions = (file: string): Readonly<Record<string, readonly string[]>> => {
  const db = new Database(file, { readonly: true })
  const column = (sql: string): string[] => (db.query(sql).values() as string[][]).map(([text = '']) => text)
  const ips = column(`SELECT ip FROM addresses WHERE rowid % 37 = 0 LIMIT ${DIFFERENT}`)
  const asked = {
    'an address of a device': ips,
    'any address beside it': ips.filter((ip) => !ip.includes(':')).map((ip) => ip.replace(/\d+$/, '251')),
    'an address outside': ips.map((_, i) => `203.0.113.${i % 256}`),
    'a device by its name': column(`SELECT name FROM devices WHERE rowid % 41 = 0 LIMIT ${DIFFERENT}`).filter((name) =>
      /^[a-z0-9.-]+$/i.test(name),
    ),
    'a name that nothing has': ips.map((_, i) => `nobody-${i}.example.com`),
    'a MAC': ips.map((_, i) => `00:1b:21:00:00:${(i % 256).toString(16).padStart(2, '0')}`),
    'a network': column(`SELECT subnet FROM networks LIMIT ${DIFFERENT}`),
    'a block of 65,536 addresses': ips.filter((ip) => !ip.includes(':')).map((ip) => ip.replace(/\d+\.\d+$/, '0.0/16')),
    'a block of everything': ['10.0.0.0/8', '0.0.0.0/0', '::/0', '2001:db8::/32'],
  }
  db.close()
  return asked
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-lookup-'))
try {
  const { dataDir, key, deviceIds } = await prepare(workDir, Number(values.devices))
  const asked = questions(join(dataDir, 'plat.db'))
  const server = await startPlat(dataDir, { AUDIT_ENABLED: 'true' })
  const request = authorized(key)
  const round = (paths: readonly string[], times: number[]) => async (n: number) => {
    const requests: Requests = Array.from({ length: PER_ROUND }, (_, i) =>
      request({ path: paths[(n * PER_ROUND + i) % paths.length] ?? '' }),
    )
    const all = (await inTurn(server.port, requests)).map(({ ms }) => ms)
    times.push(...all)
    return median(all)
  }
  const reads = deviceIds.filter((_, i) => i % 17 === 0).map((id) => `/api/devices/${id}`)
  const results: Result[] = []
  for (const [what, texts] of Object.entries(asked)) {
    if (texts.length === 0) throw new Error(`the estate has nothing for ${what}`)
    const paths = texts.map((text) => `/api/lookup/${encodeURIComponent(text)}`)
    for (let warm = 0; warm < 2; warm++) await round(paths, [])(warm)
    await round(reads, [])(0)
    const took: number[] = []
    const { ours, baseline, ratio } = await alternate(Number(values.rounds), round(paths, took), round(reads, []))
    const p95 = quantile(took, 0.95)
    results.push({
      work: `lookup of ${what}`,
      ours: `${milliseconds(ours)}, p95 ${milliseconds(p95)}`,
      baseline: `GET one device ${milliseconds(baseline)}`,
      ratio: times(ratio),
      goal: `p95 < ${GOAL_MS} ms`,
      isMet: p95 < GOAL_MS,
      numbers: { median_ms: ours, p95_ms: p95, device_ms: baseline, ratio },
    })
  }
  await server.stop()
  publish(results)
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
