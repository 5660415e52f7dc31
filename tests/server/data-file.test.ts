/** The data file of a running server: replaced, deleted, locked by another program, and on a disk that fails. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findStrace } from '../../scripts/server-binaries.mjs'
import { platIn } from '../../testing/app/data-folders.ts'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { jsonTo, perTest, SLOW_TEST_MS } from '../../testing/sign-in/security.ts'
import { until } from '../../testing/until.ts'

const { folderFor } = perTest()
const shared: ServerFolder[] = []
afterAll(async () => {
  for (const folder of shared) await folder.remove()
})

const REPLACED =
  'The data file was replaced or deleted: changes are refused, reading goes on, and the new file is not used; export what you need, then start the server again: it takes the file that is there then'

type Answer = { readonly status: number; readonly error: string | undefined }

const serve = async (folder: ServerFolder) => {
  const lines: string[] = []
  const start = () => folder.start({ onLog: (text) => lines.push(...text.split('\n')) })
  const server = await start()
  const logged = (text: string) => lines.filter((line) => line.toLowerCase().includes(text.toLowerCase()))
  return { folder, server, start, logged, file: join(folder.dir, 'plat.db') }
}

const create = async (server: ServerChild, folder: ServerFolder, name: string): Promise<Answer> => {
  const response = await jsonTo(server, folder, 'POST /api/devices', { id: name, name })
  const { error } = (await response.json()) as { error?: string }
  return { status: response.status, error }
}

const ready = async (server: ServerChild) => {
  const response = await fetch(`${server.url}/readyz`)
  const { checks } = (await response.json()) as { checks: { database: { message: string } } }
  return { status: response.status, message: checks.database.message }
}

/** Returns the messages of the check that asks the server. */
const doctorSays = async (server: ServerChild, { dir }: ServerFolder): Promise<string[]> => {
  const env = { LISTEN_ADDR: new URL(server.url).host, DATA_DIR: dir }
  const { out } = await platIn(env, 'doctor', '-o', 'json')
  const findings = JSON.parse(out) as { check: string; message: string }[]
  return findings.filter(({ check }) => check === 'server').map(({ message }) => message)
}

/** Returns a path to a deleted file that a process has open. */
const findOpenFile = (pid: number, file: string): string => {
  const folder = `/proc/${pid}/fd`
  const name = readdirSync(folder).find((fd) => readlinkSync(join(folder, fd)) === `${file} (deleted)`)
  return join(folder, name ?? 'none')
}

const namesIn = (file: string): string[] => {
  const database = new Database(file, { readwrite: true, create: false })
  try {
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    return database
      .query<{ name: string }, []>('SELECT name FROM devices ORDER BY name')
      .all()
      .map(({ name }) => name)
  } finally {
    database.close()
  }
}

const listNames = async (server: ServerChild, folder: ServerFolder): Promise<string[]> => {
  const response = await jsonTo(server, folder, 'GET /api/devices?limit=1000')
  expect(response.status).toBe(200)
  return ((await response.json()) as { name: string }[]).map(({ name }) => name).sort()
}

test(
  'a data file that is replaced is not touched, and nothing that was acknowledged is lost',
  async () => {
    const { folder, server, start, logged, file } = await serve(await folderFor())
    const copy = join(folder.dir, 'copy.db')
    const old = join(folder.dir, 'old.db')
    await create(server, folder, 'before')
    new Database(file).run('VACUUM INTO ?', [copy])
    const content = readFileSync(copy)
    const acknowledged: string[] = []
    const refused: Answer[] = []
    const writing = [1, 2, 3, 4].map(async (writer) => {
      for (let i = 0; ; i++) {
        const name = `w${writer}-${i}`
        const answer = await create(server, folder, name)
        if (answer.status !== 201) return refused.push(answer)
        acknowledged.push(name)
      }
    })
    await until('acknowledged writes', () => acknowledged.length > 10 || undefined)
    renameSync(file, old)
    renameSync(copy, file)
    await Promise.all(writing)
    for (const answer of refused) expect(answer).toEqual({ status: 503, error: REPLACED })
    expect(await ready(server)).toEqual({ status: 503, message: REPLACED })
    expect(await listNames(server, folder)).toEqual(expect.arrayContaining(['before', ...acknowledged]))
    const exported = await jsonTo(server, folder, 'GET /api/estate/export')
    expect([exported.status, (await exported.text()).includes('before')]).toEqual([200, true])
    const metrics = await (await jsonTo(server, folder, 'GET /metrics')).text()
    expect(metrics).toContain('db_fault{kind="replaced"} 1')
    expect(logged('the data file was replaced')).toHaveLength(1)
    expect(await server.stop()).toBe(0)
    expect(readFileSync(file).equals(content)).toBe(true)
    expect(readdirSync(folder.dir).filter((name) => /^plat\.db-|^plat-replaced/.test(name))).toEqual([])
    expect(namesIn(old)).toEqual(expect.arrayContaining(['before', ...acknowledged]))

    const second = await start()
    expect(await listNames(second, folder)).toEqual(['before'])
    expect((await create(second, folder, 'after')).status).toBe(201)
    await second.stop()
    expect(namesIn(file)).toEqual(['after', 'before'])
  },
  SLOW_TEST_MS,
)

testAll(
  'a data file that is deleted refuses changes and is still read',
  async () => {
    const { folder, server, file } = await serve(await folderFor())
    await create(server, folder, 'before')
    rmSync(file)
    expect(await create(server, folder, 'after')).toEqual({ status: 503, error: REPLACED })
    expect(await listNames(server, folder)).toEqual(['before'])
    expect(await doctorSays(server, folder)).toEqual([expect.stringContaining(`is not ready (database): ${REPLACED}`)])
    const saved = join(folder.dir, 'saved.db')
    copyFileSync(findOpenFile(server.pid, file), saved)
    expect(await server.stop()).toBe(0)
    expect(readdirSync(folder.dir).filter((name) => name.startsWith('plat.db'))).toEqual([])
    expect(namesIn(saved)).toEqual(['before'])
  },
  SLOW_TEST_MS,
)

testAll(
  'a log that is deleted refuses changes, and the data file has all that was acknowledged',
  async () => {
    const { folder, server, file } = await serve(await folderFor())
    await create(server, folder, 'before')
    rmSync(`${file}-wal`)
    expect(
      (
        await until('a server that is not ready', async () => {
          const state = await ready(server)
          return state.status === 503 ? state : undefined
        })
      ).message,
    ).toBe(REPLACED)
    expect(await create(server, folder, 'after')).toEqual({ status: 503, error: REPLACED })
    await server.kill()
    expect(namesIn(file)).toEqual(['before'])
  },
  SLOW_TEST_MS,
)

/** Longest answers of a read and of the health check while `work` runs. */
const whileRunning = async (server: ServerChild, folder: ServerFolder, work: Promise<unknown>) => {
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  let longestMs = 0
  while (!isOver) {
    const beganMs = performance.now()
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    expect((await jsonTo(server, folder, 'GET /api/devices')).status).toBe(200)
    longestMs = Math.max(longestMs, performance.now() - beganMs)
    await Bun.sleep(10)
  }
  await done
  return longestMs
}

const lock = (file: string) => {
  const database = new Database(file)
  database.run('BEGIN EXCLUSIVE')
  return () => {
    database.run('ROLLBACK')
    database.close()
  }
}

/** Serves the tests after which the server works as before. */
let working: ReturnType<typeof serve> | undefined
const serveShared = () => {
  working ??= serverFolder({ RATE_LIMIT_ENABLED: 'false' }).then((folder) => {
    shared.push(folder)
    return serve(folder)
  })
  return working
}

testAll(
  'a write waits while another program holds the lock, and nothing else does',
  async () => {
    const { folder, server, file } = await serveShared()
    const unlock = lock(file)
    const beganMs = performance.now()
    const writing = Promise.all([1, 2, 3].map((i) => create(server, folder, `d${i}`)))
    setTimeout(unlock, 700)
    const longestMs = await whileRunning(server, folder, writing)
    expect(performance.now() - beganMs).toBeGreaterThan(600)
    expect((await writing).map(({ status }) => status)).toEqual([201, 201, 201])
    expect(longestMs).toBeLessThan(400)
  },
  SLOW_TEST_MS,
)

testAll(
  'a lock that another program holds for eight seconds makes writes fail with the reason',
  async () => {
    const { folder, server, file, logged } = await serve(await folderFor())
    const unlock = lock(file)
    const writing = Promise.all([1, 2, 3].map((i) => create(server, folder, `d${i}`)))
    const longestMs = await whileRunning(server, folder, writing)
    const reason =
      'Another program holds the lock of the data file: changes are refused until it ends, reading goes on; end its transaction; plat backup copies the data without this lock'
    expect(await writing).toEqual(Array.from({ length: 3 }, () => ({ status: 503, error: reason })))
    expect(await ready(server)).toEqual({ status: 503, message: reason })
    setTimeout(unlock, 2500)
    expect((await create(server, folder, 'late')).status).toBe(201)
    await until('a ready server', async () => (await ready(server)).status === 200 || undefined)
    expect(longestMs).toBeLessThan(400)
    expect([logged('another program holds the lock').length, logged('changes are taken again').length]).toEqual([1, 1])
  },
  SLOW_TEST_MS,
)

/** Makes system calls of a process on files fail with EIO. Returns a function that ends it. */
const failing = async (pid: number, calls: string, files: readonly string[]) => {
  const strace = findStrace()
  if (strace === undefined)
    throw new Error('This test needs strace on the PATH (package strace); "npm test" installs it where it can.')
  const paths = files.flatMap((file) => ['-P', file])
  const child = Bun.spawn(
    [strace, '-f', '-p', `${pid}`, ...paths, '-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  const reader = child.stderr.getReader()
  for (let text = ''; !text.includes('attached'); ) text += new TextDecoder().decode((await reader.read()).value)
  const draining = (async () => {
    while (!(await reader.read()).done);
  })()
  return async () => {
    child.kill('SIGINT')
    await child.exited
    await draining
  }
}

test(
  'a disk that fails is named by writes, reads and /readyz, until a write succeeds',
  async () => {
    const { folder, server, file, logged } = await serveShared()
    await create(server, folder, 'before')
    const reason =
      'The disk fails (I/O error): changes are refused until one succeeds; look at the log of the kernel (dmesg), make a backup, and replace the disk if it is broken'
    const repairWrites = await failing(server.pid, 'pwrite64,fsync,fdatasync', [file, `${file}-wal`])
    expect(await create(server, folder, 'refused')).toEqual({ status: 503, error: reason })
    expect(await ready(server)).toEqual({ status: 503, message: reason })
    await repairWrites()
    await until('a ready server', async () => (await ready(server)).status === 200 || undefined)
    const repairReads = await failing(server.pid, 'pread64', [file, `${file}-wal`])
    // SQLite takes the page that it cannot read for a damaged one.
    const read = await jsonTo(server, folder, 'GET /api/devices?q=before')
    expect([read.status, ((await read.json()) as { error: string }).error]).toEqual([
      503,
      'The data file is damaged, or its disk fails to read it: changes are refused until one succeeds; plat doctor shows details; if it is damaged, keep the folder as it is, and plat restore the latest backup',
    ])
    await repairReads()
    await until('a ready server', async () => (await ready(server)).status === 200 || undefined)
    expect((await create(server, folder, 'after')).status).toBe(201)
    expect([logged('the disk fails').length, logged('changes are taken again').length]).toEqual([1, 2])
    await server.stop()
    expect(namesIn(file)).toEqual(expect.arrayContaining(['after', 'before']))
    expect(namesIn(file)).not.toContain('refused')
    expect(existsSync(`${file}-wal`)).toBe(false)
  },
  SLOW_TEST_MS,
)
