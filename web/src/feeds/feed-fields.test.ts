import { describe, expect, test } from 'bun:test'
import { FeedDraft, FeedPatch } from '../../../src/exchange/feeds/api.ts'
import { CATALOGUE } from '../../../src/exchange/feeds/catalogue.ts'
import { FORMATS, MEDIA_TYPES as OF_SERVER } from '../../../src/exchange/feeds/schema.ts'
import { buildInput, createEmptyValues, isShown, readValues } from '../resource/form-values.ts'
import { buildFields, buildPreviewDraft, clearUnusedFields, MEDIA_TYPES } from './feed-fields.tsx'

const formats = FORMATS.map((name) => ({ name, ...CATALOGUE[name] }))
const fields = buildFields({})

/** A space makes all fields appear. */
const SPACE = {
  ...{ id: 'lab', name: 'Lab', description: '', reachable: false, refs: {}, managed_by: '' },
  ...{ created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' },
}

const shown = (format: string): string[] =>
  buildFields({ spaces: [SPACE] })
    .filter((field) => isShown(field, { format }, false))
    .map(({ name }) => name)

describe('the fields of a feed', () => {
  test.each(formats)('a feed of the format $name has the fields that it uses', ({ name, fields: used }) => {
    expect(new Set(shown(name))).toEqual(new Set(['name', 'format', 'description', ...used]))
  })

  test('make a valid draft in each format', () => {
    for (const format of FORMATS) {
      const values = { ...createEmptyValues({ fields }), name: 'x', format }
      expect(FeedDraft.parse(buildInput({ fields }, values))).toMatchObject({ name: 'x', format })
    }
  })

  test('have every media type of the server', () => {
    expect(MEDIA_TYPES).toEqual([...OF_SERVER])
  })

  test('send a port that is no number as it is, so that the server names the error', () => {
    const input = (port: string) => buildInput({ fields }, { ...createEmptyValues({ fields }), name: 'x', port })
    expect([input('9100').port, input('').port, input('x').port]).toEqual([9100, null, 'x'])
  })
})

describe('a change of the format', () => {
  test('empties the fields that the new format does not use', () => {
    const input = clearUnusedFields({ format: 'hosts' })
    expect(input).toEqual({ port: null, zone_id: null, template: '' })
    expect(FeedPatch.safeParse({ id: 'one', format: 'hosts', ...input }).success).toBe(true)
    expect(clearUnusedFields({ format: 'prometheus' })).toEqual({ zone_id: null, template: '' })
  })

  test('is none in a patch without a format', () => {
    expect(clearUnusedFields({ name: 'other' })).toEqual({})
  })
})

describe('the media type', () => {
  const of = (format: 'kea' | 'template') =>
    readValues({ fields: buildFields({ format }) }, { media_type: 'application/json' })

  test('of a template is its own', () => expect(of('template').media_type).toBe('application/json'))
  test('of another format is none that a template begins with', () => expect(of('kea').media_type).toBe('text/plain'))
})

describe('the draft of a preview', () => {
  const values = createEmptyValues({ fields })

  test('has the fields of the format, and no name', () => {
    expect(buildPreviewDraft(fields, { ...values, name: 'x', id: 'y', port: '9100' })).toEqual({
      ...{ format: 'prometheus', tags: [], datacenter_id: '', network_id: '', statuses: ['active', 'maintenance'] },
      ...{ address_label: '', family: '', port: 9100 },
    } as never)
  })

  test('is missing without a template, or a zone', () => {
    expect(buildPreviewDraft(fields, { ...values, format: 'template', template: ' \n' })).toBeUndefined()
    expect(buildPreviewDraft(fields, { ...values, format: 'zone' })).toBeUndefined()
  })
})
