/**
 * The cost of comparing a write with everything else: `bun bench/conflicts.ts [--devices 100000] [--rounds 9]`. Devices with
 * two addresses each and networks are written, by one caller, to a server and to the same without the comparison.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized, type Result } from './bench.ts'
import { alternate, throughputOnce } from './load.ts'
import { milliseconds, rate } from './numbers.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { prepare } from './setup.ts'
import { device } from './works/write.ts'

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '9' } },
})
const PER_ROUND = 300
const GOAL_MS = 1

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-conflicts-'))
let networks = 0

/** A different network each time, between the imported ones. */
const network = () => {
  const n = ++networks
  return { name: `compared ${n}`, subnet: `198.${18 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}/32` }
}

const WORKS = [
  { what: 'a device with two addresses', path: '/api/devices', draft: device },
  { what: 'a network', path: '/api/networks', draft: network },
] as const

try {
  process.stderr.write(`importing ${Number(values.devices).toLocaleString('en-US')} devices ...\n`)
  const { dataDir, key } = await prepare(workDir, Number(values.devices))
  const copy = join(workDir, 'copy')
  cpSync(dataDir, copy, { recursive: true })
  const now = await startPlat(dataDir)
  const then = await startPlat(copy, { BENCH_WITHOUT: 'conflicts' }, { main: 'bench/without-main.ts' })
  const request = authorized(key)
  const results: Result[] = []
  for (const { what, path, draft } of WORKS) {
    const round = ({ port }: Server) => {
      return () => {
        const requests = Array.from({ length: PER_ROUND }, () =>
          request({ method: 'POST', path, body: JSON.stringify(draft()) }),
        )
        return throughputOnce({ port, callers: 1, requests, status: 201 })
      }
    }
    for (const server of [now, then]) await round(server)()
    const { ours, baseline, ratio } = await alternate(Number(values.rounds), round(now), round(then))
    const ms = (1000 / baseline) * (1 / ratio - 1)
    results.push({
      work: `to compare ${what}`,
      ours: `${milliseconds(ms)} of ${milliseconds(1000 / ours)}`,
      baseline: `${rate(baseline)} without`,
      ratio: `+ ${((1 / ratio - 1) * 100).toFixed(0)} % time`,
      goal: `< ${milliseconds(GOAL_MS)}`,
      isMet: ms < GOAL_MS,
      numbers: { ms, per_second: ours, baseline_per_second: baseline },
    })
  }
  await now.stop()
  await then.stop()
  publish(results)
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
