/** The mechanism of warnings. The warnings of a rule are tested beside the rule. */
import { describe, expect, test } from 'bun:test'
import { testApp } from '../../../testing/app/app.ts'
import type { Tables } from '../../database/tables.ts'
import { GUEST } from '../../kernel/caller.ts'
import type { FindWarnings, Warning } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createWarningsJob, findListedWarnings } from './warnings.ts'

const warning = (id: string, resource: string): Warning => ({
  kind: 'a_rule',
  resource,
  id,
  name: `the ${id}`,
  message: 'The rule would refuse it.',
})

const sourcesOf = (...warnings: Warning[]) => {
  const find: FindWarnings<Tables> = async () => warnings
  return () => [find]
}

/** Only the parts of a context that the functions under test read. */
const contextWith = (permissions: readonly string[], logged: unknown[] = []): Ctx => {
  const warn = (message: string, fields?: object) => logged.push({ message, ...fields })
  const context: unknown = { caller: { ...GUEST, permissions: new Set(permissions) }, log: { warn } }
  return context as Ctx
}

describe('warnings', () => {
  test('a caller gets the warnings about objects that he may list', async () => {
    const sources = sourcesOf(warning('n1', 'networks'), warning('k1', 'apikeys'))
    expect(await findListedWarnings(contextWith(['users:update', 'networks:list']), sources)).toEqual([
      warning('n1', 'networks'),
    ])
    expect(await findListedWarnings(contextWith(['users:update']), sources)).toEqual([])
  })

  test('at most 100 of one kind are returned', async () => {
    const many = Array.from({ length: 150 }, (_, i) => warning(`n${i}`, 'networks'))
    const other = { ...warning('x', 'networks'), kind: 'another_rule' }
    const found = await findListedWarnings(contextWith(['networks:list']), sourcesOf(...many, other))
    expect(found).toEqual([...many.slice(0, 100), other])
  })

  test('the job logs each warning once', async () => {
    const logged: unknown[] = []
    const warnings = [warning('n1', 'networks')]
    const job = createWarningsJob(() => [async () => warnings])
    const ctx = contextWith([], logged)
    await job.run(ctx)
    warnings.push(warning('k1', 'apikeys'))
    await job.run(ctx)
    expect(logged).toMatchObject([
      { message: 'The rule would refuse it.', kind: 'a_rule', resource: 'networks', id: 'n1', name: 'the n1' },
      { resource: 'apikeys', id: 'k1' },
    ])
  })

  test('an administrator may ask for them, and an operator may not', async () => {
    const app = await testApp()
    try {
      const admin = await app.as('admin')
      expect(await admin.api.system.warnings()).toEqual([])
      const operator = await app.as('operator')
      expect((await operator.request('GET', '/api/system/warnings')).status).toBe(403)
    } finally {
      await app.close()
    }
  })
})
