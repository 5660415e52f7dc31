// The files of packs: each row is a definition that the server takes, references lead to kinds of packs, and a row never changes its id or type.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FACTS, isResource } from '../../inventory/resources.ts'
import { CUSTOM, listConditionFields } from '../../resource/custom/condition-fields.ts'
import { CUSTOM_RESOURCES, isFieldName, REFERENCE_TARGETS } from '../../resource/custom/fields.ts'
import { checkDefinition, normalizeDefinition } from '../../resource/custom/rules.ts'
import type { CustomField } from '../../resource/custom/schema.ts'

type Kind = { readonly id: string; readonly name: string; readonly singular: string } & Readonly<
  Record<string, unknown>
>
type Row = Partial<CustomField> & Pick<CustomField, 'resource' | 'name' | 'label' | 'type' | 'position'>
type Pack = {
  readonly name: string
  readonly version: number
  readonly title: string
  readonly description: string
  readonly kinds: readonly Kind[]
  readonly 'custom-fields': readonly Row[]
}

const NAMES = [
  ...['assets', 'circuits', 'contacts', 'nat', 'parts', 'power', 'racks', 'redundancy', 'routing', 'services'],
  ...['tenancy', 'virtualization', 'vpn', 'wireless'],
]
const MAX_LINES = 1200

const DIR = import.meta.dirname
const names = readdirSync(DIR, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
const texts = names.flatMap((name) =>
  readdirSync(join(DIR, name))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map((file) => ({ name, file, text: readFileSync(join(DIR, name, file), 'utf8') })),
)
const packs = texts.map(({ name, file, text }) => ({ folder: name, file, pack: JSON.parse(text) as Pack }))
const latest = [...Map.groupBy(packs, ({ folder }) => folder).values()].flatMap((all) => all.at(-1)?.pack ?? [])
const kinds = new Map(latest.flatMap((pack) => pack.kinds.map((kind) => [kind.id, kind] as const)))
const fields = latest.flatMap((pack) => pack['custom-fields'])

const toDefinition = (row: Row): CustomField => ({
  ...{ id: 'x', multiple: false, choices: [], reference_to: null, required: false, unique: false, default: null },
  ...{ pattern: '', minimum: null, maximum: null, searchable: false, description: '', group: '' },
  ...{ refs: {}, managed_by: '', created_at: '', updated_at: '' },
  ...row,
})

const KIND_FIELDS: ReadonlySet<string> = new Set([
  ...['id', 'name', 'singular', 'description', 'icon', 'nested', 'located', 'unique_names', 'position'],
])

describe('the packs', () => {
  test('are the fourteen of the design, in few lines', () => {
    expect(names.toSorted()).toEqual(NAMES)
    expect(texts.reduce((lines, { text }) => lines + text.trimEnd().split('\n').length, 0)).toBeLessThanOrEqual(
      MAX_LINES,
    )
  })

  test.each(packs)('$folder/$file has its name, version, title and description', ({ folder, file, pack }) => {
    expect([pack.name, `${pack.version}.json`]).toEqual([folder, file])
    expect(pack.title !== '' && pack.description !== '').toBe(true)
    expect(pack.kinds.length + pack['custom-fields'].length).toBeGreaterThan(0)
  })

  test.each([...kinds.values()])('the kind $id has an id made of its name, and only fields of kinds', (kind) => {
    expect(kind.name.toLowerCase().replaceAll(' ', '-')).toBe(kind.id)
    expect(kind.id).toMatch(/^[a-z][a-z0-9-]{0,49}$/)
    expect(Object.keys(kind).filter((field) => !KIND_FIELDS.has(field))).toEqual([])
    expect(isResource(kind.id)).toBe(false)
    expect([kind.name, kind.singular].every((text) => text.length > 0 && text.length <= 64)).toBe(true)
  })

  test('have each kind and each field once', () => {
    const ids = latest.flatMap((pack) => pack.kinds.map(({ id }) => id))
    const keys = fields.map(({ resource, name }) => `${resource} ${name}`)
    expect([new Set(ids).size, new Set(keys).size]).toEqual([ids.length, keys.length])
  })

  test.each(fields)('$resource.$name is a definition that the server takes', (row) => {
    const definition = normalizeDefinition(toDefinition(row))
    expect(isFieldName(row.name)).toBe(true)
    expect(checkDefinition(definition)).toEqual([])
    expect([...CUSTOM_RESOURCES, ...kinds.keys()]).toContain(row.resource)
    expect(row.label).toMatch(/^[A-Za-z].{0,127}$/)
    if (row.reference_to) expect([...REFERENCE_TARGETS, ...kinds.keys()]).toContain(row.reference_to)
    if (row.only_for) {
      const facts = isResource(row.resource) ? FACTS[row.resource] : undefined
      expect(row.only_for.field.startsWith(CUSTOM)).toBe(false)
      expect(listConditionFields(facts).get(row.only_for.field)).toEqual(expect.arrayContaining(row.only_for.values))
    }
  })

  test('have the fields of each resource at different positions', () => {
    for (const pack of latest)
      for (const [, rows] of Map.groupBy(pack['custom-fields'], ({ resource }) => resource))
        expect(rows.map(({ position }) => position)).toEqual(rows.map((_, i) => i))
  })

  test('never change the type of a row between two versions, nor bring a name back', () => {
    const fixed = ['type', 'multiple', 'reference_to'] as const
    for (const [, versions] of Map.groupBy(packs, ({ folder }) => folder)) {
      const seen = new Map<string, { readonly row: Row; readonly at: number }>()
      for (const [at, { pack }] of versions.entries()) {
        expect(pack.version).toBe(at + 1)
        for (const row of pack['custom-fields']) {
          const key = `${row.resource} ${row.name}`
          const before = seen.get(key)
          if (before) {
            expect(before.at).toBe(at - 1)
            for (const field of fixed) expect(row[field]).toEqual(before.row[field] as never)
          }
          seen.set(key, { row, at })
        }
      }
    }
  })
})
