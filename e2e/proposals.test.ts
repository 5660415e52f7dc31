/** Proposals in a browser: a draft on the pages, its review and merge, and changes that a user may only propose. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { axeFindings, choose, eventually, world } from './harness.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 60 })

const findNumber = (page: Page): number => Number(/proposal(?::|%3A)(\d+)/.exec(page.url())?.[1])

/** Sends a write with the session of the page, as a form does. */
const write = (page: Page, path: string, body: object): Promise<number> =>
  page.evaluate<number>(`fetch(${JSON.stringify(path)}, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
    body: ${JSON.stringify(JSON.stringify(body))},
  }).then(({ status }) => status)`)

/** Lets the viewer ask, and change nothing. */
const letAsk = async (): Promise<void> => {
  const { api } = it.plat
  const role = await api.roles.create({ name: 'requester', permissions: ['proposals:create'] })
  const [viewer] = await api.users.list({ username: 'viewer' })
  await api.grants.create({ role_id: role.id, user_id: viewer?.id ?? '' })
}
let asking: Promise<void> | undefined
const requester = async () => {
  asking ??= letAsk()
  await asking
}

test('an operator drafts a row on the pages, a colleague approves it as it is now, and one undo takes it back', async () => {
  const { api } = it.plat
  const [known] = await api.devices.list({ limit: 1 })
  const old = known?.id ?? ''
  let number = 0
  await it.visit(
    async ({ page, open, openWhole }) => {
      await open('/networks')
      await page.getByRole('button', { name: 'New network' }).waitFor()
      await page.keyboard.press('p')
      const dialog = page.getByRole('dialog', { name: 'Start a proposal' })
      expect(await axeFindings(page, 'layers')).toEqual([])
      await dialog.getByLabel('Title · required').fill('Row C')
      await page.keyboard.press('Enter')
      await page.getByText(/^Proposal \d+, Row C: changes nothing$/).waitFor()
      number = findNumber(page)
      const at = `as_of=proposal:${number}`

      await page.getByRole('button', { name: 'New network' }).click()
      await page.getByLabel('Name · required').fill('row-c')
      await page.getByLabel('Subnet · required').fill('10.99.0.0/24')
      await page.getByRole('button', { name: 'Create network' }).click()
      await page.getByText(/^Proposal \d+, Row C: .*1 network/).waitFor()
      await page.getByRole('link', { name: '10.99.0.0/24' }).click()
      await page.getByRole('heading', { level: 1, name: 'row-c' }).waitFor()
      const network = new URL(page.url()).pathname.split('/')[2] ?? ''
      await open(`/networks/${network}?tab=pools&new=1&${at}`)
      await page.getByLabel('Name · required').fill('row-c servers')
      await page.getByLabel('First address · required').fill('10.99.0.10')
      await page.getByLabel('Last address · required').fill('10.99.0.50')
      await page.getByRole('button', { name: 'Create pool' }).click()
      await page.getByText(/^Proposal \d+, Row C: .*1 pool/).waitFor()

      await open(`/devices?new=1&${at}`)
      await page.getByLabel('Name · required').fill('row-c-1')
      await page.getByRole('button', { name: 'Create device' }).click()
      await page.getByText(/^Proposal \d+, Row C: .*1 device/).waitFor()
      for (let n = 2; n <= 10; n++) {
        const device = { name: `row-c-${n}`, addresses: [{ ip: `10.99.0.${10 + n}` }] }
        expect(await write(page, `/api/devices?proposal=${number}`, device)).toBe(202)
      }
      await open(`/devices/${old}?edit=${old}&${at}`)
      await page.getByLabel('Operating system').fill('Plan 9')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/^Proposal \d+, Row C: .*10 devices/).waitFor()
      await page.getByText('Plan 9').first().waitFor()

      // The pages of the future have it, and the present does not.
      for (const [path, text] of [
        ['/devices?q=row-c', 'row-c-10'],
        ['/networks', 'row-c'],
        [`/networks/${network}`, '10.99.0.0/24'],
        [`/networks/${network}?tab=devices`, 'row-c-3'],
        ['/pools', 'row-c servers'],
      ] as const) {
        await openWhole(`${path}${path.includes('?') ? '&' : '?'}${at}`)
        await page.getByText(text).first().waitFor()
        expect([path, await axeFindings(page, 'layers')]).toEqual([path, []])
      }
      await openWhole(`/scans?${at}`)
      await page.getByText('This page shows no proposal').waitFor()
      expect(await api.networks.list({ name: 'row-c' })).toEqual([])
      expect(await api.devices.search({ q: 'row-c' })).toEqual([])

      await page.getByRole('link', { name: 'Review' }).click()
      await page.getByRole('heading', { level: 1, name: 'Row C' }).waitFor()
      await page.getByRole('button', { name: 'Open for review' }).click()
      await page.getByText('Opened for review').waitFor()
      await expectReadable(page)
      await page.getByRole('button', { name: 'Leave' }).waitFor({ state: 'detached' })
    },
    { as: 'operator' },
  )
  // A third one changes what the proposal changes.
  await api.devices.update({ id: old, os: 'Debian 99' })
  await it.visit(
    async ({ page, open }) => {
      await open('/proposals')
      await page.getByRole('link', { name: 'Row C' }).click()
      await page.getByText('it would do something else now').first().waitFor()
      await page.getByText('Debian 99').waitFor()
      await page.getByRole('button', { name: 'Comment on row-c-2' }).click()
      await page.getByRole('textbox', { name: 'Comment on row-c-2' }).fill('Why not in row B?')
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      await page.getByText('Why not in row B?').first().waitFor()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('admin approved it.').waitFor()
      await page.getByRole('button', { name: 'Merge' }).click()
      await page.getByText(`Merged ${number}, Row C`).waitFor()
      await page.getByText('It is one change with one undo.').waitFor()
      expect((await api.devices.search({ q: 'row-c' })).length).toBe(10)
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('Its change was undone by another change.').waitFor()
      expect(await api.devices.search({ q: 'row-c' })).toEqual([])
      expect((await api.devices.get({ id: old })).os).toBe('Debian 99')
    },
    { as: 'admin' },
  )
})

test('a user who may only propose has Propose in place of Save, Delete and Change', async () => {
  await requester()
  const { api } = it.plat
  const [device] = await api.devices.list({ limit: 1 })
  const { id = '', name = '', os = '' } = device ?? {}
  await it.visit(
    async ({ page, open }) => {
      await open(`/devices/${id}?edit=${id}`)
      await page.getByLabel('Operating system').fill('Inferno')
      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
      // The error of a field stands beside it.
      await page.getByLabel('Name · required').fill(' ')
      await page.getByRole('button', { name: 'Propose' }).click()
      await page.locator('[aria-invalid=true]').first().waitFor()
      await page.getByLabel('Name · required').fill(name)
      await page.getByRole('button', { name: 'Propose' }).click()
      await page.getByText(/^Proposed as \d+$/).waitFor()
      expect((await api.devices.get({ id })).os).toBe(os)
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('Inferno').first().waitFor()
      expect(await axeFindings(page)).toEqual([])

      await open(`/devices/${id}`)
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.keyboard.press('#')
      await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click()
      await page.getByText(/^Proposed as \d+$/).waitFor()
      expect((await api.devices.get({ id })).name).toBe(name)

      await open('/devices')
      const boxes = page.getByRole('grid', { name: 'Devices' }).getByRole('checkbox')
      await boxes.nth(1).click()
      await boxes.nth(2).click()
      await page.getByRole('button', { name: 'Delete 2' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Propose' }).click()
      await page.getByText(/^Proposed as \d+$/).waitFor()
      await open('/proposals?tab=mine')
      await page
        .getByText(/Deletes? 2 devices|2 devices/)
        .first()
        .waitFor()
    },
    { as: 'viewer', expected: ['400 /api/devices/'] },
  )
  const [last] = await api.proposals.list({ author: 'viewer' })
  expect(last?.counts).toMatchObject({ delete: { device: 2 } })
})

test('a user with the right has Propose instead in a menu', async () => {
  const { api } = it.plat
  const { id } = await api.racks.create({ name: 'Z9', height: 42 })
  await it.visit(
    async ({ page, open }) => {
      await open(`/racks/${id}?edit=${id}`)
      await page.getByLabel('Name · required').fill('Z10')
      await page.getByRole('button', { name: 'Other actions' }).click()
      await page.getByRole('menuitem', { name: 'Propose instead' }).click()
      await page.getByText(/^Proposed as \d+$/).waitFor()
    },
    { as: 'operator' },
  )
  expect((await api.racks.get({ id })).name).toBe('Z9')
})

test('an operation that is refused names its field, and can be replaced and removed', async () => {
  const { api } = it.plat
  const network = await api.networks.create({ name: 'lab', subnet: '10.98.0.0/24' })
  const range = { start_ip: '10.98.0.20', end_ip: '10.98.0.30' }
  const pool = await api.pools.create({ network_id: network.id, name: 'lab', ...range })
  let number = 0
  await it.visit(
    async ({ page, open }) => {
      await open('/vlans')
      await page.keyboard.press('p')
      await page.getByRole('dialog').getByLabel('Title · required').fill('VLAN of the lab')
      await page.keyboard.press('Enter')
      await page.getByText(/VLAN of the lab: changes nothing$/).waitFor()
      number = findNumber(page)
      const reservation = { ip_address: '10.98.0.20', hostname: 'lab' }
      expect(await write(page, `/api/pools/${pool.id}/reservations?proposal=${number}`, reservation)).toBe(202)
      expect(await write(page, `/api/racks?proposal=${number}`, { name: 'Lab', height: 42 })).toBe(202)
      // Another user takes the address.
      await api.reservations.create({ pool_id: pool.id, ip_address: '10.98.0.20' })
      await open(`/proposals/${number}`)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('One operation is refused now.').waitFor()
      await page.getByRole('button', { name: 'Edit operation 1' }).click()
      const dialog = page.getByRole('dialog', { name: /^New reservation / })
      const address = dialog.getByLabel('ip_address')
      await eventually(() => address.getAttribute('aria-invalid'), 'true')
      expect(await axeFindings(page, 'layers')).toEqual([])
      await address.fill('10.98.0.21')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText('One operation is refused now.').waitFor({ state: 'detached' })
      await page.getByText('10.98.0.21').first().waitFor()
      await page.getByRole('button', { name: 'Remove operation 2' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('heading', { name: '1 operation' }).waitFor()
      await page.getByRole('button', { name: 'Withdraw' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
      await page.getByText('Withdrawn').first().waitFor()
    },
    { as: 'operator' },
  )
})

test('a user who may only ask gets an address with a few clicks, and sees the Yes without asking', async () => {
  await requester()
  const { api } = it.plat
  const network = await api.networks.create({ name: 'office', subnet: '10.96.0.0/24' })
  await api.pools.create({ network_id: network.id, name: 'printers', start_ip: '10.96.0.20', end_ip: '10.96.0.30' })
  let number = ''
  await it.visit(
    async ({ page, open }) => {
      await open('/')
      await page.getByRole('link', { name: 'Proposals' }).click()
      await page.getByRole('link', { name: 'Request' }).click()
      await choose(page.getByLabel('Where · required'), 'printers')
      await page.getByLabel('Name').fill('printer-3')
      await page.getByText('You would get 10.96.0.20').waitFor()
      expect(await page.getByRole('button', { name: 'Take it now' }).count()).toBe(0)
      expect(await axeFindings(page)).toEqual([])
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Address for printer-3' }).waitFor()
      number = new URL(page.url()).pathname.split('/')[2] ?? ''
      expect(
        await api.reservations.list({ pool_id: (await api.pools.all({ name: 'printers' }))[0]?.id ?? '' }),
      ).toEqual([])
      // The last choice comes first the next time.
      await open('/request')
      await page.getByText('You would get 10.96.0.20').waitFor()
      await open('/devices')
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      await it.visit(
        async ({ page: other, open: openOther }) => {
          await openOther('/proposals')
          await other.getByRole('button', { name: `Yes to ${number}` }).click()
          await other.getByText(`Merged ${number}, Address for printer-3`).waitFor()
        },
        { as: 'operator', width: 390 },
      )
      // The page tells of it, and the mark goes once it is looked at.
      await page.getByText(`${number}, Address for printer-3`).waitFor()
      await page.getByText('operator merged it.').waitFor()
      await page.getByRole('link', { name: 'Proposals, 1 waiting' }).click()
      await page.getByText('merged', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Proposals', exact: true }).first().waitFor()
    },
    { as: 'viewer' },
  )
  const [pool] = await api.pools.all({ name: 'printers' })
  const [given] = await api.reservations.list({ pool_id: pool?.id ?? '' })
  expect(given).toMatchObject({ ip_address: '10.96.0.20', hostname: 'printer-3', created_by: 'viewer' })
})

test('a user who asks for a DNS name sees the name that it would be', async () => {
  await requester()
  const { api } = it.plat
  const zone = await api.dnsZones.create({ name: 'asked.example' })
  await it.visit(
    async ({ page, open }) => {
      await open('/request?tab=dns')
      await choose(page.getByLabel('Where · required'), 'asked.example')
      await page.getByLabel('Name').fill('www')
      await page.getByLabel('Value').fill('192.0.2.7')
      await page.getByText('You would get www.asked.example').waitFor()
      await page.getByRole('button', { name: 'Ask' }).click()
      await page.getByText('New dns record www').waitFor()
    },
    { as: 'viewer' },
  )
  expect(await api.dnsRecords.list({ zone_id: zone.id })).toEqual([])
})

test('a No has a reason, which the requester reads', async () => {
  await requester()
  let number = ''
  await it.visit(
    async ({ page, open }) => {
      await open('/request?tab=subnet')
      await choose(page.getByLabel('Where · required'), 'office')
      await page.getByLabel('Length').fill('28')
      await page.getByText(/^You would get 10\.96\.0\./).waitFor()
      await page.getByRole('button', { name: 'Ask' }).click()
      await page.getByRole('heading', { level: 1, name: 'Subnet' }).waitFor()
      number = new URL(page.url()).pathname.split('/')[2] ?? ''
    },
    // On a slow machine the first length is tried too, which is no part of the network.
    { as: 'viewer', expected: ['400 /api/networks/'] },
  )
  await it.visit(
    async ({ page, open }) => {
      await open('/proposals')
      await page.getByRole('button', { name: `No to ${number}` }).click()
      await page.getByLabel('Reason').fill('Use the lab')
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByText(`Rejected ${number}, Subnet`).waitFor()
    },
    { as: 'operator' },
  )
  await it.visit(
    async ({ page, open }) => {
      await open('/proposals?tab=mine')
      await page.getByRole('link', { name: 'Subnet' }).click()
      await page.getByText('Use the lab').waitFor()
      await page.getByText('operator rejected it.').waitFor()
    },
    { as: 'viewer' },
  )
})

test('a policy is made by its form, and protects', async () => {
  const { api } = it.plat
  const { id } = await api.racks.create({ name: 'Core 1', height: 42 })
  await it.visit(
    async ({ page, open }) => {
      await open('/policies?new=1')
      const form = page.getByRole('dialog', { name: 'New policy' })
      await form.getByLabel('Name · required').fill('Four eyes')
      await choose(form.getByLabel('Changes', { exact: true }), 'racks:update')
      await form.getByLabel('Approvals').fill('0')
      await form.getByRole('button', { name: 'Create policy' }).click()
      await eventually(() => form.getByLabel('Approvals').getAttribute('aria-invalid'), 'true')
      await form.getByLabel('Approvals').fill('1')
      await form.getByLabel('Protect').check()
      await form.getByRole('button', { name: 'Create policy' }).click()
      await page.getByText('Created Four eyes').waitFor()
      await page.getByText('racks:update').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await open(`/racks/${id}?edit=${id}`)
      await page.getByLabel('Name · required').fill('Core 2')
      await page.getByRole('button', { name: 'Save' }).click()
      await page
        .getByRole('dialog')
        .getByText(/approval/i)
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'Other actions' }).click()
      await page.getByRole('menuitem', { name: 'Propose instead' }).click()
      await page.getByRole('button', { name: 'Review' }).click()
      await page.getByText('Four eyes').first().waitFor()
      expect((await api.racks.get({ id })).name).toBe('Core 1')
    },
    { as: 'admin', expected: ['403 /api/racks/', '400 /api/policies'] },
  )
  const [policy] = await api.policies.list()
  expect(policy).toMatchObject({ permissions: ['racks:update'], approvals: 1, protect: true, scope_id: null })
  await api.policies.delete({ id: policy?.id ?? '' })
})

test.each([
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
] as const)('the pages of proposals are readable, %s, %i wide', async (theme, width) => {
  const [proposal] = await it.plat.api.proposals.list()
  const number = proposal?.number ?? 0
  await it.visit(
    async ({ page, openWhole }) => {
      for (const path of ['/proposals', '/proposals?tab=closed', `/proposals/${number}`, '/request', '/policies']) {
        await openWhole(path)
        expect([path, await axeFindings(page)]).toEqual([path, []])
        expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([path, true])
      }
    },
    { as: 'admin', theme, width },
  )
})
