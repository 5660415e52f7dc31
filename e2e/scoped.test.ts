/** The pages of a user with a role in one scope show its part of the estate, and no problem on the way. */
import { expect, test } from 'bun:test'
import { PEOPLE } from './access-seed.ts'
import { axeFindings, choose, world } from './harness.ts'

const it = world({ devices: 60, env: PEOPLE })

/**
 * Limits the viewer and the operator to one datacenter, where the operator may do all. Returns the names of this datacenter and of
 * another one.
 */
const limit = async (): Promise<readonly [string, string]> => {
  const { api } = it.plat
  const [own, other] = await api.datacenters.list({ limit: 2 })
  const [viewer] = await api.users.list({ username: 'viewer' })
  const [operator] = await api.users.list({ username: 'operator' })
  if (!own || !other || !viewer || !operator) throw new Error('the estate has two datacenters and these users')
  const scope = await api.scopes.create({ name: 'One site', datacenter_ids: [own.id] })
  await api.grants.create({ role_id: 'viewer', user_id: viewer.id, scope_id: scope.id })
  await api.users.revokeRole({ user_id: viewer.id, role_id: 'viewer' })
  await api.grants.create({ role_id: 'admin', user_id: operator.id, scope_id: scope.id })
  await api.users.revokeRole({ user_id: operator.id, role_id: 'operator' })
  return [own.name, other.name]
}
let limited: ReturnType<typeof limit> | undefined

const HEADINGS = { '/': 'Overview', '/devices': 'Devices', '/networks': 'Networks', '/datacenters': 'Datacenters' }

test.each(Object.entries(HEADINGS))('%s', async (path, heading) => {
  limited ??= limit()
  const [own, other] = await limited
  await it.visit(
    async ({ page, openWhole }) => {
      await openWhole(path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      // The overview names no datacenter of an estate without pools that fill up.
      if (path !== '/') await page.getByText(own).first().waitFor()
      expect(await page.getByText(other).count()).toBe(0)
      // Nothing that the viewer cannot open.
      const items = await page.getByRole('navigation', { name: 'Main' }).getByRole('listitem').allInnerTexts()
      const names = items.map((item) => item.replace(/\s.*/s, ''))
      expect(names).toContain('Networks')
      expect(names.filter((name) => /^(Users|Roles|Groups|Audit|Import|Feeds|DNS)$/.test(name))).toEqual([])
      expect(await axeFindings(page, 'layers')).toEqual([])
    },
    { as: 'viewer' },
  )
})

test('an operator of the scope makes, changes and deletes a device there, and cannot move it out', async () => {
  limited ??= limit()
  const [own, other] = await limited
  await it.visit(
    async ({ page, open }) => {
      await open('/devices?new=1')
      const datacenter = page.getByLabel('Datacenter', { exact: true })
      await page.getByLabel('Name · required').fill('in-the-scope')
      await page.getByRole('button', { name: 'Create device' }).click()
      await page.getByText('must place the device in your part of the estate').first().waitFor()
      expect(await datacenter.getAttribute('aria-invalid')).toBe('true')
      expect(await axeFindings(page, 'layers')).toEqual([])
      await datacenter.fill(other)
      await page.getByText('Nothing matches.').waitFor()
      await choose(datacenter, own)
      await page.getByRole('button', { name: 'Create device' }).click()
      await page.getByText('Created in-the-scope').waitFor()

      const [{ id = '' } = {}] = await it.plat.api.devices.search({ q: 'in-the-scope' })
      await open(`/devices/${id}?edit=${id}`)
      await page.getByLabel('Operating system').fill('Plan 9')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved in-the-scope').waitFor()
      await open(`/devices/${id}?edit=${id}`)
      await choose(datacenter, 'None')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('must place the device in your part of the estate').first().waitFor()
      expect(await datacenter.getAttribute('aria-invalid')).toBe('true')
      expect(await it.plat.api.devices.get({ id })).toMatchObject({ os: 'Plan 9', datacenter_id: expect.any(String) })

      await open(`/devices/${id}`)
      await page.getByRole('heading', { name: 'in-the-scope' }).waitFor()
      await page.keyboard.press('#')
      await page.getByRole('button', { name: 'Delete device' }).click()
      await page.getByText('Deleted in-the-scope').waitFor()
      expect(await it.plat.api.devices.search({ q: 'in-the-scope' })).toEqual([])
    },
    { as: 'operator', expected: ['403 /api/devices'] },
  )
})

/** Creates in two datacenters a network that a scan has seen, devices that share an address, and a pool that is nearly full. */
const observe = async (names: readonly [string, string]) => {
  const { api } = it.plat
  const made: string[] = []
  for (const [i, name] of names.entries()) {
    const word = ['ours', 'theirs'][i]
    const [site] = (await api.datacenters.list({})).filter((one) => one.name === name)
    const datacenter_id = site?.id ?? null
    const subnet = `10.24${i}.7.0/24`
    const { id } = await api.networks.create({ name: `${word} net`, subnet, datacenter_id })
    const ip = (last: number) => `10.24${i}.7.${last}`
    await api.pools.create({ network_id: id, name: `${word} pool`, start_ip: ip(5), end_ip: ip(6) })
    for (const [n, addresses] of [[5], [6], [6]].entries())
      await api.devices.create({
        name: `${word} server ${n}`,
        datacenter_id,
        addresses: addresses.map((last) => ({ ip: ip(last) })),
      })
    await api.scans.record({
      id,
      hosts: [{ ip: ip(77), hostname: `${word}-unknown`, mac_address: `00:00:0c:24:00:0${i}` }],
    })
    made.push(id)
  }
  return made
}
let observed: ReturnType<typeof observe> | undefined

test('the overview, the inbox, conflicts, scans and lookup have the part, and the live feed goes on', async () => {
  limited ??= limit()
  observed ??= observe(await limited)
  const [network = '', hidden = ''] = await observed
  await it.visit(
    async ({ page, openWhole }) => {
      for (const [path, text] of [
        ['/', 'ours pool'],
        ['/inbox', 'ours-unknown'],
        ['/conflicts', '10.240.7.6'],
        ['/scans', 'ours net'],
        ['/discovered-devices', 'ours-unknown'],
        [`/networks/${network}`, 'ours net'],
      ] as const) {
        await openWhole(path)
        await page.getByText(text).first().waitFor()
        expect([path, await page.getByText(/theirs|10\.241\.7/).count()]).toEqual([path, 0])
        expect([path, await axeFindings(page, 'layers')]).toEqual([path, []])
      }
      await page.keyboard.press('Control+k')
      const asked = page.getByRole('combobox', { name: 'Search or jump to' })
      await asked.fill('10.240.7.5')
      await page.getByText('10.240.7.5 belongs to ours server 0').waitFor()
      await asked.fill('10.241.7.5')
      await page.getByText('10.241.7.5 is in no network').waitFor()
      await page.keyboard.press('Escape')
      await openWhole('/devices')
      await it.plat.api.devices.create({ name: 'theirs heard', addresses: [{ ip: '10.241.7.9' }] })
      const { datacenter_id } = await it.plat.api.networks.get({ id: network })
      await it.plat.api.devices.create({ name: 'aaa ours heard', datacenter_id })
      await page.getByText('aaa ours heard').first().waitFor()
      expect(await page.getByText('theirs heard').count()).toBe(0)
    },
    { as: 'viewer' },
  )
  expect(hidden).not.toBe('')
})
