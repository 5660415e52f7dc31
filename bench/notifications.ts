/**
 * Writes with channels: `bun bench/notifications.ts [--rounds 9] [--hooks 20]`. Compares the write of a device while channels subscribe to it
 * with the same write while as many generic webhooks do.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized, type Result } from './bench.ts'
import { alternate, throughputOnce } from './load.ts'
import { rate, times } from './numbers.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { addNetwork, createKey } from './setup.ts'
import { device } from './works/write.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, hooks: { type: 'string', default: '20' } },
})

const GOAL = 1.2
const LOADS = [
  [1, 200],
  [32, 1000],
] as const
const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-notifications-'))
/** Answers every delivery at once. */
const receiver = Bun.serve({ hostname: '127.0.0.5', port: 0, fetch: () => new Response('ok') })

type Subject = { readonly server: Server; readonly request: ReturnType<typeof authorized> }

const start = async (format: 'generic' | 'ntfy'): Promise<Subject> => {
  const dataDir = join(workDir, format)
  mkdirSync(dataDir)
  const key = await createKey(dataDir)
  const server = await startPlat(dataDir, {}, { main: 'testing/servers/reaching-main.ts' })
  await addNetwork({ port: server.port, key })
  for (let hook = 0; hook < Number(values.hooks); hook++) {
    const url = `http://127.0.0.5:${receiver.port}/topic-${hook}`
    const body = JSON.stringify({ name: `hook ${hook}`, url, format, events: ['device.created'] })
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${server.port}/api/webhooks`, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(await response.text())
  }
  return { server, request: authorized(key) }
}

const subjects: Subject[] = []
try {
  const [channels, generic] = [await start('ntfy'), await start('generic')]
  subjects.push(channels, generic)
  const results: Result[] = []
  for (const [callers, count] of LOADS) {
    const round =
      ({ server, request }: Subject) =>
      () =>
        throughputOnce({
          ...{ port: server.port, callers, status: 201 },
          requests: Array.from({ length: count }, () =>
            request({ method: 'POST', path: '/api/devices', body: JSON.stringify(device()) }),
          ),
        })
    for (const subject of subjects) await round(subject)()
    const { ours, baseline, ratio } = await alternate(Number(values.rounds), round(channels), round(generic))
    results.push({
      work: `device write beside ${values.hooks} channels, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
      ours: rate(ours),
      baseline: `${rate(baseline)} beside generic webhooks`,
      ratio: `${times(1 / ratio)} the time`,
      goal: `<= ${GOAL} x the time`,
      isMet: 1 / ratio <= GOAL,
      numbers: { per_second: ours, baseline_per_second: baseline, slower: 1 / ratio },
    })
  }
  publish(results)
} finally {
  for (const { server } of subjects) await server.stop()
  await receiver.stop(true)
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
