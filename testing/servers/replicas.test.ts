import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../until.ts'
import { type Replicas, replicasProblem, startReplicas } from './replicas.ts'

const title = replicasProblem ? `replicas (${replicasProblem})` : 'replicas'

describe.skipIf(replicasProblem !== undefined)(title, () => {
  let set: Replicas
  beforeAll(async () => {
    set = await startReplicas(2)
  })
  afterAll(() => set.close())

  const inRecovery = async (at: number) => {
    const rows = await set.servers[at]?.execute<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    return rows?.[0]?.standby
  }

  test('there is one primary, and the standbys have its databases', async () => {
    expect(await Promise.all([0, 1, 2].map(inRecovery))).toEqual([false, true, true])
    const name = await set.createDatabase()
    expect(set.url(name)).toBe(`postgres://postgres@${set.servers.map(({ address }) => address).join(',')}/${name}`)
    for (const server of set.servers) expect(await server.execute('select 1 as one', name)).toMatchObject([{ one: 1 }])
  })

  test('a paused standby falls behind until it is resumed, a delayed one for its delay', async () => {
    const [primary, one, other] = set.servers
    if (!one || !other) throw new Error('there are two standbys')
    const has = async (server: typeof primary, table: string) =>
      (await server.execute<{ is: boolean }>(`select to_regclass('${table}') is not null as is`))[0]?.is
    await one.pauseReplay()
    await primary.execute('create table paused (n int)')
    await set.caughtUp(primary, [other])
    expect([await has(one, 'paused'), await has(other, 'paused')]).toEqual([false, true])
    await one.resumeReplay()
    await other.set('recovery_min_apply_delay', '2min')
    await primary.execute('create table delayed (n int)')
    await set.caughtUp(primary, [one])
    expect([await has(one, 'delayed'), await has(other, 'delayed')]).toEqual([true, false])
    await other.set('recovery_min_apply_delay', '0')
    await set.caughtUp()
    expect(await has(other, 'delayed')).toBe(true)
  })

  test('a frozen server answers nothing until it is thawed', async () => {
    const [, standby] = set.servers
    standby?.freeze()
    const answer = standby?.execute('select 1 as one')
    expect(await Promise.race([answer, Bun.sleep(300).then(() => 'no answer')])).toBe('no answer')
    standby?.thaw()
    expect(await answer).toMatchObject([{ one: 1 }])
  })

  test('a standby is promoted after the primary was killed, which then follows it', async () => {
    const [old, next, third] = set.servers
    if (!next || !third) throw new Error('there are two standbys')
    await old.kill()
    await expect(old.execute('select 1')).rejects.toThrow()
    await next.promote()
    await third.streamFrom(next)
    await old.follow(next)
    expect(await Promise.all([0, 1, 2].map(inRecovery))).toEqual([true, false, true])
    await next.execute('create table after_promotion (n int)')
    await set.caughtUp(next)
    await next.set('synchronous_standby_names', 'ANY 1 (db1, db3)')
    const states = () => next.execute<{ sync_state: string }>('select sync_state from pg_stat_replication')
    await until('two synchronous standbys', async () => {
      const rows = await states()
      return (rows.length === 2 && rows.every(({ sync_state }) => sync_state === 'quorum')) || undefined
    })
  })
})

test.skipIf(replicasProblem !== undefined)('replicas end with a killed process, even frozen ones', async () => {
  const script = `
    import { readFileSync } from 'node:fs'
    import { startReplicas } from ${JSON.stringify(join(import.meta.dir, 'replicas.ts'))}
    const set = await startReplicas(1)
    const left = []
    for (const server of set.servers) {
      const [{ data_directory: data }] = await server.execute('show data_directory')
      left.push({ data, pid: Number(readFileSync(data + '/postmaster.pid', 'utf8').split('\\n')[0]) })
    }
    set.servers[1].freeze()
    console.log(JSON.stringify(left))
    await new Promise(() => setInterval(() => {}, 1000))
  `
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const first = await child.stdout.getReader().read()
  const left: { data: string; pid: number }[] = JSON.parse(new TextDecoder().decode(first.value))
  expect(left.every(({ data, pid }) => existsSync(data) && existsSync(`/proc/${pid}`))).toBe(true)
  child.kill('SIGKILL')
  await child.exited
  await until(
    'end of both',
    () => left.every(({ data, pid }) => !existsSync(data) && !existsSync(`/proc/${pid}`)) || undefined,
  )
})
