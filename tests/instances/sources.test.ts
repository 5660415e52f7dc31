// Two processes on one PostgreSQL read one source, and one of them is killed in the middle of a run: one run at a time, and nothing twice.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import { SourceRun } from '../../src/sources/schema.ts'
import { startDockerEngine } from '../../src/sources/testing/docker-engine.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 120_000
const Made = z.object({ id: z.string() })
const Named = z.array(z.object({ name: z.string() }))

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  const docker = startDockerEngine()
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let folder: ServerFolder
  let first: ServerChild
  let second: ServerChild
  beforeAll(async () => {
    database = await postgresDatabase()
    const env = { RATE_LIMIT_ENABLED: 'false', DATABASE_URL: database.url, SOURCE_TARGETS: '127.0.0.0/8' }
    folder = await serverFolder(env)
    first = await folder.start({ sendsNothing: true })
    second = await folder.start({ sendsNothing: true })
  }, TIMEOUT_MS)
  afterAll(async () => {
    docker.stop()
    await folder.remove()
    await database.drop()
  }, TIMEOUT_MS)

  const send = async (at: ServerChild, method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return (await fetch(`${at.url}${path}`, init)).json()
  }
  const listRuns = async (at: ServerChild, id: string): Promise<SourceRun[]> =>
    z.array(SourceRun).parse(await send(at, 'GET', `/api/sources/${id}/runs`))
  const create = async (draft: object): Promise<string> =>
    Made.parse(await send(first, 'POST', '/api/sources', { kind: 'docker', url: docker.url, mode: 'auto', ...draft }))
      .id

  test(
    'both instances start one run of a source',
    async () => {
      const held = Promise.withResolvers<void>()
      docker.engine.held = held.promise
      const id = await create({ name: 'both' })
      await until('the first request', async () => (docker.engine.asked > 0 ? true : undefined))
      const asked = await Promise.all([first, second].map((at) => send(at, 'POST', `/api/sources/${id}/run`)))
      expect(new Set(asked.map((one) => Made.parse(one).id)).size).toBe(1)
      held.resolve()
      const runs = await until('the end of the run', async () => {
        const all = await listRuns(second, id)
        return all.every(({ completed_at }) => completed_at !== null) ? all : undefined
      })
      expect(runs.map(({ status, result }) => [status, result])).toEqual([['completed', 'applied']])
    },
    TIMEOUT_MS,
  )

  test(
    'the run of a killed instance is interrupted, and the other one reads the source',
    async () => {
      const held = Promise.withResolvers<void>()
      docker.engine.held = held.promise
      docker.engine.names = ['killed-1', 'killed-2']
      const before = docker.engine.asked
      const id = await create({ name: 'killed' })
      await until('the first request', async () => (docker.engine.asked > before ? true : undefined))
      // Either of them may have begun the run.
      await first.kill()
      held.resolve()
      const runs = await until(
        'a completed run',
        async () => {
          const all = await listRuns(second, id)
          const isOver = all.every(({ completed_at }) => completed_at !== null)
          return isOver && all.some(({ status }) => status === 'completed') ? all : undefined
        },
        90_000,
      )
      expect(runs.filter(({ status }) => status === 'completed')).toHaveLength(1)
      expect(runs.filter(({ status }) => status !== 'completed').map(({ error_code }) => error_code)).toEqual(
        runs.length > 1 ? ['interrupted'] : [],
      )
      const made = Named.parse(await send(second, 'GET', `/api/devices?managed_by=source:${id}`))
      expect(made.map(({ name }) => name).filter((name) => name.startsWith('killed'))).toEqual(['killed-1', 'killed-2'])
    },
    TIMEOUT_MS,
  )
}
