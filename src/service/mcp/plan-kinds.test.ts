// The kinds of objects in plans: permissions that exist, no kind that no store records, and no secret in the stored input.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contracts } from '../../app/contracts.ts'
import { isSecretName } from '../../base/runtime/redaction.ts'
import { listCrudResources } from '../../kernel/crud-resources.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { CATALOGUE } from '../../people/roles/catalogue.ts'
import { KIND_NAMES } from '../../record/history/kind-names.ts'
import { PLAN_KINDS } from '../../record/history/plan-kinds.ts'
import { needsPlan, toInputSchema } from '../../surfaces/mcp/tools.ts'

const SRC = join(import.meta.dirname, '..', '..')

const planned = Object.values(contracts)
  .flatMap((set) => Object.values<AnyOperation>(set))
  .filter((op) => needsPlan(op) && op.mcp !== 'hidden')

test('the permissions equal the permissions of the catalog', () => {
  const known = new Set<string>(CATALOGUE.map(({ name }) => name))
  const asked = Object.values(PLAN_KINDS).flatMap(({ permission }) => permission ?? [])
  expect(asked.filter((permission) => !known.has(permission))).toEqual([])
})

test.each(listCrudResources(contracts).map(({ noun, permission }) => [noun, permission] as const))(
  'a plan shows a %s to those who may read it',
  (noun, permission) => {
    expect(PLAN_KINDS[noun]?.permission).toBe(permission)
  },
)

/** Objects that are rows of no table of this database. */
const REMOTE = ['rrset', 'own-rrset']

test('a kind is recorded by a store exactly if it is declared', () => {
  const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(SRC, path), 'utf8'))
  const recorded = sources.flatMap((text) =>
    [...text.matchAll(/create(?:Recorder|PlainStore)\(\{\s+(?:\.\.\.\{ )?kind: '([\w-]+)'/g)].map(
      ([, kind = '']) => kind,
    ),
  )
  const declared = Object.keys(PLAN_KINDS).filter((kind) => !Object.hasOwn(KIND_NAMES, kind) && !REMOTE.includes(kind))
  expect(recorded.length).toBeGreaterThan(15)
  expect(recorded.toSorted()).toEqual(declared.toSorted())
})

const secretsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.keys('properties' in value && value.properties ? value.properties : {}).filter(isSecretName)
  return [...own, ...Object.values(value).flatMap(secretsIn)]
}

/** Fields with the name of a secret that hold none. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  // The id of an object at its source.
  'sources.apply': ['key'],
}

describe.each(planned.map((op) => [op.name, op] as const))('a plan of %s', (name, op) => {
  test('stores no secret, because it stores its input', () => {
    expect(secretsIn(toInputSchema(op))).toEqual([...(HARMLESS[name] ?? [])])
  })
})
