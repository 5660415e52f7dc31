/** Each write of the pages by a user who may only propose: it stands in a new proposal, and changes nothing. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { choose, world } from './harness.ts'

const it = world({ devices: 5 })

type Name =
  | 'network'
  | 'pool'
  | 'device'
  | 'other'
  | 'loose'
  | 'rack'
  | 'type'
  | 'kind'
  | 'object'
  | 'spare'
  | 'field'
  | 'viewer'
  | 'first'
  | 'second'
  | 'change'
const ids = new Map<Name, string>()
const idOf = (name: Name): string => ids.get(name) ?? ''

beforeAll(async () => {
  const { api } = it.plat
  const role = await api.roles.create({ name: 'requester', permissions: ['proposals:create'] })
  const [viewer] = await api.users.list({ username: 'viewer' })
  await api.grants.create({ role_id: role.id, user_id: viewer?.id ?? '' })
  const network = await api.networks.create({ name: 'forms', subnet: '1.77.0.0/24' })
  const range = { start_ip: '1.77.0.100', end_ip: '1.77.0.109' }
  const pool = await api.pools.create({ network_id: network.id, name: 'forms pool', ...range })
  for (const n of [1, 2])
    await api.reservations.create({ pool_id: pool.id, ip_address: `1.77.0.10${n}`, hostname: `stale-${n}` })
  await api.networks.create({ name: 'inner', subnet: '1.77.0.192/29' })
  const first = await api.networks.create({ name: 'half one', subnet: '1.78.0.0/25' })
  const second = await api.networks.create({ name: 'half two', subnet: '1.78.0.128/25' })
  const rack = await api.racks.create({ name: 'F1', height: 10 })
  const type = await api.deviceTypes.create({ manufacturer: 'Acme', model: 'Forms' })
  const mount = { rack_id: rack.id, position: 10 }
  const device = await api.devices.create({ name: 'forms-1', addresses: [{ ip: '1.77.0.10' }], mount })
  const other = await api.devices.create({ name: 'forms-2', device_type_id: type.id })
  await api.deviceTypes.update({ id: type.id, ports: [{ name: 'mgmt' }] })
  const loose = await api.devices.create({ name: 'forms-loose' })
  await api.relationships.create({ device_id: device.id, child_id: other.id, type: 'depends_on' })
  // A scan that has not seen the devices.
  await api.scans.record({ id: network.id, hosts: [{ ip: '1.77.0.20' }] })
  const kind = await api.kinds.create({ name: 'Circuits' })
  const field = await api.customFields.create({ resource: kind.id, name: 'speed', label: 'Speed', type: 'text' })
  await api.customFields.create({ resource: kind.id, name: 'owner', label: 'Owner', type: 'text', position: 1 })
  const spare = await api.kinds.create({ name: 'Spare' })
  const object = await api.objects.create({ kind_id: kind.id, name: 'C-1' })
  const made = { network, pool, device, other, loose, rack, type, kind, spare, object, field, first, second }
  for (const [name, { id }] of Object.entries(made)) ids.set(name as Name, id)
  ids.set('viewer', viewer?.id ?? '')
  const [change] = await api.history.list({ object_id: object.id, limit: 1 })
  ids.set('change', change?.id ?? '')
})

/** A user who may make the write too has *Propose instead*. */
const propose = (page: Page) =>
  page
    .getByRole('dialog')
    .getByRole('button', { name: /^Propose( instead)?$/ })
    .click()
const front = (page: Page) => page.getByRole('grid', { name: 'Front of F1' })

/** Drags a device of the rack from its uppermost unit to the fourth. */
const drag = async (page: Page): Promise<void> => {
  const box = await front(page).boundingBox()
  const { x, y, height } = box ?? { x: 0, y: 0, height: 0 }
  await page.mouse.move(x + 120, y + height / 20)
  await page.mouse.down()
  await page.mouse.move(x + 120, y + (height * 3) / 10, { steps: 4 })
  await page.mouse.move(x + 120, y + (height * 7) / 20)
  await page.mouse.up()
}

type Row = readonly [
  title: string,
  path: () => string,
  work: (page: Page) => Promise<unknown>,
  operations: readonly string[],
]

const ROWS: readonly Row[] = [
  [
    'the next free address for a device',
    () => `/networks/${idOf('network')}`,
    async (page) => {
      await page.getByRole('button', { name: 'Next free address' }).click()
      await choose(page.getByRole('dialog').getByLabel('Device', { exact: true }), 'forms-2')
      await propose(page)
    },
    ['networks.allocate-ip'],
  ],
  [
    'the next free address for a new device',
    () => `/networks/${idOf('network')}`,
    async (page) => {
      await page.getByRole('button', { name: 'Next free address' }).click()
      await page.getByRole('radio', { name: 'New device' }).check()
      await page.getByRole('dialog').getByLabel('Name').fill('forms-new')
      await propose(page)
    },
    ['devices.create'],
  ],
  [
    'a reservation in a network, with its pool',
    () => `/networks/${idOf('network')}`,
    async (page) => {
      await page.getByRole('button', { name: 'Next free address' }).click()
      await page.getByRole('radio', { name: 'Reservation' }).check()
      await page.getByRole('dialog').getByLabel('Host name').fill('forms-reserved')
      await propose(page)
    },
    ['estate.apply'],
  ],
  [
    'a reservation of a pool',
    () => `/pools/${idOf('pool')}`,
    async (page) => {
      await page.getByRole('button', { name: 'Next free address' }).click()
      await page.getByRole('radio', { name: 'Reservation' }).check()
      await propose(page)
    },
    ['reservations.create'],
  ],
  [
    'an address that is removed in the form of its device',
    () => `/devices/${idOf('device')}?edit=${idOf('device')}`,
    async (page) => {
      await page.getByRole('button', { name: 'Remove address 1' }).click()
      await propose(page)
    },
    ['devices.update'],
  ],
  [
    'a subnet that is allocated',
    () => `/networks/${idOf('first')}`,
    async (page) => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Allocate a subnet…' }).click()
      await propose(page)
    },
    ['networks.allocate'],
  ],
  [
    'a subnet in a free block',
    () => `/networks/${idOf('network')}?tab=space`,
    async (page) => {
      await page.getByRole('list', { name: 'Networks and free blocks' }).getByRole('button').first().click()
      await propose(page)
    },
    ['networks.create'],
  ],
  [
    'a split',
    () => `/networks/${idOf('first')}?new=split`,
    async (page) => {
      await page.getByText('Creates 2 networks').waitFor()
      await propose(page)
    },
    ['networks.split'],
  ],
  [
    'a merge',
    () => '/networks',
    async (page) => {
      for (const name of ['half one', 'half two']) await page.getByLabel(`Select ${name}`).click()
      await page.keyboard.press('m')
      await page.getByRole('dialog').getByText('1.78.0.0/24').waitFor()
      await propose(page)
    },
    ['networks.merge'],
  ],
  [
    'ports by a pattern',
    () => `/devices/${idOf('device')}?tab=ports`,
    async (page) => {
      await page.getByRole('button', { name: 'Add ports' }).click()
      await page.getByRole('dialog').getByLabel('Names').fill('Gi0/[1-4]')
      await propose(page)
    },
    ['ports.bulk'],
  ],
  [
    'the missing ports of a device type',
    () => `/device-types?edit=${idOf('type')}`,
    async (page) => {
      await page.getByRole('button', { name: 'Add missing ports to its devices' }).click()
      await page.getByText('1 port is added').waitFor()
      await propose(page)
    },
    ['device-types.apply'],
  ],
  [
    'copies of a device',
    () => `/devices/${idOf('device')}`,
    async (page) => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate…' }).click()
      await page.getByRole('dialog').getByLabel('Names').fill('forms-copy-[1-3]')
      await propose(page)
    },
    ['devices.bulk'],
  ],
  [
    'a relationship',
    () => `/devices/${idOf('device')}?tab=relationships`,
    async (page) => {
      await page.getByRole('button', { name: 'Relate to a device' }).click()
      await choose(page.getByRole('dialog').getByLabel('Other device'), 'forms-loose')
      await propose(page)
    },
    ['relationships.create'],
  ],
  [
    'a relationship that is removed',
    () => `/devices/${idOf('device')}?tab=relationships`,
    (page) => page.getByRole('button', { name: 'Remove the relationship with forms-2' }).click(),
    ['relationships.delete'],
  ],
  [
    'a kind',
    () => '/kinds?new=1',
    async (page) => {
      await page.getByRole('dialog').getByLabel('Name').first().fill('Contracts')
      await propose(page)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
    ['kinds.create'],
  ],
  [
    'a switch of a kind',
    () => `/kinds/${idOf('kind')}?tab=definition`,
    (page) => page.getByRole('switch', { name: 'In a datacenter' }).click(),
    ['kinds.update'],
  ],
  [
    'the deletion of a kind',
    () => `/kinds/${idOf('spare')}?tab=definition`,
    async (page) => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Delete kind' }).click()
      await propose(page)
    },
    ['kinds.delete'],
  ],
  [
    'a custom field',
    () => `/kinds/${idOf('kind')}?tab=definition&new=1`,
    async (page) => {
      await page.getByRole('dialog').getByLabel('Label · required').fill('vendor')
      await propose(page)
    },
    ['custom-fields.create'],
  ],
  [
    'a custom field of devices',
    () => '/custom-fields?new=1',
    async (page) => {
      await page.getByRole('dialog').getByLabel('Name · required').fill('cost')
      await propose(page)
    },
    ['custom-fields.create'],
  ],
  [
    'a custom field that is deleted',
    () => `/kinds/${idOf('kind')}?tab=definition`,
    async (page) => {
      await page.getByRole('button', { name: 'Delete Speed' }).click()
      await propose(page)
    },
    ['custom-fields.delete'],
  ],
  [
    'the order of custom fields, in one proposal',
    () => `/kinds/${idOf('kind')}?tab=definition`,
    async (page) => {
      await page.locator(`#field-${idOf('field')}`).focus()
      await page.keyboard.press('Alt+ArrowDown')
    },
    ['custom-fields.update', 'custom-fields.update'],
  ],
  [
    'an object of a kind',
    () => `/kinds/${idOf('kind')}?new=1`,
    async (page) => {
      await page.getByRole('dialog').getByLabel('Name · required').fill('C-2')
      await propose(page)
    },
    ['objects.create'],
  ],
  [
    'an object that is deleted',
    () => `/objects/${idOf('object')}`,
    async (page) => {
      await page.keyboard.press('#')
      await propose(page)
    },
    ['objects.delete'],
  ],
  ['a device that is dragged in its rack', () => `/racks/${idOf('rack')}`, drag, ['devices.update']],
  [
    'a device that is moved by keys in its rack',
    () => `/racks/${idOf('rack')}`,
    async (page) => {
      await front(page).focus()
      await page.keyboard.press('m')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
    },
    ['devices.update'],
  ],
  [
    'a device that is taken out of its rack',
    () => `/racks/${idOf('rack')}`,
    async (page) => {
      await front(page).focus()
      await page.getByRole('button', { name: 'Take out' }).click()
    },
    ['devices.update'],
  ],
  [
    'a device that is placed at a free unit',
    () => `/racks/${idOf('rack')}?place=front+3+1%2F1`,
    async (page) => {
      await choose(page.getByRole('dialog').getByLabel('Device', { exact: true }), 'forms-loose')
      await propose(page)
    },
    ['devices.update'],
  ],
  [
    'a new device at a free unit',
    () => `/racks/${idOf('rack')}?new=front+2+1%2F1`,
    async (page) => {
      await page.getByRole('dialog').getByLabel('Name · required').fill('forms-in-rack')
      await propose(page)
    },
    ['devices.create'],
  ],
  [
    'ghosts that are decommissioned',
    () => '/reports/ghosts?days=0',
    async (page) => {
      await page
        .getByRole('row', { name: /forms-1/ })
        .getByRole('checkbox')
        .click()
      await page.getByRole('button', { name: 'Decommission 1' }).click()
      await propose(page)
    },
    ['devices.bulk'],
  ],
  [
    'a shadow that is documented',
    () => '/reports/shadows',
    async (page) => {
      await page
        .getByRole('row', { name: /1\.77\.0\.20/ })
        .getByRole('checkbox')
        .click()
      await page.getByRole('button', { name: 'Document 1' }).click()
      await propose(page)
    },
    ['discovery.promote-many'],
  ],
  [
    'an item of the inbox',
    () => '/inbox',
    async (page) => {
      await page.getByRole('button', { name: 'Document: 1.77.0.20' }).click()
    },
    ['inbox.accept'],
  ],
  [
    'the undo of a change',
    () => `/history/${idOf('change')}`,
    async (page) => {
      await page.getByRole('button', { name: 'Undo' }).click()
      await propose(page)
    },
    ['history.undo'],
  ],
  [
    'stale reservations that are deleted, in one proposal',
    () => '/reports/stale-reservations?days=0',
    async (page) => {
      for (const name of [/stale-1/, /stale-2/]) await page.getByRole('row', { name }).getByRole('checkbox').click()
      await page.getByRole('button', { name: 'Delete 2' }).click()
      await propose(page)
    },
    ['reservations.delete', 'reservations.delete'],
  ],
]

test.each(ROWS)('%s is proposed by a user who may only propose', async (_, path, work, operations) => {
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole(path())
      await work(page)
      await page.getByText(/^Proposed as \d+$/).waitFor()
    },
    { as: 'viewer' },
  )
  const { api } = it.plat
  const [last] = await api.proposals.list({ author: 'viewer', limit: 1 })
  const proposal = await api.proposals.get({ id: last?.id ?? '' })
  expect(proposal.operations.map((one) => [one.operation, one.error])).toEqual(operations.map((name) => [name, null]))
  expect(await api.history.list({ user_id: idOf('viewer') })).toEqual([])
})

/** The dialogs in which a user who may make the write can choose to propose it. */
const CHOSEN = [
  'the next free address for a device',
  'the next free address for a new device',
  'a reservation in a network, with its pool',
  'a subnet that is allocated',
  'a subnet in a free block',
  'a split',
  'a merge',
  'ports by a pattern',
  'the missing ports of a device type',
  'copies of a device',
  'a relationship',
  'a kind',
  'a custom field that is deleted',
  'a device that is placed at a free unit',
  'ghosts that are decommissioned',
  'a shadow that is documented',
  'the undo of a change',
]

test.each(CHOSEN)('%s is proposed by a user who may make it too', async (title) => {
  const { api } = it.plat
  const row = ROWS.find(([one]) => one === title)
  if (!row) throw new Error(`no row ${title}`)
  const [, path, work, operations] = row
  const [before] = await api.history.list({ limit: 1 })
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole(path())
      await work(page)
      await page.getByText(/^Proposed as \d+$/).waitFor()
    },
    { as: 'admin' },
  )
  const [last] = await api.proposals.list({ author: 'admin', limit: 1 })
  const proposal = await api.proposals.get({ id: last?.id ?? '' })
  expect(proposal.operations.map((one) => [one.operation, one.error])).toEqual(operations.map((name) => [name, null]))
  expect((await api.history.list({ limit: 1 }))[0]?.id).toEqual(before?.id)
})

test('on the pages of a proposal, a write is added to it, and its message says so', async () => {
  let number = 0
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole('/networks')
      await page.keyboard.press('p')
      await page.getByRole('dialog').getByLabel('Title · required').fill('Row F')
      await page.keyboard.press('Enter')
      await page.getByText(/Row F: changes nothing$/).waitFor()
      number = Number(/proposal(?::|%3A)(\d+)/.exec(page.url())?.[1])
      const isAdded = async () => {
        await page.getByText(`Added to proposal ${number}`).waitFor()
        await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Close' }).click()
      }
      const at = `as_of=proposal:${number}`
      await openWhole(`/networks/${idOf('first')}?new=split&${at}`)
      await page.getByRole('dialog').getByRole('button', { name: 'Split' }).click()
      await isAdded()
      await openWhole(`/racks/${idOf('rack')}?${at}`)
      await drag(page)
      await isAdded()
      await page.getByRole('gridcell', { name: 'U7, front: forms-1' }).first().waitFor()
      await openWhole(`/kinds?new=1&${at}`)
      await page.getByRole('dialog').getByLabel('Name').first().fill('Contracts')
      await page.getByRole('button', { name: 'Create kind' }).click()
      await isAdded()
      await page.getByRole('heading', { level: 1, name: 'Contracts' }).waitFor()
      // Only its author sees a draft.
      await page.getByRole('link', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Open for review' }).click()
      await page.getByText('Opened for review').waitFor()
    },
    { as: 'viewer' },
  )
  const { api } = it.plat
  expect(await api.history.list({ user_id: idOf('viewer') })).toEqual([])
  const { operations } = await api.proposals.get({ id: String(number) })
  expect(operations.map(({ operation }) => operation)).toEqual(['networks.split', 'devices.update', 'kinds.create'])
})
