/** Commands that a page copies return its data: each text is run in a shell by curl and by plat. */
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { takeOneIn } from '../testing/cases.ts'
import { PEOPLE } from './access-seed.ts'
import { axeFindings, openMore, world } from './harness.ts'

const it = world({ devices: 300, env: PEOPLE })
const as = 'admin'
const REPOSITORY = join(import.meta.dirname, '..')
const FORMS = ['curl', 'plat'] as const
type Form = (typeof FORMS)[number]

let token = ''
beforeAll(async () => {
  token = (await it.plat.api.keys.create({ name: 'shell' })).key
})

/** Returns the output of the text as JSON. */
const run = async (form: Form, text: string): Promise<unknown> => {
  const command = form === 'plat' ? `${text} -o json` : `${text} -sS`
  const shell = Bun.spawn(['/bin/sh', '-c', command], {
    env: { PATH: `${REPOSITORY}:${process.env.PATH}`, PLAT_TOKEN: token, PLAT_URL: it.plat.url, HOME: '/nonexistent' },
    stderr: 'pipe',
  })
  const [out, error] = await Promise.all([new Response(shell.stdout).text(), new Response(shell.stderr).text()])
  if ((await shell.exited) !== 0) throw new Error(`${text}\n${out}${error}`)
  return out.trim() === '' ? undefined : JSON.parse(out)
}

const copied = async (page: Page, form: Form): Promise<string> => {
  await page.getByRole('menuitem', { name: `Copy as ${form}` }).click()
  await page.getByText(`Copied the ${form} command`).last().waitFor()
  return page.evaluate<string>('navigator.clipboard.readText()')
}

const copy = async (page: Page, form: Form, menu = 'Copy as a command'): Promise<string> => {
  await page.getByRole('button', { name: menu }).click()
  return copied(page, form)
}

const idsOf = (rows: unknown): string[] =>
  (Array.isArray(rows) ? rows : [rows]).map((row: { readonly id: string }) => row.id).sort()

/** Each list with the response of the API for the same filter. */
const LISTS = [
  ['/devices', () => it.plat.api.devices.list()],
  [
    '/devices?q=tag:production+status:active',
    () => it.plat.api.devices.list({ tags: ['production'], status: 'active' }),
  ],
  ['/devices?q=ip:10.0.0.0/16', () => it.plat.api.devices.search({ q: '10.0.0.0/16' })],
  ['/devices?q=fra1+r01', () => it.plat.api.devices.search({ q: 'fra1 r01' })],
  [
    '/devices?q=dc:"Ashburn 2"',
    async () => {
      const [found] = await it.plat.api.datacenters.list({ name: 'Ashburn 2' })
      return it.plat.api.devices.list({ datacenter_id: found?.id ?? '' })
    },
  ],
  ['/networks?q=row', () => it.plat.api.networks.list({ name: 'row' })],
  ['/pools?q=servers', () => it.plat.api.pools.all({ name: 'servers' })],
  ['/datacenters', () => it.plat.api.datacenters.list()],
  ['/reservations', () => it.plat.api.reservations.all()],
  ['/users', () => it.plat.api.users.list()],
  ['/roles', () => it.plat.api.roles.list()],
  ['/keys', () => it.plat.api.keys.list()],
] as const

test.each(takeOneIn(4, LISTS))('the list %s', (path, expected) =>
  it.visit(
    async ({ page, open }) => {
      await open(path)
      await page.getByRole(/^\/networks$/.test(path) ? 'treegrid' : 'grid').waitFor()
      const wanted = idsOf(await expected())
      expect(wanted.length).toBeGreaterThan(0)
      for (const form of FORMS) expect(idsOf(await run(form, await copy(page, form)))).toEqual(wanted)
    },
    { as },
  ),
)

test('the audit log with its filter', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/audit?action=create&resource=apikey')
      await page
        .getByText(/entr(y|ies)$/)
        .first()
        .waitFor()
      const wanted = idsOf(await it.plat.api.audit.list({ action: 'create', resource: 'apikey' }))
      for (const form of FORMS) expect(idsOf(await run(form, await copy(page, form)))).toEqual(wanted)
    },
    { as },
  ))

test('a filter that the API does not have is left out, with a note', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices?q=tag:production+-status:planned+os:debian')
      expect(await copy(page, 'plat')).toBe('plat device list --tags production')
      await page.getByText('Without -status:planned, os:debian').waitFor()
    },
    { as },
  ))

test('an object, from its menu and from the palette', () =>
  it.visit(
    async ({ page, open }) => {
      const [device] = await it.plat.api.devices.list({ limit: 1 })
      await open(`/devices/${device?.id}`)
      await page.getByRole('heading', { level: 1, name: device?.name ?? '' }).waitFor()
      for (const form of FORMS)
        expect(await run(form, await copy(page, form, 'More'))).toMatchObject({ id: device?.id })
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('copy as plat')
      await page.keyboard.press('Enter')
      await page.getByText('Copied the plat command').last().waitFor()
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(`plat device get ${device?.id}`)
    },
    { as },
  ))

test.each(takeOneIn(2, FORMS))('a new device, with words that mean something to a shell, by %s', (form) =>
  it.visit(
    async ({ page, open }) => {
      const name = `it's "$HOME" ${form}`
      await open('/devices?new=1')
      await page.getByLabel('Name · required').fill(name)
      await page.getByLabel('Address 1', { exact: true }).fill(form === 'curl' ? '10.250.0.1' : '10.250.0.2')
      await openMore(page)
      await page.getByLabel('Tags').fill('a b, c')
      await page.getByLabel('Description').fill('--two\nlines')
      expect(await axeFindings(page)).toEqual([])
      const made = await run(form, await copy(page, form))
      expect(made).toMatchObject({ name, tags: ['a b', 'c'], description: '--two\nlines', addresses: [{ label: '' }] })
    },
    { as },
  ),
)

test.each(takeOneIn(2, FORMS))('a change names what was changed, and what was cleared, by %s', (form) =>
  it.visit(
    async ({ page, open }) => {
      const draft = { name: 'edited', description: 'goes', subnet: form === 'curl' ? '10.251.0.0/24' : '10.252.0.0/24' }
      const network = await it.plat.api.networks.create({ ...draft, vlan_id: 7 })
      await open(`/networks/${network.id}?edit=${network.id}`)
      await page.getByLabel('Name · required').fill('renamed')
      await page.getByLabel('VLAN').fill('')
      await page.getByLabel('Description').fill('')
      const answer = await run(form, await copy(page, form))
      expect(answer).toMatchObject({
        id: network.id,
        name: 'renamed',
        description: '',
        vlan_id: null,
        subnet: draft.subnet,
      })
    },
    { as },
  ),
)

test.each(FORMS)('a secret is never copied, by %s', (form) =>
  it.visit(
    async ({ page, open }) => {
      await open('/users?new=1')
      await page.getByLabel('User name · required').fill('secretive')
      await page.getByLabel('Password · required').fill('never to be copied')
      const text = await copy(page, form)
      expect(text).toContain('secretive')
      expect(text).not.toContain('never')
      await page.getByText('Without the password').waitFor()
    },
    { as },
  ),
)

test('nothing changed, nothing to copy', () =>
  it.visit(
    async ({ page, open }) => {
      const [datacenter] = await it.plat.api.datacenters.list({ limit: 1 })
      await open(`/datacenters?edit=${datacenter?.id}`)
      await page.getByRole('dialog').getByRole('button', { name: 'Copy as a command' }).click()
      await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
      await page.getByText('Nothing is changed yet').waitFor()
    },
    { as },
  ))
