// The credentials of scanners: enrolment tokens work once, tokens open the routes of scanners alone, and nothing else opens these.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { fetchFrom } from '../../../testing/servers/instances.ts'
import { engines } from '../../../testing/servers/servers.ts'
import {
  buildReportsPath,
  createScanner,
  enrolWith,
  FACTS,
  postWith,
  type WireScanner,
} from '../../../testing/servers/wire-scanner.ts'
import { generateKeyPair } from '../../scanner/seal.ts'
import { WIRE_PATHS } from '../../scanner/wire.ts'

const Refusal = z.object({ code: z.string(), details: z.array(z.object({ field: z.string() })) })
const POLL = { protocol: 1, version: '1', holding: [] }
const HOUR_MS = 3_600_000

describe.each(engines())('scanners on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let aheadMs = 0
  let count = 0
  beforeAll(async () => {
    const now = () => new Date(Date.now() + aheadMs)
    app = await testApp({ dialect, withJobs: false, now, env: { AUDIT_ENABLED: 'true' } })
    admin = await app.as('admin')
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const send = () => fetchFrom(app.plat)
  const create = () => admin.api.scanners.create({ name: `scanner ${++count}` })
  const enrol = (token: string, more: object = {}) =>
    postWith(send(), token)(WIRE_PATHS.enrol, { ...FACTS, public_key: generateKeyPair().publicKey, ...more })
  const read = async (answer: Promise<Response>) => {
    const { status } = await answer
    const { code, details } = Refusal.parse(await (await answer).json())
    return { status, code, fields: details.map(({ field }) => field) }
  }
  const VOID = { status: 401, code: 'INVALID_CREDENTIALS', fields: [] }
  const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED', fields: [] }

  describe('an enrolment', () => {
    test('gives a token, and the scanner is online with all that it says of itself', async () => {
      const { id, name, enrolment_token } = await create()
      const scanner = await enrolWith(send(), enrolment_token)
      expect([scanner.id, scanner.token]).toEqual([id, expect.stringMatching(/^plat_sc_[\w-]{43}$/)])
      const { protocol, version, hostname, capabilities, links, slots } = FACTS
      expect(await admin.api.scanners.get({ id })).toMatchObject({
        ...{ name, status: 'online', protocol, version, hostname, capabilities, links, slots },
      })
    })

    test('works once', async () => {
      const { enrolment_token } = await create()
      expect((await enrol(enrolment_token)).status).toBe(201)
      expect(await read(enrol(enrolment_token))).toEqual(VOID)
    })

    test('works once for ten at the same time', async () => {
      const { enrolment_token } = await create()
      const all = await Promise.all(Array.from({ length: 10 }, () => enrol(enrolment_token)))
      expect(all.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(401)])
    })

    test('is refused for an unknown token, and for one of which there is a later one', async () => {
      const { id, enrolment_token } = await create()
      await admin.api.scanners.enrol({ id })
      expect(await read(enrol(enrolment_token))).toEqual(VOID)
      expect(await read(enrol(`plat_en_${'x'.repeat(43)}`))).toEqual(VOID)
    })

    test('is refused after a day', async () => {
      const { enrolment_token } = await create()
      aheadMs += 25 * HOUR_MS
      expect(await read(enrol(enrolment_token))).toEqual({ status: 401, code: 'EXPIRED_KEY', fields: [] })
    })

    test.each([
      ['a protocol of later', { protocol: 2 }, 'protocol'],
      ['a protocol that never was', { protocol: 0 }, 'protocol'],
      ['a short public key', { public_key: 'abc' }, 'public_key'],
      ['a public key of small order', { public_key: Buffer.alloc(32).toString('base64url') }, 'public_key'],
      ['no slot', { slots: 0 }, 'slots'],
      ['nine slots', { slots: 9 }, 'slots'],
      ['a link that is none', { links: ['10.0.0.0'] }, 'links[0]'],
      ['65 links', { links: Array(65).fill('10.0.0.0/24') }, 'links'],
      ['capabilities that are none', { capabilities: 'all' }, 'capabilities'],
    ])('with %s is 400, and does not use the token up', async (_, more, field) => {
      const { enrolment_token } = await create()
      expect(await read(enrol(enrolment_token, more))).toEqual({
        status: 400,
        code: 'VALIDATION_ERROR',
        fields: [field],
      })
      expect((await enrol(enrolment_token)).status).toBe(201)
    })

    test('with another body than JSON does not use the token up', async () => {
      const { enrolment_token } = await create()
      const headers = { Authorization: `Bearer ${enrolment_token}`, 'Content-Type': 'application/json' }
      const post = (body: string) =>
        app.fetch(new Request(`http://plat.test${WIRE_PATHS.enrol}`, { method: 'POST', headers, body }))
      const answers = ['', '{', '[]', 'null', 'x'.repeat(5 * 1024 * 1024)].map(
        async (body) => (await post(body)).status,
      )
      expect(await Promise.all(answers)).toEqual([400, 400, 400, 400, 413])
      expect((await enrol(enrolment_token)).status).toBe(201)
    })

    test('of a scanner that works makes its former token void, and only then', async () => {
      const made = await create()
      const before = await enrolWith(send(), made.enrolment_token)
      const { enrolment_token } = await admin.api.scanners.enrol({ id: made.id })
      expect((await before.post(WIRE_PATHS.poll, { ...POLL, wait_seconds: 0 })).status).toBe(200)
      const after = await enrolWith(send(), enrolment_token)
      expect(await read(before.post(WIRE_PATHS.poll, POLL))).toEqual(UNAUTHORIZED)
      expect((await after.post(WIRE_PATHS.poll, { ...POLL, wait_seconds: 0 })).status).toBe(200)
    })

    test('is in the audit trail, without its secrets; polls are not', async () => {
      const { id, enrolment_token } = await create()
      const scanner = await enrolWith(send(), enrolment_token)
      await scanner.poll()
      await read(enrol(enrolment_token))
      const entries = await admin.api.audit.list({ resource_id: id })
      expect(entries.map(({ action, status }) => [action, status]).toSorted()).toEqual([
        ['create', 'success'],
        ['update', 'success'],
      ])
      const text = JSON.stringify(await admin.api.audit.list({ limit: 500 }))
      expect(
        [enrolment_token, scanner.token, scanner.keys.publicKey].filter((secret) => text.includes(secret)),
      ).toEqual([])
    })
  })

  describe('the token of a scanner', () => {
    let scanner: WireScanner
    beforeAll(async () => {
      scanner = await createScanner(send(), admin, { name: `scanner ${++count}` })
    })

    const PATHS = [WIRE_PATHS.poll, buildReportsPath('x'), WIRE_PATHS.sightings, WIRE_PATHS.bye] as const

    test.each(['/api/networks', '/api/scanners', '/api/auth/me', '/api/dashboard', '/metrics'])(
      'does not open %s',
      async (path) => {
        const answer = await app.fetch(
          new Request(`http://plat.test${path}`, { headers: { Authorization: `Bearer ${scanner.token}` } }),
        )
        expect(answer.status).toBe(401)
      },
    )

    test('does not enrol', async () => {
      expect(await read(enrol(scanner.token))).toEqual(UNAUTHORIZED)
    })

    test.each(PATHS)('is needed for %s: nothing else opens it', async (path) => {
      const { enrolment_token } = await create()
      const others = [admin.key, enrolment_token, `plat_sc_${'x'.repeat(43)}`, scanner.token.slice(1), '']
      for (const token of others) expect(await read(postWith(send(), token)(path, {}))).toEqual(UNAUTHORIZED)
      const asSession = app.fetch(
        new Request(`http://plat.test${path}`, { method: 'POST', headers: { Cookie: `session=${scanner.token}` } }),
      )
      expect(await read(asSession)).toEqual(UNAUTHORIZED)
    })

    test('is void after the revocation, until the scanner enrols again', async () => {
      const own = await createScanner(send(), admin, { name: `scanner ${++count}` })
      await admin.api.scanners.revoke({ id: own.id })
      for (const path of PATHS) expect(await read(own.post(path, POLL))).toEqual(UNAUTHORIZED)
      const { enrolment_token } = await admin.api.scanners.enrol({ id: own.id })
      expect((await enrol(enrolment_token)).status).toBe(201)
    })
  })

  describe('a poll', () => {
    test('of a protocol that the server does not know is refused, and the scanner shows it', async () => {
      const scanner = await createScanner(send(), admin, { name: `scanner ${++count}` })
      aheadMs += 120_000
      const refused = scanner.post(WIRE_PATHS.poll, { ...POLL, protocol: 2, version: '9.9.9' })
      expect(await read(refused)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['protocol'] })
      expect(await admin.api.scanners.get({ id: scanner.id })).toMatchObject({ protocol: 2, version: '9.9.9' })
    })

    test('stores the fields that the scanner reports of itself', async () => {
      const scanner = await createScanner(send(), admin, { name: `scanner ${++count}` })
      aheadMs += 120_000
      const facts = {
        version: '2\u0000',
        hostname: 'h'.repeat(300),
        links: ['10.1.2.3/16'],
        slots: 8,
        spooled_reports: 7,
      }
      await scanner.poll({ ...facts, capabilities: { icmp: true, arp: true, neighbours: true, listen: true } })
      expect(await admin.api.scanners.get({ id: scanner.id })).toMatchObject({
        ...{ version: '2 ', hostname: 'h'.repeat(255), links: ['10.1.0.0/16'], slots: 8, spooled_reports: 7 },
        capabilities: { listen: true },
      })
    })

    test.each([
      ['wait_seconds', { wait_seconds: 26 }],
      ['holding', { holding: Array(65).fill({ scan_id: 'a', lease: 'b' }) }],
      ['holding[0].lease', { holding: [{ scan_id: 'a' }] }],
      ['version', { version: 1 }],
    ])('with a wrong %s is 400', async (field, more) => {
      const scanner = await createScanner(send(), admin, { name: `scanner ${++count}` })
      const refused = scanner.post(WIRE_PATHS.poll, { ...POLL, ...more })
      expect(await read(refused)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: [field] })
    })

    test('that does not wait is given nothing, and ends no other poll', async () => {
      const scanner = await createScanner(send(), admin, { name: `scanner ${++count}` })
      const name = `scanner ${count}`
      const network = await admin.api.networks.create({ name: `n ${count}`, subnet: '127.9.9.0/24', scanner: name })
      await admin.api.scans.start({ id: network.id })
      expect((await scanner.poll({ wait_seconds: 0 })).start).toEqual([])
      const { scan_id } = await scanner.take()
      expect((await scanner.poll({ wait_seconds: 0 })).start).toEqual([])
      expect(await admin.api.scans.get({ id: scan_id })).toMatchObject({ status: 'running', scanner_id: scanner.id })
    })
  })
})

describe('the limits of requests', () => {
  const env = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_REQUESTS: '40', LOGIN_RATE_LIMIT_REQUESTS: '3' }
  let app: TestApp
  let scanner: WireScanner
  let token = ''
  beforeAll(async () => {
    app = await testApp({ env, withJobs: false })
    const admin = await app.as('admin')
    scanner = await createScanner(fetchFrom(app.plat), admin, { name: 'oslo' })
    token = (await admin.api.scanners.create({ name: 'bergen' })).enrolment_token
  })
  afterAll(() => app.close())

  test('of scanners are 600 a minute, beside those of all others', async () => {
    const answer = await scanner.post(WIRE_PATHS.poll, { ...POLL, wait_seconds: 0 })
    expect(answer.headers.get('x-ratelimit-limit')).toBe('600')
    for (let n = 0; n < 60; n++) await scanner.post(WIRE_PATHS.sightings, { sightings: [] })
    expect((await scanner.post(WIRE_PATHS.sightings, { sightings: [] })).status).toBe(200)
    const other = await app.fetch(new Request('http://plat.test/healthz'))
    expect([other.status, other.headers.get('x-ratelimit-limit')]).toEqual([200, '40'])
  })

  test('end with 429', async () => {
    let last = 0
    for (let n = 0; n < 600 && last !== 429; n++) last = (await scanner.post(WIRE_PATHS.bye, '')).status
    expect(last).toBe(429)
  })

  test('of sign-ins count enrolments', async () => {
    const limited = await testApp({ env: { ...env, RATE_LIMIT_ENABLED: 'false' }, withJobs: false })
    const statuses: number[] = []
    const enrol = postWith(fetchFrom(limited.plat), token)
    for (let n = 0; n < 4; n++) statuses.push((await enrol(WIRE_PATHS.enrol, FACTS)).status)
    expect(statuses).toEqual([401, 401, 401, 429])
    await limited.close()
  })
})
