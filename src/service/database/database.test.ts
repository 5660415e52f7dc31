import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hostname } from 'node:os'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { instanceBeside } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'

const THIS = `${hostname().slice(-20)}:${process.pid}`

describe.each(engines())('the status of the database on %s', (dialect) => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ dialect })
  })
  afterAll(() => app.close())

  const status = async () => (await app.as('viewer')).api.database.status()
  const isShared = dialect === 'postgres'

  test('has one host, which is the primary and answers the reads', async () => {
    const { engine, reads, hosts, primary, size_bytes, version } = await status()
    expect({ engine, reads }).toEqual({ engine: dialect, reads: 'primary' })
    const [host] = app.db.hosts()
    expect(hosts).toEqual([
      {
        ...{ host: host?.host ?? '', role: 'primary', lag_bytes: null, lag_ms: null, message: '' },
        answers: expect.any(Number),
      },
    ])
    expect(primary).toBe(isShared ? (host?.host ?? '') : '')
    expect(size_bytes).toBeGreaterThan(100_000)
    expect(version).toMatch(/^\d+\.\d+(\.\d+)?$/)
  })

  test('counts the reads that the host has answered', async () => {
    const viewer = await app.as('viewer')
    const answers = async () => (await viewer.api.database.status()).hosts[0]?.answers ?? 0
    const before = await answers()
    await viewer.api.devices.list({})
    expect(await answers()).toBeGreaterThan(before)
  })

  test('says if commits wait for a standby', async () => {
    expect((await status()).commits_wait).toBe(isShared ? false : null)
  })

  test('names this instance by its host and process', async () => {
    const { instances } = await status()
    expect(instances).toMatchObject([{ name: expect.stringContaining(THIS), version: '0.1.0', is_this: true }])
    expect(Date.parse(instances[0]?.since ?? '')).toBeLessThanOrEqual(Date.now())
  })

  if (isShared) {
    test('names instances of other processes, and connections of a version that has no name', async () => {
      const script = `const { openPostgres } = await import(${JSON.stringify(`${import.meta.dir}/../../database/postgres/postgres.ts`)})
        const limits = { connections: 2, statementMs: 1000, lockMs: 1000 }
        for (const name of ['plat', 'plat/9.9.9 99 web2:7']) await openPostgres(${JSON.stringify(app.config.databaseUrl)}, limits, { name }).ping()
        console.log('connected')
        await Bun.stdin.text()
        process.exit(0)`
      const other = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
      try {
        await other.stdout.getReader().read()
        const { instances } = await status()
        const found = instances.map(({ name, version, is_this }) => ({ name, version, is_this }))
        expect(found).toContainEqual({ name: 'plat', version: '', is_this: false })
        expect(found).toContainEqual({ name: 'web2:7', version: '9.9.9', is_this: false })
        expect(found.filter((one) => one.is_this)).toHaveLength(1)
      } finally {
        other.stdin.end()
        await other.exited
      }
    })

    test('counts the reads of each instance by itself', async () => {
      const other = await instanceBeside(app)
      try {
        const { key } = await app.as('viewer')
        const headers = { Authorization: `Bearer ${key}` }
        const answersOf = async () => (await other.fetch('GET', '/api/database', headers)).json()
        const first = (await answersOf()) as { hosts: { answers: number }[] }
        await other.fetch('GET', '/api/devices', headers)
        const second = (await answersOf()) as typeof first
        expect(second.hosts[0]?.answers).toBeGreaterThan(first.hosts[0]?.answers ?? 0)
      } finally {
        await other.close()
      }
    })
  }
})
