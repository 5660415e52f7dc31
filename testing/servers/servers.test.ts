import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RedisClient, SQL } from 'bun'
import { engines, postgres, postgresDatabase, valkey } from './servers.ts'

test('the engines to test on are both, unless the environment names some', () => {
  const before = process.env.PLAT_TEST_DIALECTS
  try {
    delete process.env.PLAT_TEST_DIALECTS
    expect(engines()).toEqual(['sqlite', 'postgres'])
    process.env.PLAT_TEST_DIALECTS = 'sqlite'
    expect(engines()).toEqual(['sqlite'])
    process.env.PLAT_TEST_DIALECTS = 'oracle'
    expect(() => engines()).toThrow('oracle')
  } finally {
    if (before === undefined) delete process.env.PLAT_TEST_DIALECTS
    else process.env.PLAT_TEST_DIALECTS = before
  }
})

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres')) {
  describe('postgres()', () => {
    test('gives the same cluster at every call', async () => {
      expect(await postgres()).toBe(await postgres())
    })

    test('ends with the process, killed or not, and leaves no directory', async () => {
      const left = await killedProcess(`
        const sql = new SQL((await servers.postgres()).url)
        const [{ data_directory: data }] = await sql\`show data_directory\`
        const pid = Number(readFileSync(data + '/postmaster.pid', 'utf8').split('\\n')[0])
        report({ pid, dir: data.replace(/.data$/, '') })
      `)
      await expectGone(left)
    })
  })

  test('a cluster that dies is followed by another', async () => {
    const child = Bun.spawn(
      [
        process.execPath,
        '-e',
        `
        import { readFileSync } from 'node:fs'
        import { SQL } from 'bun'
        import * as servers from ${JSON.stringify(join(import.meta.dir, 'servers.ts'))}
        const first = await servers.postgres()
        const sql = new SQL(first.url, { max: 1 })
        const [{ data_directory: data }] = await sql\`show data_directory\`
        await sql.close()
        process.kill(Number(readFileSync(data + '/postmaster.pid', 'utf8').split('\\n')[0]), 'SIGQUIT')
        while ((await servers.postgres()) === first) await Bun.sleep(5)
        const { url, drop } = await servers.postgresDatabase()
        await drop()
        process.exit(url === first.url ? 1 : 0)
      `,
      ],
      { stdout: 'inherit', stderr: 'pipe' },
    )
    const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
    expect(said).toContain('A test server ended by itself')
    expect(said).toContain('immediate shutdown')
    expect(code).toBe(0)
  })

  describe('postgresDatabase()', () => {
    test('databases are apart from each other', async () => {
      const [one, two] = await Promise.all([postgresDatabase(), postgresDatabase()])
      await withSql(one.url, (sql) => sql`create table only_in_one (id int)`)
      const tables = await withSql(two.url, (sql) => sql`select to_regclass('only_in_one') as name`)
      expect(tables[0].name).toBeNull()
      await Promise.all([one.drop(), two.drop()])
    })

    test('a database is UTF-8, sorts by code point and knows letters beyond ASCII', async () => {
      const { url, drop } = await postgresDatabase()
      const [row] = await withSql(
        url,
        (sql) => sql`select getdatabaseencoding() as encoding, 'B' < 'a' as sorted, upper('é') as upper`,
      )
      expect({ ...row }).toEqual({ encoding: 'UTF8', sorted: true, upper: 'É' })
      await drop()
    })

    test('pg_trgm can be created', async () => {
      const { url, drop } = await postgresDatabase()
      const [row] = await withSql(url, async (sql) => {
        await sql`create extension pg_trgm`
        return sql`select similarity('router', 'routers') > 0.5 as alike`
      })
      expect(row.alike).toBe(true)
      await drop()
    })

    test('a dropped database is gone, even with a connection open', async () => {
      const { url, drop } = await postgresDatabase()
      const name = new URL(url).pathname.slice(1)
      const open = new SQL(url, { max: 1 })
      await open`select 1`
      await drop()
      const found = await withSql((await postgres()).url, (sql) => sql`select from pg_database where datname = ${name}`)
      expect(found).toHaveLength(0)
      await open.close().catch(() => {})
    })
  })
}

describe('valkey()', () => {
  let server: Awaited<ReturnType<typeof valkey>>
  beforeAll(async () => {
    server = await valkey()
  })
  afterAll(() => server.stop())

  test('answers a ping', async () => {
    const client = new RedisClient(server.url)
    expect(await client.ping()).toBe('PONG')
    client.close()
  })

  test('a stopped server refuses, and comes back empty at the same address', async () => {
    const before = new RedisClient(server.url)
    await before.set('key', 'value')
    before.close()
    await server.stop()
    const during = new RedisClient(server.url, { autoReconnect: false })
    expect(during.connect()).rejects.toThrow()
    await server.start()
    const after = new RedisClient(server.url)
    expect(await after.get('key')).toBeNull()
    after.close()
  })

  test('ends with the process, killed or not, and leaves no directory', async () => {
    const left = await killedProcess(`
      const client = new RedisClient((await servers.valkey()).url)
      const pid = Number(/process_id:(\\d+)/.exec(await client.send('INFO', ['server']))[1])
      const config = await client.send('CONFIG', ['GET', 'dir'])
      report({ pid, dir: config.dir ?? config[1] })
    `)
    await expectGone(left)
  })
})

interface Left {
  pid: number
  dir: string
}

/** Runs code in a separate Bun process until it reports what it started, then kills it with SIGKILL. */
async function killedProcess(code: string): Promise<Left> {
  const script = `
    import { readFileSync } from 'node:fs'
    import { RedisClient, SQL } from 'bun'
    import * as servers from ${JSON.stringify(join(import.meta.dir, 'servers.ts'))}
    const report = (left) => console.log(JSON.stringify(left))
    ${code}
    await new Promise(() => setInterval(() => {}, 1000))
  `
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const first = await child.stdout.getReader().read()
  const left: Left = JSON.parse(new TextDecoder().decode(first.value))
  expect(isRunning(left.pid) && existsSync(left.dir)).toBe(true)
  child.kill('SIGKILL')
  await child.exited
  return left
}

async function expectGone({ pid, dir }: Left): Promise<void> {
  const deadline = Date.now() + 10_000
  while ((isRunning(pid) || existsSync(dir)) && Date.now() < deadline) await Bun.sleep(5)
  expect({ isRunning: isRunning(pid), isDirThere: existsSync(dir) }).toEqual({ isRunning: false, isDirThere: false })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function withSql<Result>(url: string, action: (sql: SQL) => Promise<Result>): Promise<Result> {
  const sql = new SQL(url, { max: 1 })
  try {
    return await action(sql)
  } finally {
    await sql.close()
  }
}
