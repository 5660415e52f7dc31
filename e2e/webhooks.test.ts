/** Webhooks: created, tested, monitored and repaired. */
import { afterAll, expect, test } from 'bun:test'
import { testAll } from '../testing/cases.ts'
import { startReceiver } from '../testing/receiver.ts'
import { SEALED, seedWebhooks } from './automation-seed.ts'
import { eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const receiver = await startReceiver()
afterAll(receiver.close)
const it = world({ devices: 20, env: SEALED, outbound: receiver.outbound })

let seeded: ReturnType<typeof seedWebhooks> | undefined
const seed = () => {
  seeded ??= seedWebhooks(it.plat.api, receiver)
  return seeded
}

test('the form says which addresses the server refuses', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/webhooks?new=1')
      await page.getByText('Addresses of this machine and of private networks are refused.').waitFor()
    },
    { as: 'admin' },
  ))

/** Waits until each delivery was attempted. */
const settled = async (id: string) =>
  eventually(
    async () => (await it.plat.api.webhooks.deliveries({ id })).every(({ attempt_number }) => attempt_number > 0),
    true,
  )

test('a webhook with events, a header and a secret is created and pinged by the keyboard only', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/webhooks')
      await page.keyboard.press('c')
      const drawer = page.getByRole('dialog')
      await drawer.getByRole('textbox', { name: 'Name', exact: false }).first().waitFor()
      // The tiles of the services are one stop.
      await page.keyboard.press('Tab')
      await page.keyboard.type('by keys')
      await page.keyboard.press('Tab')
      await page.keyboard.type(receiver.url('/keys'))
      await drawer.getByLabel('device.created').focus()
      await page.keyboard.press('Space')
      await drawer.getByLabel('Secret').fill('between us')
      const hasFocus = (label: string) => drawer.getByLabel(label).evaluate((field) => field.matches(':focus'))
      await drawer.getByRole('button', { name: 'Add a header' }).press('Enter')
      await page.keyboard.type('X-Token')
      await drawer.getByRole('button', { name: 'Add a header' }).press('Enter')
      expect(await hasFocus('Name of header 2')).toBe(true)
      await drawer.getByRole('button', { name: 'Remove header 2' }).press('Enter')
      expect(await hasFocus('Name of header 1')).toBe(true)
      await drawer.getByLabel('Value of header 1').fill('abc')
      await drawer.getByRole('button', { name: 'Create webhook' }).press('Enter')
      await page.getByRole('heading', { level: 1, name: 'by keys' }).waitFor()
      await page.getByRole('button', { name: 'Ping' }).press('Enter')
      await page.getByText('The target answered 200').waitFor()
      const heard = receiver.received.find(({ path }) => path === '/keys')
      expect(heard?.headers).toMatchObject({
        'x-token': 'abc',
        'x-service-event': 'webhook.ping',
        'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      })
      await page.getByRole('link', { name: /^Deliveries/ }).click()
      await page.getByRole('grid', { name: 'Deliveries' }).getByText('webhook.ping').waitFor()
    },
    { as: 'admin' },
  ))

test('an update sends only changed fields: an untouched secret is kept, and can be removed', async () => {
  const made = await it.plat.api.webhooks.create({
    ...{ name: 'kept', url: receiver.url('/kept'), events: ['network.created'], secret: 'stays' },
  })
  await it.visit(
    async ({ page, open }) => {
      const edit = async (work: () => Promise<void>) => {
        await open(`/webhooks/${made.id}?edit=${made.id}`)
        await page.getByText("Stored; it can't be shown.").waitFor()
        await work()
        await page.getByRole('button', { name: 'Save' }).click()
        await page.locator('[data-layer]').waitFor({ state: 'detached' })
        return (await it.plat.api.webhooks.get({ id: made.id })).has_secret
      }
      expect(await edit(() => page.getByLabel('Description').fill('another'))).toBe(true)
      expect(await edit(() => page.getByRole('button', { name: 'Remove the secret' }).click())).toBe(false)
    },
    { as: 'admin' },
  )
})

/** Reached like the receiver, but another target because of its port. */
const ELSEWHERE = receiver.url('/elsewhere').replace(/:\d+/, ':9')

testAll('another target is asked for the secret and the headers again, and the old ones are not shown', async () => {
  const { id } = await it.plat.api.webhooks.create({
    ...{ name: 'aimed', url: receiver.url('/aimed'), events: ['network.created'] },
    ...{ secret: 'of the old target', headers: { 'X-Token': 'of the old target' } },
  })
  await it.visit(
    async ({ page, open }) => {
      await open(`/webhooks/${id}?edit=${id}`)
      await page.getByText('A value of *** is stored').waitFor()
      await page.getByRole('textbox', { name: 'URL' }).fill(ELSEWHERE)
      await page.getByText('Enter it again for another scheme, host or port').waitFor()
      await page.getByText('Enter the values again for another scheme, host or port').waitFor()
      expect(await page.content()).not.toContain('of the old target')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('is needed again, because the URL has another scheme, host or port').first().waitFor()
      await page.getByRole('textbox', { name: 'Secret' }).fill('of the new one')
      await page.getByLabel('Value of header 1').fill('of the new one')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('[data-layer]').waitFor({ state: 'detached' })
      expect((await it.plat.api.webhooks.get({ id })).url).toBe(ELSEWHERE)
    },
    { as: 'admin', expected: [`400 /api/webhooks/${id}`] },
  )
})

testAll('an address of this machine is refused at its field', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/webhooks?new=1')
      await page.getByLabel('Name', { exact: false }).first().fill('inside')
      await page.getByLabel('URL').fill('http://127.0.0.1:1/')
      await page.getByLabel('device.created').check()
      await page.getByRole('button', { name: 'Create webhook' }).click()
      await page.locator('input[aria-invalid=true]').waitFor()
      expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
    },
    { as: 'admin', expected: ['400 /api/webhooks'] },
  ),
)

test('a channel is created with a filter and quiet hours, tested, and what waits is sent by hand', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/webhooks?new=1')
      const drawer = page.getByRole('dialog')
      await drawer.getByRole('radio', { name: 'ntfy' }).check()
      await drawer.getByText('The server and the topic.').waitFor()
      await drawer.getByRole('textbox', { name: 'Name' }).fill('on the phone')
      await drawer.getByRole('textbox', { name: 'URL' }).fill(receiver.url('/push/my-topic'))
      await drawer.getByLabel('network.created').check()
      await drawer.getByLabel('With one of the tags').fill('core, edge')
      await drawer.getByLabel('Quiet from').fill('22:00')
      await drawer.getByRole('button', { name: 'Create webhook' }).click()
      await drawer.getByText('Quiet to is needed with quiet_from').waitFor()
      await drawer.getByLabel('Quiet from').fill('')
      await drawer.getByLabel('With one of the tags').fill('')
      await drawer.getByLabel('Digest', { exact: true }).selectOption('weekly')
      const reports = drawer.getByRole('group', { name: 'Reports in the digest' })
      await reports.getByRole('checkbox').first().check()
      await drawer.getByRole('button', { name: 'Create webhook' }).click()
      await page.getByRole('heading', { level: 1, name: 'on the phone' }).waitFor()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('The target answered 200').waitFor()
      expect(JSON.parse(receiver.received.find(({ path }) => path === '/push/')?.body ?? '')).toMatchObject({
        topic: 'my-topic',
        title: 'A test from Plat',
      })
      await page.getByText('No event waits. The message goes').waitFor()
      await it.plat.api.networks.create({ name: 'of the digest', subnet: '10.250.0.0/24' })
      await page.getByText('Network of the digest (10.250.0.0/24) was added').waitFor()
      await page.getByText('1 event waits.').waitFor()
      await page.getByRole('button', { name: 'Send now' }).click()
      await page.getByText('No event waits.').waitFor()
      await eventually(async () => receiver.received.filter(({ path }) => path === '/push/').length, 2)
    },
    { as: 'admin', expected: ['400 /api/webhooks'] },
  ))

test('a secret URL is shown as its host only, and kept by an edit', async () => {
  const { id } = await it.plat.api.webhooks.create({
    ...{
      name: 'chat',
      url: receiver.url('/services/secret-of-the-chat'),
      format: 'slack',
      events: ['network.created'],
    },
  })
  await it.visit(
    async ({ page, open }) => {
      await open(`/webhooks/${id}?edit=${id}`)
      await page.getByText('Stored; only its host is shown.').waitFor()
      await page.getByLabel('Description').fill('another')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('[data-layer]').waitFor({ state: 'detached' })
      expect(await page.content()).not.toContain('secret-of-the-chat')
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByText('The target answered 200').waitFor()
      expect(receiver.received.some(({ path }) => path === '/services/secret-of-the-chat')).toBe(true)
    },
    { as: 'admin' },
  )
})

test('the switch in the list disables and enables a webhook', async () => {
  const { id } = await it.plat.api.webhooks.create({
    name: 'turned',
    url: receiver.url('/t'),
    events: ['pool.utilization_high'],
  })
  const isOn = async () => (await it.plat.api.webhooks.get({ id })).enabled
  await it.visit(
    async ({ page, open }) => {
      await open('/webhooks')
      await page.getByRole('switch', { name: 'Enable turned' }).click()
      await eventually(isOn, false)
      await page.getByRole('switch', { name: 'Enable turned', checked: false }).click()
      await eventually(isOn, true)
    },
    { as: 'admin' },
  )
})

test('new deliveries appear at once, and an opened one shows its payload', async () => {
  const { good } = await seed()
  await it.visit(
    async ({ page, open }) => {
      await open(`/webhooks/${good}?tab=deliveries`)
      const grid = page.getByRole('grid', { name: 'Deliveries' })
      await grid.getByText('webhook.ping').first().waitFor()
      await it.plat.api.devices.create({ name: 'while you look' })
      await page.getByLabel('Event').selectOption('device.created')
      await grid
        .getByRole('row', { name: /device.created success/ })
        .nth(1)
        .waitFor()
      await grid.focus()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      const drawer = page.getByRole('dialog')
      await drawer.getByText('"while you look"').waitFor()
      await drawer.getByText('X-Team').waitFor()
      await drawer.getByText('this is 200').waitFor()
    },
    { as: 'admin' },
  )
})

test('a failed delivery is sent again, and then shown as delivered', async () => {
  const { broken } = await seed()
  await settled(broken)
  await it.visit(
    async ({ page, open }) => {
      await open(`/webhooks/${broken}?status=failed`)
      await page.getByRole('grid', { name: 'Deliveries' }).getByRole('link').first().click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText('1 attempt').waitFor()
      receiver.answer('/broken', 204)
      await drawer.getByRole('button', { name: 'Send it again' }).click()
      await drawer.getByText('2 attempts').waitFor()
      receiver.answer('/broken', 500)
    },
    { as: 'admin' },
  )
})

test('a webhook that Plat disabled shows the reason, and is enabled again', async () => {
  const { gone } = await seed()
  await eventually(async () => (await it.plat.api.webhooks.get({ id: gone })).enabled, false)
  await it.visit(
    async ({ page, open }) => {
      await open(`/webhooks/${gone}`)
      await page.getByText('The target answered 410: it is gone').waitFor()
      await page.getByRole('button', { name: 'Enable again' }).click()
      await eventually(async () => (await it.plat.api.webhooks.get({ id: gone })).enabled, true)
      await page.getByText('disabled by Plat').waitFor({ state: 'detached' })
    },
    { as: 'admin' },
  )
})

testAll('the overview says which of them fail', async () => {
  const { broken } = await seed()
  await settled(broken)
  await it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.getByRole('link', { name: 'ticket system' }).click()
      await page.getByRole('heading', { level: 1, name: 'ticket system' }).waitFor()
    },
    { as: 'admin' },
  )
})

testAll('the verification code is shown in four languages', async () => {
  const { good } = await seed()
  await it.visit(
    async ({ page, open }) => {
      await open(`/webhooks/${good}?tab=verify`)
      for (const [language, part] of [
        ['Node', 'timingSafeEqual'],
        ['Python', 'compare_digest'],
        ['Go', 'hmac.Equal'],
        ['Shell', 'openssl dgst'],
      ] as const) {
        await page.getByRole('button', { name: language, exact: true }).click()
        await page.locator('pre', { hasText: part }).waitFor()
      }
    },
    { as: 'admin' },
  )
})

test('a viewer sees webhooks and cannot change them', async () => {
  const { good } = await seed()
  await it.visit(
    async ({ page, open }) => {
      await open('/webhooks')
      expect(await page.getByRole('button', { name: 'New webhook' }).getAttribute('aria-disabled')).toBe('true')
      expect(await page.getByRole('switch').first().getAttribute('aria-disabled')).toBe('true')
      await open(`/webhooks/${good}?tab=deliveries`)
      for (const name of ['Ping', 'Edit e'])
        expect(await page.getByRole('button', { name }).getAttribute('aria-disabled')).toBe('true')
      await page.getByRole('grid', { name: 'Deliveries' }).getByRole('link').first().click()
      const again = page.getByRole('dialog').getByRole('button', { name: 'Send it again' })
      expect(await again.getAttribute('aria-disabled')).toBe('true')
    },
    { as: 'viewer' },
  )
})

type Ids = Awaited<ReturnType<typeof seedWebhooks>>
const PAGES: readonly (readonly [string, (ids: Ids) => string, string])[] = [
  ['the list', () => '/webhooks', 'change log'],
  ['a new one', () => '/webhooks?new=1', 'conflict.detected'],
  ['one that is changed', ({ good }) => `/webhooks/${good}?edit=${good}`, 'Replace'],
  ['deliveries', ({ good }) => `/webhooks/${good}?tab=deliveries`, 'deliveries'],
  ['none of them', ({ good }) => `/webhooks/${good}?status=pending`, 'Clear filter'],
  ['facts', ({ good }) => `/webhooks/${good}`, 'Timeout'],
  ['a channel', ({ channel }) => `/webhooks/${channel}`, 'The message goes'],
  ['a channel that is changed', ({ channel }) => `/webhooks/${channel}?edit=${channel}`, 'When messages go'],
  ['verification', ({ good }) => `/webhooks/${good}?tab=verify`, 'X-Service-Signature'],
]

testAll.each(PAGES)('%s has no WCAG violation, on a desktop and on a phone', async (_, pathOf, text) => {
  const ids = await seed()
  await settled(ids.good)
  await it.visit(
    async ({ page, open }) => {
      await open(pathOf(ids))
      await page.getByText(text, { exact: false }).first().waitFor()
      await expectReadable(page)
    },
    { as: 'admin' },
  )
})

testAll('a delivery has no WCAG violation, on a desktop and on a phone', async () => {
  const { good } = await seed()
  const [delivery] = await it.plat.api.webhooks.deliveries({ id: good })
  await it.visit(
    async ({ page, open }) => {
      await open(`/webhooks/${good}?entry=${delivery?.id}`)
      await page.getByRole('dialog').getByText('X-Team').waitFor()
      await expectReadable(page)
    },
    { as: 'admin' },
  )
})

test('events without their permission cannot be chosen, and their deliveries are withheld', async () => {
  const { id } = await it.plat.api.webhooks.create({
    ...{ name: 'of everything', url: receiver.url('/everything'), events: ['device.created'] },
  })
  await it.plat.api.devices.create({ name: 'of nobody else' })
  await settled(id)
  const [delivery] = await it.plat.api.webhooks.deliveries({ id })
  const role = await it.plat.api.roles.create({
    name: 'webhook clerk',
    permissions: ['webhook:list', 'webhook:read', 'webhook:create', 'webhook:update', 'networks:list', 'networks:read'],
  })
  const [viewer] = await it.plat.api.users.list({ username: 'viewer' })
  await it.plat.api.users.update({ id: viewer?.id ?? '', roles: [role.id] })
  await it.visit(
    async ({ page, open }) => {
      await open('/webhooks?new=1')
      await page.getByLabel('network.created').waitFor()
      expect(await page.getByLabel('network.created').isDisabled()).toBe(false)
      expect(await page.getByLabel('device.created').isDisabled()).toBe(true)
      await page
        .getByText(/^Needs the permission devices?:/)
        .first()
        .waitFor()
      await open(`/webhooks/${id}?entry=${delivery?.id}`)
      await page.getByText('Body and answer are withheld').waitFor()
      expect(await page.content()).not.toContain('of nobody else')
    },
    { as: 'viewer' },
  )
})
