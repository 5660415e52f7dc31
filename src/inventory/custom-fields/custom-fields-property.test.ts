// Random definitions, values, filters and orders of devices, against a plain evaluation of the sent values.

import { describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { compareNames } from '../../net/name-order.ts'

/** Mulberry32: the same numbers for the same seed. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

type Value = string | number | boolean | readonly string[]
type Field = { id: string; name: string; readonly type: string; readonly multiple: boolean }
type Known = { readonly id: string; readonly name: string; custom: Record<string, Value> }

const LONG = 'Lang'.repeat(60)
const TEXTS = ['alpha', 'Beta', 'ÄRGER', 'ärger', 'b c', `${LONG}1`, `${LONG}2`, LONG.slice(0, 200), '*x', '0', '-1']
const CHOICES = ['red', 'Green', 'blue']
const NUMBERS = [-1e9, -1.5, -1, 0, 0.25, 1, 2, 10, 1e300, 2 ** 53 - 1]
/** In the order of addresses. */
const IPS = ['9.0.0.1', '10.0.0.2', '10.0.0.10', '::', '2001:db8::5', '2001:db8::10', 'fe80::1']
/** Other notations of the same addresses. */
const NOTATIONS: Readonly<Record<string, string>> = {
  ...{ '::': '0:0:0:0:0:0:0:0', '2001:db8::5': '2001:0DB8::0005', 'fe80::1': 'FE80:0::1' },
}
const DATES = ['0001-01-01', '1999-12-31', '2024-02-29', '2026-11-26', '9999-12-31']

const TYPES = ['text', 'integer', 'number', 'boolean', 'date', 'choice', 'url', 'ip', 'reference'] as const

describe.each(engines())('custom fields on %s', (dialect) => {
  const inv = inventory(dialect)

  test('filter and sort as a plain evaluation does', async () => {
    const random = randomOf(dialect === 'sqlite' ? 7 : 8)
    const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T
    const fields: Field[] = []
    const devices: Known[] = []
    const targets = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => (await inv.api.datacenters.create({ name })).id),
    )
    const define = async (type: (typeof TYPES)[number], multiple: boolean) => {
      const name = `f${fields.length}_${type}`
      const more = {
        ...(type === 'choice' && { choices: CHOICES }),
        ...(type === 'reference' && { reference_to: 'datacenters' as const }),
      }
      const made = await inv.api.customFields.create({ resource: 'devices', name, type, multiple, ...more })
      fields.push({ id: made.id, name, type, multiple })
    }
    for (const type of TYPES) await define(type, false)
    await define('choice', true)
    await define('ip', true)
    await define('reference', true)

    const single = ({ type }: Field): string | number | boolean => {
      if (type === 'integer') return pick(NUMBERS.filter(Number.isSafeInteger))
      if (type === 'number') return pick(NUMBERS)
      if (type === 'boolean') return random(2) === 0
      if (type === 'date') return pick(DATES)
      if (type === 'choice') return pick(CHOICES)
      if (type === 'ip') return pick(IPS)
      if (type === 'url') return `https://${pick(['a', 'B'])}.example/${pick(TEXTS)}`.replaceAll(' ', '-')
      return type === 'reference' ? pick(targets) : pick(TEXTS)
    }
    const randomValue = (field: Field): Value =>
      field.multiple ? [...new Set([String(single(field)), String(single(field))])] : single(field)
    const spell = (ip: string): string => (random(2) === 0 ? (NOTATIONS[ip] ?? ip) : ip)
    const custom = () =>
      Object.fromEntries(fields.filter(() => random(3) > 0).map((field) => [field.name, randomValue(field)]))

    const lower = (value: Value): string => String(value).toLowerCase()
    const holds = (value: Value | undefined, key: string, wanted: Value | undefined): boolean => {
      if (key === 'none') return value === undefined
      if (value === undefined) return false
      if (key === 'any') return true
      if (key === 'is') return [value].flat().some((one) => lower(one) === lower(wanted ?? ''))
      return key === 'min' ? value >= (wanted ?? '') : value <= (wanted ?? '')
    }
    const filter = () => {
      const field = pick(fields)
      const kinds = ['integer', 'number', 'date'].includes(field.type) ? ['min', 'max'] : []
      const key = pick(['is', 'is', 'any', 'none', ...kinds])
      const wanted = key === 'any' || key === 'none' ? undefined : single(field)
      const text =
        key === 'any' ? '*' : key === 'none' ? '' : random(2) === 0 ? String(wanted) : String(wanted).toUpperCase()
      const exact = field.type === 'reference' || field.type === 'date' ? String(wanted ?? text) : text
      const spelled = key === 'any' || key === 'none' ? text : field.type === 'ip' ? spell(exact) : exact
      const name = key === 'min' || key === 'max' ? `${field.name}.${key}` : field.name
      return { name, text: spelled, test: (one: Known) => holds(one.custom[field.name], key, wanted) }
    }
    /** The keys of values: texts in lower case, cut to 200 characters. */
    const comparable = (value: Value, type: string): string | number =>
      type === 'ip'
        ? IPS.indexOf(String(value))
        : typeof value === 'number'
          ? value
          : String(value).toLowerCase().slice(0, 200)
    const byName = (a: Known, b: Known) => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1)
    const sorted = (all: readonly Known[], name: string, isReverse: boolean) =>
      [...all].sort((a, b) => {
        const [one, other] = [a.custom[name], b.custom[name]]
        if (one === undefined || other === undefined)
          return Number(one === undefined) - Number(other === undefined) || byName(a, b)
        const type = name.slice(name.indexOf('_') + 1)
        const [left, right] = [comparable(one, type), comparable(other, type)]
        if (left === right) return byName(a, b)
        return left < right === isReverse ? 1 : -1
      })
    const check = async () => {
      const filters = Array.from({ length: 1 + random(3) }, filter)
      const names = new Map(filters.map((one) => [one.name, one]))
      const field = pick(fields.filter(({ multiple }) => !multiple))
      const isReverse = random(2) === 0
      const query = new URLSearchParams(
        [...names.values()].map(({ name, text }): [string, string] => [`custom.${name}`, text]),
      )
      const isSorted = random(2) === 0
      if (isSorted) query.set('sort', `${isReverse ? '-' : ''}custom.${field.name}`)
      const matching = devices.filter((one) => [...names.values()].every((demand) => demand.test(one)))
      const wanted = (isSorted ? sorted(matching, field.name, isReverse) : [...matching].sort(byName)).map(
        ({ id }) => id,
      )
      for (const [limit, offset] of [
        [undefined, 0],
        [3, 0],
        [4, 2],
      ] as const) {
        if (limit !== undefined) query.set('limit', String(limit))
        query.set('offset', String(offset))
        const { body, total, status } = await inv.ask(`GET /api/devices?${query}`)
        const ids = status === 200 ? (body as { id: string }[]).map(({ id }) => id) : body
        const end = limit === undefined ? undefined : offset + limit
        expect({ query: String(query), ids, total }).toEqual({
          ...{ query: String(query), ids: wanted.slice(offset, end), total: String(wanted.length) },
        })
      }
    }

    for (let step = 0; step < 120; step++) {
      const known = devices.length > 0 ? pick(devices) : undefined
      const what = random(10)
      if (what < 5 || !known) {
        const name = `d${random(1000)}`
        const values = custom()
        const { id } = await inv.api.devices.create({ name, custom: values as never })
        devices.push({ id, name, custom: values })
      } else if (what < 8) {
        const values: Record<string, Value | null> = custom()
        for (const field of fields) if (random(6) === 0) values[field.name] = null
        await inv.api.devices.update({ id: known.id, custom: values as never })
        const merged = Object.entries({ ...known.custom, ...values }).filter(([, value]) => value !== null)
        known.custom = Object.fromEntries(merged) as Known['custom']
      } else if (what === 8) {
        await inv.api.devices.delete({ id: known.id })
        devices.splice(devices.indexOf(known), 1)
      } else {
        const field = pick(fields)
        const old = field.name
        field.name = `r${step}_${field.type}`
        await inv.api.customFields.update({ id: field.id, name: field.name })
        for (const one of devices) {
          const { [old]: value, ...others } = one.custom
          one.custom = value === undefined ? others : { ...others, [field.name]: value }
        }
      }
      if (step % 4 === 3) await check()
    }
    for (let i = 0; i < 60; i++) await check()
    const last = await inv.admin.request('POST', '/api/vlans', { vlan_id: 1, name: 'a moment' })
    const moment = last.headers.get('x-change-id')
    const before = structuredClone(devices)
    inv.advance(1000)
    for (const one of devices.slice(0, 5)) await inv.api.devices.update({ id: one.id, custom: null })
    const field = fields.find(({ type }) => type === 'integer') as Field
    const then = await inv.ask(`GET /api/devices?custom.${field.name}.min=0&sort=-custom.${field.name}&as_of=${moment}`)
    const wanted = sorted(before, field.name, true).filter(({ custom: values }) => Number(values[field.name]) >= 0)
    expect((then.body as { id: string }[]).map(({ id }) => id)).toEqual(wanted.map(({ id }) => id))
    const stored = await inv.app.db.read.selectFrom('custom_values').selectAll().execute()
    const left = devices.slice(5).flatMap(({ custom: values }) => Object.values(values))
    const keys = left.flatMap((value) => [...new Set([value].flat().map((one) => lower(one as Value)))])
    expect(stored.length).toBe(keys.length)
  })
})

describe.each(engines())('many values on %s', (dialect) => {
  const inv = inventory(dialect)
  // More than are sorted: the list is walked through.
  const DEVICES = 2500

  test('are filtered by bounds and by having any', async () => {
    await inv.api.customFields.create({ resource: 'devices', name: 'watts', type: 'number' })
    await inv.api.customFields.create({ resource: 'devices', name: 'bought', type: 'date' })
    const wattsOf = (i: number) => (i % 5) * 0.1 - 0.2
    const boughtOf = (i: number) => `20${20 + (i % 7)}-01-01`
    const made = Array.from({ length: DEVICES }, (_, i) => ({
      ...{ id: `d${i}`, name: `d${String(i).padStart(5, '0')}` },
      custom: { watts: wattsOf(i), bought: boughtOf(i) },
    }))
    for (let from = 0; from < DEVICES; from += 1000) {
      const operations = made.slice(from, from + 1000).map((device) => ({ op: 'create', device }))
      expect((await inv.ask('POST /api/devices/bulk', { operations })).status).toBe(200)
    }
    await inv.api.devices.create({ name: 'a', id: 'without' })
    const found = async (query: string) => {
      const { body, total } = await inv.ask(`GET /api/devices?${query}&limit=400`)
      return { ids: (body as { id: string }[]).map(({ id }) => id), total }
    }
    const wanted = (meets: (i: number) => boolean) => {
      const ids = made.flatMap(({ id }, i) => (meets(i) ? [id] : []))
      return { ids: ids.slice(0, 400), total: String(ids.length) }
    }
    const [low, high] = [wattsOf(1), wattsOf(3)]
    expect(await found(`custom.watts.min=${low}`)).toEqual(wanted((i) => wattsOf(i) >= low))
    expect(await found(`custom.watts.min=${low}&custom.watts.max=${high}`)).toEqual(
      wanted((i) => wattsOf(i) >= low && wattsOf(i) <= high),
    )
    expect(await found('custom.bought.max=2024-01-01')).toEqual(wanted((i) => boughtOf(i) <= '2024-01-01'))
    expect(await found('custom.watts=*')).toEqual(wanted(() => true))
    expect(await found('custom.watts=')).toEqual({ ids: ['without'], total: '1' })
  })
})
