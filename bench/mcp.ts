/**
 * The cost of a tool call beyond the REST operation that it runs: `bun bench/mcp.ts [--devices 10000] [--rounds 15]`. One
 * caller asks both in turn, on one server; and how many tokens an answer takes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { authorized, plain, type Result } from './bench.ts'
import { Connection, type RequestParts } from './connection.ts'
import { alternate, inTurn, type Requests } from './load.ts'
import { median, milliseconds, times } from './numbers.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { prepare } from './setup.ts'
import { toolCall } from './tool-call.ts'

const GOAL_MS = 2
const GOAL_TOKENS = 600
const PER_ROUND = 100

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '15' } },
})

/** The same work by REST and by a tool. */
type Twin = { readonly work: string; readonly rest: RequestParts; readonly tool: RequestParts }

const twins = (deviceId: string): readonly Twin[] => [
  {
    work: 'device_get',
    rest: { path: `/api/devices/${deviceId}` },
    tool: toolCall('device_get', { id: deviceId }),
  },
  {
    work: 'device_list of 50',
    rest: { path: '/api/devices?limit=50' },
    tool: toolCall('device_list', { limit: 50 }),
  },
  {
    work: 'search',
    rest: { path: '/api/search?q=sw-01' },
    tool: toolCall('search', { q: 'sw-01' }),
  },
  {
    work: 'device_update',
    rest: {
      method: 'PUT',
      path: `/api/devices/${deviceId}`,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ location: 'by REST' }),
    },
    tool: toolCall('device_update', { id: deviceId, location: 'by a tool' }),
  },
]

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-mcp-'))
try {
  const { dataDir, key, deviceIds } = await prepare(workDir, Number(values.devices))
  const server = await startPlat(dataDir)
  const request = authorized(key)
  const results: Result[] = []
  const [deviceId = ''] = deviceIds
  for (const { work, rest, tool } of twins(deviceId)) {
    const round = (parts: RequestParts) => async () => {
      const requests: Requests = Array.from({ length: PER_ROUND }, () => request(parts))
      return median((await inTurn(server.port, requests)).map(({ ms }) => ms))
    }
    for (let warm = 0; warm < 3; warm++) for (const parts of [rest, tool]) await round(parts)()
    const { ours, baseline, ratio } = await alternate(Number(values.rounds), round(tool), round(rest))
    results.push({
      work: `tool ${work}`,
      ours: milliseconds(ours),
      baseline: `REST ${milliseconds(baseline)}`,
      ratio: times(ratio),
      goal: `+ < ${GOAL_MS} ms`,
      isMet: ours - baseline < GOAL_MS,
      numbers: { tool_ms: ours, rest_ms: baseline, added_ms: ours - baseline, ratio },
    })
  }
  const connection = await Connection.open(server.port)
  const compact = request(toolCall('search', { q: 'sw', fields: ['name', 'match'] }))
  const { body } = await connection.send(compact, { keepBody: true })
  connection.close()
  const { structuredContent: found } = JSON.parse(body).result
  const { items, total } = found
  const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(found)) / 4)
  results.push(
    plain({
      work: `search answer of ${items.length} (${total} found)`,
      ours: `${tokens} tokens`,
      goal: `50 devices < ${GOAL_TOKENS}`,
      isMet: tokens / items.length < GOAL_TOKENS / 50,
      numbers: { tokens, rows: items.length },
    }),
  )
  await server.stop()
  publish(results)
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
