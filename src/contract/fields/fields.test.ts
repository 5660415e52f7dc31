import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import {
  draft,
  Filter,
  idOf,
  line,
  Moment,
  Name,
  NewId,
  optionalNumber,
  Page,
  patch,
  reference,
  ruledText,
  Tags,
  text,
} from './fields.ts'

const isGood = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success
const made = (schema: z.ZodType, value: unknown) => schema.parse(value)

const UNSTORABLE = ['a\u0000b', '\ud800', 'a\udc00']
const FAMILY = '👩‍👩‍👧‍👦'

describe('a name', () => {
  test.each(['x', 'a b', FAMILY, 'x'.repeat(255)])('may be %p', (value) => {
    expect(made(Name, value)).toBe(value)
  })
  test('is trimmed', () => {
    expect(made(Name, '\t a b \n')).toBe('a b')
  })
  test('may have 255 characters between blanks', () => {
    expect(made(Name, ` ${'x'.repeat(255)} `)).toBe('x'.repeat(255))
  })
  test.each(['', ' ', '\n\t', 'x'.repeat(256), ...UNSTORABLE, null, 5])('may not be %p', (value) => {
    expect(isGood(Name, value)).toBe(false)
  })
})

describe('optional text', () => {
  test.each([
    ['', ''],
    [null, ''],
    ['x', 'x'],
    [' x ', ' x '],
  ])('%p is kept as %p', (value, kept) => {
    expect(made(text(10), value)).toBe(kept)
  })
  test.each(['x'.repeat(11), ...UNSTORABLE, 5, {}])('may not be %p', (value) => {
    expect(isGood(text(10), value)).toBe(false)
  })
})

describe('text with a rule', () => {
  const Short = ruledText(10, {
    holds: (value) => value.startsWith('x'),
    pattern: 'x.*',
    error: 'must begin with x',
  })
  test.each([
    ['xa', true],
    ['', true],
    [null, true],
    ['a', false],
    ['x'.repeat(11), false],
    ['x\u0000', false],
  ])('%p: %p', (value, good) => {
    expect(isGood(Short, value)).toBe(good)
  })
})

describe('an id that a caller chooses', () => {
  test.each(['a', 'A-z_0.9', 'x'.repeat(64), '...'])('may be %p', (value) => {
    expect(isGood(NewId, value)).toBe(true)
  })
  test.each(['', '.', '..', 'a b', 'a/b', 'é', 'x'.repeat(65), 'a\n', '\u0000', null])('may not be %p', (value) => {
    expect(isGood(NewId, value)).toBe(false)
  })
})

describe('an id to look for', () => {
  test.each(['a', '', 'not an id', 'x'.repeat(1000), '\ufffd'])('may be anything, like %p', (value) => {
    expect(made(idOf('devices'), value)).toBe(value)
  })
  test.each(UNSTORABLE)('that no database can store, like %p, matches nothing', (value) => {
    expect(made(idOf('devices'), value)).toBe('\ufffd')
  })
  test('names its resource in its JSON Schema', () => {
    expect(z.toJSONSchema(idOf('devices'), { io: 'input' })).toMatchObject({ type: 'string', ref: 'devices' })
  })
})

describe('a filter', () => {
  test.each(['', 'x', '%_', 'x'.repeat(255)])('may be %p', (value) => {
    expect(made(Filter, value)).toBe(value)
  })
  test.each(['x'.repeat(256), ...UNSTORABLE])('may not be %p', (value) => {
    expect(isGood(Filter, value)).toBe(false)
  })
})

describe('a reference', () => {
  test.each([
    [null, null],
    ['', null],
    ['a', 'a'],
  ])('%p is kept as %p', (value, kept) => {
    expect(made(reference('devices'), value)).toBe(kept)
  })
  test.each(['x'.repeat(224), ...UNSTORABLE, 5])('may not be %p', (value) => {
    expect(isGood(reference('devices'), value)).toBe(false)
  })
})

describe('an optional number from 10 to 20', () => {
  test.each([
    [0, null],
    [null, null],
    [10, 10],
    [20, 20],
  ])('%p is kept as %p', (value, kept) => {
    expect(made(optionalNumber(10, 20), value)).toBe(kept)
  })
  test.each([9, 21, -1, 10.5, '10', Number.NaN, Infinity])('may not be %p', (value) => {
    expect(isGood(optionalNumber(10, 20), value)).toBe(false)
  })
})

describe('tags', () => {
  test('are trimmed, once each, in order', () => {
    expect(made(Tags, [' b ', 'a', 'b', 'a'])).toEqual(['b', 'a'])
  })
  test('that are null are none', () => {
    expect(made(Tags, null)).toEqual([])
  })
  test('may be a hundred', () => {
    expect(
      isGood(
        Tags,
        Array.from({ length: 100 }, (_, i) => `${i}`),
      ),
    ).toBe(true)
  })
  test.each<[string, unknown]>([
    ['an empty one', ['']],
    ['a blank one', [' ']],
    ['one of 129 characters', ['x'.repeat(129)]],
    ['one with a NUL', ['a\u0000']],
    ['a hundred and one', Array(101).fill('x')],
    ['a text', 'x'],
    ['numbers', [1]],
  ])('may not be %s', (_, value) => {
    expect(isGood(Tags, value)).toBe(false)
  })
})

describe('a moment', () => {
  test.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
    ['2026-01-31T12:00:00.123456789Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T00:30:00+02:00', '2026-01-30T22:30:00.000Z'],
    ['2024-02-29T00:00:00-05:30', '2024-02-29T05:30:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is kept as %s', (value, kept) => {
    expect(made(Moment, value)).toBe(kept)
  })
  test.each([
    '',
    'tomorrow',
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-02-30T12:00:00Z',
    '2025-02-29T12:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00:00+25:00',
    '+012026-01-31T12:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '0000-01-01T00:00:00+23:59',
    1_769_860_800,
    null,
  ])('%p is none', (value) => {
    expect(isGood(Moment, value)).toBe(false)
  })
})

describe('a page', () => {
  const Input = z.object(Page)
  test.each(['{}', '{"limit":1}', '{"offset":0}', '{"limit":9007199254740991,"offset":5}'])('may be %s', (json) => {
    expect(isGood(Input, JSON.parse(json))).toBe(true)
  })
  test.each([
    '{"limit":0}',
    '{"limit":-1}',
    '{"limit":1.5}',
    '{"offset":-1}',
    '{"limit":"1"}',
    '{"limit":9007199254740992}',
  ])('may not be %s', (json) => {
    expect(isGood(Input, JSON.parse(json))).toBe(false)
  })
})

describe('the fields of a create', () => {
  const Draft = z.object(draft({ note: text(10), tags: Tags, n: optionalNumber(1, 9) }))
  test('are cleared where absent', () => {
    expect(Draft.parse({})).toEqual({ note: '', tags: [], n: null })
  })
  test('may be null', () => {
    expect(Draft.parse({ note: null, tags: null, n: null })).toEqual({ note: '', tags: [], n: null })
  })
})

describe('the fields of an update', () => {
  const Patch = z.object(patch({ name: Name, note: text(10), tags: Tags, n: optionalNumber(1, 9) }))
  test('are kept where absent', () => {
    expect(Patch.parse({})).toEqual({})
  })
  test('are cleared by null', () => {
    expect(Patch.parse({ note: null, tags: null, n: null })).toEqual({ note: '', tags: [], n: null })
  })
  test('that are required cannot be cleared', () => {
    expect([isGood(Patch, { name: null }), isGood(Patch, { name: '' })]).toEqual([false, false])
  })
})

test('a line counts characters, not the halves that JavaScript has of some', () => {
  expect([isGood(line(1), '😀'), isGood(line(1), '😀😀')]).toEqual([true, false])
})
