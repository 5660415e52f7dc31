/** The table of docs/automation.md lists the requests that take an idempotency key: those of the registry, and no others. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { contracts, routes } from '../../src/app/contracts.ts'
import { KEY_HEADER, takesIdempotencyKey } from '../../src/contract/idempotency-key.ts'
import { INVENTORY } from '../../src/inventory/resources.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'

const page = readFileSync(resolve(import.meta.dir, '../../docs/automation.md'), 'utf8')
const [, section = ''] = /^## Repeat a write\n([\s\S]*?)^## /m.exec(page) ?? []
const table = section.split('\n').filter((line) => line.startsWith('| '))

const operations = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
/** The first row stands for these, also for those of a new resource. */
const creates = new Set(INVENTORY.map((resource) => `${resource}.create`))

test('the table lists the requests that take a key, except for the creates of resources', () => {
  const keyed = [
    ...operations.filter((op) => takesIdempotencyKey(op) && !creates.has(op.name)),
    ...routes.filter(({ requestHeaders }) => Object.hasOwn(requestHeaders?.shape ?? {}, KEY_HEADER)),
  ]
  const [, , first = '', ...others] = ['', ...table]
  expect(first).toContain('the create of each [resource of the inventory]')
  const listed = others.flatMap((line) => [...line.matchAll(/`(POST [^`]+)`/g)].map(([, request]) => request))
  expect(listed.toSorted()).toEqual(keyed.map(({ http }) => http).toSorted())
})

test('the create of each resource takes a key, such as those of the examples', () => {
  const keyed = operations.filter((op) => takesIdempotencyKey(op) && creates.has(op.name))
  expect(keyed).toHaveLength(creates.size)
  const examples = [...(table[1] ?? '').matchAll(/`(POST [^`]+)`/g)].map(([, request]) => request)
  expect(examples.length).toBeGreaterThan(0)
  for (const request of examples) expect(keyed.map(({ http }): string => http)).toContain(request ?? '')
})
