/**
 * The conversion of a large NetBox: `bun bench/convert.ts [--devices 10000]`, with 10 interfaces and 3 addresses each. It runs
 * in a process of its own, so that its memory is that of the conversion. `--file` converts a file in this process. Then a server
 * converts and imports it, beside the import of the rows that it makes into an empty server.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { convertNetbox } from '../src/convert/netbox/netbox.ts'
import { INVENTORY } from '../src/inventory/resources.ts'
import { plain } from './bench.ts'
import { netboxDump } from './netbox-dump.ts'
import { megabytes, milliseconds, times } from './numbers.ts'
import { publish } from './report.ts'
import { type Lists, onServer, type Row } from './site.ts'

const GOAL_MS = 5000
const GOAL_BYTES = 600e6
const GOAL_RATIO = 2

const { values } = parseArgs({ options: { devices: { type: 'string', default: '10000' }, file: { type: 'string' } } })

type Measured = { readonly ms: number; readonly bytes: number; readonly made: Readonly<Record<string, number>> }

const convert = async (file: string): Promise<Measured> => {
  const bytes = readFileSync(file)
  const startedMs = performance.now()
  const { report } = await convertNetbox(bytes, { now: new Date() })
  const ms = performance.now() - startedMs
  // Kilobytes, by getrusage(2).
  return { ms, bytes: process.resourceUsage().maxRSS * 1024, made: report.made }
}

const measure = async (file: string): Promise<Measured> => {
  const child = Bun.spawn([process.execPath, import.meta.path, '--file', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const answer = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the conversion failed')
  // Printed by this program.
  return JSON.parse(answer) as Measured
}

/** Returns the times of the import of a file, all in all, and of the import of the same rows, in milliseconds. */
const measureImport = async (file: string): Promise<{ readonly all: number; readonly imported: number }> => {
  let all = 0
  const lists = new Map<string, Row[]>()
  await onServer(async (site) => {
    const startedMs = performance.now()
    const { text } = await site.timed('/api/estate/convert?format=netbox', readFileSync(file, 'utf8'), 'text/plain')
    const { documents } = JSON.parse(text) as { documents: Lists }
    const { text: plan } = await site.timed('/api/estate/apply?dry_run=true', JSON.stringify(documents))
    const { fingerprint } = JSON.parse(plan) as { fingerprint: string }
    await site.apply({ ...documents, expect: fingerprint } as unknown as Lists, '"applied":true')
    all = performance.now() - startedMs
    for (const resource of INVENTORY) lists.set(resource, await site.list(resource))
  })
  let imported = 0
  await onServer(async ({ load }) => {
    for (const [resource, rows] of lists)
      if (rows.length > 0) imported += await load(resource, rows, `"created":${rows.length}`)
  })
  return { all, imported }
}

const run = async (devices: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-bench-convert-'))
  try {
    const file = join(folder, 'netbox.sql')
    const writer = Bun.file(file).writer()
    for (const text of netboxDump(devices, devices * 10, devices * 3)) writer.write(text)
    await writer.end()
    const size = Bun.file(file).size
    const { ms, bytes, made } = await measure(file)
    const work = `convert a NetBox of ${devices} devices, a pg_dump of ${megabytes(size)}`
    const { all, imported } = await measureImport(file)
    const ratio = all / imported
    publish([
      plain({
        work,
        ours: milliseconds(ms),
        goal: `< ${milliseconds(GOAL_MS)}`,
        isMet: ms < GOAL_MS,
        numbers: { ms, size, ...made },
      }),
      plain({
        work: `${work}: peak memory`,
        ours: megabytes(bytes),
        goal: `< ${megabytes(GOAL_BYTES)}`,
        isMet: bytes < GOAL_BYTES,
        numbers: { bytes },
      }),
      {
        work: 'convert, plan and import it',
        ours: milliseconds(all),
        baseline: `${milliseconds(imported)}, the import of its rows`,
        ratio: times(ratio),
        goal: `<= ${GOAL_RATIO} x`,
        isMet: ratio <= GOAL_RATIO,
        numbers: { ours_ms: all, import_ms: imported, ratio },
      },
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (values.file === undefined) await run(Number(values.devices))
else console.log(JSON.stringify(await convert(values.file)))
