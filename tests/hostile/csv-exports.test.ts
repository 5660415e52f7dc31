// Every CSV of the server and the command line: no cell runs as a formula, in spreadsheets of any locale, and none
// affects a terminal.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { runCli } from '../../src/app/cli.ts'
import { getCommandWords } from '../../src/contract/command-name.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { isFreeText, listInputs } from '../../testing/estates/examples.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { operations, worldSuite } from '../../testing/estates/world.ts'
import { memoryIo } from '../../testing/memory-io.ts'
import { engines } from '../../testing/servers/servers.ts'

const HOSTILE = 'x;=cmd()\n＝1\t@a\u001b[2J\u009b1m'
/**
 * Matches cells that a parser with any of these separators takes for a formula, and characters that affect a terminal.
 */
const LIVE = /,"?[=＝@]|(^|[;\t\n])"*[=＝@]|(?![\t\r\n])\p{Cc}/u

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp({ dialect: engines()[0] ?? 'sqlite', env: { AUDIT_ENABLED: 'true' } })
  admin = await app.as('admin')
  await admin.api.devices.create({ name: 'csv', description: HOSTILE, tags: ['a', '=b'] })
})
afterAll(() => app.close())

const runIn = async (app: TestApp, { key }: TestCaller, argv: string[]): Promise<string> => {
  const env = { PLAT_URL: 'http://plat.test', PLAT_TOKEN: key }
  const { io, out } = memoryIo({ argv, env, fetch: (target, init) => app.fetch(new Request(target, init)) })
  expect(await runCli(io)).toBe(0)
  return out()
}
const cli = (...argv: string[]): Promise<string> => runIn(app, admin, argv)

test('the test finds a formula in an unsafe cell', () => {
  expect(
    ['a,=1', 'a,"x;=1"', 'a;"=1', 'x\u001b', "a,'=1", 'a,"x;\'=1"', 'a-b,c=d'].map((text) => LIVE.test(text)),
  ).toEqual([...[true, true, true, true], ...[false, false, false]])
})

test('the audit trail', async () => {
  const csv = await (await admin.request('GET', '/api/audit/export?format=csv')).text()
  expect(csv).toContain('device')
  expect(csv).not.toMatch(LIVE)
})

test('an invented user name of a guest in the audit trail', async () => {
  await app.guest('POST', '/api/auth/login', { username: HOSTILE, password: 'x' })
  const csv = await (await admin.request('GET', '/api/audit/export?format=csv&action=login')).text()
  expect(csv).toContain('cmd()')
  expect(csv).not.toMatch(LIVE)
})

test('a list of devices with tags on the command line', async () => {
  const csv = await cli('device', 'list', '-o', 'csv')
  expect(csv).toContain('cmd()')
  expect(csv).toContain("a;'=b")
  expect(csv).not.toMatch(LIVE)
})

describe('an object of the world with such texts', () => {
  const world = worldSuite()
  const rest = async (method: string, path: string, body?: object): Promise<void> => {
    const response = await world.admin.request(method, path, body)
    expect([path, response.status, await response.text()]).toEqual([path, 200, expect.anything()])
  }

  test.each([...KINDS])('is a harmless line of the list of $resource', async ({ resource, facts, path }) => {
    const texts = listInputs(facts).filter(([name, fact]) => fact.type === 'name' || isFreeText(facts, name, fact))
    await rest('PUT', `${path}/${world.ids[resource]}`, Object.fromEntries(texts.map(([name]) => [name, HOSTILE])))
    const list = operations.find(({ http }) => http === `GET ${path}`)
    const words = list ? getCommandWords(list) : []
    const csv = await runIn(world.app, world.admin, [...words, '-o', 'csv', '--limit', '1000'])
    expect(csv).toContain('cmd()')
    expect(csv).not.toMatch(LIVE)
  })
})
