import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parse } from '../validate.ts'
import { mergeRefs, parseRef, type Refs, RefsInput, withRefs } from './external-fields.ts'

const tooMany = (message: string) => new Error(message)
const merge = (before: Refs, patch: unknown): Refs => mergeRefs(before, parse(RefsInput, patch), tooMany)

const source = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,31}$/)
const id = fc.stringMatching(/^[!-~][ -~]{0,40}[!-~]$/)
const refs = fc.dictionary(source, id, { maxKeys: 10 })
const patch = fc.option(fc.dictionary(source, fc.option(id), { maxKeys: 10 }))

describe('a change of refs', () => {
  test('sets and takes away what it names, keeps the rest, and is sorted', () => {
    fc.assert(
      fc.property(refs, patch, (given, change) => {
        const before = merge({}, given)
        const after = merge(before, change)
        for (const name of new Set([...Object.keys(before), ...Object.keys(change ?? {})])) {
          const wanted = change === null ? undefined : Object.hasOwn(change, name) ? change[name] : before[name]
          expect(Object.hasOwn(after, name) ? after[name] : undefined).toBe(wanted ?? undefined)
        }
        // The keys of an object that are whole numbers come first, by their value.
        const names = Object.keys(after).filter((name) => !/^\d+$/.test(name))
        expect(names).toEqual(names.toSorted())
      }),
    )
  })

  test('that is made twice is made once', () => {
    fc.assert(
      fc.property(refs, patch, (before, change) => {
        const once = merge(before, change)
        expect(JSON.stringify(merge(once, change))).toBe(JSON.stringify(once))
      }),
    )
  })

  test('is read from a row as it was stored', () => {
    fc.assert(
      fc.property(refs, (given) => {
        const stored = merge({}, given)
        expect(JSON.stringify(withRefs({ refs: JSON.stringify(stored) }).refs)).toBe(JSON.stringify(stored))
      }),
    )
  })

  test('leaves at most 20', () => {
    const many = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`s${from + i}`, 'x']))
    expect(Object.keys(merge(many(0, 10), many(10, 10)))).toHaveLength(20)
    expect(() => merge(many(0, 11), many(11, 10))).toThrow('at most 20')
    expect(() => merge({}, many(0, 21))).toThrow('at most 20')
    const without = Object.fromEntries(Object.keys(many(0, 20)).map((name) => [name, null]))
    expect(merge(many(0, 20), { ...without, ...many(20, 20) })).toEqual(many(20, 20))
  })

  test.each([
    [{ Netbox: '1' }, 'refs'],
    [{ '': '1' }, 'refs'],
    [{ 'a:b': '1' }, 'refs'],
    [{ ['s'.repeat(33)]: '1' }, 'refs'],
    [{ netbox: '' }, 'refs.netbox'],
    [{ netbox: ' \n' }, 'refs.netbox'],
    [{ netbox: 'a\u0007b' }, 'refs.netbox'],
    [{ netbox: 'x'.repeat(191) }, 'refs.netbox'],
    [{ netbox: 7 }, 'refs.netbox'],
    [['netbox'], 'refs'],
    ['netbox:1', 'refs'],
  ])('%j is refused on %s', (value, field) => {
    expect(fieldOf(value)).toBe(field)
  })

  test('trims ids', () => {
    expect(merge({}, { netbox: ' dcim.device.42\t' })).toEqual({ netbox: 'dcim.device.42' })
  })
})

const fieldOf = (value: unknown): string | undefined => {
  const result = RefsInput.safeParse(value)
  return result.success ? undefined : ['refs', ...(result.error.issues[0]?.path ?? [])].join('.')
}

describe('a ref', () => {
  test.each([
    ['netbox:dcim.device.42', { source: 'netbox', id: 'dcim.device.42' }],
    ['urn:a:b/c d', { source: 'urn', id: 'a:b/c d' }],
    ['2001:db8::1', { source: '2001', id: 'db8::1' }],
    ['a:é', { source: 'a', id: 'é' }],
    [`${'s'.repeat(32)}:${'x'.repeat(190)}`, { source: 's'.repeat(32), id: 'x'.repeat(190) }],
  ])('is read from %s', (text, ref) => {
    expect(parseRef(text)).toEqual(ref)
  })
  test.each(['', ':', 'a:', ':a', 'netbox', 'Netbox:1', 'a: b', 'a:b ', 'a\n:b', `a:${'x'.repeat(191)}`, '_a:1'])(
    'is not %j',
    (text) => {
      expect(parseRef(text)).toBeUndefined()
    },
  )
  test('is read from every source and id', () => {
    fc.assert(
      fc.property(source, id, (from, name) => {
        expect(parseRef(`${from}:${name}`)).toEqual({ source: from, id: name })
      }),
    )
  })
})
