/** `plat feed content` and `plat feed pull` against a real server, in process. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { memoryIo } from '../../../testing/memory-io.ts'
import { runCli } from '../../app/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-pull-'))
const at = (name: string): string => join(folder, name)
let app: TestApp
let admin: TestCaller
let key = ''
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
  await admin.api.devices.create({ id: 'd', name: 'd', hostname: 'web-1', addresses: [{ ip: '10.0.0.1' }] })
  await admin.api.feeds.create({ id: 'hosts', name: 'Hosts', format: 'hosts' })
  key = (await admin.api.keys.create({ name: 'cron', feed_id: 'hosts' })).key
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

type Fetch = (request: Request) => Promise<Response>

const run = async (argv: readonly string[], fetchOf: Fetch = (request) => app.fetch(request)) => {
  const { io, out, err } = memoryIo({
    argv: ['feed', ...argv],
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: key },
    fetch: (target, init) => fetchOf(new Request(target, init)),
  })
  return { code: await runCli(io), out: out(), err: err() }
}
const rename = (hostname: string) => admin.api.devices.update({ id: 'd', hostname })
const text = (name: string): string => readFileSync(at(name), 'utf8')

test('an API key of the feed is enough to print it', async () => {
  expect(await run(['content', 'hosts'])).toEqual({ code: 0, out: '# Plat feed hosts\n10.0.0.1\tweb-1\n', err: '' })
})

test('a file is written, kept while nothing changes, and written again', async () => {
  expect(await run(['pull', 'hosts', at('plain')])).toEqual({ code: 0, out: 'changed\n', err: '' })
  expect(text('plain')).toBe('# Plat feed hosts\n10.0.0.1\tweb-1\n')
  const { ino } = statSync(at('plain'))
  expect(await run(['pull', 'hosts', at('plain')])).toMatchObject({ code: 0, out: 'unchanged\n' })
  expect(statSync(at('plain')).ino).toBe(ino)
  await rename('web-2')
  expect(await run(['pull', 'hosts', at('plain')])).toMatchObject({ code: 0, out: 'changed\n' })
  expect(text('plain')).toContain('web-2')
})

test('the mode of the file is kept, and a link leads to it still', async () => {
  writeFileSync(at('real'), 'old')
  chmodSync(at('real'), 0o640)
  symlinkSync(at('real'), at('link'))
  await run(['pull', 'hosts', at('link')])
  expect([statSync(at('real')).mode & 0o777, text('real').startsWith('# Plat')]).toEqual([0o640, true])
})

test('a command runs after a change, and again until it succeeds', async () => {
  const command = (exit: number) => ['--on-change', `echo run >> ${at('log')}; exit ${exit}`]
  const runs = () => (existsSync(at('log')) ? text('log').split('\n').length - 1 : 0)
  expect(await run(['pull', 'hosts', at('watched'), ...command(3)])).toEqual({
    code: 1,
    out: 'changed\n',
    err: 'The command ended with exit code 3; the next pull runs it again\n',
  })
  expect([runs(), existsSync(at('watched.pending'))]).toEqual([1, true])
  expect(await run(['pull', 'hosts', at('watched'), ...command(0)])).toMatchObject({ code: 0, out: 'unchanged\n' })
  expect([runs(), existsSync(at('watched.pending'))]).toEqual([2, false])
  expect(await run(['pull', 'hosts', at('watched'), ...command(0)])).toMatchObject({ code: 0, out: 'unchanged\n' })
  expect(runs()).toBe(2)
})

test('content that breaks off leaves the file as it was', async () => {
  writeFileSync(at('whole'), 'before')
  const broken: Fetch = async () =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('half'))
          controller.error(new Error('gone'))
        },
      }),
    )
  const { code, err } = await run(['pull', 'hosts', at('whole'), '--on-change', 'exit 9'], broken)
  expect([code, err.includes('broke off'), text('whole')]).toEqual([6, true, 'before'])
  expect(readdirSync(folder).filter((name) => name.includes('whole'))).toEqual(['whole'])
})

test.each([
  [3, ['content', 'none'], 'is of another feed'],
  [2, ['pull', 'hosts', folder], 'is no file'],
  [2, ['pull', 'hosts'], 'FILE'],
  [2, ['content'], 'ID'],
])('exits with %d for %j', async (code, argv, about) => {
  const { code: was, err } = await run(argv)
  expect([was, err.includes(about) || err]).toEqual([code, true])
})
