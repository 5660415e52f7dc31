/** Presence on the pages: the strip of a device and of a discovered device, the filter by age, and who joined. */
import { beforeAll, expect, test } from 'bun:test'
import { world } from './harness.ts'

const it = world({ devices: 40 })

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START_MS = 60_000
const before = (ms: number): string => new Date(Date.now() - ms).toISOString()

const made = { device: '', discovered: '' }

beforeAll(async () => {
  const { api } = it.plat
  const { id: network } = await api.networks.create({ name: 'Guests', subnet: '198.18.7.0/24' })
  const { id } = await api.devices.create({ name: 'printer', addresses: [{ ip: '198.18.7.5' }] })
  const phones = Array.from({ length: 21 }, (_, i) => ({ ip: `198.18.7.${20 + i}`, hostname: `phone-${i}.example` }))
  const hosts = [{ ip: '198.18.7.5', mac_address: '00:1b:21:00:00:05' }, ...phones]
  await api.scans.record({ id: network, hosts })
  const [printer] = await api.discovery.list({ network_id: network, device_id: id })
  Object.assign(made, { device: id, discovered: printer?.id ?? '' })
  // It is there for weeks, but for six hours.
  await it.plat.write(async ({ db }) => {
    const [row] = await db.selectFrom('presence').selectAll().where('ip', '=', '198.18.7.5').execute()
    if (!row) throw new Error('the scan has opened an interval')
    await db
      .updateTable('presence')
      .set({ began_at: before(2 * DAY_MS) })
      .where('id', '=', row.id)
      .execute()
    const ended_at = before(2 * DAY_MS + 6 * HOUR_MS)
    await db
      .insertInto('presence')
      .values({ ...row, id: Bun.randomUUIDv7(), began_at: before(40 * DAY_MS), seen_at: ended_at, ended_at })
      .execute()
  })
}, START_MS)

const WORDS = /^up 99\.2 % of 30 days, last gone (\w+day|today) \d\d:\d\d for 6 h$/

test('the page of a device shows when it was there, as a strip and in words', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/devices/${made.device}`)
      const strip = page.getByRole('img', { name: WORDS })
      await strip.waitFor()
      expect(await strip.locator('rect').count()).toBe(90)
      await page.getByText(WORDS).waitFor()
    },
    { as: 'viewer' },
  ))

test('the evidence of a discovered device shows the same', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/discovered-devices?entry=${made.discovered}`)
      await page.getByRole('dialog').getByText(WORDS).waitFor()
    },
    { as: 'viewer' },
  ))

test('discovered devices are filtered by when they were last seen', () =>
  it.visit(
    async ({ page, open }) => {
      await open(`/discovered-devices?q=${encodeURIComponent('seen:<24h')}`)
      expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('23')
      await open(`/discovered-devices?q=${encodeURIComponent('seen:>24h')}`)
      await page.getByText('Nothing matches “seen:>24h”').waitFor()
    },
    { as: 'viewer' },
  ))

test('the overview lists the last 20 of those who joined', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/')
      const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Who joined' }) })
      await card.getByText('These are the last 20.').waitFor()
      expect(await card.getByRole('listitem').count()).toBe(20)
      await card
        .getByRole('link', { name: /^phone-/ })
        .first()
        .click()
      await page.getByRole('dialog').getByText('Reverse DNS').waitFor()
    },
    { as: 'viewer' },
  ))
