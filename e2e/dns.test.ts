/** DNS: zones that follow devices, own records, servers with their test, and drift that is pushed and pulled. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createTargetRules } from '../src/base/security/outbound-target.ts'
import { createDnsClient } from '../src/dns/client/client.ts'
import { createDnsConnector } from '../src/dns/client/connector.ts'
import { parseCidrOrThrow } from '../src/net/cidr.ts'
import { testAll } from '../testing/cases.ts'
import { DNS_KEYS, startNamed, type TestDnsServer } from '../testing/servers/dns-servers.ts'
import { axeFindings, choose, countRequests, eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const ENV = { DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32), AUDIT_ENABLED: 'true' }
const it = world({ devices: 0, env: ENV })
const as = 'admin'
const START_MS = 60_000
const ZONE = 'example.org'
/** Nothing listens there. */
const CLOSED_PORT = 1

const rowOf = (page: Page, name: string | RegExp) => page.getByRole('row', { name }).first()

const isBlocked = async (page: Page, name: string) =>
  (await page.getByRole('button', { name, exact: true }).first().getAttribute('aria-disabled')) === 'true'

const device = (name: string, ip: string, given: object = {}) =>
  it.plat.api.devices.create({ id: name, name, hostname: name, status: 'active', addresses: [{ ip }], ...given })

beforeAll(async () => {
  await it.plat.api.networks.create({ name: 'all', subnet: '10.0.0.0/16' })
})

test('empty lists explain zones and servers', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/dns')
      await page.getByText('No zones yet').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('link', { name: 'Servers' }).click()
      await page.getByText('No DNS servers yet').waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as },
  ))

test('by the keyboard: a zone without a server is created, follows a device, and an own record replaces it', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/dns')
      await page.getByText('No zones yet').waitFor()
      await page.keyboard.press('c')
      await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor()
      await page.keyboard.type('lan.test')
      await page.getByLabel('Host names without a dot').selectOption({ label: 'They get the name of this zone' })
      await page.getByRole('button', { name: 'Create zone' }).press('Enter')
      await page.getByRole('heading', { level: 1, name: 'lan.test' }).waitFor()
      await page.getByRole('link', { name: /^RRsets/ }).click()
      await page.getByText('The zone is empty').waitFor()
      await device('web', '10.0.0.1')
      await page.reload()
      await rowOf(page, /web.*10\.0\.0\.1.*published/).waitFor()
      await it.plat.api.devices.update({ id: 'web', addresses: [{ ip: '10.0.0.9' }] })
      await rowOf(page, /web.*10\.0\.0\.9.*published/).waitFor({ timeout: 60_000 })
      await page.getByRole('link', { name: 'Own records' }).press('Enter')
      await page.getByText('No own records yet').waitFor()
      await page.keyboard.press('c')
      const drawer = page.getByRole('dialog', { name: 'New record' })
      await page.getByLabel('Name · required').and(page.locator(':focus')).waitFor()
      await page.keyboard.type('web')
      await drawer.getByLabel('Value').fill('nonsense')
      await drawer.getByRole('button', { name: 'Create record' }).press('Enter')
      await drawer.locator('input[aria-invalid=true]').waitFor()
      await drawer.getByLabel('Value').fill('192.0.2.99')
      await drawer.getByRole('button', { name: 'Create record' }).press('Enter')
      await rowOf(page, /web.*192\.0\.2\.99/).waitFor()
      await page.getByRole('link', { name: /^RRsets/ }).press('Enter')
      const row = rowOf(page, /web.*192\.0\.2\.99.*published/)
      await row.waitFor()
      await row.getByRole('link', { name: 'own record' }).click()
      await page.getByRole('dialog', { name: 'Edit web.lan.test A' }).waitFor()
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Actions for web A' }).click()
      await page.getByRole('menuitem', { name: 'Delete record' }).click()
      await page.getByText('then holds again the records that devices give').waitFor()
      await page.getByRole('button', { name: 'Delete record' }).press('Enter')
      await page.getByText('No own records yet').waitFor()
      await page.getByRole('link', { name: /^RRsets/ }).click()
      await rowOf(page, /web.*10\.0\.0\.9.*published.*device/).waitFor()
    },
    { as, expected: ['400 /api/dns/records'] },
  ))

describe('a zone that is only a file', () => {
  let id = ''
  beforeAll(async () => {
    const { api } = it.plat
    const zone = await api.dnsZones.create({ name: 'file.test' })
    id = zone.id
    await device('mail', '10.0.1.1', { hostname: 'mail.file.test' })
    await device('one', '10.0.1.2', { hostname: 'twice.file.test' })
    await device('two', '10.0.1.3', { hostname: 'twice.file.test' })
    await api.dnsRecords.create({ zone_id: id, name: '@', type: 'MX', value: '10 mail.file.test' })
    await eventually(async () => (await api.dnsZones.get({ id })).conflict_count, 1)
    await eventually(async () => (await api.dnsZones.get({ id })).pending_count, 0)
  })

  test('is listed with its state and its numbers', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/dns?q=file.test')
        const row = rowOf(page, /file\.test/)
        await row.getByText('in sync').waitFor()
        await row.getByText('file only').waitFor()
        await page.getByRole('columnheader', { name: 'Conflicts' }).waitFor()
        await page.getByRole('columnheader', { name: 'Name' }).waitFor()
        await page.keyboard.press('j')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { level: 1, name: 'file.test' }).waitFor()
        await page.getByText('1 in conflict').waitFor()
      },
      { as },
    ))

  test('shows the conflict of two devices with links to both, and filters by state, name and type', () =>
    it.visit(
      async ({ page, open }) => {
        await open(`/dns/${id}?tab=rrsets`)
        await rowOf(page, /mail/).waitFor()
        await page.getByLabel('State').selectOption('conflict')
        const row = rowOf(page, /twice/)
        await row.getByText('conflict', { exact: true }).waitFor()
        await rowOf(page, /mail/).waitFor({ state: 'detached' })
        await row.getByRole('link', { name: '2 devices' }).click()
        const drawer = page.getByRole('dialog', { name: 'twice A' })
        await drawer.getByRole('link', { name: 'one' }).waitFor()
        await drawer.getByRole('link', { name: 'two' }).click()
        await page.getByRole('heading', { level: 1, name: 'two' }).waitFor()
        await open(`/dns/${id}?kind=MX`)
        await rowOf(page, /10 mail\.file\.test/).waitFor()
        expect(await page.getByRole('row', { name: /twice/ }).count()).toBe(0)
        await page.getByLabel('Name', { exact: true }).fill('nothing')
        await page.getByText('No RRset matches the filter').waitFor()
        await page.getByRole('button', { name: 'Clear filter' }).click()
        await rowOf(page, /twice/).waitFor()
      },
      { as },
    ))

  testAll('gives its file once it has name servers and a mailbox', () =>
    it.visit(
      async ({ page, open }) => {
        await open(`/dns/${id}?tab=file`)
        await page.getByText('The zone has no file yet').waitFor()
        await page.getByRole('link', { name: 'Open the settings' }).click()
        await page.getByLabel('Name servers of the file').fill('ns1.file.test, ns2.file.test')
        await page.getByLabel('Mailbox of the file').fill('hostmaster@file.test')
        await page.getByRole('button', { name: 'Save' }).press('Enter')
        await page.getByText('Saved file.test').waitFor()
        await page.getByRole('link', { name: 'File' }).click()
        await page.locator('pre', { hasText: '$ORIGIN file.test.' }).waitFor()
        await page.locator('pre', { hasText: 'mail.file.test.' }).waitFor()
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'Download' }).click(),
        ])
        expect(download.suggestedFilename()).toBe('file.test.zone')
      },
      { as },
    ),
  )

  testAll('is given to other programs by a feed, to which the page of its file leads', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/feeds?new=1')
        await page.getByLabel('Name · required').fill('zone of files')
        await choose(page.getByRole('combobox', { name: 'Format' }), 'DNS zone')
        await page.getByText('choose a zone').waitFor()
        await choose(page.getByLabel('DNS zone'), 'file.test')
        await page.locator('pre', { hasText: '$ORIGIN file.test.' }).waitFor()
        await page.getByRole('button', { name: 'Create feed' }).press('Enter')
        await page.getByRole('heading', { level: 1, name: 'zone of files' }).waitFor()
        await open('/feeds')
        await rowOf(page, /zone of files/)
          .getByText('The zone file.test')
          .waitFor()
        await open(`/dns/${id}?tab=file`)
        await page.getByRole('link', { name: 'zone of files' }).click()
        await page.getByRole('heading', { level: 1, name: 'zone of files' }).waitFor()
      },
      { as },
    ),
  )

  test('is shown on the pages of its devices', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/devices/mail')
        const card = page.locator('section', { has: page.getByRole('heading', { name: 'DNS' }) })
        await card.getByText('published').waitFor()
        await card.getByRole('link', { name: 'mail.file.test' }).click()
        await page.getByRole('dialog', { name: 'mail A' }).waitFor()
      },
      { as },
    ))

  testAll('is not taken for changed by others when only its state has changed', () =>
    it.visit(
      async ({ page, open }) => {
        await open(`/dns/${id}?tab=settings`)
        await page.getByLabel('Description').fill('mine')
        await it.plat.api.dnsRecords.create({ zone_id: id, name: 'later', type: 'TXT', value: 'x' })
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Saved file.test').waitFor()
        expect(await it.plat.api.dnsZones.get({ id })).toMatchObject({ description: 'mine' })
        await page.getByRole('button', { name: 'Edit' }).click()
        await page.getByLabel('Description').fill('mine again')
        await it.plat.api.dnsZones.update({ id, ttl: 60 })
        await page.getByRole('button', { name: 'Save' }).click()
        await page.getByText('Changed by someone since you opened it.').waitFor()
      },
      { as, expected: [`412 /api/dns/zones/${id}`] },
    ),
  )

  test('is seen by a viewer, who can not change it', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/dns')
        await rowOf(page, /file\.test/).waitFor()
        expect(await isBlocked(page, 'New zone')).toBe(true)
        await open(`/dns/${id}`)
        for (const name of ['Sync', 'Edit e']) expect(await isBlocked(page, name)).toBe(true)
        await open(`/dns/${id}?tab=records`)
        await rowOf(page, /MX/).waitFor()
        expect(await isBlocked(page, 'New record')).toBe(true)
        await open('/dns?tab=servers')
        expect(await isBlocked(page, 'New server')).toBe(true)
      },
      { as: 'viewer' },
    ))

  testAll('is linked from the audit log, as are its records', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/audit?resource=dns-zone')
        await page.getByRole('link', { name: 'file.test' }).first().click()
        await page.getByRole('heading', { level: 1, name: 'file.test' }).waitFor()
        await open('/audit?resource=dns-record')
        await page.getByRole('link', { name: 'later' }).first().click()
        await page.getByRole('dialog', { name: 'Edit later.file.test TXT' }).waitFor()
      },
      { as },
    ),
  )

  test('that does not exist is said to be missing', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/dns/nothing')
        await page.getByText('There is no such zone').waitFor()
      },
      { as, expected: ['404 /api/dns/zones/nothing'] },
    ))
})

describe('a zone on a server', () => {
  const KEY = DNS_KEYS.find(({ algorithm }) => algorithm === 'hmac-sha256')
  if (KEY === undefined) throw new Error('there is no key')
  const secret = Buffer.from(KEY.secret).toString('base64')
  const { connect } = createDnsConnector({
    rules: createTargetRules(false),
    servers: [parseCidrOrThrow('127.0.0.1/32')],
  })
  let server: TestDnsServer | undefined
  let id = ''
  beforeAll(async () => {
    server = await startNamed()
  }, START_MS)
  afterAll(() => server?.stop(), START_MS)

  const port = (): number => {
    if (!server) throw new Error('the server is not started')
    return server.port
  }
  /** Writes to the server as another program would. */
  const write = (name: string, values: readonly string[]) => {
    const client = createDnsClient({ connect, host: '127.0.0.1', port: port(), key: KEY, timeoutMs: 30_000 })
    const rrset = { name: `${name}.${ZONE}`, type: 'A' }
    const changes = [
      { kind: 'delete', ...rrset } as const,
      ...(values.length === 0 ? [] : [{ kind: 'add', ...rrset, ttl: 3600, values } as const]),
    ]
    return client.update({ zone: ZONE, prerequisites: [], changes })
  }

  test('has a server that is added with its secret, and tested', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/dns?tab=servers&new=1')
        await page.getByLabel('Name · required').fill('ns1')
        await page.getByLabel('Host · required').fill('127.0.0.1')
        await page.getByLabel('Port', { exact: true }).fill(String(port()))
        await page.getByLabel('TSIG key').fill(KEY.name)
        await page.getByLabel('Secret').fill('no base64')
        await page.getByRole('button', { name: 'Create server' }).press('Enter')
        await page.locator('input[type=password][aria-invalid=true]').waitFor()
        await page.getByLabel('Secret').fill(secret)
        await page.getByRole('button', { name: 'Create server' }).press('Enter')
        const row = rowOf(page, /ns1/)
        await row.getByText('stored').waitFor()
        await row.getByRole('button', { name: 'Test ns1' }).click()
        await page.getByText('The key is accepted. No zone uses this server yet.').waitFor()
        const [provider] = await it.plat.api.dnsProviders.list({})
        const zone = await it.plat.api.dnsZones.create({ name: ZONE, provider_id: provider?.id ?? '' })
        id = zone.id
        await device('app', '10.0.2.1', { hostname: `app.${ZONE}` })
        await device('api', '10.0.2.2', { hostname: `api.${ZONE}` })
        await eventually(async () => (await it.plat.api.dnsZones.get({ id })).status, 'in_sync')
        await page.reload()
        await page.getByRole('button', { name: 'Actions for ns1' }).click()
        await page.getByRole('menuitem', { name: 'Edit' }).click()
        const drawer = page.getByRole('dialog', { name: 'Edit ns1' })
        await drawer.getByText("Stored; it can't be shown.").waitFor()
        await drawer.getByRole('button', { name: 'Test' }).click()
        await drawer.getByText(/^ns1 Answered in .* ms\. Serial \d+ of example\.org\.$/).waitFor()
        await page.keyboard.press('Escape')
        await page.getByRole('button', { name: 'Actions for ns1' }).click()
        await page.getByRole('menuitem', { name: 'Delete server' }).click()
        await page.getByRole('button', { name: 'Delete server' }).press('Enter')
        await page.getByText('The zone example.org uses this DNS server').first().waitFor()
      },
      { as, expected: ['400 /api/dns/providers', '409 /api/dns/providers'] },
    ))

  testAll('that is away shows its error at the test', () =>
    it.visit(
      async ({ page, open }) => {
        await it.plat.api.dnsProviders.create({
          name: 'away',
          host: '127.0.0.1',
          port: CLOSED_PORT,
          timeout_seconds: 2,
        })
        await open('/dns?tab=servers')
        await page.getByRole('button', { name: 'Test away' }).click()
        await page
          .getByRole('status')
          .filter({ hasText: 'failed' })
          .getByText(/away .+/)
          .waitFor()
      },
      { as, expected: ['502 /api/dns/providers'] },
    ),
  )

  test('shows drift after a check, which is pushed and pulled after a question', () =>
    it.visit(
      async ({ page, open }) => {
        await write('app', ['192.0.2.66'])
        await write('api', ['192.0.2.67'])
        await write('other', ['192.0.2.68'])
        await open(`/dns/${id}?tab=drift`)
        await page.getByRole('button', { name: 'Check now' }).click()
        await page.getByText('2 RRsets drifted').waitFor()
        const row = rowOf(page, /^app/)
        await row.getByText('10.0.2.1 · TTL 3600').waitFor()
        await row.getByText('192.0.2.66 · TTL 3600').waitFor()
        await row.getByRole('button', { name: 'Push app A' }).click()
        const question = page.getByRole('dialog', { name: 'Push app A?' })
        await question.getByText('The server gets the values of Plat in place of those that it holds.').waitFor()
        await question.getByRole('button', { name: 'Push' }).press('Enter')
        await page.getByText('Pushed 1 entry').waitFor()
        await row.waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Pull all changed' }).click()
        await page.getByRole('dialog').getByText('become own records, which replace those of devices').waitFor()
        await page.getByRole('dialog').getByRole('button', { name: 'Pull', exact: true }).press('Enter')
        await page.getByText('Pulled 1 entry').waitFor()
        expect(await it.plat.api.dnsRecords.list({ zone_id: id })).toMatchObject([{ name: 'api', value: '192.0.2.67' }])
        await page.getByRole('row', { name: /other/ }).click()
        await page.keyboard.press('Enter')
        const choice = page.getByRole('dialog', { name: 'other A' })
        await choice.getByText('Only the server has it').waitFor()
        await choice.getByRole('button', { name: 'Push …' }).click()
        await page.getByText('It is deleted on the server.').waitFor()
        await page.getByRole('button', { name: 'Cancel' }).click()
        await page.getByRole('link', { name: /^RRsets/ }).click()
        await rowOf(page, /api.*192\.0\.2\.67.*published.*own record/).waitFor()
      },
      { as },
    ))

  test('shows the difference before it is synchronized', () =>
    it.visit(
      async ({ page, open }) => {
        await open(`/dns/${id}`)
        await page.getByRole('button', { name: 'Sync' }).click()
        const dialog = page.getByRole('dialog', { name: `Sync ${ZONE}` })
        await dialog.getByText('Nothing to send').waitFor()
        expect(await axeFindings(page, 'layers')).toEqual([])
        await dialog.getByRole('button', { name: 'Sync now' }).press('Enter')
        await page.getByText(`Synchronized ${ZONE}`).waitFor()
      },
      { as },
    ))

  test('that would lose too much is held, and sent only with force', () =>
    it.visit(
      async ({ page, open }) => {
        const { api } = it.plat
        const names = Array.from({ length: 12 }, (_, at) => `many-${at}`)
        for (const [at, name] of names.entries())
          await device(name, `10.0.3.${at + 1}`, { hostname: `${name}.${ZONE}` })
        await eventually(async () => (await api.dnsZones.get({ id })).rrset_count >= 14, true)
        await eventually(async () => (await api.dnsZones.get({ id })).status, 'in_sync')
        await api.dnsZones.update({ id, tags: ['none'] })
        await eventually(async () => (await api.dnsZones.get({ id })).status, 'held')
        await open(`/dns/${id}`)
        await page
          .getByText(/RRsets would go, more than 30 %/)
          .first()
          .waitFor()
        await page.getByRole('link', { name: /^RRsets/ }).click()
        await rowOf(page, /many-0/)
          .getByText('held', { exact: true })
          .waitFor()
        await page.getByRole('button', { name: 'Sync' }).click()
        await page.getByText(/\d+ to delete/).waitFor()
        expect(await page.getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(true)
        await page.getByLabel('Send it although so much goes').press(' ')
        await page.getByRole('button', { name: 'Sync with force' }).press('Enter')
        await page.getByText(`Synchronized ${ZONE}`).waitFor()
        await eventually(async () => (await api.dnsZones.get({ id })).rrset_count < 5, true)
        await api.dnsZones.update({ id, tags: [] })
        await eventually(async () => (await api.dnsZones.get({ id })).status, 'in_sync')
      },
      { as },
    ))

  const PAGES: readonly (readonly [string, () => string, string, number?])[] = [
    ['the zones', () => '/dns', 'file only'],
    ['the servers', () => '/dns?tab=servers', 'not signed'],
    ['a new zone', () => '/dns?new=1', 'Host names without a dot'],
    ['RRsets', () => `/dns/${id}`, 'own record'],
    ['an RRset', () => `/dns/${id}?entry=api+A`, 'Full name'],
    ['own records', () => `/dns/${id}?tab=records`, '192.0.2.67'],
    ['an own record', () => `/dns/${id}?tab=records&new=1`, 'Like 192.0.2.10'],
    ['drift', () => `/dns/${id}?tab=drift`, 'Compared'],
    ['the settings', () => `/dns/${id}?tab=settings`, 'Seconds between checks'],
    // Its names are a file and a request for each, and only where there are zones.
    ['a device', () => '/devices/app', 'published', 14],
  ]
  testAll.each(PAGES)('has no WCAG violation, on a desk and on a phone: %s', (_, path, text, most = 12) =>
    it.visit(
      async ({ page, openWhole, requests }) => {
        await openWhole(path())
        expect(countRequests(requests)).toBeLessThanOrEqual(most)
        await page.getByText(text, { exact: false }).first().waitFor()
        await expectReadable(page)
      },
      { as },
    ),
  )
})

testAll('the palette opens the form of a new zone', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('New zone')
      await page.getByRole('option', { name: 'New zone' }).click()
      await page.getByRole('dialog', { name: 'New zone' }).waitFor()
    },
    { as },
  ),
)

test('a page without its permission names it', async () => {
  const role = await it.plat.api.roles.create({ name: 'devices alone', permissions: ['devices:list', 'devices:read'] })
  const [viewer] = await it.plat.api.users.list({ username: 'viewer' })
  await it.plat.api.users.update({ id: viewer?.id ?? '', roles: [role.id] })
  await it.visit(
    async ({ page, open, requests }) => {
      await open('/dns')
      await page.getByText('dns:list').waitFor()
      await open('/dns/nothing')
      await page.getByText('dns:read').waitFor()
      await open('/devices/mail')
      await page.getByText('mail.file.test').first().waitFor()
      expect(requests.some((line) => line.includes('/api/dns/'))).toBe(false)
    },
    { as: 'viewer' },
  )
})
