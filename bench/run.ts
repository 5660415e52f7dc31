/** The inventory: `bun bench/run.ts [--devices 100000] [--only get-one,search]`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measure } from './measure.ts'
import { publish } from './report.ts'
import { prepare } from './setup.ts'

const { values } = parseArgs({ options: { devices: { type: 'string', default: '100000' }, only: { type: 'string' } } })
const devices = Number(values.devices)
const only = values.only?.split(',')
const isWanted = (name: string): boolean => only === undefined || only.includes(name)

const say = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-'))
try {
  say(`importing ${devices.toLocaleString('en-US')} devices ...`)
  const prepared = await prepare(workDir, devices)
  const results = [...prepared.results, ...(await measure(prepared, { devices, isWanted, say }))]
  publish(results)
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
