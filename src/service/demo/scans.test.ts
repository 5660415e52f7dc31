// The discovery data of `plat demo`.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { runCommand } from '../../../testing/run-command.ts'
import { generateEstate } from './estate.ts'

test('the scans of an estate are always the same', () => {
  const [one, other] = [generateEstate({ devices: 300 }), generateEstate({ devices: 300 })]
  expect([...one.scans]).toEqual([...other.scans])
})

test.each([1, 5, 60])('an estate of %i devices has scans as well', (devices) => {
  expect([...generateEstate({ devices }).scans].length).toBeGreaterThan(0)
})

describe('the discovery of the demo estate', () => {
  let app: TestApp
  let api: TestCaller['api']
  let code: number | undefined
  let said = ''
  beforeAll(async () => {
    app = await testApp({ env: { DISCOVERY_ALLOWED_SUBNETS: '' } })
    const admin = await app.as('admin')
    api = admin.api
    const ran = await runCommand({ app, key: admin.key }, { argv: ['demo'] })
    code = ran.code
    said = ran.err
  }, 60_000)
  afterAll(() => app.close())

  test('is announced', () => {
    expect([code, said]).toEqual([0, expect.stringContaining('6 made-up scans are on record')])
  })

  test('is made once: a second run changes nothing and says so', async () => {
    const ran = await runCommand({ app, key: (await app.as('admin')).key }, { argv: ['demo'] })
    expect([ran.code, ran.err]).toEqual([
      0,
      'note: the demo data were there already, and its made-up scans stay as they are\n',
    ])
    expect((await api.scans.list()).length).toBe(6)
  })

  test('has two completed scans of each of three networks', async () => {
    const scans = await api.scans.list()
    expect([scans.length, new Set(scans.map(({ network_id }) => network_id)).size]).toEqual([6, 3])
    expect(new Set(scans.map(({ status }) => status))).toEqual(new Set(['completed']))
  })

  test('has something in every bucket of the inbox', async () => {
    const { ignored: _, ...buckets } = await api.inbox.summary()
    expect(Object.entries(buckets).filter(([, count]) => count === 0)).toEqual([])
  })

  test('is as documented for the most part', async () => {
    const found = await api.discovery.list({ network_id: '*' })
    const { changed, gone, conflict, new: fresh } = await api.inbox.summary()
    expect(changed + gone + conflict + fresh).toBeLessThan(found.length / 3)
  })

  test('has differences between the first and the second scan', async () => {
    const [last] = await api.scans.list()
    const { counts } = await api.scans.diff({ id: last?.id ?? '' })
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([])
  })

  test('has rules that are disabled', async () => {
    const rules = await api.discoveryRules.list()
    expect(rules.map(({ enabled, next_run_at }) => [enabled, next_run_at])).toEqual([
      [false, null],
      [false, null],
    ])
  })
})
