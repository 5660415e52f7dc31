// The merging of rows with stored objects, over random edits of people and answers of a source.
import { describe, expect, test } from 'bun:test'
import { countCases } from '../../../testing/cases.ts'
import { applyWrites, buildAddressKey, mergeFields, type SaidFields } from './merge-fields.ts'

type Fields = Record<string, unknown>

/** A small generator of numbers that repeats a case by its seed. */
const createRandom = (seed: number) => {
  let state = seed * 2654435761 + 1
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 374761393) >>> 0
    return (state >>> 8) % below
  }
}
type Random = ReturnType<typeof createRandom>

const TEXTS = ['', 'a', 'b', 'c']
const TAGS = ['one', 'two', 'three', 'four']
const IPS = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']
const pick = <T>(random: Random, values: readonly T[]): T => values[random(values.length)] as T
const some = <T>(random: Random, values: readonly T[]): T[] => values.filter(() => random(2) === 0)

/** A row of a source. A field that is not known is absent. */
const say = (random: Random): SaidFields => {
  const said: Fields = {}
  if (random(6) > 0) said.os = pick(random, TEXTS)
  if (random(6) > 0) said.status = pick(random, ['active', 'maintenance'])
  if (random(6) > 0) said.tags = some(random, TAGS)
  if (random(6) > 0)
    said.custom = { cpu: pick(random, ['', '2', '4']), ...(random(2) && { owner: pick(random, TEXTS) }) }
  if (random(6) > 0)
    said.addresses = some(random, IPS).map((ip) => ({
      value: { ip, label: pick(random, TEXTS), interface: pick(random, ['eth0', 'eth1']) },
      said: new Set(random(2) ? ['ip', 'interface'] : ['ip', 'interface', 'label']),
    }))
  return said
}

const edit = (random: Random, here: Fields): Fields => {
  const after = { ...here }
  const list = (value: unknown) => (Array.isArray(value) ? value : [])
  if (random(3) === 0) after.os = pick(random, [...TEXTS, 'mine'])
  if (random(3) === 0) after.tags = [...list(after.tags), 'mine'].filter((tag, at, all) => all.indexOf(tag) === at)
  if (random(4) === 0) after.tags = list(after.tags).filter((tag) => tag === 'mine' || random(2))
  if (random(4) === 0) after.addresses = list(after.addresses).filter(() => random(2))
  if (random(4) === 0)
    after.addresses = list(after.addresses).map((one, at) => (at === 0 ? { ...one, label: 'mine' } : one))
  if (random(4) === 0) after.custom = { ...(after.custom as Fields | undefined), owner: 'mine' }
  return after
}

/** The row that was applied last: a field that a row does not say stays from before. */
const mergeBase = (base: SaidFields | undefined, now: SaidFields): SaidFields => {
  const merged: Fields = { ...base, ...now }
  if (base?.custom && now.custom) merged.custom = { ...(base.custom as Fields), ...(now.custom as Fields) }
  return merged
}

/** Returns the sorted texts of addresses. */
const listIps = (addresses: unknown): string[] => ((addresses ?? []) as Fields[]).map(({ ip }) => String(ip)).sort()

const NONE: ReadonlySet<string> = new Set()
const CASES = countCases(30_000)

describe('random edits and answers', () => {
  test('a second merge never writes, no tag of a person is lost, and no edited value is overwritten', () => {
    for (let seed = 1; seed <= CASES; seed++) {
      const random = createRandom(seed)
      let base: SaidFields | undefined
      let here: Fields = { os: pick(random, TEXTS), status: 'active', tags: some(random, TAGS), addresses: [] }
      for (let round = 0; round < 4; round++) {
        const before = here
        here = edit(random, here)
        const edited = here
        const now = say(random)
        const { writes } = mergeFields({ base, now, here, locked: NONE, overwrite: false })
        const after = applyWrites(here, { writes })
        const where = `seed ${seed}, round ${round}`
        const isEdited = (field: string) => !Bun.deepEquals(before[field], edited[field])
        if (round > 0 && isEdited('os') && base && 'os' in base && edited.os !== base.os)
          expect(after.os, where).toBe(edited.os)
        if ((edited.tags as string[]).includes('mine')) expect(after.tags, where).toContain('mine')
        if ((edited.custom as Fields | undefined)?.owner === 'mine')
          expect((after.custom as Fields).owner, where).toBe('mine')
        const held = new Map((after.addresses as Fields[]).map((one) => [buildAddressKey(one), one]))
        const isSaid = (key: string) => now.addresses?.some(({ value }) => buildAddressKey(value) === key) === true
        for (const address of edited.addresses as Fields[])
          if (address.label === 'mine' && isSaid(buildAddressKey(address)))
            expect(held.get(buildAddressKey(address))?.label, where).toBe('mine')
        const next = mergeBase(base, now)
        expect(mergeFields({ base: next, now, here: after, locked: NONE, overwrite: false }).writes, where).toEqual({})
        base = next
        here = after
      }
    }
  })

  test('an object without edits is as the source says', () => {
    for (let seed = 1; seed <= CASES / 2; seed++) {
      const random = createRandom(seed)
      let base: SaidFields | undefined
      let here: Fields = {}
      for (let round = 0; round < 4; round++) {
        const now = say(random)
        const { writes, kept } = mergeFields({ base, now, here, locked: NONE, overwrite: false })
        here = applyWrites(here, { writes })
        const where = `seed ${seed}, round ${round}`
        // An address field that was not said before is unknown, and stays as it is.
        expect(
          Object.keys(kept).filter((field) => field !== 'addresses'),
          where,
        ).toEqual([])
        if ('os' in now) expect<unknown>(here.os ?? '', where).toBe(now.os)
        if (now.tags) expect(new Set(here.tags as string[]), where).toEqual(new Set(now.tags as string[]))
        if (now.addresses)
          expect(listIps(here.addresses), where).toEqual(listIps(now.addresses.map(({ value }) => value)))
        base = mergeBase(base, now)
      }
    }
  })
})

describe('one field', () => {
  const merge = (base: SaidFields | undefined, now: SaidFields, here: Fields, more = {}) =>
    mergeFields({ base, now, here, locked: NONE, overwrite: false, ...more })

  test.each<[string, SaidFields | undefined, SaidFields, Fields, Fields, string[]]>([
    ['a value that the source changes is written', { os: 'a' }, { os: 'b' }, { os: 'a' }, { os: 'b' }, []],
    ['a value that a person changes is kept', { os: 'a' }, { os: 'b' }, { os: 'mine' }, {}, ['os']],
    [
      'a value that a person changes is kept while the source repeats',
      { os: 'a' },
      { os: 'a' },
      { os: 'mine' },
      {},
      ['os'],
    ],
    ['a new link fills an empty value', undefined, { os: 'a' }, { os: '' }, { os: 'a' }, []],
    ['a new link keeps a value that is there', undefined, { os: 'a' }, { os: 'mine' }, {}, ['os']],
    ['an absent field is not known', { os: 'a' }, {}, { os: 'a' }, {}, []],
    ['a value that the source clears is cleared', { os: 'a' }, { os: '' }, { os: 'a' }, { os: '' }, []],
    [
      'a tag that a person took away stays away',
      { tags: ['a', 'b'] },
      { tags: ['a', 'b'] },
      { tags: ['b'] },
      {},
      ['tags'],
    ],
    [
      'a tag of the source goes with it',
      { tags: ['a'] },
      { tags: ['b'] },
      { tags: ['x', 'a'] },
      { tags: ['x', 'b'] },
      [],
    ],
    ['domains are equal in any case', { domains: ['A.x'] }, { domains: ['a.x'] }, { domains: ['A.x'] }, {}, []],
    [
      'refs are merged by name',
      undefined,
      { refs: { aws: 'i-1' } },
      { refs: { erp: '7' } },
      { refs: { aws: 'i-1' } },
      [],
    ],
    ['a ref that is there stays', undefined, { refs: { aws: 'i-1' } }, { refs: { aws: 'i-2' } }, {}, ['refs.aws']],
  ])('%s', (_, base, now, here, writes, kept) => {
    const merged = merge(base, now, here)
    expect([merged.writes, Object.keys(merged.kept)]).toEqual([writes, kept])
  })

  test('a locked field is never written, and overwriting writes all others', () => {
    const terms = { locked: new Set(['os']), overwrite: true }
    const { writes, kept } = merge({ os: 'a', name: 'a' }, { os: 'b', name: 'b' }, { os: 'a', name: 'mine' }, terms)
    expect(writes).toEqual({ name: 'b' })
    expect(kept).toEqual({ os: { here: 'a', source: 'b', why: 'locked' } })
  })

  test('overwriting brings back a tag that a person took away, and keeps the tags of people', () => {
    const { writes } = merge({ tags: ['a'] }, { tags: ['a'] }, { tags: ['mine'] }, { overwrite: true })
    expect(writes).toEqual({ tags: ['mine', 'a'] })
  })

  test('addresses are merged by address and space', () => {
    const at = (ip: string, label: string, space_id?: string) => ({
      value: { ip, label, ...(space_id && { space_id }) },
      said: new Set(['ip', 'label']),
    })
    const { writes, kept } = merge(
      { addresses: [at('10.0.0.1', 'a'), at('10.0.0.2', 'a')] },
      { addresses: [at('10.0.0.1', 'b'), at('10.0.0.3', 'c', 's1')] },
      {
        addresses: [
          { ip: '10.0.0.1', label: 'a', port: 22 },
          { ip: '10.0.0.2', label: 'a' },
          { ip: '10.0.0.3', label: 'x' },
        ],
      },
    )
    expect(kept).toEqual({})
    expect(writes).toEqual({
      addresses: [
        { ip: '10.0.0.1', label: 'b', port: 22 },
        { ip: '10.0.0.3', label: 'x' },
        { ip: '10.0.0.3', label: 'c', space_id: 's1' },
      ],
    })
  })
})
