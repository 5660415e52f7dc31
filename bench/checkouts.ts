/**
 * This checkout beside another one, such as the release before: `bun bench/checkouts.ts --other ../plat-before [--devices 20000] [--only write]`.
 * The other one must be installed. It makes the data; each server gets a copy, and both do the same work in turn.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized } from './bench.ts'
import { allWorks, compareOne, type Side } from './pair.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import type { prepare as Prepare } from './setup.ts'

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    devices: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
  },
})
if (values.other === undefined) throw new Error('--other names the checkout to compare with')
const root = resolve(values.other)

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-checkouts-'))
const servers: Server[] = []
try {
  // The other one's own, of its schema; the module is that of another checkout, and has the same type.
  const { prepare } = (await import(join(root, 'bench', 'setup.ts'))) as { readonly prepare: typeof Prepare }
  const { dataDir, key, deviceIds } = await prepare(workDir, Number(values.devices))
  const copy = join(workDir, 'copy')
  cpSync(dataDir, copy, { recursive: true })
  const baselineServer = await startPlat(dataDir, {}, { root })
  servers.push(baselineServer)
  const ourServer = await startPlat(copy)
  servers.push(ourServer)
  const sideOf = ({ port }: Server): Side => ({ port, request: authorized(key), deviceIds })
  const pairing = { ours: sideOf(ourServer), baseline: sideOf(baselineServer), called: 'other' }
  const results = []
  for (const work of allWorks(deviceIds).filter(({ name }) => name.includes(values.only))) {
    process.stderr.write(`${work.name} ...\n`)
    results.push(await compareOne(work, pairing))
  }
  publish(results)
} finally {
  for (const server of servers) await server.stop()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
