// The doctor with several hosts in DATABASE_URL.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { platIn, scratch } from '../../../testing/app/data-folders.ts'
import { type Replicas, replicasProblem, startReplicas } from '../../../testing/servers/replicas.ts'
import { engines, freePort, postgresDatabase, type TestDatabase } from '../../../testing/servers/servers.ts'
import type { Finding } from './finding.ts'

const TIMEOUT_MS = 120_000

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres')) {
  const name = replicasProblem === undefined ? '' : `, skipped: ${replicasProblem}`
  let replicas: Replicas
  let other: TestDatabase
  beforeAll(async () => {
    if (replicasProblem !== undefined) return
    ;[replicas, other] = await Promise.all([startReplicas(1), postgresDatabase()])
  }, TIMEOUT_MS)
  afterAll(async () => {
    await Promise.all([replicas?.close(), other?.drop()])
  }, TIMEOUT_MS)

  const examine = async (hosts: readonly string[]): Promise<{ code: number; findings: readonly Finding[] }> => {
    const env = {
      LISTEN_ADDR: 'localhost:0',
      DATA_DIR: join(scratch(), 'data'),
      DATABASE_URL: `postgres://postgres:sesame@${hosts.join(',')}/postgres`,
    }
    const { code, out } = await platIn(env, 'doctor', '-o', 'json')
    expect(out).not.toContain('sesame')
    // The tests check the shape.
    return { code, findings: JSON.parse(out) as Finding[] }
  }
  const [primary, standby] = [() => replicas.servers[0], () => replicas.servers.slice(1)[0] ?? replicas.servers[0]]
  const saysOf = ({ findings }: { findings: readonly Finding[] }, check: string) =>
    findings.filter((one) => one.check === check).map(({ status, message }) => `${status}: ${message}`)

  test.skipIf(replicasProblem !== undefined)(
    `each host has its role, and the database is that of the primary${name}`,
    async () => {
      await replicas.caughtUp()
      const { code, findings } = await examine([standby().address, primary().address])
      expect(saysOf({ findings }, 'host')).toEqual([
        `ok: ${standby().address} is a standby, which has all commits`,
        `ok: ${primary().address} is the primary`,
      ])
      expect(saysOf({ findings }, 'database')[0]).toStartWith(`ok: ${primary().address} answers: PostgreSQL`)
      expect(saysOf({ findings }, 'commits')).toEqual([
        'ok: do not wait for a standby: its promotion may lose the last ones',
      ])
      expect(code).toBe(0)
    },
    TIMEOUT_MS,
  )

  test.skipIf(replicasProblem !== undefined)(
    `a host of another database is a problem, and one that does not answer a warning${name}`,
    async () => {
      const [nowhere, foreign] = [`127.0.0.1:${await freePort()}`, new URL(other.url).host]
      const { code, findings } = await examine([primary().address, nowhere])
      expect(saysOf({ findings }, 'host')[1]).toStartWith(`warning: ${nowhere} does not answer: `)
      expect(code).toBe(0)
      const second = await examine([primary().address, foreign])
      expect(saysOf(second, 'host')[1]).toMatch(
        /^problem: \S+ has the system identifier \d+, but the cluster in use has/,
      )
      expect(second.code).toBe(1)
    },
    TIMEOUT_MS,
  )

  test.skipIf(replicasProblem !== undefined)(
    `without a primary the doctor says what each host is${name}`,
    async () => {
      const nowhere = `127.0.0.1:${await freePort()}`
      const several = await examine([nowhere, standby().address])
      expect(saysOf(several, 'database')).toEqual([`problem: none of ${nowhere}, ${standby().address} is a primary`])
      expect(saysOf(several, 'host')[1]).toBe(`ok: ${standby().address} is a standby`)
      expect(several.code).toBe(1)
      expect(saysOf(await examine([standby().address]), 'database')).toEqual([
        `problem: ${standby().address} is a standby`,
      ])
    },
    TIMEOUT_MS,
  )
}
