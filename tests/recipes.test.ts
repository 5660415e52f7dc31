/** The recipes of CONTRIBUTING.md, applied to a copy of the code: every surface has the field, the resource, and few edits did it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { testAll } from '../testing/cases.ts'
import { columnField, documentField } from '../testing/recipes/field.ts'
import { applyEdit, bunIn, copyWith, countChanges, runBunIn } from '../testing/recipes/recipe.ts'
import { resource } from '../testing/recipes/resource.ts'
import { sourceKind } from '../testing/recipes/source-kind.ts'

const CONTRIBUTING = readFileSync(resolve(import.meta.dir, '../CONTRIBUTING.md'), 'utf8')
const TIMEOUT_MS = 300_000

/** The suites that take their objects from the saved world or the facts, and name each resource of the registry in a title. */
const SUITES = [
  'src/resource/every-resource.test.ts',
  'src/resource/every-resource-record.test.ts',
  'src/record/history/past.test.ts',
  'tests/access/access.test.ts',
  'tests/access/withheld-parts.test.ts',
  'tests/contract/caching.test.ts',
  'tests/contract/dry-run.test.ts',
  'tests/contract/external-ids.test.ts',
  'tests/contract/own-keys.test.ts',
  'tests/hostile/bodies.test.ts',
  'tests/hostile/csv-exports.test.ts',
  'tests/hostile/hostile.test.ts',
  'tests/scopes/reads.test.ts',
  'tests/scopes/rights.test.ts',
  'tests/scopes/writes.test.ts',
]

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

describe.each([
  ['a column', columnField, ['racks', 'purpose'], 'Purpose'],
  ['a field of stored documents', documentField, ['devices', 'firmware'], 'Firmware'],
] as const)('the recipe for %s', (_, recipe, [of, name], label) => {
  let copy: ReturnType<typeof copyWith>
  beforeAll(() => {
    copy = copyWith(recipe)
  })
  afterAll(() => copy.remove())

  test('needs 3 files, none of them in web', () => {
    expect(countChanges(recipe)).toEqual({ server: 3, web: 0 })
  })

  test('is in CONTRIBUTING.md line by line', () => {
    const added = recipe.edits.flatMap(({ add }) => add).map((line) => line.trim().replace(/,$/, ''))
    expect(added.filter((line) => !CONTRIBUTING.includes(line))).toEqual([])
  })

  test(
    'reaches REST, CLI, MCP, OpenAPI, import and export',
    () => bunIn(copy.root, 'testing/recipes/check.ts', of, name, '{"name":"recipe"}'),
    TIMEOUT_MS,
  )

  testAll(
    'reaches the form, the table and the files of the web UI',
    async () => {
      await bunIn(copy.root, 'test', './web/src/resource/fields.test.ts')
      await bunIn(copy.root, '--no-env-file', 'web/build.ts', join(copy.root, 'built'))
      expect(builtText(copy.root)).toContain(name)
      expect(label.toLowerCase()).toBe(name)
    },
    TIMEOUT_MS,
  )
})

describe('the recipe for a resource', () => {
  let copy: ReturnType<typeof copyWith>
  beforeAll(async () => {
    copy = copyWith(resource)
    await bunIn(copy.root, 'scripts/golden.ts')
  }, TIMEOUT_MS)
  afterAll(() => copy.remove())

  test('needs at most 5 new files, its test included, and 8 lines in others', () => {
    expect(resource.files.length).toBeLessThanOrEqual(5)
    expect(resource.edits.flatMap(({ add }) => add).length).toBeLessThanOrEqual(8)
  })

  test('is in CONTRIBUTING.md file by file', () => {
    const names = [...resource.edits, ...resource.files].map(({ file }) =>
      file.replace('9001', '<number>').replaceAll('outages', '<noun>'),
    )
    expect(names.filter((name) => !CONTRIBUTING.includes(`\`${name}\``))).toEqual([])
  })

  const times = { starts_at: '2026-01-31T12:00:00Z', ends_at: '2026-01-31T13:00:00Z' }
  test(
    'reaches REST, CLI, MCP, OpenAPI, import and export',
    () =>
      bunIn(
        copy.root,
        'testing/recipes/check.ts',
        'outages',
        'description',
        JSON.stringify({ name: 'recipe', ...times }),
      ),
    TIMEOUT_MS,
  )

  test(
    'has custom fields, an owner, refs, scopes and events',
    () => bunIn(copy.root, 'testing/recipes/check-resource.ts', 'outages', 'outage'),
    TIMEOUT_MS,
  )

  test(
    'has tests in each suite of all resources, without a line there',
    async () => {
      const files = SUITES.map((file) => `./${file}`)
      const text = await bunIn(copy.root, 'test', '--timeout', String(TIMEOUT_MS), '-t', 'outages', ...files)
      const named = text.split(/^(?=\S+\.test\.ts:$)/m).filter((part) => /^\(pass\) .*outages/m.test(part))
      expect(SUITES.filter((file) => !named.some((part) => part.startsWith(`${file}:`)))).toEqual([])
    },
    TIMEOUT_MS,
  )

  testAll.each([
    ['in suites of all resources', SUITES],
    ['in suites about scopes and rights', ['tests/scopes', 'tests/access/access.test.ts']],
    ['in random histories', ['src/record/history']],
    ['in the registries', ['src/inventory/outages', 'tests/contract/registry.test.ts', 'tests/architecture.test.ts']],
  ] as const)(
    'keeps the tests %s',
    (_, files) => bunIn(copy.root, 'test', '--timeout', String(TIMEOUT_MS), ...files.map((file) => `./${file}`)),
    TIMEOUT_MS,
  )

  testAll(
    'answers the same on both engines',
    () => {
      const args = ['test', '--timeout', String(TIMEOUT_MS), './tests/contract/parity.test.ts']
      return runBunIn(copy.root, { args, dialects: 'sqlite,postgres' })
    },
    TIMEOUT_MS,
  )

  testAll(
    'is in the built web UI, with its page and its fields',
    async () => {
      await bunIn(copy.root, 'test', './web/src/resource/fields.test.ts', './web/src/pages.test.ts', './web/src/shell')
      await bunIn(copy.root, '--no-env-file', 'web/build.ts', join(copy.root, 'built'))
      const built = builtText(copy.root)
      expect(['starts_at', '/outages'].filter((text) => !built.includes(text))).toEqual([])
    },
    TIMEOUT_MS,
  )

  testAll.each(['.', 'web'])('compiles in %s', (project) => compiles(copy.root, project), TIMEOUT_MS)
})

/** Returns the recipe with another reference in its facts and its table. */
const withReference = (field: string, to: string, onDelete: string) => ({
  ...resource,
  files: resource.files.map(({ file, text }) => ({
    file,
    text: text
      .replace(
        "datacenter_id: { type: 'reference', to: 'datacenters',",
        `${field}: { type: 'reference', to: '${to}', onDelete: '${onDelete}',`,
      )
      .replaceAll('datacenter_id', field)
      .replaceAll('REFERENCES datacenters', `REFERENCES ${to}`),
  })),
})

testAll.each([
  ['datacenter_id', 'datacenters', 'refuse', '409 one'],
  ['datacenter_id', 'datacenters', 'cascade', '204 deleted outage.deleted datacenter.deleted'],
  ['network_id', 'networks', 'clear', '204 null outage.updated network.deleted'],
  ['device_id', 'devices', 'clear', '204 null outage.updated device.deleted'],
])(
  'a reference by %s to %s that is set to %s gives: %s',
  async (field, to, onDelete, expected) => {
    const copy = copyWith(withReference(field, to, onDelete))
    try {
      await bunIn(copy.root, 'testing/recipes/check-deletion.ts', field, expected)
    } finally {
      copy.remove()
    }
  },
  TIMEOUT_MS,
)

testAll(
  'an identity in the facts of a resource is unique in any case, without a line in its rules',
  async () => {
    const withIdentity = (text: string) =>
      text
        .replace('  scope: {', "  identity: ['name', 'datacenter_id'],\n  scope: {")
        .replace(/(name_key \S+) NOT NULL,/, '$1 NOT NULL, natural_key TEXT NOT NULL UNIQUE,')
    const files = resource.files.map(({ file, text }) => ({ file, text: withIdentity(text) }))
    const copy = copyWith({ ...resource, files })
    try {
      await bunIn(copy.root, 'testing/recipes/check-identity.ts')
    } finally {
      copy.remove()
    }
  },
  TIMEOUT_MS,
)

testAll(
  'a resource that is no part of the inventory fails a test that names the file',
  async () => {
    const isInventory = ({ file }: { readonly file: string }) => file === 'src/inventory/resources.ts'
    const copy = copyWith({ ...resource, edits: resource.edits.filter((edit) => !isInventory(edit)) })
    try {
      expect(existsSync(join(copy.root, 'src/inventory/outages/resource.ts'))).toBe(true)
      const run = bunIn(copy.root, 'test', './tests/contract/registry.test.ts')
      await expect(run).rejects.toThrow(
        'src/inventory/outages/resource.ts is not in RESOURCES of src/inventory/resources.ts',
      )
    } finally {
      copy.remove()
    }
  },
  TIMEOUT_MS,
)

describe('the recipe for a kind of source', () => {
  let copy: ReturnType<typeof copyWith>
  beforeAll(() => {
    copy = copyWith(sourceKind)
  })
  afterAll(() => copy.remove())

  test('needs 5 new files, its answers included, and 4 lines in others', () => {
    expect([sourceKind.files.length, sourceKind.edits.flatMap(({ add }) => add).length]).toEqual([5, 4])
  })

  test('is in CONTRIBUTING.md file by file', () => {
    const names = [...sourceKind.edits, ...sourceKind.files].map(({ file }) =>
      file.replaceAll('machines', '<kind>').replace('answers/one', 'answers/<case>'),
    )
    const short = (name: string) => (name.endsWith('ORIGIN.md') ? 'ORIGIN.md' : name)
    expect(names.map(short).filter((name) => !CONTRIBUTING.includes(`\`${name}\``))).toEqual([])
  })

  test('keeps the rules of the code', () => bunIn(copy.root, 'test', './tests/architecture.test.ts'), TIMEOUT_MS)

  test(
    'has its tests in the test of recorded answers, without a line there',
    async () => {
      const text = await bunIn(copy.root, 'test', './src/sources/kinds/recorded.test.ts', '-t', 'machines one')
      const titles = text.split('\n').filter((line) => line.startsWith('(pass) machines one'))
      expect(titles.length).toBeGreaterThanOrEqual(12)
      expect(text).toMatch(/^ 0 fail$/m)
    },
    TIMEOUT_MS,
  )

  test(
    'reaches the list of kinds, a source and its fetch',
    () => bunIn(copy.root, 'testing/recipes/check-source-kind.ts'),
    TIMEOUT_MS,
  )

  testAll(
    'is applied by a server, without a line in a test',
    async () => {
      const text = await bunIn(copy.root, 'test', './src/sources/kinds/applied.test.ts', '-t', 'machines one')
      expect(text).toMatch(/^ 1 pass$/m)
    },
    TIMEOUT_MS,
  )

  testAll(
    'compiles, on the server and in the web UI',
    async () => {
      for (const project of ['.', 'web']) expect(await compiles(copy.root, project)).toBe('')
    },
    TIMEOUT_MS,
  )
})
