/** The recipes of CONTRIBUTING.md, applied to a copy of the code: every surface has the field, the resource, and few edits did it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { field } from './testing/recipes/field.ts'
import { applyEdit, bunIn, copyWith, countChanges } from './testing/recipes/recipe.ts'
import { resource } from './testing/recipes/resource.ts'

const CONTRIBUTING = readFileSync(resolve(import.meta.dir, '../CONTRIBUTING.md'), 'utf8')
const TIMEOUT_MS = 180_000

const builtText = (root: string): string =>
  readdirSync(join(root, 'built/assets'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(join(root, 'built/assets', name), 'utf8'))
    .join('\n')

/** One checker suffices: each of several would repeat work of the others. */
const compiles = (root: string, project: string): Promise<string> =>
  bunIn(root, 'node_modules/typescript/bin/tsc', '--noEmit', '--checkers', '1', '-p', project)

test('a recipe with a missing line fails, and says where', () => {
  const edit = { file: 'a.ts', after: 'one,', add: ['  two,'] }
  expect(applyEdit('[\n  one,\n]', edit)).toBe('[\n  one,\n  two,\n]')
  expect(() => applyEdit('[\n  three,\n]', edit)).toThrow('a.ts has 0 lines "one,"')
  expect(() => applyEdit('[\n  one,\n  one,\n]', edit)).toThrow('a.ts has 2 lines')
})

describe('the recipe for a field', () => {
  let copy: ReturnType<typeof copyWith>
  beforeAll(() => {
    copy = copyWith(field)
  })
  afterAll(() => copy.remove())

  test('needs at most 4 edits on the server and 2 in web', () => {
    const { server, web } = countChanges(field)
    expect({ server: server <= 4, web: web <= 2 }).toEqual({ server: true, web: true })
  })

  test('is in CONTRIBUTING.md line by line', () => {
    const added = field.edits.flatMap(({ add }) => add).map((line) => line.trim().replace(/,$/, ''))
    expect(added.filter((line) => !CONTRIBUTING.includes(line))).toEqual([])
  })

  test(
    'reaches REST, CLI, MCP, OpenAPI, import and export',
    () => bunIn(copy.root, 'src/testing/recipes/check.ts', 'devices', 'serial', '{"name":"recipe"}'),
    TIMEOUT_MS,
  )

  test(
    'reaches the form, the table and the files of the web UI',
    async () => {
      await bunIn(copy.root, 'test', './web/src/resource/fields.test.ts')
      await bunIn(copy.root, '--no-env-file', 'web/build.ts', join(copy.root, 'built'))
      expect(builtText(copy.root)).toContain('Serial number')
    },
    TIMEOUT_MS,
  )

  test('compiles', () => compiles(copy.root, 'web'), TIMEOUT_MS)
})

describe('the recipe for a resource', () => {
  let copy: ReturnType<typeof copyWith>
  beforeAll(() => {
    copy = copyWith(resource)
  })
  afterAll(() => copy.remove())

  test('needs at most 12 hand-written files on all surfaces, its test included', () => {
    const { server, web } = countChanges(resource)
    expect(server + web).toBeLessThanOrEqual(12)
  })

  test('is in CONTRIBUTING.md file by file', () => {
    const names = [...resource.edits, ...resource.files].map(({ file }) =>
      file.replace('9001', '<number>').replaceAll('contacts', '<noun>'),
    )
    expect(names.filter((name) => !CONTRIBUTING.includes(`\`${name}\``))).toEqual([])
  })

  test(
    'reaches REST, CLI, MCP, OpenAPI, import and export',
    () => bunIn(copy.root, 'src/testing/recipes/check.ts', 'contacts', 'phone', '{"name":"recipe"}'),
    TIMEOUT_MS,
  )

  test(
    'keeps the tests that are made from the registries',
    () =>
      bunIn(
        copy.root,
        'test',
        'src/features/contacts',
        'src/features/history/kinds.test.ts',
        'src/caching.test.ts',
        'src/registry.test.ts',
        'src/architecture.test.ts',
      ),
    TIMEOUT_MS,
  )

  test(
    'is in the built web UI, with its page and its fields',
    async () => {
      await bunIn(copy.root, 'test', './web/src/resource/fields.test.ts', './web/src/pages.test.ts')
      await bunIn(copy.root, '--no-env-file', 'web/build.ts', join(copy.root, 'built'))
      const built = builtText(copy.root)
      expect(['Phone number', '/contacts'].filter((text) => !built.includes(text))).toEqual([])
    },
    TIMEOUT_MS,
  )

  test.each(['.', 'web'])('compiles in %s', (project) => compiles(copy.root, project), TIMEOUT_MS)
})

test(
  'a field that the UI does not show fails a test that names the file',
  async () => {
    const copy = copyWith({ ...field, edits: field.edits.filter(({ file }) => !file.startsWith('web/')) })
    const run = bunIn(copy.root, 'test', './web/src/resource/fields.test.ts')
    await expect(run).rejects.toThrow('serial of devices is missing in web/src/devices/fields.ts')
    copy.remove()
  },
  TIMEOUT_MS,
)

test(
  'a write of a resource without a history fails a test that names the file',
  async () => {
    const without = resource.files.map(({ file, text }) => ({
      file,
      text: text.replaceAll('    hasHistory: true,\n', ''),
    }))
    const copy = copyWith({ ...resource, files: without })
    const run = bunIn(copy.root, 'test', './src/features/history/kinds.test.ts')
    await expect(run).rejects.toThrow('contacts.create has no "hasHistory: true" in src/features/contacts/api.ts')
    copy.remove()
  },
  TIMEOUT_MS,
)

test(
  'a resource that is no part of the inventory fails a test that names the file',
  async () => {
    const isInventory = ({ file }: { readonly file: string }) => file === 'src/features/inventory.ts'
    const copy = copyWith({ ...resource, edits: resource.edits.filter((edit) => !isInventory(edit)) })
    const run = bunIn(copy.root, 'test', './src/features/history/kinds.test.ts')
    await expect(run).rejects.toThrow('contacts has no history: add it to INVENTORY in src/features/inventory.ts')
    copy.remove()
  },
  TIMEOUT_MS,
)
